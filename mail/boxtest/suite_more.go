package boxtest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"brenner/mail"
)

func outbox(t *testing.T, box mail.Box) {
	d := draft("BlueLake")
	d.Subject, d.AckRequired = "one", true
	one := send(t, box, d)
	d.Subject, d.AckRequired, d.To = "two", false, []string{"BlueLake", "Operator"}
	send(t, box, d)
	d.Subject, d.From, d.To = "three", "BlueLake", []string{"Operator"}
	send(t, box, d)
	later := time.Now().Add(time.Hour)
	for _, c := range []struct {
		q    mail.InboxQuery
		want string
	}{
		{mail.InboxQuery{Agent: "Operator", Sent: true}, "two one"},
		{mail.InboxQuery{Agent: "Operator", Sent: true, After: "0", Limit: 1}, "one"},
		{mail.InboxQuery{Agent: "BlueLake", Sent: true}, "three"},
		{mail.InboxQuery{Agent: "RedSky", Sent: true}, ""},
		{mail.InboxQuery{Agent: "BlueLake", Unacknowledged: true}, "one"},
		{mail.InboxQuery{Agent: "BlueLake", Unacknowledged: true, Before: later}, "one"},
		{mail.InboxQuery{Agent: "BlueLake", Unacknowledged: true, Before: one.Created.Time}, ""},
		{mail.InboxQuery{Agent: "Operator", Unacknowledged: true}, ""},
	} {
		if got := subjects(inbox(t, box, c.q)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	if _, err := box.Mark(t.Context(), mail.Mark{Project: Project, Agent: "BlueLake", Messages: []mail.ID{one.ID}, Ack: true}); err != nil {
		t.Fatal(err)
	}
	if got := subjects(inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unacknowledged: true})); got != "" {
		t.Errorf("an acknowledged message still waits: %q", got)
	}
}

func attachments(t *testing.T, box mail.Box) {
	d := draft("BlueLake")
	d.Key = "k"
	d.Attachments = []mail.File{{Name: "fig 1.png", MediaType: "image/png", Data: []byte{0, 255, 1}}, {Name: "empty", MediaType: "text/plain"}}
	m := send(t, box, d)
	again := send(t, box, d)
	if again.ID != m.ID || len(again.Attachments) != 2 || again.Attachments[0] != m.Attachments[0] {
		t.Errorf("the same message came back as %+v, want %+v", again.Attachments, m.Attachments)
	}
	if got := m.Attachments[0].(mail.Attachment); got.Name != "fig 1.png" || got.MediaType != "image/png" || got.Size != 3 || len(got.SHA256) != 64 {
		t.Errorf("%+v, want a description of the first file", got)
	}
	for _, got := range inbox(t, box, mail.InboxQuery{Agent: "BlueLake", NoBodies: true}) {
		if len(got.Attachments) != 2 {
			t.Errorf("the inbox lists %+v", got.Attachments)
		}
	}
	for _, f := range d.Attachments {
		got, err := box.Attachment(t.Context(), Project, "BlueLake", m.ID, f.Name)
		if err != nil || !bytes.Equal(got.Data, f.Data) || got.MediaType != f.MediaType {
			t.Errorf("%+v, %v, want %+v", got, err, f)
		}
	}
	wantCode(t, fails(box.Attachment(t.Context(), Project, "RedSky", m.ID, "empty")), mail.NotFound)
	wantCode(t, fails(box.Attachment(t.Context(), Project, "BlueLake", m.ID, "none")), mail.NotFound)
	d.Attachments[1].Data = []byte("other")
	wantCode(t, fails(box.Send(t.Context(), d)), mail.KeyReused)
	d.Key = ""
	for _, bad := range []mail.File{{Name: "a/b", MediaType: "text/plain"}, {Name: "", MediaType: "text/plain"}, {Name: "..", MediaType: "text/plain"}, {Name: "empty", MediaType: "text/plain"}, {Name: "x", MediaType: "no type"}, {Name: "x\n", MediaType: "text/plain"}} {
		d.Attachments = []mail.File{{Name: "empty", MediaType: "text/plain"}, bad}
		wantCode(t, fails(box.Send(t.Context(), d)), mail.Invalid)
	}
	d.Attachments = []mail.File{{Name: "large", MediaType: "text/plain", Data: make([]byte, mail.MaxAttached+1)}}
	wantCode(t, fails(box.Send(t.Context(), d)), mail.TooLarge)
	if all := inbox(t, box, mail.InboxQuery{Agent: "BlueLake"}); len(all) != 1 {
		t.Errorf("%d messages, want 1: refused ones are not delivered", len(all))
	}
}

