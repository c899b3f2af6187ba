package session

import (
	"context"
	"errors"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store"
)

// ErrOvertaken is the cause of an error with the code store.Held that ends a run which had begun: it lost its
// lease, so that another process may run the session. Replies that were received are stored, if the other
// process has not repeated their calls.
var ErrOvertaken = errors.New("this run stops")

// overtakenError returns the error for a second run of the session.
func overtakenError(state *flow.State) error {
	return heldError(state, "another process is running "+state.Opened.Thread)
}

func heldError(state *flow.State, detail string) error {
	return &fault.Error{
		Code: store.Held, Detail: detail, Cause: ErrOvertaken,
		Hint: "`brenner session status " + state.Opened.Thread + "` shows its progress; `brenner session resume " + state.Opened.Thread + "` continues it once no other process runs it",
	}
}

// merged returns a channel that is closed when drain or lost is, and drain itself if the lease cannot be lost.
// It ends with the context.
func merged(ctx context.Context, drain, lost <-chan struct{}) <-chan struct{} {
	if lost == nil {
		return drain
	}
	either := make(chan struct{})
	go func() {
		select {
		case <-drain:
		case <-lost:
		case <-ctx.Done():
			return
		}
		close(either)
	}()
	return either
}

// isLost reports whether the run has lost its lease before the session ended.
func (s *run) isLost() bool {
	select {
	case <-s.lost:
		return s.state.Ended == ""
	default:
		return false
	}
}

// surrender ends a run that has lost its lease: it waits for the calls in flight and begins nothing. The journal
// does not say that the session ended, because another process may run it.
func (s *run) surrender(ctx context.Context) error {
	for s.inFlight > 0 && ctx.Err() == nil {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.lostError()
}

func (s *run) lostError() error {
	return heldError(s.state, "the lease of "+s.state.Opened.Thread+" could not be renewed in time")
}
