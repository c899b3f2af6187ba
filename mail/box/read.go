package box

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

func (b *Box) waiting(ctx context.Context, do func() error) error {
	return sqlite.Waiting(ctx, b.wait, do)
}

const messageColumns = `m.id, m.thread_name, m.subject, m.sender_name, m.recipients, m.importance, m.ack, m.reply_to, m.created`

const messageTables = ` FROM messages m `

// body is the column of the text, or of nothing where nobody wants it.
func body(wanted bool) string {
	if wanted {
		return ", m.body"
	}
	return ", ''"
}

// scanMessage reads a message as a reader sees it.
func scanMessage(reader string) func(*sql.Rows) (mail.Message, error) {
	return func(rows *sql.Rows) (mail.Message, error) {
		m := mail.Message{Attachments: []any{}, Kind: "to"}
		var id, created int64
		var reply sql.NullInt64
		var recipients string
		if err := rows.Scan(&id, &m.Thread, &m.Subject, &m.From, &recipients, &m.Importance, &m.AckRequired, &reply, &created, &m.Body); err != nil {
			return m, err
		}
		m.ID, m.Created = mail.Numbered(id), instant(created)
		to, others, _ := strings.Cut(recipients, "\n")
		cc, bcc, _ := strings.Cut(others, "\n")
		m.To, m.CC, m.BCC = strings.Fields(to), strings.Fields(cc), strings.Fields(bcc)
		if reply.Valid {
			m.ReplyTo = mail.Numbered(reply.Int64)
		}
		return seenBy(m, reader), nil
	}
}

// Inbox gives what was sent to an agent.
func (b *Box) Inbox(ctx context.Context, q mail.InboxQuery) ([]mail.Message, error) {
	const op = "read the inbox"
	leave, err := b.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	agent, err := b.agentRow(ctx, q.Project, q.Agent)
	if err != nil {
		return nil, b.fault(op, err)
	}
	all, err := b.inbox(ctx, agent, &q)
	return all, b.fault(op, err)
}

