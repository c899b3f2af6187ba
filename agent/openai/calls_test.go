package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

// Calls of tools, which no request offers, become text, so that they are read and their author is asked for the answer.
func TestToolCallsAreText(t *testing.T) {
	const call = "```tool_call\n{\"function\":\"put\",\"arguments\":{\"id\":\"n\",\"content\":\"# N\\n\"}}\n```\n"
	const arguments = `"{\"id\": \"n\", \"content\": \"# N\\n\"}"`
	const events = "text/event-stream"
	for name, c := range map[string]struct{ api, kind, body, want string }{
		"alone":        {openai.Chat, "application/json", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"put","arguments":` + arguments + `}}]},"finish_reason":"tool_calls"}]}`, call},
		"beside text":  {openai.Chat, "application/json", `{"choices":[{"message":{"content":"So.","tool_calls":[{"function":{"name":"put","arguments":` + arguments + `}}]},"finish_reason":"stop"}]}`, "So.\n\n" + call},
		"as an object": {openai.Chat, "application/json", `{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"put","arguments":{"id":"n", "content":"# N\n"}}}]},"finish_reason":"stop"}]}`, call},
		"not JSON":     {openai.Chat, "application/json", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"put","arguments":"{a\n"}}]},"finish_reason":"stop"}]}`, "```tool_call\n{\"function\":\"put\",\"arguments\":\"{a\\n\"}\n```\n"},
		"no list":      {openai.Chat, "application/json", `{"choices":[{"message":{"tool_calls":{"a": 1}},"finish_reason":"stop"}]}`, "```tool_call\n{\"function\":\"\",\"arguments\":{\"a\":1}}\n```\n"},
		"a stream": {openai.Chat, events, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"put","arguments":"{\"id\": \"n\","}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"content\": \"# N\\n\"}"}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n", call},
		"responses": {openai.Responses, "application/json", `{"status":"completed","output":[{"type":"function_call","name":"put","arguments":` + arguments + `}]}`, call},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, always(openaitest.Answer{Write: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = w.Write([]byte(c.body))
			}}))
			reply := answering(t, at(t, s, openai.Options{API: c.api, Count: words}))
			if reply.Text != c.want {
				t.Errorf("got %q, want %q", reply.Text, c.want)
			}
			if strings.TrimSpace(reply.Text) != "" && reply.Usage.Output == 0 {
				t.Errorf("no tokens are counted: %+v", reply.Usage)
			}
		})
	}
}
