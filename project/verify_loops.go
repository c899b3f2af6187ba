package project

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"brenner/artifact"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// LoopProof is what was found of one loop.
type LoopProof struct {
	Name    string         `json:"name"`
	Entries int            `json:"entries"`
	Head    string         `json:"head"`
	Faults  []fault.Detail `json:"faults"`
}

// VerifyLoops proves the loops of a store: the chain of each journal, that its events
// follow from each other, and that its sessions are those of its work and came to what
// it says.
func VerifyLoops(ctx context.Context, st store.Store) ([]*LoopProof, error) {
	streams, err := runner.List(ctx, st)
	var all []*LoopProof
	for i := range streams {
		l := &LoopProof{Name: runner.NameOf(&streams[i])}
		all = append(all, l)
		s, found, err := runner.Verify(ctx, st, l.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			l.Faults = fault.Details(err)
			continue
		}
		for i := range s.Jobs {
			found = append(found, verifyOpening(ctx, st, s, &s.Jobs[i]))
		}
		l.Entries, l.Head, l.Faults = s.Head.Seq, s.Head.Hash, fault.Details(found...)
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
	r, err := s.Work.RosterOf(&j.Cell, j.Turn)
	if err != nil {
		return err
	}
	o := &h.State.Opened
	what := cmp.Or(otherBrief(o, s, j), otherAgents(o, s, j, r))
	if what == "" {
		return nil
	}
	return &fault.Error{
		Code: store.Damaged, Place: j.Thread, Detail: "it was begun with " + what + " than the loop says",
		Hint: "the journal of the loop or of the session was made anew",
	}
}

// otherBrief returns what a session was asked that the work does not, or "".
func otherBrief(o *flow.Opened, s *loop.State, j *loop.Job) string {
	q, _ := s.Work.Question(j.Cell.Question)
	missing := func(e loop.Evidence) bool {
		return !slices.ContainsFunc(o.Evidence, func(of flow.Evidence) bool { return of.Hash == e.Hash })
	}
	switch {
	case o.Question != q.Question:
		return "another question"
	case o.Context != q.Context, !slices.Equal(o.Constraints, q.Constraints), o.Excerpt != q.Excerpt, slices.ContainsFunc(q.Evidence, missing):
		return "another brief"
	case o.Rehearsal != s.Work.ScriptOf(&q):
		return "another script"
	case !reflect.DeepEqual(planSettings(o.Settings), planSettings(s.Work.Settings)):
		return "other settings"
	}
	return ""
}

// planSettings returns settings without what a session takes from the configuration.
func planSettings(s flow.Settings) flow.Settings {
	s.Limits, s.Prices = flow.Settings{}.Limits, nil
	return s
}

// otherAgents returns who took part in a session that the work does not name, or "".
func otherAgents(o *flow.Opened, s *loop.State, j *loop.Job, r roster.Roster) string {
	if len(r.Entries) != len(o.Agents) {
		return "other agents"
	}
	m, _ := s.Work.Model(j.Cell.Model)
	via := cmp.Or(m.Via, s.Work.Via)
	for i, e := range r.Entries {
		p := &o.Agents[i]
		switch {
		case p.Name != e.Agent || p.Role != string(e.Role):
			return "other agents"
		case p.Model != e.Model, via != "" && p.Via != via, m.ModelID != "" && p.ModelID != m.ModelID:
			return "another model for " + p.Name
		case p.Via == config.ViaOpenAI && j.Cell.Seed != nil && (p.Seed == nil || *p.Seed != *j.Cell.Seed):
			return "another seed for " + p.Name
		}
	}
	if string(o.Roster) != string(artifact.Canonical(r.Value())) {
		return "another roster"
	}
	return ""
}
