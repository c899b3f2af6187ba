package tape_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/openai/openaitest"
	"brenner/agent/tape"
)

// body responds with these bytes.
func body(text string) openaitest.Answer {
	return openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }}
}

// escaped escapes every character as JSON allows.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		_, _ = fmt.Fprintf(&b, `\u%04X`, r)
	}
	return b.String()
}

// deltas returns a stream of pieces that are already JSON.
func deltas(pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		_, _ = fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s}}]}\n\n", p)
	}
	return b.String() + "data: [DONE]\n\n"
}

// A tape that is played without the key must not reveal it.
func TestEscapedSecretsAreMasked(t *testing.T) {
	const stars = "**"
	for name, c := range map[string]struct {
		body   string
		played string // part of the reply; empty if it cannot be played
	}{
		"all escaped":       {deltas(`"say ` + escaped(canary) + `"`), stars},
		"one letter":        {deltas(`"say \u0073` + canary[1:] + `"`), stars},
		"slashes":           {deltas(`"say ` + strings.ReplaceAll(canary, "/", `\/`) + `"`), stars},
		"escaped twice":     {deltas(`"say {\"k\":\"` + strings.ReplaceAll(escaped(canary), `\`, `\\`) + `\"}"`), stars},
		"a body":            {`{"choices":[{"message":{"content":"say ` + escaped(canary) + `"}}]}`, stars},
		"in two pieces":     {deltas(`"say "`, `"`+canary[:10]+`"`, `"`+canary[10:]+`"`), ""},
		"piece by piece":    {deltas(strings.Split(`"`+strings.Join(strings.Split(canary, ""), `" "`)+`"`, " ")...), ""},
		"pieces, escaped":   {deltas(`"`+escaped(canary[:10])+`"`, `"`+escaped(canary[10:])+` "`), ""},
		"pieces in parts":   {deltas(`"`+canary[:10]+`"`, `[{"type":"text","text":"`+canary[10:]+`"}]`), ""},
		"parts of a body":   {`{"choices":[{"message":{"content":[{"text":"` + canary[:10] + `"},{"text":"` + canary[10:] + `"}]}}]}`, ""},
		"after a mark":      {"\xef\xbb\xbf" + deltas(`"`+canary[:10]+`"`, `"`+canary[10:]+`"`), ""},
		"in a refusal":      {deltas(`"yes"`) + `data: {"error":{"message":"` + escaped("given-canary") + `"}}`, "yes"},
		"only a part of it": {deltas(`"say `+canary[:10]+`"`, `" "`, `"`+canary[10:]+`"`), "say " + canary[:10]},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return body(c.body) })
			rec, b := recorded(t, network(t))
			ask(t.Context(), asking(t, s.BaseURL(), canary, rec), call("1", "?"))
			if rec.Err() != nil {
				t.Fatal(rec.Err())
			}
			got := ask(t.Context(), asking(t, s.BaseURL(), "", player(t, b.String())), call("1", "?"))
			if strings.Contains(got.reply.Text, canary) || strings.Contains(unescaped(t, b.String()), canary) {
				t.Errorf("the tape contains the key: %s", b)
			}
			switch f := got.failure; {
			case c.played != "" && !strings.Contains(got.reply.Text, c.played):
				t.Errorf("%+v", got)
			case c.played == "" && (f.Code != tape.Miss || f.Retry || !strings.Contains(f.Detail, "line 2") || !strings.Contains(f.Detail, "secret") || f.Hint == ""):
				t.Errorf("%+v", got)
			}
		})
	}
}

// unescaped removes all JSON escapes, however nested.
func unescaped(t *testing.T, text string) string {
	t.Helper()
	for range 4 {
		for i := range 128 {
			for _, form := range []string{`\u%04x`, `\u%04X`} {
				text = strings.ReplaceAll(text, fmt.Sprintf(form, i), string(rune(i)))
			}
		}
		text = strings.ReplaceAll(text, `\\`, `\`)
	}
	return strings.ReplaceAll(text, `\/`, "/")
}

// Memory and tape are bounded.
func TestOversizedBody(t *testing.T) {
	defer tape.SetMaxKept(64 << 10)()
	long := strings.Repeat("word ", 20<<10)
	quoted, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return body(deltas(string(quoted))) })
	rec, b := recorded(t, network(t))
	if got := ask(t.Context(), asking(t, s.BaseURL(), canary, rec), call("1", "?")); got.reply.Text != long {
		t.Errorf("the caller did not get the reply: %+v", got.failure)
	}
	if b.Len() > 4<<10 {
		t.Errorf("%d bytes on the tape", b.Len())
	}
	f := ask(t.Context(), asking(t, s.BaseURL(), "", player(t, b.String())), call("1", "?")).failure
	if f.Code != agent.TooLarge || f.Retry || !strings.Contains(f.Detail, "65536") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}
