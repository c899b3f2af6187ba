package mailtest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"brenner/mail"
)

// serve starts a server that ends with the test.
func serve(tb testing.TB, h http.Handler) *httptest.Server {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// NewClient returns a client of the server at o.URL, whose transport ends with the test.
func NewClient(tb testing.TB, o mail.Options) *mail.Client {
	tb.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	tb.Cleanup(transport.CloseIdleConnections)
	o.HTTP = &http.Client{Transport: transport}
	c, err := mail.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// counter counts calls.
type counter struct {
	mu    sync.Mutex
	calls map[string]int
}

// Calls returns the number of calls of a tool or method.
func (c *counter) Calls(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[name]
}

func (c *counter) count(q *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = make(map[string]int)
	}
	c.calls[q.Method]++
	if q.Method == "tools/call" {
		c.calls[q.tool()]++
	}
}
