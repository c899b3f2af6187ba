package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// writer is the one connection that writes, with its statements prepared.
type writer struct {
	wait     time.Duration
	group    *Group[order]
	known    known
	streams  streams
	newest   int // the version of the schema that the statements are for
	db       *sql.DB
	conn     *sql.Conn
	prepared []*sql.Stmt
	statements
}

// A transaction has at most so many batches, with so many bytes of blobs.
const (
	mostTogether      = 32
	mostBytesTogether = 8 << 20
)

// statements are what writing repeats.
type statements struct {
	version                   *sql.Stmt
	addBlob                   *sql.Stmt
	head, addStream, moveHead *sql.Stmt
	addEntry                  *sql.Stmt
	addRecord                 *sql.Stmt
	catalogue
}

func openWriter(ctx context.Context, s *Store, steps []string) (*writer, error) {
	db, err := Pool(s.file, "rwc", 1)
	if err != nil {
		return nil, err
	}
	w := &writer{wait: s.wait, newest: len(steps), db: db}
	w.group = NewGroup(mostTogether, mostBytesTogether, w.together)
	err = Waiting(ctx, s.wait, func() error {
		if w.conn == nil {
			conn, err := db.Conn(ctx)
			if err != nil {
				return err
			}
			w.conn = conn
		}
		return s.ready(ctx, w.conn, steps)
	})
	if err == nil {
		err = w.prepare(ctx)
	}
	if err != nil {
		_ = w.close() // the first error is the one that matters
		return nil, err
	}
	return w, nil
}

func (w *writer) prepare(ctx context.Context) error {
	for _, p := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&w.version, "PRAGMA user_version"},
		{&w.addBlob, "INSERT INTO blobs (hash, size, data) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING"},
		{&w.head, "SELECT id, seq, hash FROM streams WHERE name = ?"},
		{&w.addStream, "INSERT INTO streams (name, seq, hash, began, last) VALUES (?, ?, ?, ?, ?)"},
		{&w.moveHead, "UPDATE streams SET seq = ?, hash = ?, last = ? WHERE id = ? AND seq = ? AND hash = ?"},
		{&w.addEntry, "INSERT INTO entries (stream, seq, at, kind, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&w.addRecord, `INSERT INTO records (id, version, parent, type, status, module, summary, summary_of, summary_by, content, change, creator, at, tags, links)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.readHead, "SELECT latest, canonical, tips FROM heads WHERE id = ?"},
		{&w.addHead, "INSERT INTO heads (id, latest, canonical, type, module, status, summary, tips, at) VALUES (?, ?, 0, ?, ?, ?, ?, 1, ?) ON CONFLICT (id) DO NOTHING"},
		{&w.growHead, "UPDATE heads SET latest = ?, tips = ?, at = ? WHERE id = ?"},
		{&w.moveOn, "UPDATE heads SET latest = ?, tips = ?, at = ?, type = ?, module = ?, status = ?, summary = ? WHERE id = ?"},
		{&w.setHead, `UPDATE heads SET canonical = ?2, tips = ?3, (type, module, status, summary) = (
			SELECT r.type, r.module, coalesce(s.status, r.status), r.summary
			FROM records AS r LEFT JOIN statuses AS s ON s.id = r.id AND s.version = r.version
			WHERE r.id = ?1 AND r.version = iif(?2 > 0, ?2, (SELECT max(t.version) FROM tips AS t WHERE t.id = ?1))) WHERE id = ?1`},
		{&w.addLink, "INSERT OR IGNORE INTO links (id, version, to_id, to_version, relation) VALUES (?, ?, ?, ?, ?)"},
		{&w.addTag, "INSERT OR IGNORE INTO tags (tag, id) VALUES (?, ?)"},
		{&w.addTip, "INSERT INTO tips (id, version) VALUES (?, ?)"},
		{&w.closeTip, "DELETE FROM tips WHERE id = ? AND version = ?"},
		{&w.addMark, "INSERT INTO marks (id, version, status, was, author, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&w.setStatus, "INSERT INTO statuses (id, version, status) VALUES (?, ?, ?) ON CONFLICT (id, version) DO UPDATE SET status = excluded.status"},
	} {
		statement, err := w.conn.PrepareContext(ctx, p.text)
		if err != nil {
			return err
		}
		*p.statement = statement
		w.prepared = append(w.prepared, statement)
	}
	return nil
}

// close ends the statements before the connection: SQLite keeps a connection that
// has any left, and then the WAL is not moved into the file.
func (w *writer) close() error {
	var errs []error
	for _, statement := range w.prepared {
		errs = append(errs, statement.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// Transaction waits for the file's write lock and does something whole or not
// at all. Waiting ends with the context; what has begun runs to its end, and is
// taken back if the context ended meanwhile. So there is no moment in which a
// cancelled write may have happened.
func Transaction(ctx context.Context, conn *sql.Conn, wait time.Duration, do func(ctx context.Context) error) error {
	whole := context.WithoutCancel(ctx)
	run := func(statement string) error {
		_, err := conn.ExecContext(whole, statement)
		return err
	}
	if err := Waiting(ctx, wait, func() error { return run("BEGIN IMMEDIATE") }); err != nil {
		return err
	}
	err := do(whole)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = run("COMMIT")
	}
	if err != nil {
		_ = run("ROLLBACK") // fails only where SQLite has rolled back already
	}
	return err
}

// known are hashes of blobs that this connection has stored lately. Blobs are never
// changed nor taken away, so there is no need to write one again: the sessions of a loop
// have many in common. Only whoever has the turn to write touches it.
type known struct{ now, before map[string]bool }

// mostKnown bounds a generation: two of them take about a megabyte.
const mostKnown = 4096

func (k *known) has(hash string) bool {
	if k.before[hash] && !k.now[hash] {
		k.add(hash) // what is asked for again is kept longer
	}
	return k.now[hash]
}

func (k *known) add(hash string) {
	if k.now == nil || len(k.now) >= mostKnown {
		k.now, k.before = make(map[string]bool), k.now
	}
	k.now[hash] = true
}

// learn takes in what was committed.
func (k *known) learn(jobs []*Job[order]) {
	for _, j := range jobs {
		for _, hash := range j.Change.hashes {
			k.add(hash)
		}
	}
}

// streams are the ids of streams that this connection has written to lately, by name. A
// transaction that was taken back may leave a wrong one here, and another process may have
// moved the stream on: whoever uses an id looks at the head as well.
type streams struct{ ids map[string]int64 }

func (s *streams) id(name string) int64 { return s.ids[name] }

func (s *streams) learn(name string, id int64) {
	if s.ids == nil || len(s.ids) >= mostKnown {
		s.ids = make(map[string]int64)
	}
	s.ids[name] = id
}