// setPolicy sets the contact policy of an agent.
func setPolicy(t *testing.T, box mail.Box, name, policy string) {
	t.Helper()
	if _, err := box.Register(t.Context(), mail.Registration{Project: Project, Name: name, Policy: policy, Renew: true}); err != nil {
		t.Fatal(err)
	}
}

func contacts(t *testing.T, box mail.Box) {
	ask := mail.ContactRequest{Project: Project, From: "RedSky", To: "BlueLake", Reason: "about H2"}
	write := draft("BlueLake")
	write.From = "RedSky"
	setPolicy(t, box, "BlueLake", mail.PolicyBlock)
	wantCode(t, fails(box.RequestContact(t.Context(), ask)), mail.Blocked)
	setPolicy(t, box, "BlueLake", mail.PolicyContacts)
	wantCode(t, fails(box.Send(t.Context(), write)), mail.Blocked)
	wantCode(t, fails(box.AnswerContact(t.Context(), Project, "BlueLake", "RedSky", true)), mail.NotFound)
	for range 2 {
		if c, err := box.RequestContact(t.Context(), ask); err != nil || c.State != mail.ContactPending || c.From != "RedSky" || c.To != "BlueLake" {
			t.Errorf("%+v, %v, want a pending request", c, err)
		}
	}
	if all := inbox(t, box, mail.InboxQuery{Agent: "BlueLake"}); len(all) != 1 || !strings.Contains(all[0].Body, "about H2") || !strings.HasPrefix(all[0].Subject, "INFO: ") {
		t.Errorf("want one message about the request: %+v", all)
	}
	wantCode(t, fails(box.Send(t.Context(), write)), mail.Blocked)
	if c, err := box.AnswerContact(t.Context(), Project, "BlueLake", "RedSky", false); err != nil || c.State != mail.ContactRefused || c.Answered.IsZero() {
		t.Errorf("%+v, %v, want a refusal", c, err)
	}
	wantCode(t, fails(box.Send(t.Context(), write)), mail.Blocked)
	wantCode(t, fails(box.RequestContact(t.Context(), ask)), mail.Blocked)
	if c, err := box.AnswerContact(t.Context(), Project, "BlueLake", "RedSky", true); err != nil || c.State != mail.ContactAccepted {
		t.Errorf("%+v, %v, want it accepted", c, err)
	}
	send(t, box, write)
	for _, name := range []string{"BlueLake", "RedSky"} {
		if all, err := box.Contacts(t.Context(), Project, name); err != nil || len(all) != 1 || all[0].State != mail.ContactAccepted {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	ask.To = "Operator" // its policy is open
	if c, err := box.RequestContact(t.Context(), ask); err != nil || c.State != mail.ContactAccepted {
		t.Errorf("%+v, %v, want it accepted", c, err)
	}
	ask.To = "Unknown"
	wantCode(t, fails(box.RequestContact(t.Context(), ask)), mail.NotFound)
}

func revocations(t *testing.T, box mail.Box) {
	if all, err := box.Reserved(t.Context(), Project); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := box.Reserve(t.Context(), mail.Claim{Project: Project, Agent: "BlueLake", Paths: []string{"a", "b/**"}, Exclusive: true}); err != nil {
		t.Fatal(err)
	}
	all, err := box.Reserved(t.Context(), Project)
	if err != nil || len(all) != 2 || all[0].Agent != "BlueLake" || all[0].Path != "a" {
		t.Fatalf("%+v, %v, want two claims", all, err)
	}
	revoke := mail.Revocation{Project: Project, By: "RedSky", Claim: all[0].ID, Note: "stale"}
	if r, err := box.Revoke(t.Context(), revoke); err != nil || r.Path != "a" {
		t.Errorf("%+v, %v", r, err)
	}
	wantCode(t, fails(box.Revoke(t.Context(), revoke)), mail.NotFound)
	if told := inbox(t, box, mail.InboxQuery{Agent: "BlueLake"}); len(told) != 1 || !strings.Contains(told[0].Body, "stale") || told[0].From != "RedSky" {
		t.Errorf("want one message to the holder: %+v", told)
	}
	if all, err := box.Reserved(t.Context(), Project); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v, want one claim", all, err)
	}
	wantCode(t, fails(box.Reserved(t.Context(), "nowhere")), mail.NotFound)
}
