package tape_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
	"brenner/agent/tape"
	"brenner/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-+/=0123456789abcdef"

// network returns a transport for one test.
func network(tb testing.TB) http.RoundTripper {
	tb.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	tb.Cleanup(transport.CloseIdleConnections)
	return transport
}

func asking(tb testing.TB, baseURL, key string, via http.RoundTripper) agent.Agent {
	tb.Helper()
	a, err := openai.New(openai.Options{
		BaseURL: baseURL, Key: key, Model: "test-model", Client: &http.Client{Transport: via},
		Count: func(s string) int { return len(strings.Fields(s)) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return agent.Guard(a)
}

func call(id, text string) agent.Call {
	return agent.Call{ID: id, Turns: []agent.Turn{{Text: text}}}
}

// recorded returns a recorder and its tape.
func recorded(tb testing.TB, next http.RoundTripper) (*tape.Recorder, *bytes.Buffer) {
	tb.Helper()
	var b bytes.Buffer
	r, err := tape.Record(next, &b, tape.Options{Secrets: []string{"given-canary"}})
	if err != nil {
		tb.Fatal(err)
	}
	return r, &b
}

func player(tb testing.TB, text string) *tape.Player {
	tb.Helper()
	p, err := tape.Play(strings.NewReader(text), tape.Options{Secrets: []string{"given-canary"}})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// outcome is the result of a call, without the cause of a failure.
type outcome struct {
	reply   agent.Reply
	failure agent.Failure
}

func ask(ctx context.Context, a agent.Agent, c agent.Call) outcome {
	reply, err := a.Ask(ctx, c)
	var f *agent.Failure
	if !errors.As(err, &f) {
		return outcome{reply: reply}
	}
	shown := *f
	shown.Cause = nil
	return outcome{failure: shown}
}

// Recorded results are replayed without a network, with another key and at another
// address.
func TestPlayMatchesRecording(t *testing.T) {
	answers := map[string]openaitest.Answer{
		"a reply":       {Text: "yes: é 𝔅 <b> \u2028 " + strings.Repeat("word ", 100), Chunk: 3, Usage: &openaitest.Usage{Input: 5, Output: 7}},
		"without usage": {Text: "yes"},
		"cut":           {Text: "half an", Cut: true},
		"malformed":     {Text: "half an", Broken: true},
		"empty":         {},
		"too long":      openaitest.Refuse(400, "context_length_exceeded", "too long"),
		"401":           openaitest.Refuse(401, "invalid_api_key", "wrong: "+canary+" and given-canary"),
		"429":           {Status: 429, Header: map[string]string{"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT", "Set-Cookie": "a=" + canary}},
		"500":           openaitest.Refuse(500, "", "oops"),
		"elsewhere":     {Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}},
		"invalid UTF-8": {Write: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\xff\xfe{")) }},
		"the key":       {Text: "say " + canary + " given-canary now"},
		"the key in parts": {Write: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"say `+canary[:12])
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, canary[12:]+` now"}}]}`)
		}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	var stopped atomic.Bool
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		switch {
		case r.Last() == "hang":
			return openaitest.Answer{Hang: true}
		case r.Last() == "stopped" && !stopped.Swap(true):
			return openaitest.Answer{Write: func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}}
		case r.Last() == "stopped":
			return openaitest.Answer{Text: "at last"}
		}
		return answers[r.Last()]
	})
	rec, b := recorded(t, network(t))
	live := asking(t, s.BaseURL(), canary, rec)
	want := map[string]outcome{}
	for name := range answers {
		want[name] = ask(t.Context(), live, call("id/"+name, name))
	}
	late := agent.Deadline(live, 100*time.Millisecond)
	want["hang"] = ask(t.Context(), late, call("id/hang", "hang"))
	ask(ctx, live, call("id/stopped", "stopped"))
	want["stopped"] = ask(t.Context(), live, call("id/stopped", "stopped"))
	s.CloseClientConnections()
	s.Close()
	want["unreachable"] = ask(t.Context(), live, call("id/unreachable", "unreachable"))
	if err := rec.Err(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "canary") {
		t.Error("the tape contains a secret")
	}
	played := asking(t, s.BaseURL(), "another-key-entirely", player(t, b.String()))
	for name, w := range want {
		got := ask(t.Context(), played, call("id/"+name, name))
		// A live key is masked as [secret], one on the tape by stars.
		w.failure.Detail = strings.ReplaceAll(w.failure.Detail, "[secret]", strings.Repeat("*", len(canary)))
		w.failure.Detail = strings.ReplaceAll(w.failure.Detail, "given-canary", strings.Repeat("*", len("given-canary")))
		w.reply.Text = strings.ReplaceAll(w.reply.Text, "[secret]", strings.Repeat("*", len(canary)))
		w.reply.Text = strings.ReplaceAll(w.reply.Text, "given-canary", strings.Repeat("*", len("given-canary")))
		if got != w {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, w)
		}
	}
}

// failing is a transport that fails with err.
type failing struct{ err error }

func (d failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, d.err }

type slow struct{}

func (slow) Error() string   { return "i/o timeout" }
func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return true }

