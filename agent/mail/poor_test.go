package mail_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent"
	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
	"brenner/roster"
)

func poorMailer(t *testing.T, p *mailtest.Poor, o agentmail.Options) *agentmail.Mailer {
	t.Helper()
	o.Client, o.Project, o.Sender, o.Poll = p.Client(t, mail.Options{}), mailtest.Project, "Operator", 5*time.Millisecond
	return agentmail.New(o)
}

// received returns what an agent received, oldest first.
func received(t *testing.T, c *mail.Client, name string) []mail.Message {
	t.Helper()
	all, err := c.Inbox(t.Context(), mail.InboxQuery{Project: mailtest.Project, Agent: name, Limit: mail.MaxPage}, 0)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

func round(n int) agent.Call {
	c := kickoff(string(rune('0'+n)), "BlueLake")
	c.Round, c.Nudge = n, ""
	if n > 1 {
		c.Subject = "KICKOFF: [round " + string(rune('0'+n)) + "] q"
	}
	return c
}

// asked makes a call, in a process of its own that ends when the question is sent.
func asked(t *testing.T, p *mailtest.Poor, c agent.Call) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := poorMailer(t, p, agentmail.Options{Observe: func(agentmail.Progress) { cancel() }})
	a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: c.Agent}})
	if _, err := a.Ask(ctx, c); err == nil || ctx.Err() == nil {
		t.Fatal("not asked, or an answer came from nowhere:", err)
	}
}

// A late reply is never the answer to the next round, unless it says so or the agent owes no other.
func TestLateReplyOnPoorServer(t *testing.T) {
	for _, test := range []struct {
		name    string
		replies []string // subjects of the agent's messages after the second kickoff
		want    int      // which of them answers round 2
	}{
		{"to either", []string{"DELTA[gpt]: x", "DELTA[gpt]: y"}, 1},
		{"subject of round 1", []string{"Re: KICKOFF: q", "DELTA[gpt]: y"}, 1},
		{"subject of round 2", []string{"Re: KICKOFF: [round 2] q"}, 0},
		{"round in the subject", []string{"DELTA[gpt]: [round 2] x"}, 0},
		{"round 2 first", []string{"DELTA[gpt]: [round 2] x", "DELTA[gpt]: y"}, 0},
		{"a critique is no answer", []string{"CRITIQUE: no", "Re: COMPILED: v2 q", "ACK: yes", "DELTA[gpt]: [round 2] y"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mailtest.NewPoor(t, &mailtest.Poor{})
			m, c := poorMailer(t, p, agentmail.Options{}), p.Client(t, mail.Options{})
			asked(t, p, round(1))
			asked(t, p, round(2))
			for _, subject := range test.replies {
				if _, err := c.Send(t.Context(), mail.Draft{Project: mailtest.Project, From: "BlueLake", To: []string{"Operator"}, Subject: subject, Body: subject, Thread: thread}); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the same process, and another one
				a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
				reply, err := a.Ask(t.Context(), round(2))
				if err != nil || reply.Text != test.replies[test.want] {
					t.Errorf("got %q, want %q: %v", reply.Text, test.replies[test.want], err)
				}
				m = poorMailer(t, p, agentmail.Options{})
			}
			if all := received(t, c, "BlueLake"); len(all) != 2 {
				t.Errorf("%d questions were sent, want 2", len(all))
			}
		})
	}
}

