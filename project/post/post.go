// Package post sends, lists and acknowledges the mail of a project, as its commands do.
package post

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"strings"

	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/project"
)

// Health is the health of a mail server.
type Health struct {
	Schema  string `json:"schema"`
	Server  string `json:"server"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// CheckHealth requests the health of the server.
func CheckHealth(ctx context.Context, b *project.Mailbox) (*Health, error) {
	h, err := b.Client.Health(ctx)
	if err != nil {
		return nil, err
	}
	return &Health{Schema: "brenner.mail.health/v1", Server: b.Client.URL(), Status: h.Status, Version: h.Version}, nil
}

// Agents lists the agents with a mailbox.
type Agents struct {
	Schema string       `json:"schema"`
	Server string       `json:"server"`
	Agents []mail.Agent `json:"agents"`
}

// ListAgents lists the project's mailboxes.
func ListAgents(ctx context.Context, b *project.Mailbox) (*Agents, error) {
	p, err := b.Client.EnsureProject(ctx, b.Key)
	if err != nil {
		return nil, err
	}
	all, err := b.Client.Agents(ctx, p.Slug)
	if err != nil {
		return nil, err
	}
	return &Agents{Schema: "brenner.mail.agents/v1", Server: b.Client.URL(), Agents: all}, nil
}

// Messages are messages that were sent or found.
type Messages struct {
	Schema   string         `json:"schema"`
	Server   string         `json:"server"`
	Messages []mail.Message `json:"messages"`
	Missed   []string       `json:"missed,omitempty"` // recipients that were not reached
	Phase    mail.Phase     `json:"phase,omitempty"`  // of a session's thread
}

// Attach reads files to attach to a message.
func Attach(paths []string) (all []mail.File, err error) {
	const op = "read an attachment"
	total := 0
	for _, path := range paths {
		data, err := files.ReadAtMost(path, mail.MaxAttached)
		if total += len(data); total > mail.MaxAttached {
			return nil, &fault.Error{
				Code: mail.TooLarge, Op: op, Place: path, Detail: fmt.Sprintf("with this file the attachments have more than %d MiB", mail.MaxAttached>>20),
				Hint: "send files in several messages, or name a path in the text",
			}
		}
		if err != nil {
			return nil, files.CannotRead(op, path, err)
		}
		name := filepath.Base(path)
		kind := cmp.Or(mime.TypeByExtension(filepath.Ext(name)), http.DetectContentType(data))
		all = append(all, mail.File{Name: name, MediaType: kind, Data: data})
	}
	return all, (&mail.Draft{Attachments: all}).CheckAttachments()
}

// Send sends a message, and creates the sender's mailbox if necessary.
func Send(ctx context.Context, b *project.Mailbox, d mail.Draft) (*Messages, error) {
	if err := d.Check(); err != nil { // some servers send it anyway
		return nil, err
	}
	desk := agentmail.New(agentmail.Options{Client: b.Client, Project: b.Key, Sender: d.From, Fixed: d.From != project.OperatorName})
	if err := desk.Open(ctx); err != nil {
		return nil, err
	}
	d.Project, d.From = b.Key, desk.OwnName()
	d.To, d.CC = b.Names(d.To), b.Names(d.CC)
	d = d.Unique()
	var s mail.Sent
	err := b.Client.CheckExists(ctx, b.Key, d.Recipients()...)
	if err == nil {
		s, err = sendOnce(ctx, b, d)
	}
	var unknown *fault.Error
	if errors.As(err, &unknown) && unknown.Code == mail.NotFound {
		unknown.Hint = "`brenner mail agents` lists the names that have a mailbox; an agent registers its own"
	}
	if err != nil {
		return nil, err
	}
	l := &Messages{Schema: "brenner.mail.sent/v1", Server: b.Client.URL(), Messages: s.Messages}
	for _, o := range s.Missed {
		l.Missed = append(l.Missed, o.Agent)
	}
	return l, nil
}

// sendOnce sends a message. One with a key is sent only once, also by servers without idempotency keys: there a marker stands
// for the key.
func sendOnce(ctx context.Context, b *project.Mailbox, d mail.Draft) (mail.Sent, error) {
	if d.Key == "" || b.Client.TakesKeys(ctx) {
		return b.Client.Send(ctx, d)
	}
	if d.Thread == "" {
		return mail.Sent{}, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "this server has no keys, so that the message must be looked for in its thread",
			Hint: "pass --thread with --key",
		}
	}
	to := ""
	if len(d.Recipients()) == 1 {
		to = d.Recipients()[0]
	}
	mark := mail.MarkerOf(d.Thread, 0, to, "key/"+d.From+"/"+d.Key)
	s, err := b.Client.SendOnce(ctx, d, mark)
	for i := range s.Messages {
		if m := &s.Messages[i]; err == nil && s.Before && (m.Subject != d.Subject || strings.TrimSpace(m.Body) != strings.TrimSpace(mark.In(d.Body))) {
			return mail.Sent{}, &fault.Error{
				Code: mail.KeyReused, Place: b.Client.URL(), Detail: fmt.Sprintf("%s already sent a different message (%s) with key %s", d.From, m.ID, fault.Shown(d.Key)),
				Hint: "use another key",
			}
		}
	}
	return s, err
}

// Inbox returns the messages to an agent, newest first. Nothing is marked as read.
func Inbox(ctx context.Context, b *project.Mailbox, q mail.InboxQuery) (*Messages, error) {
	q.Project, q.Agent = b.Key, b.Name(q.Agent)
	if !b.Client.TakesKeys(ctx) { // names may be global there
		if err := b.CheckOwn(ctx, q.Agent); err != nil {
			return nil, err
		}
	}
	all, err := b.Client.Inbox(ctx, q, 0)
	if err != nil {
		return nil, withHint(err, mailboxHint(q.Agent, !b.Client.TakesKeys(ctx)))
	}
	return &Messages{Schema: "brenner.mail.inbox/v1", Server: b.Client.URL(), Messages: all}, nil
}

// Thread returns the messages of a thread, oldest first, and the session's phase.
func Thread(ctx context.Context, b *project.Mailbox, thread string) (*Messages, error) {
	all, err := b.Client.Thread(ctx, mail.ThreadQuery{Project: b.Key, Thread: thread, Reader: b.Name(project.OperatorName), Receipts: true})
	if err != nil {
		return nil, withHint(err, mailboxHint(project.OperatorName, false))
	}
	return &Messages{Schema: "brenner.mail.thread/v1", Server: b.Client.URL(), Messages: all, Phase: mail.Read(all).Phase}, nil
}

// Ack is a message that was acknowledged.
type Ack struct {
	Schema  string  `json:"schema"`
	Server  string  `json:"server"`
	Message mail.ID `json:"message_id"`
	Agent   string  `json:"agent"`
}

// Acknowledge acknowledges a message for an agent.
func Acknowledge(ctx context.Context, b *project.Mailbox, as string, id mail.ID) (*Ack, error) {
	as = b.Name(as)
	if !b.Client.TakesKeys(ctx) {
		if err := b.Client.CheckProject(ctx, b.Key, as); err != nil {
			return nil, err
		}
	}
	if err := b.Client.Acknowledge(ctx, b.Key, as, id); err != nil {
		return nil, withHint(err, text.CommandToCopy("brenner mail inbox", "NAME", as)+" lists its messages")
	}
	return &Ack{Schema: "brenner.mail.ack/v1", Server: b.Client.URL(), Message: id, Agent: as}, nil
}

// mailboxHint says how to create a missing mailbox. The server's own hint names tools that
// only agents have. On other servers than our own an agent registers itself.
func mailboxHint(name string, other bool) string {
	if name == project.OperatorName {
		return "no mail yet: `brenner mail send --to NAME --subject TEXT …` or a session via mail creates the operator's mailbox"
	}
	if other {
		return "`brenner mail agents` lists all mailboxes; an agent registers its own"
	}
	return "`brenner mail agents` lists all mailboxes; " + text.CommandToCopy("brenner mail token", "NAME", name) + " creates this one"
}

// withHint replaces the hint of a not-found error.
func withHint(err error, hint string) error {
	if fault.CodeOf(err) != mail.NotFound {
		return err
	}
	f := *fault.Distinct(err)[0]
	f.Hint = hint
	return &f
}
