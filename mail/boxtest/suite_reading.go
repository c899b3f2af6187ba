package boxtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

func inboxes(t *testing.T, box mail.Box) {
	var sent []mail.Message
	for i, importance := range []string{mail.Low, mail.Normal, mail.High, mail.Urgent} {
		d := draft("BlueLake")
		d.Subject, d.Importance, d.Thread = fmt.Sprint(i), importance, fmt.Sprint("TH-", i%2)
		sent = append(sent, send(t, box, d))
	}
	if _, err := box.Mark(t.Context(), mail.Mark{Project: Project, Agent: "BlueLake", Messages: []mail.ID{sent[3].ID}}); err != nil {
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
			t.Errorf("%+v: got %q, want %q", q, got, want)
		}
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", NoBodies: true}); got[0].Body != "" {
		t.Error("body despite NoBodies")
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "Operator"}); len(got) != 0 {
		t.Errorf("sent mail in the inbox: %+v", got)
	}
	wantCode(t, fails(box.Inbox(t.Context(), mail.InboxQuery{Project: Project, Agent: "Stranger"})), mail.NotFound)
	wantCode(t, fails(box.Inbox(t.Context(), mail.InboxQuery{Project: Project, Agent: "BlueLake", After: "x"})), mail.Invalid)
}

func marks(t *testing.T, box mail.Box) {
	d := draft("BlueLake", "RedSky")
	d.AckRequired = true
	m := send(t, box, d)
	for range 3 {
		if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 1 {
			t.Fatalf("reading marked it as read: %+v", got)
		}
	}
	mark := mail.Mark{Project: Project, Agent: "BlueLake", Messages: []mail.ID{m.ID}, Ack: true}
	one, err := box.Mark(t.Context(), mark)
	if err != nil || one.IsZero() {
		t.Fatal(one, err)
	}
	if two, err := box.Mark(t.Context(), mark); err != nil || !two.Equal(one) {
		t.Errorf("%v, %v: want the first time: %v", one, two, err)
	}
	page, err := box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: m.Thread, Receipts: true})
	if err != nil || len(page.Messages) != 1 || !page.Messages[0].Acked("BlueLake") || page.Messages[0].Acked("RedSky") {
		t.Errorf("%+v, %v", page, err)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	next, last := send(t, box, d), send(t, box, d)
	for _, wrong := range []mail.Mark{
		{Agent: "Operator", Messages: []mail.ID{m.ID}},
		{Agent: "BlueLake", Messages: []mail.ID{"4711"}},
		{Agent: "BlueLake", Messages: []mail.ID{"x"}},
		{Agent: "Stranger", Messages: []mail.ID{m.ID}},
		{Agent: "BlueLake"},
		{Agent: "BlueLake", Messages: []mail.ID{next.ID, "4711", last.ID}},
	} {
		wrong.Project = Project
		wantCode(t, fails(box.Mark(t.Context(), wrong)), mail.NotFound)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 2 {
		t.Errorf("partially marked: %+v", got)
	}
	// Messages marked together get one time; Mark returns that of the first.
	mark.Messages, mark.Ack = []mail.ID{m.ID, next.ID, last.ID}, false
	if three, err := box.Mark(t.Context(), mark); err != nil || !three.Equal(one) {
		t.Errorf("%v, %v: %v", one, three, err)
	}
	if got := inbox(t, box, mail.InboxQuery{Agent: "BlueLake", Unread: true}); len(got) != 0 {
		t.Errorf("%+v", got)
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
	wantCode(t, fails(box.Thread(t.Context(), mail.ThreadQuery{Project: Project, Thread: "a/../b"})), mail.Invalid)
	wantCode(t, fails(box.Thread(t.Context(), mail.ThreadQuery{Project: "nowhere", Thread: "TH-1"})), mail.NotFound)
}

func ownMessages(t *testing.T, box mail.Box) {
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
	wantCode(t, fails(box.Message(t.Context(), Project, "BlueLake", three.ID)), mail.NotFound)
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
			t.Errorf("%s: got %v, want %v: %v", words, got, want, err)
		}
	}
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
	send(t, box, draft("RedSky")) // for another agent
	m := send(t, box, draft("BlueLake"))
	if got := <-woken; len(got) != 1 || got[0].ID != m.ID {
		t.Errorf("%+v", got)
	}
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.Await(stop, mail.InboxQuery{Project: Project, Agent: "BlueLake", After: m.ID}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	wantCode(t, fails(box.Await(t.Context(), mail.InboxQuery{Project: Project, Agent: "Stranger"})), mail.NotFound)
}

func cancelledAndClosed(t *testing.T, box mail.Box) {
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
