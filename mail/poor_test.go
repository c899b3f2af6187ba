package mail_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

// poorBox returns a client of a poor server on which two agents are registered.
func poorBox(t *testing.T, p *mailtest.Poor, o mail.Options) *mail.Client {
	t.Helper()
	c := p.Client(t, o)
	for _, name := range []string{"Operator", "BlueLake"} {
		must(t, func() error {
			_, err := c.Register(t.Context(), mail.Registration{Project: project, Name: name})
			return err
		})
	}
	return c
}

func question(to string) mail.Draft {
	return mail.Draft{Project: project, From: "Operator", To: []string{to}, Subject: "KICKOFF: q", Body: "What is it?", Thread: thread, AckRequired: true}
}

// A message with a marker is sent once, although no list says to whom it was sent: not after a lost response, not by
// another process.
func TestSentOncePerMarkerOnPoorServer(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{Lose: 1})
	mark := mail.MarkerOf(thread, 1, "BlueLake", "call")
	for range 3 {
		c := poorBox(t, p, mail.Options{})
		s, err := c.SendOnce(t.Context(), question("BlueLake"), mark)
		if err != nil || len(s.Messages) != 1 || !slices.Equal(s.Messages[0].To, []string{"BlueLake"}) {
			t.Fatalf("got %+v, %v; want the one message", s, err)
		}
	}
	other := mail.MarkerOf(thread, 2, "BlueLake", "other call")
	c := poorBox(t, p, mail.Options{})
	if s, err := c.SendOnce(t.Context(), question("BlueLake"), other); err != nil || s.Before {
		t.Errorf("%+v, %v", s, err)
	}
	if n := p.Calls("send_message"); n != 2 {
		t.Errorf("sent %d times, want one for each marker", n)
	}
}

// A server may still work on a request whose client is gone, in this process or an earlier one: the message is not
// sent again while it may arrive.
func TestSentOnceByBusyServer(t *testing.T) {
	for name, again := range map[string]bool{"response lost": false, "process killed": true} {
		t.Run(name, func(t *testing.T) {
			p := mailtest.NewPoor(t, &mailtest.Poor{Late: 1})
			d, mark := question("BlueLake"), mail.MarkerOf(thread, 1, "BlueLake", "call")
			c := poorBox(t, p, mail.Options{Settle: time.Hour})
			if again {
				killed := d
				killed.Body = mark.In(d.Body)
				if _, err := c.Send(t.Context(), killed); fault.CodeOf(err) != mail.Unsure {
					t.Fatal(err)
				}
				c, d.Again = poorBox(t, p, mail.Options{Settle: time.Hour}), true
			}
			s, err := c.SendOnce(t.Context(), d, mark)
			if n := p.Calls("send_message"); err != nil || len(s.Messages) != 1 || n != 1 {
				t.Errorf("got %d messages, sent %d times: %v; want one of each", len(s.Messages), n, err)
			}
		})
	}
}

