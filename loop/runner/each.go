package runner

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
)

// eachSession reads the sessions of jobs, on all processors: a night has thousands. Those
// of which nothing is stored are left out. What is done with one may not touch another.
func eachSession(ctx context.Context, st store.Store, jobs []*loop.Job, do func(ctx context.Context, i int, h *session.History) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		group.Go(func() error {
			h, err := session.Load(ctx, st, j.Thread)
			switch {
			case fault.CodeOf(err) == session.NoSession:
				return nil
			case err != nil:
				return err
			}
			return do(ctx, i, h)
		})
	}
	return group.Wait()
}
