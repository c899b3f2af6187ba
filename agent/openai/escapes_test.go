package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// Each character of the key may be escaped differently.
func TestKeyIsMasked_MixedEscapes(t *testing.T) {
	var text string
	s := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: text} })
	a := at(t, s, openai.Options{})
	forms := []string{"%c", `\%c`, `\u%04x`, `\u%04X`, `\\u%04x`, "%%%02x", "%%%02X", "%%25%02x", "&#%d;", "&#x%x;"}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, r := range canary {
			_, _ = fmt.Fprintf(&b, rapid.SampledFrom(forms).Draw(t, "form"), r)
		}
		text = `one "` + b.String() + `" two`
		reply, err := a.Ask(t.Context(), agent.Call{Turns: call().Turns})
		if err != nil || reply.Text != `one "[secret]" two` {
			t.Fatalf("%s: %+v, %v", text, reply, err)
		}
	})
}
