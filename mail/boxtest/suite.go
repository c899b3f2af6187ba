// Package boxtest is the suite that every mail.Box passes.
package boxtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/fault"
	"brenner/mail"
)

// Project is the key of the project that the suite works in.
const Project = "/srv/cell-fate"

// Run runs the whole suite; open gives an empty box, and closes it in t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) mail.Box) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, mail.Box)
	}{
		{"projects", projects},
		{"names and tokens", names},
		{"a message is what was sent", verbatim},
		{"a message goes to all or to none", allOrNone},
		{"a key sends once", once},
		{"a key sends once from many at one time", onceAtOnce},
		{"replies stay in the thread", replies},
		{"an inbox is chosen from", inboxes},
		{"reading changes nothing, marking does", marks},
		{"threads have pages", pages},
		{"an agent sees its own part", parts},
		{"words are found", search},
		{"policies keep mail out", policies},
		{"who waits is woken", awaits},
		{"what is over is not done", over},
		{"files are reserved", reservations},
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

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("%q, not %s: %v", fault.CodeOf(err), want, err)
	}
}

func draft(to ...string) mail.Draft {
	return mail.Draft{Project: Project, From: "Operator", To: to, Subject: "KICKOFF: on trial", Body: "the body", Thread: "RS-20260101-trial"}
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
	_, err = box.Projects(t.Context(), "nowhere")
	wantCode(t, err, mail.NotFound)
	_, err = box.EnsureProject(t.Context(), " ")
	wantCode(t, err, mail.Invalid)
	_, err = box.Agents(t.Context(), "nowhere", "")
	wantCode(t, err, mail.NotFound)
	_, err = box.Inbox(t.Context(), mail.InboxQuery{Project: "nowhere", Agent: "BlueLake"})
	wantCode(t, err, mail.NotFound)
	// Agents of two projects with one name are two.
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
		_, err = box.Register(t.Context(), r)
		wantCode(t, err, mail.NameTaken)
	}
	for _, name := range []string{"", "a b", "../x", "a/b", "-x", strings.Repeat("x", 65), "é"} {
		r.Name = name
		_, err = box.Register(t.Context(), r)
		wantCode(t, err, mail.Invalid)
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
	_, err = box.Agents(t.Context(), Project, "Nobody")
	wantCode(t, err, mail.NotFound)
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
		t.Errorf("a name is spelt as it was registered: %v", m.To)
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
		"unknown":          func(d *mail.Draft) { d.To = []string{"BlueLake", "Nobody"} },
		"unknown sender":   func(d *mail.Draft) { d.From = "Nobody" },
		"thread":           func(d *mail.Draft) { d.Thread = "RS-1/../../etc" },
		"importance":       func(d *mail.Draft) { d.Importance = "very" },
		"size":             func(d *mail.Draft) { d.Body = strings.Repeat("x", mail.MaxBody+1) },
		"replied to":       func(d *mail.Draft) { d.ReplyTo = "4711" },
		"project":          func(d *mail.Draft) { d.Project = "nowhere" },
		"a name like that": func(d *mail.Draft) { d.To = []string{"a/../b"} },
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
	_, err := box.Send(t.Context(), other)
	wantCode(t, err, mail.KeyReused)
	d.From, d.To = "RedSky", []string{"BlueLake"}
	if m := send(t, box, d); m.ID == one.ID {
		t.Error("a key is its sender's own")
	}
}

