package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// status returns a refusal with headers.
func status(n int, body string, header ...string) openaitest.Answer {
	a := openaitest.Answer{Status: n, Body: body, Header: map[string]string{}}
	for i := 0; i < len(header); i += 2 {
		a.Header[header[i]] = header[i+1]
	}
	return a
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		answer openaitest.Answer
		want   wanted
		after  time.Duration
	}{
		"401":                   {openaitest.Refuse(401, "invalid_api_key", "Incorrect API key provided: "+canary), wanted{code: agent.NoAuth, detail: "key rejected (401): Incorrect API key provided: [secret]", hint: "OPENAI_API_KEY"}, 0},
		"400 for a wrong key":   {status(400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`), wanted{code: agent.NoAuth}, 0},
		"403":                   {openaitest.Refuse(403, "", "Country not supported"), wanted{code: agent.Forbidden, detail: "Country not supported", hint: "region"}, 0},
		"404 model":             {openaitest.Refuse(404, "model_not_found", "The model `x` does not exist"), wanted{code: agent.ModelUnknown, detail: "no model test-model", hint: "doctor"}, 0},
		"404 model, Ollama":     {status(404, `{"error":"model \"x\" not found, try pulling it first"}`), wanted{code: agent.ModelUnknown, detail: "try pulling it first"}, 0},
		"404 path":              {status(404, "404 page not found\n"), wanted{code: agent.Refused, detail: "/v1 (404): 404 page not found", hint: "/v1"}, 0},
		"404 path, FastAPI":     {status(404, `{"detail":"Not Found"}`), wanted{code: agent.Refused, hint: "/v1"}, 0},
		"429":                   {status(429, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`, "Retry-After", "7"), wanted{code: agent.RateLimited, retry: true, detail: "slow down", hint: "lower"}, 7 * time.Second},
		"429, a date":           {status(429, "", "Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT", "Date", "Wed, 21 Oct 2026 07:28:00 GMT"), wanted{code: agent.RateLimited, retry: true}, 30 * time.Second},
		"429, a date gone by":   {status(429, "", "Retry-After", "Wed, 21 Oct 2020 07:28:30 GMT"), wanted{code: agent.RateLimited, retry: true}, 0},
		"429, milliseconds":     {status(429, "", "Retry-After-Ms", "1500", "Retry-After", "2"), wanted{code: agent.RateLimited, retry: true}, 1500 * time.Millisecond},
		"429, buckets":          {status(429, "", "X-Ratelimit-Reset-Requests", "120ms", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"), wanted{code: agent.RateLimited, retry: true}, 6 * time.Minute},
		"429, no bucket empty":  {status(429, "", "X-Ratelimit-Reset-Requests", "120ms", "X-Ratelimit-Reset-Tokens", "6m0s"), wanted{code: agent.RateLimited, retry: true}, 0},
		"429, a Unix time":      {status(429, "", "Date", "Thu, 01 Jan 2026 00:00:00 GMT", "X-Ratelimit-Reset", "1767225660000", "X-Ratelimit-Remaining", "0"), wanted{code: agent.RateLimited, retry: true}, time.Minute},
		"429, nonsense":         {status(429, "", "Retry-After", "soon", "X-Ratelimit-Reset-Tokens", "NaN"), wanted{code: agent.RateLimited, retry: true}, 0},
		"429, far future":       {status(429, "", "Retry-After", "1e300"), wanted{code: agent.RateLimited, retry: true}, 366 * 24 * time.Hour},
		"429, infinite":         {status(429, "", "Retry-After-Ms", "NaN", "Retry-After", "inf", "X-Ratelimit-Reset", "+Inf", "X-Ratelimit-Remaining", "0"), wanted{code: agent.RateLimited, retry: true}, 0},
		"429, below zero":       {status(429, "", "Retry-After-Ms", "-1", "Retry-After", "-5", "X-Ratelimit-Reset", "-5s", "X-Ratelimit-Remaining", "0"), wanted{code: agent.RateLimited, retry: true}, 0},
		"401 with Retry-After":  {status(401, "", "Retry-After", "3600"), wanted{code: agent.NoAuth}, 0},
		"400 with buckets":      {status(400, "", "X-Ratelimit-Reset-Tokens", "6m0s", "X-Ratelimit-Remaining-Tokens", "0"), wanted{code: agent.Refused}, 0},
		"500 with Retry-After":  {status(500, "", "Retry-After", "3600"), wanted{code: agent.Unavailable, retry: true}, 0},
		"503 with buckets":      {status(503, "", "X-Ratelimit-Reset-Tokens", "6m0s", "X-Ratelimit-Remaining-Tokens", "0"), wanted{code: agent.Unavailable, retry: true}, 0},
		"quota":                 {status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`), wanted{code: agent.QuotaSpent, detail: "quota exhausted", hint: "billing"}, 0},
		"quota that resets":     {status(429, `{"error":{"message":"daily","code":"insufficient_quota"}}`, "Retry-After", "3600"), wanted{code: agent.QuotaSpent, retry: true}, time.Hour},
		"402":                   {status(402, `{"error":{"message":"Insufficient credits","code":402}}`), wanted{code: agent.QuotaSpent, detail: "Insufficient credits"}, 0},
		"too long":              {openaitest.Refuse(400, "context_length_exceeded", "too long"), wanted{code: agent.TooLong, hint: "context window"}, 0},
		"too long, no code":     {status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`), wanted{code: agent.TooLong, detail: "4096"}, 0},
		"too long, a 413":       {status(413, "too large"), wanted{code: agent.TooLong}, 0},
		"filtered question":     {openaitest.Refuse(400, "content_filter", "no"), wanted{code: agent.Filtered, hint: "rephrase"}, 0},
		"another 400":           {openaitest.Refuse(400, "", "Unsupported value: 'seed'"), wanted{code: agent.Refused, detail: "seed", hint: "remove"}, 0},
		"500":                   {openaitest.Refuse(500, "server_error", "oops"), wanted{code: agent.Unavailable, retry: true, detail: "(500): oops", hint: "doctor"}, 0},
		"503 with Retry-After":  {status(503, "", "Retry-After", "2"), wanted{code: agent.Unavailable, retry: true}, 2 * time.Second},
		"529":                   {status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), wanted{code: agent.Unavailable, retry: true, detail: "Overloaded"}, 0},
		"501":                   {status(501, ""), wanted{code: agent.Refused}, 0},
		"408":                   {status(408, ""), wanted{code: agent.Unavailable, retry: true}, 0},
		"304":                   {status(304, ""), wanted{code: agent.Refused, detail: "304"}, 0},
		"502, a page":           {status(502, "<html>\n<head><title>502 Bad\n Gateway</title><style>b{}</style></head><body><h1>x</h1></body></html>"), wanted{code: agent.Unavailable, retry: true, detail: "(502): 502 Bad Gateway", kept: "<h1>x</h1>"}, 0},
		"500, only tags":        {status(500, "<p>no <b>&amp;</b>\x1b[31m</p><script>alert(1)</script>"), wanted{code: agent.Unavailable, retry: true, detail: ": no & [31m", kept: "<script>"}, 0},
		"a key between tags":    {status(500, "<p>sk-<b></b> "+canary+" \x00"+canary+"</p>"), wanted{code: agent.Unavailable, retry: true, detail: "[secret] [secret]", kept: "<b></b> [secret]"}, 0},
		"a key split by tags":   {status(500, "<p>"+canary[:9]+"<b></b>"+canary[9:]+"</p>"), wanted{code: agent.Unavailable, retry: true}, 0},
		"an escaped key":        {status(500, `{"error":{"message":"\u0073k-canary-+\/=0123456789abcdef"}}`), wanted{code: agent.Unavailable, retry: true, detail: "[secret]"}, 0},
		"a key, other JSON":     {status(400, `{"foo":"\u0073\u006B-canary-+\/=0123456789abcdef"}`), wanted{code: agent.Refused, detail: `{"foo":"[secret]"}`}, 0},
		"a key, FastAPI":        {status(422, `{"detail":[{"msg":"bad sk-canary-+\/=0123456789abcdef"}]}`), wanted{code: agent.Refused, detail: `"bad [secret]"`}, 0},
		"a key, escaped twice":  {status(400, `{"message":"{\"k\":\"\\u0073k-canary-+\\/=0123456789abcdef\"}"}`), wanted{code: agent.Refused, detail: `{"k":"[secret]"}`}, 0},
		"a key on a page":       {status(500, "no &#x73;k-canary-&#43;/=0123456789abcdef"), wanted{code: agent.Unavailable, retry: true, detail: ": no [secret]"}, 0},
		"a key in a redirect":   {status(308, "", "Location", "http://127.0.0.1:1/v1/responses?k=%73k-canary-%2b%2F%3D0123456789abcdef"), wanted{code: agent.Refused, detail: "redirects to another host", hint: "http://127.0.0.1:1/v1"}, 0},
		"an invalid redirect":   {status(308, "", "Location", "http://%zz/?k=%73k-canary-%2b%2F%3D0123456789abcdef"), wanted{code: agent.Unavailable, retry: true}, 0},
		"redirect loop":         {status(307, "", "Location", "?"), wanted{code: agent.Refused, detail: "redirect loop", hint: "proxy"}, 0},
		"a key in an address":   {status(500, "/?key=sk-canary-%2B%2F%3D0123456789abcdef"), wanted{code: agent.Unavailable, retry: true, detail: "?key=[secret]"}, 0},
		"a key that is cut off": {status(500, strings.Repeat(" ", 64<<10-12)+canary), wanted{code: agent.Unavailable, retry: true}, 0},
		"a key at the limit":    {status(500, strings.Repeat("x", 290)+canary), wanted{code: agent.Unavailable, retry: true, detail: "x[secret]", partial: strings.Repeat("x", 290) + "[secret]"}, 0},
		"an endless error":      {status(500, strings.Repeat("oops ", 1<<20)), wanted{code: agent.Unavailable, retry: true, detail: "oops oops…", kept: "oops oops"}, 0},
		"redirect elsewhere":    {status(307, "", "Location", "http://127.0.0.1:1/v1/chat/completions?key="+canary), wanted{code: agent.Refused, detail: "redirects to another host", hint: "http://127.0.0.1:1/v1"}, 0},
		"redirect as a GET":     {status(302, "", "Location", "/login"), wanted{code: agent.Refused, hint: "/login"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, o openai.Options) {
				f := failing(t, at(t, openaitest.New(t, always(c.answer)), o))
				if c.want.check(t, f); f.After != c.after || f.Attempts != 1 || strings.HasSuffix(f.Hint, "/chat/completions") || strings.HasSuffix(f.Hint, "/responses") {
					t.Errorf("%+v", f)
				}
				if n := len([]rune(f.Detail)); n > 500 {
					t.Errorf("detail has %d characters", n)
				}
			})
		})
	}
}

