package keeper

import (
	"context"
	"time"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/store"
	"brenner/store/journal"
)

// Harvests is the stream that records which sessions may teach the playbook, and how much of each
// was taken. After a crash between the end of a session and its harvest, it shows what is due.
const Harvests = "harvests"

// Kinds of its entries.
const (
	kindBegun = "begun" // a session may teach, from its first entry on
	kindTaken = "taken" // it was taken up to an entry of its journal
)

type harvest struct {
	Entries int    `json:"entries"` // of the session's journal
	Session string `json:"session"`
}

// HarvestProgress returns, for each session that may teach, how many entries of its journal
// were taken.
func HarvestProgress(ctx context.Context, st store.Store) (map[string]int, error) {
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

// Begin records that a session may teach. Other sessions, such as imported or rehearsed ones,
// are taken only on a person's request.
func Begin(ctx context.Context, st store.Store, at time.Time, session string) error {
	return mark(ctx, st, at, kindBegun, harvest{Session: session})
}

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

// Teaching is what a session teaches.
type Teaching struct {
	Session  string
	Entries  int // of its journal
	Credits  []playbook.Credit
	Insights []playbook.Insight
}

// Learned is the effect of a session on the playbook.
type Learned struct {
	Credited int `json:"credited"`
	Added    int `json:"added"`
	Counted  int `json:"counted"`
}

// Nothing reports whether the session changed nothing.
func (l Learned) Nothing() bool { return l == Learned{} }

// Take adds what a session teaches and records that in Harvests. Nothing is taken twice, so it may
// be repeated at any time, also by several processes and after a crash. Credits of unknown bullets
// and invalid insights are skipped: they are an agent's mistakes, and its reply keeps them.
func (k *Keeper) Take(ctx context.Context, actor string, t *Teaching) (Learned, error) {
	var sum Learned
	act := playbook.Act{Actor: actor, Session: t.Session, Reason: "cited in the session", At: k.Now()}
	_, err := k.Do(ctx, act, func(d *playbook.Draft) error {
		sum.Credited = 0
		for _, c := range t.Credits {
			did, err := d.Credit(c.Bullet, c.Polarity)
			switch {
			case fault.CodeOf(err) == playbook.NoBullet:
			case err != nil:
				return err
			case did:
				sum.Credited++
			}
		}
		return nil
	})
	if err != nil {
		return sum, err
	}
	act.Reason = ""
	for _, i := range t.Insights {
		if i.Check(k.Rules) != nil {
			continue
		}
		out, _, err := k.Learn(ctx, act, i)
		switch {
		case err != nil:
			return sum, err
		case out.Added:
			sum.Added++
		case !out.Again:
			sum.Counted++
		}
	}
	return sum, mark(ctx, k.Store, act.At, kindTaken, harvest{Session: t.Session, Entries: t.Entries})
}
