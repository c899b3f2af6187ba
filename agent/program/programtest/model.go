package programtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Question is a request to the model.
type Question struct {
	API     string // "responses", "chat" or "gemini"
	Model   string
	Text    string   // the user's last message
	N       int      // the number of this request, over all APIs
	Tools   int      // the number of tool results in it
	Result  string   // the last tool result, verbatim
	Offered []string // the names of the tools, in the chat API
	Header  http.Header
	plain   bool // the client wants no stream
}

// Answer is the model's reaction. The zero value is a blank reply.
type Answer struct {
	Text   string
	Tool   string // a tool to call instead of finishing
	Server string // the tool's MCP server, as named in the configuration
	Args   object
	Status int    // an error status
	Hang   bool   // never responds
	Stall  bool   // hangs after half of the response
	Cut    bool   // drops the connection after half of the response
	Finish string // the reason in the Chat Completions API, instead of the usual ones; NoFinish leaves it out
}

// NoFinish is the Finish of a response that ends early.
const NoFinish = "none"

// Model is a model on loopback that speaks OpenAI's Responses API, for codex, its Chat
// Completions API, and Gemini's API.
type Model struct {
	*httptest.Server
	answer func(Question) Answer
	closed chan struct{}
	mu     sync.Mutex
	asked  []Question
	gone   int
}

// NewModel starts a model that is closed at the end of the test.
func NewModel(t testing.TB, answer func(Question) Answer) *Model {
	t.Helper()
	m := &Model{answer: answer, closed: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		close(m.closed)
		m.CloseClientConnections() // including those that hang
		m.Close()
	})
	return m
}

// Questions returns all requests so far.
func (m *Model) Questions() []Question {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Question(nil), m.asked...)
}

// Disconnects returns how many clients left before the response was complete.
func (m *Model) Disconnects() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	q, ok := parse(r.URL.Path, body)
	if !ok {
		http.NotFound(w, r)
		return
	}
	q.Header = r.Header.Clone()
	m.mu.Lock()
	q.N = len(m.asked) + 1
	m.asked = append(m.asked, q)
	m.mu.Unlock()
	a := m.answer(q)
	switch {
	case a.Hang:
		m.wait(r)
		return
	case a.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":"injected fault","status":"FAULT"}}`, a.Status)
		return
	}
	text := q.stream(a)
	w.Header().Set("Content-Type", "text/event-stream")
	if q.plain {
		w.Header().Set("Content-Type", "application/json")
	}
	if a.Stall || a.Cut {
		text = text[:len(text)/2]
	}
	if _, err := io.WriteString(w, text); err != nil {
		return
	}
	if a.Stall || a.Cut {
		_ = http.NewResponseController(w).Flush() // a client that left is ignored
	}
	if a.Stall {
		m.wait(r)
	}
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
}

// wait waits until the client disconnects or the test ends.
func (m *Model) wait(r *http.Request) {
	select {
	case <-r.Context().Done():
		m.mu.Lock()
		m.gone++
		m.mu.Unlock()
	case <-m.closed:
	}
}

type parts []struct {
	Text     string          `json:"text"`
	Response json.RawMessage `json:"functionResponse"`
}

func (p parts) text() string {
	var b strings.Builder
	for _, one := range p {
		b.WriteString(one.Text)
	}
	return b.String()
}

