package server_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/box"
)

func TestAgentActsOnlyForItself(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake", "RedSky")
	blue := as["BlueLake"]
	message := call(t, as[""], "send_message", object{"project_key": project, "sender_name": "RedSky", "to": []string{"BlueLake"}, "subject": "s", "body_md": "for Blue only", "thread_id": thread})
	id := message["deliveries"].([]any)[0].(object)["payload"].(object)["id"]
	hidden := call(t, as[""], "send_message", object{"project_key": project, "sender_name": "RedSky", "to": []string{"RedSky"}, "subject": "s", "body_md": "for Red only", "thread_id": thread})
	other := hidden["deliveries"].([]any)[0].(object)["payload"].(object)["id"]

	for _, c := range []struct {
		tool string
		args object
	}{
		{"send_message", object{"sender_name": "RedSky", "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"}},
		{"send_message", object{"sender_name": "RedSky", "to": []string{"BlueLake"}, "subject": "s", "body_md": "b", "sender_token": "guessed"}},
		{"reply_message", object{"sender_name": "RedSky", "message_id": id, "body_md": "b"}},
		{"fetch_inbox", object{"agent_name": "RedSky"}},
		{"mark_message_read", object{"agent_name": "RedSky", "message_id": other}},
		{"acknowledge_message", object{"agent_name": "RedSky", "message_id": other}},
		{"set_contact_policy", object{"agent_name": "RedSky", "policy": "block_all"}},
		{"register_agent", object{"name": "RedSky", "program": "p", "model": "m"}},
		{"register_agent", object{"name": "Stranger", "program": "p", "model": "m"}},
		{"file_reservation_paths", object{"agent_name": "RedSky", "paths": []string{"x"}}},
		{"release_file_reservations", object{"agent_name": "RedSky"}},
		{"macro_start_session", object{"human_key": project, "agent_name": "RedSky", "program": "p", "model": "m"}},
		{"macro_start_session", object{"human_key": "/other", "agent_name": "BlueLake", "program": "p", "model": "m"}},
		{"ensure_project", object{"human_key": "/other"}},
	} {
		if c.args["human_key"] == nil {
			c.args["project_key"] = project
		}
		refused(t, blue, "MAIL_NOT_YOURS", c.tool, c.args)
	}
	refused(t, blue, "MAIL_NOT_YOURS", "search_messages", object{"project_key": "/other", "query": "x"})
	refused(t, blue, "MAIL_NOT_FOUND", "reply_message", object{"project_key": project, "sender_name": "BlueLake", "message_id": other, "body_md": "b"})
	refused(t, as[""], "MAIL_NAME_TAKEN", "register_agent", object{"project_key": project, "name": "RedSky", "program": "p", "model": "m"})

	if found := call(t, blue, "search_messages", object{"project_key": project, "query": "only"})["result"].([]any); len(found) != 1 {
		t.Errorf("%v", found)
	}
	if r := call(t, blue, "register_agent", object{"project_key": project, "name": "BlueLake", "program": "p2", "model": "m"}); r["program"] != "p2" || r["registration_token"] != nil {
		t.Errorf("%v", r)
	}
	text := read(t, blue, "resource://thread/"+thread+"?project="+url.QueryEscape(project))
	if !strings.Contains(text, "for Blue only") || strings.Contains(text, "for Red only") {
		t.Error(text)
	}
	for _, uri := range []string{
		"resource://inbox/RedSky?project=" + url.QueryEscape(project), "resource://thread/" + thread + "?project=other", "resource://agents/other", "resource://project/other",
		"resource://thread/a%2F..%2Fb?project=" + url.QueryEscape(project), "resource://nothing/x",
	} {
		if r, err := blue.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %s", uri, r.Contents[0].Text)
		}
	}
	// An agent's list of resources has only its own, and it can read them all.
	list, err := blue.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) < 3 {
		t.Fatalf("want its own resources: %v, %v", list, err)
	}
	for _, r := range list.Resources {
		if text := read(t, blue, r.URI); strings.Contains(text, "for Red only") {
			t.Errorf("%s: %s", r.URI, text)
		}
	}
	// The operator may pass an agent's token as an argument.
	token := newAgent(t, as[""], "GreenHill")
	call(t, as[""], "send_message", object{"project_key": project, "sender_name": "GreenHill", "sender_token": token, "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"})
	refused(t, blue, "MAIL_NOT_YOURS", "send_message", object{"project_key": project, "sender_name": "RedSky", "sender_token": token, "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"})
	call(t, as[""], "register_agent", object{"project_key": project, "name": "GreenHill", "registration_token": token, "program": "p", "model": "m"})
}

// The token of a deleted mailbox does not lock the operator out.
func TestOperatorWithStaleToken(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake")
	stale := object{"project_key": project, "sender_name": "BlueLake", "sender_token": "bm_stale", "to": "BlueLake", "subject": "s", "body_md": "b"}
	call(t, as[""], "send_message", stale)
	call(t, as[""], "fetch_inbox", object{"project_key": project, "agent_name": "BlueLake", "registration_token": "bm_stale"})
	call(t, as[""], "acknowledge_message", object{"project_key": project, "agent_name": "BlueLake", "registration_token": "bm_stale", "message_id": 1})
	refused(t, as["BlueLake"], "MAIL_NOT_YOURS", "send_message", stale)
	// It neither recreates an agent nor opens a mailbox.
	again := object{"project_key": project, "name": "BlueLake", "program": "p", "model": "m", "registration_token": "bm_stale"}
	refused(t, as[""], "MAIL_NAME_TAKEN", "register_agent", again)
	refused(t, as["BlueLake"], "MAIL_NOT_YOURS", "register_agent", again)
	again["name"] = "RedSky"
	if a := call(t, as[""], "register_agent", again); a["registration_token"] == nil {
		t.Errorf("%v", a)
	}
}

// Internal errors are shown to the operator; agents see no paths.
func TestAgentsSeeNoPaths(t *testing.T) {
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, broken{b})
	as := s.join(t, "BlueLake")
	query := object{"project_key": project, "query": "x"}
	refused(t, as[""], "/some/where/mail.db", "search_messages", query)
	r, err := as["BlueLake"].CallTool(t.Context(), &mcp.CallToolParams{Name: "search_messages", Arguments: query})
	if err != nil || !r.IsError || strings.Contains(textOf(r), "/some/where") || !strings.Contains(textOf(r), "STORE_DAMAGED") {
		t.Errorf("%v, %s", err, textOf(r))
	}
	// A NUL in quotation marks is harmless.
	call(t, open(t).join(t, "RedSky")["RedSky"], "search_messages", object{"project_key": project, "query": "\"a\x00b\""})
}

// broken is a box whose file cannot be searched.
type broken struct{ mail.Box }

func (broken) Search(context.Context, mail.SearchQuery) ([]mail.Message, error) {
	return nil, &fault.Error{Code: "STORE_DAMAGED", Op: "search", Place: "/some/where/mail.db", Hint: "look at /some/where"}
}

// newAgent registers an agent and returns its token.
func newAgent(t *testing.T, as *mcp.ClientSession, name string) string {
	t.Helper()
	return call(t, as, "register_agent", object{"project_key": project, "program": "p", "model": "m", "name": name})["registration_token"].(string)
}

func read(t *testing.T, s *mcp.ClientSession, uri string) string {
	t.Helper()
	r, err := s.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(r.Contents[0].Text)) {
		t.Errorf("%s", r.Contents[0].Text)
	}
	return r.Contents[0].Text
}
