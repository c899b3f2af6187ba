package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/fault"
	"brenner/journal"
	"brenner/record"
	"brenner/store"
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
	hashes := make([]string, len(b.Blobs))
	for i, blob := range b.Blobs {
		hashes[i] = store.Hash(blob)
	}
	return s.fault(op, s.writer.submit(ctx, &b, hashes))
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
	var id int64
	var is journal.Head
	err := w.head.QueryRowContext(ctx, a.Stream).Scan(&id, &is.Seq, &is.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err := a.CheckHead(is); err != nil {
		return err
	}
	if len(a.Entries) == 0 {
		return nil
	}
	if id, err = w.move(ctx, id, a); err != nil {
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

// move writes the head that a stream has after an append; the id 0 is of a
// stream that begins with it.
func (w *writer) move(ctx context.Context, id int64, a *store.Append) (int64, error) {
	first, last := &a.Entries[0], &a.Entries[len(a.Entries)-1]
	if id > 0 {
		_, err := w.moveHead.ExecContext(ctx, last.Seq, last.Hash, artifact.FormatInstant(last.At), id)
		return id, err
	}
	result, err := w.addStream.ExecContext(ctx, a.Stream, last.Seq, last.Hash, artifact.FormatInstant(first.At), artifact.FormatInstant(last.At))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (w *writer) put(ctx context.Context, r *record.Record) error {
	have, err := w.head1(ctx, r.ID)
	if err != nil {
		return err
	}
	if err := store.CheckVersion(r, have.latest); err != nil {
		return err
	}
	tags, err := json.Marshal(r.Tags)
	if err != nil {
		return err
	}
	links, err := json.Marshal(linksOut(r.Links))
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
