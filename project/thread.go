package project

import (
	"context"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/session"
	"brenner/session/audit"
)

// ReadThread reads a whole thread from the mail server at url, with what its recipients
// did with it, and returns the address of the server. A thread that is not there is empty.
func (p *Project) ReadThread(ctx context.Context, url, thread string, texts bool) (messages []mail.Message, server string, err error) {
	box, err := p.MailboxOf(url)
	if err != nil {
		return nil, "", err
	}
	all, err := box.Client.Thread(ctx, mail.ThreadQuery{Project: box.Key, Thread: thread, Reader: OperatorName, Receipts: true, NoBodies: !texts})
	if fault.CodeOf(err) == mail.NotFound {
		return nil, box.Client.URL(), nil
	}
	return all, box.Client.URL(), err
}

// waitForThread is how long a status waits for a mail server that may be gone.
const waitForThread = 5 * time.Second

// threadOf returns what a thread tells. A server that cannot be read is part of the
// answer: where a session stands is known all the same.
func (p *Project) threadOf(ctx context.Context, thread string) *audit.Thread {
	ctx, cancel := context.WithTimeout(ctx, waitForThread)
	defer cancel()
	all, server, err := p.ReadThread(ctx, "", thread, false)
	if err != nil {
		return &audit.Thread{Server: server, Agents: []audit.ThreadAgent{}, Problem: strings.TrimSpace(err.Error())}
	}
	return audit.ReadThread(server, all)
}

// addThread puts what the thread tells beside what the journal does.
func (p *Project) addThread(ctx context.Context, h *session.History, s *audit.Summary) {
	if len(h.State.ByMail()) == 0 {
		return
	}
	s.Mail = p.threadOf(ctx, h.Thread)
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
		s.Next = append([]string{"brenner session publish " + h.Thread}, s.Next[:2]...)
	}
}

// ForeignThread is a session that another tool runs.
type ForeignThread struct {
	Schema string        `json:"schema"`
	Thread string        `json:"thread_id"`
	Mail   *audit.Thread `json:"mail"`
	Next   []string      `json:"next"`
}

// ForeignThread returns what the mail server tells of a thread that no session of the
// store belongs to; nil where it has no such thread.
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
