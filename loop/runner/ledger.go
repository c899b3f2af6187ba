package runner

import (
	"context"
	"time"

	"brenner/internal/fault"
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
	state  *loop.State
	writer store.Ledger[loop.State]
}

// errBehind says that another process has written to the journal: see store.ErrBehind.
var errBehind = store.ErrBehind

// newLedger returns the ledger of a loop in a state.
func newLedger(st store.Store, name string, now func() time.Time, state *loop.State) *ledger {
	return &ledger{state: state, writer: store.Ledger[loop.State]{
		Store: st, Stream: loop.Prefix + name, Now: now, Head: state.Head, State: state, Apply: (*loop.State).Apply,
	}}
}

// drafted returns a draft of one event.
func drafted(kind string, body any, blobs ...[]byte) *store.Draft {
	return &store.Draft{Events: []store.Event{{Kind: kind, Body: body}}, Blobs: blobs}
}

// keep takes an event into the state. It is stored with the next flush: before a session
// is begun by it, and before anything is waited for.
func (l *ledger) keep(kind string, body any) error { return l.writer.Keep(drafted(kind, body)) }

// fact keeps an event that stays true whatever others write.
func (l *ledger) fact(kind string, body any) error {
	d := drafted(kind, body)
	d.Fact = true
	return l.writer.Keep(d)
}

// flush stores what is held.
func (l *ledger) flush(ctx context.Context) error { return l.writer.Flush(ctx) }

// write stores an event. Prepare makes it from the state as it is; it may be asked
// again, for people write to the journal of a loop that runs. A nil body is none.
func (l *ledger) write(ctx context.Context, kind string, prepare func(*loop.State) (any, error)) error {
	return l.writer.Update(ctx, func(s *loop.State) (*store.Draft, error) {
		body, err := prepare(s)
		if err != nil || body == nil {
			return nil, err
		}
		return drafted(kind, body), nil
	})
}
