package temporal

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.temporal.io/sdk/client"

	"brenner/engine/temporal/servertest"
	"brenner/internal/fault"
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
		n := newNotices(zerolog.Nop())
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

// workersOf are the workers of queues as a test wants them.
type workersOf struct {
	all  map[string]time.Time
	err  error
	code fault.Code
}

func (w *workersOf) asked(context.Context, string) (map[string]time.Time, error) { return w.all, w.err }
func (w *workersOf) returned(context.Context, string) fault.Code                 { return w.code }

// A loop says once why its sessions wait, and once that they no longer wait for it.
func TestNoticesAreSaidOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		n, w := newNotices(zerolog.New(&out)), &workersOf{}
		done := n.wait("q", "RS-1")
		var got []string
		look := func() {
			for range 3 {
				n.look(t.Context(), w)
			}
			got = append(got, strconv.Itoa(strings.Count(out.String(), "\n")))
		}
		look() // 1: no worker
		w.err = errors.New("away")
		n.away(w.err)
		n.away(w.err)
		look() // 2: the engine is away
		w.err = nil
		n.away(nil)
		n.away(nil)
		look() // 3: it is back
		w.all = map[string]time.Time{"w": time.Now()}
		look() // 4: a worker is there
		w.code = project.NoKey
		look() // 5: it returns the session
		w.code, w.all = "", nil
		look() // 6: no worker
		done()
		look()
		defer n.wait("q", "RS-2")()
		look() // 7: another session waits
		if strings.Join(got, " ") != "1 2 3 4 5 6 6 7" || !strings.Contains(out.String(), "takes sessions of q again") || !strings.Contains(out.String(), "the engine responds again") {
			t.Errorf("lines %v\n%s", got, &out)
		}
	})
}