func TestIncompleteReplies(t *testing.T) {
	spent := &openaitest.Usage{Input: 12, Output: 3}
	reported := agent.Usage{Input: 12, Output: 3}
	guessed := agent.Usage{Input: 10, Output: 2, Guessed: true}
	for name, c := range map[string]struct {
		answer openaitest.Answer
		want   wanted
	}{
		"cut in mid-stream":     {openaitest.Answer{Text: "half an", Cut: true}, wanted{code: agent.Cut, retry: true, partial: "half an", usage: guessed}},
		"stream without an end": {openaitest.Answer{Text: "half an", End: true}, wanted{code: agent.Cut, retry: true, partial: "half an", usage: guessed}},
		"malformed":             {openaitest.Answer{Text: "half an", Broken: true}, wanted{code: agent.Malformed, retry: true, partial: "half an\n\n[unreadable]\n{\"choices\": [{\"delta\": oh\n", usage: guessed}},
		"content filter":        {openaitest.Answer{Text: "half an", Finish: "content_filter", Usage: spent}, wanted{code: agent.Filtered, partial: "half an", usage: reported}},
		"refusal":               {openaitest.Answer{Refusal: "I cannot help with that.", Usage: spent}, wanted{code: agent.Refused, usage: reported, detail: "I cannot help with that.", partial: "I cannot help with that."}},
		"empty":                 {openaitest.Answer{Usage: spent}, wanted{code: agent.Empty, usage: reported, kept: "data: "}},
		"prompt cut short":      {openaitest.Answer{Text: "yes", Usage: &openaitest.Usage{Input: 4, Output: 1}}, wanted{code: agent.Truncated, partial: "yes", usage: agent.Usage{Input: 4, Output: 1}, detail: "4 tokens of a question of about 10", hint: "context window"}},
		"the key, cut reply":    {openaitest.Answer{Text: canary + " " + canary, Cut: true}, wanted{code: agent.Cut, retry: true, partial: "[secret] [secret]", usage: guessed}},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, o openai.Options) {
				c.want.check(t, failing(t, at(t, openaitest.New(t, always(c.answer)), o)))
			})
		})
	}
}

