package project

import (
	"context"
	"errors"

	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

// MailHealth is how a mail server is.
type MailHealth struct {
	Schema  string `json:"schema"`
	Server  string `json:"server"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// Health asks the server how it is.
func (b *Mailbox) Health(ctx context.Context) (*MailHealth, error) {
	h, err := b.Client.Health(ctx)
	if err != nil {
		return nil, err
	}
	return &MailHealth{Schema: "brenner.mail.health/v1", Server: b.Client.URL(), Status: h.Status, Version: h.Version}, nil
}

// MailAgents is which agents have a mailbox.
type MailAgents struct {
	Schema string       `json:"schema"`
	Server string       `json:"server"`
	Agents []mail.Agent `json:"agents"`
}

// Agents lists the project's mailboxes.
func (b *Mailbox) Agents(ctx context.Context) (*MailAgents, error) {
	p, err := b.Client.EnsureProject(ctx, b.Key)
	if err != nil {
		return nil, err
	}
	all, err := b.Client.Agents(ctx, p.Slug)
	if err != nil {
		return nil, err
	}
	return &MailAgents{Schema: "brenner.mail.agents/v1", Server: b.Client.URL(), Agents: all}, nil
}

// Letters are messages that were sent or found.
type Letters struct {
	Schema   string         `json:"schema"`
	Server   string         `json:"server"`
	Messages []mail.Message `json:"messages"`
	Missed   []string       `json:"missed,omitempty"` // agents that were not reached
	Phase    mail.Phase     `json:"phase,omitempty"`  // of a session's thread
}

// Send sends a message under the name of its sender, for which it makes a mailbox if
// need be.
func (b *Mailbox) Send(ctx context.Context, d mail.Draft) (*Letters, error) {
	desk := agentmail.New(agentmail.Options{Client: b.Client, Project: b.Key, Sender: d.From})
	if err := desk.Open(ctx); err != nil {
		return nil, err
	}
	d.Project, d.From = b.Key, desk.Own()
	d.To, d.CC = b.Names(d.To), b.Names(d.CC)
	s, err := b.Client.Send(ctx, d)
	if err != nil {
		return nil, err
	}
	l := &Letters{Schema: "brenner.mail.sent/v1", Server: b.Client.URL(), Messages: s.Messages}
	for _, o := range s.Missed {
		l.Missed = append(l.Missed, o.Agent)
	}
	return l, nil
}

// Inbox returns what was sent to an agent, the newest first. Nothing is marked as read.
func (b *Mailbox) Inbox(ctx context.Context, q mail.InboxQuery) (*Letters, error) {
	q.Project, q.Agent = b.Key, b.Name(q.Agent)
	all, err := b.Client.Inbox(ctx, q, 0)
	if err != nil {
		return nil, hinted(err, mailboxHint(q.Agent))
	}
	return &Letters{Schema: "brenner.mail.inbox/v1", Server: b.Client.URL(), Messages: all}, nil
}

// Thread returns the messages of a thread, the oldest first, and the session's phase.
func (b *Mailbox) Thread(ctx context.Context, thread string) (*Letters, error) {
	all, err := b.Client.Thread(ctx, mail.ThreadQuery{Project: b.Key, Thread: thread, Reader: b.Name(OperatorName), Receipts: true})
	if err != nil {
		return nil, hinted(err, mailboxHint(OperatorName))
	}
	return &Letters{Schema: "brenner.mail.thread/v1", Server: b.Client.URL(), Messages: all, Phase: mail.Read(all).Phase}, nil
}

// MailAck is a message that was acknowledged.
type MailAck struct {
	Schema  string  `json:"schema"`
	Server  string  `json:"server"`
	Message mail.ID `json:"message_id"`
	Agent   string  `json:"agent"`
}

// Acknowledge acknowledges a message for an agent.
func (b *Mailbox) Acknowledge(ctx context.Context, as string, id mail.ID) (*MailAck, error) {
	as = b.Name(as)
	if err := b.Client.Acknowledge(ctx, b.Key, as, id); err != nil {
		return nil, hinted(err, text.CommandToCopy("brenner mail inbox", "NAME", as)+" lists what was sent to it")
	}
	return &MailAck{Schema: "brenner.mail.ack/v1", Server: b.Client.URL(), Message: id, Agent: as}, nil
}

// MailToken is a token that was made.
type MailToken struct {
	Schema string `json:"schema"`
	Agent  string `json:"agent"`
	Token  string `json:"token"`
}

// MakeToken makes a new token for an agent, and its mailbox if it has none.
func (b *Mailbox) MakeToken(ctx context.Context, r mail.Registration) (_ *MailToken, err error) {
	if !isLoopback(b.Client.URL()) {
		return nil, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "the mailboxes of that server are not here",
			Hint: "run this where the server runs; a server of this project is on this machine",
		}
	}
	opened, err := box.Open(ctx, b.Project.StateDir(), box.Options{Now: b.Project.Now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if _, err := opened.EnsureProject(ctx, b.Key); err != nil {
		return nil, err
	}
	token := server.NewToken()
	r.Project, r.TokenHash, r.Renew = b.Key, server.Hash(token), true
	made, err := opened.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := b.Client.Keys().Keep(b.Client.URL(), b.Key, made.Name, made.Name, token); err != nil {
		return nil, err
	}
	return &MailToken{Schema: "brenner.mail.token/v1", Agent: made.Name, Token: token}, nil
}

// mailboxHint says how to make a mailbox that is not there: a server names tools for
// agents, which no person has at a terminal.
func mailboxHint(name string) string {
	if name == OperatorName {
		return "nobody has written here yet: `brenner mail send --to NAME --subject TEXT …` makes the operator's mailbox, and so does a session whose agents are reached via mail"
	}
	return "`brenner mail agents` lists the mailboxes there are; " + text.CommandToCopy("brenner mail token", "NAME", name) + " makes this one"
}

// hinted is an error with another hint, if something was not found.
func hinted(err error, hint string) error {
	if fault.CodeOf(err) != mail.NotFound {
		return err
	}
	f := *fault.Distinct(err)[0]
	f.Hint = hint
	return &f
}