func onceAtOnce(t *testing.T, box mail.Box) {
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

func inboxes(t *testing.T, box mail.Box) {
	var sent []mail.Message
	for i, importance := range []string{mail.Low, mail.Normal, mail.High, mail.Urgent} {
		d := draft("BlueLake")
		d.Subject, d.Importance, d.Thread = fmt.Sprint(i), importance, fmt.Sprint("TH-", i%2)
		sent = append(sent, send(t, box, d))
	}
	if _, err := box.Mark(t.Context(), mail.Mark{Project: Project, Agent: "BlueLake", Message: sent[3].ID}); err != nil {
		t.Fatal(err)
	}
	for want, q := range map[string]mail.InboxQuery{
		"3 2 1 0": {},
		"3 2":     {Urgent: true},
		"2 1 0":   {Unread: true},
		"2 0":     {Thread: "TH-0"},
		"3":       {Limit: 1},
		"2 3":     {After: sent[1].ID},
		"0 1":     {After: "0", Limit: 2},
		"3 2 1":   {Since: sent[0].Created.Time},
		"":        {Thread: "TH-9"},
	} {
		q.Agent = "BlueLake"
		if got := subjects(inbox(t, box, q)); got != want {
			t.Errorf("%+v: %q, not %q", q, got, want)
		}
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", NoBodies: true}); got[0].Body != "" {
		t.Error("a body that nobody wanted")
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "Operator"}); len(got) != 0 {
		t.Errorf("what was sent is not in the inbox: %+v", got)
	}
	_, err := box.Inbox(t.Context(), mail.InboxQuery{Project: Project, Agent: "Nobody"})
	wantCode(t, err, mail.NotFound)
	_, err = box.Inbox(t.Context(), mail.InboxQuery{Project: Project, Agent: "BlueLake", After: "x"})
	wantCode(t, err, mail.Invalid)
}

func marks(t *testing.T, box mail.Box) {
	d := draft("BlueLake", "RedSky")
	d.AckRequired = true
	m := send(t, box, d)
	for range 3 {
		if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 1 {
			t.Fatalf("reading consumed it: %+v", got)
		}
	}
	mark := mail.Mark{Project: Project, Agent: "BlueLake", Message: m.ID, Ack: true}
	one, err := box.Mark(t.Context(), mark)
	if err != nil || one.IsZero() {
		t.Fatal(one, err)
	}
	if two, err := box.Mark(t.Context(), mark); err != nil || !two.Equal(one) {
		t.Errorf("%v, %v: the first time counts: %v", one, two, err)
	}
	page, err := box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: m.Thread, Receipts: true})
	if err != nil || len(page.Messages) != 1 || !page.Messages[0].Acked("BlueLake") || page.Messages[0].Acked("RedSky") {
		t.Errorf("%+v, %v", page, err)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	for _, wrong := range []mail.Mark{{Agent: "Operator", Message: m.ID}, {Agent: "BlueLake", Message: "4711"}, {Agent: "BlueLake", Message: "x"}, {Agent: "Nobody", Message: m.ID}} {
		wrong.Project = Project
		_, err := box.Mark(t.Context(), wrong)
		wantCode(t, err, mail.NotFound)
	}
}

func pages(t *testing.T, box mail.Box) {
	for i := range 25 {
		d := draft("BlueLake")
		d.Subject = fmt.Sprint(i)
		if i%5 == 0 {
			d.From = "RedSky"
		}
		send(t, box, d)
	}
	q := mail.ThreadQuery{Project: Project, Thread: "RS-20260101-trial", Limit: 10}
	var got []mail.Message
	for n := 0; ; n++ {
		page, err := box.Thread(t.Context(), q)
		if err != nil || page.Total != 25 || n > 3 {
			t.Fatalf("%+v, %v", page, err)
		}
		got = append(got, page.Messages...)
		if q.After = page.Next; page.Next == "" {
			break
		}
	}
	if len(got) != 25 || got[0].Subject != "0" || got[24].Subject != "24" {
		t.Errorf("%s", subjects(got))
	}
	last, err := box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: "RS-20260101-trial", Last: true, Limit: 3, NoBodies: true})
	if err != nil || subjects(last.Messages) != "22 23 24" || !slices.Equal(last.People, []string{"RedSky", "Operator"}) || last.Messages[0].Body != "" {
		t.Errorf("%+v, %v", last, err)
	}
	if none, err := box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: "RS-20260101-other"}); err != nil || len(none.Messages) != 0 || none.Total != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	_, err = box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: "a/../b"})
	wantCode(t, err, mail.Invalid)
	_, err = box.Thread(t.Context(), mail.ThreadQuery{Project: "nowhere", Thread: "TH-1"})
	wantCode(t, err, mail.NotFound)
}

