package session

import (
	"context"
	"time"

	"brenner/fault"
	"brenner/flow"
	"brenner/journal"
	"brenner/record"
	"brenner/store"
)

// Prefix is what the names of sessions' streams begin with.
const Prefix = "session/"

// ledger writes a session's journal and keeps the state that it stands for.
type ledger struct {
	store  store.Store
	stream string
	now    func() time.Time
	state  *flow.State
	// wrote is told of every entry that is in the store, our own and others'.
	wrote func(*journal.Entry, *flow.State)
}

// draft is what is to be written in one transaction.
type draft struct {
	blobs   [][]byte
	events  []event
	records []record.Record
	// holds are streams of others that must not move before it is written.
	holds []store.Append
}

type event struct {
	kind string
	body any
}

func (d *draft) blob(data []byte) string {
	d.blobs = append(d.blobs, data)
	return store.Hash(data)
}

func (d *draft) event(kind string, body any) { d.events = append(d.events, event{kind, body}) }

// write makes a draft from the state as it is and stores it. People may write to
// the journal of a running session: then the state catches up with them, and the
// draft is made anew.
func (l *ledger) write(ctx context.Context, prepare func(*flow.State) (*draft, error)) error {
	for {
		d, err := prepare(l.state)
		if err != nil || d == nil {
			return err
		}
		entries, err := l.entries(d)
		if err == nil {
			err = l.state.Accepts(entries) // what makes no sense must not be stored
		}
		if err != nil {
			return err
		}
		beside, more, err := sideRecords(l.state, entries)
		if err != nil {
			return err
		}
		err = l.store.Write(ctx, store.Batch{
			Blobs: append(d.blobs, more...), Records: append(beside, d.records...),
			Appends: append(d.holds, store.Append{Stream: l.stream, After: l.state.Head, Entries: entries}),
		})
		if fault.CodeOf(err) == store.Moved {
			if err := l.catchUp(ctx, len(d.holds) > 0); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		return l.apply(entries)
	}
}

// entries chains the events of a draft to the head.
func (l *ledger) entries(d *draft) ([]journal.Entry, error) {
	head, at := l.state.Head, l.now()
	var entries []journal.Entry
	for _, ev := range d.events {
		body, err := flow.Encode(ev.body)
		if err != nil {
			return nil, err
		}
		e, err := head.Next(l.stream, at, ev.kind, body)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
		head = e.Head()
	}
	return entries, nil
}

// catchUp takes in what others have written. It may be that they wrote elsewhere.
func (l *ledger) catchUp(ctx context.Context, elsewhere bool) error {
	entries, err := l.store.Entries(ctx, l.stream, l.state.Head.Seq)
	if err != nil {
		return err
	}
	if err := journal.Check(l.stream, l.state.Head, entries); err != nil {
		return err
	}
	if len(entries) == 0 && elsewhere {
		return nil
	}
	if len(entries) == 0 {
		return &fault.Error{
			Code: store.Damaged, Place: l.stream, Detail: "the store's own head of the journal is not that of its last entry",
			Hint: "`brenner verify` says what else is damaged",
		}
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