// A replayed network error is classified like the original.
func TestNetworkErrors(t *testing.T) {
	for name, broke := range map[string]error{
		"name":        &net.DNSError{Err: "no such host", Name: "modle.example", IsNotFound: true},
		"name server": &net.DNSError{Err: "server misbehaving", Name: "modle.example", IsTemporary: true},
		"certificate": &tls.CertificateVerificationError{Err: errors.New("unknown authority")},
		"timeout":     slow{},
		"reset":       fmt.Errorf("connection reset, %s", canary),
		"no TLS":      errors.New("http: server gave HTTP response to HTTPS client"),
	} {
		t.Run(name, func(t *testing.T) {
			rec, b := recorded(t, failing{broke})
			const url = "https://modle.example/v1"
			want := ask(t.Context(), asking(t, url, canary, rec), call("1", "?"))
			got := ask(t.Context(), asking(t, url, canary, player(t, b.String())), call("1", "?"))
			if got != want || want.failure.Code == "" || strings.Contains(b.String(), "canary") {
				t.Errorf("got  %+v\nwant %+v\n%s", got, want, b)
			}
		})
	}
}

func TestPlayObeysContext(t *testing.T) {
	_, b := recorded(t, failing{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://modle.example", strings.NewReader("not JSON"))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := player(t, b.String()).RoundTrip(req); !errors.Is(err, context.Canceled) { //nolint:bodyclose // no response
		t.Errorf("%v, %v", resp, err)
	}
}

// Equal requests are replayed in recorded order, those of the same call first.
func TestEqualRequests(t *testing.T) {
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		if r.N == 2 {
			return openaitest.Refuse(500, "", "oops")
		}
		return openaitest.Answer{Text: fmt.Sprintf("%s: %d", r.Header.Get("Idempotency-Key"), r.N)}
	})
	rec, b := recorded(t, network(t))
	a := asking(t, s.BaseURL(), canary, rec)
	for _, id := range []string{"A", "B", "B", "A"} {
		ask(t.Context(), a, call(id, "the same"))
	}
	p := asking(t, "http://example.invalid/v1", "", player(t, b.String()))
	for _, c := range []struct{ id, text string }{{"B", ""}, {"A", "A: 1"}, {"B", "B: 3"}, {"C", "A: 4"}} {
		if got := ask(t.Context(), p, call(c.id, "the same")); got.reply.Text != c.text {
			t.Errorf("%s: got %+v, want %q", c.id, got, c.text)
		}
	}
	f := ask(t.Context(), p, call("A", "the same")).failure
	if f.Code != tape.Miss || f.Retry || !strings.Contains(f.Detail, "all 4 recordings were already played") {
		t.Errorf("%+v", f)
	}
}

func TestMiss(t *testing.T) {
	s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "yes"} })
	rec, b := recorded(t, network(t))
	a := asking(t, s.BaseURL(), canary, rec)
	for i, q := range []string{"What is life?", "Was ist das Leben – im Großen?", "Another"} {
		ask(t.Context(), a, call(fmt.Sprintf("call-%d", i+1), q))
	}
	p := asking(t, s.BaseURL(), canary, player(t, b.String()))
	for _, c := range []struct{ id, question, want string }{
		{"new", "What is death?", `line 2 (model test-model, call call-1), which differs at byte 34 of the body: recorded "{\"content\":\"What is life?\",`},
		{"new", "Was ist das Leben – im Größen?", "line 3"},
		{"call-3", "What is life", "line 4 (model test-model, call call-3)"},
	} {
		got := ask(t.Context(), p, call(c.id, c.question))
		if f := got.failure; f.Code != tape.Miss || f.Retry || f.Attempts != 1 || f.Usage != (agent.Usage{}) || !strings.Contains(f.Detail, c.want) || f.Hint == "" {
			t.Errorf("got %+v, want %q", got, c.want)
		}
	}
	f := ask(t.Context(), agent.Retry(asking(t, s.URL+"/v2", "", player(t, b.String())), agent.RetryPolicy{}), call("new", "?")).failure
	if f.Attempts != 1 || !strings.Contains(f.Detail, "/v2/chat/completions, model test-model: no other recording at this address") {
		t.Errorf("%+v", f)
	}
}