// The round of a letter and what its author had seen come from the marker, the subject and the time.
func TestLettersOnPoorServer(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	m, c := poorMailer(t, p, agentmail.Options{}), p.Client(t, mail.Options{})
	asked(t, p, round(1))
	asked(t, p, round(2))
	for _, subject := range []string{"Re: KICKOFF: q", "DELTA[gpt]: [round 2] x", "CRITIQUE: no"} {
		if _, err := c.Send(t.Context(), mail.Draft{Project: mailtest.Project, From: "BlueLake", To: []string{"Operator"}, Subject: subject, Body: subject, Thread: thread}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := m.Letters(t.Context(), thread, []string{"BlueLake"})
	if err != nil || len(all) != 5 {
		t.Fatalf("got %d letters, want 5: %v", len(all), err)
	}
	for i, want := range []struct {
		round, basis int
		direct       bool
	}{{1, 0, false}, {2, 0, false}, {1, 1, true}, {2, 2, true}, {2, 2, false}} {
		l := &all[i]
		if l.Round != want.round || l.Own != (i < 2) || i > 1 && (l.Basis.Round != want.basis || l.Basis.Direct != want.direct) {
			t.Errorf("%s: got round %d, basis %+v, own %t; want %+v", l.Subject, l.Round, l.Basis, l.Own, want)
		}
	}
	if got := all[0].Recipients; !slices.Equal(got, []string{"BlueLake"}) {
		t.Errorf("recipients %q", got)
	}
	if got := mail.Read([]mail.Message{all[0].Message, all[1].Message, all[2].Message}); got.Phase != mail.AwaitingResponses || !slices.Equal(got.Asked, []string{"BlueLake"}) {
		t.Errorf("%+v", got)
	}
}

// Nothing is sent to an agent of another project, and its name is not taken from it.
func TestOtherProjectsAgents(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	c := p.Client(t, mail.Options{})
	for _, name := range []string{"BlueLake", "Operator"} {
		if _, err := c.Register(t.Context(), mail.Registration{Project: "/srv/other", Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	m := poorMailer(t, p, agentmail.Options{})
	a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	_, err := a.Ask(t.Context(), round(1))
	var f *agent.Failure
	if !errors.As(err, &f) || fault.CodeOf(f.Cause) != mail.OtherProject || p.Calls("send_message") != 0 {
		t.Errorf("%v: %d messages were sent, want none", err, p.Calls("send_message"))
	}
	for _, name := range []string{"BlueLake", "Operator"} {
		if who, err := c.Whois(t.Context(), "/srv/other", name); err != nil || who.Project != "1" {
			t.Errorf("%s belongs to project %s, want 1: %v", name, who.Project, err)
		}
	}
	if name := m.OwnName(); name == "Operator" || !strings.HasPrefix(name, "Operator") {
		t.Errorf("our name is %s", name)
	}
	// The name is lost to another project while the session runs.
	asked(t, p, agentCall("RedSky"))
	sent := p.Calls("send_message")
	if _, err := c.Register(t.Context(), mail.Registration{Project: "/srv/other", Name: "RedSky"}); err != nil {
		t.Fatal(err)
	}
	red, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "RedSky"}})
	next := agentCall("RedSky")
	next.ID, next.Round = thread+"/later", 2
	if _, err := red.Ask(t.Context(), next); err == nil || p.Calls("send_message") != sent {
		t.Errorf("%v: mail was sent to an agent that belongs to another project now", err)
	}
}

// A name that is taken between the check and the message: the call fails, and so does every later attempt, whatever the other
// project's agent replies.
func TestNameIsTakenWhileAsking(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{Steal: "RedSky"})
	for range 2 {
		a, _ := poorMailer(t, p, agentmail.Options{}).Agent(agent.Setup{Entry: roster.Entry{Agent: "RedSky"}})
		_, err := a.Ask(t.Context(), agentCall("RedSky"))
		var f *agent.Failure
		if !errors.As(err, &f) || f.Retry || fault.CodeOf(f.Cause) != mail.OtherProject || p.Calls("send_message") != 1 {
			t.Errorf("%v: %d messages were sent, want one, and a failure that lasts", err, p.Calls("send_message"))
		}
	}
}

func agentCall(name string) agent.Call {
	c := round(1)
	c.Agent = name
	return c
}

// Acknowledgements are found although no list has them.
func TestRemindsOnPoorServer(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	call := round(1)
	call.Nudge = "Please answer.\n"
	asked(t, p, call)
	c := p.Client(t, mail.Options{})
	all := received(t, c, "BlueLake")
	if len(all) != 1 {
		t.Fatalf("%d messages, want the question", len(all))
	}
	if err := c.Acknowledge(t.Context(), mailtest.Project, "BlueLake", all[0].ID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := poorMailer(t, p, agentmail.Options{Nudge: time.Nanosecond, Observe: func(s agentmail.Progress) {
		if !s.Reminded.IsZero() {
			cancel()
		}
	}})
	a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	if _, err := a.Ask(ctx, call); err == nil {
		t.Error("an answer came from nowhere")
	}
	if all = received(t, c, "BlueLake"); len(all) != 2 || !strings.HasPrefix(all[1].Subject, "INFO: still waiting") {
		t.Errorf("%d messages, want the question and a reminder", len(all))
	}
}

// An outage is reported once, and its end once, however often the server is tried and however many calls wait.
func TestOutageIsReportedOnce(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var said []bool
	sent := 0
	m := poorMailer(t, p, agentmail.Options{
		Observe: func(agentmail.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if sent++; sent == 2 {
				p.Drop(20) // both wait by now
			}
		},
		Trouble: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			if said = append(said, err != nil); err == nil {
				cancel()
			}
		},
	})
	var calls sync.WaitGroup
	for _, name := range []string{"BlueLake", "RedSky"} {
		c := agentCall(name)
		c.ID += name
		a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: name}})
		calls.Go(func() {
			if _, err := a.Ask(ctx, c); err == nil {
				t.Error("an answer came from nowhere")
			}
		})
	}
	calls.Wait()
	if !slices.Equal(said, []bool{true, false}) {
		t.Errorf("reported %v, want the outage and its end", said)
	}
}

