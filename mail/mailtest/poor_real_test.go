//go:build realmail

package mailtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"brenner/mail/mailtest"
)

const token = "s3cret-of-the-server"

// ask makes a request and returns the HTTP status, whether it was refused, and what came: the structured content, or the
// JSON of a resource.
func ask(t *testing.T, base, method string, params any) (status int, refused bool, value any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp/", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Error  any
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]any }
			}
			Structured any  `json:"structuredContent"`
			IsError    bool `json:"isError"`
			Contents   []struct{ Text string }
		}
	}
	_ = json.Unmarshal(data, &answer) // an HTTP error is no JSON-RPC
	switch {
	case answer.Result.Tools != nil:
		tools := make(map[string]any)
		for _, tool := range answer.Result.Tools {
			tools[tool.Name] = slices.Sorted(maps.Keys(tool.InputSchema.Properties))
		}
		value = tools
	case len(answer.Result.Contents) > 0:
		_ = json.Unmarshal([]byte(answer.Result.Contents[0].Text), &value)
	default:
		value = answer.Result.Structured
	}
	return resp.StatusCode, answer.Error != nil || answer.Result.IsError, value
}

// fields returns the paths of all members of a value.
func fields(value any, at string, into map[string]bool) map[string]bool {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			into[at+"."+name] = true
			fields(inner, at+"."+name, into)
		}
	case []any:
		for _, inner := range v {
			fields(inner, at+"[]", into)
		}
	}
	return into
}

// read are the fields that the client reads.
var read = strings.Fields("id name project_id thread_id subject body_md from to cc bcc importance ack_required created_ts reply_to kind receipts human_key slug status program model task_description")

// TestRealMailServer compares the double with mcp-mail: it is exactly as poor in what the client sends and reads.
func TestRealMailServer(t *testing.T) {
	settings := []string{"HTTP_BEARER_TOKEN=" + token, "HTTP_ALLOW_LOCALHOST_UNAUTHENTICATED=false"}
	writer := append(slices.Clone(settings), "HTTP_RBAC_DEFAULT_ROLE=writer", "MCP_TOOLS_MODE=extended")
	for name, pair := range map[string][2]string{
		"reader": {mailtest.NewPoor(t, &mailtest.Poor{Token: token, Reader: true, Core: true}).URL, mailtest.NewReal(t, settings...).Base},
		"writer": {mailtest.NewPoor(t, &mailtest.Poor{Token: token}).URL, mailtest.NewReal(t, writer...).Base},
	} {
		t.Run(name, func(t *testing.T) { compare(t, pair[0], pair[1]) })
	}
}

