// Package boxtest is the conformance suite of mail.Box.
package boxtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// Project is the key of the project that the suite uses.
const Project = "/srv/cell-fate"

// Run runs the suite. open returns an empty box and closes it in t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) mail.Box) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, mail.Box)
	}{
		{"projects", projects},
		{"names and tokens", names},
		{"messages are verbatim", verbatim},
		{"delivery is all or nothing", allOrNone},
		{"a key sends once", once},
		{"a key sends once concurrently", onceConcurrently},
		{"replies stay in the thread", replies},
		{"inbox queries", inboxes},
		{"reading changes nothing, marking does", marks},
		{"thread pages", pages},
		{"agents see only their own messages", ownMessages},
		{"search", search},
		{"contact policies", policies},
		{"waiting readers are woken", awaits},
		{"cancelled and closed", cancelledAndClosed},
		{"reservations", reservations},
		{"outbox and acknowledgements", outbox},
		{"attachments", attachments},
		{"contact requests", contacts},
		{"reservations of others", revocations},
	} {
		t.Run(check.name, func(t *testing.T) {
			box := open(t)
			if _, err := box.EnsureProject(t.Context(), Project); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Operator", "BlueLake", "RedSky"} {
				if _, err := box.Register(t.Context(), mail.Registration{Project: Project, Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			check.run(t, box)
		})
	}
}

func fails[T any](_ T, err error) error { return err }

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("code %q, want %s: %v", fault.CodeOf(err), want, err)
	}
}

func draft(to ...string) mail.Draft {
	return mail.Draft{Project: Project, From: "Operator", To: to, Subject: "KICKOFF: under test", Body: "the body", Thread: "RS-20260101-trial"}
}