// A reply that ends at our token limit is kept, even without a text, and not asked for again.
func TestReplyAtItsLimit(t *testing.T) {
	both(t, func(t *testing.T, o openai.Options) {
		for _, text := range []string{"half an", ""} {
			s := openaitest.New(t, always(openaitest.Answer{Thoughts: "hm hm", Text: text, Finish: "length", Usage: &openaitest.Usage{Input: 12, Output: 3}}))
			reply, err := at(t, s, o).Ask(t.Context(), call())
			want := agent.Reply{Text: text, Model: reply.Model, Usage: agent.Usage{Input: 12, Output: 3}, Attempts: 1, Reasoning: "hm hm", Cut: true}
			if diff := cmp.Diff(want, reply); err != nil || diff != "" {
				t.Error(err, diff)
			}
			if f := reply.AsFailure(); f.Code != agent.Cut || f.Retry || f.Partial != text || !strings.Contains(f.Hint, "reasoning counts too") {
				t.Errorf("%+v", f)
			}
		}
	})
}

// Reasoning in a field of its own is kept, with or without a text, and without secrets.
func TestReasoningIsKept(t *testing.T) {
	both(t, func(t *testing.T, o openai.Options) {
		for _, text := range []string{"yes", " \n"} {
			s := openaitest.New(t, always(openaitest.Answer{Thoughts: "I use " + canary + " here.", Text: text, Chunk: 3}))
			if reply := answering(t, at(t, s, o)); reply.Text != text || reply.Reasoning != "I use [secret] here." {
				t.Errorf("got %+v", reply)
			}
		}
	})
}