func compare(t *testing.T, double, real string) {
	call := func(tool string, arguments map[string]any) (string, any) {
		return "tools/call", map[string]any{"name": tool, "arguments": arguments}
	}
	resource := func(uri string) (string, any) { return "resources/read", map[string]any{"uri": uri} }
	type object = map[string]any
	step := func(method string, params any) {
		t.Helper()
		status, refused, value := ask(t, double, method, params)
		wantStatus, wantRefused, want := ask(t, real, method, params)
		if status != wantStatus || refused != wantRefused {
			t.Errorf("%v: the double answers %d, refused %t; mcp-mail %d, %t: %v", params, status, refused, wantStatus, wantRefused, want)
		}
		if method == "tools/list" {
			compareTools(t, value.(object), want.(object))
			return
		}
		mine, its := fields(value, "", map[string]bool{}), fields(want, "", map[string]bool{})
		for path := range its {
			if name := path[strings.LastIndex(path, ".")+1:]; !slices.Contains(read, name) {
				delete(its, path)
			}
		}
		for path := range mine {
			if name := path[strings.LastIndex(path, ".")+1:]; !slices.Contains(read, name) {
				delete(mine, path)
			}
		}
		if !maps.Equal(mine, its) {
			t.Errorf("%v:\nthe double has %v\nmcp-mail has   %v", params, slices.Sorted(maps.Keys(mine)), slices.Sorted(maps.Keys(its)))
		}
	}
	step("tools/list", object{})
	step("nothing/there", object{})
	step(call("health_check", object{}))
	step(call("ensure_project", object{"human_key": "/p/one"}))
	step(call("whois", object{"project_key": "/p/one", "agent_name": "Operator"}))
	step(call("fetch_inbox", object{"project_key": "/p/one", "agent_name": "Operator"}))
	step(call("register_agent", object{"project_key": "/p/one", "name": "Operator", "program": "p", "model": "m"}))
	step(call("register_agent", object{"project_key": "/p/one", "name": "Blue-Lake", "program": "p", "model": "m"}))
	step(call("register_agent", object{"project_key": "/p/one", "name": "X", "program": "p", "model": "m", "registration_token": "t"}))
	step(call("register_agent", object{"project_key": "/p/two", "name": "RedSky", "program": "p", "model": "m"}))
	step(call("whois", object{"project_key": "/p/one", "agent_name": "RedSky"}))
	kickoff := object{"project_key": "/p/one", "sender_name": "Operator", "to": []string{"BlueLake"}, "subject": "KICKOFF: q", "body_md": "Q?", "thread_id": "TH-1", "ack_required": true}
	step(call("send_message", kickoff))
	for _, unknown := range []string{"sender_token", "idempotency_key"} {
		with := maps.Clone(kickoff)
		with[unknown] = "x"
		step(call("send_message", with))
	}
	step(call("reply_message", object{"project_key": "/p/one", "sender_name": "BlueLake", "message_id": 1, "body_md": "A."}))
	step(call("fetch_inbox", object{"project_key": "/p/one", "agent_name": "BlueLake", "include_bodies": true}))
	step(call("fetch_inbox", object{"project_key": "/p/one", "agent_name": "BlueLake"}))
	for _, unknown := range []string{"unread_only", "thread_id", "mark_read", "after_id", "wait_seconds", "registration_token"} {
		step(call("fetch_inbox", object{"project_key": "/p/one", "agent_name": "BlueLake", unknown: "1"}))
	}
	step(resource("resource://thread/TH-1?project=%2Fp%2Fone&include_bodies=true"))
	step(resource("resource://thread/TH-1?project=%2Fp%2Fone&include_bodies=false"))
	step(resource("resource://thread/TH-9?project=%2Fp%2Fone&include_bodies=true"))
	step(resource("resource://thread/TH-1?project=%2Fp%2Fthree&include_bodies=true"))
	step(resource("resource://views/ack-required/BlueLake?project=%2Fp%2Fone&limit=10"))
	step(resource("resource://nothing/there"))
	step(call("acknowledge_message", object{"project_key": "/p/one", "agent_name": "BlueLake", "message_id": 1}))
	step(resource("resource://views/ack-required/BlueLake?project=%2Fp%2Fone&limit=10"))
	step(call("set_contact_policy", object{"project_key": "/p/one", "agent_name": "BlueLake", "policy": "open"}))
	step(call("send_message", object{"project_key": "/p/one", "sender_name": "Operator", "to": []string{"Stranger"}, "subject": "s", "body_md": "b"}))
	step(call("send_message", object{"project_key": "/p/one", "sender_name": "Stray", "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"}))
	step(call("search_messages", object{"project_key": "/p/one", "query": "KICKOFF"}))
	step(resource("resource://agents/p-one"))
	step(call("register_agent", object{"project_key": "/p/two", "name": "BlueLake", "program": "p", "model": "m"})) // takes the name
	step(call("whois", object{"project_key": "/p/one", "agent_name": "BlueLake"}))
}

// compareTools checks that the double has no tool and no argument that mcp-mail lacks, and of the tools that the client
// calls all.
func compareTools(t *testing.T, mine, its map[string]any) {
	t.Helper()
	for name, arguments := range mine {
		want, ok := its[name].([]string)
		for _, argument := range arguments.([]string) {
			if !ok || !slices.Contains(want, argument) {
				t.Errorf("mcp-mail lacks %s %s", name, argument)
			}
		}
	}
	for _, name := range strings.Fields("health_check ensure_project register_agent whois send_message reply_message fetch_inbox mark_message_read acknowledge_message search_messages set_contact_policy") {
		_, have := mine[name]
		if _, want := its[name]; have != want {
			t.Errorf("%s: the double has it: %t, mcp-mail: %t", name, have, want)
		}
	}
}
