package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Write stores a batch whole or not at all.
func (s *Store) Write(ctx context.Context, b store.Batch) error {
	const op = "write to the store"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	if s.writer == nil {
		return &fault.Error{
			Code: store.Unwritable, Op: op, Place: s.file, Detail: "the store was opened for reading only",
			Hint: "this is a mistake in the program: please report it",
		}
	}
	if err := b.Check(); err != nil {
		return err
	}
	// Hashing needs no lock, so it is done before others have to wait for us.
	o, size := order{batch: &b, hashes: make([]string, len(b.Blobs))}, 0
	for i, blob := range b.Blobs {
		o.hashes[i] = store.Hash(blob)
		size += len(blob)
	}
	return s.fault(op, s.writer.group.Submit(ctx, o, size))
}

// order is a batch to be written, and the hashes of its blobs.
type order struct {
	batch  *store.Batch
	hashes []string
}

// together writes orders in one transaction. If any of them cannot be written, nothing
// was, and each is tried by itself: then each has its own outcome.
func (w *writer) together(jobs []*Job[order]) (left []*Job[order]) {
	first := jobs[0]
	err := w.transaction(first.Ctx, jobs)
	switch {
	case err == nil, isBusy(err), len(jobs) == 1:
		for _, j := range jobs {
			j.Answer(err)
		}
		return nil
	case first.Ctx.Err() != nil:
		first.Answer(err)
		return jobs[1:] // they wait for as long as they themselves want to
	}
	for _, j := range append(jobs[1:], first) {
		j.Answer(w.transaction(j.Ctx, []*Job[order]{j}))
	}
	return nil
}

// transaction writes orders, all of them or none.
func (w *writer) transaction(ctx context.Context, jobs []*Job[order]) error {
	err := Transaction(ctx, w.conn, w.wait, func(ctx context.Context) error {
		if err := w.checkVersion(ctx); err != nil {
			return err
		}
		for _, j := range jobs {
			if err := j.Ctx.Err(); err != nil {
				return err
			}
			if err := w.write(ctx, j.Change.batch, j.Change.hashes); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		w.known.learn(jobs)
	}
	return err
}

func (w *writer) write(ctx context.Context, b *store.Batch, hashes []string) error {
	for i, blob := range b.Blobs {
		if w.known.has(hashes[i]) {
			continue
		}
		if blob == nil {
			blob = []byte{} // nil would be NULL
		}
		if _, err := w.addBlob.ExecContext(ctx, hashes[i], len(blob), blob); err != nil {
			return err
		}
	}
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

// checkVersion notices that a newer program has upgraded the store under us.
func (w *writer) checkVersion(ctx context.Context) error {
	var version int
	if err := w.version.QueryRowContext(ctx).Scan(&version); err != nil || version == w.newest {
		return err
	}
	return &fault.Error{
		Code: store.Unsupported, Op: "write to the store",
		Detail: fmt.Sprintf("another process has upgraded the store to version %d meanwhile", version),
		Hint:   "end this process, and go on with the newer brenner",
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
	for i := range a.Entries {
		e := &a.Entries[i]
		_, err := w.addEntry.ExecContext(ctx, id, e.Seq, artifact.FormatInstant(e.At), e.Kind, string(e.Body), e.Prev, e.Hash)
		if err != nil {
			return err
		}
	}
	return nil
}

// moveKnown writes the head that a stream has after an append, where its id is known and
// its head is the one that it should be: one statement does both. Heads are hashes of what
// they are of, so that no other stream can be taken for it.
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
	return changed(w.moveHead.ExecContext(ctx, last.Seq, last.Hash, artifact.FormatInstant(last.At), id, a.After.Seq, a.After.Hash))
}

// changed tells whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// move looks at the head that a stream has and writes the one that it has after an
// append, which it may begin with.
func (w *writer) move(ctx context.Context, a *store.Append) (int64, error) {
	var id int64
	var is journal.Head
	err := w.head.QueryRowContext(ctx, a.Stream).Scan(&id, &is.Seq, &is.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if err := a.CheckHead(is); err != nil || len(a.Entries) == 0 {
		return id, err
	}
	if id > 0 {
		w.streams.learn(a.Stream, id)
		_, err := w.moveFrom(ctx, id, a)
		return id, err
	}
	first, last := &a.Entries[0], &a.Entries[len(a.Entries)-1]
	result, err := w.addStream.ExecContext(ctx, a.Stream, last.Seq, last.Hash, artifact.FormatInstant(first.At), artifact.FormatInstant(last.At))
	if err != nil {
		return 0, err
	}
	if id, err = result.LastInsertId(); err == nil {
		w.streams.learn(a.Stream, id)
	}
	return id, err
}

func (w *writer) put(ctx context.Context, r *record.Record) error {
	first, err := w.first(ctx, r)
	var have headNow
	if err == nil && !first {
		have, err = w.head1(ctx, r.ID)
	}
	if err == nil && !first {
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
	_, err = w.addRecord.ExecContext(ctx, r.ID, r.Version, r.Parent, r.Type, r.Status, r.Module, r.Summary, r.SummaryOf, r.SummaryBy, r.Content,
		r.Change, r.Creator, artifact.FormatInstant(r.At), string(tags), string(links))
	if err != nil {
		return err
	}
	return w.index(ctx, r, have)
}