func parse(path string, body []byte) (Question, bool) {
	var in struct {
		Model string `json:"model"`
		Input []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content parts           `json:"content"`
			Output  json.RawMessage `json:"output"`
		} `json:"input"`
		Contents []struct {
			Role  string `json:"role"`
			Parts parts  `json:"parts"`
		} `json:"contents"`
	}
	if json.Unmarshal(body, &in) != nil {
		return Question{}, false
	}
	if strings.HasSuffix(path, "/chat/completions") {
		return parseChat(body)
	}
	if strings.HasSuffix(path, "/responses") {
		q := Question{API: "responses", Model: in.Model}
		for _, item := range in.Input {
			if item.Role == "user" {
				q.Text = item.Content.text()
			}
			if strings.HasSuffix(item.Type, "_output") {
				q.Tools, q.Result = q.Tools+1, string(item.Output)
			}
		}
		return q, true
	}
	_, name, ok := strings.Cut(path, "/models/")
	name, ok2 := strings.CutSuffix(name, ":streamGenerateContent")
	q := Question{API: "gemini", Model: name}
	for _, c := range in.Contents {
		if text := c.Parts.text(); c.Role == "user" && text != "" {
			q.Text = text
		}
		for _, p := range c.Parts {
			if p.Response != nil {
				q.Tools, q.Result = q.Tools+1, string(p.Response)
			}
		}
	}
	return q, ok && ok2
}

// stream returns a complete response, as server-sent events unless the client wants none.
func (q *Question) stream(a Answer) string {
	var b strings.Builder
	event := func(v object) {
		data, err := json.Marshal(v)
		if err != nil {
			return // cannot happen
		}
		if kind, ok := v["type"]; ok {
			fmt.Fprintf(&b, "event: %s\n", kind)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	switch q.API {
	case "gemini":
		q.gemini(a, event)
	case "chat":
		if whole := q.chat(a, event); whole != nil {
			data, err := json.Marshal(whole)
			if err != nil {
				return "" // cannot happen
			}
			return string(data)
		}
		b.WriteString("data: [DONE]\n\n")
	default:
		q.responses(a, event)
	}
	return b.String()
}

func (q *Question) gemini(a Answer, event func(object)) {
	chunk := func(finish string, part object) {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": []object{part}}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		event(object{
			"candidates": []object{candidate}, "modelVersion": q.Model, "responseId": fmt.Sprint("gem-", q.N),
			"usageMetadata": object{"promptTokenCount": 5000, "candidatesTokenCount": 9, "totalTokenCount": 5009},
		})
	}
	if a.Text != "" {
		for _, half := range halves(a.Text) {
			chunk("", object{"text": half})
		}
	}
	if a.Tool != "" {
		name := a.Tool
		if a.Server != "" {
			name = "mcp_" + a.Server + "_" + name
		}
		chunk("", object{"functionCall": object{"id": fmt.Sprint("call_", q.N), "name": name, "args": a.Args}})
	}
	chunk("STOP", object{"text": ""})
}

func (q *Question) responses(a Answer, event func(object)) {
	id := fmt.Sprint("resp_", q.N)
	response := func(status string, output []object) object {
		return object{"id": id, "object": "response", "status": status, "model": q.Model, "output": output}
	}
	event(object{"type": "response.created", "response": response("in_progress", []object{})})
	var output []object
	item := object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "in_progress", "content": []object{}}
	if a.Text != "" || a.Tool == "" {
		event(object{"type": "response.output_item.added", "output_index": 0, "item": item})
		for _, half := range halves(a.Text) {
			event(object{"type": "response.output_text.delta", "item_id": "msg_" + id, "output_index": 0, "content_index": 0, "delta": half})
		}
		item = object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": a.Text, "annotations": []object{}}}}
		event(object{"type": "response.output_item.done", "output_index": 0, "item": item})
		output = append(output, item)
	}
	if a.Tool != "" {
		args, err := json.Marshal(a.Args)
		if err != nil {
			return // cannot happen
		}
		item = object{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": a.Tool, "arguments": string(args), "status": "completed"}
		if a.Server != "" {
			item["namespace"] = "mcp__" + a.Server
		}
		event(object{"type": "response.output_item.done", "output_index": len(output), "item": item})
		output = append(output, item)
	}
	done := response("completed", output)
	done["usage"] = object{
		"input_tokens": 5000, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 9, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 5009,
	}
	event(object{"type": "response.completed", "response": done})
}
