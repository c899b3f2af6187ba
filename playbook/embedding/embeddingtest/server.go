package embeddingtest

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server is an embeddings endpoint on loopback.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	requests []Request
}

// Request is the recorded part of a request.
type Request struct {
	Path, Auth, Model string
	Input             []string
}

// NewServer starts an endpoint that ends with the test. By default its vectors depend on the
// words of a text: texts that share words are similar. A non-nil answer handles all requests
// instead.
func NewServer(tb testing.TB, answer http.HandlerFunc) *Server {
	tb.Helper()
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := Request{Path: r.URL.Path, Auth: r.Header.Get("Authorization")}
		var body struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		req.Model, req.Input = body.Model, body.Input
		s.mu.Lock()
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		Answer(w, req)
	}))
	tb.Cleanup(s.Close)
	return s
}

// BaseURL returns the base URL for an embedder.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Requests returns all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Answer writes the vectors of a request in reverse: their order is arbitrary.
func Answer(w http.ResponseWriter, req Request) {
	type row struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	rows := make([]row, 0, len(req.Input))
	for i := len(req.Input) - 1; i >= 0; i-- {
		rows = append(rows, row{"embedding", i, Vector(req.Input[i])})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": req.Model, "data": rows})
}

// Vector returns 64 numbers that depend on the words of a text; they are not of length 1.
func Vector(text string) []float32 {
	v := make([]float32, 64)
	v[0] = 0.1
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		v[1+h.Sum32()%63]++
	}
	return v
}
