package server_test

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/mail"
	"brenner/mail/box"
)

func idOfSent(sent object) float64 {
	return sent["deliveries"].([]any)[0].(object)["payload"].(object)["id"].(float64)
}

func TestAttachments(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake", "RedSky", "GreenHill")
	text := base64.StdEncoding.EncodeToString([]byte("a,b\n1,2\n"))
	message := func(files ...object) object {
		return object{"project_key": project, "sender_name": "BlueLake", "to": []string{"RedSky"}, "subject": "INFO: data", "body_md": "see the file", "attachments": files}
	}
	id := idOfSent(call(t, as["BlueLake"], "send_message", message(object{"name": "data set.csv", "media_type": "text/csv", "data_base64": text}, object{"name": "x", "data_base64": ""})))
	got := call(t, as["RedSky"], "fetch_inbox", object{"project_key": project, "agent_name": "RedSky"})["result"].([]any)[0].(object)["attachments"].([]any)
	if len(got) != 2 || got[0].(object)["name"] != "data set.csv" || got[0].(object)["bytes"] != 8.0 || got[1].(object)["media_type"] != "application/octet-stream" {
		t.Errorf("the inbox lists %v", got)
	}
	fetch := object{"project_key": project, "message_id": id, "name": "data set.csv"}
	if f := call(t, as["RedSky"], "fetch_attachment", fetch); f["data_base64"] != text || f["media_type"] != "text/csv" {
		t.Errorf("%v", f)
	}
	refused(t, as["GreenHill"], "MAIL_NOT_FOUND", "fetch_attachment", fetch)
	uri := "resource://attachment/1/" + url.PathEscape("data set.csv")
	r, err := as["RedSky"].ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil || string(r.Contents[0].Blob) != "a,b\n1,2\n" || r.Contents[0].MIMEType != "text/csv" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := as["GreenHill"].ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
		t.Errorf("a stranger reads %+v", r)
	}
	reply := call(t, as["RedSky"], "reply_message", object{"project_key": project, "sender_name": "RedSky", "message_id": id, "body_md": "b", "attachments": []object{{"name": "y", "data_base64": text}}})
	if idOfSent(reply) == id {
		t.Errorf("%v", reply)
	}
	large := base64.StdEncoding.EncodeToString(make([]byte, mail.MaxAttached+1))
	for want, files := range map[string][]object{
		"unknown key path":       {{"path": "/etc/passwd"}},
		"base64":                 {{"name": "x", "data_base64": "!"}},
		"data_base64 is missing": {{"name": "x"}},
		"MAIL_TOO_LARGE":         {{"name": "x", "data_base64": large}},
		"not a name":             {{"name": "../x", "data_base64": ""}},
	} {
		refused(t, as["BlueLake"], want, "send_message", message(files...))
	}
	refused(t, as["BlueLake"], "a list of objects", "send_message", object{"project_key": project, "sender_name": "BlueLake", "to": "RedSky", "subject": "s", "body_md": "b", "attachments": "x"})
}

func TestBoxesAndViews(t *testing.T) {
	clock := time.Now().Add(-time.Hour)
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, b)
	as := s.join(t, "BlueLake", "RedSky")
	write := object{"project_key": project, "sender_name": "BlueLake", "to": []string{"RedSky"}, "subject": "INFO: old", "body_md": "an old one", "ack_required": true}
	call(t, as["BlueLake"], "send_message", write)
	clock = time.Now()
	write["subject"], write["body_md"] = "INFO: new", "a new one"
	id := idOfSent(call(t, as["BlueLake"], "send_message", write))
	call(t, as["RedSky"], "mark_message_read", object{"project_key": project, "agent_name": "RedSky", "message_id": id})
	if sent := call(t, as["BlueLake"], "fetch_outbox", object{"project_key": project, "agent_name": "BlueLake"})["result"].([]any); len(sent) != 2 || sent[0].(object)["subject"] != "INFO: new" {
		t.Errorf("the outbox has %v", sent)
	}
	refused(t, as["RedSky"], "MAIL_NOT_YOURS", "fetch_outbox", object{"project_key": project, "agent_name": "BlueLake"})
	inbox := object{"project_key": project, "agent_name": "RedSky", "ack_required_only": true}
	if all := call(t, as["RedSky"], "fetch_inbox", inbox)["result"].([]any); len(all) != 2 {
		t.Errorf("ack_required_only: %v", all)
	}
	inbox["overdue_minutes"] = 30
	if all := call(t, as["RedSky"], "fetch_inbox", inbox)["result"].([]any); len(all) != 1 || all[0].(object)["subject"] != "INFO: old" {
		t.Errorf("overdue_minutes: %v", all)
	}
	for _, c := range []struct{ who, uri, want, not string }{
		{"BlueLake", "outbox/BlueLake", "an old one", ""},
		{"RedSky", "outbox/RedSky", `"count":0`, ""},
		{"RedSky", "views/unread/RedSky", "an old one", "a new one"},
		{"RedSky", "views/ack-required/RedSky?limit=5", "a new one", ""},
		{"RedSky", "views/overdue/RedSky", "an old one", "a new one"},
		{"RedSky", "views/overdue/RedSky?ttl_minutes=0&project=" + url.QueryEscape(project), "a new one", ""},
		{"RedSky", "mailbox/RedSky", `"ack_required":[{`, "an old one"},
		{"RedSky", "message/1", "an old one", ""},
		{"BlueLake", "message/1", `"receipts":[{"agent":"RedSky"`, ""},
		{"RedSky", "contacts/RedSky", `"contacts":[]`, ""},
		{"RedSky", "thread/msg-1", `"total":1`, ""},
		{"RedSky", "views/ack-overdue/RedSky?ttl_minutes=0&limit=1", "a new one", "an old one"},
	} {
		if text := read(t, as[c.who], "resource://"+c.uri); !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: want %s and not %s: %s", c.uri, c.want, c.not, text)
		}
	}
	for _, uri := range []string{"outbox/BlueLake", "mailbox/BlueLake", "views/unread/BlueLake", "contacts/BlueLake", "views/nothing/RedSky", "views/RedSky", "message/99", "message/x", "message/1?project=other", "file_reservations/other", "inbox/RedSky?limt=3", "inbox/RedSky?limit=1000000000000"} {
		if r, err := as["RedSky"].ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "resource://" + uri}); err == nil {
			t.Errorf("%s: %s", uri, r.Contents[0].Text)
		}
	}
}

