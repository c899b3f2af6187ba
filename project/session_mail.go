package project

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	agentmail "brenner/agent/mail"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/tokens"
	"brenner/mail"
	"brenner/mail/server"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// sessionMail is the mail of sessions, opened on first use: a session without mail needs no
// server.
type sessionMail struct {
	desk func() (*agentmail.Mailer, error)
}

// sessionMail returns a client of the mail of sessions.
func (p *Project) sessionMail(open func() (*Mailbox, error), count func(string) int) *sessionMail {
	return &sessionMail{desk: sync.OnceValues(func() (*agentmail.Mailer, error) {
		box, err := open()
		if err != nil {
			return nil, err
		}
		return agentmail.New(agentmail.Options{
			Client: box.Client, Project: box.Key, Sender: OperatorName, Count: count, Holds: session.HoldsChanges, Presets: p.Config.Presets,
			Trouble: func(err error) {
				if err == nil {
					p.Log.Info().Msg("the mail server responds again")
					return
				}
				p.Log.Warn().Err(err).Msg("mail server unreachable; still waiting for replies")
			},
		}), nil
	})}
}

// MailRunner returns a runner that only reads and writes the mail of a session, at the given address,
// the pinned or the configured one; end closes its store.
func (p *Project) MailRunner(ctx context.Context, doing, thread, url string) (r *session.Runner, end func(), err error) {
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	r = p.runner(st, p.holder(doing), tokens.New())
	r.Mail = p.sessionMail(func() (*Mailbox, error) {
		h, err := session.Load(ctx, st, thread)
		if url != "" || err != nil { // a new session has no pinned address
			return p.MailboxOf(url, "--url URL")
		}
		return p.mailboxOf(h.State.Agents, "--url")
	}, nil)
	return r, func() { p.CloseStore(st) }, nil
}

// PrepareMail checks the mail server if a session needs it, before anything is written. With
// serve it starts one first. The flags are what else can help if there is none.
func (m *Models) PrepareMail(ctx context.Context, parties []flow.Party, serve bool, flags ...string) error {
	if err := CheckMailboxes(parties); err != nil {
		return err
	}
	if !anyVia(parties, config.ViaMail) {
		if serve {
			return &fault.Error{Code: fault.Usage, Detail: "--serve-mail has no effect: no agent of the session is reached via mail", Hint: "omit it, or pass --via mail"}
		}
		return nil
	}
	m.Project.warnOfMail(parties)
	if serve {
		address, err := m.Project.mailOf(parties, mailURLFlag)
		if err != nil {
			return err
		}
		end, err := m.Project.serveMail(ctx, address)
		if err != nil {
			return err
		}
		m.onClose(end)
	}
	return m.Mail.check(ctx, parties, flags)
}

// CheckMailboxes rejects agents that would share a mailbox, with each other or with the
// session: their messages could not be told apart.
func CheckMailboxes(parties []flow.Party) error {
	owners := map[string]string{strings.ToLower(OperatorName): "the session itself"}
	for _, p := range parties {
		if p.Via != config.ViaMail {
			continue
		}
		key := strings.ToLower(p.Name)
		if owner, ok := owners[key]; ok {
			return &fault.Error{
				Code: mail.NameTaken, Detail: fault.Shown(p.Name) + " would share the mailbox of " + owner,
				Hint: "mailbox names are case-insensitive; rename the agent",
			}
		}
		owners[key] = fault.Shown(p.Name)
	}
	return nil
}

// check checks that the server responds, lets us write, and knows no agent of ours as one of another project, before
// anything is journaled.
func (o *sessionMail) check(ctx context.Context, parties []flow.Party, flags []string) error {
	desk, err := o.desk()
	if err != nil {
		return err
	}
	_, err = desk.Client.Health(ctx)
	if fault.CodeOf(err) == mail.Unreachable {
		if _, err := mail.ListenAddress(desk.Client.URL()); err != nil {
			flags = slices.DeleteFunc(flags, func(f string) bool { return f == serveMailFlag })
		}
		return &fault.Error{
			Code: mail.Unreachable, Place: desk.Client.URL(), Detail: "no mail server for this project",
			Hint: mail.HowToServe(desk.Client.URL(), flags...),
		}
	}
	if err == nil {
		err = desk.Open(ctx)
	}
	if err != nil {
		return err
	}
	var names []string
	for i := range parties {
		if parties[i].Via == config.ViaMail {
			names = append(names, desk.Client.Keys().Name(desk.Client.URL(), desk.Project, parties[i].Name))
		}
	}
	return desk.Client.CheckProject(ctx, desk.Project, names...)
}