// Reasoning among the parts of a reply, or as an object, is not its text.
func TestReasoningInParts(t *testing.T) {
	for name, message := range map[string]string{
		"reasoning":         `{"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"yes"}]}`,
		"summary":           `{"content":[{"type":"summary_text","text":"hm"},{"type":"output_text","text":"yes"}]}`,
		"thinking":          `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]}`,
		"plain thinking":    `{"content":[{"type":"thinking","thinking":"hm"},"yes"]}`,
		"details":           `{"content":"yes","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`,
		"details and text":  `{"content":"yes","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`,
		"thinking member":   `{"content":"yes","thinking":"hm"}`,
		"thinking blocks":   `{"content":"yes","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"x"}]}`,
		"summary of OpenAI": `{"content":"yes","reasoning_details":[{"type":"reasoning.summary","summary":"hm"}]}`,
		"object":            `{"content":"yes","reasoning":{"type":"reasoning","text":"hm"}}`,
	} {
		s := openaitest.New(t, always(raw("application/json", `{"choices":[{"message":`+message+`}]}`)))
		if reply := answering(t, at(t, s, openai.Options{})); reply.Text != "yes" || reply.Reasoning != "hm" {
			t.Errorf("%s: got %+v", name, reply)
		}
	}
	unknown := openaitest.New(t, always(raw("application/json", `{"choices":[{"message":{"content":"yes","reasoning":{"steps":[{"text":7}]}}}]}`)))
	if reply := answering(t, at(t, unknown, openai.Options{})); reply.Text != "yes" || reply.Reasoning != `{"steps":[{"text":7}]}` {
		t.Errorf("reasoning of an unknown form: got %+v", reply)
	}
	s := openaitest.New(t, always(raw("application/json", `{"status":"completed","output":[{"type":"reasoning","content":[{"type":"text","text":"hm"}]},{"content":[{"type":"output_text","text":"yes"}]}]}`)))
	if reply := answering(t, at(t, s, openai.Options{API: openai.Responses})); reply.Text != "yes" || reply.Reasoning != "hm" {
		t.Errorf("got %+v", reply)
	}
}

// raw responds with these bytes.
func raw(contentType, body string) openaitest.Answer {
	return openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}}
}

