package project

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"brenner/agent"
	agentmail "brenner/agent/mail"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/mail"
	"brenner/session"
	"brenner/session/flow"
)

// postOffice is the mail of sessions, opened when it is first needed: a session
// without mail needs no server.
type postOffice struct {
	desk func() (*agentmail.Desk, error)
}

// postOffice gives the way to a project's mail.
func (p *Project) postOffice(url string, count func(string) int) *postOffice {
	return &postOffice{desk: sync.OnceValues(func() (*agentmail.Desk, error) {
		box, err := p.MailboxOf(url)
		if err != nil {
			return nil, err
		}
		return agentmail.New(agentmail.Options{
			Client: box.Client, Project: box.Key, Sender: OperatorName, Count: count,
			Trouble: func(agent string, err error) {
				p.Log.Warn().Err(err).Str("agent", agent).Msg("the mail server is gone; still waiting for its answer")
			},
		}), nil
	})}
}

// PostRunner returns a runner for what only reads and writes mail; end closes its store.
func (p *Project) PostRunner(ctx context.Context, doing, url string) (r *session.Runner, end func(), err error) {
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	r = p.runner(st, doing)
	r.Post = p.postOffice(url, nil)
	return r, func() { p.CloseStore(st) }, nil
}

// OpenPost sees to it that mail can be sent where a session needs it, before
// anything is written.
func (m *Models) OpenPost(ctx context.Context, parties []flow.Party, serve bool) error {
	if err := CheckMailboxes(parties); err != nil {
		return err
	}
	if !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail }) {
		if serve {
			return &fault.Error{Code: fault.Usage, Detail: "--serve-mail serves nobody: no agent of the session is reached via mail", Hint: "--via mail reaches all of them that way"}
		}
		return nil
	}
	if serve {
		end, err := m.Project.mailBeside(ctx)
		if err != nil {
			return err
		}
		m.endMail = end
	}
	return m.Post.check(ctx)
}

// CheckMailboxes refuses agents who would share a mailbox, with each other or with
// the session itself: nobody could say whose words are whose.
func CheckMailboxes(parties []flow.Party) error {
	owners := map[string]string{strings.ToLower(OperatorName): "the session itself"}
	for _, p := range parties {
		if p.Via != config.ViaMail {
			continue
		}
		key := strings.ToLower(p.Name)
		if owner, ok := owners[key]; ok {
			return &fault.Error{
				Code: mail.NameTaken, Detail: fault.Shown(p.Name) + " would have the mailbox of " + owner,
				Hint: "names of mailboxes differ in more than case; give the agent another one",
			}
		}
		owners[key] = fault.Shown(p.Name)
	}
	return nil
}

// check asks the server whether it is there, before anything is written.
func (o *postOffice) check(ctx context.Context) error {
	desk, err := o.desk()
	if err != nil {
		return err
	}
	_, err = desk.Client.Health(ctx)
	if fault.CodeOf(err) == mail.Unreachable {
		return &fault.Error{
			Code: mail.Unreachable, Place: desk.Client.URL(), Detail: "nobody serves the mail of this project there",
			Hint: "run `brenner mail serve` in another terminal, or give --serve-mail",
		}
	}
	return err
}

// maker makes agents with mailboxes.
func (o *postOffice) maker(s agent.Setup) (agent.Agent, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	return desk.Agent(s)
}

// Recall tells what the journal knows. Whoever cannot open the office is told so by
// the calls.
func (o *postOffice) Recall(boxes []flow.Mailbox, taken map[string]bool) {
	desk, err := o.desk()
	if err != nil {
		return
	}
	names := make(map[string]string)
	for _, b := range boxes {
		names[b.Agent] = b.Name
	}
	desk.Recall(names, slices.Collect(maps.Keys(taken)))
}

// Join gives agents their mailboxes.
func (o *postOffice) Join(ctx context.Context, agents []flow.Party) ([]flow.Mailbox, error) {
	desk, err := o.desk()
	if err != nil {
		return nil, err
	}
	var boxes []flow.Mailbox
	var failed []error
	for _, p := range agents {
		j, err := desk.Join(ctx, agent.Setup{Agent: p.Name, Role: p.Role, Program: p.Program, Model: p.Model})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		boxes = append(boxes, flow.Mailbox{Agent: p.Name, Name: j.Name})
	}
	return boxes, errors.Join(failed...)
}

// Letters gives what the agents wrote in a thread.
func (o *postOffice) Letters(ctx context.Context, thread string, agents []flow.Party) ([]session.Letter, error) {
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
	for i, l := range all {
		letters[i] = session.Letter{Text: l.Body, Round: l.Round, Letter: flow.Letter{
			ID: l.Key(), Agent: l.Agent, Subject: l.Subject, At: artifact.FormatInstant(l.Created.Time), Shown: l.Shown,
		}}
	}
	return letters, nil
}

// Publish mails a version.
func (o *postOffice) Publish(ctx context.Context, p session.Publication) (letters, missed []string, err error) {
	desk, err := o.desk()
	if err != nil {
		return nil, nil, err
	}
	sent, missed, err := desk.Publish(ctx, agentmail.Compiled{
		Thread: p.Thread, Version: p.Version, Subject: p.Subject, Bodies: p.Bodies, Whole: p.Whole,
	})
	for _, m := range sent {
		letters = append(letters, string(m.ID))
	}
	return letters, missed, err
}
