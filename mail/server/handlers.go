package server

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// authorize returns the agent that a call is for, and checks that the caller may act for it.
func (c *call) authorize(ctx context.Context, nameArgument, tokenArgument string) (project, name string, err error) {
	project, name = c.need("project_key"), c.need(nameArgument)
	token := c.text(tokenArgument)
	if err := c.wrong.Err(); err != nil {
		return "", "", err
	}
	return project, name, c.server.authorizeAs(ctx, c.who, project, name, token)
}

type sendResult struct {
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
	return sendResult{Deliveries: []delivery{{d.Project, m}}, Count: 1}, nil
}

func sendMessage(ctx context.Context, c *call) (any, error) {
	d := mail.Draft{
		Subject: c.need("subject"), Body: c.need("body_md"), To: c.names("to"), CC: c.names("cc"), BCC: c.names("bcc"),
		Thread: c.text("thread_id"), Importance: strings.ToLower(c.text("importance")), AckRequired: c.flag("ack_required"), Key: c.text("idempotency_key"),
		Attachments: c.files(),
	}
	var err error
	if d.Project, d.From, err = c.authorize(ctx, "sender_name", "sender_token"); err != nil {
		return nil, err
	}
	return c.send(ctx, d)
}

func replyMessage(ctx context.Context, c *call) (any, error) {
	d := mail.Draft{
		ReplyTo: mail.ID(c.need("message_id")), Body: c.need("body_md"), To: c.names("to"), CC: c.names("cc"), BCC: c.names("bcc"), Key: c.text("idempotency_key"), Attachments: c.files(),
	}
	prefix := "Re:"
	if c.has("subject_prefix") {
		prefix = strings.TrimSpace(c.text("subject_prefix"))
	}
	var err error
	if d.Project, d.From, err = c.authorize(ctx, "sender_name", "sender_token"); err != nil {
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
		if strings.EqualFold(to.From, d.From) { // a reply to one's own message goes to its recipients
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
		Since: c.instant("since_ts"), After: mail.ID(c.text("after_id")), Thread: c.text("thread_id"), Unacknowledged: c.flag("ack_required_only") || c.has("overdue_minutes"),
	}
	if c.has("overdue_minutes") {
		q.Before = before(c.number("overdue_minutes"))
	}
	wait, mark := min(c.seconds("wait_seconds"), longestWait), c.flag("mark_read")
	var err error
	if q.Project, q.Agent, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
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
	return nonNil(all), nil
}

// nonNil returns a list that marshals as one even if empty.
func nonNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func markRead(ctx context.Context, c *call) (any, error) { return c.mark(ctx, false) }

func acknowledge(ctx context.Context, c *call) (any, error) { return c.mark(ctx, true) }

type markResult struct {
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
	if m.Project, m.Agent, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	at, err := c.server.box.Mark(ctx, m)
	if err != nil {
		return nil, err
	}
	r := markResult{Message: id, Read: true, ReadAt: mail.Instant{Time: at}}
	if ack {
		r.Acknowledged, r.At = true, r.ReadAt
	}
	return r, nil
}

// authorizeRead returns the project of a call, and checks that the caller may read in it.
func (c *call) authorizeRead() (project string, err error) {
	project = c.need("project_key")
	if err := c.wrong.Err(); err != nil {
		return "", err
	}
	if !c.who.in(project) {
		return "", denied(c.who, "read in "+fault.Shown(project))
	}
	return project, nil
}

func search(ctx context.Context, c *call) (any, error) {
	q := mail.SearchQuery{Words: c.need("query"), Limit: c.number("limit"), Reader: c.who.reader()}
	var err error
	if q.Project, err = c.authorizeRead(); err != nil {
		return nil, err
	}
	all, err := c.server.box.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	return nonNil(all), nil
}

func reserve(ctx context.Context, c *call) (any, error) {
	claim := mail.Claim{Paths: c.names("paths"), TTL: c.seconds("ttl_seconds"), Exclusive: c.flagOr("exclusive", true), Reason: c.text("reason")}
	var err error
	if claim.Project, claim.Agent, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	return c.server.box.Reserve(ctx, claim)
}

func release(ctx context.Context, c *call) (any, error) {
	names := c.names("paths")
	project, agent, err := c.authorize(ctx, "agent_name", "registration_token")
	if err != nil {
		return nil, err
	}
	n, err := c.server.box.Release(ctx, project, agent, names)
	return releaseResult{n, mail.Instant{Time: time.Now()}}, err
}

type releaseResult struct {
	Released int          `json:"released"`
	At       mail.Instant `json:"released_at"`
}

func renew(ctx context.Context, c *call) (any, error) {
	names, longer := c.names("paths"), c.seconds("ttl_seconds")
	project, agent, err := c.authorize(ctx, "agent_name", "registration_token")
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Renew(ctx, project, agent, names, longer)
	return renewResult{len(all), all}, err
}

type renewResult struct {
	Renewed int                `json:"renewed"`
	All     []mail.Reservation `json:"file_reservations"`
}

func health(_ context.Context, c *call) (any, error) {
	return healthResult{"ready", "embedded", "brenner-mail", c.server.version}, nil
}

type healthResult struct {
	Status      string `json:"status"`
	Environment string `json:"environment"`
	Server      string `json:"server"`
	Version     string `json:"version"`
}

func ensureProject(ctx context.Context, c *call) (any, error) {
	key := c.need("human_key")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	return c.project(ctx, key)
}

// project creates a project for the operator, and returns an agent's own.
func (c *call) project(ctx context.Context, key string) (mail.Project, error) {
	if !c.who.operator {
		if !c.who.in(key) {
			return mail.Project{}, denied(c.who, "open the project "+fault.Shown(key))
		}
		return c.who.project, nil
	}
	if !absolute(key) {
		return mail.Project{}, &fault.Error{Code: mail.Invalid, Detail: "not an absolute path: " + fault.Shown(key), Hint: "human_key is the absolute path of the project's directory"}
	}
	return c.server.box.EnsureProject(ctx, key)
}

// absolute reports whether key is an absolute path on any system, not only on this machine.
func absolute(key string) bool {
	return strings.HasPrefix(key, "/") || filepath.IsAbs(key) || len(key) > 2 && key[1] == ':' && (key[2] == '\\' || key[2] == '/')
}

func register(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{
		Project: c.need("project_key"), Name: c.text("name"), Program: c.text("program"), Model: c.text("model"), Task: c.text("task_description"),
	}
	token := c.text("registration_token")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	return c.register(ctx, r, token)
}

// register creates an agent with a new token. An existing agent can be registered again only with
// its own token, as the bearer or an argument. From the operator, a token that is not the agent's
// counts as none.
func (c *call) register(ctx context.Context, r mail.Registration, token string) (mail.Agent, error) {
	if r.Name == "" {
		if r.Name = c.who.agent.Name; r.Name == "" {
			return c.registerRandomName(ctx, r)
		}
	}
	proven := c.who.is(r.Project, r.Name)
	if token != "" {
		owner, err := c.server.ownerOf(ctx, token)
		if err != nil && fault.CodeOf(err) != mail.NoAuth {
			return mail.Agent{}, err
		}
		if proven = err == nil && owner.is(r.Project, r.Name); !proven && !c.who.operator {
			return mail.Agent{}, wrongToken(r.Name)
		}
	}
	if proven {
		r.Renew = true
		return c.server.box.Register(ctx, r)
	}
	if !c.who.operator {
		return mail.Agent{}, denied(c.who, "register "+fault.Shown(r.Name))
	}
	return c.create(ctx, r)
}

func (c *call) create(ctx context.Context, r mail.Registration) (mail.Agent, error) {
	token := NewToken()
	r.TokenHash = c.server.key.Sign(Hash(token))
	a, err := c.server.box.Register(ctx, r)
	if err == nil {
		a.Token = token
	}
	return a, err
}

// registerRandomName registers an agent under an unused random name.
func (c *call) registerRandomName(ctx context.Context, r mail.Registration) (a mail.Agent, err error) {
	for range 50 {
		r.Name = c.server.name()
		if a, err = c.create(ctx, r); fault.CodeOf(err) != mail.NameTaken {
			return a, err
		}
	}
	return a, err
}

func whois(ctx context.Context, c *call) (any, error) {
	name := c.need("agent_name")
	project, err := c.authorizeRead()
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Agents(ctx, project, name)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func setPolicy(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{Policy: strings.ToLower(c.need("policy")), Renew: true}
	var err error
	if r.Project, r.Name, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	all, err := c.server.box.Agents(ctx, r.Project, r.Name) // this does not create a missing agent
	if err != nil {
		return nil, err
	}
	r.Name = all[0].Name
	a, err := c.server.box.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	return policyResult{a.Name, a.Policy}, nil
}

type policyResult struct {
	Agent  string `json:"agent"`
	Policy string `json:"policy"`
}

func startSession(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{
		Project: c.need("human_key"), Name: c.text("agent_name"), Program: c.text("program"), Model: c.text("model"), Task: c.text("task_description"),
	}
	token, limit := c.text("registration_token"), c.number("inbox_limit")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = 10
	}
	project, err := c.project(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	a, err := c.register(ctx, r, token)
	if err != nil {
		return nil, err
	}
	inbox, err := c.server.box.Inbox(ctx, mail.InboxQuery{Project: project.Key, Agent: a.Name, Limit: limit})
	if err != nil {
		return nil, err
	}
	return sessionResult{project, a, nonNil(inbox)}, nil
}

type sessionResult struct {
	Project mail.Project   `json:"project"`
	Agent   mail.Agent     `json:"agent"`
	Inbox   []mail.Message `json:"inbox"`
}
