package runner

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/record"
)

// Proof is the proof of one loop.
type Proof struct {
	Name    string       `json:"name"`
	Entries int          `json:"entries"`
	Head    string       `json:"head"`
	Faults  store.Faults `json:"faults"`
}

// ProveAll proves the loops of a store: the chain of each journal, that its events
// follow from each other, and that its sessions match its work and its recorded outcomes.
func ProveAll(ctx context.Context, st store.Store) ([]*Proof, error) {
	streams, err := List(ctx, st)
	var all []*Proof
	for i := range streams {
		l := &Proof{Name: NameOf(&streams[i])}
		all = append(all, l)
		s, found, err := Verify(ctx, st, l.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			l.Faults.Add(err)
			continue
		}
		l.Entries, l.Head, l.Faults = s.Head.Seq, s.Head.Hash, found
		for i := range s.Jobs {
			l.Faults.Add(verifyOpening(ctx, st, s, &s.Jobs[i]))
		}
	}
	return all, err
}

// verifyOpening compares the opening of a session with the loop's work. Routes to models
// are not compared: they may have come from the configuration.
func verifyOpening(ctx context.Context, st store.Store, s *loop.State, j *loop.Job) error {
	if j.Thread == "" || j.Settled.Code == session.Exists {
		return nil
	}
	h, err := session.Load(ctx, st, j.Thread)
	if err != nil {
		return nil //nolint:nilerr // reported for the session or the loop
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
		Code: store.Damaged, Place: j.Thread, Detail: "it was started with " + what + " than the loop records",
		Hint: "the journal of the loop or of the session was rewritten",
	}
}

// otherBrief returns how a session's brief differs from the work, or "".
func otherBrief(o *flow.Opened, s *loop.State, j *loop.Job) string {
	if o.Task != "" || j.Cell.Task != "" {
		return otherTask(o, s, j)
	}
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
	}
	return otherSettings(o, s, j)
}

// otherTask returns how the session of a task differs from the work, or "".
func otherTask(o *flow.Opened, s *loop.State, j *loop.Job) string {
	t, _ := s.Work.Task(j.Cell.Task)
	spec := cmp.Or(t.Pinned, record.Ref{ID: t.SpecID(s.Opened.Name), Version: 1}.String())
	switch {
	case o.Task != spec, o.Question != t.Text:
		return "another task"
	case o.Rehearsal != s.Work.Script:
		return "another script"
	}
	return otherSettings(o, s, j)
}

func otherSettings(o *flow.Opened, s *loop.State, j *loop.Job) string {
	if !reflect.DeepEqual(planSettings(withShare(o.Settings, s)), planSettings(s.Work.SettingsOf(&j.Cell))) {
		return "other settings"
	}
	return ""
}

// withShare returns settings with the full share of the budget if only what the preflight spent is
// missing in it.
func withShare(set flow.Settings, s *loop.State) flow.Settings {
	w, asked := &s.Work.Settings, s.Opened.Preflight.Cost()
	if set.Budget > 0 && set.Budget < w.Budget && w.Budget-set.Budget <= asked.Tokens {
		set.Budget = w.Budget
	}
	if set.BudgetUSD > 0 && set.BudgetUSD < w.BudgetUSD && w.BudgetUSD-set.BudgetUSD <= asked.USD {
		set.BudgetUSD = w.BudgetUSD
	}
	return set
}

// planSettings returns settings without those from the configuration.
func planSettings(s flow.Settings) flow.Settings {
	s.Limits, s.Prices = flow.Settings{}.Limits, nil
	return s
}

// otherAgents returns how a session's agents differ from the work, or "".
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
		case p.Model != e.Model && (p.Way == nil || p.Model != ""), via != "" && p.Via != via, m.ModelID != "" && p.ModelID != m.ModelID:
			return "another model for " + p.Name
		case p.Via == flow.ViaOpenAI && j.Cell.Seed != nil && (p.Seed == nil || *p.Seed != *j.Cell.Seed):
			return "another seed for " + p.Name
		}
	}
	if string(o.Roster) != string(artifact.Canonical(flow.AskedRoster(r, o.Agents).Value())) {
		return "another roster"
	}
	return ""
}
