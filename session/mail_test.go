package session_test

import (
	"context"
	"strings"
	"testing"

	"brenner/session"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/store/opentest"
)

// fakeMailer is a Mailer that keeps the last publication.
type fakeMailer struct{ last session.Publication }

func (*fakeMailer) Restore([]flow.Mailbox, map[string]bool) {}

func (*fakeMailer) Join(context.Context, []flow.Party) ([]flow.Mailbox, error) { return nil, nil }

func (*fakeMailer) Letters(context.Context, string, []flow.Party) ([]letters.Letter, error) {
	return nil, nil
}

func (l *fakeMailer) Publish(_ context.Context, p session.Publication) (letters, missed []string, err error) {
	l.last = p
	return nil, nil, nil
}

// COMPILED messages name only contributors whose deltas were applied, like the metadata.
func TestCompiledNamesContributorsWithAppliedDeltas(t *testing.T) {
	const script = `schema: brenner.rehearsal/v1
question: q
agents:
  - name: BlueLake
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"One","claim":"first"}}
          ` + "```" + `
  - name: RedSky
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H9","payload":{"claim":"of nothing"}}
          ` + "```" + `
`
	b := quarrelBrief(1)
	b.Arbiter, b.Settings.Repair = nil, false
	for i := range b.Agents {
		b.Agents[i].Via = flow.ViaMail
	}
	st, box := opentest.New(t), &fakeMailer{}
	r := runner(st, &actors{script: parse(t, script)})
	r.Mail = box
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for to, body := range box.last.Bodies {
		if !strings.Contains(body, "\n- Contributors: operator, BlueLake\n") {
			t.Errorf("%s was sent %s", to, body)
		}
	}
	if n := len(box.last.Bodies); n != 2 || !strings.Contains(box.last.Whole, "\n- Contributors: operator, BlueLake\n") {
		t.Errorf("%d messages, and %s", n, box.last.Whole)
	}
}

// Mail is read by agents, so it does not name the hosts of models, which the artifact names: of a
// session opened with their addresses, and of one that was given them later.
func TestMailNamesNoHosts(t *testing.T) {
	const reply = "\n      - reply: |\n          ```delta\n          {\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"N\",\"claim\":\"C\"}}\n          ```"
	script := parse(t, "schema: brenner.rehearsal/v1\nquestion: q\nagents:\n  - name: BlueLake\n    rounds:"+reply+reply+"\n  - name: RedSky\n    rounds:"+reply+reply+"\n")
	way := flow.Way{Endpoint: "http://models.example/v1"}
	for _, late := range []bool{false, true} {
		b := quarrelBrief(1)
		b.Arbiter = nil
		b.Agents[0].Via, b.Agents[0].ModelID, b.Agents[1].Via = flow.ViaOpenAI, "good", flow.ViaMail
		if !late {
			b.Agents[0].Way = &way
		}
		st, box := opentest.New(t), &fakeMailer{}
		r := runner(st, &actors{script: script})
		r.Mail = box
		if _, err := r.Start(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if late {
			named := way
			named.Named = true
			r.Ways = func(*flow.State) []flow.NewWay {
				return []flow.NewWay{{Agent: "BlueLake", ModelID: "good", Way: named}}
			}
		}
		if _, err := r.Resume(t.Context(), thread, func(s *flow.Settings) { s.Rounds = 2 }); err != nil {
			t.Fatal(err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Artifact(t.Context(), h.State.Version())
		if err != nil || strings.Count(string(a.Markdown()), "good at models.example") != 2 {
			t.Errorf("late %v: the artifact does not name the host of contributor and roster: %v\n%s", late, err, a.Markdown())
		}
		if body := box.last.Bodies["RedSky"]; !strings.Contains(body, "Contributors: operator, ") || strings.Contains(body+box.last.Whole, "models.example") {
			t.Errorf("late %v: RedSky was sent %s\nthe operator %s", late, body, box.last.Whole)
		}
	}
}