// A message that did not arrive is sent again once no server can work on it any longer.
func TestLostMessageIsSentAgain(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	c, d := poorBox(t, p, mail.Options{Settle: time.Nanosecond}), question("BlueLake")
	d.Again = true
	if s, err := c.SendOnce(t.Context(), d, mail.MarkerOf(thread, 1, "BlueLake", "call")); err != nil || s.Before || p.Calls("send_message") != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A thread without texts: they are read one by one. If the server does not have them, a message that may have been sent is not sent again.
func TestSentOnceWithoutTexts(t *testing.T) {
	for where, code := range map[string]fault.Code{"messages": "", "inbox": "", "none": mail.Refused} {
		p := mailtest.NewPoor(t, &mailtest.Poor{Bodies: where, Core: true})
		for n, name := range []string{"BlueLake", "RedSky"} { // with the same subject
			d, mark := question(name), mail.MarkerOf(thread, 1, name, "call of "+name)
			for _, again := range []bool{false, true} {
				c := poorBox(t, p, mail.Options{Settle: time.Hour})
				d.Again = again
				_, err := c.SendOnce(t.Context(), d, mark)
				want := code
				if !again {
					want = ""
				}
				if fault.CodeOf(err) != want || p.Calls("send_message") != n+1 {
					t.Errorf("texts in %s, again %t: %v, %d messages; want code %q, %d messages", where, again, err, p.Calls("send_message"), want, n+1)
				}
			}
		}
	}
}

// The list of a thread may leave out messages or parts of them: a message that may have been sent is also searched for and, if the search does
// not show it, looked for in the recipient's inbox.
func TestSentOnceWithIncompleteThread(t *testing.T) {
	for _, cut := range []string{"all", "newest", "list", "from", "from to", "subject body_md thread_id"} {
		for name, p := range map[string]*mailtest.Poor{"search": {Shut: true}, "inbox": {Core: true}, "either": {}} {
			t.Run(cut+"/"+name, func(t *testing.T) {
				mailtest.NewPoor(t, p)
				d := question("BlueLake")
				for round := range 2 {
					mark := mail.MarkerOf(thread, round+1, "BlueLake", "call "+string(rune('a'+round)))
					p.Cut, d.Again = "", false
					if _, err := poorBox(t, p, mail.Options{}).SendOnce(t.Context(), d, mark); err != nil {
						t.Fatal(err)
					}
					p.Cut, d.Again = cut, true
					c := poorBox(t, p, mail.Options{Settle: time.Nanosecond})
					s, err := c.SendOnce(t.Context(), d, mark)
					if n := p.Calls("send_message"); err != nil || !s.Before || len(s.Messages) != 1 || s.Messages[0].ID != mail.Numbered(int64(round+1)) || n != round+1 {
						t.Errorf("round %d: got %+v, sent %d messages: %v", round+1, s, n, err)
					}
				}
				if n, limit := p.Calls("search_messages")+p.Calls("fetch_inbox"), 6; n > limit {
					t.Errorf("asked %d times, want at most %d", n, limit)
				}
			})
		}
	}
}

// A message that none of thread, search and inbox shows is sent again, and so is one whose thread alone can be read.
func TestLostMessageIsSentAgainWithIncompleteThread(t *testing.T) {
	for name, p := range map[string]*mailtest.Poor{"readable": {Cut: "all"}, "no inbox": {Cut: "all", Shut: true, Core: true}} {
		mailtest.NewPoor(t, p)
		c, d := poorBox(t, p, mail.Options{Settle: time.Nanosecond}), question("BlueLake")
		d.Again = true
		if s, err := c.SendOnce(t.Context(), d, mail.MarkerOf(thread, 1, "BlueLake", "call")); err != nil || s.Before || p.Calls("send_message") != 1 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// Tokens that the keyring holds, and other arguments, are not sent where the tool's schema does not have them.
func TestArgumentsOfPoorServer(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	c := poorBox(t, p, mail.Options{})
	for _, name := range []string{"Operator", "BlueLake"} {
		must(t, func() error { return c.Keys().Keep(c.URL(), project, name, name, "bm_local") })
	}
	d := question("BlueLake")
	d.Importance, d.Key = mail.High, "k"
	s, err := c.Send(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), mail.Draft{Project: project, From: "BlueLake", ReplyTo: s.Messages[0].ID, Body: "It is this."}); err != nil {
		t.Error(err)
	}
	all, err := c.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "BlueLake", Thread: thread, After: "0", Unread: true}, 1)
	if err != nil || len(all) != 1 {
		t.Errorf("got %d messages, want 1: %v", len(all), err)
	}
	must(t, func() error { return c.Acknowledge(t.Context(), project, "BlueLake", s.Messages[0].ID) })
	isAcked := func() string {
		waiting, err := c.Unacknowledged(t.Context(), project, "BlueLake")
		acked, known := waiting.Acked(s.Messages[0].ID)
		return fmt.Sprint(err == nil, acked, known)
	}
	if got := isAcked(); got != "true true true" {
		t.Errorf("listed, acknowledged, known: %s", got)
	}
	for range 25 { // the server lists 20
		d := question("BlueLake")
		d.AckRequired = true
		must(t, func() error { _, err := c.Send(t.Context(), d); return err })
	}
	if got := isAcked(); got != "true false false" {
		t.Errorf("with more than the server lists: listed, acknowledged, known: %s", got)
	}
	if c.Keys().Token(c.URL(), project, "Operator") != "bm_local" {
		t.Error("the token was dropped, although the server did not see it")
	}
}

