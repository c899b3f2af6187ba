package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

func TestToolAnnotations(t *testing.T) {
	s := open(t)
	client := s.connect(t, operator)
	list, err := client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 23 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint || tool.Description == "" {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		schema, err := json.Marshal(tool.InputSchema)
		if text := string(schema); err != nil || !strings.Contains(text, `"additionalProperties":false`) || strings.Contains(text, `"null"`) || tool.OutputSchema == nil {
			t.Errorf("%s: %s", tool.Name, text)
		}
	}
	templates, err := client.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 13 {
		t.Errorf("%+v, %v", templates, err)
	}
}

func TestAllTools(t *testing.T) {
	s := open(t)
	as := s.join(t, "Operator", "BlueLake", "RedSky")
	if h := call(t, as[""], "health_check", nil); h["status"] != "ready" {
		t.Errorf("%v", h)
	}
	// null and the argument that Gemini CLI adds are accepted.
	sent := call(t, as["Operator"], "send_message", object{
		"project_key": project, "sender_name": "Operator", "to": []string{"BlueLake", "RedSky"}, "cc": nil, "subject": "KICKOFF: q", "body_md": "the question",
		"thread_id": thread, "importance": "high", "ack_required": true, "wait_for_previous": true, "sender_token": nil, "idempotency_key": "k",
	})
	message := sent["deliveries"].([]any)[0].(object)["payload"].(object)
	id, ok := message["id"].(float64)
	if !ok || sent["count"].(float64) != 1 || message["from"] != "Operator" || message["thread_id"] != thread {
		t.Fatalf("%v", sent)
	}
	blue := as["BlueLake"]
	fetch := object{"project_key": project, "agent_name": "BlueLake", "unread_only": true, "limit": "5"}
	for range 2 {
		if inbox := call(t, blue, "fetch_inbox", fetch)["result"].([]any); len(inbox) != 1 || inbox[0].(object)["body_md"] != "the question" {
			t.Errorf("%v", inbox)
		}
	}
	if r := call(t, blue, "acknowledge_message", object{"project_key": project, "agent_name": "BlueLake", "message_id": id}); r["acknowledged"] != true || r["acknowledged_at"] == nil {
		t.Errorf("%v", r)
	}
	call(t, blue, "mark_message_read", object{"project_key": project, "agent_name": "BlueLake", "message_id": id})
	reply := call(t, blue, "reply_message", object{"project_key": project, "sender_name": "BlueLake", "message_id": id, "body_md": "- [ ] measure it"})
	answer := reply["deliveries"].([]any)[0].(object)["payload"].(object)
	if answer["thread_id"] != thread || answer["subject"] != "Re: KICKOFF: q" || answer["reply_to"] != id || answer["to"].([]any)[0] != "Operator" {
		t.Errorf("%v", answer)
	}
	again := call(t, as["Operator"], "send_message", object{
		"project_key": project, "sender_name": "Operator", "to": []string{"BlueLake", "RedSky"}, "subject": "KICKOFF: q", "body_md": "the question",
		"thread_id": thread, "importance": "high", "ack_required": true, "idempotency_key": "k",
	})
	if again["deliveries"].([]any)[0].(object)["payload"].(object)["id"] != id {
		t.Errorf("a key should send once: %v", again)
	}
	summary := call(t, as["Operator"], "summarize_thread", object{"project_key": project, "thread_id": thread, "include_examples": true})
	if people := summary["participants"].([]any); len(people) != 2 {
		t.Errorf("%v", summary)
	}
	if open := summary["action_items"].([]any); len(open) != 2 {
		t.Errorf("%v", summary)
	}
	if r := call(t, blue, "set_contact_policy", object{"project_key": project, "agent_name": "BlueLake", "policy": "contacts_only"}); r["policy"] != "contacts_only" {
		t.Errorf("%v", r)
	}
	refused(t, as["RedSky"], "MAIL_CONTACT_BLOCKED", "send_message", object{"project_key": project, "sender_name": "RedSky", "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"})
	refused(t, blue, "MAIL_INVALID", "send_message", object{"project_key": project, "sender_name": "BlueLake", "to": "Operator", "subject": "s", "body_md": "b", "thread_id": "RS-20260101-x/../../etc"})
	refused(t, blue, "MAIL_INVALID", "send_message", object{"project_key": project, "sender_name": "BlueLake"})
	refused(t, blue, "MAIL_TOO_LARGE", "send_message", object{"project_key": project, "sender_name": "BlueLake", "to": "Operator", "subject": "s", "body_md": strings.Repeat("x", mail.MaxBody+1)})
	if who := call(t, blue, "whois", object{"project_key": project, "agent_name": "RedSky"}); who["name"] != "RedSky" {
		t.Errorf("%v", who)
	}
	joined := call(t, as[""], "macro_start_session", object{"human_key": "/elsewhere", "program": "p", "model": "m"})
	if a := joined["agent"].(object); a["name"] == "" || a["registration_token"] == nil {
		t.Errorf("%v", joined)
	}
	claimed := call(t, blue, "file_reservation_paths", object{"project_key": project, "agent_name": "BlueLake", "paths": []string{"src/**"}})
	if len(claimed["granted"].([]any)) != 1 {
		t.Errorf("%v", claimed)
	}
	call(t, blue, "renew_file_reservations", object{"project_key": project, "agent_name": "BlueLake", "ttl_seconds": 10})
	if r := call(t, blue, "release_file_reservations", object{"project_key": project, "agent_name": "BlueLake"}); r["released"] != 1.0 {
		t.Errorf("%v", r)
	}
	slug := call(t, as[""], "ensure_project", object{"human_key": project})["slug"].(string)
	q := "?project=" + url.QueryEscape(project)
	for _, c := range [][2]string{
		{"resource://inbox/BlueLake" + q + "&limit=1&include_bodies=false", `"count":1`},
		{"resource://thread/" + thread + "?include_bodies=true&project=" + slug, `the question`},
		{"resource://agents/" + slug, `"RedSky"`},
		{"resource://project/" + slug, project},
	} {
		uri, want := c[0], c[1]
		if text := read(t, as[""], uri); !strings.Contains(text, want) {
			t.Errorf("%s: %s", uri, text)
		}
	}
}

