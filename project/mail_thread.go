package project

import (
	"cmp"
	"context"
	"strings"
	"time"

	agentmail "brenner/agent/mail"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/letters"
)

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
	acks, known := box.Client.Acks(ctx, box.Key, all)
	t.SetAcks(all, acks, known)
	names := make(map[string]string)
	for _, b := range h.State.Mailboxes() {
		names[b.Agent] = b.Name
	}
	t.Count(letters.Rows(h.State), names)
	agents := make(map[string]string)
	for _, a := range h.State.ByMail() {
		agents[strings.ToLower(cmp.Or(names[a.Name], a.Name))] = a.Name
	}
	thread := sessionLetters(agentmail.ReadLetters(all, OperatorName, agents, letters.HoldsChanges))
	rows, _ := letters.AccountFor(h.State, letters.WithAuthorities(thread, h.State.LetterAuthorities()))
	t.SetLetters(rows, h.State.OpenLeg() != nil)
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
	if u := h.State.Unmailed; u.Code != "" || len(u.Missed) > 0 {
		s.Unmailed = &u
	}
	s.AddThread(s.Mail, s.Unmailed != nil)
}

// NextOfMail names what to do with the mail of a session that ended: merge what waits, and send what was not sent.
func (p *Project) NextOfMail(ctx context.Context, h *session.History, s *audit.Summary) {
	if len(h.State.ByMail()) > 0 {
		s.AddThread(p.threadOf(ctx, h), h.State.Unmailed.Code != "" || len(h.State.Unmailed.Missed) > 0)
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
	box, err := p.MailboxOf("")
	if err != nil {
		return nil, err
	}
	all, server, err := box.readThread(ctx, thread, false)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	f := &ForeignThread{Schema: "brenner.thread/v1", Thread: thread, Mail: audit.ReadThread(server, all)}
	acks, known := box.Client.Acks(ctx, box.Key, all)
	f.Mail.SetAcks(all, acks, known)
	f.Next = []string{text.CommandToCopy("brenner mail thread", "ID", f.Thread)}
	switch f.Mail.Phase {
	case mail.PartiallyComplete, mail.AwaitingCompiling, mail.CompiledPhase, mail.InCritique, mail.Closed:
		f.Next = append([]string{text.CommandToCopy("brenner session compile", "ID", f.Thread)}, f.Next...)
	case mail.NotStarted, mail.AwaitingResponses:
	}
	return f, nil
}
