// Package openaitest is a model endpoint for tests, on loopback. It speaks both
// APIs, streams on request, and fails in all the ways that real ones do.
//
// Each test supplies the answers.
package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// Request is a received request.
type Request struct {
	N         int // from 1
	Path      string
	Header    http.Header
	Body      []byte
	Model     string
	Stream    bool
	Messages  []Message
	responses bool
}

// Message is a message of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Last returns the last message's text.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// Server is a test endpoint.
type Server struct {
	*httptest.Server
	// Pages are the answers to GET requests, by path; set them before the first request.
	Pages  map[string]string
	answer func(Request) Answer

	mu       sync.Mutex
	requests []Request
}

// New starts an endpoint that is closed at the end of the test.
func New(tb testing.TB, answer func(Request) Answer) *Server {
	tb.Helper()
	s := &Server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	tb.Cleanup(func() {
		s.CloseClientConnections() // including those that hang
		s.Close()
	})
	return s
}

// BaseURL returns the base URL for an agent.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Requests returns all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asked returns the number of requests.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if page, ok := s.Pages[r.URL.Path]; ok && r.Method == http.MethodGet {
		_, _ = fmt.Fprint(w, page)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, responses: strings.HasSuffix(r.URL.Path, "/responses")}
	var fields struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []Message `json:"messages"`
		Input    []Message `json:"input"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Model, req.Stream, req.Messages = fields.Model, fields.Stream, slices.Concat(fields.Messages, fields.Input)
	s.mu.Lock()
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	s.answer(req).write(w, r, req)
}

// event is an event of the Responses API.
type event struct {
	Type     string `json:"type"`
	Delta    string `json:"delta,omitempty"`
	Response object `json:"response,omitempty"`
}

// chunk is an event of chat completions.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   object   `json:"usage,omitempty"`
}

type choice struct {
	Index  int     `json:"index"`
	Delta  delta   `json:"delta"`
	Finish *string `json:"finish_reason"`
}

type delta struct {
	Content  string `json:"content,omitempty"`
	Refusal  string `json:"refusal,omitempty"`
	Thoughts string `json:"reasoning_content,omitempty"`
}

// piece returns a piece of output as a stream event.
func (r Request) piece(d delta) any {
	if !r.responses {
		return r.chunk(choice{Delta: d})
	}
	switch {
	case d.Refusal != "":
		return event{Type: "response.refusal.delta", Delta: d.Refusal}
	case d.Thoughts != "":
		return event{Type: "response.reasoning_text.delta", Delta: d.Thoughts}
	}
	return event{Type: "response.output_text.delta", Delta: d.Content}
}

func (r Request) chunk(choices ...choice) chunk {
	return chunk{ID: "chatcmpl-1", Object: "chat.completion.chunk", Model: r.Model, Choices: append([]choice{}, choices...)}
}

// ending returns the last events of a stream.
func (a Answer) ending(r Request) []any {
	if r.responses {
		kind := "response.completed"
		if a.Finish != "stop" {
			kind = "response.incomplete"
		}
		return []any{event{Type: kind, Response: a.response(r, []object{})}}
	}
	end := []any{r.chunk(choice{Finish: &a.Finish})}
	if a.Usage != nil {
		last := r.chunk()
		last.Usage = a.chatUsage()
		end = append(end, last)
	}
	return end
}

// whole returns the answer as one body.
func (a Answer) whole(r Request) object {
	if r.responses {
		content := []object{{"type": "output_text", "text": a.Text}}
		if a.Refusal != "" {
			content = []object{{"type": "refusal", "refusal": a.Refusal}}
		}
		return a.response(r, []object{
			{"type": "reasoning", "content": []object{{"type": "reasoning_text", "text": a.Thoughts}}},
			{"type": "message", "role": "assistant", "content": content},
		})
	}
	message := object{"role": "assistant", "content": a.Text, "reasoning_content": a.Thoughts}
	if a.Refusal != "" {
		message["content"], message["refusal"] = nil, a.Refusal
	}
	whole := object{
		"id": "chatcmpl-1", "object": "chat.completion", "model": r.Model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": a.Finish}},
	}
	if a.Usage != nil {
		whole["usage"] = a.chatUsage()
	}
	return whole
}

func (a Answer) chatUsage() object {
	return object{"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output, "total_tokens": a.Usage.Input + a.Usage.Output}
}

func (a Answer) response(r Request, output []object) object {
	o := object{"id": "resp_1", "object": "response", "model": r.Model, "status": "completed", "output": output, "error": nil, "incomplete_details": nil}
	switch a.Finish {
	case "stop":
	case "length":
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	default:
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": a.Finish}
	}
	if a.Usage != nil {
		o["usage"] = object{"input_tokens": a.Usage.Input, "output_tokens": a.Usage.Output}
	}
	return o
}

// Answer is the endpoint's reaction to a request. The zero value is a blank reply.
type Answer struct {
	Text     string
	Refusal  string // instead of a text
	Thoughts string // reasoning before the text
	Chunk    int    // bytes of text in each piece of a stream; 0 means 64 KiB
	Finish   string // finish reason; empty means "stop"
	Model    string // that it names; empty means the requested one
	Usage    *Usage // nil sends none

	// Wait, if not nil, is called before each piece of a stream, with its number
	// from 0, and once with 0 before everything else.
	Wait func(piece int)

	// Hang never responds. After the text, Cut drops the connection, End ends the
	// stream without a last event, and Broken writes invalid JSON.
	Hang, Cut, End, Broken bool

	// Status, if not 0, responds with this status, Header and Body.
	Status int
	Header map[string]string
	Body   string

	// Write, if not nil, writes the response.
	Write http.HandlerFunc
}

// Usage is the reported usage.
type Usage struct{ Input, Output int }

// Refuse returns an error response of the API.
func Refuse(status int, code, message string) Answer {
	body, _ := json.Marshal(object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
	return Answer{Status: status, Body: string(body), Header: map[string]string{"Content-Type": "application/json"}}
}

type object = map[string]any

func (a Answer) write(w http.ResponseWriter, r *http.Request, req Request) {
	switch {
	case a.Hang:
		<-r.Context().Done()
		return
	case a.Write != nil:
		a.Write(w, r)
		return
	case a.Status != 0:
		for name, value := range a.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body))
		return
	}
	a.wait(0)
	if a.Model != "" {
		req.Model = a.Model
	}
	if a.Finish == "" {
		a.Finish = "stop"
	}
	if req.Stream {
		a.stream(w, req)
		return
	}
	body, _ := json.Marshal(a.whole(req))
	if a.Broken || a.Cut {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
	a.drop(w)
}

func (a Answer) wait(n int) {
	if a.Wait != nil {
		a.Wait(n)
	}
}

// drop drops the connection if the answer is to be cut.
func (a Answer) drop(w http.ResponseWriter) {
	if a.Cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (a Answer) stream(w http.ResponseWriter, req Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_, _ = fmt.Fprint(w, ": hello\n\n") // a comment, as gateways send them
	if a.Thoughts != "" {
		send(w, req.piece(delta{Thoughts: a.Thoughts}))
	}
	for n, piece := range a.pieces() {
		a.wait(n)
		d := delta{Content: piece}
		if a.Refusal != "" {
			d = delta{Refusal: piece}
		}
		send(w, req.piece(d))
		_ = flush.Flush()
	}
	switch {
	case a.Broken:
		_, _ = fmt.Fprint(w, "data: {\"choices\": [{\"delta\": oh\n\n")
		return
	case a.Cut:
		_, _ = fmt.Fprint(w, "data: {\"choices\": [{\"del")
		a.drop(w)
	case a.End:
		return
	}
	for _, e := range a.ending(req) {
		send(w, e)
	}
	if !req.responses {
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func send(w http.ResponseWriter, what any) {
	data, _ := json.Marshal(what)
	if e, ok := what.(event); ok {
		_, _ = fmt.Fprintf(w, "event: %s\n", e.Type)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
}

// pieces splits the text between characters.
func (a Answer) pieces() []string {
	size := a.Chunk
	if size <= 0 {
		size = 64 << 10
	}
	var all []string
	for text := a.Text + a.Refusal; text != ""; {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}