func TestContactRequests(t *testing.T) {
	s := open(t)
	as := s.join(t, "BlueLake", "RedSky")
	call(t, as["BlueLake"], "set_contact_policy", object{"project_key": project, "agent_name": "BlueLake", "policy": "contacts_only"})
	write := object{"project_key": project, "sender_name": "RedSky", "to": []string{"BlueLake"}, "subject": "s", "body_md": "b"}
	refused(t, as["RedSky"], "MAIL_CONTACT_BLOCKED", "send_message", write)
	refused(t, as["RedSky"], "ask with request_contact", "send_message", write)
	refused(t, as["RedSky"], "needs no permission", "request_contact", object{"project_key": project, "from_agent": "RedSky", "to_agent": "redsky"})
	refused(t, as["RedSky"], "RedSky may not act in /srv/other", "fetch_inbox", object{"project_key": "/srv/other", "agent_name": "RedSky"})
	refused(t, as["RedSky"], "limit must be a number from 0 to 1000000000", "fetch_inbox", object{"project_key": project, "agent_name": "RedSky", "limit": 1e12})
	ask := object{"project_key": project, "from_agent": "RedSky", "to_agent": "BlueLake", "reason": "about H2"}
	refused(t, as["BlueLake"], "MAIL_NOT_YOURS", "request_contact", ask)
	if c := call(t, as["RedSky"], "request_contact", ask); c["status"] != "pending" {
		t.Errorf("%v", c)
	}
	if all := call(t, as["BlueLake"], "fetch_inbox", object{"project_key": project, "agent_name": "BlueLake"})["result"].([]any); len(all) != 1 || !strings.Contains(all[0].(object)["body_md"].(string), "respond_contact") {
		t.Errorf("the inbox has %v", all)
	}
	answer := object{"project_key": project, "to_agent": "BlueLake", "from_agent": "RedSky"}
	refused(t, as["BlueLake"], "accept is missing", "respond_contact", answer)
	answer["accept"] = true
	refused(t, as["RedSky"], "MAIL_NOT_YOURS", "respond_contact", answer)
	if c := call(t, as["BlueLake"], "respond_contact", answer); c["status"] != "accepted" {
		t.Errorf("%v", c)
	}
	call(t, as["RedSky"], "send_message", write)
	if all := call(t, as["RedSky"], "list_contacts", object{"project_key": project, "agent_name": "RedSky"})["result"].([]any); len(all) != 1 || all[0].(object)["status"] != "accepted" {
		t.Errorf("%v", all)
	}
}

func TestForcedRelease(t *testing.T) {
	clock := time.Now().Add(-40 * time.Minute)
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, b)
	as := s.join(t, "BlueLake", "RedSky")
	reserve := func(path string) {
		call(t, as["BlueLake"], "file_reservation_paths", object{"project_key": project, "agent_name": "BlueLake", "paths": []string{path}, "ttl_seconds": 36000})
	}
	reserve("a")
	reserve("b")
	clock = time.Now()
	claims := call(t, as["RedSky"], "list_file_reservations", object{"project_key": project})["result"].([]any)
	if len(claims) != 2 || claims[0].(object)["agent"] != "BlueLake" {
		t.Fatalf("%v", claims)
	}
	slug := call(t, as[""], "ensure_project", object{"human_key": project})["slug"].(string)
	if text := read(t, as["RedSky"], "resource://file_reservations/"+slug); strings.Count(text, "path_pattern") != 2 {
		t.Error(text)
	}
	force := object{"project_key": project, "agent_name": "RedSky", "file_reservation_id": claims[0].(object)["id"], "note": "stale"}
	if r := call(t, as["RedSky"], "force_release_file_reservation", force); r["path_pattern"] != "a" { // its holder is inactive
		t.Errorf("%v", r)
	}
	call(t, as["BlueLake"], "send_message", object{"project_key": project, "sender_name": "BlueLake", "to": []string{"RedSky"}, "subject": "INFO: back", "body_md": "b"})
	force["file_reservation_id"] = claims[1].(object)["id"]
	refused(t, as["RedSky"], "MAIL_NOT_YOURS", "force_release_file_reservation", force)
	force["agent_name"] = "Operator"
	call(t, as[""], "force_release_file_reservation", force) // the operator may, who has no mailbox yet
	refused(t, as[""], "MAIL_NOT_FOUND", "force_release_file_reservation", force)
	if all := call(t, as["BlueLake"], "fetch_inbox", object{"project_key": project, "agent_name": "BlueLake"})["result"].([]any); len(all) != 2 {
		t.Errorf("want two messages to the holder: %v", all)
	}
}