// A question waits for a server that is away, as its reply does, and the outage is reported once.
func TestQuestionWaitsForServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed immediately
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := &mailtest.Poor{}
	c := mailtest.NewClient(t, mail.Options{URL: "http://" + addr + "/mcp/"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said []bool
	m := agentmail.New(agentmail.Options{
		Client: c, Project: mailtest.Project, Sender: "Operator", Poll: 5 * time.Millisecond,
		Observe: func(agentmail.Progress) { cancel() }, // it is sent
		Trouble: func(err error) {
			if said = append(said, err != nil); err == nil {
				return
			}
			l, err := net.Listen("tcp", addr) //nolint:noctx // ends with the test
			if err != nil {
				t.Error(err)
				cancel()
				return
			}
			server := &httptest.Server{Listener: l, Config: &http.Server{Handler: p}}
			server.Start()
			t.Cleanup(server.Close)
		},
	})
	a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	if _, err := a.Ask(ctx, round(1)); err == nil || p.Calls("send_message") != 1 || !slices.Equal(said, []bool{true, false}) {
		t.Errorf("sent %d times, reported %v: %v; want one message, the outage and its end", p.Calls("send_message"), said, err)
	}
	drained := make(chan struct{})
	close(drained)
	call := round(2)
	call.Drain = drained
	away := mailtest.NewClient(t, mail.Options{URL: "http://127.0.0.1:1/mcp/"})
	a, _ = agentmail.New(agentmail.Options{Client: away, Project: mailtest.Project, Sender: "Operator"}).Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	var f *agent.Failure
	if _, err := a.Ask(t.Context(), call); !errors.As(err, &f) || f.Code != agent.Unavailable {
		t.Errorf("%v, want that the call ends when the session is stopped", err)
	}
}

// malformed returns what may arrive instead of a response, once in a while or for longer.
func malformed() map[string]func(http.ResponseWriter) {
	body := func(status int, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
	}
	return map[string]func(http.ResponseWriter){
		"page":      body(http.StatusOK, "<html>Welcome</html>"),
		"cut":       body(http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"te`),
		"null":      body(http.StatusOK, "null"),
		"nothing":   body(http.StatusOK, ""),
		"no result": body(http.StatusOK, `{"jsonrpc":"2.0","id":1}`),
		"500":       body(http.StatusInternalServerError, "oops"),
		"429":       body(http.StatusTooManyRequests, "slow down"),
	}
}

// A malformed response is waited out like an absent server: while a call waits for its reply, and when it begins again.
func TestMalformedResponsesAreWaitedOut(t *testing.T) {
	for name, respond := range malformed() {
		t.Run(name, func(t *testing.T) {
			p := mailtest.NewPoor(t, &mailtest.Poor{})
			c := p.Client(t, mail.Options{})
			asked(t, p, round(1))
			p.Fail(12, respond)
			said := 0
			m := poorMailer(t, p, agentmail.Options{Trouble: func(err error) {
				switch said++; {
				case err != nil && said == 3: // the second outage
					p.Fail(0, nil)
					if _, err := c.Send(t.Context(), mail.Draft{Project: mailtest.Project, From: "BlueLake", To: []string{"Operator"}, Subject: "DELTA[gpt]: x", Body: "It is this.", Thread: thread}); err != nil {
						t.Error(err)
					}
				case err == nil && said == 2:
					p.Fail(3, respond)
				}
			}})
			a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
			call := round(1)
			call.Before = 1
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			reply, err := a.Ask(ctx, call)
			if err != nil || reply.Text != "It is this." || said != 4 || p.Calls("send_message") != 2 {
				t.Errorf("got %q, %d reports, %d messages: %v; want the reply, 4 reports, and the question sent once", reply.Text, said, p.Calls("send_message"), err)
			}
		})
	}
}

// When the time is over before the server works again, the failure names the cause.
func TestFailureNamesLastTrouble(t *testing.T) {
	p := mailtest.NewPoor(t, &mailtest.Poor{})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	m := poorMailer(t, p, agentmail.Options{Observe: func(agentmail.Progress) { p.Fail(1<<30, malformed()["page"]) }})
	a, _ := m.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	_, err := a.Ask(ctx, round(1))
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != agent.Unavailable || !strings.Contains(f.Error(), "Welcome") {
		t.Errorf("%v, want what the server sent instead of a response", err)
	}
}