func (b *Box) inbox(ctx context.Context, agent int64, q *mail.InboxQuery) ([]mail.Message, error) {
	text := "SELECT c.message FROM copies c"
	if !q.Since.IsZero() || q.Urgent {
		text += " JOIN messages m ON m.id = c.message"
	}
	text += " WHERE c.agent = ? AND c.how < 3"
	args := []any{agent}
	and := func(condition string, arg ...any) {
		text += " AND " + condition
		args = append(args, arg...)
	}
	if q.Thread != "" {
		and("c.thread = (SELECT id FROM threads WHERE name = ? AND project = (SELECT project FROM agents WHERE id = ?))", q.Thread, agent)
	}
	if !q.Since.IsZero() {
		and("m.created > ?", q.Since.UnixMicro())
	}
	order := "DESC"
	if q.After != "" {
		n, err := after(q.After)
		if err != nil {
			return nil, err
		}
		and("c.message > ?", n)
		order = "ASC"
	}
	if q.Urgent {
		and("m.importance IN ('high', 'urgent')")
	}
	if q.Unread {
		and("c.read IS NULL")
	}
	text += " ORDER BY c.message " + order + " LIMIT ?+0"
	rows, err := list(ctx, b, scanOne[int64], text, append(args, limit(q.Limit, mail.DefaultLimit))...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return b.messages(ctx, rows, q.Agent, !q.NoBodies)
}

// after reads a place to go on from.
func after(id mail.ID) (int64, error) {
	if id == "" || id == "0" {
		return 0, nil
	}
	n, ok := id.Number()
	if !ok {
		return 0, &fault.Error{Code: mail.Invalid, Detail: "not a message: " + fault.Shown(string(id)), Hint: "go on behind the id of a message"}
	}
	return n, nil
}

// limit gives how many are wanted. In queries it stands as "LIMIT ?+0": SQLite looks
// at a bare "LIMIT ?" when it plans, and so plans anew for every use.
func limit(n, usual int) int {
	if n <= 0 {
		n = usual
	}
	return min(n, mail.MaxPage)
}

// agentRow finds an agent's row, which it keeps for ever: one for each agent, in whatever
// spelling its name was asked for.
func (b *Box) agentRow(ctx context.Context, project, name string) (int64, error) {
	key := [2]string{project, strings.ToLower(name)}
	if id, ok := b.rows.Load(key); ok {
		return id.(int64), nil
	}
	ids, err := list(ctx, b, scanOne[int64],
		"SELECT a.id FROM agents a JOIN projects p ON p.id = a.project WHERE (p.key = ?1 OR p.slug = ?1) AND a.name = ?2", project, name)
	if err == nil && len(ids) == 0 {
		err = b.nobody(ctx, project, name)
	}
	if err == nil && len(ids) == 0 {
		err = noAgent(name)
	}
	if err == nil {
		b.rows.Store(key, ids[0])
	}
	return first(ids), err
}

// Thread gives a page of a thread, oldest first.
func (b *Box) Thread(ctx context.Context, q mail.ThreadQuery) (mail.Page, error) {
	const op = "read the thread"
	if err := mail.CheckThread(q.Thread); err != nil {
		return mail.Page{}, err
	}
	leave, err := b.enter(ctx, op)
	if err != nil {
		return mail.Page{}, err
	}
	defer leave()
	page, err := b.thread(ctx, &q)
	return page, b.fault(op, err)
}

func scanOne[T any](rows *sql.Rows) (one T, err error) {
	err = rows.Scan(&one)
	return one, err
}

func scanThread(rows *sql.Rows) (t threadRow, err error) {
	err = rows.Scan(&t.id, &t.total)
	return t, err
}

// threadRow is a thread, and how many messages it has.
type threadRow struct{ id, total int64 }

func (b *Box) thread(ctx context.Context, q *mail.ThreadQuery) (mail.Page, error) {
	from, err := after(q.After)
	if err != nil {
		return mail.Page{}, err
	}
	threads, err := list(ctx, b, scanThread,
		"SELECT t.id, t.total FROM threads t JOIN projects p ON p.id = t.project WHERE (p.key = ?1 OR p.slug = ?1) AND t.name = ?2", q.Project, q.Thread)
	if err != nil {
		return mail.Page{}, err
	}
	if len(threads) == 0 {
		_, err := b.agentsOrProject(ctx, q)
		return mail.Page{}, err
	}
	t := threads[0]
	page := mail.Page{Total: int(t.total)}
	most := limit(q.Limit, mail.DefaultPage)
	order := "ASC"
	if q.Last {
		order = "DESC"
	}
	tables, args := messageTables+"WHERE m.thread = ? AND m.id > ?", []any{t.id, from}
	place := "m.id"
	if q.Reader != "" {
		reader, err := b.agentRow(ctx, q.Project, q.Reader)
		if err != nil {
			return mail.Page{}, err
		}
		tables = " FROM copies c JOIN messages m ON m.id = c.message WHERE c.agent = ? AND c.thread = ? AND c.message > ?"
		args, place = []any{reader, t.id, from}, "c.message"
		page.Total = 0 // counting what one agent may see would take as long as reading it
	}
	all, cut, err := fitting(ctx, b, q.Reader, "SELECT "+messageColumns+body(!q.NoBodies)+tables+" ORDER BY "+place+" "+order+" LIMIT ?+0", append(args, most+1)...)
	if err != nil {
		return mail.Page{}, err
	}
	if len(all) > most {
		all, cut = all[:most], true
	}
	if q.Last {
		slices.Reverse(all)
	} else if cut {
		page.Next = all[len(all)-1].ID
	}
	page.Messages = all
	err = b.complete(ctx, q, t.id, &page)
	return page, err
}

// agentsOrProject tells a thread that is empty from a project that is not there.
func (b *Box) agentsOrProject(ctx context.Context, q *mail.ThreadQuery) (mail.Project, error) {
	there, err := b.projects(ctx, q.Project)
	if err == nil && len(there) == 0 {
		err = noProject(q.Project)
	}
	return first(there), err
}

// complete adds to a page who writes in the thread, and the receipts.
func (b *Box) complete(ctx context.Context, q *mail.ThreadQuery, thread int64, page *mail.Page) (err error) {
	if q.Reader == "" {
		page.People, err = list(ctx, b, scanOne[string],
			"SELECT a.name FROM writers w JOIN agents a ON a.id = w.agent WHERE w.thread = ? ORDER BY w.first", thread)
	} else {
		for _, m := range page.Messages {
			if !slices.Contains(page.People, m.From) {
				page.People = append(page.People, m.From)
			}
		}
	}
	if err != nil || !q.Receipts {
		return err
	}
	for i := range page.Messages {
		m := &page.Messages[i]
		if m.AckRequired && (q.Reader == "" || strings.EqualFold(q.Reader, m.From)) {
			if m.Receipts, err = b.receipts(ctx, m.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Box) receipts(ctx context.Context, id mail.ID) ([]mail.Receipt, error) {
	n, _ := id.Number()
	return list(ctx, b, func(rows *sql.Rows) (r mail.Receipt, err error) {
		var read, acked sql.NullInt64
		err = rows.Scan(&r.Agent, &read, &acked)
		r.Read, r.Acked = maybe(read), maybe(acked)
		return r, err
	}, "SELECT a.name, c.read, c.acked FROM copies c JOIN agents a ON a.id = c.agent WHERE c.message = ? AND c.how < 3 ORDER BY a.name", n)
}

func maybe(micro sql.NullInt64) mail.Instant {
	if !micro.Valid {
		return mail.Instant{}
	}
	return instant(micro.Int64)
}

// Message gives one message, if the reader has a part in it.
func (b *Box) Message(ctx context.Context, project, reader string, id mail.ID) (mail.Message, error) {
	const op = "read a message"
	leave, err := b.enter(ctx, op)
	if err != nil {
		return mail.Message{}, err
	}
	defer leave()
	m, err := b.message(ctx, project, reader, id)
	return m, b.fault(op, err)
}

func (b *Box) message(ctx context.Context, project, reader string, id mail.ID) (mail.Message, error) {
	n, _ := id.Number()
	text := "SELECT " + messageColumns + body(true) + messageTables + "JOIN projects p ON p.id = m.project WHERE m.id = ?1 AND (p.key = ?2 OR p.slug = ?2)"
	if reader != "" {
		text += " AND EXISTS (SELECT 1 FROM copies c JOIN agents a ON a.id = c.agent WHERE c.message = m.id AND a.name = ?3)"
	}
	all, err := list(ctx, b, scanMessage(reader), text, n, project, reader)
	if err == nil && len(all) == 0 {
		err = noMessage(id)
	}
	m := first(all)
	if err == nil && (reader == "" || strings.EqualFold(reader, m.From)) {
		m.Receipts, err = b.receipts(ctx, id)
	}
	return m, err
}

// Await gives what Inbox gives as soon as that is something.
func (b *Box) Await(ctx context.Context, q mail.InboxQuery) ([]mail.Message, error) {
	const op = "wait for mail"
	leave, err := b.enter(ctx, op)
	if err != nil {
		return nil, over(ctx, err)
	}
	agent, err := b.agentRow(ctx, q.Project, q.Agent)
	leave() // who waits must not hold up Close
	if err != nil {
		return nil, over(ctx, b.fault(op, err))
	}
	for {
		bell, forget := b.bells.listen(agent)
		leave, err := b.enter(ctx, op)
		if err != nil {
			forget()
			return nil, over(ctx, err)
		}
		all, err := b.inbox(ctx, agent, &q)
		leave()
		if err != nil || len(all) > 0 {
			forget()
			return all, over(ctx, b.fault(op, err))
		}
		select {
		case <-bell:
		case <-b.ended:
			forget()
			return nil, b.closedFault(op)
		case <-ctx.Done():
			forget()
			return nil, over(ctx, &fault.Error{Op: op, Cause: ctx.Err()})
		}
		forget()
	}
}

// over makes no error of a wait whose time is up.
func over(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() != nil && !time.Now().Before(deadline) {
		return nil
	}
	return err
}