func parts(t *testing.T, box mail.Box) {
	one := send(t, box, draft("BlueLake"))
	d := draft("RedSky")
	d.BCC, d.Body = []string{"BlueLake"}, "secret words"
	two := send(t, box, d)
	d = draft("RedSky")
	d.Body = "hidden words"
	three := send(t, box, d)
	see := func(reader string) []mail.Message {
		page, err := box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: one.Thread, Reader: reader})
		if err != nil {
			t.Fatal(page, err)
		}
		return page.Messages
	}
	blue, red, operator := see("BlueLake"), see("RedSky"), see("Operator")
	if len(blue) != 2 || len(red) != 2 || len(operator) != 3 || len(see("")) != 3 {
		t.Errorf("%d, %d, %d", len(blue), len(red), len(operator))
	}
	if len(blue[1].BCC) != 1 || blue[1].Kind != "bcc" || len(red[0].BCC) != 0 || len(operator[1].BCC) != 1 {
		t.Errorf("%v, %v, %v", blue[1], red[0], operator[1])
	}
	_, err := box.Message(t.Context(), Project, "BlueLake", three.ID)
	wantCode(t, err, mail.NotFound)
	if m, err := box.Message(t.Context(), Project, "BlueLake", two.ID); err != nil || m.Body != "secret words" || m.Receipts != nil {
		t.Errorf("%+v, %v", m, err)
	}
	found, err := box.Search(t.Context(), mail.SearchQuery{Project: Project, Reader: "BlueLake", Words: "words"})
	if err != nil || len(found) != 1 || found[0].ID != two.ID {
		t.Errorf("%+v, %v", found, err)
	}
}

func search(t *testing.T, box mail.Box) {
	for i, body := range []string{"the morphogen gradient", "gradient descent", "Zürich is not the morphogen", "nothing"} {
		d := draft("BlueLake")
		d.Subject, d.Body = fmt.Sprint(i), body
		send(t, box, d)
	}
	for words, want := range map[string][]string{
		"morphogen": {"0", "2"}, "gradient morphogen": {"0"}, `"gradient descent"`: {"1"}, "descent OR nothing": {"1", "3"},
		"morph*": {"0", "2"}, "zurich": {"2"}, "absent": nil, `a"b( AND ^: NEAR`: nil, "-x col:y": nil, `"`: nil, "3": {"3"},
	} {
		found, err := box.Search(t.Context(), mail.SearchQuery{Project: Project, Words: words})
		if words == `"` {
			wantCode(t, err, mail.Invalid)
			continue
		}
		got := strings.Fields(subjects(found))
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v: %v", words, got, want, err)
		}
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
		t.Error("half of it was delivered")
	}
	set(mail.PolicyContacts)
	_, err = box.Send(t.Context(), draft("BlueLake"))
	wantCode(t, err, mail.Blocked)
	d := draft("Operator")
	d.From = "BlueLake"
	send(t, box, d)
	send(t, box, draft("BlueLake"))
	_, err = box.Register(t.Context(), mail.Registration{Project: Project, Name: "BlueLake", Policy: "shy", Renew: true})
	wantCode(t, err, mail.Invalid)
}

func awaits(t *testing.T, box mail.Box) {
	q := mail.InboxQuery{Project: Project, Agent: "BlueLake", After: "0"}
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got, err := box.Await(soon, q); err != nil || len(got) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	woken := make(chan []mail.Message)
	go func() {
		got, err := box.Await(t.Context(), q)
		if err != nil {
			t.Error(err)
		}
		woken <- got
	}()
	send(t, box, draft("RedSky")) // for somebody else
	m := send(t, box, draft("BlueLake"))
	if got := <-woken; len(got) != 1 || got[0].ID != m.ID {
		t.Errorf("%+v", got)
	}
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.Await(stop, mail.InboxQuery{Project: Project, Agent: "BlueLake", After: m.ID}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_, err := box.Await(t.Context(), mail.InboxQuery{Project: Project, Agent: "Nobody"})
	wantCode(t, err, mail.NotFound)
}

func over(t *testing.T, box mail.Box) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.Send(ctx, draft("BlueLake")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake"}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := errors.Join(box.Close(), box.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Send(t.Context(), draft("BlueLake")); fault.CodeOf(err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := box.Inbox(t.Context(), mail.InboxQuery{Project: Project, Agent: "BlueLake"}); fault.CodeOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func reservations(t *testing.T, box mail.Box) {
	claim := mail.Claim{Project: Project, Agent: "BlueLake", Paths: []string{"src/**", "docs/a.md"}, Exclusive: true, Reason: "mending"}
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
