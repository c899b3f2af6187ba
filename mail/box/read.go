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

const messageColumns = `m.id, m.thread_name, m.subject, m.sender_name, m.recipients, m.importance, m.ack, m.reply_to, m.created, m.attached`

const messageTables = ` FROM messages m `

// body returns the column of the text, or an empty one if it is not wanted.
func body(wanted bool) string {
	if wanted {
		return ", m.body"
	}
	return ", ''"
}

func scanMessage(reader string) func(*sql.Rows) (mail.Message, error) {
	return func(rows *sql.Rows) (mail.Message, error) {
		m := mail.Message{Kind: "to"}
		var id, created int64
		var reply sql.NullInt64
		var recipients, attached string
		if err := rows.Scan(&id, &m.Thread, &m.Subject, &m.From, &recipients, &m.Importance, &m.AckRequired, &reply, &created, &attached, &m.Body); err != nil {
			return m, err
		}
		m.ID, m.Created, m.Attachments = mail.Numbered(id), instant(created), listed(attached)
		to, others, _ := strings.Cut(recipients, "\n")
		cc, bcc, _ := strings.Cut(others, "\n")
		m.To, m.CC, m.BCC = strings.Fields(to), strings.Fields(cc), strings.Fields(bcc)
		if reply.Valid {
			m.ReplyTo = mail.Numbered(reply.Int64)
		}
		return visibleTo(m, reader), nil
	}
}

// readFitting reads messages as long as they fit into one response; cut is true if there are more.
func readFitting(ctx context.Context, b *Box, reader, text string, args ...any) (all []mail.Message, cut bool, err error) {
	scan := scanMessage(reader)
	var r budget
	fresh := func() { all, cut, r = nil, false, budget{} }
	err = b.read.Each(ctx, fresh, func(rows *sql.Rows) (bool, error) {
		m, err := scan(rows)
		if cut = err == nil && !r.fits(&m); cut || err != nil {
			return false, err
		}
		all = append(all, m)
		return true, nil
	}, text, args...)
	if err != nil {
		return nil, false, err
	}
	return all, cut, nil
}

// budget tracks the size of a response. Messages beyond it are not read from the file: a page of a
// thousand messages may have gigabytes.
type budget struct{ used int }

// fits adds a message if it fits; the first one always does.
func (b *budget) fits(m *mail.Message) bool {
	first := b.used == 0
	b.used += len(m.Body) + messageBytes
	return first || b.used <= mail.MaxResponse
}

// Inbox implements mail.Reader.
func (b *Box) Inbox(ctx context.Context, q mail.InboxQuery) ([]mail.Message, error) {
	return sqlite.Use(ctx, &b.file, "read the inbox", func() ([]mail.Message, error) {
		agent, err := b.agentRow(ctx, q.Project, q.Agent)
		if err != nil {
			return nil, err
		}
		return b.inbox(ctx, agent, &q)
	})
}

