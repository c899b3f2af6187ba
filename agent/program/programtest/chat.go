package programtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// chatRequest is a request of OpenAI's Chat Completions API, as far as it matters here.
type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

func parseChat(body []byte) (Question, bool) {
	var in chatRequest
	if json.Unmarshal(body, &in) != nil || len(in.Messages) == 0 {
		return Question{}, false
	}
	q := Question{API: "chat", Model: in.Model, plain: !in.Stream}
	for _, m := range in.Messages {
		switch text := chatText(m.Content); m.Role {
		case "user":
			q.Text = text
		case "tool":
			q.Tools, q.Result = q.Tools+1, text
		}
	}
	for _, t := range in.Tools {
		q.Offered = append(q.Offered, t.Function.Name)
	}
	return q, true
}

// chatText returns the text of a message, which is a string or a list of parts.
func chatText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var all parts
	if json.Unmarshal(content, &all) != nil {
		return ""
	}
	return all.text()
}

// offered returns the name under which the client offers a tool: clients put the server's name
// before it, each in its own way. Qwen does not show the tools of servers, but takes them.
func (q *Question) offered(server, tool string) string {
	for _, name := range q.Offered {
		if strings.HasSuffix(name, tool) {
			return name
		}
	}
	if server != "" {
		return "mcp__" + server + "__" + tool
	}
	return tool
}

// chat writes a response of the Chat Completions API, or returns it if the client does not want a stream.
func (q *Question) chat(a Answer, event func(object)) object {
	id := fmt.Sprint("chatcmpl-", q.N)
	usage := object{"prompt_tokens": 5000, "completion_tokens": 9, "total_tokens": 5009}
	answer := object{"role": "assistant", "content": a.Text}
	finish := "stop"
	if a.Tool != "" {
		args, err := json.Marshal(a.Args)
		if err != nil {
			return nil // cannot happen
		}
		finish = "tool_calls"
		answer["tool_calls"] = []object{{
			"index": 0, "id": fmt.Sprint("call_", q.N), "type": "function",
			"function": object{"name": q.offered(a.Server, a.Tool), "arguments": string(args)},
		}}
	}
	finish = cmp.Or(a.Finish, finish)
	if q.plain {
		return object{
			"id": id, "object": "chat.completion", "created": 1, "model": q.Model, "usage": usage,
			"choices": []object{{"index": 0, "message": answer, "finish_reason": finish}},
		}
	}
	chunk := func(choices []object, more object) {
		c := object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": q.Model, "choices": choices}
		for name, value := range more {
			c[name] = value
		}
		event(c)
	}
	delta := func(d object, finish any) {
		chunk([]object{{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, half := range halves(a.Text) {
		delta(object{"content": half}, nil)
	}
	if calls, ok := answer["tool_calls"]; ok {
		delta(object{"tool_calls": calls}, nil)
	}
	if finish == NoFinish {
		return nil
	}
	delta(object{}, finish)
	chunk([]object{}, object{"usage": usage})
	return nil
}
