package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Prefix is what the names of sessions' streams begin with.
const Prefix = "session/"

// ledger writes a session's journal and keeps the state that it stands for.
type ledger struct {
	store  overlay // with the blobs that are held
	state  *flow.State
	writer store.Ledger[flow.State]
}

// errBehind says that another process has written to the journal: see store.ErrBehind.
var errBehind = store.ErrBehind

// newLedger returns the ledger of a session in a state. Wrote is called with every entry
// that is in the store, and with seen as it is right after it; where seen is nil, with
// the state as it is.
func newLedger(st store.Store, stream string, now func() time.Time, state, seen *flow.State, wrote func(*journal.Entry, *flow.State)) *ledger {
	return &ledger{store: overlay{st, make(map[string][]byte)}, state: state, writer: store.Ledger[flow.State]{
		Store: st, Stream: stream, Now: now, Head: state.Head, State: state,
		Apply: (*flow.State).Apply, Clone: (*flow.State).Clone, Beside: beside, Overtaken: overtaken, Wrote: wrote, Seen: seen,
	}}
}

// draft is what is to be written in one transaction.
type draft struct {
	store.Draft

	hashes []string // of its blobs
}

// blob adds a blob to the draft, and returns its hash.
func (d *draft) blob(data []byte) string {
	hash := store.Hash(data)
	d.add(hash, data)
	return hash
}

func (d *draft) add(hash string, data []byte) {
	d.Blobs, d.hashes = append(d.Blobs, data), append(d.hashes, hash)
}

func (d *draft) event(kind string, body any) {
	d.Events = append(d.Events, store.Event{Kind: kind, Body: body})
}

// drafted returns a draft of one event.
func drafted(kind string, body any) *draft {
	d := &draft{}
	d.event(kind, body)
	return d
}

// beside adds the records that entries put beside the artifact's versions.
func beside(before *flow.State, entries []journal.Entry, d *store.Draft) error {
	records, blobs, err := sideRecords(before, entries)
	d.Records = append(records, d.Records...)
	d.Blobs = append(d.Blobs, blobs...)
	return err
}

// write makes a draft from the state as it is then, and stores it, with what is held.
// People may write to the journal of a running session: then the state catches up with
// them, and the draft is made anew, unless anything else was held.
func (l *ledger) write(ctx context.Context, prepare func(*flow.State) (*draft, error)) error {
	for {
		alone := !l.writer.Holding()
		if err := l.keep(prepare); err != nil {
			return err
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
	if err := l.writer.Keep(&d.Draft); err != nil {
		return err
	}
	for i, hash := range d.hashes {
		l.store.blobs[hash] = d.Blobs[i]
	}
	return nil
}

// flush stores what is held.
func (l *ledger) flush(ctx context.Context) error {
	err := l.writer.Flush(ctx)
	switch {
	case err == nil:
		clear(l.store.blobs)
	case fault.CodeOf(err) == store.Moved:
		return exists(strings.TrimPrefix(l.writer.Stream, Prefix)) // another process has opened it
	}
	return err
}
