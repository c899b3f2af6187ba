package playbook

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// merger is how a bullet was merged.
type merger struct {
	into int
	from Stage // before the merge
}

// stage returns the stage to which a separated bullet returns: that before the merge, or SHADOW if a
// restored snapshot did not say.
func (m merger) stage() Stage {
	if m.known() {
		return m.from
	}
	return Shadow
}

func (m merger) known() bool { return slices.Contains([]Stage{Shadow, Staging, Prod}, m.from) }

// Standing returns the bullet that stands for the given one: itself, unless it was merged.
func (k *Book) Standing(id string) string {
	n, ok := k.byID[id]
	if !ok {
		return id
	}
	return k.bullets[k.standing(n)].ID
}

func (k *Book) standing(n int) int {
	for {
		m, ok := k.merges[n]
		if !ok {
			return n
		}
		n = m.into
	}
}

// MergedInto returns the bullets for which the given one stands, oldest first.
func (k *Book) MergedInto(id string) []string {
	var ids []string
	for _, n := range slices.Sorted(maps.Keys(k.merges)) {
		if k.bullets[k.standing(n)].ID == id && k.bullets[n].ID != id {
			ids = append(ids, k.bullets[n].ID)
		}
	}
	return ids
}

// mergeViolation returns the rule about other bullets that an entry breaks, or "".
func (k *Book) mergeViolation(e *Entry, before, after *Bullet) string {
	if e.Op != OpMerge && (after.Stage != Merged || before.Stage == Merged) {
		return ""
	}
	n, ok := k.byID[e.With]
	switch {
	case !ok || e.With == e.Bullet:
		return "does not name the other bullet of the merge"
	case k.bullets[n].Domain != before.Domain:
		return "the two bullets are of different domains"
	}
	other := k.bullets[n]
	switch {
	case after.Stage == Merged && k.Standing(e.With) == e.Bullet:
		return "the other bullet is merged into this one"
	case e.Op == OpMerge && after.Stage != Merged &&
		(after.Helpful-before.Helpful != other.Helpful || after.Harmful-before.Harmful != other.Harmful || after.Neutral-before.Neutral != other.Neutral):
		return "does not add the counts of the other bullet"
	}
	return ""
}

// moved notes what follows from a new stage.
func (k *Book) moved(n int, from, to Stage, e *Entry) {
	delete(k.merges, n)
	delete(k.caught, n)
	switch to {
	case Merged:
		k.merges[n] = merger{into: k.byID[e.With], from: from}
	case Quarantined:
		if e.Session != "" {
			k.caught[n] = e.Session
		}
	}
}

// Similar is a pair of bullets that match by their vectors.
type Similar struct {
	A, B   string
	Cosine float64
}

// Merge is a proposal to merge one bullet into another.
type Merge struct {
	Stays  string  `json:"stays"`
	Goes   string  `json:"goes"`
	Cosine float64 `json:"cosine"`
	Why    string  `json:"why"` // why the first one stays
}

// Apart is a pair of similar bullets that are not merged.
type Apart struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Cosine float64 `json:"cosine"`
	Why    string  `json:"why"`
}

// PlanMerges returns which of the similar bullets to merge, the oldest survivors first, and the pairs that
// differ in meaning or are for other roles.
//
// A bullet is merged only into one that it matches itself: if a matches b and b matches c, but a
// does not match c, then c stays. A bullet stays unless it matches one that stays and precedes it:
// by stage, then a person's before an agent's, then the older one. One that matches several goes
// into the most similar.
func (k *Book) PlanMerges(pairs []Similar) ([]Merge, []Apart) {
	near := make(map[int][]Merge) // by the bullet that would go
	var apart []Apart
	for _, p := range pairs {
		a, okA := k.byID[p.A]
		b, okB := k.byID[p.B]
		if !okA || !okB || a == b {
			continue
		}
		if k.precedes(b, a) {
			a, b = b, a
		}
		stays, goes := k.bullets[a], k.bullets[b]
		if !stays.Live() || !goes.Live() || stays.Domain != goes.Domain {
			continue
		}
		why := Differ(goes.Content, stays.Content)
		if why == "" && !stays.servesRolesOf(goes) {
			why = "for different roles"
		}
		if why != "" {
			apart = append(apart, Apart{A: stays.ID, B: goes.ID, Cosine: p.Cosine, Why: why})
			continue
		}
		near[b] = append(near[b], Merge{Stays: stays.ID, Goes: goes.ID, Cosine: p.Cosine, Why: whyStays(stays, goes)})
	}
	merges := k.chooseMerges(near)
	slices.SortFunc(merges, func(a, b Merge) int {
		return cmp.Or(cmp.Compare(k.byID[a.Stays], k.byID[b.Stays]), cmp.Compare(k.byID[a.Goes], k.byID[b.Goes]))
	})
	slices.SortFunc(apart, func(a, b Apart) int {
		return cmp.Or(cmp.Compare(k.byID[a.A], k.byID[b.A]), cmp.Compare(k.byID[a.B], k.byID[b.B]))
	})
	return merges, apart
}

