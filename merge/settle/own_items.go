package settle

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/text"
)

// trialReply is a reply with what a merge of it alone made of its blocks.
type trialReply struct {
	*delta.Reply
	refused map[int]bool // by the index of a block: nothing of it was taken
}

func newTrial(reply *delta.Reply, flaws []flaw) *trialReply {
	t := &trialReply{Reply: reply, refused: make(map[int]bool)}
	for i := range flaws {
		if flaws[i].rejected {
			t.refused[flaws[i].block.Index] = true
		}
	}
	return t
}

// findTaken returns the deltas of a reply with an operation that a merge takes.
func (t *trialReply) findTaken(operation string) (all []*delta.Delta) {
	for i := range t.Blocks {
		if b := &t.Blocks[i]; b.OK && b.Delta.Operation == operation && !t.refused[b.Index] {
			all = append(all, &b.Delta)
		}
	}
	return all
}

// isNew reports whether a name is that of an item that the reply adds.
func (t *trialReply) isNew(name string) bool {
	return slices.ContainsFunc(t.findTaken(delta.Add), func(d *delta.Delta) bool { return slices.Contains(d.Labels, name) })
}

// left returns the items that an author may edit or kill beside the other deltas of its reply: without those that it kills and the
// last third alternative. Readers before the fourth name these, too.
func (c *Contribution) left(reply *trialReply, d *delta.Delta, operation string, ids []string) []string {
	if !c.Reader.Since(delta.FourthReader) {
		return ids
	}
	kills := reply.findTaken(delta.Kill)
	thirds := 0
	for _, it := range c.Base.Active(artifact.HypothesisSlate) {
		if it.ThirdAlternative() {
			thirds++
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		it, _, _ := c.Base.Find(id)
		isLast := operation == delta.Kill && thirds == 1 && section(d) == artifact.HypothesisSlate && it.ThirdAlternative()
		return isLast || slices.ContainsFunc(kills, func(k *delta.Delta) bool { return k.Target == id })
	})
	return ids
}

// newItems returns the names of the items that a reply adds to the section of a delta, which their author may edit and kill. Readers before
// the fourth do not name them.
func (c *Contribution) newItems(reply *trialReply, d *delta.Delta) (names []string) {
	for _, added := range reply.findTaken(delta.Add) {
		at := slices.IndexFunc(added.Labels, func(label string) bool { return !c.isTaken(label) })
		if c.Reader.Since(delta.FourthReader) && added.Section == d.Section && at >= 0 && added.Labels[at] != d.Target {
			names = append(names, added.Labels[at])
		}
	}
	return names
}

// isTaken reports whether a name means an item of the artifact, so that it cannot name a new one.
func (c *Contribution) isTaken(name string) bool {
	id, _ := artifact.Spelled(name)
	_, _, ok := c.Base.Find(id)
	return ok
}

// renumbered returns the active items of a section that the author of a delta added under the name of its target, and that have other
// ids. Readers before the fourth do not ask for them.
func (c *Contribution) renumbered(d *delta.Delta) (ids []string) {
	if !c.Reader.Since(delta.FourthReader) {
		return nil
	}
	for _, it := range c.Base.Active(section(d)) {
		if it.Created != nil && it.Created.Agent == c.Agent && it.ID != d.Target && slices.Contains(it.Labels(), d.Target) {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// nearestFirst names ids, the one that is most like a target first. It says which are new.
func (c *Contribution) nearestFirst(reply *trialReply, target string, ids []string) string {
	if !c.Reader.Since(delta.FourthReader) {
		return oneOf(ids)
	}
	if near, ok := text.Nearest(target, ids); ok {
		ids = slices.Insert(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == near }), 0, near)
	}
	for i, id := range ids {
		if reply.isNew(id) && !c.isTaken(id) {
			ids[i] = id + " (new in your reply)"
		}
	}
	return oneOf(ids)
}
