package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpAgent is an agent controlled by a test: a client of the MCP SDK with a token.
type mcpAgent struct {
	t       *testing.T
	name    string
	project string
	session *mcp.ClientSession
	last    float64 // the latest message read
}

// bearer adds a token to every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// joinAs registers an agent with its token.
func joinAs(t *testing.T, base, project, name, token string) *mcpAgent {
	t.Helper()
	transport := &http.Transport{}
	c := mcp.NewClient(&mcp.Implementation{Name: "scripted", Version: "1"}, nil)
	s, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: base + "/mcp/", HTTPClient: &http.Client{Transport: bearer{token, transport}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		transport.CloseIdleConnections()
	})
	a := &mcpAgent{t: t, name: name, project: project, session: s}
	a.call("register_agent", map[string]any{"program": "codex-cli", "model": "double", "name": name})
	return a
}

// call calls a tool as the agent.
func (a *mcpAgent) call(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	arguments["project_key"] = a.project
	r, err := a.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		text := ""
		if r != nil && len(r.Content) > 0 {
			text = r.Content[0].(*mcp.TextContent).Text
		}
		a.t.Fatalf("%s by %s: %v, %.300s", tool, a.name, err, text)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		a.t.Fatal(err)
	}
	return o
}

// next waits for the next message with a prefix and returns its id and body.
func (a *mcpAgent) next(prefix string) (id float64, body string) {
	a.t.Helper()
	for empty := 0; empty < 2; { // stops after minutes
		o := a.call("fetch_inbox", map[string]any{"agent_name": a.name, "after_id": a.last, "wait_seconds": 50, "include_bodies": true, "limit": 1})
		all, _ := o["result"].([]any)
		if len(all) == 0 {
			empty++
			continue
		}
		m := all[0].(map[string]any)
		a.last = m["id"].(float64)
		if strings.HasPrefix(m["subject"].(string), prefix) {
			return a.last, m["body_md"].(string)
		}
	}
	a.t.Fatalf("no message for %s with prefix %s", a.name, prefix)
	return 0, ""
}

func (a *mcpAgent) acknowledge(id float64) {
	a.t.Helper()
	a.call("acknowledge_message", map[string]any{"agent_name": a.name, "message_id": id})
}

func (a *mcpAgent) reply(id float64, body string) {
	a.t.Helper()
	a.call("reply_message", map[string]any{"sender_name": a.name, "message_id": id, "body_md": body})
}

// write sends a new message to a thread.
func (a *mcpAgent) write(thread, subject, body string) {
	a.t.Helper()
	a.call("send_message", map[string]any{"sender_name": a.name, "to": []string{"Operator"}, "subject": subject, "body_md": body, "thread_id": thread})
}

// delta returns a reply with one delta.
func delta(change string) string { return "I propose this.\n\n```delta\n" + change + "\n```\n" }

func hypothesis(name string) string {
	return delta(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"` + name + `","claim":"It is ` + name + `."}}`)
}
