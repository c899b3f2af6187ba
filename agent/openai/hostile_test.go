package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// stream responds with these events.
func stream(events ...string) openaitest.Answer {
	return raw("text/event-stream", "data: "+strings.Join(events, "\n\ndata: ")+"\n\n")
}

// chunk is a chunk of the chat API with this text.
func chunk(text string) string { return `{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` }

const finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// Implausible usage is ignored, and tokens are counted instead.
func TestImplausibleUsageIsIgnored(t *testing.T) {
	for _, c := range []struct {
		text string
		want agent.Usage
	}{
		{`{"prompt_tokens":9000000000000000000,"completion_tokens":9000000000000000000}`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`{"prompt_tokens":4611686018427387904,"completion_tokens":5}`, agent.Usage{Input: 10, Output: 5, Guessed: true}},
		{`{"prompt_tokens":1000000001,"completion_tokens":5}`, agent.Usage{Input: 10, Output: 5, Guessed: true}},
		{`{"prompt_tokens":-5,"completion_tokens":-1e18}`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`{"prompt_tokens":1e999,"completion_tokens":0.5}`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`{"prompt_tokens":"12","completion_tokens":"5"}`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`{"prompt_tokens":12}`, agent.Usage{Input: 12, Output: 1, Guessed: true}},
		{`{"prompt_tokens":1000000000,"completion_tokens":5}`, agent.Usage{Input: 1000000000, Output: 5}},
		{`{"prompt_tokens":12.0,"completion_tokens":5e0}`, agent.Usage{Input: 12, Output: 5}},
		{`{"prompt_tokens":0,"completion_tokens":0}`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`"none"`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`[]`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
		{`null`, agent.Usage{Input: 10, Output: 1, Guessed: true}},
	} {
		text, want := c.text, c.want
		chat := stream(chunk("yes"), finished, `{"choices":[],"usage":`+text+`}`, "[DONE]")
		same(t, answering(t, at(t, openaitest.New(t, always(chat)), openai.Options{Count: words})).Usage, want)
		text = strings.NewReplacer("prompt_", "input_", "completion_", "output_").Replace(text)
		whole := raw("application/json", `{"status":"completed","output":[{"content":[{"type":"output_text","text":"yes"}]}],"usage":`+text+`}`)
		same(t, answering(t, at(t, openaitest.New(t, always(whole)), openai.Options{Count: words, API: openai.Responses})).Usage, want)
	}
}

// Tables and warnings show the model's name.
func TestLongModelNameIsClipped(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes", Model: strings.Repeat("a", 3000)}))
	same(t, answering(t, at(t, s, openai.Options{})).Model, strings.Repeat("a", 199)+"…")
}

// The value of any other header may be an ordinary word.
func TestOnlySecretHeadersAreMasked(t *testing.T) {
	o := openai.Options{Headers: map[string]string{"X-Section": "hypothesis_slate", "X-Api-Key": "azure-0123456789abcdef"}}
	s := openaitest.New(t, always(openaitest.Answer{Text: "hypothesis_slate azure-0123456789abcdef"}))
	same(t, answering(t, at(t, s, o)).Text, "hypothesis_slate [secret]")
}

// JSON in a reply is parsed again, so an escaped key is masked too.
func TestKeyIsMasked_EscapedInJSON(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: `{"claim":"\u0073k-canary-+\/=0123456789abcdef"}`}))
	same(t, answering(t, at(t, s, openai.Options{})).Text, `{"claim":"[secret]"}`)
}

// Truncating first would leave the beginning of a key.
func TestPartialIsMaskedBeforeTruncation(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: strings.Repeat("a", 1<<20-20) + canary + " more", Cut: true}))
	f := failing(t, at(t, s, openai.Options{}))
	if f.Code != agent.Cut || !strings.HasSuffix(f.Partial, "a[secret] more") {
		t.Errorf("%s: %q", f.Code, f.Partial[max(0, len(f.Partial)-40):])
	}
}

