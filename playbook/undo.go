package playbook

import (
	"fmt"
	"slices"
)

// Undo reverts what the act's session did, given all entries of the bullets that it changed: its
// counts are subtracted, with the confidence that they added, and its bullets are quarantined. Stages
// and reviews without other support are reverted, too, and merges with what followed from them. What a
// bullet brought into a merge is also subtracted from the bullet that stands for it. Decisions of
// people remain: promotions, approvals, quarantines. What was reverted before stays so, also what a
// restored snapshot has reverted.
func (d *Draft) Undo(entries []Entry) ([]string, error) {
	if err := d.needsReason(); err != nil {
		return nil, err
	}
	shares := make(map[string]*share) // by bullet, what of the session is in it
	var order []string
	for i := range entries {
		e := &entries[i]
		mine := e.Session == d.act.Session && e.Session != ""
		s := shares[e.Bullet]
		if s == nil {
			s = &share{}
			shares[e.Bullet] = s
		}
		if mine && !slices.Contains(order, e.Bullet) {
			order = append(order, e.Bullet)
		}
		if _, merged := d.merged(e.Bullet); e.Op == OpAdd && mine && !merged {
			if err := d.change(OpRollback, e.Bullet, note{}, quarantine); err != nil {
				return nil, err
			}
			mine = false // it keeps its count
		}
		s.follow(e, mine)
	}
	var less []string
	for _, id := range order {
		ids := append([]string{id}, d.standIns(id)...)
		if err := d.subtract(&shares[id].now, ids...); err != nil {
			return nil, err
		}
		less = append(less, ids...)
	}
	separated, err := d.undoMerges(entries)
	if err == nil {
		err = d.demote(d.stagesBefore(entries), append(less, separated...)...)
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range d.entries {
		if !slices.Contains(ids, e.Bullet) {
			ids = append(ids, e.Bullet)
		}
	}
	return ids, nil
}

// subtract takes a contribution back from bullets.
func (d *Draft) subtract(g *contribution, ids ...string) error {
	for _, id := range ids {
		if err := d.change(OpRollback, id, note{}, g.subtractFrom); err != nil {
			return err
		}
	}
	return nil
}

type contribution struct {
	counts     [3]int // in the order of Sections
	confidence float64
}

func (g *contribution) add(e *Entry) {
	for n, counter := range [3][2]*int{
		{e.Before.Helpful, e.After.Helpful}, {e.Before.Harmful, e.After.Harmful}, {e.Before.Neutral, e.After.Neutral},
	} {
		var before, after int
		set(counter[0], &before)
		set(counter[1], &after)
		g.counts[n] += after - before
	}
	if e.Before.Confidence != nil && e.After.Confidence != nil {
		g.confidence += *e.After.Confidence - *e.Before.Confidence
	}
}

// subtractFrom subtracts the contribution. A confidence that a person has set meanwhile stays.
func (g *contribution) subtractFrom(b *Bullet) {
	for n, s := range Sections() {
		*b.counter(s) -= max(0, min(g.counts[n], *b.counter(s)))
	}
	if b.Confidence < Person {
		b.Confidence = roundShare(b.Confidence - max(0, g.confidence))
	}
}

// stagesBefore returns the stages from which the act's session raised bullets that nothing has changed since. The
// counters need not require the later stage: no gate is applied to an imported bullet.
func (d *Draft) stagesBefore(entries []Entry) map[string]Stage {
	stages := make(map[string]Stage)
	for i := range entries {
		e := &entries[i]
		if e.Session != d.act.Session || e.Session == "" {
			delete(stages, e.Bullet)
		} else if _, ok := stages[e.Bullet]; !ok && e.Op == OpStage && e.Before.Stage != nil {
			stages[e.Bullet] = *e.Before.Stage
		}
	}
	return stages
}

// demote demotes bullets as their counters require, once all contributions are taken back, and to the stages that
// they had before.
func (d *Draft) demote(before map[string]Stage, ids ...string) error {
	for _, id := range ids {
		if err := d.demoteOne(id, before[id]); err != nil {
			return err
		}
	}
	return nil
}

// demoteOne demotes a bullet, but not below a stage set by a person. Its stage before what is reverted may be empty.
func (d *Draft) demoteOne(id string, was Stage) error {
	b, err := d.find(id)
	if err != nil {
		return err
	}
	before, err := d.book.Find(id)
	if err != nil || !b.Live() || b.Support() >= before.Support() && was == "" {
		return err
	}
	if contradicted(b) {
		return d.applyGates(id, true)
	}
	stage := Shadow
	switch {
	case !d.rules.Staging.passes(b):
	case !d.rules.Prod.passes(b):
		stage = Staging
	default:
		stage = Prod
	}
	if was != "" && rank(was) < rank(stage) {
		stage = was
	}
	if forced := d.book.Forced(id); rank(forced) > rank(stage) {
		stage = forced
	}
	reason := fmt.Sprintf("helpful %d, harmful %d are left: %s", b.Helpful, b.Harmful, d.act.Reason)
	return d.change(OpRollback, id, note{reason: reason}, func(b *Bullet) {
		if rank(stage) < rank(b.Stage) {
			b.Stage = stage
		}
		if b.Review == Waiting && (b.Stage == Shadow || !d.rules.Prod.passes(b)) {
			b.Review = ""
		}
	})
}

// share is what a session has contributed to a bullet, followed through the bullet's entries.
type share struct {
	now    contribution
	counts counts // of the bullet
	past   []point
}

// counts is the part of a bullet that contributions change. With the time, two states are equal only
// if a snapshot was restored, or if they lack different sessions, each reverted since the last count.
type counts struct {
	each       [3]int // in the order of Sections
	confidence float64
	lastSeen   string
}

// point is a state of a bullet, and what of the session was in it.
type point struct {
	counts counts
	share  contribution
}

// follow takes the next entry of the bullet; mine means that it is the session's. A restored snapshot
// returns to an earlier state, with what was in that one.
func (s *share) follow(e *Entry, mine bool) {
	for i, n := range [...]*int{e.After.Helpful, e.After.Harmful, e.After.Neutral} {
		set(n, &s.counts.each[i])
	}
	set(e.After.Confidence, &s.counts.confidence)
	set(e.After.LastSeen, &s.counts.lastSeen)
	switch {
	case e.Op == OpReset:
		s.now = contribution{}
		for _, p := range slices.Backward(s.past) {
			if p.counts == s.counts {
				s.now = p.share
				break
			}
		}
	case mine && (e.Op == OpAdd || e.Op == OpCount || e.Op == OpRollback):
		s.now.add(e)
	}
	s.past = append(s.past, point{s.counts, s.now})
}
