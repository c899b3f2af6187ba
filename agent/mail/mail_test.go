package mail_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/agent/agenttest"
	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
	"brenner/roster"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answering runs an agent that acknowledges each message and replies with the
// result of answer, if that returns true.
func answering(t *testing.T, d *mailtest.Double, name string, answer func(mail.Message) (string, bool)) {
	t.Helper()
	c := d.Client(t, mail.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := d.Box.EnsureProject(ctx, mailtest.Project); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Box.Register(ctx, mail.Registration{Project: mailtest.Project, Name: name, Program: "codex-cli", Model: "m"}); err != nil && fault.CodeOf(err) != mail.NameTaken {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		seen := mail.ID("0")
		for ctx.Err() == nil {
			all, err := d.Box.Await(ctx, mail.InboxQuery{Project: mailtest.Project, Agent: name, After: seen})
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
			for _, m := range all {
				seen = m.ID
				if err := c.Acknowledge(ctx, mailtest.Project, name, m.ID); err != nil {
					return
				}
				if text, ok := answer(m); ok {
					if _, err := mailtest.Reply(ctx, c, name, m.ID, text); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
}

func newMailer(t *testing.T, d *mailtest.Double, o agentmail.Options) *agentmail.Mailer {
	t.Helper()
	o.Client, o.Project, o.Sender = d.Client(t, mail.Options{}), mailtest.Project, "Operator"
	if o.Poll == 0 {
		o.Poll = 20 * time.Millisecond
	}
	return agentmail.New(o)
}

func TestConformance(t *testing.T) {
	poll := map[bool]time.Duration{true: 300 * time.Millisecond} // by Plain: those servers return the full thread each time
	for name, quirks := range map[string]mailtest.Quirks{
		"the embedded server": {}, "a plain one": {Plain: true, Errors: "text"},
	} {
		t.Run(name, func(t *testing.T) {
			subject := func(t *testing.T, q mailtest.Quirks, answer func(mail.Message) (string, bool)) agenttest.Subject {
				t.Helper()
				d := mailtest.New(t, q)
				answering(t, d, "BlueLake", answer)
				a, err := newMailer(t, d, agentmail.Options{Poll: poll[q.Plain]}).Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
				if err != nil {
					t.Fatal(err)
				}
				return agenttest.Subject{Agent: a, Asked: func() int { return d.Calls("send_message") }}
			}
			agenttest.Run(t, agenttest.Kind{
				Answering: func(t *testing.T, texts ...string) agenttest.Subject {
					t.Helper()
					return subject(t, quirks, func(m mail.Message) (string, bool) { return texts[agenttest.RoundOf(m.Body)-1], true })
				},
				Hanging: func(t *testing.T) agenttest.Subject {
					t.Helper()
					return subject(t, quirks, func(mail.Message) (string, bool) { return "", false })
				},
			})
		})
	}
}

const thread = "RS-20260101-trial"

func kickoff(id, name string) agent.Call {
	return agent.Call{
		ID: thread + "/" + id, Agent: name, Thread: thread, Round: 1,
		Subject: "KICKOFF: q", Turns: []agent.Turn{{Text: "What is it?\n"}}, Alive: func() {},
		Nudge: "Please answer.\n",
	}
}

func TestAskWithServerQuirks(t *testing.T) {
	for name, quirks := range map[string]mailtest.Quirks{
		"renames":              {Rename: func(n string) string { return n + "X" }, Plain: true, Errors: "text"},
		"loses a response":     {Lose: 1, Plain: true, Errors: "text"},
		"busy at first":        {Refuse: 3},
		"busy, without keys":   {Refuse: 3, Plain: true, Errors: "text"},
		"loses one, with keys": {Lose: 1},
		"requires tokens":      {Tokens: true, Plain: true, Errors: "text"},
		"marks as read":        {Reads: true},
		"no resources":         {NoResources: true, Plain: true, Errors: "text"},
	} {
		t.Run(name, func(t *testing.T) {
			d := mailtest.New(t, quirks)
			o := newMailer(t, d, agentmail.Options{})
			j, err := o.Join(t.Context(), roster.Entry{Agent: "BlueLake"})
			if err != nil {
				t.Fatal(err)
			}
			if (quirks.Rename != nil) != (j.Name == "BlueLakeX") {
				t.Errorf("%+v", j)
			}
			if quirks.Tokens { // registered by this client, which has its token
				go replyAs(t, d, j.Name)
			} else {
				answering(t, d, j.Name, func(mail.Message) (string, bool) { return "It is this.", true })
			}
			a, _ := o.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
			reply, err := a.Ask(t.Context(), kickoff("1", "BlueLake"))
			if err != nil || reply.Text != "It is this." {
				t.Fatalf("%+v, %v", reply, err)
			}
			page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: mailtest.Project, Thread: thread})
			if err != nil || len(page.Messages) != 2 || page.Messages[0].Subject != "KICKOFF: q" || !page.Messages[0].AckRequired {
				t.Errorf("%+v, %v", page, err)
			}
			// Another process that makes the same call finds question and reply.
			other, _ := newMailer(t, d, agentmail.Options{}).Agent(agent.Setup{Entry: roster.Entry{Agent: j.Name}})
			if quirks.Tokens || quirks.Rename != nil {
				return
			}
			if again, err := other.Ask(t.Context(), kickoff("1", "BlueLake")); err != nil || again.Text != reply.Text {
				t.Errorf("%+v, %v", again, err)
			}
			if page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: mailtest.Project, Thread: thread}); err != nil || len(page.Messages) != 2 {
				t.Errorf("%d messages, %v", len(page.Messages), err)
			}
		})
	}
}

// replyAs replies directly in the box.
func replyAs(t *testing.T, d *mailtest.Double, name string) {
	all, err := d.Box.Await(context.Background(), mail.InboxQuery{Project: mailtest.Project, Agent: name, After: "0"})
	if err != nil || len(all) == 0 {
		return
	}
	if _, err := d.Box.Send(context.Background(), mail.Draft{Project: mailtest.Project, From: name, To: []string{all[0].From}, Subject: "DELTA[gpt]: it", Body: "It is this.", Thread: thread}); err != nil {
		t.Error(err)
	}
}

func TestAskRemindsOnce(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	var mu sync.Mutex
	var seen []string
	o := newMailer(t, d, agentmail.Options{Nudge: 30 * time.Millisecond, Observe: func(s agentmail.Progress) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(!s.Acked.IsZero(), !s.Reminded.IsZero(), !s.Answered.IsZero()))
	}})
	n := 0
	answering(t, d, "BlueLake", func(m mail.Message) (string, bool) {
		n++
		return "at last", strings.HasPrefix(m.Subject, "INFO: still waiting") && strings.HasPrefix(m.Body, "Please answer.\n")
	})
	a, _ := o.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	reply, err := a.Ask(t.Context(), kickoff("1", "BlueLake"))
	if err != nil || reply.Text != "at last" {
		t.Fatalf("%+v, %v", reply, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"false false false", "true false false", "true true false", "true true true"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
	if d.Calls("send_message") != 2 {
		t.Errorf("%d sent", d.Calls("send_message"))
	}
}

func TestRepairStaysInThread(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	answering(t, d, "BlueLake", func(m mail.Message) (string, bool) { return "answer to " + strings.Fields(m.Subject)[0], true })
	a, _ := newMailer(t, d, agentmail.Options{}).Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	first, err := a.Ask(t.Context(), kickoff("ask", "BlueLake"))
	if err != nil {
		t.Fatal(err)
	}
	repair := kickoff("repair", "BlueLake")
	repair.Turns = append(repair.Turns, agent.Turn{Own: true, Text: first.Text}, agent.Turn{Text: "Please fix line 3."})
	second, err := a.Ask(t.Context(), repair)
	if err != nil || first.Text != "answer to KICKOFF:" || second.Text != "answer to QUESTION:" {
		t.Errorf("%+v, %+v, %v", first, second, err)
	}
}

func TestPublish(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	o := newMailer(t, d, agentmail.Options{})
	for _, name := range []string{"BlueLake", "RedSky"} {
		if _, err := o.Join(t.Context(), roster.Entry{Agent: name}); err != nil {
			t.Fatal(err)
		}
	}
	c := agentmail.Compiled{
		Thread: thread, Version: 3, Subject: "COMPILED: v3 it", Whole: "# The artifact",
		Bodies: map[string]string{"BlueLake": "what BlueLake sees", "RedSky": "what RedSky sees"},
	}
	one, missed, err := o.Publish(t.Context(), c)
	if err != nil || len(one) != 3 || len(missed) != 0 || !strings.HasPrefix(one[0].Subject, "COMPILED: v3") {
		t.Fatalf("%+v, %v, %v", one, missed, err)
	}
	c.Bodies["RedSky"] = "what RedSky would see after a note"
	if two, _, err := o.Publish(t.Context(), c); err != nil || len(two) != 3 || two[1].ID != one[1].ID {
		t.Errorf("%+v, %v", two, err)
	}
	kick := mail.Draft{Project: mailtest.Project, From: "Operator", To: []string{"BlueLake", "RedSky"}, Subject: "KICKOFF: q", Thread: thread}
	if _, err := d.Box.Send(t.Context(), kick); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"CRITIQUE: H2 is weak", "INFO: no", "Re: COMPILED: v3 it"} {
		if _, err := d.Box.Send(t.Context(), mail.Draft{Project: mailtest.Project, From: "RedSky", To: []string{"Operator"}, Subject: subject, Thread: thread}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := o.Letters(t.Context(), thread, []string{"BlueLake", "RedSky"})
	if err != nil || len(all) != 7 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, l := range all {
		if l.Own != (i < 4) || l.Agent != []string{"", "RedSky"}[i/4] || l.Sign != (l.Subject == "INFO: no") || l.Shown != 3 {
			t.Errorf("%+v", l)
		}
	}
}

// A reply to any message of an earlier attempt counts.
func TestReplyToEarlierReminderCounts(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	o := newMailer(t, d, agentmail.Options{Nudge: time.Millisecond})
	a, _ := o.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	short, cancel := context.WithCancel(t.Context())
	defer cancel()
	var reminder mail.Message
	answering(t, d, "BlueLake", func(m mail.Message) (string, bool) {
		if strings.HasPrefix(m.Subject, "INFO: still waiting") {
			reminder = m
			cancel() // the first attempt ends without a reply
		}
		return "", false
	})
	_, err := a.Ask(short, kickoff("1", "BlueLake"))
	var f *agent.Failure
	if !errors.As(err, &f) || f.Usage.Input == 0 || f.Usage.Guessed {
		t.Fatalf("%v: input should be counted once: %+v", err, f)
	}
	c := d.Client(t, mail.Options{})
	if _, err := mailtest.Reply(t.Context(), c, "BlueLake", reminder.ID, "at last"); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*agentmail.Mailer{o, newMailer(t, d, agentmail.Options{})} { // the same process, and another one
		a, _ := again.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
		reply, err := a.Ask(t.Context(), kickoff("1", "BlueLake"))
		if err != nil || reply.Text != "at last" {
			t.Errorf("%+v, %v", reply, err)
		}
	}
}

// The messages of one agent must not count for two.
func TestJoinRefusesSharedMailbox(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{Rename: func(string) string { return "Shared" }, Plain: true, Errors: "text"})
	o := newMailer(t, d, agentmail.Options{})
	if err := o.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Join(t.Context(), roster.Entry{Agent: "BlueLake"}); fault.CodeOf(err) != mail.NameTaken {
		t.Errorf("%v", err)
	}
	if _, err := o.Join(t.Context(), roster.Entry{Agent: "operator"}); fault.CodeOf(err) != mail.NameTaken {
		t.Errorf("%v", err)
	}
}

func TestRepairMayReplyToKickoff(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	o := newMailer(t, d, agentmail.Options{})
	a, _ := o.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	var first mail.Message
	answering(t, d, "BlueLake", func(m mail.Message) (string, bool) {
		if first.ID == "" {
			first = m
			return "broken", true
		}
		c := d.Client(t, mail.Options{})
		if _, err := mailtest.Reply(context.Background(), c, "BlueLake", first.ID, "repaired"); err != nil {
			t.Error(err)
		}
		return "", false
	})
	one, err := a.Ask(t.Context(), kickoff("ask", "BlueLake"))
	if err != nil {
		t.Fatal(err)
	}
	repair := kickoff("repair", "BlueLake")
	repair.Turns = append(repair.Turns, agent.Turn{Own: true, Text: one.Text}, agent.Turn{Text: "Please fix line 3."})
	two, err := a.Ask(t.Context(), repair)
	if err != nil || two.Text != "repaired" || two.Letter == one.Letter {
		t.Errorf("%+v, %v", two, err)
	}
}

// A mailbox that a session of an earlier version made says the roster's words, not who wrote.
func TestAuthorIsWhatTheAgentRegistered(t *testing.T) {
	own := roster.Entry{Agent: "BlueLake", Role: roster.TestDesigner, Program: "own-cli", Model: "Own 1"}
	presets := []roster.Preset{{ID: "ours", Entries: []roster.Entry{{Role: roster.AdversarialCritic, Program: "our-cli", Model: "Ours 2"}}}}
	for _, c := range []struct{ program, model, task, want string }{
		{"codex-cli", "GPT-5.2", "hypothesis_generator", "/"},
		{"own-cli", "Own 1", "test_designer", "/"},
		{"our-cli", "Ours 2", "adversarial_critic", "/"},
		{"brenner", "unknown", "test_designer", "/"},
		{"unknown", "unknown", "test_designer", "/"},
		{"codex-cli", "GPT-5.2", "", "codex-cli/GPT-5.2"},
		{"codex-cli", "GPT-5.2", "I look after the fly stocks.", "codex-cli/GPT-5.2"},
		{"codex-cli", "gpt-5.2-codex", "hypothesis_generator", "codex-cli/gpt-5.2-codex"}, // registered again, without a task
	} {
		d := mailtest.New(t, mailtest.Quirks{})
		if _, err := d.Box.EnsureProject(t.Context(), mailtest.Project); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Box.Register(t.Context(), mail.Registration{Project: mailtest.Project, Name: own.Agent, Program: c.program, Model: c.model, Task: c.task}); err != nil {
			t.Fatal(err)
		}
		answering(t, d, own.Agent, func(mail.Message) (string, bool) { return "It is this.", true })
		a, _ := newMailer(t, d, agentmail.Options{Presets: presets}).Agent(agent.Setup{Entry: own})
		reply, err := a.Ask(t.Context(), kickoff("1", own.Agent))
		if got := reply.Program + "/" + reply.Model; err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