func TestDamagedTapes(t *testing.T) {
	s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "yes"} })
	rec, b := recorded(t, network(t))
	a := asking(t, s.BaseURL(), canary, rec)
	for i := range 3 {
		ask(t.Context(), a, call(fmt.Sprint(i), fmt.Sprint("question ", i)))
	}
	whole := b.String()
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct{ text, place, detail string }{
		"empty":       {"", "line 1", "incomplete line"},
		"other file":  {"{}\n", "line 1", "not a tape of schema brenner.tape/v1"},
		"cut":         {whole[:len(whole)-10], "line 4", "incomplete line"},
		"bad JSON":    {lines[0] + "{\n", "line 2", "invalid JSON: unexpected end of JSON input"},
		"changed":     {strings.Replace(whole, "question 1", "question X", 1), "line 3", "seal mismatch: this line was changed, or an earlier one is missing or was moved"},
		"a line gone": {lines[0] + lines[1] + lines[3], "line 3", "seal mismatch: this line was changed, or an earlier one is missing or was moved"},
		"moved":       {lines[0] + lines[2] + lines[1] + lines[3], "line 2", "seal mismatch: this line was changed, or an earlier one is missing or was moved"},
	} {
		p, err := tape.Play(strings.NewReader(c.text), tape.Options{})
		var f *fault.Error
		if !errors.As(err, &f) || p != nil || f.Code != tape.Damaged || f.Where() != c.place || f.Detail != c.detail || f.Hint == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// A killed run leaves a playable tape.
	if ask(t.Context(), asking(t, s.BaseURL(), "", player(t, lines[0]+lines[1])), call("0", "question 0")).reply.Text != "yes" {
		t.Error("cannot play the beginning of a tape")
	}
	if _, err := tape.Play(io.MultiReader(strings.NewReader(lines[0]), broken{}), tape.Options{}); fault.CodeOf(err) != tape.Damaged {
		t.Error(err)
	}
}

// broken fails to read, and to write after the given number of writes.
type broken struct{ after *int }

var errDisk = errors.New("no space left on device")

func (broken) Read([]byte) (int, error) { return 0, errDisk }
func (b broken) Write(p []byte) (int, error) {
	if *b.after--; *b.after < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestUnwritableTape(t *testing.T) {
	s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "yes"} })
	none, one := 0, 1
	if _, err := tape.Record(network(t), broken{&none}, tape.Options{}); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	rec, err := tape.Record(network(t), broken{&one}, tape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := asking(t, s.BaseURL(), canary, rec)
	if got := ask(t.Context(), a, call("1", "?")); got.reply.Text != "yes" {
		t.Errorf("a reply was lost: %+v", got)
	}
	if !errors.Is(rec.Err(), errDisk) {
		t.Error(rec.Err())
	}
	if f := ask(t.Context(), a, call("2", "?")).failure; f.Code != tape.Unwritten || f.Retry || s.Asked() != 1 {
		t.Errorf("%+v: asked %d times", f, s.Asked())
	}
}

// Lines of concurrent calls are not mixed, and each call gets its own reply.
func TestConcurrentCalls(t *testing.T) {
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: strings.Repeat(r.Header.Get("Idempotency-Key")+" ", 50), Chunk: 20}
	})
	rec, b := recorded(t, network(t))
	all := func(a agent.Agent) {
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				id := fmt.Sprint("call-", i)
				if got := ask(t.Context(), a, call(id, "the same for all")); got.reply.Text != strings.Repeat(id+" ", 50) {
					t.Errorf("%s: %+v", id, got)
				}
			})
		}
		group.Wait()
	}
	all(asking(t, s.BaseURL(), canary, rec))
	all(asking(t, s.BaseURL(), canary, player(t, b.String())))
}
