package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

// poorServer is a mail server that leaves out what it may.
type poorServer interface {
	base() string
	restart() // kills it, and starts it again at the same address
}

// doubleServer is the double of mcp-mail.
type doubleServer struct {
	t    *testing.T
	mail *mailtest.Poor
	addr string
	http *http.Server
}

func newDoubleServer(t *testing.T) *doubleServer {
	t.Helper()
	d := &doubleServer{t: t, mail: mailtest.NewPoor(t, &mailtest.Poor{Token: poorToken}), addr: "127.0.0.1:0"}
	d.listen()
	t.Cleanup(func() { _ = d.http.Close() })
	return d
}

func (d *doubleServer) listen() {
	l, err := net.Listen("tcp", d.addr)
	if err != nil {
		d.t.Error(err)
		return
	}
	d.addr, d.http = l.Addr().String(), &http.Server{Handler: d.mail}
	go func() { _ = d.http.Serve(l) }()
}

func (d *doubleServer) base() string { return "http://" + d.addr }

func (d *doubleServer) restart() {
	_ = d.http.Close()
	d.listen()
}

const poorToken = "s3cret-of-the-server"

// poorSession is a session whose mail server is poor, behind a proxy that kills the session at chosen requests.
type poorSession struct {
	*testing.T
	dir    string
	env    []string
	server poorServer
	agents *mail.Client // at the server itself
	mu     sync.Mutex
	at     func(r *mailRequest) (before, after func()) // what happens before and after a request is passed on
}

// mailRequest is what the proxy knows of a request.
type mailRequest struct {
	Method string
	Params struct {
		Name, URI string
		Arguments struct {
			Subject string
			To      []string
		}
	}
}

func (r *mailRequest) sends(prefix string) bool {
	return r.Params.Name == "send_message" && strings.HasPrefix(r.Params.Arguments.Subject, prefix)
}

// asksFor reports whether it reads what an agent has not acknowledged, which happens after its kickoff was sent.
func (r *mailRequest) asksFor(agent string) bool {
	return r.Method == "resources/read" && strings.Contains(r.Params.URI, "/ack-required/"+agent)
}

func newPoorSession(t *testing.T, server poorServer) *poorSession {
	t.Helper()
	p := &poorSession{T: t, dir: t.TempDir(), server: server}
	proxy := httptest.NewServer(http.HandlerFunc(p.pass))
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		proxy.Close()
	})
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GORACE=atexit_sleep_ms=0", mail.EnvBaseURL + "=" + proxy.URL, mail.EnvToken + "=" + poorToken}
	p.agents = mailtest.NewClient(t, mail.Options{URL: server.base() + mail.DefaultPath, Token: poorToken, Settle: time.Second})
	return p
}

// pass passes a request on.
func (p *poorSession) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var q mailRequest
	_ = json.Unmarshal(body, &q) // other requests are passed on, too
	before, after := func() {}, func() {}
	p.mu.Lock()
	if p.at != nil {
		if b, a := p.at(&q); b != nil {
			before = b
		} else if a != nil {
			after = a
		}
	}
	p.mu.Unlock()
	before()
	out, err := http.NewRequestWithContext(r.Context(), http.MethodPost, p.server.base()+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		p.Error(err)
		return
	}
	out.Header = r.Header.Clone()
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	after()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer) // the client may be killed
}

func (p *poorSession) command(args ...string) *exec.Cmd {
	c := exec.Command("brenner", args...)
	c.Dir, c.Env = p.dir, p.env
	return c
}