func send(t *testing.T, box mail.Box, d mail.Draft) mail.Message {
	t.Helper()
	m, err := box.Send(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func inbox(t *testing.T, box mail.Box, q mail.InboxQuery) []mail.Message {
	t.Helper()
	q.Project = Project
	all, err := box.Inbox(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func subjects(all []mail.Message) string {
	var s []string
	for _, m := range all {
		s = append(s, m.Subject)
	}
	return strings.Join(s, " ")
}

func projects(t *testing.T, box mail.Box) {
	one, err := box.EnsureProject(t.Context(), Project)
	if err != nil || one.Key != Project || !strings.HasPrefix(one.Slug, "cell-fate-") || one.Created.IsZero() {
		t.Errorf("%+v, %v", one, err)
	}
	other, err := box.EnsureProject(t.Context(), "/elsewhere/cell-fate")
	if err != nil || other.Slug == one.Slug || other.ID == one.ID {
		t.Errorf("%+v, %v", other, err)
	}
	if again, err := box.Projects(t.Context(), one.Slug); err != nil || len(again) != 1 || again[0] != one {
		t.Errorf("%+v, %v", again, err)
	}
	if all, err := box.Projects(t.Context(), ""); err != nil || len(all) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	wantCode(t, fails(box.Projects(t.Context(), "nowhere")), mail.NotFound)
	wantCode(t, fails(box.EnsureProject(t.Context(), " ")), mail.Invalid)
	wantCode(t, fails(box.Agents(t.Context(), "nowhere", "")), mail.NotFound)
	wantCode(t, fails(box.Inbox(t.Context(), mail.InboxQuery{Project: "nowhere", Agent: "BlueLake"})), mail.NotFound)
	// Equal names in two projects are two agents.
	if _, err := box.Register(t.Context(), mail.Registration{Project: other.Slug, Name: "BlueLake"}); err != nil {
		t.Error(err)
	}
}

func names(t *testing.T, box mail.Box) {
	r := mail.Registration{Project: Project, Name: "GreenHill", Program: "codex-cli", Model: "GPT-5.2", Task: "critic", TokenHash: "one"}
	a, err := box.Register(t.Context(), r)
	if err != nil || a.Name != "GreenHill" || a.Program != "codex-cli" || a.Policy != mail.PolicyOpen || a.Since.IsZero() || a.Token != "" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, name := range []string{"GreenHill", "greenhill"} {
		r.Name = name
		wantCode(t, fails(box.Register(t.Context(), r)), mail.NameTaken)
	}
	for _, name := range []string{"", "a b", "../x", "a/b", "-x", strings.Repeat("x", 65), "é"} {
		r.Name = name
		wantCode(t, fails(box.Register(t.Context(), r)), mail.Invalid)
	}
	p, owner, err := box.Owner(t.Context(), "one")
	if err != nil || owner.Name != "GreenHill" || p.Key != Project {
		t.Errorf("%+v, %+v, %v", p, owner, err)
	}
	renewed, err := box.Register(t.Context(), mail.Registration{Project: Project, Name: "GreenHill", Model: "GPT-6", TokenHash: "two", Renew: true})
	if err != nil || renewed.Model != "GPT-6" || renewed.Program != "codex-cli" || renewed.ID != a.ID {
		t.Errorf("%+v, %v", renewed, err)
	}
	_, _, err = box.Owner(t.Context(), "one")
	wantCode(t, err, mail.NotFound)
	all, err := box.Agents(t.Context(), Project, "")
	if err != nil || len(all) != 4 || all[0].Name != "BlueLake" {
		t.Errorf("%+v, %v", all, err)
	}
	wantCode(t, fails(box.Agents(t.Context(), Project, "Stranger")), mail.NotFound)
}

func verbatim(t *testing.T, box mail.Box) {
	for _, body := range []string{"", " \n x \t\n", "\x00\x01\x1b[31m\x7f", "a\r\nb\rc", "\ufeff👩‍🔬 e\u0301 𝔅 \u2028", strings.Repeat("é", 1<<19)} {
		d := draft("BlueLake")
		d.Body, d.CC, d.BCC, d.Importance, d.AckRequired = body, []string{"RedSky"}, []string{"Operator"}, mail.High, true
		sent := send(t, box, d)
		all := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Limit: 1})
		if len(all) != 1 {
			t.Fatal(all)
		}
		got := all[0]
		if got.Body != body || sent.Body != body || got.ID != sent.ID || got.From != "Operator" || got.Thread != d.Thread ||
			got.Subject != d.Subject || !slices.Equal(got.To, d.To) || !slices.Equal(got.CC, d.CC) || len(got.BCC) != 0 ||
			got.Importance != mail.High || !got.AckRequired || !got.Created.Equal(sent.Created.Time) {
			t.Errorf("%.300q\n%.300q", fmt.Sprint(sent), fmt.Sprint(got))
		}
	}
	d := draft("bluelake")
	if m := send(t, box, d); m.To[0] != "BlueLake" || d.To[0] != "bluelake" {
		t.Errorf("want the registered name: %v", m.To)
	}
	d = draft("BlueLake")
	d.Thread = ""
	one, two := send(t, box, d), send(t, box, d)
	if one.Thread == "" || one.Thread == two.Thread || mail.CheckThread(one.Thread) != nil {
		t.Errorf("%q, %q", one.Thread, two.Thread)
	}
}

func allOrNone(t *testing.T, box mail.Box) {
	for name, change := range map[string]func(*mail.Draft){
		"no recipient":     func(d *mail.Draft) { d.To = nil },
		"unknown":          func(d *mail.Draft) { d.To = []string{"BlueLake", "Stranger"} },
		"unknown sender":   func(d *mail.Draft) { d.From = "Stranger" },
		"thread":           func(d *mail.Draft) { d.Thread = "RS-1/../../etc" },
		"importance":       func(d *mail.Draft) { d.Importance = "very" },
		"size":             func(d *mail.Draft) { d.Body = strings.Repeat("x", mail.MaxBody+1) },
		"unknown reply_to": func(d *mail.Draft) { d.ReplyTo = "4711" },
		"project":          func(d *mail.Draft) { d.Project = "nowhere" },
		"invalid name":     func(d *mail.Draft) { d.To = []string{"a/../b"} },
	} {
		d := draft("BlueLake")
		change(&d)
		if _, err := box.Send(t.Context(), d); fault.CodeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all := inbox(t, box, mail.InboxQuery{Agent: "BlueLake"}); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

func once(t *testing.T, box mail.Box) {
	d := draft("BlueLake", "RedSky")
	d.Key = "RS-20260101-trial/r1/ask"
	one, two := send(t, box, d), send(t, box, d)
	if one.ID != two.ID || two.Body != d.Body || len(inbox(t, box, mail.InboxQuery{Agent: "BlueLake"})) != 1 {
		t.Errorf("%+v, %+v", one, two)
	}
	other := d
	other.Body = "another body"
	wantCode(t, fails(box.Send(t.Context(), other)), mail.KeyReused)
	d.From, d.To = "RedSky", []string{"BlueLake"}
	if m := send(t, box, d); m.ID == one.ID {
		t.Error("a key must belong to its sender")
	}
}

func onceConcurrently(t *testing.T, box mail.Box) {
	const writers, keys = 20, 10
	var all sync.WaitGroup
	ids := make([][keys]mail.ID, writers)
	for w := range writers {
		all.Go(func() {
			for k := range keys {
				d := draft("BlueLake")
				d.Key, d.Body = fmt.Sprint(k), fmt.Sprint("body ", k)
				m, err := box.Send(context.Background(), d)
				if err != nil {
					t.Error(err)
				}
				ids[w][k] = m.ID
			}
		})
	}
	all.Wait()
	for w := range writers {
		if ids[w] != ids[0] {
			t.Fatalf("%v, %v", ids[w], ids[0])
		}
	}
	if n := len(inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Limit: 1000})); n != keys {
		t.Errorf("%d messages", n)
	}
}

func replies(t *testing.T, box mail.Box) {
	first := send(t, box, draft("BlueLake"))
	d := mail.Draft{Project: Project, From: "BlueLake", To: []string{"Operator"}, Subject: "Re: it", ReplyTo: first.ID}
	m := send(t, box, d)
	if m.Thread != first.Thread || m.ReplyTo != first.ID {
		t.Errorf("%+v", m)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "Operator"}); len(got) != 1 || got[0].ReplyTo != first.ID {
		t.Errorf("%+v", got)
	}
}

func policies(t *testing.T, box mail.Box) {
	set := func(policy string) {
		t.Helper()
		if a, err := box.Register(t.Context(), mail.Registration{Project: Project, Name: "BlueLake", Policy: policy, Renew: true}); err != nil || a.Policy != policy {
			t.Fatal(a, err)
		}
	}
	set(mail.PolicyBlock)
	_, err := box.Send(t.Context(), draft("RedSky", "BlueLake"))
	if wantCode(t, err, mail.Blocked); len(inbox(t, box, mail.InboxQuery{Agent: "RedSky"})) != 0 {
		t.Error("partially delivered")
	}
	set(mail.PolicyContacts)
	wantCode(t, fails(box.Send(t.Context(), draft("BlueLake"))), mail.Blocked)
	d := draft("Operator")
	d.From = "BlueLake"
	send(t, box, d)
	send(t, box, draft("BlueLake"))
	wantCode(t, fails(box.Register(t.Context(), mail.Registration{Project: Project, Name: "BlueLake", Policy: "shy", Renew: true})), mail.Invalid)
}

func reservations(t *testing.T, box mail.Box) {
	claim := mail.Claim{Project: Project, Agent: "BlueLake", Paths: []string{"src/**", "docs/a.md"}, Exclusive: true, Reason: "fixing"}
	got, err := box.Reserve(t.Context(), claim)
	if err != nil || len(got.Granted) != 2 || len(got.Conflicts) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	other := mail.Claim{Project: Project, Agent: "RedSky", Paths: []string{"src/x/y.go", "docs/*.md", "README.md"}, TTL: time.Minute}
	got, err = box.Reserve(t.Context(), other)
	if err != nil || len(got.Granted) != 1 || len(got.Conflicts) != 2 || got.Conflicts[0].Holders[0].Agent != "BlueLake" {
		t.Errorf("%+v, %v", got, err)
	}
	if longer, err := box.Renew(t.Context(), Project, "BlueLake", []string{"docs/a.md"}, 2*time.Hour); err != nil || len(longer) != 1 || time.Until(longer[0].Expires.Time) < time.Hour {
		t.Errorf("%+v, %v", longer, err)
	}
	if n, err := box.Release(t.Context(), Project, "BlueLake", nil); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if got, err = box.Reserve(t.Context(), other); err != nil || len(got.Conflicts) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
