package box_test

import (
	"slices"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/boxtest"
)

// A writer's cache is cleared when another process has written.
func TestWriterCacheIsInvalidated(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir)
	people(t, one)
	send := func(b mail.Box, n int) error {
		_, err := b.Send(t.Context(), note(n))
		return err
	}
	policy := func(policy string) {
		t.Helper()
		if _, err := two.Register(t.Context(), mail.Registration{Project: boxtest.Project, Name: "BlueLake", Policy: policy, Renew: true}); err != nil {
			t.Fatal(err)
		}
	}
	for n, b := range []mail.Box{one, two, one, one} {
		if err := send(b, n); err != nil {
			t.Fatal(err)
		}
	}
	policy(mail.PolicyBlock)
	if err := send(one, 4); fault.CodeOf(err) != mail.Blocked {
		t.Errorf("%v", err)
	}
	policy(mail.PolicyOpen)
	if err := send(one, 5); err != nil {
		t.Error(err)
	}
	page, err := two.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread})
	if err != nil || page.Total != 5 || len(page.Messages) != 5 || !slices.Equal(page.People, []string{"Operator"}) {
		t.Errorf("%d of %d messages by %q, %v", len(page.Messages), page.Total, page.People, err)
	}
}

// A cached message shows each reader only what it may see.
func TestCacheHidesBCC(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	for _, name := range []string{"RedSky", "GreenHill"} {
		if _, err := b.Register(t.Context(), mail.Registration{Project: boxtest.Project, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	d := note(1)
	d.BCC = []string{"RedSky", "GreenHill"}
	if _, err := b.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for reader, want := range map[string]mail.Message{
			"BlueLake": {Kind: "to"}, "RedSky": {Kind: "bcc", BCC: []string{"RedSky"}}, "GreenHill": {Kind: "bcc", BCC: []string{"GreenHill"}},
		} {
			for _, bare := range []bool{false, true} {
				all, err := b.Inbox(t.Context(), mail.InboxQuery{Project: boxtest.Project, Agent: reader, NoBodies: bare})
				if err != nil || len(all) != 1 || all[0].Kind != want.Kind || !slices.Equal(all[0].BCC, want.BCC) || (all[0].Body == "") != bare {
					t.Errorf("%s: %+v, %v", reader, all, err)
				}
			}
		}
	}
}
