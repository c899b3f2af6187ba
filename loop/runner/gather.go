package runner

import (
	"context"

	"brenner/artifact"
	"brenner/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
	"brenner/store"
)

// Gather reads what the sessions of a loop came to, one after the other: a report
// holds the best of each question, however many sessions there were.
func Gather(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	r := report.New(s)
	best := s.Best()
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
		r.Test(j.Thread, &a)
		if err := teach(ctx, r, h); err != nil {
			return nil, err
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

// longestLesson bounds what one is: a sentence, not an essay.
const longestLesson = 500

// teach adds what a session taught beyond its artifact: the playbook is told the same.
// What lint has found in passing is no news to a person.
func teach(ctx context.Context, r *report.Report, h *session.History) error {
	found, err := h.Lessons(ctx)
	if err != nil {
		return err
	}
	for _, i := range found.Insights {
		if kind := i.Tags[0]; kind != session.TagLint {
			r.Teach(report.Lesson{Kind: kind, Text: shortened(i.Text), Session: h.Thread, Agent: i.Source.Agent})
		}
	}
	return nil
}

func shortened(text string) string {
	if r := []rune(text); len(r) > longestLesson {
		return string(r[:longestLesson-1]) + "…"
	}
	return text
}
