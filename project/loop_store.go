package project

import (
	"context"

	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/sqlite"
)

// withLoops reads the store of a project that has loops.
func (p *Project) withLoops(ctx context.Context, do func(*sqlite.Store) error) error {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return &fault.Error{Code: runner.NoLoop, Detail: "there are no loops in this project yet", Hint: "`brenner loop run PLAN.yaml` begins one"}
	}
	if err != nil {
		return err
	}
	defer p.CloseStore(st)
	return do(st)
}

// openLoops opens the store of a project for a change of a loop. It makes no store for a
// loop that does not exist.
func (p *Project) openLoops(ctx context.Context, name string) (*sqlite.Store, error) {
	err := p.withLoops(ctx, func(st *sqlite.Store) error {
		_, err := runner.Load(ctx, st, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.OpenStore(ctx)
}
