package program

import (
	"strings"
	"testing"

	"brenner/agent"
	"brenner/internal/secret"
	"brenner/internal/text"
)

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		kind     string
		out, err string
		want     output
		usage    agent.Usage
	}{
		"codex, recovered error": {
			kind: Codex, out: `{"type":"error","message":"Reconnecting... 1/1"}
{"type":"item.completed","item":{"type":"agent_message","text":"a"}}
{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}`,
			want: output{text: "a", final: true}, usage: agent.Usage{Input: 1, Output: 2},
		},
		"codex, failed turn": {
			kind: Codex, out: `{"type":"item.completed","item":{"type":"agent_message","text":"a"}}` + "\n" + `{"type":"turn.failed","error":{"message":"no"}}`,
			want: output{text: "a", trouble: "no"},
		},
		"codex, cut off": {
			kind: Codex, out: `{"type":"item.completed","item":{"type":"agent_message","text":"a"}}` + "\n" + `{"type":"turn.comp`,
			want: output{text: "a"},
		},
		"gemini, failure only on stderr": {
			kind: Gemini, err: "Warning: { }\nat x {\n  status: 401\n}\n{\n  \"session_id\": \"s\",\n  \"error\": {\n    \"type\": \"Error\",\n    \"message\": \"no\",\n    \"code\": 401\n  }\n}\n",
			want: output{trouble: "no"},
		},
		"gemini, not JSON": {kind: Gemini, out: "hello", err: "{", want: output{}},
		"gemini, a complete message": {
			kind: Gemini, out: `{"type":"message","role":"assistant","content":"x","delta":true}` + "\n" + `{"type":"message","role":"assistant","content":"a"}` + "\n" + `{"type":"result","status":"success"}`,
			want: output{text: "a", final: true},
		},
		"claude, one object": {
			kind: Claude, out: "{\n \"type\": \"result\", \"subtype\": \"success\", \"result\": \"a\", \"usage\": {\"input_tokens\": 1, \"output_tokens\": 2}, \"modelUsage\": {\"m\": {}}\n}\n",
			want: output{text: "a", final: true, model: "m"}, usage: agent.Usage{Input: 1, Output: 2},
		},
		"claude, turn limit": {
			kind: Claude, out: `{"type":"result","subtype":"error_max_turns","is_error":true,"usage":{"input_tokens":3}}`,
			want: output{trouble: "error_max_turns", turns: true}, usage: agent.Usage{Input: 3},
		},
		"qwen": {
			kind: Qwen, out: `{"type":"result","subtype":"success","is_error":false,"result":"a","usage":{"input_tokens":30,"output_tokens":2,"cache_read_input_tokens":20}}`,
			want: output{text: "a", final: true}, usage: agent.Usage{Input: 30, Output: 2},
		},
		"qwen, an error": {
			kind: Qwen, out: `{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 bad key]"}}`,
			want: output{trouble: "error_during_execution [API Error: 401 bad key]"},
		},
		"opencode, text before a tool": {
			kind: OpenCode, out: `{"type":"text","part":{"text":"Let me see."}}
{"type":"tool_use","part":{"tool":"read"}}
{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"input":5,"output":1,"reasoning":1,"cache":{"read":2,"write":1}}}}
{"type":"text","part":{"text":"a"}}
{"type":"text","part":{"text":"b"}}
{"type":"step_finish","part":{"reason":"stop","tokens":{"input":10,"output":2,"reasoning":0,"cache":{"read":0,"write":0}}}}`,
			want: output{text: "ab", final: true}, usage: agent.Usage{Input: 18, Output: 4},
		},
		"opencode, an error": {
			kind: OpenCode, out: `{"type":"error","error":{"name":"APIError","data":{"message":"injected fault","statusCode":500}}}`,
			want: output{trouble: "500: injected fault: APIError"},
		},
		"opencode, its model's output ends early": {
			kind: OpenCode, out: `{"type":"text","part":{"text":"a"}}
{"type":"step_finish","part":{"reason":"unknown","tokens":{"input":0,"output":0}}}
{"type":"text","part":{"text":"b"}}
{"type":"step_finish","part":{"reason":"stop","tokens":{"input":10,"output":2}}}`,
			want: output{text: "ab", trouble: "stream ended without a finish reason"}, usage: agent.Usage{Input: 10, Output: 2},
		},
		"opencode, output limit": {
			kind: OpenCode, out: `{"type":"text","part":{"text":"a"}}
{"type":"step_finish","part":{"reason":"length"}}`,
			want: output{text: "a", trouble: reachedLimit},
		},
		"pi, output limit": {
			kind: Pi, out: `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"length"}}`,
			want: output{text: "a", trouble: reachedLimit},
		},
		"aider, output limit": {
			kind: Aider, out: "Aider v0.86.2\nRepo-map: disabled\n\na\nb\n\nModel openai/m has hit a token limit!\nToken counts below are approximate.\n",
			want: output{text: "a\nb", trouble: "Model openai/m has hit a token limit!"},
		},
		"opencode, cut off": {kind: OpenCode, out: `{"type":"text","part":{"text":"a"}}`, want: output{text: "a"}},
		"continue":          {kind: Continue, out: "a\n", want: output{text: "a", final: true}},
		"continue, an error": {
			kind: Continue, err: `{"status":"error","message":"401 bad key"}`,
			want: output{trouble: "401 bad key"},
		},
		"cline": {
			kind: Cline, out: `{"type":"agent_event","event":{"type":"content_start","contentType":"text","text":"Let me"}}
{"type":"run_result","finishReason":"completed","aggregateUsage":{"inputTokens":7,"outputTokens":2},"text":"a"}`,
			want: output{text: "a", final: true}, usage: agent.Usage{Input: 7, Output: 2},
		},
		"cline, an error": {
			kind: Cline, out: `{"type":"agent_event","event":{"type":"error","error":{"message":"bad key"},"errorClass":"auth"}}
{"type":"run_result","finishReason":"error","text":"bad key"}`, err: `{"type":"error","message":"bad key"}`,
			want: output{text: "bad key", trouble: "auth: bad key"},
		},
		"aider": {
			kind: Aider, out: "Analytics have been permanently disabled.\n\nAider v0.86.2\nRepo-map: disabled\n\na\n\nTokens: 5 sent, 6 received.\n\nb\n\nTokens: 68k sent, 1.2k cache write, 7 received.\n",
			want: output{text: "a\n\nTokens: 5 sent, 6 received.\n\nb", final: true}, usage: agent.Usage{Input: 68000, Output: 7, Guessed: true},
		},
		"aider, an error": {
			kind: Aider, out: "Aider v0.86.2\nRepo-map: disabled\n\nlitellm.AuthenticationError: bad\nkey\n",
			want: output{trouble: "litellm.AuthenticationError: bad key"},
		},
		"aider, after retries": {
			kind: Aider, out: "Repo-map: disabled\n\nlitellm.RateLimitError: no\nmore\nRetrying in 0.2 seconds...\nlitellm.RateLimitError: no\nRetrying in 0.5 seconds...\n\na\nRetrying in 1 seconds...\nb\n\nTokens: 5 sent, 6 received.\n",
			want: output{text: "a\nRetrying in 1 seconds...\nb", final: true}, usage: agent.Usage{Input: 5, Output: 6},
		},
		"llm": {
			kind: LLM, out: "a\n", err: "Token usage: 4,000 input, 7 output\n",
			want: output{text: "a", final: true}, usage: agent.Usage{Input: 4000, Output: 7},
		},
		"pi, after a retry": {
			kind: Pi, out: `{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"the question"}]}}
{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"500 injected fault"}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"stopReason":"stop","usage":{"input":5,"cacheRead":2,"cacheWrite":1,"output":3}}}`,
			want: output{text: "ab", final: true}, usage: agent.Usage{Input: 8, Output: 3},
		},
		"pi, an error": {
			kind: Pi, out: `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"500 injected fault"}}`,
			want: output{trouble: "500 injected fault"},
		},
		"a command with invalid UTF-8": {kind: Command, out: "a\xffb", want: output{text: "a\uFFFDb", final: true}},
	} {
		got := kindOf(test.kind).read([]byte(test.out), []byte(test.err))
		var usage agent.Usage
		if got.usage != nil {
			usage = *got.usage
		}
		got.usage = nil
		if got != test.want || usage != test.usage {
			t.Errorf("%s: %+v, %+v", name, got, usage)
		}
	}
}

