package runner

import (
	"context"

	"brenner/artifact"
	"brenner/fault"
	"brenner/flow"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/merge"
	"brenner/session"
	"brenner/store"
)

// Learner tells what a session taught beyond its artifact.
type Learner interface {
	Lessons(ctx context.Context, h *session.History) ([]report.Lesson, error)
}

// Gather reads what the sessions of a loop came to, one after the other: a report
// holds the best of each question, however many sessions there were.
func Gather(ctx context.Context, st store.Store, s *loop.State, learner Learner) (*report.Report, error) {
	r := report.New(s)
	best := report.Best(s)
	shown := make(map[string]*artifact.Artifact)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Thread == "" || j.Settled.Version == 0 {
			continue
		}
		h, err := session.Load(ctx, st, j.Thread)
		if fault.CodeOf(err) == session.NoSession {
			continue // it was killed before anything of it was stored
		}
		if err != nil {
			return nil, err
		}
		a, err := h.Artifact(ctx, h.State.Version())
		if err != nil {
			return nil, err
		}
		r.Person = append(r.Person, needs(h, &a)...)
		r.Learn(j.Thread, &a)
		lessons, err := learner.Lessons(ctx, h)
		if err != nil {
			return nil, err
		}
		for _, l := range lessons {
			r.Teach(l)
		}
		if best[j.Cell.Question] == j {
			shown[j.Cell.Question] = &a
		}
	}
	for _, q := range s.Work.Questions {
		if a := shown[q.ID]; a != nil {
			r.Show(q, best[q.ID].Thread, a)
		}
	}
	return r, nil
}

// FromReplies learns from what agents said themselves, in blocks that call
// themselves lessons, from what was refused to them, and from rulings.
type FromReplies struct{}

// Lessons reads the replies of a session.
func (FromReplies) Lessons(ctx context.Context, h *session.History) ([]report.Lesson, error) {
	var all []report.Lesson
	for _, c := range h.State.Calls() {
		if c.Status != flow.Replied {
			continue
		}
		reply, err := h.Store.Blob(ctx, c.Answered.Reply)
		if err != nil {
			return nil, err
		}
		for _, text := range loop.Lessons(reply) {
			all = append(all, report.Lesson{Kind: report.Said, Text: text, Session: h.Thread, Agent: c.Agent})
		}
	}
	for _, s := range h.State.Stalemates {
		if s.Verdict == "" {
			continue
		}
		v, err := h.Verdict(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, report.Lesson{Kind: report.Ruled, Text: s.Place + ": " + v.RootCause, Session: h.Thread, Agent: v.Arbiter.Name})
	}
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Outcome.Rejected == 0 {
			continue
		}
		read, err := h.Report(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range read.Merge.Deltas {
			if row.Disposition == merge.Rejected {
				all = append(all, report.Lesson{Kind: report.Rejected, Text: string(row.Code) + ": " + row.Message, Session: h.Thread, Agent: row.Agent})
			}
		}
	}
	return all, nil
}
