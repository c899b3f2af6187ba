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

// Prefix begins the names of sessions' streams.
const Prefix = "session/"

// ledger writes a session's journal and keeps its state.
type ledger struct {
	store  overlay // with the held blobs
	state  *flow.State
	writer store.Ledger[flow.State]
	// unstored reports whether the session is new, and all of its journal is still held.
	unstored bool
}

// errBehind reports that another process has written to the journal; see store.ErrBehind.
var errBehind = store.ErrBehind

// newLedger returns the ledger of a session. It calls wrote for every stored entry, with the state
// right after that entry, which it keeps in seen; if seen is nil, with the current state.
func newLedger(st store.Store, stream string, now func() time.Time, state, seen *flow.State, wrote func(*journal.Entry, *flow.State)) *ledger {
	return &ledger{store: overlay{st, make(map[string][]byte)}, state: state, writer: store.Ledger[flow.State]{
		Store: st, Stream: stream, Now: now, Head: state.Head, State: state,
		Apply: (*flow.State).Apply, Clone: (*flow.State).Clone, Summary: (*flow.State).ListedText, Beside: addSideRecords, Overtaken: overtakenError, Wrote: wrote, Seen: seen,
	}}
}

type draft struct {
	store.Draft

	hashes []string // of its blobs
}

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

func newDraft(kind string, body any) *draft {
	d := &draft{}
	d.event(kind, body)
	return d
}

// addSideRecords adds the records derived from entries, other than versions of the artifact.
func addSideRecords(before *flow.State, entries []journal.Entry, d *store.Draft) error {
	records, blobs, err := sideRecords(before, entries)
	d.Records = append(records, d.Records...)
	d.Blobs = append(d.Blobs, blobs...)
	return err
}

// write prepares a draft from the current state and stores it together with the held drafts. If
// another process has written to the journal meanwhile, the state catches up and the draft is
// prepared again, unless other drafts were held.
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

// keep prepares a draft and applies it to the state. It is stored with the next write: before
// anything is sent outside, and never later than an answer.
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

func (l *ledger) flush(ctx context.Context) error {
	err := l.writer.Flush(ctx)
	switch {
	case err == nil:
		l.unstored = false
		clear(l.store.blobs)
	case fault.CodeOf(err) == store.Moved:
		return existsError(strings.TrimPrefix(l.writer.Stream, Prefix)) // another process has opened it
	}
	return err
}
