package sqlite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Write implements store.Store.
func (s *Store) Write(ctx context.Context, b store.Batch) error {
	const op = "write to the store"
	leave, err := s.file.Enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	if s.writer == nil {
		return &fault.Error{
			Code: store.Unwritable, Op: op, Place: s.file.Path, Detail: "the store was opened for reading only",
			Hint: "this is a mistake in the program: please report it",
		}
	}
	if err := b.Check(); err != nil {
		return err
	}
	// Hashing and coding need no lock, so they are done before other callers have to wait.
	o, size := writeRequest{batch: &b}, 0
	for _, blob := range b.Blobs {
		sum := sha256.Sum256(blob)
		if s.writer.known.has(sum) {
			continue
		}
		row, err := s.coder.code(sum[:], blob)
		if err != nil {
			return s.file.Fault(op, err)
		}
		o.blobs = append(o.blobs, row)
		size += len(row.data)
	}
	return s.file.Fault(op, s.writer.group.Submit(ctx, o, size))
}

// writer writes batches, those of several callers together.
type writer struct {
	*Writer
	group   *Group[writeRequest]
	known   known
	streams streams
	newest  int // the schema version that the statements are for
}

// maxBatches and maxBatchBytes bound the batches and blob bytes of one transaction.
const (
	maxBatches    = 32
	maxBatchBytes = 8 << 20
)

func openWriter(ctx context.Context, s *Store) (*writer, error) {
	to, err := OpenWriter(ctx, &s.file, s.migrate)
	if err != nil {
		return nil, err
	}
	w := &writer{Writer: to, newest: len(s.file.Steps)}
	w.group = NewGroup(maxBatches, maxBatchBytes, w.writeTogether)
	return w, nil
}

// writeRequest is a batch to be written, with those of its blobs that are not known to be stored.
type writeRequest struct {
	batch *store.Batch
	blobs []codedBlob
}

// writeTogether writes batches in one transaction. If any of them fails, nothing is written, and each is
// retried alone for its own outcome.
func (w *writer) writeTogether(jobs []*Job[writeRequest]) (left []*Job[writeRequest]) {
	first := jobs[0]
	err := w.transact(first.Ctx, jobs)
	switch {
	case err == nil, isBusy(err), len(jobs) == 1:
		for _, j := range jobs {
			j.Answer(err)
		}
		return nil
	case first.Ctx.Err() != nil:
		first.Answer(err)
		return jobs[1:] // each waits as long as its own context allows
	}
	for _, j := range append(jobs[1:], first) {
		j.Answer(w.transact(j.Ctx, []*Job[writeRequest]{j}))
	}
	return nil
}

