// Package openaitest is a model endpoint for tests, on loopback: it speaks both
// forms of the API, streams where it is asked to, and fails in all the ways in
// which real ones do.
//
// It knows nothing of what it is asked: each test says what is answered.
package openaitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Request is one request, as far as tests want to know it.
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

// Message is one of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Last is the last message's text.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// Server is an endpoint.
type Server struct {
	*httptest.Server
	answer func(Request) Answer

	mu       sync.Mutex
	requests []Request
}

// New starts an endpoint, which ends with the test.
func New(tb testing.TB, answer func(Request) Answer) *Server {
	tb.Helper()
	s := &Server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	tb.Cleanup(func() {
		s.CloseClientConnections() // those that hang, too
		s.Close()
	})
	return s
}

// BaseURL is what an agent is given.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Requests gives all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asked tells how many requests there were.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, responses: strings.HasSuffix(r.URL.Path, "/responses")}
	var said struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []Message `json:"messages"`
		Input    []Message `json:"input"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Model, req.Stream, req.Messages = said.Model, said.Stream, slices.Concat(said.Messages, said.Input)
	s.mu.Lock()
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	s.answer(req).write(w, r, req)
}
