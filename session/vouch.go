package session

import (
	"context"
	"strings"

	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Vouching tells which versions of records the journals of a store's sessions say
// were put. It reads each journal once, and again when it has grown.
type Vouching struct {
	store   store.Store
	threads map[string]*vouched
}

type vouched struct {
	head   journal.Head
	broken bool // Verify says what is wrong with it
	refs   map[record.Ref]bool
}

// NewVouching looks at the sessions of a store.
func NewVouching(st store.Store) *Vouching {
	return &Vouching{store: st, threads: make(map[string]*vouched)}
}

// Vouches tells whether a session put a version. A session whose journal cannot be
// read vouches for all that would be its own: what is wrong with it is not the
// records' fault.
func (v *Vouching) Vouches(ctx context.Context, ref record.Ref) (bool, error) {
	thread := threadOf(ref.ID)
	have := v.threads[thread]
	if have != nil && (have.broken || have.refs[ref]) {
		return true, nil
	}
	now, err := store.HeadOf(ctx, v.store, Prefix+thread)
	if err != nil || now == (journal.Head{}) || have != nil && have.head == now {
		return false, err
	}
	entries, err := v.store.Entries(ctx, Prefix+thread, 0)
	if err != nil {
		return false, err
	}
	have = vouchedBy(thread, entries)
	v.threads[thread] = have
	return have.broken || have.refs[ref], nil
}

func vouchedBy(thread string, entries []journal.Entry) *vouched {
	out := &vouched{head: journal.HeadOf(entries), refs: make(map[record.Ref]bool)}
	state, err := fold(Prefix+thread, entries)
	if err != nil {
		out.broken = true
		return out
	}
	beside, _, err := sideRecords(&flow.State{}, entries)
	if err != nil {
		out.broken = true
		return out
	}
	for i := range beside {
		out.refs[beside[i].Ref()] = true
	}
	for i := range state.Commits {
		out.refs[record.Ref{ID: thread, Version: state.Commits[i].Version}] = true
	}
	return out
}

// threadOf gives the session that a record's id would belong to.
func threadOf(id string) string {
	for _, prefix := range []string{rosterPrefix, kickoffPrefix, replyPrefix, requestPrefix, verdictPrefix} {
		if rest, ok := strings.CutPrefix(id, prefix); ok {
			thread, _, _ := strings.Cut(rest, "/")
			return thread
		}
	}
	return id
}
