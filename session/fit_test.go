package session_test

import (
	"context"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store/opentest"
)

// lessonsOf is a playbook with the same lessons for every agent.
type lessonsOf []kickoff.Bullet

func (l lessonsOf) Recall(context.Context, session.LessonQuery) (session.LessonSet, error) {
	return session.LessonSet{Lessons: l}, nil
}

// grownBrief is a project whose overview grows after the first round.
type grownBrief struct {
	session.Project
	calls int
	long  int
}

func (g *grownBrief) RecordsFor(context.Context, string, string, string) (session.ShownRecords, error) {
	if g.calls++; g.calls <= 3 {
		return session.ShownRecords{Text: "# The project\n\nShort.\n"}, nil
	}
	over := &fault.Error{Code: view.TooLarge, Detail: "the role's view is smaller"}
	return session.ShownRecords{Text: "# The project\n\n" + strings.Repeat("Long. ", g.long), Left: []flow.RecordRef{{ID: "note", Version: 1}}, Over: over}, nil
}

// An overview that outgrows the role's view during a session is shown; one that outgrows the bound of the message is
// left out, and the message says so.
func TestGrownOverview(t *testing.T) {
	for _, long := range []int{90, 9000} {
		st := opentest.New(t)
		r := runner(st, &actors{script: builtInScript()})
		r.Project = &grownBrief{long: long}
		b := brief(2)
		b.Settings.Context = 9000
		res, err := r.Start(t.Context(), b)
		if err != nil || res.Reason != flow.EndRounds {
			t.Fatal(res, err)
		}
		for _, k := range res.State.Legs[len(res.State.Legs)-1].Kickoffs {
			body, _ := st.Blob(t.Context(), k.Body)
			said := strings.Contains(string(body), "\n> - overview of the project\n> - records of the project, 1 of 1\n")
			if shown := strings.Contains(string(body), "Long."); said == shown || shown != (long == 90) {
				t.Errorf("%s was sent\n%s", k.Agent, body)
			}
		}
	}
}

// A session that starts does not end because of the bound of its calls: whatever does not fit is left out, and
// what cannot fit is refused before any agent is asked.
func TestBoundNeverEndsASession(t *testing.T) {
	refused, pruned := 0, 0
	for i := range 26 {
		bound := 3000 + 317*i
		st, box := opentest.New(t), &fakeMailer{}
		s := &actors{script: builtInScript()}
		r := runner(st, s)
		r.Memory = lessonsOf{{ID: "pb-00001", Text: strings.Repeat("Ask twice. ", 90)}, {ID: "pb-00002", Text: "Ask again."}}
		b := brief(3)
		b.Script, b.Settings.Context, b.Context = nil, bound, strings.Repeat("Early and late grafts differ. ", 60)
		b.Evidence = []session.File{{Name: "counts.txt", Data: []byte(strings.Repeat("240 bodies\n", 400))}, {Name: "more.txt", Data: []byte("12 bodies")}}
		switch i % 3 {
		case 1:
			b.Settings.Flow = flow.FlowStaged
		case 2:
			b.Agents[0].Via, r.Mail = flow.ViaMail, box
		}
		res, err := r.Start(t.Context(), b)
		if err != nil {
			_, missing := session.Load(t.Context(), st, thread)
			if fault.CodeOf(err) != view.TooLarge || s.asked.Load() > 0 || fault.CodeOf(missing) != session.NoSession {
				t.Errorf("within %d tokens: %v, after %d calls, and the session: %v", bound, err, s.asked.Load(), missing)
			}
			refused++
			continue
		}
		if res.Reason != flow.EndRounds || len(res.Missing) > 0 {
			t.Errorf("within %d tokens: ended with %s, missing %v", bound, res.Reason, res.Missing)
		}
		for to, body := range box.last.Bodies {
			if n := (bytesCounter{}).Count(body); n > bound {
				t.Errorf("within %d tokens: %s was mailed %d", bound, to, n)
			}
		}
		for _, leg := range res.State.Legs {
			for _, k := range leg.Kickoffs {
				body, err := st.Blob(t.Context(), k.Body)
				if err != nil || k.Tokens > bound || (bytesCounter{}).Count(string(body)) != k.Tokens {
					t.Errorf("within %d tokens: %s has %d in round %d: %v", bound, k.Agent, k.Tokens, leg.Round, err)
				}
				if strings.Contains(string(body), "\n## Left Out\n") {
					pruned++
				}
			}
		}
	}
	if refused == 0 || pruned == 0 {
		t.Errorf("%d sessions refused, %d messages pruned", refused, pruned)
	}
}
