package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const newest = "2026-07-28"

// modern sends a request of the newest protocol, without initialize, and returns the response.
func (s *site) modern(tb testing.TB, method string, params object) (status int, result object, code int) {
	tb.Helper()
	params["_meta"] = object{
		"io.modelcontextprotocol/protocolVersion": newest, "io.modelcontextprotocol/clientCapabilities": object{},
		"io.modelcontextprotocol/clientInfo": object{"name": "trial", "version": "1"},
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		tb.Fatal(err)
	}
	status, _, text := s.post(tb, func(r *http.Request) {
		r.Header.Set("MCP-Protocol-Version", newest)
		r.Header.Set("Mcp-Method", method)
		for _, name := range []string{"name", "uri"} {
			if value, ok := params[name].(string); ok {
				r.Header.Set("Mcp-Name", value)
			}
		}
	}, strings.NewReader(string(body)))
	var answer struct {
		Result object
		Error  struct{ Code int }
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		tb.Fatalf("%s: %d: %s", method, status, text)
	}
	return status, answer.Result, answer.Error.Code
}

// Every result of the newest protocol has its required members.
func TestModernProtocol(t *testing.T) {
	s := open(t)
	s.join(t, "BlueLake")
	_, found, _ := s.modern(t, "server/discover", object{})
	if versions := fmt.Sprint(found["supportedVersions"]); !strings.Contains(versions, newest) {
		t.Fatalf("supported versions: %s", versions)
	}
	q := "?project=" + url.QueryEscape(project)
	for _, c := range []struct {
		method string
		params object
		scope  string // of caches
	}{
		{"server/discover", object{}, "public"},
		{"tools/list", object{}, "public"},
		{"resources/list", object{}, "private"},
		{"resources/templates/list", object{}, "public"},
		{"resources/read", object{"uri": "resource://inbox/BlueLake" + q}, "private"},
		{"resources/read", object{"uri": "resource://thread/TH-1" + q + "&limit=3"}, "private"},
		{"tools/call", object{"name": "health_check", "arguments": object{}}, ""},
	} {
		status, result, code := s.modern(t, c.method, c.params)
		if status != http.StatusOK || code != 0 || result["resultType"] != "complete" {
			t.Errorf("%s: status %d, code %d: %v", c.method, status, code, result)
		}
		if c.scope != "" && (result["cacheScope"] != c.scope || result["ttlMs"] != 0.0) {
			t.Errorf("%s: cacheScope %v, want %s; ttlMs %v, want 0", c.method, result["cacheScope"], c.scope, result["ttlMs"])
		}
	}
	_, listed, _ := s.modern(t, "resources/list", object{})
	for _, r := range listed["resources"].([]any) {
		uri := r.(object)["uri"].(string)
		if _, result, code := s.modern(t, "resources/read", object{"uri": uri}); code != 0 || len(result["contents"].([]any)) != 1 {
			t.Errorf("%s is listed, but reading it gives code %d: %v", uri, code, result)
		}
	}
	for method, params := range map[string]object{"resources/read": {"uri": "resource://nothing/x"}, "tools/call": {"name": "nothing"}} {
		if _, _, code := s.modern(t, method, params); code != -32602 {
			t.Errorf("%s: code %d, want -32602", method, code)
		}
	}
}

// Requests that the server cannot handle get JSON-RPC errors, in every protocol.
func TestJSONRPCErrors(t *testing.T) {
	s := open(t)
	for _, method := range []string{"no/such", "initialize", "ping", "resources/subscribe"} {
		if _, _, code := s.modern(t, method, object{"uri": "x"}); code != -32601 {
			t.Errorf("%s: code %d, want -32601", method, code)
		}
	}
	if status, _, text := s.post(t, func(*http.Request) {}, strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/no_such"}`)); status != http.StatusAccepted || text != "" {
		t.Errorf("an unknown notification: %d %q, want 202 without an answer", status, text)
	}
	for _, c := range []struct {
		body, id     string
		status, code int
	}{
		{`{"jsonrpc":"2.0","id":"a","method":"no/such"}`, `"a"`, 200, -32601},
		{`{"jsonrpc":"2.0","id":0,"method":"no/such","params":{}}`, `0`, 200, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `1`, 200, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, `1`, 200, -32600},
		{`{"jsonrpc":"2.0","method":"no/such"}`, `null`, 400, -32600},
		{`{"jsonrpc":"2.0","id":1,`, `null`, 400, -32700},
		{`[]`, `null`, 400, -32600},
		{``, `null`, 400, -32700},
	} {
		status, header, text := s.post(t, func(*http.Request) {}, strings.NewReader(c.body))
		var r struct {
			JSONRPC string
			ID      json.RawMessage
			Error   struct {
				Code    int
				Message string
			}
		}
		err := json.Unmarshal([]byte(text), &r)
		if err != nil || status != c.status || r.JSONRPC != "2.0" || string(r.ID) != c.id || r.Error.Code != c.code || r.Error.Message == "" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %d with code %d", c.body, status, text, c.status, c.code)
		}
	}
}

func TestUnknownArguments(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake")
	for tool, c := range map[string]struct {
		args object
		want string
	}{
		"fetch_inbox":  {object{"project_key": project, "agent": "BlueLake"}, "did you mean agent_name?"},
		"send_message": {object{"project_key": project, "sender_name": "BlueLake", "to": "BlueLake", "subject": "s", "body_md": "b", "attachment_paths": []string{"x"}}, "attachment_paths"},
		"health_check": {object{"verbose": true}, "no arguments"},
	} {
		refused(t, as["BlueLake"], "MAIL_INVALID", tool, c.args)
		refused(t, as["BlueLake"], c.want, tool, c.args)
	}
	if all := call(t, as["BlueLake"], "fetch_inbox", object{"project_key": project, "agent_name": "BlueLake"})["result"].([]any); len(all) != 0 {
		t.Errorf("a refused message was delivered: %v", all)
	}
}

// The tools' descriptions and schemas name the words that a model must choose from.
func TestToolsNameTheirWords(t *testing.T) {
	s := open(t)
	list, err := s.connect(t, operator).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		want []string
	}{
		{"send_message", []string{"DELTA", "CRITIQUE", "ACK", "acknowledge_message", `"enum":["low","normal","high","urgent"]`}},
		{"reply_message", []string{"KICKOFF", "CRITIQUE"}},
		{"acknowledge_message", []string{"ACK"}},
		{"set_contact_policy", []string{`"enum":["open","auto","contacts_only","block_all"]`}},
	} {
		for _, tool := range list.Tools {
			if tool.Name != c.tool {
				continue
			}
			text, err := json.Marshal(tool)
			if missing := slices.DeleteFunc(c.want, func(w string) bool { return strings.Contains(string(text), w) }); err != nil || len(missing) > 0 {
				t.Errorf("%s does not name %q: %s, %v", c.tool, missing, text, err)
			}
		}
	}
}

func TestPrompt(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake")
	for name, c := range map[string]struct {
		arguments map[string]string
		want      string
	}{
		"BlueLake": {nil, `"BlueLake", the project_key "` + project + `"`},
		"":         {map[string]string{"agent_name": "RedSky"}, `"RedSky", the project_key that of your working directory`},
	} {
		r, err := as[name].GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "work-by-mail", Arguments: c.arguments})
		if err != nil || !strings.Contains(r.Messages[0].Content.(*mcp.TextContent).Text, c.want) {
			t.Errorf("%q: want %s: %+v, %v", name, c.want, r, err)
		}
	}
}
