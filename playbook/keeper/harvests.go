package keeper

import (
	"context"
	"time"

	"brenner/store"
	"brenner/store/journal"
)

// Harvests is the stream of a store that says which sessions may teach the playbook,
// and how much of each it has taken in. A process can be killed between the end of a
// session and its harvest: whoever comes next sees here what is due.
const Harvests = "harvests"

// The kinds of its entries.
const (
	kindBegun = "begun" // a session may teach, from its first entry on
	kindTaken = "taken" // it was taken in, up to an entry of its journal
)

type harvest struct {
	Entries int    `json:"entries"` // of the session's journal
	Session string `json:"session"`
}

// Taken tells for each session that may teach how many entries of its journal were
// taken in.
func Taken(ctx context.Context, st store.Store) (map[string]int, error) {
	taken, _, err := readHarvests(ctx, st)
	return taken, err
}

func readHarvests(ctx context.Context, st store.Store) (map[string]int, journal.Head, error) {
	taken, chain := make(map[string]int), journal.Follow(Harvests, journal.Head{})
	err := store.Walk(ctx, st, Harvests, 0, func(l *journal.Line) error {
		if err := chain.Next(l); err != nil {
			return err
		}
		e, err := l.Entry(Harvests)
		if err != nil {
			return err
		}
		h, err := journal.Decode[harvest](&e, journal.BadEntry)
		if err != nil {
			return err
		}
		taken[h.Session] = max(taken[h.Session], h.Entries)
		return nil
	})
	return taken, chain.Head(), err
}

// Begin says that a session may teach. Sessions of which nobody has said so, such as
// those that were imported or rehearsed, are due only when a person says so.
func Begin(ctx context.Context, st store.Store, at time.Time, session string) error {
	return mark(ctx, st, at, kindBegun, harvest{Session: session})
}

// mark journals how much of a session was taken in, unless that is known.
func mark(ctx context.Context, st store.Store, at time.Time, kind string, h harvest) error {
	taken, head, err := readHarvests(ctx, st)
	if err != nil {
		return err
	}
	l := store.Ledger[struct{}]{
		Store: st, Stream: Harvests, Now: func() time.Time { return at }, Head: head,
		Reload: func(ctx context.Context) (head journal.Head, err error) {
			taken, head, err = readHarvests(ctx, st)
			return head, err
		},
	}
	return l.Update(ctx, func(*struct{}) (*store.Draft, error) {
		if n, ok := taken[h.Session]; ok && n >= h.Entries {
			return nil, nil
		}
		return &store.Draft{Events: []store.Event{{Kind: kind, Body: h}}}, nil
	})
}
