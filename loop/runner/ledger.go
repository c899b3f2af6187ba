package runner

import (
	"context"
	"time"

	"brenner/fault"
	"brenner/journal"
	"brenner/loop"
	"brenner/store"
)

// The codes of loops.
const (
	NoLoop  fault.Code = "NO_LOOP"
	IsEnded fault.Code = "LOOP_ENDED"
	Exists  fault.Code = "LOOP_EXISTS"
)

// ledger writes a loop's journal and keeps the state that it stands for.
type ledger struct {
	store  store.Store
	stream string
	now    func() time.Time
	state  *loop.State
	wrote  func(*journal.Entry, *loop.State)
}

// write stores an event. Prepare makes it from the state as it is; it may be asked
// again, for people write to the journal of a loop that runs. A nil body is none.
func (l *ledger) write(ctx context.Context, kind string, prepare func(*loop.State) (any, [][]byte, error)) error {
	for {
		body, blobs, err := prepare(l.state)
		if err != nil || body == nil {
			return err
		}
		data, err := journal.Encode(body)
		if err != nil {
			return err
		}
		e, err := l.state.Head.Next(l.stream, l.now(), kind, data)
		if err == nil {
			err = l.state.Accepts(&e) // what makes no sense must not be stored
		}
		if err != nil {
			return err
		}
		err = l.store.Write(ctx, store.Batch{Blobs: blobs, Appends: []store.Append{{Stream: l.stream, After: l.state.Head, Entries: []journal.Entry{e}}}})
		if fault.CodeOf(err) == store.Moved {
			if err := l.catchUp(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		return l.apply([]journal.Entry{e})
	}
}

// note stores an event that does not depend on the state.
func (l *ledger) note(ctx context.Context, kind string, body any) error {
	return l.write(ctx, kind, func(*loop.State) (any, [][]byte, error) { return body, nil, nil })
}

// catchUp takes in what others have written.
func (l *ledger) catchUp(ctx context.Context) error {
	entries, err := l.store.Entries(ctx, l.stream, l.state.Head.Seq)
	if err == nil {
		err = journal.Check(l.stream, l.state.Head, entries)
	}
	if err != nil {
		return err
	}
	return l.apply(entries)
}

func (l *ledger) apply(entries []journal.Entry) error {
	for i := range entries {
		if err := l.state.Apply(&entries[i]); err != nil {
			return err
		}
		if l.wrote != nil {
			l.wrote(&entries[i], l.state)
		}
	}
	return nil
}
