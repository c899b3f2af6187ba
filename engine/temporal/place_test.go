package temporal

import (
	"context"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"brenner/engine/temporal/servertest"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/placetest"
	"brenner/project"
	"brenner/store/memory"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) } //nolint:forbidigo // a main of the tests

// testBeat is the silence after which a worker of the tests is taken for dead.
const testBeat = 3 * time.Second

// TestOnServerPlace tests the place on a real server, with a worker in this process.
func TestOnServerPlace(t *testing.T) {
	t.Parallel()
	server := servertest.Get(t)
	placetest.Test(t, func(t *testing.T, w *placetest.World) runner.Place {
		t.Helper()
		w.Store = memory.New()
		c, err := client.Dial(client.Options{HostPort: server.Address, Logger: logger{zerolog.Nop()}})
		if err != nil {
			t.Fatal(err)
		}
		e := &Engine{client: c, fleet: project.Fleet{Project: rand.Text(), Prompts: "00000000"}, log: zerolog.Nop()}
		drain, ended := make(chan struct{}), make(chan error, 1)
		a := &activities{
			slots: newSlots(4), hard: context.Background(), drain: drain, beat: testBeat, tell: tellEngine(c), log: zerolog.Nop(),
			advance: func(ctx context.Context, drain <-chan struct{}, s Session) error {
				r := w.Runner()
				r.Drain = drain
				return r.Advance(ctx, s.Loop, s.Thread)
			},
		}
		go func() { ended <- e.serve(a, WorkerOptions{Beat: testBeat}, drain) }()
		of, end := e.Places()
		t.Cleanup(func() {
			end()
			close(drain)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			c.Close()
		})
		return of(&project.Placing{Loop: "night", Work: &loop.Work{}})
	})
}

// A queue has workers if one asked it for work a short time ago.
func TestAnyAsked(t *testing.T) {
	t.Parallel()
	now := time.Now()
	ago := func(d time.Duration) *taskqueue.PollerInfo {
		return &taskqueue.PollerInfo{LastAccessTime: timestamppb.New(now.Add(-d))}
	}
	for _, c := range []struct {
		all  []*taskqueue.PollerInfo
		want bool
	}{{nil, false}, {[]*taskqueue.PollerInfo{ago(gone)}, false}, {[]*taskqueue.PollerInfo{ago(2 * gone), ago(gone / 2)}, true}} {
		if got := anyAsked(c.all, now); got != c.want {
			t.Errorf("%v: got %t, want %t", c.all, got, c.want)
		}
	}
}
