package cli

import (
	"context"
	"fmt"
	"slices"

	"brenner/config"
	"brenner/fault"
	"brenner/flow"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
)

// verifyLoops proves the loops of a store: the chain of each journal, that its events
// follow from each other, and that its sessions are those of its work and came to what
// it says.
func verifyLoops(ctx context.Context, st store.Store) ([]*checkedLoop, error) {
	streams, err := runner.List(ctx, st)
	var all []*checkedLoop
	for i := range streams {
		l := &checkedLoop{Name: runner.NameOf(&streams[i])}
		all = append(all, l)
		s, found, err := runner.Verify(ctx, st, l.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			l.found = append(l.found, err)
			continue
		}
		l.Entries, l.Head, l.found = s.Head.Seq, s.Head.Hash, found
		for i := range s.Jobs {
			if err := verifyOpening(ctx, st, s, &s.Jobs[i]); err != nil {
				l.found = append(l.found, err)
			}
		}
	}
	return all, err
}

// verifyOpening compares what a session was begun with and what the loop's work says
// of it. That is not all of it: ways to models may have come from the configuration.
func verifyOpening(ctx context.Context, st store.Store, s *loop.State, j *loop.Job) error {
	if j.Thread == "" || j.Settled.Code == session.Exists {
		return nil
	}
	h, err := session.Load(ctx, st, j.Thread)
	if err != nil {
		return nil //nolint:nilerr // that was said of the session, or of what the loop says of it
	}
	differs := func(what string) error {
		return &fault.Error{
			Code: store.Damaged, Place: j.Thread, Detail: "it was begun with " + what + " than the loop says",
			Hint: "the journal of the loop or of the session was made anew",
		}
	}
	o := &h.State.Opened
	q, _ := s.Work.Question(j.Cell.Question)
	has := func(e loop.Evidence) bool {
		return slices.ContainsFunc(o.Evidence, func(of flow.Evidence) bool { return of.Hash == e.Hash })
	}
	switch {
	case o.Question != q.Question:
		return differs("another question")
	case o.Context != q.Context, !slices.Equal(o.Constraints, q.Constraints), o.Excerpt != q.Excerpt, slices.ContainsFunc(q.Evidence, func(e loop.Evidence) bool { return !has(e) }):
		return differs("another brief")
	case o.Rehearsal != s.Work.Script:
		return differs("another script")
	}
	r, err := rosterOfCell(&s.Work, &j.Cell, j.Turn)
	if err != nil {
		return err
	}
	if len(r.Entries) != len(o.Agents) {
		return differs("other agents")
	}
	m, _ := s.Work.Model(j.Cell.Model)
	for i, e := range r.Entries {
		p := &o.Agents[i]
		via := m.Via
		if via == "" {
			via = s.Work.Via
		}
		switch {
		case p.Name != e.Agent || p.Role != string(e.Role):
			return differs("other agents")
		case p.Model != e.Model, via != "" && p.Via != via, m.ModelID != "" && p.ModelID != m.ModelID:
			return differs("another model for " + p.Name)
		case p.Via == config.ViaOpenAI && j.Cell.Seed != nil && (p.Seed == nil || *p.Seed != *j.Cell.Seed):
			return differs(fmt.Sprintf("another seed for %s", p.Name))
		}
	}
	return nil
}