// Sender and recipients must belong to the project.
func TestProjectIsCheckedBeforeSending(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	c := poorBox(t, p, mail.Options{})
	take := func(name string) {
		must(t, func() error {
			_, err := c.Register(t.Context(), mail.Registration{Project: "/srv/other", Name: name})
			return err
		})
	}
	take("RedSky")
	if _, err := c.Send(t.Context(), question("RedSky")); fault.CodeOf(err) != mail.OtherProject {
		t.Errorf("%v", err)
	}
	take("Operator")
	if _, err := c.SendOnce(t.Context(), question("BlueLake"), mail.MarkerOf(thread, 1, "BlueLake", "call")); fault.CodeOf(err) != mail.OtherProject {
		t.Errorf("%v", err)
	}
	if n := p.Calls("send_message"); n != 0 {
		t.Errorf("%d messages were sent", n)
	}
}

// Between the check and the message another project takes the name of the recipient: the sender is told, and a reply of that
// agent is not in the thread.
func TestNameIsTakenWhileSending(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{Steal: "BlueLake"})
	c := poorBox(t, p, mail.Options{})
	s, err := c.SendOnce(t.Context(), question("BlueLake"), mail.MarkerOf(thread, 1, "BlueLake", "call"))
	if fault.CodeOf(err) != mail.OtherProject || len(s.Messages) != 1 || !strings.Contains(err.Error(), "message 1 may have reached an agent of another project") {
		t.Fatalf("%+v, %v", s, err)
	}
	must(t, func() error {
		return c.Call(t.Context(), "send_message", map[string]any{
			"project_key": "/srv/other", "sender_name": "BlueLake", "to": []string{"Operator"}, "subject": "Re: KICKOFF: q", "body_md": "theirs", "thread_id": thread,
		})
	})
	all, err := c.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread, Reader: "Operator"})
	if err != nil || len(all) != 1 || all[0].From != "Operator" {
		t.Errorf("the thread has %+v, %v; want only the question", all, err)
	}
	if all, err := c.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "Operator", Thread: thread}, 0); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v; want no reply of another project", all, err)
	}
	if all, err := c.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "Operator"}, 0); err != nil || len(all) != 1 {
		t.Errorf("got %+v, %v; want the mail of the other project in the whole inbox", all, err)
	}
}

// A KICKOFF of another tool has no marker, and the server does not say whom it asks.
func TestPhasesOfForeignThreadOnPoorServer(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	c := poorBox(t, p, mail.Options{})
	for _, step := range []struct {
		from, to, subject string
		want              mail.Phase
	}{
		{"Operator", "BlueLake", "KICKOFF: q", mail.AwaitingResponses},
		{"BlueLake", "Operator", "ACK: yes", mail.AwaitingResponses},
		{"BlueLake", "Operator", "DELTA[gpt]: x", mail.AwaitingCompiling},
		{"Operator", "BlueLake", "COMPILED: v2", mail.CompiledPhase},
		{"BlueLake", "Operator", "CRITIQUE: no", mail.InCritique},
		{"Operator", "BlueLake", "KICKOFF: [round 2] q", mail.AwaitingResponses},
		{"BlueLake", "Operator", "Re: KICKOFF: [round 7]", mail.AwaitingResponses}, // that round was not asked
		{"BlueLake", "Operator", "DELTA: [round 2] x", mail.AwaitingCompiling},
	} {
		must(t, func() error {
			_, err := c.Send(t.Context(), mail.Draft{Project: project, From: step.from, To: []string{step.to}, Subject: step.subject, Body: "text", Thread: thread})
			return err
		})
		all, err := c.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread, NoBodies: true})
		if got := mail.Read(all).Phase; err != nil || got != step.want {
			t.Errorf("after %s: got %s, want %s: %v", step.subject, got, step.want, err)
		}
	}
}
