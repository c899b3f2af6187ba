package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// sent returns the fields of a request's body.
func sent(t *testing.T, r openaitest.Request) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(r.Body, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func pointer[T any](v T) *T { return &v }

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

func TestRequest(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes"}))
	c := call()
	c.MaxReply = 100
	c.Turns = append(c.Turns, agent.Turn{Own: true, Text: `say "temperature":1e-45`}, agent.Turn{Text: "again"})
	for _, o := range []openai.Options{
		{Temperature: pointer(0.0), Seed: pointer(7), ReasoningEffort: "low", Organization: "org-1", Headers: map[string]string{"X-Title": "brenner"}},
		{Temperature: pointer(0.7), Model: "gpt-5-mini"},
		{API: openai.Responses, Temperature: pointer(0.0), ReasoningEffort: "low"},
	} {
		if _, err := at(t, s, o).Ask(t.Context(), c); err != nil && o.Model == "" {
			t.Fatal(err)
		}
	}
	all := s.Requests()
	if len(all) != 2 {
		t.Fatalf("%d requests: an unsupported temperature was sent", len(all))
	}
	turns := []any{
		map[string]any{"role": "user", "content": "one two three four five six seven eight nine ten"},
		map[string]any{"role": "assistant", "content": `say "temperature":1e-45`},
		map[string]any{"role": "user", "content": "again"},
	}
	same(t, sent(t, all[0]), map[string]any{
		"model": "test-model", "messages": turns, "max_tokens": 100.0, "temperature": 0.0, "seed": 7.0, "reasoning_effort": "low",
		"stream": true, "stream_options": map[string]any{"include_usage": true},
	})
	same(t, sent(t, all[1]), map[string]any{
		"model": "test-model", "input": turns, "max_output_tokens": 100.0, "temperature": 0.0,
		"reasoning": map[string]any{"effort": "low"}, "stream": true, "store": false,
	})
	for name, want := range map[string]string{
		"Authorization": "Bearer " + canary, "Openai-Organization": "org-1", "X-Title": "brenner", "Idempotency-Key": c.ID,
	} {
		same(t, all[0].Header.Get(name), want)
	}
	c.ID, c.MaxReply = "a\nb", 0
	if _, err := at(t, s, openai.Options{Model: "o3"}).Ask(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	last := s.Requests()[2]
	if len(last.Header.Get("Idempotency-Key")) != 64 || sent(t, last)["max_tokens"] != nil {
		t.Errorf("%v\n%s", last.Header, last.Body)
	}
}

func TestUnsupportedTemperatureIsNotSent(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes"}))
	f := failing(t, at(t, s, openai.Options{Model: "gpt-5-mini", Temperature: pointer(0.7)}))
	wanted{code: agent.Refused, detail: "gpt-5-mini", hint: "temperature"}.check(t, f)
	same(t, s.Asked(), 0)
}

func TestUsageAndProgress(t *testing.T) {
	both(t, func(t *testing.T, o openai.Options) {
		answer := openaitest.Answer{Thoughts: "hm hm", Text: "one two three ", Chunk: 4, Usage: &openaitest.Usage{Input: 17, Output: 9}}
		var seen []int
		o.Progress = func(id string, n int) {
			same(t, id, call().ID)
			seen = append(seen, n)
		}
		reply := answering(t, at(t, openaitest.New(t, always(answer)), o))
		same(t, reply, agent.Reply{Text: "one two three ", Model: "test-model", Usage: agent.Usage{Input: 17, Output: 9}, Attempts: 1, Reasoning: "hm hm"})
		same(t, seen[:1], []int{2})
		same(t, seen[len(seen)-1], 9)
		var signs atomic.Int32
		answer.Usage = nil
		a := at(t, openaitest.New(t, always(answer)), openai.Options{API: o.API, Count: words})
		c := call()
		c.Alive = func() { signs.Add(1) }
		reply, err := a.Ask(t.Context(), c)
		if err != nil || reply.Usage != (agent.Usage{Input: 10, Output: 5, Guessed: true}) {
			t.Errorf("%+v, %v", reply, err)
		}
		if signs.Load() < 4 {
			t.Errorf("%d signs of life", signs.Load())
		}
		// Without a counter a truncated prompt cannot be detected.
		answer.Usage = &openaitest.Usage{Input: 1, Output: 1}
		answering(t, at(t, openaitest.New(t, always(answer)), openai.Options{API: o.API}))
	})
}

func TestKeyIsMaskedInReplies(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "Your key is " + canary + ", or " + canary[:12] + "."}))
	same(t, answering(t, at(t, s, openai.Options{})).Text, "Your key is [secret], or "+canary[:12]+".")
	// A placeholder key of a local server is not masked.
	a, err := openai.New(openai.Options{BaseURL: openaitest.New(t, always(openaitest.Answer{Text: "Try lm-studio."})).BaseURL(), Key: "lm-studio", Model: "m", Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, answering(t, a).Text, "Try lm-studio.")
}

func TestKeyIsNotPrinted(t *testing.T) {
	o := openai.Options{Key: canary, Model: "m", Headers: map[string]string{"api-key": canary}}
	a, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{o, &o, a} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "canary") {
				t.Errorf("%s of %T: %s", verb, v, text)
			}
		}
	}
}