// No reported number makes a run free or loses its reply.
func TestImplausibleUsageIsIgnored(t *testing.T) {
	forms := map[string]string{
		Codex:  `{"type":"item.completed","item":{"type":"agent_message","text":"four"}}` + "\n" + `{"type":"turn.completed","usage":USAGE}`,
		Claude: `{"type":"result","subtype":"success","result":"four","usage":USAGE}`,
		Gemini: `{"type":"message","role":"assistant","content":"four"}` + "\n" + `{"type":"result","status":"success","stats":USAGE}`,
	}
	x := &execution{Program: &Program{Options: Options{Count: func(s string) int { return len(s) }}}, text: "question"}
	for usage, want := range map[string]agent.Usage{
		`{"input_tokens":20,"output_tokens":9}`:                  {Input: 20, Output: 9},
		`{"input_tokens":20.0,"output_tokens":9}`:                {Input: 20, Output: 9},
		`{"input_tokens":-1000000,"output_tokens":9}`:            {Input: 8, Output: 4, Guessed: true},
		`{"input_tokens":20,"output_tokens":-9}`:                 {Input: 8, Output: 4, Guessed: true},
		`{"input_tokens":9223372036854775807,"output_tokens":9}`: {Input: 8, Output: 4, Guessed: true},
		`{"input_tokens":20,"output_tokens":1e30}`:               {Input: 8, Output: 4, Guessed: true},
		`{"input_tokens":"20","output_tokens":9}`:                {Input: 8, Output: 4, Guessed: true},
		`{"input_tokens":null,"output_tokens":9}`:                {Input: 8, Output: 9, Guessed: true},
		`{"input_tokens":20}`:                                    {Input: 20, Output: 4, Guessed: true},
		`{"input_tokens":0,"output_tokens":0}`:                   {Input: 8, Output: 4, Guessed: true},
		`{}`:                                                     {Input: 8, Output: 4, Guessed: true},
		`null`:                                                   {Input: 8, Output: 4, Guessed: true},
		`"none"`:                                                 {Input: 8, Output: 4, Guessed: true},
		`[1]`:                                                    {Input: 8, Output: 4, Guessed: true},
	} {
		for name, form := range forms {
			s := kindOf(name).read([]byte(strings.ReplaceAll(form, "USAGE", usage)), nil)
			if got := x.usage(s); !s.final || s.text != "four" || got != want {
				t.Errorf("%s, %s: %+v, %+v", name, usage, s, got)
			}
		}
	}
	cached := `{"type":"result","subtype":"success","result":"four","usage":{"input_tokens":1,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":9}}`
	if got := x.usage(kindOf(Claude).read([]byte(cached), nil)); got != (agent.Usage{Input: 321, Output: 9}) {
		t.Errorf("%+v", got)
	}
}

