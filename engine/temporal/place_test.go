package temporal

import (
	"context"
	"crypto/rand"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.temporal.io/sdk/client"

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
		e := &Engine{client: c, namespace: "default", fleet: project.Fleet{Project: rand.Text(), Prompts: "00000000"}, log: zerolog.Nop()}
		drain, ended := make(chan struct{}), make(chan error, 1)
		a := &activities{
			slots: newSlots(4), hard: context.Background(), drain: drain, beat: testBeat, tell: tellEngine(c), said: newSaid(func(string, string) {}),
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

// A queue has workers while they ask, whatever the engine's clock says.
func TestWorkersAreGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &notices{seen: make(map[string]seen)}
		made := time.Now().Add(-24 * time.Hour)
		for range 5 {
			made = made.Add(time.Minute)
			if n.isGone("q", made) {
				t.Error("a worker that asks each minute is gone")
			}
			time.Sleep(gone - time.Nanosecond)
		}
		if n.isGone("q", made) {
			t.Error("gone too early")
		}
		time.Sleep(time.Nanosecond)
		if !n.isGone("q", made) || !n.isGone("q", time.Time{}) || n.isGone("q", made.Add(1)) {
			t.Error("a worker is gone if it asks no more or is not listed")
		}
	})
}
