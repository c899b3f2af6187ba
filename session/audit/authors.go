package audit

import (
	"context"
	"sync"

	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

// Authors finds out how agents wrote the replies of a store's sessions. Each journal is read once, so
// this suits short-lived commands.
type Authors struct {
	store store.Store

	mu       sync.Mutex
	sessions map[string]*session.History
}

// NewAuthors returns the Authors of the sessions of a store.
func NewAuthors(st store.Store) *Authors {
	return &Authors{store: st, sessions: make(map[string]*session.History)}
}

// Of returns the role of the author of a reply, what was really asked, and the call; they are empty if
// the journal does not say it, or is damaged, which Verify reports.
func (a *Authors) Of(ctx context.Context, reply record.Ref) (role, asked, call string, err error) {
	thread := session.ThreadOfRecord(reply.ID)
	a.mu.Lock()
	defer a.mu.Unlock()
	h, known := a.sessions[thread]
	if !known {
		h, _ = session.Load(ctx, a.store, thread)
		if ctx.Err() != nil {
			return "", "", "", ctx.Err()
		}
		a.sessions[thread] = h
	}
	if h == nil {
		return "", "", "", nil
	}
	c := h.CallOf(reply)
	if c == nil {
		return "", "", "", nil
	}
	return h.State.Opened.Party(c.Agent).Role, h.State.Author(c), c.ID, nil
}