// chooseMerges decides which bullets stay, in the order of precedence, and into which the others go.
func (k *Book) chooseMerges(near map[int][]Merge) []Merge {
	order := make([]int, len(k.bullets))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int {
		if k.precedes(a, b) {
			return -1
		}
		return 1
	})
	stays := make(map[string]bool)
	var merges []Merge
	for _, n := range order {
		best := -1
		for i, m := range near[n] {
			if stays[m.Stays] && (best < 0 || k.closer(&near[n][i], &near[n][best])) {
				best = i
			}
		}
		if best < 0 {
			stays[k.bullets[n].ID] = true
		} else {
			merges = append(merges, near[n][best])
		}
	}
	return merges
}

func (k *Book) closer(m, o *Merge) bool {
	return m.Cosine > o.Cosine || m.Cosine == o.Cosine && k.precedes(k.byID[m.Stays], k.byID[o.Stays])
}

// precedes reports whether bullet a stays if a and b are merged.
func (k *Book) precedes(a, b int) bool {
	x, y := k.bullets[a], k.bullets[b]
	return cmp.Or(cmp.Compare(rank(y.Stage), rank(x.Stage)), cmp.Compare(byPerson(y), byPerson(x)), cmp.Compare(a, b)) < 0
}

func byPerson(b *Bullet) int {
	if b.Confidence >= Person {
		return 1
	}
	return 0
}

func whyStays(stays, goes *Bullet) string {
	switch {
	case stays.Stage != goes.Stage:
		return "in " + string(stays.Stage)
	case byPerson(stays) != byPerson(goes):
		return "a person's"
	}
	return "older"
}

// servesRolesOf reports whether every role that gets the other bullet gets this one.
func (b *Bullet) servesRolesOf(o *Bullet) bool {
	bound := slices.DeleteFunc(slices.Clone(o.Tags), func(t string) bool { return !strings.HasPrefix(t, RolePrefix) })
	if len(bound) == 0 {
		return !slices.ContainsFunc(b.Tags, func(t string) bool { return strings.HasPrefix(t, RolePrefix) })
	}
	return !slices.ContainsFunc(bound, func(t string) bool { return !b.For(strings.TrimPrefix(t, RolePrefix)) })
}

// MergeAll merges bullets into others, which get their counts and stand for them from now on. The
// merged ones keep their text, counts, origin and history. Stages follow from the counts of all.
func (d *Draft) MergeAll(merges []Merge) error {
	var stay []string
	against := make(map[string]bool)
	for _, m := range merges {
		speaks, err := d.merge(m)
		if err != nil {
			return err
		}
		if !slices.Contains(stay, m.Stays) {
			stay = append(stay, m.Stays)
		}
		against[m.Stays] = against[m.Stays] || speaks
	}
	for _, id := range stay {
		if err := d.applyGates(id, against[id]); err != nil {
			return err
		}
	}
	return nil
}