// Lines without data count towards the limit, too.
func TestEndlessCommentsAreLimited(t *testing.T) {
	for name, line := range map[string]string{"comments": ": " + strings.Repeat("x", 1000) + "\n", "spaces": strings.Repeat("\n", 1000)} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, always(openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) {
				for {
					if _, err := io.WriteString(w, line); err != nil {
						return
					}
				}
			}}))
			wanted{code: agent.TooLarge, detail: "1024", usage: agent.Usage{Input: 10, Guessed: true}}.
				check(t, failing(t, at(t, s, openai.Options{Count: words, MaxReplyBytes: 1024})))
		})
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	for _, body := range []string{
		bom + "data: " + chunk("yes") + "\n\ndata: " + finished + "\n\n",
		bom + `{"choices":[{"message":{"content":"yes"}}]}`,
	} {
		s := openaitest.New(t, always(raw("text/plain", body)))
		same(t, answering(t, at(t, s, openai.Options{})).Text, "yes")
	}
	s := openaitest.New(t, always(status(400, bom+`{"error":{"message":"no"}}`)))
	if f := failing(t, at(t, s, openai.Options{})); !strings.HasSuffix(f.Detail, ": no") {
		t.Error(f.Detail)
	}
}

// Split characters are joined; invalid bytes are replaced.
func TestSplitCharactersAreJoined(t *testing.T) {
	s := openaitest.New(t, always(stream(chunk("\xc3"), chunk("\xa9 \xf0\x9f"), chunk("\x98\x80 é\xff"), chunk("!"), finished)))
	same(t, answering(t, at(t, s, openai.Options{})).Text, "é 😀 é\uFFFD!")
}

// Some servers never close the connection.
func TestFinishedReplyDoesNotWait(t *testing.T) {
	defer openai.Linger(10 * time.Millisecond)()
	for _, noisy := range []bool{false, true} {
		s := openaitest.New(t, always(openaitest.Answer{Write: func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, "data: %s\n\ndata: %s\n\n", chunk("yes"), finished)
			flush := http.NewResponseController(w)
			for r.Context().Err() == nil && flush.Flush() == nil && noisy {
				_, _ = io.WriteString(w, ": still here\n\n")
			}
			<-r.Context().Done()
		}}))
		same(t, answering(t, at(t, s, openai.Options{Count: words})), agent.Reply{Text: "yes", Usage: agent.Usage{Input: 10, Output: 1, Guessed: true}, Attempts: 1})
	}
}

// What an endpoint that ignores the token limit has sent is a cut reply.
func TestEndpointThatIgnoresTokenLimitIsStopped(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", chunk("word word ")); err != nil {
				return
			}
		}
	}}))
	c := call()
	c.MaxReply = 100
	reply, err := at(t, s, openai.Options{Count: words}).Ask(t.Context(), c)
	if err != nil || !reply.Cut || !strings.HasPrefix(reply.Text, "word word ") || reply.Usage.Input != 10 || reply.Usage.Output < 200 || reply.Usage.Output > 1000 {
		t.Errorf("%v %+v", err, reply)
	}
	// Long words are fine, and so is a reply that is complete.
	for _, answer := range []openaitest.Answer{
		{Text: strings.Repeat("straight ", 100), Chunk: 9},
		raw("application/json", `{"choices":[{"message":{"content":"`+strings.Repeat("word ", 1000)+`"}}]}`),
	} {
		if _, err := at(t, openaitest.New(t, always(answer)), openai.Options{}).Ask(t.Context(), c); err != nil {
			t.Error(err)
		}
	}
}

// A response of the other API is malformed, not blank.
func TestResponseOfOtherAPI(t *testing.T) {
	want := wanted{code: agent.Malformed, retry: true, kept: "yes", usage: agent.Usage{Input: 10, Guessed: true}}
	for _, answer := range []openaitest.Answer{
		stream(chunk("yes"), finished, "[DONE]"),
		raw("application/json", `{"choices":[{"message":{"content":"yes"}}]}`),
	} {
		want.check(t, failing(t, at(t, openaitest.New(t, always(answer)), openai.Options{Count: words, API: openai.Responses})))
	}
	answer := raw("application/json", `{"status":"completed","output":[{"content":[{"type":"output_text","text":"yes"}]}]}`)
	want.check(t, failing(t, at(t, openaitest.New(t, always(answer)), openai.Options{Count: words})))
}

func TestAuthHintNamesKeyVariable(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Refuse(401, "", "no")))
	wanted{code: agent.NoAuth, hint: "set GROQ_KEY to a key"}.check(t, failing(t, at(t, s, openai.Options{KeyName: "GROQ_KEY"})))
	keyless, err := openai.New(openai.Options{BaseURL: s.BaseURL(), Model: "test-model", KeyName: "GROQ_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	wanted{code: agent.NoAuth, detail: "requires a key, but GROQ_KEY is not set", hint: "set GROQ_KEY to a key"}.check(t, failing(t, keyless))
}