func TestMalformedResponses(t *testing.T) {
	const events = "text/event-stream"
	half := `data: {"choices":[{"index":0,"delta":{"content":"half an"}}]}` + "\n\n"
	guessed := agent.Usage{Input: 10, Output: 2, Guessed: true}
	for name, c := range map[string]struct {
		answer openaitest.Answer
		want   wanted
	}{
		"a web page":          {raw("text/html", "<!DOCTYPE html><title>Welcome</title>"+canary), wanted{code: agent.Malformed, detail: "Welcome", hint: "web site", partial: "<!DOCTYPE html><title>Welcome</title>[secret]", usage: agent.Usage{Input: 10, Guessed: true}}},
		"invalid JSON":        {raw("application/json", "[oops"), wanted{code: agent.Malformed, retry: true, partial: "[oops", usage: agent.Usage{Input: 10, Guessed: true}}},
		"JSON of other types": {raw("application/json", `{"choices":"none"}`), wanted{code: agent.Malformed, retry: true, partial: `{"choices":"none"}`, usage: agent.Usage{Input: 10, Guessed: true}}},
		"empty":               {raw(events, ""), wanted{code: agent.Malformed, retry: true, detail: "sent nothing", usage: agent.Usage{Input: 10, Guessed: true}}},
		"plain text":          {raw("text/plain", "Model is loading; "+canary+"\n"), wanted{code: agent.Malformed, retry: true, partial: "Model is loading; [secret]\n", usage: agent.Usage{Input: 10, Guessed: true}}},
		"no choices":          {raw("application/json", `{"choices":[],"note":"`+canary+`"}`), wanted{code: agent.Empty, partial: `{"choices":[],"note":"[secret]"}`, usage: agent.Usage{Input: 10, Guessed: true}}},
		"invalid event":       {raw(events, "data: {oops "+canary+"\n\n"), wanted{code: agent.Malformed, retry: true, partial: "data: {oops [secret]\n", usage: agent.Usage{Input: 10, Guessed: true}}},
		"only comments":       {raw(events, strings.Repeat(": wait\n\n", 1000)), wanted{code: agent.Cut, retry: true, usage: agent.Usage{Input: 10, Guessed: true}}},
		"error in mid-stream": {raw(events, ": wait\n\n"+half+`data: {"error":{"code":502,"message":"upstream `+canary+`"}}`+"\n\n"), wanted{code: agent.Unavailable, retry: true, detail: "upstream [secret]", partial: "half an", usage: guessed}},
		"error with spaces":   {raw(events, half+`data: { "error": {"type":"rate_limit_error","message":"slow"}}`+"\n\n"), wanted{code: agent.RateLimited, retry: true, partial: "half an", usage: guessed}},
		"error as a string":   {raw(events, half+`data: {"error":"context window exceeded"}`+"\n\n"), wanted{code: agent.TooLong, partial: "half an", usage: guessed}},
		"invalid request":     {raw(events, half+`data: {"error":{"type":"invalid_request_error","message":"no"}}`+"\n\n"), wanted{code: agent.Refused, partial: "half an", usage: guessed}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.check(t, failing(t, at(t, openaitest.New(t, always(c.answer)), openai.Options{Count: words})))
		})
	}
}

func TestFailedResponses(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  wanted
	}{
		"failed":    {`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}}`, wanted{code: agent.RateLimited, retry: true, detail: "slow"}},
		"error":     {`{"type":"error","code":"context_length_exceeded","message":"too long"}`, wanted{code: agent.TooLong, detail: "too long"}},
		"no reason": {`{"type":"response.failed","response":{"status":"failed","error":null}}`, wanted{code: agent.Unavailable, retry: true, detail: "failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.usage = agent.Usage{Input: 10, Guessed: true}
			s := openaitest.New(t, always(raw("text/event-stream", "event: x\ndata: "+c.event+"\n\n")))
			c.want.check(t, failing(t, at(t, s, openai.Options{Count: words, API: openai.Responses})))
		})
	}
}

// An oversized response is not read to its end, whatever its form.
func TestTooLarge(t *testing.T) {
	const most = 1 << 20
	piece := fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}`+"\n\n", strings.Repeat("x", 1000))
	for name, begin := range map[string]string{
		"many pieces":   piece,
		"one line":      `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1000),
		"one body":      `{"choices":[{"message":{"content":"` + strings.Repeat("x", 1000),
		"a line, no LF": strings.Repeat("x", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan int, 1)
			s := openaitest.New(t, always(openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) {
				n, more := 0, begin
				for n < 50<<20 {
					wrote, err := w.Write([]byte(more))
					if n += wrote; err != nil {
						break
					}
					if name != "many pieces" {
						more = strings.Repeat("x", 1000)
					}
				}
				sent <- n
			}}))
			f := failing(t, at(t, s, openai.Options{Count: words, MaxReplyBytes: most}))
			if f.Code != agent.TooLarge || f.Retry || len(f.Partial) > most || !strings.Contains(f.Detail, "1048576") {
				t.Errorf("%s, %d bytes kept", f.Code, len(f.Partial))
			}
			if n := <-sent; n > 30<<20 { // includes the buffers of both sides
				t.Errorf("%d bytes were read", n)
			}
		})
	}
}