func (w *writer) transact(ctx context.Context, jobs []*Job[writeRequest]) error {
	err := w.Transaction(ctx, func(ctx context.Context) error {
		if err := w.checkVersion(ctx); err != nil {
			return err
		}
		for _, j := range jobs {
			if err := j.Ctx.Err(); err != nil {
				return err
			}
			if err := w.write(ctx, &j.Change); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		w.known.addAll(jobs)
	}
	return err
}

func (w *writer) write(ctx context.Context, o *writeRequest) error {
	err := w.insert(ctx, insertBlob, " ON CONFLICT (hash) DO NOTHING", len(o.blobs), func(i int) []any {
		row := &o.blobs[i]
		return []any{row.key, row.size, row.coding, row.data}
	})
	if err != nil {
		return err
	}
	b := o.batch
	for i := range b.Appends {
		if err := w.append(ctx, &b.Appends[i]); err != nil {
			return err
		}
	}
	for i := range b.Records {
		if err := w.put(ctx, &b.Records[i]); err != nil {
			return err
		}
	}
	for i := range b.Marks {
		if err := w.mark(ctx, &b.Marks[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion detects that a newer program has upgraded the store meanwhile.
func (w *writer) checkVersion(ctx context.Context) error {
	var version int
	if _, err := w.Row(ctx, []any{&version}, "PRAGMA user_version"); err != nil || version == w.newest {
		return err
	}
	return &fault.Error{
		Code: store.Unsupported, Op: "write to the store",
		Detail: fmt.Sprintf("another process has upgraded the store to version %d meanwhile", version),
		Hint:   "end this process, and continue with the newer brenner",
	}
}

func (w *writer) append(ctx context.Context, a *store.Append) error {
	id, moved, err := w.moveKnown(ctx, a)
	if err == nil && !moved {
		id, err = w.move(ctx, a)
	}
	if err != nil {
		return err
	}
	return w.insert(ctx, "INSERT INTO entries (stream, seq, at, kind, body, prev, hash)", "", len(a.Entries), func(i int) []any {
		e := &a.Entries[i]
		return []any{id, e.Seq, artifact.FormatInstant(e.At), e.Kind, string(e.Body), e.Prev, e.Hash}
	})
}

// mostRows is the largest number of rows in one statement. The others are its halves, so that a few
// statements serve any number of rows.
const mostRows = 8

// insert inserts n rows with few statements, each of which costs more than a small row.
func (w *writer) insert(ctx context.Context, into, clause string, n int, row func(i int) []any) error {
	for i, count := 0, mostRows; i < n; i += count {
		for i+count > n {
			count /= 2
		}
		var args []any
		for k := range count {
			args = append(args, row(i+k)...)
		}
		one := "(?" + strings.Repeat(", ?", len(args)/count-1) + ")"
		if err := w.Exec(ctx, into+" VALUES "+one+strings.Repeat(", "+one, count-1)+clause, args...); err != nil {
			return err
		}
	}
	return nil
}

// moveKnown moves the head of a stream whose id is known, if the head is the expected one, in a
// single statement. Heads are hashes over their stream, so no other stream can match.
func (w *writer) moveKnown(ctx context.Context, a *store.Append) (id int64, moved bool, err error) {
	id = w.streams.id(a.Stream)
	if id == 0 || len(a.Entries) == 0 {
		return id, false, nil
	}
	moved, err = w.moveFrom(ctx, id, a)
	return id, moved, err
}

func (w *writer) moveFrom(ctx context.Context, id int64, a *store.Append) (bool, error) {
	last := &a.Entries[len(a.Entries)-1]
	n, err := w.change(ctx, "UPDATE streams SET seq = ?, hash = ?, last = ?, summary = ? WHERE id = ? AND seq = ? AND hash = ?",
		last.Seq, last.Hash, artifact.FormatInstant(last.At), a.Summary, id, a.After.Seq, a.After.Hash)
	return n > 0, err
}

// move checks the head of a stream and writes the new one. It creates a missing stream.
func (w *writer) move(ctx context.Context, a *store.Append) (int64, error) {
	var id int64
	var is journal.Head
	if _, err := w.Row(ctx, []any{&id, &is.Seq, &is.Hash}, "SELECT id, seq, hash FROM streams WHERE name = ?", a.Stream); err != nil {
		return 0, err
	}
	if err := a.CheckHead(is); err != nil || len(a.Entries) == 0 {
		return id, err
	}
	if id > 0 {
		w.streams.add(a.Stream, id)
		_, err := w.moveFrom(ctx, id, a)
		return id, err
	}
	first, last := &a.Entries[0], &a.Entries[len(a.Entries)-1]
	id, err := w.Insert(ctx, "INSERT INTO streams (name, seq, hash, began, last, summary) VALUES (?, ?, ?, ?, ?, ?)",
		a.Stream, last.Seq, last.Hash, artifact.FormatInstant(first.At), artifact.FormatInstant(last.At), a.Summary)
	if err == nil {
		w.streams.add(a.Stream, id)
	}
	return id, err
}

func (w *writer) put(ctx context.Context, r *record.Record) error {
	listed, err := w.list(ctx, r)
	var have headState
	if err == nil && !listed {
		have, err = w.currentHead(ctx, r.ID)
	}
	if err == nil && !listed {
		err = store.CheckVersion(r, have.latest)
	}
	if err != nil {
		return err
	}
	tags, err := json.Marshal(r.Tags)
	if err != nil {
		return err
	}
	links, err := json.Marshal(r.Links)
	if err != nil {
		return err
	}
	err = w.Exec(ctx, `INSERT INTO records (id, version, parent, type, status, module, summary, summary_of, summary_by, content, change, creator, at, tags, links)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.Version, r.Parent, r.Type, r.Status, r.Module, r.Summary, r.SummaryOf, r.SummaryBy, r.Content,
		r.Change, r.Creator, artifact.FormatInstant(r.At), string(tags), string(links))
	if err != nil {
		return err
	}
	return w.index(ctx, r, have)
}

// headState is the listed state of a record before a write.
type headState struct{ latest, canonical, tips int }

func (w *writer) currentHead(ctx context.Context, id string) (h headState, err error) {
	_, err = w.Row(ctx, []any{&h.latest, &h.canonical, &h.tips}, "SELECT latest, canonical, tips FROM heads WHERE id = ?", id)
	return h, err
}

// list lists the first version of a record, or one that follows the latest of a single branch, without reading what is
// listed. It reports whether it did; all else takes more than one statement.
func (w *writer) list(ctx context.Context, r *record.Record) (bool, error) {
	if r.Version > 1 {
		if r.Parent != r.Version-1 || slices.ContainsFunc(r.Links, func(l record.Link) bool { return l.Relation == record.Supersedes && l.ID == r.ID }) {
			return false, nil
		}
		n, err := w.change(ctx, `UPDATE heads SET latest = ?, at = ?, type = ?, module = ?, status = ?, summary = ?
			WHERE id = ? AND latest = ? AND canonical = 0 AND tips = 1`,
			r.Version, sortable(r.At), r.Type, r.Module, r.Status, r.Summary, r.ID, r.Parent)
		return n > 0, err
	}
	n, err := w.change(ctx, `INSERT INTO heads (id, latest, canonical, type, module, status, summary, tips, at)
		VALUES (?, ?, 0, ?, ?, ?, ?, 1, ?) ON CONFLICT (id) DO NOTHING`, r.ID, r.Version, r.Type, r.Module, r.Status, r.Summary, sortable(r.At))
	return n > 0, err
}

// sortable formats an instant so that texts sort by time.
func sortable(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// index updates the lists for a record that was just written.
func (w *writer) index(ctx context.Context, r *record.Record, have headState) error {
	err := w.insert(ctx, "INSERT OR IGNORE INTO links (id, version, to_id, to_version, relation)", "", len(r.Links), func(i int) []any {
		l := &r.Links[i]
		return []any{r.ID, r.Version, l.ID, l.Version, l.Relation}
	})
	if err == nil {
		err = w.insert(ctx, "INSERT OR IGNORE INTO tags (tag, id)", "", len(r.Tags), func(i int) []any { return []any{r.Tags[i], r.ID} })
	}
	if err != nil {
		return err
	}
	moved, err := w.change(ctx, "UPDATE tips SET version = ? WHERE id = ? AND version = ?", r.Version, r.ID, r.Parent)
	if err == nil && moved == 0 {
		err = w.Exec(ctx, "INSERT INTO tips (id, version) VALUES (?, ?)", r.ID, r.Version)
	}
	if err != nil {
		return err
	}
	if have.latest == 0 { // already listed, with one tip
		if moved > 0 || r.Version == 1 {
			return nil
		}
		return w.Exec(ctx, "UPDATE heads SET tips = 2 WHERE id = ?", r.ID) // the only tip is an earlier version
	}
	tips, err := w.closeTips(ctx, r, have.tips+1-moved)
	switch {
	case err != nil:
	case have.canonical > 0:
		err = w.Exec(ctx, "UPDATE heads SET latest = ?, tips = ?, at = ? WHERE id = ?", r.Version, tips, sortable(r.At), r.ID)
	default:
		err = w.Exec(ctx, "UPDATE heads SET latest = ?, tips = ?, at = ?, type = ?, module = ?, status = ?, summary = ? WHERE id = ?",
			r.Version, tips, sortable(r.At), r.Type, r.Module, r.Status, r.Summary, r.ID)
	}
	return err
}

// closeTips closes the tips that a version supersedes and returns how many remain.
func (w *writer) closeTips(ctx context.Context, r *record.Record, tips int) (int, error) {
	for _, l := range r.Links {
		if l.Relation != record.Supersedes || l.ID != r.ID {
			continue
		}
		n, err := w.closeOne(ctx, r.ID, l.Version)
		if err != nil {
			return 0, err
		}
		tips -= n
	}
	return tips, nil
}

func (w *writer) closeOne(ctx context.Context, id string, version int) (int, error) {
	return w.change(ctx, "DELETE FROM tips WHERE id = ? AND version = ?", id, version)
}

func (w *writer) mark(ctx context.Context, m *record.Mark) error {
	have, err := w.currentHead(ctx, m.ID)
	if err != nil {
		return err
	}
	if err := store.CheckMark(m, have.latest, have.canonical); err != nil {
		return err
	}
	err = w.Exec(ctx, "INSERT INTO marks (id, version, status, was, author, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		m.ID, m.Version, m.Status, m.Was, m.By, m.Reason, artifact.FormatInstant(m.At))
	if err == nil {
		err = w.Exec(ctx, "INSERT INTO statuses (id, version, status) VALUES (?, ?, ?) ON CONFLICT (id, version) DO UPDATE SET status = excluded.status",
			m.ID, m.Version, m.Status)
	}
	if err != nil {
		return err
	}
	switch {
	case m.Status == record.Canonical:
		have.canonical = m.Version
	case have.canonical == m.Version && !record.KeepsCanonical(m.Status):
		have.canonical = 0
	}
	if m.Status == record.Deprecated && have.tips > 1 {
		n, err := w.closeOne(ctx, m.ID, m.Version) // a deprecated tip is no longer a branch
		if err != nil {
			return err
		}
		have.tips -= n
	}
	err = w.Exec(ctx, `UPDATE heads SET canonical = ?2, tips = ?3, (type, module, status, summary) = (
			SELECT r.type, r.module, coalesce(s.status, r.status), r.summary
			FROM records AS r LEFT JOIN statuses AS s ON s.id = r.id AND s.version = r.version
			WHERE r.id = ?1 AND r.version = iif(?2 > 0, ?2, (SELECT max(t.version) FROM tips AS t WHERE t.id = ?1))) WHERE id = ?1`, m.ID, have.canonical, have.tips)
	return err
}

// known holds the hashes of blobs that this connection has stored recently. Blobs never change or
// disappear, so they need not be written again: the sessions of a loop share many.
type known struct {
	mu          sync.Mutex
	now, before map[[sha256.Size]byte]bool
}

// maxKnown bounds a generation: two of them take about a megabyte.
const maxKnown = 4096

func (k *known) has(hash [sha256.Size]byte) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before[hash] && !k.now[hash] {
		k.add(hash) // a blob that is written again is kept longer
	}
	return k.now[hash]
}

func (k *known) add(hash [sha256.Size]byte) {
	if k.now == nil || len(k.now) >= maxKnown {
		k.now, k.before = make(map[[sha256.Size]byte]bool), k.now
	}
	k.now[hash] = true
}

func (k *known) addAll(jobs []*Job[writeRequest]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range jobs {
		for i := range j.Change.blobs {
			k.add([sha256.Size]byte(j.Change.blobs[i].key))
		}
	}
}

// streams are the ids of recently written streams by name. An id may be wrong after a rollback, and
// another process may have moved the stream, so every use of an id also checks the head.
type streams struct{ ids map[string]int64 }

func (s *streams) id(name string) int64 { return s.ids[name] }

func (s *streams) add(name string, id int64) {
	if s.ids == nil || len(s.ids) >= maxKnown {
		s.ids = make(map[string]int64)
	}
	s.ids[name] = id
}
