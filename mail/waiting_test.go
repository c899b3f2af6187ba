package mail_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brenner/mail"
)

// Concurrent requests have different ids, because a server may match responses only by id.
func TestRequestIDsAreUnique(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := make(map[string]int)
		network := roundTrip(func(r *http.Request) *http.Response {
			var q struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Arguments struct {
						Wait int `json:"wait_seconds"`
					}
				}
			}
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
				t.Error(err)
			}
			if q.ID != nil {
				mu.Lock()
				seen[r.Header.Get("Mcp-Session-Id")+" "+string(q.ID)]++
				mu.Unlock()
			}
			var result any = object{}
			switch q.Method {
			case "tools/list":
				result = object{"tools": []object{{"name": "fetch_inbox", "inputSchema": object{"properties": object{"wait_seconds": object{}}}}}}
			case "tools/call":
				<-time.After(time.Duration(q.Params.Arguments.Wait) * time.Second) // by the fake clock
				result = object{"structuredContent": object{"messages": []object{}}}
			}
			body, err := json.Marshal(object{"jsonrpc": "2.0", "id": q.ID, "result": result})
			if err != nil {
				t.Error(err)
			}
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {"one"}},
				Body: io.NopCloser(bytes.NewReader(body)), Request: r,
			}
		})
		c, err := mail.New(mail.Options{URL: "http://mail.example/mcp", HTTP: &http.Client{Transport: network}, Timeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { // longer than the client's timeout
				if _, err := c.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "BlueLake"}, time.Minute); err != nil {
					t.Error(err)
				}
				if _, err := c.Health(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%d requests have the id %q", n, id)
			}
		}
	})
}
