package runner

import (
	"context"
	"errors"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/store"
	"brenner/store/journal"
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
	// held is what the state has and the store has not.
	held held
	// wrote, if not nil, is told of every entry that is in the store, our own and
	// others', with the state right after it: that is seen.
	wrote func(*journal.Entry, *loop.State)
	seen  *loop.State
}

// held are events that are stored together.
type held struct {
	after   journal.Head
	entries []journal.Entry
	blobs   [][]byte
	facts   []event
}

type event struct {
	kind string
	body any
}

// errBehind says that somebody else has written to the journal. The state is that of
// the store again, with the facts that were held; whatever else was held is forgotten,
// for it was decided without knowing what they wrote.
var errBehind = errors.New("somebody else has written to the journal")

// keep takes an event into the state. It is stored with the next flush: before a session
// is begun by it, and before anything is waited for.
func (l *ledger) keep(kind string, body any, blobs ...[]byte) error {
	data, err := journal.Encode(body)
	if err != nil {
		return err
	}
	e, err := l.state.Head.Next(l.stream, l.now(), kind, data)
	if err != nil {
		return err
	}
	if len(l.held.entries) == 0 {
		l.held.after = l.state.Head
	}
	if err := l.state.Apply(&e); err != nil { // what makes no sense must not be stored
		return err
	}
	l.held.entries, l.held.blobs = append(l.held.entries, e), append(l.held.blobs, blobs...)
	return nil
}

// fact keeps an event that stays true whatever others write.
func (l *ledger) fact(kind string, body any) error {
	err := l.keep(kind, body)
	if err == nil {
		l.held.facts = append(l.held.facts, event{kind, body})
	}
	return err
}

// flush stores what is held.
func (l *ledger) flush(ctx context.Context) error {
	h := l.held
	if len(h.entries) == 0 {
		return nil
	}
	err := l.store.Write(ctx, store.Batch{Blobs: h.blobs, Appends: []store.Append{{Stream: l.stream, After: h.after, Entries: h.entries}}})
	if fault.CodeOf(err) == store.Moved {
		return l.fallBack(ctx)
	}
	if err != nil {
		return err
	}
	l.held = held{}
	return l.tell(h.entries)
}

// fallBack makes the state that of the store, and takes the facts into it again.
func (l *ledger) fallBack(ctx context.Context) error {
	entries, err := entriesOf(ctx, l.store, l.stream)
	if err != nil {
		return err
	}
	state, err := loop.Fold(entries)
	if err != nil {
		return err
	}
	h := l.held
	*l.state, l.held = *state, held{}
	for _, f := range h.facts {
		if err := l.fact(f.kind, f.body); err != nil {
			return err
		}
	}
	if err := l.tell(entries[h.after.Seq:]); err != nil {
		return err
	}
	return errBehind
}

// write stores an event. Prepare makes it from the state as it is; it may be asked
// again, for people write to the journal of a loop that runs. A nil body is none.
func (l *ledger) write(ctx context.Context, kind string, prepare func(*loop.State) (any, [][]byte, error)) error {
	for {
		body, blobs, err := prepare(l.state)
		if err != nil || body == nil {
			return err
		}
		if err := l.keep(kind, body, blobs...); err != nil {
			return err
		}
		if err := l.flush(ctx); !errors.Is(err, errBehind) {
			return err
		}
	}
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
	for i := range entries {
		if err := l.state.Apply(&entries[i]); err != nil {
			return err
		}
	}
	return l.tell(entries)
}

// tell says which entries are stored now.
func (l *ledger) tell(entries []journal.Entry) error {
	if l.wrote == nil {
		return nil
	}
	for i := range entries {
		if err := l.seen.Apply(&entries[i]); err != nil {
			return err
		}
		l.wrote(&entries[i], l.seen)
	}
	return nil
}
