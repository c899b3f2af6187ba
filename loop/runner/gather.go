package runner

import (
	"context"
	"slices"

	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
	"brenner/store"
)

// atOnce bounds how many sessions are held before they are in a report.
const atOnce = 64

// Gather reads what the sessions of a loop came to. A report holds the best of each
// question, however many sessions there were.
func Gather(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	r := report.New(s)
	best := s.Best()
	answers := make(map[string]report.Question)
	var jobs []*loop.Job
	rows := make(map[*loop.Job]*report.Row)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Thread != "" && j.Settled.Version > 0 {
			jobs = append(jobs, j)
			rows[j] = &r.Sessions[i] // it has one for each job
		}
	}
	for some := range slices.Chunk(jobs, atOnce) {
		found := make([]*findings, len(some))
		err := eachSession(ctx, st, some, func(ctx context.Context, i int, h *session.History) (err error) {
			q, _ := s.Work.Question(some[i].Cell.Question)
			found[i], err = find(ctx, h, q)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f == nil {
				continue // it was killed before anything of it was stored
			}
			row := rows[some[i]] // people may have gone on with it: its row says what the rest says
			row.Version, row.Conflicts, row.Errors, row.Warnings = f.now.Version, f.now.Conflicts, f.now.Errors, f.now.Warnings
			r.Person = append(r.Person, f.needs...)
			r.Test(f.tests)
			for _, l := range f.lessons {
				r.Teach(l)
			}
			if question := some[i].Cell.Question; best[question] == some[i] {
				answers[question] = f.answer
			}
		}
	}
	for _, q := range s.Work.Questions {
		if a, ok := answers[q.ID]; ok {
			r.Questions = append(r.Questions, a)
		}
	}
	return r, nil
}

// findings are what a report may say of one session.
type findings struct {
	now     loop.Settled
	needs   []report.Need
	tests   []report.Test
	lessons []report.Lesson
	answer  report.Question
}

func find(ctx context.Context, h *session.History, q loop.Question) (*findings, error) {
	a, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return nil, err
	}
	learned, err := lessons(ctx, h)
	if err != nil {
		return nil, err
	}
	return &findings{
		now: settledBy(0, h.State), needs: needs(h, &a), tests: report.TestsOf(h.Thread, &a), lessons: learned, answer: report.Answer(q, h.Thread, &a),
	}, nil
}

// longestLesson bounds what one is: a sentence, not an essay.
const longestLesson = 500

// lessons gives what a session taught beyond its artifact: the playbook is told the same.
// What lint has found in passing is no news to a person.
func lessons(ctx context.Context, h *session.History) ([]report.Lesson, error) {
	found, err := h.Lessons(ctx)
	if err != nil {
		return nil, err
	}
	var all []report.Lesson
	for _, i := range found.Insights {
		if kind := i.Tags[0]; kind != session.TagLint {
			all = append(all, report.Lesson{Kind: kind, Text: text.Clip(i.Text, longestLesson), Session: h.Thread, Agent: i.Source.Agent})
		}
	}
	return all, nil
}
