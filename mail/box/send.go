package box

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

// Send implements mail.Writer.
func (b *Box) Send(ctx context.Context, d mail.Draft) (mail.Message, error) {
	if err := d.Check(); err != nil {
		return mail.Message{}, err
	}
	d.To, d.CC, d.BCC = slices.Clone(d.To), slices.Clone(d.CC), slices.Clone(d.BCC) // changed to the registered names below
	d.Subject = mail.CutSubject(d.Subject)
	d.Importance = cmp.Or(d.Importance, mail.Normal)
	return sqlite.Use(ctx, &b.file, "send", func() (mail.Message, error) {
		s := &sending{draft: d, hash: hashOf(&d)}
		c := &change{do: s.do, after: func() { s.wakeAgents(&b.notifier) }, checksFirst: true}
		if err := b.writer.submit(ctx, c); err != nil {
			return mail.Message{}, err
		}
		if s.again {
			return b.message(ctx, d.Project, "", mail.Numbered(s.message))
		}
		return s.result(), nil
	})
}

// hashOf returns a hash that distinguishes messages under the same key.
func hashOf(d *mail.Draft) string {
	parts := []any{d.To, d.CC, d.BCC, d.Subject, d.Body, d.Thread, d.Importance, d.AckRequired, d.ReplyTo}
	if len(d.Attachments) > 0 {
		parts = append(parts, described(d.Attachments))
	}
	text, _ := json.Marshal(parts) // always marshals
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// sending is a message on its way into the box.
type sending struct {
	draft   mail.Draft
	hash    string
	project int64
	sender  int64
	thread  int64
	reply   int64
	created int64
	message int64
	reached []int64 // rows of agents with a new copy in their inbox
	again   bool    // it was sent before
	notice  bool    // of the box itself, which no policy blocks
}

// do writes the message. A refusal comes before anything is written.
func (s *sending) do(ctx context.Context, w *writer) error {
	// A change whose commit failed may be retried from the beginning.
	s.reached, s.again = nil, false
	d := &s.draft
	var err error
	if s.project, err = w.project(ctx, d.Project); err != nil {
		return err
	}
	if s.sender, _, err = w.agent(ctx, s.project, &d.From); err != nil {
		return err
	}
	if found, err := s.findSent(ctx, w); err != nil || found {
		return err
	}
	if err := s.resolveReply(ctx, w); err != nil {
		return err
	}
	copies, err := s.resolveRecipients(ctx, w)
	if err != nil {
		return err
	}
	return s.insert(ctx, w, copies)
}

// wakeAgents wakes the recipients, unless the message was sent before, perhaps by another process.
func (s *sending) wakeAgents(b *notifier) {
	if !s.again {
		b.wakeAgents(s.message, s.reached)
	}
}

// findSent finds a message that was already sent with the same key.
func (s *sending) findSent(ctx context.Context, w *writer) (bool, error) {
	if s.draft.Key == "" {
		return false, nil
	}
	var hash string
	found, err := w.Row(ctx, []any{&s.message, &hash}, "SELECT id, hash FROM messages WHERE sender = ? AND key = ?", s.sender, s.draft.Key)
	if err != nil || !found {
		return false, err
	}
	if hash != s.hash {
		return false, &fault.Error{
			Code: mail.KeyReused, Detail: fmt.Sprintf("%s already sent a different message (%d) with idempotency key %s", s.draft.From, s.message, fault.Shown(s.draft.Key)),
			Hint: "use a new key for each message",
		}
	}
	s.again = true
	return true, nil
}

// resolveReply finds the message replied to and adopts its thread.
func (s *sending) resolveReply(ctx context.Context, w *writer) error {
	if s.draft.ReplyTo == "" {
		return nil
	}
	n, ok := s.draft.ReplyTo.Number()
	var thread string
	if ok {
		var err error
		ok, err = w.Row(ctx, []any{&thread}, "SELECT t.name FROM messages m JOIN threads t ON t.id = m.thread WHERE m.id = ? AND m.project = ?", n, s.project)
		if err != nil {
			return err
		}
	}
	if !ok {
		return noMessage(s.draft.ReplyTo)
	}
	if s.reply = n; s.draft.Thread == "" {
		s.draft.Thread = thread
	}
	return nil
}

func noMessage(id mail.ID) error {
	return &fault.Error{Code: mail.NotFound, Detail: "no such message: " + fault.Shown(string(id)), Hint: "fetch_inbox lists your messages"}
}

type delivery struct {
	agent int64
	how   int
}

// resolveRecipients finds the recipients, sets their registered names, and checks that their
// policies admit the sender.
func (s *sending) resolveRecipients(ctx context.Context, w *writer) ([]delivery, error) {
	copies := []delivery{}
	had := make(map[int64]bool)
	var unknown, blocked []string
	d := &s.draft
	for how, names := range [][]string{howTo: d.To, howCC: d.CC, howBCC: d.BCC} {
		for i := range names {
			id, policy, err := w.agent(ctx, s.project, &names[i])
			if fault.CodeOf(err) == mail.NotFound {
				unknown = append(unknown, names[i])
				continue
			}
			if err != nil {
				return nil, err
			}
			ok, err := s.admits(ctx, w, id, policy)
			if err != nil {
				return nil, err
			}
			if !ok {
				blocked = append(blocked, names[i])
			}
			if !had[id] {
				had[id] = true
				copies = append(copies, delivery{id, how})
				s.reached = append(s.reached, id)
			}
		}
	}
	if len(unknown) > 0 {
		return nil, noAgent(strings.Join(unknown, ", "))
	}
	if len(blocked) > 0 {
		return nil, &fault.Error{
			Code: mail.Blocked, Detail: "contact policy blocks delivery to " + strings.Join(blocked, ", ") + "; not delivered to any recipient",
			Hint: "ask with request_contact; or a recipient writes first, or calls set_contact_policy",
		}
	}
	*d = d.Unique()
	if !had[s.sender] {
		copies = append(copies, delivery{s.sender, howSent})
	}
	return copies, nil
}

// admits reports whether an agent's policy admits the sender.
func (s *sending) admits(ctx context.Context, w *writer, agent int64, policy string) (bool, error) {
	if agent == s.sender || s.notice {
		return true, nil
	}
	switch policy {
	case mail.PolicyBlock:
		return false, nil
	case mail.PolicyContacts:
		var one int
		return w.Row(ctx, []any{&one}, `SELECT 1 FROM messages m JOIN copies c ON c.message = m.id AND c.agent = ?1 WHERE m.sender = ?2
			UNION ALL SELECT 1 FROM contacts WHERE state = 'accepted' AND (asker = ?1 AND agent = ?2 OR asker = ?2 AND agent = ?1) LIMIT 1`, s.sender, agent)
	}
	return true, nil
}

func (s *sending) insert(ctx context.Context, w *writer, copies []delivery) error {
	d := &s.draft
	s.created = w.instant().UnixMicro()
	own := d.Thread == "" // the thread is named after the message, whose id is not known yet
	if err := s.openThread(ctx, w, own); err != nil {
		return err
	}
	key := sql.NullString{String: d.Key, Valid: d.Key != ""}
	reply := sql.NullInt64{Int64: s.reply, Valid: s.reply > 0}
	// Names contain no spaces, and parsing JSON would take longer than all the rest.
	recipients := strings.Join(d.To, " ") + "\n" + strings.Join(d.CC, " ") + "\n" + strings.Join(d.BCC, " ")
	attached, err := w.attach(ctx, d.Attachments)
	if err != nil {
		return err
	}
	s.message, err = w.Insert(ctx, `INSERT INTO messages (project, thread, sender, thread_name, sender_name, recipients, subject, body, importance, ack, reply_to, created, key, hash, attached)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.project, s.thread, s.sender, d.Thread, d.From, recipients, d.Subject, d.Body, d.Importance, d.AckRequired, reply, s.created, key, s.hash, attached)
	if err != nil {
		return err
	}
	if own {
		if err := s.nameThread(ctx, w); err != nil {
			return err
		}
	}
	for _, c := range copies {
		if err := w.Exec(ctx, "INSERT INTO copies (agent, message, thread, how) VALUES (?, ?, ?, ?)", c.agent, s.message, s.thread, c.how); err != nil {
			return err
		}
	}
	if err := w.recordSender(ctx, s.thread, s.message, s.sender); err != nil {
		return err
	}
	if err := w.Exec(ctx, "INSERT INTO words (rowid, subject, body) VALUES (?, ?, ?)", s.message, d.Subject, d.Body); err != nil {
		return err
	}
	return w.recordActivity(ctx, s.sender, s.created)
}

// nameThread names a new thread after its first message; the name may be in use already.
func (s *sending) nameThread(ctx context.Context, w *writer) error {
	s.draft.Thread = fmt.Sprintf("msg-%d", s.message)
	for n := 2; ; n++ {
		var one int
		taken, err := w.Row(ctx, []any{&one}, "SELECT 1 FROM threads WHERE project = ? AND name = ?", s.project, s.draft.Thread)
		if err != nil {
			return err
		}
		if !taken {
			err := w.Exec(ctx, "UPDATE threads SET name = ? WHERE id = ?", s.draft.Thread, s.thread)
			if err == nil {
				err = w.Exec(ctx, "UPDATE messages SET thread_name = ? WHERE id = ?", s.draft.Thread, s.message)
			}
			return err
		}
		s.draft.Thread = fmt.Sprintf("msg-%d-%d", s.message, n)
	}
}

// openThread finds or creates the thread and counts the message in it.
func (s *sending) openThread(ctx context.Context, w *writer, own bool) (err error) {
	if own {
		s.thread, err = w.Insert(ctx, "INSERT INTO threads (project, name, total) VALUES (?, '', 1)", s.project)
		return err
	}
	s.thread, err = w.thread(ctx, s.project, s.draft.Thread)
	return err
}

// instant returns the current time, but never one before an earlier result.
func (w *writer) instant() time.Time {
	now := w.box.now()
	if !now.After(w.last) {
		now = w.last.Add(time.Microsecond)
	}
	w.last = now.Truncate(time.Microsecond)
	return w.last
}

func (s *sending) result() mail.Message {
	d := &s.draft
	m := mail.Message{
		ID: mail.Numbered(s.message), Thread: d.Thread, Subject: d.Subject, Body: d.Body, From: d.From,
		To: d.To, CC: d.CC, BCC: d.BCC, Importance: d.Importance, AckRequired: d.AckRequired,
		Created: instant(s.created), Attachments: anys(described(d.Attachments)), Kind: "to",
	}
	if s.reply > 0 {
		m.ReplyTo = mail.Numbered(s.reply)
	}
	return m
}

// Mark implements mail.Writer.
func (b *Box) Mark(ctx context.Context, m mail.Mark) (time.Time, error) {
	const op = "mark messages"
	if len(m.Messages) == 0 {
		return time.Time{}, &fault.Error{Code: mail.NotFound, Op: op, Detail: "no message ids", Hint: "pass ids of messages in the inbox"}
	}
	return sqlite.Use(ctx, &b.file, op, func() (at time.Time, err error) {
		err = b.writer.write(ctx, func(ctx context.Context, w *writer) (err error) {
			at, err = w.mark(ctx, &m)
			return err
		}, nil)
		return at, err
	})
}

// mark marks all messages and returns the time of the first one.
func (w *writer) mark(ctx context.Context, m *mail.Mark) (time.Time, error) {
	_, agent, err := w.projectAndAgent(ctx, m.Project, m.Agent)
	if err != nil {
		return time.Time{}, err
	}
	now, field := w.instant().UnixMicro(), "read"
	if m.Ack {
		field = "acked"
	}
	times := make([]int64, len(m.Messages))
	for i, id := range m.Messages {
		n, _ := id.Number()
		there, err := w.Row(ctx, []any{&times[i]}, `UPDATE copies SET read = ifnull(read, ?1), acked = CASE WHEN ?2 THEN ifnull(acked, ?1) ELSE acked END
			WHERE agent = ?3 AND message = ?4 AND how < 3 RETURNING `+field, now, m.Ack, agent, n)
		if err == nil && !there {
			err = noMessage(id)
		}
		if err != nil {
			return time.Time{}, err
		}
	}
	return instant(times[0]).Time, nil
}
