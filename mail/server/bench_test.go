package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// emptyServer returns a server of the same SDK and settings whose only tool does nothing.
func emptyServer(tb testing.TB) string {
	tb.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "empty", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "send_message", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "{}"}}}, nil
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	at := httptest.NewServer(h)
	tb.Cleanup(at.Close)
	return at.URL
}

// caller50 calls a tool from fifty concurrent clients.
type caller50 struct {
	client *http.Client
	url    string
	token  string
	body   func(n int) string
	calls  atomic.Int64
}

func (c *caller50) run(tb testing.TB, calls int) time.Duration {
	tb.Helper()
	var left atomic.Int64
	left.Store(int64(calls))
	begin := time.Now()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				c.call(tb, c.body(int(c.calls.Add(1))))
			}
		})
	}
	all.Wait()
	return time.Since(begin)
}

func (c *caller50) call(tb testing.TB, body string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url, bytes.NewReader([]byte(body)))
	if err != nil {
		tb.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.client.Do(r)
	if err != nil {
		tb.Error(err)
		return
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(`"result"`)) || bytes.Contains(text, []byte(`"isError":true`)) {
		tb.Errorf("%d: %s, %v", resp.StatusCode, text, err)
	}
	_ = resp.Body.Close()
}

// BenchmarkCalls compares our tools with a handler that does nothing, in alternation, so
// that the machine is equally busy for both.
func BenchmarkCalls(b *testing.B) {
	s := open(b)
	as := s.join(b, "BlueLake", "RedSky")
	token := call(b, as[""], "register_agent", object{"project_key": project, "program": "p", "model": "m", "name": "GreenHill"})["registration_token"].(string)
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	defer transport.CloseIdleConnections()
	request := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	send := func(n int) string {
		return request("send_message", fmt.Sprintf(`{"project_key":%q,"sender_name":"GreenHill","to":["BlueLake"],"subject":"INFO: %d","body_md":"Some words about cells and where they are.","thread_id":"RS-20260101-fast","idempotency_key":"%d"}`, project, n, n))
	}
	fetch := func(int) string {
		return request("fetch_inbox", fmt.Sprintf(`{"project_key":%q,"agent_name":"GreenHill","limit":5}`, project))
	}
	for range 20 {
		call(b, as["BlueLake"], "send_message", object{"project_key": project, "sender_name": "BlueLake", "to": "GreenHill", "subject": "s", "body_md": "Some words."})
	}
	empty := &caller50{client: &http.Client{Transport: transport}, url: emptyServer(b), token: "none", body: send}
	for name, body := range map[string]func(int) string{"send": send, "fetch": fetch} {
		b.Run(name, func(b *testing.B) {
			ours := &caller50{client: &http.Client{Transport: transport}, url: s.URL + "/mcp", token: token, body: body}
			ours.calls.Store(time.Now().UnixNano()) // keys of their own
			const turn = 500
			var theirs, mine time.Duration
			n := 0
			for b.Loop() {
				theirs += empty.run(b, turn)
				mine += ours.run(b, turn)
				n += turn
			}
			b.ReportMetric(float64(n)/theirs.Seconds(), "empty/s")
			b.ReportMetric(float64(n)/mine.Seconds(), "ours/s")
			b.ReportMetric(100*theirs.Seconds()/mine.Seconds(), "%")
		})
	}
}
