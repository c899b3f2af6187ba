package keeper

import (
	"context"

	"brenner/internal/fault"
	"brenner/playbook"
)

// Teaching is what a session has to teach.
type Teaching struct {
	Session  string
	Entries  int // of its journal
	Credits  []playbook.Credit
	Insights []playbook.Insight
}

// Learned is what the playbook has made of a session.
type Learned struct {
	Credited int `json:"credited"`
	Added    int `json:"added"`
	Counted  int `json:"counted"`
}

// Nothing tells whether the session has changed nothing.
func (l Learned) Nothing() bool { return l == Learned{} }

// Take takes in what a session teaches, and says so in the stream of harvests. Whatever
// was taken in before is not taken in again, so it may be called as often as one likes,
// by several processes at once, and after a kill at any moment. A bullet that is not
// there cannot be credited, and what cannot be a bullet is passed over: both are an
// agent's mistakes, and its reply keeps them.
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