// maker makes agents with mailboxes.
func (o *sessionMail) maker(s agent.Setup) (agent.Agent, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	return desk.Agent(s)
}

// Restore passes on mailboxes and answered messages from the journal. If the mail cannot be
// opened, the calls report that.
func (o *sessionMail) Restore(boxes []flow.Mailbox, taken map[string]bool) {
	desk, err := o.desk()
	if err != nil {
		return
	}
	names := make(map[string]string)
	for _, b := range boxes {
		names[b.Agent] = b.Name
	}
	desk.Restore(names, slices.Collect(maps.Keys(taken)))
}

// Join creates or finds the agents' mailboxes.
func (o *sessionMail) Join(ctx context.Context, agents []flow.Party) ([]flow.Mailbox, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	var boxes []flow.Mailbox
	var failed []error
	for _, p := range agents {
		j, err := desk.Join(ctx, p.Entry())
		if err != nil {
			failed = append(failed, err)
			continue
		}
		boxes = append(boxes, flow.Mailbox{Agent: p.Name, Name: j.Name})
	}
	return boxes, errors.Join(failed...)
}

// Letters returns all messages of a thread.
func (o *sessionMail) Letters(ctx context.Context, thread string, agents []flow.Party) ([]session.Letter, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(agents))
	for i, p := range agents {
		names[i] = p.Name
	}
	all, err := desk.Letters(ctx, thread, names)
	if err != nil {
		return nil, err
	}
	letters := make([]session.Letter, len(all))
	examples := make(map[int][]byte)
	for i, l := range all {
		asked := len(l.Asked)
		if _, ok := examples[asked]; !ok {
			examples[asked] = session.ThreadExamples(l.Asked)
		}
		letters[i] = session.Letter{From: l.From, Text: l.Body, Own: l.Own, Sign: l.Sign, Round: l.Round, Sent: l.Sent, Basis: session.Basis(l.Basis), Examples: examples[asked], Letter: flow.Letter{
			ID: l.Key(), Agent: l.Agent, Subject: l.Subject, At: artifact.FormatInstant(l.Created.Time), Shown: l.Shown, To: l.Recipients,
		}}
	}
	return letters, nil
}

// Publish mails a version.
func (o *sessionMail) Publish(ctx context.Context, p session.Publication) (letters, missed []string, err error) {
	desk, err := o.desk()
	if err != nil {
		return nil, nil, err
	}
	sent, missed, err := desk.Publish(ctx, agentmail.Compiled{
		Thread: p.Thread, Version: p.Version, Subject: p.Subject, Bodies: p.Bodies, Whole: p.Whole, Again: p.Again,
	})
	for _, m := range sent {
		letters = append(letters, string(m.ID))
	}
	return letters, missed, err
}

// TryWrite makes the operator's mailbox, as a session does first, if there is none.
func (b *Mailbox) TryWrite(ctx context.Context) error {
	return agentmail.New(agentmail.Options{Client: b.Client, Project: b.Key, Sender: OperatorName}).Open(ctx)
}

