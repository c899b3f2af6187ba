package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Prefix is what the names of sessions' streams begin with.
const Prefix = "session/"

// ledger writes a session's journal and keeps the state that it stands for.
type ledger struct {
	store  *recent
	stream string
	now    func() time.Time
	state  *flow.State
	// held is what the state has and the store has not.
	held held
	// wrote is told of every entry that is in the store, our own and others'.
	wrote func(*journal.Entry, *flow.State)
	// seen is the state that wrote is given, where it matters to it to have the one
	// right after each entry; nil gives it the state as it is.
	seen *flow.State
}

// held is a batch that grows until it is stored.
type held struct {
	after   journal.Head
	entries []journal.Entry
	blobs   []blob
	more    [][]byte
	records []record.Record
	holds   []store.Append
}

// errBehind says that somebody else has written to the journal, and that what was held
// is forgotten: the state is that of the store again. Whoever gets it begins anew with
// what the state commands now.
var errBehind = errors.New("somebody else has written to the journal")

// draft is what is to be written in one transaction.
type draft struct {
	blobs   []blob
	events  []event
	records []record.Record
	// holds are streams of others that must not move before it is written.
	holds []store.Append
}

type event struct {
	kind string
	body any
}

// blob is bytes under their hash.
type blob struct {
	hash string
	data []byte
}

func (d *draft) blob(data []byte) string {
	hash := store.Hash(data)
	d.blobs = append(d.blobs, blob{hash, data})
	return hash
}

func (d *draft) event(kind string, body any) { d.events = append(d.events, event{kind, body}) }

// write makes drafts, each from the state as it is then, and stores them, with what is
// held. People may write to the journal of a running session: then the state catches up
// with them, and the drafts are made anew.
func (l *ledger) write(ctx context.Context, prepare ...func(*flow.State) (*draft, error)) error {
	for {
		alone := len(l.held.entries) == 0
		for _, p := range prepare {
			if err := l.keep(p); err != nil {
				return err
			}
		}
		if err := l.flush(ctx); !errors.Is(err, errBehind) || !alone {
			return err
		}
	}
}

// keep makes a draft from the state as it is and takes it into the state. It is stored
// with what is written next: before anybody outside is told of anything, and never
// later than an answer.
func (l *ledger) keep(prepare func(*flow.State) (*draft, error)) error {
	d, err := prepare(l.state)
	if err != nil || d == nil {
		return err
	}
	entries, err := l.entries(d)
	if err != nil {
		return err
	}
	beside, more, err := sideRecords(l.state, entries)
	if err != nil {
		return err
	}
	next, err := l.state.After(entries) // what makes no sense must not be stored
	if err != nil {
		return err
	}
	h := &l.held
	if len(h.entries) == 0 {
		h.after = l.state.Head
	}
	h.entries, h.blobs = append(h.entries, entries...), append(h.blobs, d.blobs...)
	h.more, h.records = append(h.more, more...), append(append(h.records, beside...), d.records...)
	h.hold(d.holds)
	l.store.hold(d.blobs)
	*l.state = *next
	return nil
}

// flush stores what is held.
func (l *ledger) flush(ctx context.Context) error {
	h := l.held
	if len(h.entries) == 0 {
		return nil
	}
	err := l.store.Write(ctx, store.Batch{
		Blobs: append(l.store.news(h.blobs), h.more...), Records: h.records,
		Appends: append(h.holds, store.Append{Stream: l.stream, After: h.after, Entries: h.entries}),
	})
	if fault.CodeOf(err) == store.Moved {
		if h.after.Seq == 0 {
			return exists(strings.TrimPrefix(l.stream, Prefix)) // somebody else has opened it
		}
		l.held = held{}
		if err := l.reload(ctx, h.after, len(h.holds) > 0); err != nil {
			return err
		}
		return errBehind
	}
	if err != nil {
		return err
	}
	l.held = held{}
	l.store.stored(h.blobs)
	return l.tell(h.entries)
}

// hold takes streams of others that must not have moved when it is stored. Of two looks
// at one stream the first counts: if they differ, it has moved.
func (h *held) hold(streams []store.Append) {
	for _, a := range streams {
		if !slices.ContainsFunc(h.holds, func(o store.Append) bool { return o.Stream == a.Stream }) {
			h.holds = append(h.holds, a)
		}
	}
}

// entries chains the events of a draft to the head.
func (l *ledger) entries(d *draft) ([]journal.Entry, error) {
	head, at := l.state.Head, l.now()
	var entries []journal.Entry
	for _, ev := range d.events {
		body, err := journal.Encode(ev.body)
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

// reload makes the state that of the store, where others have written behind a head, or
// perhaps elsewhere.
func (l *ledger) reload(ctx context.Context, behind journal.Head, elsewhere bool) error {
	l.store.forget()
	entries, state, err := read(ctx, l.store, l.stream)
	if err != nil {
		return err
	}
	if len(entries) < behind.Seq || len(entries) == behind.Seq && !elsewhere {
		return &fault.Error{
			Code: store.Damaged, Place: l.stream, Detail: "the store's own head of the journal is not that of its last entry",
			Hint: "`brenner verify` says what else is damaged",
		}
	}
	*l.state = *state
	return l.tell(entries[behind.Seq:])
}

// tell says which entries are stored now.
func (l *ledger) tell(entries []journal.Entry) error {
	for i := range entries {
		state := l.state
		if l.seen != nil {
			if err := l.seen.Apply(&entries[i]); err != nil {
				return err
			}
			state = l.seen
		}
		if l.wrote != nil {
			l.wrote(&entries[i], state)
		}
	}
	return nil
}