func TestSecretHeadersAreMaskedInErrors(t *testing.T) {
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		return openaitest.Refuse(401, "", "bad keys "+r.Header.Get("Api-Key")+" "+r.Header.Get("X-Auth"))
	})
	f := failing(t, at(t, s, openai.Options{Headers: map[string]string{"api-key": "azure-canary", "x-auth": "Basic canary-basic"}}))
	if !strings.Contains(f.Detail, "bad keys [secret] [secret]") {
		t.Error(f.Detail)
	}
}

func TestRedirects(t *testing.T) {
	elsewhere := openaitest.New(t, always(openaitest.Answer{Text: "got you"}))
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		to := "/other/v1/chat/completions"
		switch {
		case r.Path == to:
			return openaitest.Answer{Text: "yes"}
		case r.N > 2:
			to = elsewhere.URL
		}
		return openaitest.Answer{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": to}}
	})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	a := at(t, s, openai.Options{Client: client})
	same(t, answering(t, a).Text, "yes")
	wanted{code: agent.Refused, detail: "redirects to another host", hint: elsewhere.URL}.check(t, failing(t, a))
	same(t, elsewhere.Asked(), 0)
}

func TestUnusualCompleteResponses(t *testing.T) {
	piece := `data: {"created":1.5,"choices":[{"index":0,"delta":{"content":"yes"}},{"index":1,"delta":{"content":"no"}}]}`
	for name, body := range map[string]string{
		"no finish_reason":       piece + "\n\ndata: [DONE]\n\n",
		"no [DONE]":              piece + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		"no last line break":     piece + "\n\ndata: [DONE]",
		"no break after an end":  piece + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`,
		"carriage returns":       piece + "\r\n\r\ndata:[DONE]\r\n\r\n",
		"many comments":          strings.Repeat(": wait\n\n", 2000) + piece + "\n" + strings.Repeat("event: x\nid: 1\n", 2000) + "data: [DONE]\n",
		"an error after the end": piece + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" + `data: {"error":{"message":"late"}}` + "\n\n",
		"parts":                  `data: {"choices":[{"delta":{"content":[{"type":"text","text":"ye"},{"type":"text","text":"s"}]}}]}` + "\n\ndata: [DONE]\n\n",
		"a body, not a stream":   `{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`,
		"a long line":            `data: {"x":"` + strings.Repeat("y", 100_000) + `","choices":[{"delta":{"content":"yes"}}]}` + "\n\ndata: [DONE]\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, always(raw("text/plain", body)))
			if reply := answering(t, at(t, s, openai.Options{})); reply.Text != "yes" || s.Asked() != 1 {
				t.Errorf("%+v: asked %d times", reply, s.Asked())
			}
		})
	}
}

// An unsupported feature is discovered from a refusal and not tried again.
func TestUnsupportedFeaturesAreDiscoveredOnce(t *testing.T) {
	for name, c := range map[string]struct {
		options openai.Options
		refuses func(map[string]any) string
		id      string
	}{
		"stream":          {openai.Options{}, refuses("stream", "Your organization must be verified to stream this model."), "+whole"},
		"stream_options":  {openai.Options{}, refuses("stream_options", "Unknown parameter: 'stream_options'."), "+uncounted"},
		"max_tokens":      {openai.Options{}, refuses("max_tokens", "Use 'max_completion_tokens' instead."), "+completion"},
		"response_format": {openai.Options{Structured: openai.Auto}, refuses("response_format", "This response_format type is unavailable now"), "+fences"},
		"text.format":     {openai.Options{Structured: openai.Auto, API: openai.Responses}, refuses("text", "text.format is not supported"), "+fences"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
				if message := c.refuses(sent(t, r)); message != "" {
					return openaitest.Answer{Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":{"message":%q,"param":%q}}`, message, name)}
				}
				return openaitest.Answer{Text: "yes"}
			})
			a := at(t, s, c.options)
			q := call()
			q.MaxReply = 10
			for n, attempts := range []int{2, 1, 1} {
				if reply, err := a.Ask(t.Context(), q); err != nil || reply.Attempts != attempts || s.Asked() != n+2 {
					t.Errorf("%+v, %v: asked %d times", reply, err, s.Asked())
				}
			}
			same(t, s.Requests()[0].Header.Get("Idempotency-Key"), q.ID)
			same(t, s.Requests()[1].Header.Get("Idempotency-Key"), q.ID+c.id)
		})
	}
}

// refuses rejects requests with this field.
func refuses(field, message string) func(map[string]any) string {
	return func(body map[string]any) string {
		if v, ok := body[field]; ok && v != false {
			return message
		}
		return ""
	}
}

func TestFallbacksStopAfterFiveAttempts(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Refuse(400, "", "stream_options stream response_format max_completion_tokens not supported")))
	f := failing(t, at(t, s, openai.Options{Structured: openai.Auto}))
	if f.Code != agent.Refused || f.Attempts != 5 || s.Asked() != 5 {
		t.Errorf("%+v: asked %d times", f, s.Asked())
	}
}
