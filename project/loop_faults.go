package project

import (
	"context"
	"errors"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
	"brenner/store/sqlite"
)

// faultyPlan gathers what is wrong with what a plan names, so that all of it is said at
// once.
type faultyPlan struct {
	lines fault.List // of the plan
	other []error    // of files that it names, and of the configuration
}

// add takes what is wrong with a line of the plan.
func (f *faultyPlan) add(line int, err error) {
	if err == nil {
		return
	}
	for _, one := range fault.Distinct(err) {
		at := *one
		at.File, at.Line, at.Column, at.Place = "", line, 0, one.Where()
		f.lines = append(f.lines, &at)
	}
}

func (f *faultyPlan) any() bool { return len(f.lines)+len(f.other) > 0 }

// err returns all of it, in the order of the plan's lines.
func (f *faultyPlan) err(file string) error {
	loop.ByLine(f.lines)
	return errors.Join(append([]error{fault.InFile("read the plan", file, f.lines.Err())}, f.other...)...)
}

// bases makes sure that the sessions of the store are there that others follow. What opens
// the store makes none to look into.
func (p *PinnedPlan) bases(ctx context.Context, open func(context.Context) (*sqlite.Store, error)) error {
	first := make(map[string]int) // by session: the cell that follows it first
	var order []string
	for i := range p.opened.Work.Cells {
		after := p.opened.Work.Cells[i].After
		if _, known := first[after]; !known && artifact.IsThreadID(after) {
			first[after], order = i, append(order, after)
		}
	}
	if len(order) == 0 {
		return nil
	}
	st, err := open(ctx)
	switch {
	case fault.CodeOf(err) == store.NoStore:
		for _, thread := range order {
			p.faults.add(p.plan.SessionLine(first[thread]), &fault.Error{
				Code: session.NoSession, Detail: "there is no session " + thread, Hint: "this project has none yet",
			})
		}
		return nil
	case err != nil:
		return err
	}
	defer p.project.CloseStore(st)
	for _, thread := range order {
		_, err := session.Load(ctx, st, thread)
		p.faults.add(p.plan.SessionLine(first[thread]), err)
	}
	return nil
}
