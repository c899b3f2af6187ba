package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/mail"
	"brenner/mail/box"
)

// watched is a box that counts writes.
type watched struct {
	*box.Box
	writes atomic.Int64
}

func (w *watched) EnsureProject(ctx context.Context, key string) (mail.Project, error) {
	w.writes.Add(1)
	return w.Box.EnsureProject(ctx, key)
}

func (w *watched) Register(ctx context.Context, r mail.Registration) (mail.Agent, error) {
	w.writes.Add(1)
	return w.Box.Register(ctx, r)
}

func (w *watched) Send(ctx context.Context, d mail.Draft) (mail.Message, error) {
	w.writes.Add(1)
	return w.Box.Send(ctx, d)
}

func (w *watched) Mark(ctx context.Context, m mail.Mark) (time.Time, error) {
	w.writes.Add(1)
	return w.Box.Mark(ctx, m)
}

func (w *watched) Reserve(ctx context.Context, c mail.Claim) (mail.Reserved, error) {
	w.writes.Add(1)
	return w.Box.Reserve(ctx, c)
}

func (w *watched) Release(ctx context.Context, project, agent string, paths []string) (int, error) {
	w.writes.Add(1)
	return w.Box.Release(ctx, project, agent, paths)
}

func (w *watched) Renew(ctx context.Context, project, agent string, paths []string, ttl time.Duration) ([]mail.Reservation, error) {
	w.writes.Add(1)
	return w.Box.Renew(ctx, project, agent, paths, ttl)
}

func (w *watched) Revoke(ctx context.Context, r mail.Revocation) (mail.Reservation, error) {
	w.writes.Add(1)
	return w.Box.Revoke(ctx, r)
}

func (w *watched) RequestContact(ctx context.Context, r mail.ContactRequest) (mail.Contact, error) {
	w.writes.Add(1)
	return w.Box.RequestContact(ctx, r)
}

func (w *watched) AnswerContact(ctx context.Context, project, agent, from string, accept bool) (mail.Contact, error) {
	w.writes.Add(1)
	return w.Box.AnswerContact(ctx, project, agent, from, accept)
}

// Tools with the read-only hint write nothing, whatever their arguments: clients call them
// without asking the user.
func TestReadOnlyToolsDoNotWrite(t *testing.T) {
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{Box: b}
	as := serve(t, w).join(t, "Operator", "BlueLake")
	call(t, as["Operator"], "send_message", object{
		"project_key": project, "sender_name": "Operator", "to": []string{"BlueLake"}, "subject": "INFO: s", "body_md": "words", "thread_id": thread, "importance": "urgent",
		"attachments": []object{{"name": "a", "data_base64": "AA=="}},
	})
	list, err := as["BlueLake"].ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	values := object{"project_key": project, "agent_name": "BlueLake", "thread_id": thread, "query": "words", "limit": 5, "message_id": 1, "name": "a"}
	reading := 0
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			continue
		}
		reading++
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var input struct {
			Properties map[string]struct{ Type any }
		}
		if err := json.Unmarshal(schema, &input); err != nil {
			t.Fatal(err)
		}
		arguments := object{}
		for name, p := range input.Properties {
			if value, ok := values[name]; ok {
				arguments[name] = value
			} else if kind, err := json.Marshal(p.Type); err == nil && strings.Contains(string(kind), "boolean") {
				arguments[name] = true
			}
		}
		before := w.writes.Load()
		if call(t, as["BlueLake"], tool.Name, arguments); w.writes.Load() != before {
			t.Errorf("%s is read-only, but wrote with %v", tool.Name, arguments)
		}
	}
	if reading < 3 {
		t.Errorf("%d tools are read-only", reading)
	}
}

// An inbox is marked in one write: a commit per message would wait for the disk each time.
func TestInboxIsMarkedInOneWrite(t *testing.T) {
	b, err := box.Open(t.Context(), t.TempDir(), box.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{Box: b}
	as := serve(t, w).join(t, "Operator", "BlueLake")
	for range 5 {
		call(t, as["Operator"], "send_message", object{"project_key": project, "sender_name": "Operator", "to": []string{"BlueLake"}, "subject": "INFO: s", "body_md": "words"})
	}
	inbox := object{"project_key": project, "agent_name": "BlueLake", "mark_read": true, "unread_only": true}
	for _, want := range []int64{1, 0} { // nothing to mark the second time
		before := w.writes.Load()
		call(t, as["BlueLake"], "fetch_inbox", inbox)
		if n := w.writes.Load() - before; n != want {
			t.Errorf("%d writes, want %d", n, want)
		}
	}
	if left, err := b.Inbox(t.Context(), mail.InboxQuery{Project: project, Agent: "BlueLake", Unread: true}); err != nil || len(left) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}
