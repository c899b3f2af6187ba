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

// Server is an endpoint with embeddings, on loopback.
type Server struct {
	*httptest.Server

	mu    sync.Mutex
	asked []Request
}

// Request is one request, as far as tests want to know it.
type Request struct {
	Path, Auth, Model string
	Input             []string
}

// NewServer starts an endpoint, which ends with the test. Its vectors depend on the
// words of a text: texts that share words are alike. A nil answer is that; another one
// does it all.
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
		s.asked = append(s.asked, req)
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

// BaseURL is what an embedder is given.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Asked gives all requests so far.
func (s *Server) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.asked...)
}

// Answer writes the vectors of a request, the last first: the order of an answer means
// nothing.
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

// Vector gives 64 numbers for a text, by its words; they are not of length 1.
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