// merge merges one bullet into another, and reports whether its counts speak against that one.
func (d *Draft) merge(m Merge) (against bool, err error) {
	goes, err := d.find(m.Goes)
	if err != nil {
		return false, err
	}
	stays, err := d.find(m.Stays)
	if err != nil {
		return false, err
	}
	if !goes.Live() || !stays.Live() {
		return false, wrongStage(goes, "", "cannot be merged into "+stays.ID+": one of them is quarantined or merged")
	}
	n := note{insight: goes.Content, cosine: m.Cosine, with: m.Goes}
	err = d.change(OpMerge, m.Stays, n, func(b *Bullet) {
		for _, s := range Sections() {
			*b.counter(s) += *goes.counter(s)
		}
		if goes.LastSeen.After(b.LastSeen) {
			b.LastSeen = goes.LastSeen
		}
	})
	if err != nil {
		return false, err
	}
	return *goes.counter(stays.contradicting()) > 0, d.change(OpMerge, m.Goes, note{cosine: m.Cosine, with: m.Stays}, func(b *Bullet) {
		b.Stage = Merged
		if b.Review == Waiting {
			b.Review = ""
		}
	})
}

// merged returns how a bullet was merged, unless the draft has separated it again.
func (d *Draft) merged(id string) (merger, bool) {
	m, ok := d.book.merges[d.book.byID[id]]
	if b, err := d.find(id); err != nil || b.Stage != Merged {
		return merger{}, false
	}
	return m, ok
}

// unmerge separates a merged bullet: it returns to its stage, and the bullets that stood for it lose
// its counts. It returns these; the caller demotes them.
func (d *Draft) unmerge(id string) ([]string, error) {
	m, _ := d.merged(id)
	b, err := d.find(id)
	if err != nil {
		return nil, err
	}
	own := contribution{}
	for i, s := range Sections() {
		own.counts[i] = *b.counter(s)
	}
	stood := d.standIns(id)
	if err := d.subtract(&own, stood...); err != nil {
		return nil, err
	}
	return stood, d.change(OpRestore, id, note{with: d.book.bullets[m.into].ID}, func(b *Bullet) { b.Stage = m.stage() })
}

// unmergeAll separates those of the bullets that are merged. It returns the bullets that stood for them.
func (d *Draft) unmergeAll(ids []string) (less []string, err error) {
	for _, id := range ids {
		if _, merged := d.merged(id); !merged {
			continue
		}
		stood, err := d.unmerge(id)
		if err != nil {
			return nil, err
		}
		less = append(less, stood...)
	}
	return less, nil
}

// standIns returns the bullets that stand for a merged one: that which it was merged into, then
// that which this one was merged into, and so on.
func (d *Draft) standIns(id string) []string {
	var ids []string
	for m, ok := d.merged(id); ok; m, ok = d.merged(id) {
		id = d.book.bullets[m.into].ID
		ids = append(ids, id)
	}
	return ids
}

// undoMerges separates what the act's session has merged, unless it was merged again since. It returns
// the bullets that have lost counts.
func (d *Draft) undoMerges(entries []Entry) (less []string, err error) {
	merges := false
	last := make(map[string]int) // merge of each bullet
	for i := range entries {
		if e := &entries[i]; e.Op == OpMerge && e.After.Stage != nil {
			last[e.Bullet] = i
		}
	}
	for i := range entries {
		e := &entries[i]
		if e.Op != OpMerge || e.Session != d.act.Session || e.Session == "" {
			continue
		}
		merges = true
		m, ok := d.merged(e.Bullet)
		if ok && e.After.Stage != nil && last[e.Bullet] == i && d.book.bullets[m.into].ID == e.With {
			stood, err := d.unmerge(e.Bullet)
			if err != nil {
				return nil, err
			}
			less = append(append(less, stood...), e.Bullet)
		}
	}
	for i := range entries {
		if e := &entries[i]; merges && e.Op == OpQuarantine && e.Session == d.act.Session {
			if err := d.release(e); err != nil {
				return nil, err
			}
		}
	}
	return less, nil
}

// release ends a quarantine that followed from the merges of the act's session.
func (d *Draft) release(e *Entry) error {
	b, err := d.find(e.Bullet)
	if err != nil || b.Stage != Quarantined || d.book.caught[d.book.byID[e.Bullet]] != d.act.Session || e.Before.Stage == nil || contradicted(b) {
		return err
	}
	return d.change(OpRestore, e.Bullet, note{}, func(b *Bullet) { b.Stage = *e.Before.Stage })
}

// MergeBatch names the merges of one run in the journal, so that they can be shown and rolled back
// together. Seq is the number of the first entry.
func MergeBatch(seq int) string { return fmt.Sprintf("dedupe-%d", seq) }
