package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	operator = "bm_operator_0123456789"
	project  = "/srv/cell-fate"
	thread   = "RS-20260101-trial"
)

// site is a server on loopback, over a real box.
type site struct {
	*httptest.Server
	box    mail.Box
	client *http.Client
}

func open(tb testing.TB) *site {
	tb.Helper()
	b, err := box.Open(context.Background(), tb.TempDir(), box.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return serve(tb, b)
}

func serve(tb testing.TB, b mail.Box) *site {
	tb.Helper()
	s, err := server.New(server.Options{Box: b, Operator: operator})
	if err != nil {
		tb.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	at := &site{httptest.NewServer(s), b, &http.Client{Transport: transport}}
	tb.Cleanup(func() {
		transport.CloseIdleConnections()
		at.Server.Close()
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return at
}

// bearer adds a token to every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

// connect makes a real MCP client with a token.
func (s *site) connect(tb testing.TB, token string) *mcp.ClientSession {
	tb.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "trial", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token, s.client.Transport}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = session.Close() })
	return session
}

type object = map[string]any

// call calls a tool and requires success.
func call(tb testing.TB, s *mcp.ClientSession, tool string, arguments object) object {
	tb.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		tb.Fatalf("%s: %v, %s", tool, err, textOf(r))
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		tb.Fatal(err)
	}
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		tb.Fatal(err)
	}
	conforms(tb, s, tool, o)
	return o
}

// conforms checks a result against the tool's output schema, as clients do.
func conforms(tb testing.TB, s *mcp.ClientSession, tool string, result object) {
	tb.Helper()
	list, err := s.ListTools(context.Background(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	i := slices.IndexFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == tool })
	data, err := json.Marshal(list.Tools[i].OutputSchema)
	if err != nil {
		tb.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		tb.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if err := resolved.Validate(result); err != nil {
		tb.Errorf("%s: the result does not match the output schema: %v", tool, err)
	}
}

func textOf(r *mcp.CallToolResult) string {
	if r == nil || len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// refused calls a tool and requires a refusal with a code.
func refused(tb testing.TB, s *mcp.ClientSession, want, tool string, arguments object) {
	tb.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || !r.IsError || !strings.Contains(textOf(r), want) {
		tb.Errorf("%s: want a refusal with %s: %v, %.300s", tool, want, err, textOf(r))
	}
}

// join registers agents and returns a session for each.
func (s *site) join(tb testing.TB, names ...string) map[string]*mcp.ClientSession {
	tb.Helper()
	all := map[string]*mcp.ClientSession{"": s.connect(tb, operator)}
	call(tb, all[""], "ensure_project", object{"human_key": project})
	for _, name := range names {
		a := call(tb, all[""], "register_agent", object{"project_key": project, "program": "codex-cli", "model": "m", "name": name})
		all[name] = s.connect(tb, a["registration_token"].(string))
	}
	return all
}

// post sends a body and returns status, header and body of the response.
func (s *site) post(tb testing.TB, change func(*http.Request), body io.Reader) (int, http.Header, string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, s.URL+"/mcp", body)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+operator)
	change(r)
	resp, err := s.client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}
