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
	"brenner/internal/fault"
	"brenner/mail"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/letters"
)

// sessionMail is the mail of sessions, opened on first use: a session without mail needs no
// server.
type sessionMail struct {
	desk func() (*agentmail.Mailer, error)
}

// sessionMail returns a client of the mail of sessions.
func (p *Project) sessionMail(open func() (*Mailbox, error)) *sessionMail {
	return &sessionMail{desk: sync.OnceValues(func() (*agentmail.Mailer, error) {
		box, err := open()
		if err != nil {
			return nil, err
		}
		return agentmail.New(agentmail.Options{
			Client: box.Client, Project: box.Key, Sender: OperatorName, Count: p.Tokens.Count, Holds: letters.HoldsChanges, Presets: p.Config.Presets,
			Trouble: func(err error) {
				if err == nil {
					p.Log.Info().Msg("the mail server responds again")
					return
				}
				what := "does not respond"
				if mail.Responded(err) || fault.CodeOf(err) == mail.Garbled {
					what = "does not work"
				}
				p.Log.Warn().Err(err).Msg("the mail server " + what + "; the session waits for it")
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
	r = p.runner(st, p.holder(doing))
	r.Mail = p.sessionMail(func() (*Mailbox, error) {
		h, err := session.Load(ctx, st, thread)
		if url != "" || err != nil { // a new session has no pinned address
			return p.MailboxOf(url, "--url URL")
		}
		return p.mailboxOf(h.State.Agents, "--url")
	})
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
	slow := time.AfterFunc(slowMail, func() { m.Project.notify("waiting for the mail server, which is slow") })
	defer slow.Stop()
	return m.Mail.check(ctx, parties, flags)
}

// slowMail is how long a mail server may take before a session says that it waits for it.
const slowMail = 5 * time.Second

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
	if fault.CodeOf(err) == mail.Unreachable && !mail.Responded(err) {
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
		if mail.MayPass(err) { // as for all others; the calls wait for it, and say so
			break
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		boxes = append(boxes, flow.Mailbox{Agent: p.Name, Name: j.Name})
	}
	return boxes, errors.Join(failed...)
}

// Letters returns all messages of a thread.
func (o *sessionMail) Letters(ctx context.Context, thread string, agents []flow.Party) ([]letters.Letter, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(agents))
	for i, p := range agents {
		names[i] = p.Name
	}
	all, err := desk.Letters(ctx, thread, names)
	return sessionLetters(all), err
}

// sessionLetters returns messages of a thread as a session reads them.
func sessionLetters(all []agentmail.Letter) []letters.Letter {
	out := make([]letters.Letter, len(all))
	examples := make(map[int][]byte)
	for i, l := range all {
		asked := len(l.Asked)
		if _, ok := examples[asked]; !ok {
			examples[asked] = letters.ThreadExamples(l.Asked)
		}
		var files []string
		for _, f := range l.Files() {
			files = append(files, f.Name)
		}
		out[i] = letters.Letter{From: l.From, Text: l.Body, Files: files, Own: l.Own, ByHand: l.ByHand, Sign: l.Sign, Round: l.Round, Sent: l.Sent, Basis: letters.Basis(l.Basis), Examples: examples[asked], Letter: flow.Letter{
			ID: l.Key(), Agent: l.Agent, Subject: l.Subject, At: artifact.FormatInstant(l.Created.Time), Shown: l.Shown, To: l.Recipients,
		}}
	}
	return out
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

// TryWrite makes the operator's mailbox, as a session does first. If there is one, it is registered again, unchanged: a server
// may refuse only new agents.
func (b *Mailbox) TryWrite(ctx context.Context) error {
	return agentmail.New(agentmail.Options{Client: b.Client, Project: b.Key, Sender: OperatorName}).Register(ctx)
}
