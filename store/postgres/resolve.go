package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// resolve finds out whether a transaction whose answer was lost has committed. It first waits for
// the transaction to end, since the server may still be working on it, and then looks for what it
// wrote: a server that took over after a failure may have lost it. A single statement cannot be
// written twice, since a head moves once: a second attempt waits for the first, and is refused.
func (s *Store) resolve(ctx context.Context, b *store.Batch, lost *lostAnswer) (written bool, err error) {
	err = s.patiently(ctx, opWrite, s.wait, func(ctx context.Context) error {
		if lost.transaction != "" {
			if err := s.ended(ctx, lost.transaction); err != nil {
				return err
			}
		}
		written, err = s.has(ctx, b)
		return err
	})
	if err == nil {
		return written, nil
	}
	return false, &fault.Error{
		Code: store.Unreachable, Op: opWrite, Place: s.address.shown,
		Detail: "the connection was lost before the server answered, so it is not known whether it was written",
		Hint:   "check the network and the server, then run the command again: it continues from what is stored", Cause: s.oneLine(err),
	}
}

// ended waits for the end of a transaction.
func (s *Store) ended(ctx context.Context, transaction string) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var running bool
		err := s.pool.QueryRow(ctx, "SELECT coalesce(pg_xact_status($1::xid8) = 'in progress', false)", transaction).Scan(&running)
		if sqlState(err) == "22023" { // another server, which has not had this number yet
			return nil
		}
		if err != nil || !running {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// has reports whether a batch was written, from one part of it: a batch is complete or not at all.
// A batch of blobs and guards can be written again.
func (s *Store) has(ctx context.Context, b *store.Batch) (bool, error) {
	for i := range b.Appends {
		if a := &b.Appends[i]; len(a.Entries) > 0 {
			last := &a.Entries[len(a.Entries)-1]
			return s.exists(ctx, "SELECT FROM ~.streams AS s JOIN ~.entries AS e ON e.stream = s.id WHERE s.name = $1 AND e.seq = $2 AND e.hash = $3",
				a.Stream, last.Seq, last.Hash)
		}
	}
	if len(b.Marks) > 0 {
		m := &b.Marks[len(b.Marks)-1]
		return s.exists(ctx, "SELECT FROM ~.marks WHERE id = $1 AND version = $2 AND status = $3 AND was = $4 AND author = $5 AND reason = $6 AND at = $7",
			m.ID, m.Version, m.Status, m.Was, m.By, m.Reason, artifact.FormatInstant(m.At))
	}
	if len(b.Records) > 0 {
		r := &b.Records[len(b.Records)-1]
		return s.exists(ctx, "SELECT FROM ~.records WHERE id = $1 AND version = $2 AND parent = $3 AND type = $4 AND content = $5 AND summary = $6 AND creator = $7 AND at = $8",
			r.ID, r.Version, r.Parent, r.Type, r.Content, r.Summary, r.Creator, artifact.FormatInstant(r.At))
	}
	return false, nil
}

func (s *Store) exists(ctx context.Context, query string, args ...any) (found bool, err error) {
	err = s.pool.QueryRow(ctx, s.sql("SELECT EXISTS ("+query+")"), args...).Scan(&found)
	return found, err
}

// refusal returns why a batch was refused, in the order of store.Store.Write, or nil if the reason
// is gone.
func (s *Store) refusal(ctx context.Context, b *store.Batch) error {
	heads, records, err := s.states(ctx, b)
	if err != nil {
		return err
	}
	for i := range b.Appends {
		a := &b.Appends[i]
		if err := a.CheckHead(heads[a.Stream]); err != nil {
			return err
		}
		if len(a.Entries) > 0 {
			heads[a.Stream] = journal.HeadOf(a.Entries)
		}
	}
	for i := range b.Records {
		r := &b.Records[i]
		is := records[r.ID]
		if err := store.CheckVersion(r, is.latest); err != nil {
			return err
		}
		records[r.ID] = recordState{r.Version, is.canonical}
	}
	for i := range b.Marks {
		m := &b.Marks[i]
		is := records[m.ID]
		if err := store.CheckMark(m, is.latest, is.canonical); err != nil {
			return err
		}
		switch {
		case m.Status == record.Canonical:
			is.canonical = m.Version
		case is.canonical == m.Version && !record.KeepsCanonical(m.Status):
			is.canonical = 0
		}
		records[m.ID] = is
	}
	return nil
}

// recordState is what a write depends on.
type recordState struct{ latest, canonical int }

// states returns the heads and records that a batch depends on.
func (s *Store) states(ctx context.Context, b *store.Batch) (map[string]journal.Head, map[string]recordState, error) {
	var names, ids []string
	for i := range b.Appends {
		names = append(names, b.Appends[i].Stream)
	}
	for i := range b.Records {
		ids = append(ids, b.Records[i].ID)
	}
	for i := range b.Marks {
		ids = append(ids, b.Marks[i].ID)
	}
	heads, records := make(map[string]journal.Head), make(map[string]recordState)
	err := s.patiently(ctx, opWrite, s.wait, func(ctx context.Context) error {
		clear(heads)
		clear(records)
		var one struct {
			name string
			head journal.Head
		}
		rows, err := s.pool.Query(ctx, s.sql("SELECT name, seq, hash FROM ~.streams WHERE name = ANY($1::text[])"), names)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&one.name, &one.head.Seq, &one.head.Hash}, func() error { heads[one.name] = one.head; return nil })
		}
		if err != nil {
			return err
		}
		var id string
		var is recordState
		rows, err = s.pool.Query(ctx, s.sql("SELECT id, latest, canonical FROM ~.heads WHERE id = ANY($1::text[])"), ids)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&id, &is.latest, &is.canonical}, func() error { records[id] = is; return nil })
		}
		return err
	})
	var f *fault.Error
	if errors.As(err, &f) {
		return nil, nil, f
	}
	return heads, records, err
}