// MailHealth is the health of a mail server.
type MailHealth struct {
	Schema  string `json:"schema"`
	Server  string `json:"server"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// Health requests the health of the server.
func (b *Mailbox) Health(ctx context.Context) (*MailHealth, error) {
	h, err := b.Client.Health(ctx)
	if err != nil {
		return nil, err
	}
	return &MailHealth{Schema: "brenner.mail.health/v1", Server: b.Client.URL(), Status: h.Status, Version: h.Version}, nil
}

// MailAgents lists the agents with a mailbox.
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

// MailMessages are messages that were sent or found.
type MailMessages struct {
	Schema   string         `json:"schema"`
	Server   string         `json:"server"`
	Messages []mail.Message `json:"messages"`
	Missed   []string       `json:"missed,omitempty"` // recipients that were not reached
	Phase    mail.Phase     `json:"phase,omitempty"`  // of a session's thread
}

// Send sends a message, and creates the sender's mailbox if necessary.
func (b *Mailbox) Send(ctx context.Context, d mail.Draft) (*MailMessages, error) {
	desk := agentmail.New(agentmail.Options{Client: b.Client, Project: b.Key, Sender: d.From})
	if err := desk.Open(ctx); err != nil {
		return nil, err
	}
	d.Project, d.From = b.Key, desk.OwnName()
	d.To, d.CC = b.Names(d.To), b.Names(d.CC)
	s, err := b.Client.Send(ctx, d)
	var unknown *fault.Error
	if errors.As(err, &unknown) && unknown.Code == mail.NotFound {
		unknown.Hint = "`brenner mail agents` lists the names that have a mailbox; an agent registers its own"
	}
	if err != nil {
		return nil, err
	}
	l := &MailMessages{Schema: "brenner.mail.sent/v1", Server: b.Client.URL(), Messages: s.Messages}
	for _, o := range s.Missed {
		l.Missed = append(l.Missed, o.Agent)
	}
	return l, nil
}

// Inbox returns the messages to an agent, newest first. Nothing is marked as read.
func (b *Mailbox) Inbox(ctx context.Context, q mail.InboxQuery) (*MailMessages, error) {
	q.Project, q.Agent = b.Key, b.Name(q.Agent)
	all, err := b.Client.Inbox(ctx, q, 0)
	if err != nil {
		return nil, withHint(err, mailboxHint(q.Agent))
	}
	return &MailMessages{Schema: "brenner.mail.inbox/v1", Server: b.Client.URL(), Messages: all}, nil
}

// Thread returns the messages of a thread, oldest first, and the session's phase.
func (b *Mailbox) Thread(ctx context.Context, thread string) (*MailMessages, error) {
	all, err := b.Client.Thread(ctx, mail.ThreadQuery{Project: b.Key, Thread: thread, Reader: b.Name(OperatorName), Receipts: true})
	if err != nil {
		return nil, withHint(err, mailboxHint(OperatorName))
	}
	return &MailMessages{Schema: "brenner.mail.thread/v1", Server: b.Client.URL(), Messages: all, Phase: mail.Read(all).Phase}, nil
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
		return nil, withHint(err, text.CommandToCopy("brenner mail inbox", "NAME", as)+" lists its messages")
	}
	return &MailAck{Schema: "brenner.mail.ack/v1", Server: b.Client.URL(), Message: id, Agent: as}, nil
}

// MailToken is a new token.
type MailToken struct {
	Schema string `json:"schema"`
	Agent  string `json:"agent"`
	Token  string `json:"token"`
}

// MakeToken makes a new token for an agent, and its mailbox if necessary.
func (b *Mailbox) MakeToken(ctx context.Context, r mail.Registration) (_ *MailToken, err error) {
	if !baseurl.IsLocal(b.Client.URL()) {
		return nil, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "the mailboxes of that server are not on this machine",
			Hint: "run this command where the server runs",
		}
	}
	if b.Client.Foreign(ctx) {
		return nil, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "not this project's `brenner mail serve`: another server cannot know a token that is made here",
			Hint: "agents use the token of that server, if it has one; or start `brenner mail serve` at another address",
		}
	}
	key, err := b.Project.mailGuard().Key()
	if err != nil {
		return nil, err
	}
	opened, err := b.Project.openBox(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if _, err := opened.EnsureProject(ctx, b.Key); err != nil {
		return nil, err
	}
	token := server.NewToken()
	r.Project, r.TokenHash, r.Renew = b.Key, key.Sign(server.Hash(token)), true
	made, err := opened.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := b.Client.Keys().Keep(b.Client.URL(), b.Key, made.Name, made.Name, token); err != nil {
		return nil, err
	}
	if b.refuses(ctx, token) {
		b.Project.Log.Warn().Str("hint", "restart `brenner mail serve`, which may be of an earlier version or have another key; or it serves another project").Msg("the server at " + b.Client.URL() + " refuses the new token")
	}
	return &MailToken{Schema: "brenner.mail.token/v1", Agent: made.Name, Token: token}, nil
}

// mailboxHint says how to create a missing mailbox. The server's own hint names tools that
// only agents have.
func mailboxHint(name string) string {
	if name == OperatorName {
		return "no mail yet: `brenner mail send --to NAME --subject TEXT …` or a session via mail creates the operator's mailbox"
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

// ReadThread reads a complete thread with its delivery state from the mail server at url,
// and returns the server's address. A missing thread is empty.
func (p *Project) ReadThread(ctx context.Context, url, thread string, texts bool, flags ...string) (messages []mail.Message, server string, err error) {
	box, err := p.MailboxOf(url, flags...)
	if err != nil {
		return nil, "", err
	}
	return box.readThread(ctx, thread, texts)
}

func (b *Mailbox) readThread(ctx context.Context, thread string, texts bool) (messages []mail.Message, server string, err error) {
	all, err := b.Client.Thread(ctx, mail.ThreadQuery{Project: b.Key, Thread: thread, Reader: OperatorName, Receipts: true, NoBodies: !texts})
	if fault.CodeOf(err) == mail.NotFound {
		return nil, b.Client.URL(), nil
	}
	return all, b.Client.URL(), err
}

// waitForThread is how long a status waits for the mail server.
const waitForThread = 5 * time.Second

// threadOf summarises a thread. An unreachable server is part of the summary: the session's
// state is known without it.
func (p *Project) threadOf(ctx context.Context, h *session.History) *audit.Thread {
	ctx, cancel := context.WithTimeout(ctx, waitForThread)
	defer cancel()
	var all []mail.Message
	server := ""
	box, err := p.mailboxOf(h.State.Agents, "")
	if err == nil {
		all, server, err = box.readThread(ctx, h.Thread, true) // the markers tell the rounds
	}
	if err != nil {
		return &audit.Thread{Server: server, Agents: []audit.ThreadAgent{}, Problem: strings.TrimSpace(err.Error())}
	}
	t := audit.ReadThread(server, all)
	names := make(map[string]string)
	for _, b := range h.State.Mailboxes() {
		names[b.Agent] = b.Name
	}
	t.Count(h.Letters(), names)
	t.Waiting = h.State.OpenLeg() == nil && audit.Waits(h.State, all, names)
	return t
}

// addThread adds the mail thread to a session's summary.
func (p *Project) addThread(ctx context.Context, h *session.History, s *audit.Summary) {
	if len(h.State.ByMail()) == 0 {
		return
	}
	s.Mail = p.threadOf(ctx, h)
	for _, b := range h.State.Mailboxes() {
		if b.Agent != b.Name {
			if s.Mail.Names == nil {
				s.Mail.Names = make(map[string]string)
			}
			s.Mail.Names[b.Agent] = b.Name
		}
	}
	if s.Mail.Waiting {
		s.Next = append([]string{"brenner session compile " + h.Thread}, s.Next[:2]...)
	}
	if u := h.State.Unmailed; u.Code != "" || len(u.Missed) > 0 {
		s.Unmailed = &u
		s.Next = append([]string{"brenner session publish " + h.Thread}, s.Next[:2]...)
	}
}

// ForeignThread is a session run by another tool.
type ForeignThread struct {
	Schema string        `json:"schema"`
	Thread string        `json:"thread_id"`
	Mail   *audit.Thread `json:"mail"`
	Next   []string      `json:"next"`
}

// ForeignThread returns a thread on the mail server that belongs to no stored session, or
// nil.
func (p *Project) ForeignThread(ctx context.Context, thread string) (*ForeignThread, error) {
	ctx, cancel := context.WithTimeout(ctx, waitForThread)
	defer cancel()
	all, server, err := p.ReadThread(ctx, "", thread, false)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	f := &ForeignThread{Schema: "brenner.thread/v1", Thread: thread, Mail: audit.ReadThread(server, all)}
	f.Next = []string{text.CommandToCopy("brenner mail thread", "ID", f.Thread)}
	switch f.Mail.Phase {
	case mail.PartiallyComplete, mail.AwaitingCompiling, mail.CompiledPhase, mail.InCritique, mail.Closed:
		f.Next = append([]string{text.CommandToCopy("brenner session compile", "ID", f.Thread)}, f.Next...)
	case mail.NotStarted, mail.AwaitingResponses:
	}
	return f, nil
}