func TestWithoutInitialize(t *testing.T) {
	s := open(t)
	for _, id := range []string{"0", `"a text"`, "7"} {
		status, _, text := s.post(t, func(*http.Request) {}, strings.NewReader(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"health_check","_meta":{"progressToken":1,"x-codex-turn-metadata":{}}}}`))
		var r struct {
			ID     json.RawMessage
			Result struct{ StructuredContent object }
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil || status != 200 || string(r.ID) != id || r.Result.StructuredContent["status"] != "ready" {
			t.Errorf("%d: %s, %v", status, text, err)
		}
	}
}

func TestLongPoll(t *testing.T) {
	s := open(t)
	as := s.join(t, "Operator", "BlueLake")
	wait := object{"project_key": project, "agent_name": "BlueLake", "after_id": 0, "wait_seconds": 1}
	if none := call(t, as["BlueLake"], "fetch_inbox", wait)["result"].([]any); len(none) != 0 {
		t.Errorf("%v", none)
	}
	wait["wait_seconds"] = 60
	var all sync.WaitGroup
	all.Go(func() {
		if got := call(t, as["BlueLake"], "fetch_inbox", wait)["result"].([]any); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
	call(t, as["Operator"], "send_message", object{"project_key": project, "sender_name": "Operator", "to": "BlueLake", "subject": "s", "body_md": "b"})
	all.Wait()
}

func TestDisconnectedClient(t *testing.T) {
	s := open(t)
	as := s.join(t, "Operator", "BlueLake")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	// goleak reports a handler that keeps waiting.
	if r, err := as["BlueLake"].CallTool(ctx, &mcp.CallToolParams{Name: "fetch_inbox", Arguments: object{"project_key": project, "agent_name": "BlueLake", "wait_seconds": 50}}); err == nil {
		t.Errorf("%v", r)
	}
}

func TestServeObeysContext(t *testing.T) {
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := server.New(server.Options{Box: b})
	if err != nil {
		t.Fatal(err)
	}
	l, err := server.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	resp, err := http.Post("http://"+l.Addr().String()+"/mcp", "application/json", strings.NewReader(ping)) //nolint:noctx // a plain request
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A client that stalls in the middle of a request neither delays shutdown nor makes it fail.
func TestServeShutdownWithStalledClient(t *testing.T) {
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := server.New(server.Options{Box: b})
	if err != nil {
		t.Fatal(err)
	}
	s.SetGrace(0)
	l, err := server.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	client, err := net.Dial("tcp", l.Addr().String()) //nolint:noctx // a plain connection
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := io.WriteString(client, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(client)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatal(line, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, lines) // ends with the connection
}

func TestRestartIsTransparent(t *testing.T) {
	dir := t.TempDir()
	b, err := box.Open(t.Context(), dir, box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := serve(t, b)
	as := first.join(t, "Operator", "BlueLake")
	send := object{"project_key": project, "sender_name": "Operator", "to": "BlueLake", "subject": "s", "body_md": "b", "idempotency_key": "k"}
	one := call(t, as["Operator"], "send_message", send)
	again, err := box.Open(t.Context(), dir, box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	second := serve(t, again)
	client := second.connect(t, operator)
	two := call(t, client, "send_message", send)
	if a, b := one["deliveries"].([]any)[0].(object)["payload"].(object)["id"], two["deliveries"].([]any)[0].(object)["payload"].(object)["id"]; a != b {
		t.Errorf("%v, %v", a, b)
	}
}
