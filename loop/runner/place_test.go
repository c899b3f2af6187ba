package runner_test

import (
	"context"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/placetest"
	"brenner/store"
	"brenner/store/opentest"
)

func TestHere(t *testing.T) {
	t.Parallel()
	placetest.Test(t, func(t *testing.T, w *placetest.World) runner.Place {
		t.Helper()
		w.Store = opentest.New(t)
		return nil
	})
}

// beside is a place whose workers are goroutines of this process. They know no more than a process elsewhere.
type beside struct{ world *placetest.World }

func (b beside) Run(ctx context.Context, c loop.Run) error {
	for {
		r := b.world.Runner()
		r.Drain = ctx.Done()
		err := r.Advance(context.WithoutCancel(ctx), "night", c.Thread)
		if fault.CodeOf(err) != store.Held {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestPlacedSessions(t *testing.T) {
	t.Parallel()
	placetest.Test(t, func(t *testing.T, w *placetest.World) runner.Place {
		t.Helper()
		w.Store = opentest.New(t)
		return beside{w}
	})
}