func (b *Box) inbox(ctx context.Context, agent int64, q *mail.InboxQuery) ([]mail.Message, error) {
	text := "SELECT c.message FROM copies c"
	if !q.Since.IsZero() || !q.Before.IsZero() || q.Urgent || q.Unacknowledged {
		text += " JOIN messages m ON m.id = c.message"
	}
	text += " WHERE c.agent = ? AND c.how < 3"
	if q.Sent {
		text = "SELECT m.id FROM messages m JOIN copies c ON c.message = m.id AND c.agent = m.sender WHERE m.sender = ?"
	}
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
	if !q.Before.IsZero() {
		and("m.created < ?", q.Before.UnixMicro())
	}
	if q.Unacknowledged {
		and("m.ack = 1 AND c.acked IS NULL")
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
	rows, err := sqlite.List(ctx, b.read, sqlite.One[int64], text, append(args, limit(q.Limit, mail.DefaultLimit))...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return b.messages(ctx, rows, q.Agent, !q.NoBodies)
}

func after(id mail.ID) (int64, error) {
	if id == "" || id == "0" {
		return 0, nil
	}
	n, ok := id.Number()
	if !ok {
		return 0, &fault.Error{Code: mail.Invalid, Detail: "not a message id: " + fault.Shown(string(id)), Hint: "use the id of a message"}
	}
	return n, nil
}

// limit returns the wanted number of messages. Queries use "LIMIT ?+0": SQLite inspects a bare
// "LIMIT ?" when planning, and so plans again for every use.
func limit(n, usual int) int {
	if n <= 0 {
		n = usual
	}
	return min(n, mail.MaxPage)
}

// agentRow returns an agent's row, which is cached permanently; the case of the name does not matter.
func (b *Box) agentRow(ctx context.Context, project, name string) (int64, error) {
	key := [2]string{project, strings.ToLower(name)}
	if id, ok := b.rows.Load(key); ok {
		return id.(int64), nil
	}
	ids, err := sqlite.List(ctx, b.read, sqlite.One[int64],
		"SELECT a.id FROM agents a JOIN projects p ON p.id = a.project WHERE (p.key = ?1 OR p.slug = ?1) AND a.name = ?2", project, name)
	if err == nil && len(ids) == 0 {
		err = b.missing(ctx, project, name)
	}
	if err == nil && len(ids) == 0 {
		err = noAgent(name)
	}
	if err == nil {
		b.rows.Store(key, ids[0])
	}
	return first(ids), err
}

// Thread implements mail.Reader.
func (b *Box) Thread(ctx context.Context, q mail.ThreadQuery) (mail.Page, error) {
	if err := mail.CheckThread(q.Thread); err != nil {
		return mail.Page{}, err
	}
	return sqlite.Use(ctx, &b.file, "read the thread", func() (mail.Page, error) { return b.thread(ctx, &q) })
}

func scanThread(rows *sql.Rows) (t threadRow, err error) {
	err = rows.Scan(&t.id, &t.total)
	return t, err
}

type threadRow struct{ id, total int64 }

func (b *Box) thread(ctx context.Context, q *mail.ThreadQuery) (mail.Page, error) {
	from, err := after(q.After)
	if err != nil {
		return mail.Page{}, err
	}
	threads, err := sqlite.List(ctx, b.read, scanThread,
		"SELECT t.id, t.total FROM threads t JOIN projects p ON p.id = t.project WHERE (p.key = ?1 OR p.slug = ?1) AND t.name = ?2", q.Project, q.Thread)
	if err != nil {
		return mail.Page{}, err
	}
	if len(threads) == 0 {
		return mail.Page{}, b.missing(ctx, q.Project, "") // an empty thread, or no project
	}
	t := threads[0]
	page := mail.Page{Total: int(t.total)}
	size := limit(q.Limit, mail.DefaultPage)
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
		counts, err := sqlite.List(ctx, b.read, scanThread, "SELECT 0, COUNT(*) FROM copies WHERE agent = ? AND thread = ?", reader, t.id)
		if err != nil {
			return mail.Page{}, err
		}
		page.Total = int(counts[0].total)
	}
	all, cut, err := readFitting(ctx, b, q.Reader, "SELECT "+messageColumns+body(!q.NoBodies)+tables+" ORDER BY "+place+" "+order+" LIMIT ?+0", append(args, size+1)...)
	if err != nil {
		return mail.Page{}, err
	}
	if len(all) > size {
		all, cut = all[:size], true
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

// complete adds the senders and the receipts to a page.
func (b *Box) complete(ctx context.Context, q *mail.ThreadQuery, thread int64, page *mail.Page) (err error) {
	if q.Reader == "" {
		page.People, err = sqlite.List(ctx, b.read, sqlite.One[string],
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
	return sqlite.List(ctx, b.read, func(rows *sql.Rows) (r mail.Receipt, err error) {
		var read, acked sql.NullInt64
		err = rows.Scan(&r.Agent, &read, &acked)
		r.Read, r.Acked = optionalInstant(read), optionalInstant(acked)
		return r, err
	}, "SELECT a.name, c.read, c.acked FROM copies c JOIN agents a ON a.id = c.agent WHERE c.message = ? AND c.how < 3 ORDER BY a.name", n)
}

func optionalInstant(micro sql.NullInt64) mail.Instant {
	if !micro.Valid {
		return mail.Instant{}
	}
	return instant(micro.Int64)
}

// Message implements mail.Reader.
func (b *Box) Message(ctx context.Context, project, reader string, id mail.ID) (mail.Message, error) {
	return sqlite.Use(ctx, &b.file, "read a message", func() (mail.Message, error) { return b.message(ctx, project, reader, id) })
}

func (b *Box) message(ctx context.Context, project, reader string, id mail.ID) (mail.Message, error) {
	n, _ := id.Number()
	text := "SELECT " + messageColumns + body(true) + messageTables + "JOIN projects p ON p.id = m.project WHERE m.id = ?1 AND (p.key = ?2 OR p.slug = ?2)"
	if reader != "" {
		text += " AND EXISTS (SELECT 1 FROM copies c JOIN agents a ON a.id = c.agent WHERE c.message = m.id AND a.name = ?3)"
	}
	all, err := sqlite.List(ctx, b.read, scanMessage(reader), text, n, project, reader)
	if err == nil && len(all) == 0 {
		err = noMessage(id)
	}
	m := first(all)
	if err == nil && (reader == "" || strings.EqualFold(reader, m.From)) {
		m.Receipts, err = b.receipts(ctx, id)
	}
	return m, err
}

// Await implements mail.Reader.
func (b *Box) Await(ctx context.Context, q mail.InboxQuery) ([]mail.Message, error) {
	const op = "wait for mail"
	leave, err := b.file.Enter(ctx, op)
	if err != nil {
		return nil, ignoreDeadline(ctx, err)
	}
	agent, err := b.agentRow(ctx, q.Project, q.Agent)
	leave() // waiting must not block Close
	if err != nil {
		return nil, ignoreDeadline(ctx, b.file.Fault(op, err))
	}
	for {
		wake, forget := b.notifier.subscribe(agent)
		leave, err := b.file.Enter(ctx, op)
		if err != nil {
			forget()
			return nil, ignoreDeadline(ctx, err)
		}
		all, err := b.inbox(ctx, agent, &q)
		leave()
		if err != nil || len(all) > 0 {
			forget()
			return all, ignoreDeadline(ctx, b.file.Fault(op, err))
		}
		select {
		case <-wake:
		case <-b.ended:
			forget()
			return nil, b.file.Closed(op)
		case <-ctx.Done():
			forget()
			return nil, ignoreDeadline(ctx, &fault.Error{Op: op, Cause: ctx.Err()})
		}
		forget()
	}
}

// ignoreDeadline returns nil for a wait that reached its deadline.
func ignoreDeadline(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() != nil && !time.Now().Before(deadline) {
		return nil
	}
	return err
}
