package flow_test

import (
	"testing"

	"pgregory.net/rapid"

	"brenner/session/flow"
)

func TestMatchModels(t *testing.T) {
	for _, tt := range []struct {
		asked, answered string
		want            flow.Match
	}{
		{"gpt-4o", "gpt-4o", flow.MatchSame},
		{"", "gpt-4o", flow.MatchUnknown},
		{"gpt-4o", "", flow.MatchUnknown},
		{"gpt-4o", "gpt-4o-2024-08-06", flow.MatchVariant},
		{"gpt-4o-2024-08-06", "gpt-4o", flow.MatchVariant},
		{"gpt-4", "gpt-4-0613", flow.MatchVariant},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", flow.MatchVariant},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", flow.MatchVariant},
		{"gemini-1.5-pro", "models/gemini-1.5-pro-002", flow.MatchVariant},
		{"openai/gpt-4o", "gpt-4o", flow.MatchVariant},
		{"llama3", "llama3:latest", flow.MatchVariant},
		{"qwen2.5-7b", "/srv/models/Qwen2.5-7B.gguf", flow.MatchVariant},
		{"opus", "claude-opus-4-5-20251101", flow.MatchVariant},
		{"GPT-4o", "gpt-4o", flow.MatchVariant},
		{"gpt-4o", "gpt-4o-mini", flow.MatchOther},
		{"gpt-4", "gpt-4-turbo", flow.MatchOther},
		{"gpt-4", "gpt-4.5", flow.MatchOther},
		{"gpt-4o", "gpt-4o-mini-2024-07-18", flow.MatchOther},
		{"gpt-4o-2024-08-06", "gpt-4o-2024-05-13", flow.MatchOther},
		{"llama3:70b", "llama3:8b", flow.MatchOther},
		{"llama3", "mistral", flow.MatchOther},
		{"opus", "claude-sonnet-4-5", flow.MatchOther},
		{"openrouter/openai/gpt-4o", "openai/gpt-4o", flow.MatchVariant},
		{"google/gemini-1.5-pro", "models/gemini-1.5-pro", flow.MatchVariant},
		{"vendor/qwen", `C:\models\qwen.gguf`, flow.MatchVariant},
		{"vendor/m7", "other/m7", flow.MatchOther},
		{"gpt", "gpt-5", flow.MatchOther},
		{"llama", "llama-3", flow.MatchOther},
		{"x", "x-v2", flow.MatchOther},
		{"alt", "alt-b", flow.MatchOther},
		{"m", "m-beef", flow.MatchOther},
		{"m", "beef-m", flow.MatchOther},
	} {
		if got := flow.MatchModels(tt.asked, tt.answered); got != tt.want {
			t.Errorf("%s answered by %s: got %q, want %q", tt.asked, tt.answered, got, tt.want)
		}
	}
}

func TestMatchModelsIsReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "asked"), rapid.String().Draw(t, "answered")
		if m := flow.MatchModels(a, a); m != flow.MatchSame && m != flow.MatchUnknown {
			t.Errorf("%q: got %q", a, m)
		}
		if m := flow.MatchModels(a, b); m == flow.MatchSame && a != b {
			t.Errorf("%q, %q: got %q", a, b, m)
		}
	})
}

func TestRemarks(t *testing.T) {
	state := func(model string, tokens, input int, guessed bool) (*flow.State, *flow.Call) {
		call := flow.Call{
			Agent: "BlueLake", Round: 1, Leg: 1, Turn: flow.TurnAsk, Status: flow.Replied,
			Answered: flow.Answered{Model: model, Input: input, Guessed: guessed},
		}
		st := &flow.State{Agents: []flow.Party{{Name: "BlueLake", ModelID: "gpt-4o"}}}
		st.Legs = []flow.Leg{{
			Planned:   flow.Planned{Round: 1, Leg: 1},
			Exchanges: []flow.Exchange{{Kickoff: &flow.Kickoff{Agent: "BlueLake", Tokens: tokens}, Ask: call}},
		}}
		return st, &call
	}
	for _, tt := range []struct {
		model         string
		tokens, input int
		guessed       bool
		want          string
	}{
		{"gpt-4o", 6000, 5900, false, ""},
		{"gpt-4o-2024-08-06", 6000, 5900, false, "answered_as: gpt-4o answered as gpt-4o-2024-08-06"},
		{"gpt-3.5-turbo", 6000, 5900, false, "other_model: asked for gpt-4o, but gpt-3.5-turbo answered"},
		{"", 6000, 4096, false, "prompt_truncated: the server read only 4096 of about 6000 tokens of the prompt"},
		{"", 6000, 4096, true, ""}, // our own figure
		{"", 6000, 4500, false, ""},
		{"", 900, 100, false, ""},
	} {
		st, call := state(tt.model, tt.tokens, tt.input, tt.guessed)
		got := ""
		for _, r := range st.Remarks(call) {
			got += r.Kind + ": " + r.Message
			if r.Warns() == (r.Kind == flow.RemarkVariant) {
				t.Errorf("%s: warns %v", r.Kind, r.Warns())
			}
		}
		if got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
		call.Status = flow.Lost
		if st.Remarks(call) != nil {
			t.Error("a failed call has remarks")
		}
	}
}

// Artifacts of earlier sessions have the authors of the rules of then.
func TestAuthorOfEarlierProtocols(t *testing.T) {
	party := flow.Party{Name: "BlueLake", Via: flow.ViaOpenAI, ModelID: "gpt", Way: &flow.Way{Endpoint: "http://127.0.0.1:1/v1"}}
	call := flow.Call{Agent: "BlueLake", Status: flow.Replied, By: &party, Answered: flow.Answered{Model: "gpt-5"}}
	for protocol, want := range map[int]string{flow.SecondProtocol: "gpt at 127.0.0.1:1", flow.ThirdProtocol: "gpt at 127.0.0.1:1, answered by gpt-5"} {
		st := &flow.State{Opened: flow.Opened{Protocol: protocol}}
		if got := st.Author(&call); got != want {
			t.Errorf("protocol %d: got %q, want %q", protocol, got, want)
		}
	}
}