func TestUnreachableEndpoint(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes"}))
	a := at(t, s, openai.Options{Count: words})
	s.Close()
	f := failing(t, a)
	wanted{code: agent.Unavailable, retry: true, detail: strings.TrimPrefix(s.URL, "http://") + ": connection refused", hint: s.BaseURL()}.check(t, f)
	if !strings.Contains(f.Hint, "`brenner doctor`") {
		t.Error(f.Hint)
	}
	secure, err := openai.New(openai.Options{BaseURL: "https" + strings.TrimPrefix(openaitest.New(t, always(openaitest.Answer{})).BaseURL(), "http"), Key: canary, Model: "m", Client: &http.Client{Transport: &http.Transport{}}})
	if err != nil {
		t.Fatal(err)
	}
	wanted{code: agent.Unavailable, detail: "does not speak TLS", hint: "http://"}.check(t, failing(t, secure))
}

// broken is a transport that fails with err.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

type slow struct{ error }

func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return true }

func TestNetworkErrors(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{}))
	taped := &agent.Failure{Code: agent.Idle, Detail: "as recorded", Hint: "wait", Retry: true}
	for name, c := range map[string]struct {
		err  error
		want wanted
	}{
		"reset":               {errors.New("connection reset by " + canary), wanted{code: agent.Unavailable, retry: true}},
		"hidden in the chain": {hiding{errors.New(canary)}, wanted{code: agent.Unavailable, retry: true}},
		"joined":              {errors.Join(errors.New("one"), errors.New("Bearer "+canary)), wanted{code: agent.Unavailable, retry: true}},
		"unknown host":        {&net.DNSError{Err: "no such host", Name: "modle.example", IsNotFound: true}, wanted{code: agent.HostUnknown, detail: "cannot resolve host", hint: "doctor"}},
		"no name server":      {&net.DNSError{Err: "server misbehaving", Name: "modle.example", IsTemporary: true}, wanted{code: agent.Unavailable, retry: true, detail: "cannot resolve host", hint: "doctor"}},
		"timeout":             {slow{errors.New("i/o timeout")}, wanted{code: agent.TimedOut, retry: true, detail: "timeout", usage: agent.Usage{Input: 10, Guessed: true}}},
		"a failure":           {taped, wanted{code: agent.Idle, retry: true, detail: "as recorded", usage: agent.Usage{Input: 10, Guessed: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := at(t, s, openai.Options{Count: words, Client: &http.Client{Transport: broken{c.err}}})
			c.want.check(t, failing(t, a))
		})
	}
}

// An endpoint that closes the connection after the request may have processed it.
func TestClosedConnectionIsCounted(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	a, err := openai.New(openai.Options{BaseURL: s.URL, Key: canary, Model: "m", Count: words, Client: &http.Client{Transport: &http.Transport{}}})
	if err != nil {
		t.Fatal(err)
	}
	wanted{
		code: agent.Unavailable, retry: true, detail: "the connection was closed before a reply", hint: "log", usage: agent.Usage{Input: 10, Guessed: true},
	}.check(t, failing(t, a))
}

func TestUntrustedCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	a, err := openai.New(openai.Options{BaseURL: s.URL, Key: canary, Model: "m", Client: &http.Client{Transport: &http.Transport{}}})
	if err != nil {
		t.Fatal(err)
	}
	wanted{code: agent.Unavailable, detail: "untrusted certificate", hint: "authority"}.check(t, failing(t, a))
}

// hiding is an error whose message omits the error that it wraps.
type hiding struct{ err error }

func (hiding) Error() string   { return "something" }
func (h hiding) Unwrap() error { return h.err }

// Text received before a call is cancelled is kept and counted.
func TestCancelledStreamKeepsPartial(t *testing.T) {
	both(t, func(t *testing.T, o openai.Options) {
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		s := openaitest.New(t, always(openaitest.Answer{Text: "one two three", Chunk: 8, Wait: func(piece int) {
			if piece == 1 {
				<-hold
			}
		}}))
		t.Cleanup(func() { close(hold) }) // before the server closes, which waits for its handlers
		o.Progress = func(_ string, n int) {
			if n == 2 {
				cancel()
			}
		}
		_, err := agent.Guard(at(t, s, o)).Ask(ctx, call())
		var f *agent.Failure
		if !errors.As(err, &f) || f.Code != agent.Stopped || f.Partial != "one two " || f.Usage != (agent.Usage{Input: 10, Output: 2, Guessed: true}) {
			t.Errorf("%+v", f)
		}
	})
}
