package mail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const project, thread = mailtest.Project, "RS-20260101-trial"

// servers returns all kinds of servers.
func servers() map[string]mailtest.Quirks {
	return map[string]mailtest.Quirks{
		"the embedded one":     {},
		"no initialize":        {NoInitialize: true},
		"a session":            {Session: true},
		"a lost session":       {Session: true, Forgets: true},
		"events":               {SSE: true, Session: true},
		"text only":            {NoStructure: true, Plain: true, Errors: "rpc"},
		"bare lists":           {Lists: "bare", Plain: true, Errors: "text"},
		"a text per element":   {Lists: "texts", Plain: true, Errors: "member"},
		"no resources":         {NoResources: true, Plain: true, Errors: "text"},
		"tokens":               {Tokens: true, Plain: true, Errors: "text"},
		"marks as read":        {Reads: true},
		"renames":              {Rename: func(n string) string { return n + "X" }, Plain: true, Errors: "text"},
		"everything in events": {SSE: true, NoInitialize: true, Plain: true, Lists: "texts", Tokens: true, Errors: "rpc"},
	}
}

func TestAllServers(t *testing.T) {
	for name, quirks := range servers() {
		t.Run(name, func(t *testing.T) {
			d := mailtest.New(t, quirks)
			c := d.Client(t, mail.Options{})
			ctx := t.Context()
			must(t, func() error {
				h, err := c.Health(ctx)
				if !h.Ready() {
					t.Errorf("%+v", h)
				}
				return err
			})
			p, err := c.EnsureProject(ctx, project)
			if err != nil || p.Key != project {
				t.Fatalf("%+v, %v", p, err)
			}
			names := map[string]string{}
			for _, wanted := range []string{"Operator", "BlueLake", "RedSky"} {
				a, err := c.Register(ctx, mail.Registration{Project: project, Name: wanted, Program: "p", Model: "m"})
				if err != nil || a.Name == "" {
					t.Fatalf("%+v, %v", a, err)
				}
				names[wanted] = a.Name
			}
			exchange(t, c, names)
			_, err = c.Whois(ctx, project, "Stranger")
			if fault.CodeOf(err) != mail.NotFound {
				t.Errorf("%v", err)
			}
			_, err = c.Register(ctx, mail.Registration{Project: project, Name: "Operator", Program: "p", Model: "m"})
			if code := fault.CodeOf(err); code != mail.NameTaken && code != "" || code == "" && quirks.Plain {
				t.Errorf("%v", err)
			}
			if quirks.NoResources {
				return
			}
			if all, err := c.Agents(ctx, p.Slug); err != nil || len(all) != 3 {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

func must(t *testing.T, do func() error) {
	t.Helper()
	if err := do(); err != nil {
		t.Fatal(err)
	}
}

// exchange sends a kickoff, its acknowledgement and its answer.
func exchange(t *testing.T, c *mail.Client, names map[string]string) {
	t.Helper()
	ctx, operator, blue := t.Context(), names["Operator"], names["BlueLake"]
	draft := mail.Draft{Project: project, From: operator, To: []string{blue}, Subject: "KICKOFF: q", Body: "the question\n", Thread: thread, AckRequired: true}
	mark := mail.MarkerOf(thread, 1, blue, "the call")
	first, err := c.SendOnce(ctx, draft, mark)
	if err != nil || len(first.Messages) != 1 || first.Messages[0].ID == "" || first.Messages[0].Thread != thread {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := c.SendOnce(ctx, draft, mark)
	if err != nil || len(again.Messages) != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	for range 2 { // nothing is consumed
		inbox, err := c.Inbox(ctx, mail.InboxQuery{Project: project, Agent: blue, Thread: thread}, 0)
		if err != nil || len(inbox) != 1 || !mark.Marks(inbox[0].Body) || inbox[0].From != operator || !inbox[0].AckRequired || inbox[0].Created.IsZero() {
			t.Fatalf("%+v, %v", inbox, err)
		}
	}
	id := first.Messages[0].ID
	must(t, func() error { return c.Acknowledge(ctx, project, blue, id) })
	reply, err := mailtest.Reply(ctx, c, blue, id, "the answer")
	if err != nil || reply.Thread != thread {
		t.Fatalf("%+v, %v", reply, err)
	}
	all, err := c.Thread(ctx, mail.ThreadQuery{Project: project, Thread: thread, Reader: operator, Receipts: true})
	if err != nil || len(all) == 0 || all[len(all)-1].Body != "the answer" {
		t.Fatalf("%+v, %v", all, err)
	}
	if none, err := c.Inbox(ctx, mail.InboxQuery{Project: project, Agent: names["RedSky"]}, 0); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	if found, err := c.Search(ctx, project, "answer", 5); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	must(t, func() error { return c.SetContactPolicy(ctx, project, blue, mail.PolicyAuto) })
}

func TestSendOnceAfterLostResponse(t *testing.T) {
	for _, quirks := range []mailtest.Quirks{{Lose: 1}, {Lose: 1, Plain: true, Errors: "text"}, {Lose: 1, Plain: true, NoResources: true, Errors: "text"}} {
		d := mailtest.New(t, quirks)
		c := d.Client(t, mail.Options{})
		people(t, c)
		draft := mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, Subject: "KICKOFF: q", Body: "q", Thread: thread}
		s, err := c.SendOnce(t.Context(), draft, mail.MarkerOf(thread, 1, "BlueLake", "x"))
		if err != nil || len(s.Messages) != 1 {
			t.Fatalf("%+v: %+v, %v", quirks, s, err)
		}
		page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread})
		if err != nil || len(page.Messages) != 1 {
			t.Errorf("%+v: delivered %d times, %v", quirks, len(page.Messages), err)
		}
		other, err := c.SendOnce(t.Context(), draft, mail.MarkerOf(thread, 2, "BlueLake", "y"))
		if err != nil || other.Messages[0].ID == s.Messages[0].ID {
			t.Errorf("another purpose should be another message: %+v, %v", other, err)
		}
	}
}

func people(t *testing.T, c *mail.Client) {
	t.Helper()
	if _, err := c.EnsureProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Operator", "BlueLake", "RedSky"} {
		if _, err := c.Register(t.Context(), mail.Registration{Project: project, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBlockedContacts(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{Plain: true, Errors: "text"})
	c := d.Client(t, mail.Options{})
	people(t, c)
	block := func(name string) {
		t.Helper()
		if _, err := d.Box.Register(t.Context(), mail.Registration{Project: project, Name: name, Policy: mail.PolicyBlock, Renew: true}); err != nil {
			t.Fatal(err)
		}
	}
	block("BlueLake")
	draft := mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake", "RedSky"}, Subject: "s", Body: "b", Thread: thread}
	if s, err := c.Send(t.Context(), draft); err != nil || len(s.Messages) != 1 || len(s.Missed) != 0 {
		t.Errorf("the policy of our own agent was not opened: %+v, %v", s, err)
	}
	block("BlueLake")
	stranger := d.Client(t, mail.Options{}) // holds no tokens
	s, err := stranger.Send(t.Context(), draft)
	if err != nil || len(s.Messages) != 1 || s.Messages[0].To[0] != "RedSky" || len(s.Missed) != 1 || s.Missed[0].Agent != "BlueLake" {
		t.Errorf("%+v, %v", s, err)
	}
	draft.To = []string{"BlueLake"}
	if s, err := stranger.Send(t.Context(), draft); fault.CodeOf(err) != mail.Blocked || len(s.Missed) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestLongPoll(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	c := d.Client(t, mail.Options{})
	people(t, c)
	if !c.Waits(t.Context()) {
		t.Fatal("the embedded server should support waiting")
	}
	got := make(chan []mail.Message)
	go func() {
		all, err := c.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "BlueLake", After: "0"}, 30*time.Second)
		if err != nil {
			t.Error(err)
		}
		got <- all
	}()
	if _, err := c.Send(t.Context(), mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, Subject: "s", Body: "b"}); err != nil {
		t.Fatal(err)
	}
	if all := <-got; len(all) != 1 {
		t.Errorf("%+v", all)
	}
}

func TestBrokenServers(t *testing.T) {
	const secret = "bm_canary_0123456789"
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   fault.Code
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, "<html>"+secret+strings.Repeat("x", 1000))
		}, mail.Garbled},
		"401":          {status(401, "no "+secret), mail.NoAuth},
		"403":          {status(403, "no"), mail.NoAuth},
		"404":          {status(404, "nothing"), mail.Garbled},
		"413":          {status(413, "too much"), mail.TooLarge},
		"500":          {status(500, "oops"), mail.Unsure},
		"503":          {status(503, "later"), mail.Unreachable},
		"half of JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","id":`) }, mail.Garbled},
		"half events": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "data: {}\n\n")
		}, mail.Unsure},
		"slow": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
			<-r.Context().Done()
		}, mail.Unsure},
	} {
		s := httptest.NewServer(c.answer)
		transport := &http.Transport{}
		timeout := time.Minute
		if name == "slow" {
			timeout = 50 * time.Millisecond
		}
		client, err := mail.New(mail.Options{URL: s.URL, Token: secret, Timeout: timeout, HTTP: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Health(t.Context())
		if fault.CodeOf(err) != c.want || strings.Contains(fmt.Sprintf("%+v %#v", err, err), secret) || len(err.Error()) > 700 {
			t.Errorf("%s: %s, %v", name, fault.CodeOf(err), err)
		}
		transport.CloseIdleConnections()
		s.CloseClientConnections()
		s.Close()
		if _, err := client.Health(t.Context()); fault.CodeOf(err) != mail.Unreachable || fault.HintOf(err) == "" {
			t.Errorf("%s, gone: %v", name, err)
		}
	}
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, code) }
}

func TestTokenFileIsPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "mail-tokens.json")
	keys, err := mail.OpenKeyring(file)
	if err != nil {
		t.Fatal(err)
	}
	d := mailtest.New(t, mailtest.Quirks{Tokens: true})
	people(t, d.Client(t, mail.Options{Keys: keys}))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again, err := mail.OpenKeyring(file)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Client(t, mail.Options{Keys: again})
	if again.Token(c.URL(), project, "bluelake") == "" || again.Token("elsewhere", project, "BlueLake") != "" {
		t.Error("a token belongs to one server")
	}
	if _, err := c.Send(t.Context(), mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, Subject: "s", Body: "b"}); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mail.OpenKeyring(file); fault.CodeOf(err) != mail.BadKeys {
		t.Errorf("%v", err)
	}
}

func TestAddresses(t *testing.T) {
	for want, parts := range map[string][2]string{
		"http://127.0.0.1:8765/mcp/": {}, "http://h:1/api": {"http://h:1", "api"}, "https://h/x/mcp/": {"https://h/x/", "/mcp/"}, "https://h/mcp/": {"https://h/mcp"}, "https://h/mcp": {"https://h/mcp/", "/mcp"},
	} {
		if got, err := mail.Address(parts[0], parts[1]); err != nil || got != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	for _, base := range []string{"h:1", "ftp://h", "http://u:p@h", "http://h?x=y", "http://"} {
		if got, err := mail.Address(base, ""); fault.CodeOf(err) != mail.Invalid {
			t.Errorf("%s: %s, %v", base, got, err)
		}
	}
}

// A call that the server holds for an hour ends with its context.
func TestLongPollObeysContext(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	c := d.Client(t, mail.Options{})
	people(t, c)
	if !c.Waits(t.Context()) { // cached: the next request is the one that waits
		t.Fatal("the embedded server should support waiting")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }}
	if _, err := c.Inbox(httptrace.WithClientTrace(ctx, sent), mail.InboxQuery{Project: project, Agent: "BlueLake"}, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// CC recipients count as reached: on a server without keys the thread is checked, and
// nothing is sent again.
func TestSendOnceCountsCopies(t *testing.T) {
	for _, quirks := range []mailtest.Quirks{{}, {Lose: 1, Plain: true, Errors: "text"}, {Plain: true, NoResources: true, Errors: "text"}} {
		d := mailtest.New(t, quirks)
		c := d.Client(t, mail.Options{})
		people(t, c)
		draft := mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, CC: []string{"RedSky"}, Subject: "KICKOFF: q", Body: "q", Thread: thread}
		for range 2 {
			s, err := c.SendOnce(t.Context(), draft, mail.MarkerOf(thread, 1, "BlueLake", "x"))
			if err != nil || len(s.Messages) != 1 || len(s.Missed) != 0 {
				t.Fatalf("%+v: %+v, %v", quirks, s, err)
			}
		}
		page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread})
		if err != nil || len(page.Messages) != 1 {
			t.Errorf("%+v: delivered %d times, %v", quirks, len(page.Messages), err)
		}
	}
}

// If some recipients were reached before, only the others get the message.
func TestSendOnceReachesMissedRecipients(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{Plain: true, Errors: "text"})
	c := d.Client(t, mail.Options{})
	people(t, c)
	mark := mail.MarkerOf(thread, 1, "BlueLake", "x")
	draft := mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, Subject: "KICKOFF: q", Body: "q", Thread: thread}
	if _, err := c.SendOnce(t.Context(), draft, mark); err != nil {
		t.Fatal(err)
	}
	draft.CC = []string{"RedSky"}
	for range 2 {
		if s, err := c.SendOnce(t.Context(), draft, mark); err != nil || len(s.Messages) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	for _, name := range []string{"BlueLake", "RedSky"} {
		all, err := d.Box.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: name})
		if err != nil || len(all) != 1 {
			t.Errorf("%s got it %d times, %v", name, len(all), err)
		}
	}
}