func (p *poorSession) output(args ...string) string {
	p.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// run runs a command until it is killed: at the n-th request for which is returns true, before or after it is
// passed on.
func (p *poorSession) run(is func(*mailRequest) bool, n int, before bool, args ...string) {
	p.Helper()
	c := p.command(args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	gone := make(chan struct{})
	var once sync.Once
	kill := func() {
		once.Do(func() { _ = c.Process.Kill() })
		<-gone
	}
	p.mu.Lock()
	p.at = func(r *mailRequest) (func(), func()) {
		if n == 0 { // it is being killed
			return func() { panic(http.ErrAbortHandler) }, nil
		}
		if !is(r) {
			return nil, nil
		}
		if n--; n != 0 {
			return nil, nil
		}
		if before {
			return func() { kill(); panic(http.ErrAbortHandler) }, nil
		}
		return nil, kill
	}
	err := c.Start() // its requests wait until it has a process that can be killed
	p.mu.Unlock()
	if err != nil {
		p.Fatal(err)
	}
	stuck := time.AfterFunc(3*time.Minute, func() { _ = c.Process.Kill() }) // the output tells why
	err = c.Wait()
	close(gone)
	p.mu.Lock()
	p.at = nil
	p.mu.Unlock()
	if !stuck.Stop() || c.ProcessState.ExitCode() != -1 {
		p.Fatalf("%v was not killed: %v\n%s", args, err, out.String())
	}
}

// poorStatus is what `session status --json` says.
type poorStatus struct {
	Version int `json:"version"`
	Spent   int `json:"tokens_spent"`
	Lost    int `json:"tokens_lost"`
	Mail    struct {
		Phase mail.Phase `json:"phase"`
		Acks  []mail.Ack `json:"acknowledgements"`
	} `json:"mail"`
	Next []string `json:"next"`
}

func (p *poorSession) status(thread string) (s poorStatus) {
	p.Helper()
	c := p.command("session", "status", thread, "--json")
	out, err := c.Output()
	if err := json.Unmarshal(out, &s); err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
	_ = err // the exit code says how the session stands
	return s
}

func (p *poorSession) wantPhase(thread, when string, want ...mail.Phase) {
	p.Helper()
	if got := p.status(thread).Mail.Phase; !slices.Contains(want, got) {
		p.Errorf("%s: the phase is %s, want %s", when, got, want)
	}
}

// claim returns an answer.
func claim(text string) string {
	return "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"` + text + `","claim":"` + text + `"}}` + "\n```\n"
}

// retry repeats what an agent does while the server is away.
func (p *poorSession) retry(ctx context.Context, do func() error) {
	for ctx.Err() == nil {
		err := do()
		if code := fault.CodeOf(err); code != mail.Unreachable && code != mail.Unsure {
			if err != nil && ctx.Err() == nil {
				p.Error(err)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// correspond runs an agent: answer is called once for each message that it received.
func (p *poorSession) correspond(ctx context.Context, name string, answer func(mail.Message)) {
	seen := make(map[mail.ID]bool)
	for ctx.Err() == nil {
		var all []mail.Message
		p.retry(ctx, func() (err error) {
			all, err = p.agents.Inbox(ctx, mail.InboxQuery{Project: p.dir, Agent: name, Limit: mail.MaxPage}, 0)
			if fault.CodeOf(err) == mail.NotFound {
				return nil // the session creates its mailbox
			}
			return err
		})
		slices.SortFunc(all, func(a, b mail.Message) int { return a.Created.Compare(b.Created.Time) })
		for _, m := range all {
			mark, _ := mail.MarkerIn(m.Body)
			if !seen[m.ID] && mark.To == name { // the inbox also has what mentions the agent
				answer(m)
			}
			seen[m.ID] = true
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (p *poorSession) send(ctx context.Context, from, to, thread, subject, body string) {
	p.retry(ctx, func() error {
		_, err := p.agents.SendOnce(ctx, mail.Draft{Project: p.dir, From: from, To: []string{to}, Thread: thread, Subject: subject, Body: body}, mail.MarkerOf(thread, 0, to, subject))
		return err
	})
}

func TestPoorMailServer(t *testing.T) { survivePoorServer(t, newDoubleServer(t), "10s") }

// survivePoorServer runs a session on a poor server. The session is killed five times, and the server once: every kickoff is
// sent exactly once, late replies and critiques become versions, the phases are right, another project's agents get
// nothing, and the budget is booked once. RedSky does not answer round 1 within the timeout.
func survivePoorServer(t *testing.T, server poorServer, timeout string) {
	const thread, other = "RS-20260101-poor", "/srv/other"
	p := newPoorSession(t, server)
	for _, name := range []string{"Operator", "GreenValley"} { // on this server names are global
		if _, err := p.agents.Register(t.Context(), mail.Registration{Project: other, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	p.wantPhase(thread, "before", "")
	ctx, cancel := context.WithCancel(t.Context())
	var agents sync.WaitGroup
	defer agents.Wait()
	defer cancel()
	agents.Go(func() {
		p.correspond(ctx, "BlueLake", func(m mail.Message) { // replies at once; the list of the thread does not say to what
			if mail.PrefixOf(m.Subject) != "KICKOFF" {
				return
			}
			p.retry(ctx, func() error { return p.agents.Acknowledge(ctx, p.dir, "BlueLake", m.ID) })
			p.retry(ctx, func() error {
				_, err := p.agents.Send(ctx, mail.Draft{Project: p.dir, From: "BlueLake", ReplyTo: m.ID, Body: claim(fmt.Sprintf("Blue %d", mail.MarkedRound(m.Body)))})
				return err
			})
		})
	})
	agents.Go(func() {
		p.correspond(ctx, "RedSky", func(m mail.Message) { // answers round 1 only when it is asked again
			if mail.MarkedRound(m.Body) == 2 && mail.PrefixOf(m.Subject) == "KICKOFF" {
				p.send(ctx, "RedSky", m.From, thread, "DELTA[x]: sorry for the delay", claim("Red 1"))
				p.send(ctx, "RedSky", m.From, thread, "DELTA[x]: [round 2]", claim("Red 2"))
			}
		})
	})
	start := []string{
		"session", "start", "--via", "mail", "--rounds", "2", "--question", "Why?", "--thread-id", thread, "--quorum", "1", "--timeout", timeout, "--budget-tokens", "60000",
		"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "hypothesis_generator",
	}
	resume := []string{"session", "resume", thread, "--timeout", timeout}
	kickoff := func(r *mailRequest) bool { return r.sends("KICKOFF:") }
	p.run(kickoff, 1, false, start...) // delivered, but the session does not know
	p.wantPhase(thread, "after the first kickoff", mail.AwaitingResponses, mail.AwaitingCompiling)
	p.run(kickoff, 1, true, resume...) // the second kickoff is not delivered
	p.run(func(r *mailRequest) bool { return r.asksFor("RedSky") }, 2, true, resume...)
	p.wantPhase(thread, "with both kickoffs", mail.AwaitingResponses, mail.PartiallyComplete)
	p.run(func(r *mailRequest) bool { return r.sends("COMPILED:") }, 1, false, resume...)
	p.wantPhase(thread, "with a part of the copies", mail.CompiledPhase)
	p.run(func(r *mailRequest) bool { return r.sends("KICKOFF: [round 2]") }, 1, false, resume...)
	var down sync.Once
	out := p.runWith(func(r *mailRequest) {
		if r.sends("KICKOFF: [round 2]") {
			down.Do(server.restart)
		}
	}, resume...)
	if !strings.Contains(out, "done, round 2 of 2") || !strings.Contains(out, "Next:\n  brenner session compile "+thread) { // the late reply waits
		t.Fatal(out)
	}
	p.checkThread(thread)
	p.checkCosts(thread)
	acks := p.status(thread).Mail.Acks // the server reports them, but not in the list of the thread
	if wrong := func(a mail.Ack) bool { return a.Acked != (a.Agent == "BlueLake") }; len(acks) != 4 || slices.ContainsFunc(acks, wrong) {
		t.Errorf("acknowledgements are %+v, want those of BlueLake for both kickoffs", acks)
	}

	// The late reply waits, and becomes a version; so does a critique.
	p.wantPhase(thread, "at the end", mail.CompiledPhase)
	p.compile(thread, "the late reply")
	p.send(ctx, "RedSky", p.sender(thread), thread, "CRITIQUE: one is missing", claim("Red 3"))
	p.wantPhase(thread, "after the critique", mail.InCritique)
	p.compile(thread, "the critique")
	if s := p.status(thread); slices.Contains(s.Next, "brenner session compile "+thread) {
		t.Errorf("nothing waits, but next is %q", s.Next)
	}
	p.output("session", "publish", thread)
	p.wantPhase(thread, "after publishing", mail.CompiledPhase)
	shown := p.output("session", "show", thread)
	for _, want := range []string{"Blue 1", "Red 1", "Blue 2", "Red 2", "Red 3"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the artifact lacks %s:\n%s", want, shown)
		}
	}
	p.output("verify", thread)

	// An agent of another project with the name of one of ours.
	c := p.command("session", "start", "--via", "mail", "--question", "Why?", "--thread-id", "RS-20260101-taken", "--to", "GreenValley", "--role", "hypothesis_generator")
	refused, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 4 || !strings.Contains(string(refused), "GreenValley is an agent of another project") {
		t.Errorf("exit %d\n%s", c.ProcessState.ExitCode(), refused)
	}
	for _, name := range []string{"Operator", "GreenValley"} {
		if all, err := p.agents.Inbox(t.Context(), mail.InboxQuery{Project: other, Agent: name}, 0); err != nil || len(all) != 0 {
			t.Errorf("%s of another project got %d messages: %v", name, len(all), err)
		}
	}
}

// runWith runs a command to its end, and calls do before each request is passed on.
func (p *poorSession) runWith(do func(*mailRequest), args ...string) string {
	p.Helper()
	p.mu.Lock()
	p.at = func(r *mailRequest) (func(), func()) { do(r); return nil, nil }
	p.mu.Unlock()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *poorSession) thread(id string) []mail.Message {
	p.Helper()
	all, err := p.agents.Thread(p.Context(), mail.ThreadQuery{Project: p.dir, Thread: id})
	if err != nil {
		p.Fatal(err)
	}
	return all
}

// sender returns the session's name on the server.
func (p *poorSession) sender(id string) string { return p.thread(id)[0].From }

// checkThread checks that each message was sent once.
func (p *poorSession) checkThread(id string) {
	p.Helper()
	all := p.thread(id)
	count := make(map[string]int)
	for _, m := range all {
		to := "Operator"
		if len(m.To) > 0 {
			to = m.To[0]
		}
		from := m.From
		if strings.HasPrefix(from, "Operator") {
			from = "Operator"
		}
		count[fmt.Sprintf("%s %s to %s, round %d", mail.PrefixOf(m.Subject), from, to, mail.MarkedRound(m.Body))]++
	}
	for _, agent := range []string{"BlueLake", "RedSky"} {
		for round := 1; round <= 2; round++ {
			if what := fmt.Sprintf("KICKOFF Operator to %s, round %d", agent, round); count[what] != 1 {
				p.Errorf("%s: %d, want 1", what, count[what])
			}
		}
	}
	if s := p.sender(id); s == "Operator" || !strings.HasPrefix(s, "Operator") {
		p.Errorf("the session wrote as %s, which is another project's", s)
	}
	subjects := make(map[string]int)
	for _, m := range all {
		if mail.PrefixOf(m.Subject) == "COMPILED" {
			subjects[strings.Join(m.To, ",")+m.Subject]++
		}
	}
	for what, n := range subjects {
		if n != 1 {
			p.Errorf("%s was sent %d times", what, n)
		}
	}
}

// compile merges what waits in the thread, which makes one version and costs nothing.
func (p *poorSession) compile(thread, what string) {
	p.Helper()
	before := p.status(thread)
	if len(before.Next) == 0 || before.Next[0] != "brenner session compile "+thread {
		p.Errorf("%s waits, but next is %q", what, before.Next)
	}
	if out := p.output("session", "compile", thread); !strings.Contains(out, "Next:\n  brenner session publish "+thread) {
		p.Errorf("%s was not sent, but next is not to publish it:\n%s", what, out)
	}
	if after := p.status(thread); after.Version != before.Version+1 || after.Spent != before.Spent {
		p.Errorf("%s led from version %d (%d tokens) to %d (%d)", what, before.Version, before.Spent, after.Version, after.Spent)
	}
}

// checkCosts checks that each call was booked once: input and output of a reply, the input of the question that was not
// answered in time.
func (p *poorSession) checkCosts(id string) {
	p.Helper()
	var doc struct {
		Calls []struct {
			Agent  string `json:"agent"`
			Status string `json:"status"`
			Input  int    `json:"input_tokens"`
			Output int    `json:"output_tokens"`
			Spent  int    `json:"spent_tokens"`
		} `json:"calls"`
	}
	if err := json.Unmarshal([]byte(p.output("trace", "list", id, "--json")), &doc); err != nil {
		p.Fatal(err)
	}
	total, lost := 0, 0
	for i, c := range doc.Calls {
		if i == 1 {
			if c.Agent != "RedSky" || c.Status != "failed" || c.Spent != doc.Calls[0].Input {
				p.Errorf("the question that was not answered: %+v, want the input of the other: %d", c, doc.Calls[0].Input)
			}
			lost = c.Spent
		}
		total += c.Input + c.Output
	}
	if s := p.status(id); len(doc.Calls) != 4 || total == 0 || s.Spent != total+lost || s.Lost != lost {
		p.Errorf("%d tokens are spent, %d of them without a reply; want %d and %d", s.Spent, s.Lost, total+lost, lost)
	}
}

// poormail [reader] [core] [busy]: runs a poor mail server on a free port and sets AGENT_MAIL_BASE_URL.
func poormail(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: poormail [reader] [core] [busy]")
	}
	poor := &mailtest.Poor{Reader: slices.Contains(args, "reader"), Core: slices.Contains(args, "core")}
	if slices.Contains(args, "busy") {
		poor.Fail(math.MaxInt, func(w http.ResponseWriter) { http.Error(w, "slow down", http.StatusTooManyRequests) })
	}
	server := httptest.NewServer(poor)
	ts.Defer(func() {
		server.CloseClientConnections()
		server.Close()
	})
	ts.Setenv(mail.EnvBaseURL, server.URL)
}
