package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/delta"
)

// entry is one delta on its way through the merge.
type entry struct {
	d      *delta.Delta
	who    *standing
	stamp  *artifact.Stamp
	self   []*artifact.Stamp // the stamp alone: shared by all that the delta writes
	sec    int64             // the instant, for sorting
	nsec   int32
	dated  bool
	index  int // place in processing order
	labels *labels
	sameID *entry // the last one before it with the same id
	echoes *entry // the last one before it that says the same

	// What a pass finds out; reset before each pass.
	beforeID *entry // sameID, as far back as it can still matter
	before   *entry // echoes, likewise
	judged   bool
	claimed  bool // its id and its content count as read
	recorded bool // its id was on record before
	changed  bool
	made     *slot    // the item that this ADD made, or made when it was first read
	waiting  []*entry // deltas that address the item which this ADD makes
	touches  []touch
	outcomes []FieldOutcome
	row      Row
}

// arrange puts the batch into processing order. The place of a delta in the
// batch is never a key.
func arrange(batch []delta.Delta, c *court, version int) []*entry {
	slab := make([]entry, len(batch))
	stamps := make([]artifact.Stamp, len(batch))
	entries := make([]*entry, len(batch))
	standings := make(map[string]*standing)
	ids := deriveIDs(batch)
	for i := range batch {
		d := &batch[i]
		e := &slab[i]
		who := standings[d.Agent]
		if who == nil {
			s := c.standing(d.Agent)
			who = &s
			standings[d.Agent] = who
		}
		e.d, e.who, e.stamp = d, who, &stamps[i]
		if at := d.At; !at.IsZero() {
			e.dated, e.sec, e.nsec = true, at.Unix(), int32(at.Nanosecond())
		}
		*e.stamp = artifact.Stamp{
			Delta: d.ID, Agent: d.Agent, At: d.At, Rank: who.rank, Version: version, Hash: d.Hash(),
		}
		if d.ID == "" {
			e.stamp.Delta = ids[i]
		}
		if d.Place != nil {
			e.stamp.Message, e.stamp.Block = d.Place.Message, d.Place.Block
		}
		entries[i] = e
	}
	slices.SortFunc(entries, compareEntries)
	finish(entries)
	return entries
}

// finish numbers the entries, links those that repeat another, and gives each
// room for what it will write.
func finish(entries []*entry) {
	room := 0
	for _, e := range entries {
		room += e.room()
	}
	selves := make([]*artifact.Stamp, len(entries))
	touches := make([]touch, room)
	outcomes := make([]FieldOutcome, room)
	byID := make(map[string]*entry, len(entries))
	group := echoes{}
	for i, e := range entries {
		e.index = i
		selves[i] = e.stamp
		e.self = selves[i : i+1 : i+1]
		n := e.room()
		e.touches, touches = touches[:0:n], touches[n:]
		e.outcomes, outcomes = outcomes[:0:n], outcomes[n:]
		e.sameID = byID[e.stamp.Delta]
		byID[e.stamp.Delta] = e
		e.echoes = group.last(e)
	}
}

// room is how many things a delta writes at most, as far as can be told.
func (e *entry) room() int {
	n := 1 // a default
	for i := range e.d.Payload {
		if m, ok := e.d.Payload[i].Value.(artifact.Map); ok {
			n += len(m)
		}
		n++
	}
	return n
}

// echoes finds deltas that say the same. Since that takes the same agent and the
// same instant, they stand close together.
type echoes struct {
	group  []*entry
	byHash map[[sha256.Size]byte]*entry
}

// fewEchoes is how many entries are compared one by one.
const fewEchoes = 8

func (g *echoes) last(e *entry) *entry {
	if len(g.group) > 0 {
		if first := g.group[0]; !first.stamp.At.Equal(e.stamp.At) || first.d.Agent != e.d.Agent {
			g.group, g.byHash = g.group[:0], nil
		}
	}
	g.group = append(g.group, e)
	if len(g.group) <= fewEchoes {
		for _, other := range slices.Backward(g.group[:len(g.group)-1]) {
			if other.stamp.Hash == e.stamp.Hash {
				return other
			}
		}
		return nil
	}
	if g.byHash == nil {
		g.byHash = make(map[[sha256.Size]byte]*entry)
		for _, other := range g.group[:len(g.group)-1] {
			g.byHash[other.stamp.Hash] = other
		}
	}
	last := g.byHash[e.stamp.Hash]
	g.byHash[e.stamp.Hash] = e
	return last
}

// deriveIDs gives an id to those that have none: from their content and their
// ordinal among equals. Equals cannot be told apart, so their order is no matter.
func deriveIDs(batch []delta.Delta) map[int]string {
	var seen map[string]int
	derived := map[int]string{}
	for i := range batch {
		if batch[i].ID != "" {
			continue
		}
		if seen == nil {
			seen = make(map[string]int)
		}
		hash := batch[i].Hash()
		content := hex.EncodeToString(hash[:])
		seen[content]++
		derived[i] = delta.DerivedID(content, strconv.Itoa(seen[content]))
	}
	return derived
}

func compareEntries(a, b *entry) int {
	if a.dated != b.dated {
		if a.dated {
			return -1 // what has no instant comes last
		}
		return 1
	}
	if c := cmp.Compare(a.sec, b.sec); c != 0 {
		return c
	}
	if c := cmp.Compare(a.nsec, b.nsec); c != 0 {
		return c
	}
	if c := cmp.Compare(b.who.rank, a.who.rank); c != 0 {
		return c
	}
	if c := strings.Compare(a.d.Agent, b.d.Agent); c != 0 {
		return c
	}
	if c := comparePlaces(a.d.Place, b.d.Place); c != 0 {
		return c
	}
	if c := strings.Compare(a.stamp.Delta, b.stamp.Delta); c != 0 {
		return c
	}
	if a.stamp.Hash != b.stamp.Hash {
		return bytes.Compare(a.d.Content(), b.d.Content())
	}
	return slices.Compare(a.d.Ignored, b.d.Ignored)
}

func comparePlaces(a, b *delta.Place) int {
	var x, y delta.Place
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	return cmp.Or(
		cmp.Compare(x.Message, y.Message), cmp.Compare(x.Block, y.Block), cmp.Compare(x.Shown, y.Shown),
		cmp.Compare(present(a), present(b)),
	)
}

func present(p *delta.Place) int {
	if p == nil {
		return 0
	}
	return 1
}
