package box

import (
	"context"
	"database/sql"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

// notify writes a message of the box to an agent. The returned function wakes it, once all is committed.
func (w *writer) notify(ctx context.Context, project, from, to, subject, body string) (wake func(), err error) {
	d := mail.Draft{Project: project, From: from, To: []string{to}, Subject: mail.CutSubject(subject), Body: body, Importance: mail.Normal}
	s := &sending{draft: d, hash: hashOf(&d), notice: true}
	return func() { s.wakeAgents(&w.box.notifier) }, s.do(ctx, w)
}

// maxContactReason bounds the reason of a request, in characters.
const maxContactReason = 1000

// RequestContact implements mail.Contacts.
func (b *Box) RequestContact(ctx context.Context, r mail.ContactRequest) (mail.Contact, error) {
	const op = "request a contact"
	if n := utf8.RuneCountInString(r.Reason); n > maxContactReason || !utf8.ValidString(r.Reason) {
		return mail.Contact{}, &fault.Error{Code: mail.Invalid, Op: op, Detail: "the reason is too long, or not valid UTF-8", Hint: "say it in a few sentences"}
	}
	return b.changeContact(ctx, op, func(ctx context.Context, w *writer) (mail.Contact, func(), error) { return w.requestContact(ctx, r) })
}

// changeContact makes a change and then wakes the agent that it is about.
func (b *Box) changeContact(ctx context.Context, op string, do func(context.Context, *writer) (mail.Contact, func(), error)) (mail.Contact, error) {
	return sqlite.Use(ctx, &b.file, op, func() (c mail.Contact, err error) {
		var wake func()
		err = b.writer.write(ctx, func(ctx context.Context, w *writer) (err error) {
			c, wake, err = do(ctx, w)
			return err
		}, func() {
			if wake != nil {
				wake()
			}
		})
		return c, err
	})
}

func (w *writer) requestContact(ctx context.Context, r mail.ContactRequest) (c mail.Contact, wake func(), err error) {
	project, asker, err := w.projectAndAgent(ctx, r.Project, r.From)
	if err != nil {
		return c, nil, err
	}
	agent, policy, err := w.agent(ctx, project, &r.To)
	if err != nil {
		return c, nil, err
	}
	if asker == agent {
		return c, nil, &fault.Error{Code: mail.Invalid, Detail: r.To + " needs no permission to write to itself"}
	}
	if there, c, err := w.contact(ctx, asker, agent); err != nil || there && c.State != mail.ContactRefused {
		return c, nil, err
	} else if there || policy == mail.PolicyBlock {
		return c, nil, &fault.Error{Code: mail.Blocked, Detail: r.To + " accepts no contact from " + r.From, Hint: "ask the operator"}
	}
	now := w.instant().UnixMicro()
	state, answered := mail.ContactPending, sql.NullInt64{}
	if policy != mail.PolicyContacts { // it may be written to anyway
		state, answered = mail.ContactAccepted, sql.NullInt64{Int64: now, Valid: true}
	}
	err = w.Exec(ctx, "INSERT INTO contacts (asker, agent, state, reason, asked, answered) VALUES (?, ?, ?, ?, ?, ?)", asker, agent, state, r.Reason, now, answered)
	if err == nil && state == mail.ContactPending {
		wake, err = w.notify(ctx, r.Project, r.From, r.To, "INFO: contact request from "+r.From,
			r.From+" asks whether it may write to you. Answer with respond_contact.\n\n"+r.Reason)
	}
	if err != nil {
		return c, nil, err
	}
	_, c, err = w.contact(ctx, asker, agent)
	return c, wake, err
}

// AnswerContact implements mail.Contacts.
func (b *Box) AnswerContact(ctx context.Context, project, agent, from string, accept bool) (mail.Contact, error) {
	return b.changeContact(ctx, "answer a request for contact", func(ctx context.Context, w *writer) (mail.Contact, func(), error) {
		return w.answerContact(ctx, project, agent, from, accept)
	})
}

func (w *writer) answerContact(ctx context.Context, project, agent, from string, accept bool) (c mail.Contact, wake func(), err error) {
	p, row, err := w.projectAndAgent(ctx, project, agent)
	if err != nil {
		return c, nil, err
	}
	asker, _, err := w.agent(ctx, p, &from)
	if err != nil {
		return c, nil, err
	}
	there, before, err := w.contact(ctx, asker, row)
	if err != nil {
		return c, nil, err
	}
	if !there {
		return c, nil, &fault.Error{Code: mail.NotFound, Detail: from + " has not asked " + agent, Hint: "list_contacts lists the requests"}
	}
	state := mail.ContactRefused
	if accept {
		state = mail.ContactAccepted
	}
	if state == before.State {
		return before, nil, nil
	}
	if err := w.Exec(ctx, "UPDATE contacts SET state = ?, answered = ? WHERE asker = ? AND agent = ?", state, w.instant().UnixMicro(), asker, row); err != nil {
		return c, nil, err
	}
	if accept { // a message would permit an answer, so that a refusal has none
		if wake, err = w.notify(ctx, project, agent, from, "INFO: "+agent+" accepts your request for contact", "You may write to "+agent+"."); err != nil {
			return c, nil, err
		}
	}
	_, c, err = w.contact(ctx, asker, row)
	return c, wake, err
}

const contactColumns = `SELECT x.name, y.name, c.state, c.reason, c.asked, c.answered FROM contacts c
	JOIN agents x ON x.id = c.asker JOIN agents y ON y.id = c.agent WHERE `

func scanContact(rows *sql.Rows) (c mail.Contact, err error) {
	var asked int64
	var answered sql.NullInt64
	err = rows.Scan(&c.From, &c.To, &c.State, &c.Reason, &asked, &answered)
	c.Asked, c.Answered = instant(asked), optionalInstant(answered)
	return c, err
}

func (w *writer) contact(ctx context.Context, asker, agent int64) (bool, mail.Contact, error) {
	all, err := sqlite.List(ctx, w, scanContact, contactColumns+"c.asker = ? AND c.agent = ?", asker, agent)
	return len(all) > 0, first(all), err
}

// Contacts implements mail.Contacts.
func (b *Box) Contacts(ctx context.Context, project, agent string) ([]mail.Contact, error) {
	return sqlite.Use(ctx, &b.file, "read the contacts", func() ([]mail.Contact, error) {
		row, err := b.agentRow(ctx, project, agent)
		if err != nil {
			return nil, err
		}
		return sqlite.List(ctx, b.read, scanContact, contactColumns+"c.asker = ?1 OR c.agent = ?1 ORDER BY c.asked, x.name, y.name LIMIT 1000", row)
	})
}
