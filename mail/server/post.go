package server

import (
	"context"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// acts reads whom a call is for, and checks that the caller may act for it.
func (c *call) acts(ctx context.Context, nameArgument, tokenArgument string) (project, name string, err error) {
	project, name = c.need("project_key"), c.need(nameArgument)
	token := c.text(tokenArgument)
	if err := c.wrong.Err(); err != nil {
		return "", "", err
	}
	return project, name, c.server.actsAs(ctx, c.who, project, name, token)
}

// delivered is the answer to a message that was sent.
type delivered struct {
	Deliveries []delivery `json:"deliveries"`
	Count      int        `json:"count"`
}

type delivery struct {
	Project string       `json:"project"`
	Payload mail.Message `json:"payload"`
}

func (c *call) send(ctx context.Context, d mail.Draft) (any, error) {
	m, err := c.server.box.Send(ctx, d)
	if err != nil {
		return nil, err
	}
	return delivered{Deliveries: []delivery{{d.Project, m}}, Count: 1}, nil
}

func sendMessage(ctx context.Context, c *call) (any, error) {
	d := mail.Draft{
		Subject: c.need("subject"), Body: c.need("body_md"), To: c.names("to"), CC: c.names("cc"), BCC: c.names("bcc"),
		Thread: c.text("thread_id"), Importance: strings.ToLower(c.text("importance")), AckRequired: c.flag("ack_required"), Key: c.text("idempotency_key"),
	}
	var err error
	if d.Project, d.From, err = c.acts(ctx, "sender_name", "sender_token"); err != nil {
		return nil, err
	}
	return c.send(ctx, d)
}

func replyMessage(ctx context.Context, c *call) (any, error) {
	d := mail.Draft{
		ReplyTo: mail.ID(c.need("message_id")), Body: c.need("body_md"), To: c.names("to"), CC: c.names("cc"), BCC: c.names("bcc"), Key: c.text("idempotency_key"),
	}
	prefix := "Re:"
	if c.has("subject_prefix") {
		prefix = strings.TrimSpace(c.text("subject_prefix"))
	}
	var err error
	if d.Project, d.From, err = c.acts(ctx, "sender_name", "sender_token"); err != nil {
		return nil, err
	}
	reader := d.From
	if c.who.operator {
		reader = ""
	}
	to, err := c.server.box.Message(ctx, d.Project, reader, d.ReplyTo)
	if err != nil {
		return nil, err
	}
	if len(d.To) == 0 {
		d.To = []string{to.From}
		if strings.EqualFold(to.From, d.From) { // who adds to a message of its own means its readers
			d.To = to.To
		}
	}
	if d.Subject = to.Subject; prefix != "" && !strings.HasPrefix(strings.ToLower(d.Subject), strings.ToLower(prefix)) {
		d.Subject = prefix + " " + d.Subject
	}
	d.Importance, d.Thread = to.Importance, to.Thread
	return c.send(ctx, d)
}

func fetchInbox(ctx context.Context, c *call) (any, error) {
	q := mail.InboxQuery{
		Limit: c.number("limit"), Urgent: c.flag("urgent_only"), Unread: c.flag("unread_only"), NoBodies: !c.flagOr("include_bodies", true),
		Since: c.instant("since_ts"), After: mail.ID(c.text("after_id")), Thread: c.text("thread_id"),
	}
	wait, mark := min(c.seconds("wait_seconds"), longestWait), c.flag("mark_read")
	var err error
	if q.Project, q.Agent, err = c.acts(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	if q.Thread != "" {
		if err := mail.CheckThread(q.Thread); err != nil {
			return nil, err
		}
	}
	var all []mail.Message
	if wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, wait)
		all, err = c.server.box.Await(waiting, q)
		cancel()
	} else {
		all, err = c.server.box.Inbox(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	if mark && len(all) > 0 {
		read := mail.Mark{Project: q.Project, Agent: q.Agent}
		for _, m := range all {
			read.Messages = append(read.Messages, m.ID)
		}
		if _, err := c.server.box.Mark(ctx, read); err != nil {
			return nil, err
		}
	}
	return listed(all), nil
}

// listed gives a list that stands in JSON as one, also where it is empty.
func listed(all []mail.Message) []mail.Message {
	if all == nil {
		return []mail.Message{}
	}
	return all
}

func markRead(ctx context.Context, c *call) (any, error) { return c.mark(ctx, false) }

func acknowledge(ctx context.Context, c *call) (any, error) { return c.mark(ctx, true) }

// marked is the answer to a mark.
type marked struct {
	Message      mail.ID      `json:"message_id"`
	Read         bool         `json:"read"`
	ReadAt       mail.Instant `json:"read_at"`
	Acknowledged bool         `json:"acknowledged,omitempty"`
	At           mail.Instant `json:"acknowledged_at,omitzero"`
}

func (c *call) mark(ctx context.Context, ack bool) (any, error) {
	id := mail.ID(c.need("message_id"))
	m := mail.Mark{Messages: []mail.ID{id}, Ack: ack}
	var err error
	if m.Project, m.Agent, err = c.acts(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	at, err := c.server.box.Mark(ctx, m)
	if err != nil {
		return nil, err
	}
	r := marked{Message: id, Read: true, ReadAt: mail.Instant{Time: at}}
	if ack {
		r.Acknowledged, r.At = true, r.ReadAt
	}
	return r, nil
}

// reads checks that the caller has something to do with the project that it reads in.
func (c *call) reads() (project string, err error) {
	project = c.need("project_key")
	if err := c.wrong.Err(); err != nil {
		return "", err
	}
	if !c.who.in(project) {
		return "", notYours(c.who, "read in "+fault.Shown(project))
	}
	return project, nil
}

func search(ctx context.Context, c *call) (any, error) {
	q := mail.SearchQuery{Words: c.need("query"), Limit: c.number("limit"), Reader: c.who.reader()}
	var err error
	if q.Project, err = c.reads(); err != nil {
		return nil, err
	}
	all, err := c.server.box.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	return listed(all), nil
}

func reserve(ctx context.Context, c *call) (any, error) {
	claim := mail.Claim{Paths: c.names("paths"), TTL: c.seconds("ttl_seconds"), Exclusive: c.flagOr("exclusive", true), Reason: c.text("reason")}
	var err error
	if claim.Project, claim.Agent, err = c.acts(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	return c.server.box.Reserve(ctx, claim)
}

func release(ctx context.Context, c *call) (any, error) {
	names := c.names("paths")
	project, agent, err := c.acts(ctx, "agent_name", "registration_token")
	if err != nil {
		return nil, err
	}
	n, err := c.server.box.Release(ctx, project, agent, names)
	return map[string]any{"released": n, "released_at": mail.Instant{Time: time.Now()}}, err
}

func renew(ctx context.Context, c *call) (any, error) {
	names, longer := c.names("paths"), c.seconds("ttl_seconds")
	project, agent, err := c.acts(ctx, "agent_name", "registration_token")
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Renew(ctx, project, agent, names, longer)
	return map[string]any{"renewed": len(all), "file_reservations": all}, err
}