func TestClassifyFailure(t *testing.T) {
	x := &execution{Program: &Program{kind: codex()}, argv: []string{"/bin/codex"}}
	for message, want := range map[string]string{
		"unexpected status 401 Unauthorized":            "AGENT_AUTH",
		"API Error: 403 no":                             "AGENT_FORBIDDEN",
		`{"error":{"code":404,"message":"model m"}}`:    "MODEL_UNKNOWN",
		"last status: 429 Too Many Requests":            "RATE_LIMITED",
		"You've hit your usage limit.":                  "QUOTA_SPENT",
		"status=502":                                    "AGENT_UNAVAILABLE",
		"http 400":                                      "AGENT_REFUSED",
		"stream disconnected before completion":         "REPLY_CUT",
		"Connection refused (os error 111)":             "AGENT_UNAVAILABLE",
		"400: this exceeds the model's context window":  "CONTEXT_TOO_LONG",
		"Not logged in · Please run /login":             "AGENT_AUTH",
		"500 injected fault":                            "AGENT_UNAVAILABLE",
		"auth: bad key":                                 "AGENT_AUTH",
		"litellm.AuthenticationError: no":               "AGENT_AUTH",
		"unknown: injected: Too Many Requests":          "RATE_LIMITED",
		"unknown: injected: Internal Server Error":      "AGENT_UNAVAILABLE",
		"Error: Connection error.":                      "AGENT_UNAVAILABLE",
		"The socket connection was closed unexpectedly": "REPLY_CUT",
		"API Error: Incomplete JSON segment at the end": "REPLY_CUT",
		"The model `m` does not exist":                  "MODEL_UNKNOWN",
		"error: unknown option '--pure'":                "PROGRAM_FAILED",
	} {
		if f := x.classifyFailure(message); f == nil || string(f.Code) != want || f.Hint == "" {
			t.Errorf("%s: %+v", message, f)
		}
	}
	for _, message := range []string{"", "what is it", "port 4040", "in 500 ms"} {
		if f := x.classifyFailure(message); f != nil {
			t.Errorf("%s: %+v", message, f)
		}
	}
}

func TestShownIsClean(t *testing.T) {
	for message, want := range map[string]string{
		"\x1b[31;1mred\x1b[0m\n": "red\n", "a\x1b]0;title\ab": "ab", "a\x1bcb": "ab", "a\x00\x07\u202eb\tc": "ab\tc", "\x1b": "", "\x1b[": "", "a\xffé": "aé", "a\x1b]b": "ab",
	} {
		if got := text.Clean(message, text.Output); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
	var hide secrets
	if got := hide.shown(strings.Repeat("é ", 400)); len([]rune(got)) != longestMessage {
		t.Errorf("%d characters", len([]rune(got)))
	}
	if got := hide.evidence(strings.Repeat("é", longestPartial)); len(got) > longestPartial {
		t.Errorf("%d bytes", len(got))
	}
}

// Any output can be read, and the result can be shown.
func FuzzRead(f *testing.F) {
	f.Add(`{"type":"turn.completed"}`, "\n{\"error\":{\"message\":\"no\"}}")
	f.Add(`{"type":"result","status":"success","stats":{}}`, "\x1b]0;")
	f.Add(`{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}`, "\n{\n{")
	var hide secrets
	hide.errors = secret.New([]string{"secret-0123456789"}, 1)
	f.Fuzz(func(t *testing.T, out, errs string) {
		for _, name := range Kinds() {
			k := kindOf(name)
			if k.turn != nil {
				k.turn([]byte(out))
			}
			output := k.read([]byte(out), []byte(errs))
			if u := output.usage; u != nil && (u.Input < 0 || u.Output < 0) {
				t.Errorf("%+v", u)
			}
			shown := hide.shown(output.trouble + errs)
			if strings.ContainsAny(shown, "\x00\x07\n\x1b") || strings.Contains(shown, "secret-0123456789") {
				t.Errorf("%q", shown)
			}
		}
	})
}
