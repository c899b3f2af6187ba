package session_test

import (
	"context"
	"strings"
	"testing"

	"brenner/session"
	"brenner/session/flow"
	"brenner/store/memory"
)

// fakeMailer is a Mailer that keeps the last publication.
type fakeMailer struct{ last session.Publication }

func (*fakeMailer) Restore([]flow.Mailbox, map[string]bool) {}

func (*fakeMailer) Join(context.Context, []flow.Party) ([]flow.Mailbox, error) { return nil, nil }

func (*fakeMailer) Letters(context.Context, string, []flow.Party) ([]session.Letter, error) {
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
	st, box := memory.New(), &fakeMailer{}
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
