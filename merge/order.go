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
	index  int               // place in processing order
	labels *labels
	dated  bool
	links  // to those before it that say the same

	// What a pass finds out; reset before each pass.
	judged   bool
	claimed  bool // its id and its content count as read
	recorded bool // its id was on record before
	changed  bool
	made     *slot    // the item that this ADD made, or made when it was first read
	waiting  []*entry // deltas that address the item which this ADD makes
	waitsFor *entry   // the ADD that this one waits for
	touches  []touch
	outcomes []FieldOutcome
	row      *Row
}

// links lead back to earlier entries of the batch. A pass shortens them as it
// goes, past those that turned out to claim nothing.
type links struct {
	sameID *entry // the last one before it with the same id
	echoes *entry // the last one before it with the same content
}

// key is what an entry is sorted by. Comparing numbers that stand side by side
// is what keeps the sort fast; the rest is looked up only where these are equal.
type key struct {
	sec     int64
	nsec    int32
	undated int32 // what has no instant comes last
	rank    int32 // negated: the highest comes first
	agent   int32 // place of the agent among all names
	at      int32 // place in the batch
}

// arrange puts the batch into processing order. The place of a delta in the
// batch is never a key.
func arrange(batch []delta.Delta, c *court, version int) ([]*entry, []Row) {
	agents, standings := c.standings(batch)
	ids := deriveIDs(batch)
	keys := make([]key, len(batch))
	for i := range batch {
		keys[i] = key{at: int32(i), agent: int32(agents[i]), rank: -int32(standings[agents[i]].rank)}
		if at := batch[i].At; at.IsZero() {
			keys[i].undated = 1
		} else {
			keys[i].sec, keys[i].nsec = at.Unix(), int32(at.Nanosecond())
		}
	}
	idOf := func(i int32) string {
		if id := batch[i].ID; id != "" {
			return id
		}
		return ids[int(i)]
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := compareKeys(&a, &b); c != 0 {
			return c
		}
		return compareRest(&batch[a.at], &batch[b.at], idOf(a.at), idOf(b.at))
	})
	slab := make([]entry, len(batch))
	stamps := make([]artifact.Stamp, len(batch))
	entries := make([]*entry, len(batch))
	for i := range keys {
		k, e := &keys[i], &slab[i]
		e.d, e.who, e.stamp, e.dated, e.index = &batch[k.at], &standings[k.agent], &stamps[i], k.undated == 0, i
		*e.stamp = artifact.Stamp{
			Delta: idOf(k.at), Agent: e.d.Agent, At: e.d.At, Rank: e.who.rank, Version: version, Hash: e.d.Hash(),
		}
		if p := e.d.Place; p != nil {
			e.stamp.Message, e.stamp.Block = p.Message, p.Block
		}
		entries[i] = e
	}
	rows := makeRoom(entries)
	link(entries)
	return entries, rows
}

// standings gives the distinct agents of a batch in the order of their names,
// and for each delta the place of its agent among them.
func (c *court) standings(batch []delta.Delta) (agents []int, all []standing) {
	seen := make(map[string]int)
	var names []string // as they come
	agents = make([]int, len(batch))
	for i := range batch {
		at, ok := seen[batch[i].Agent]
		if !ok {
			at = len(names)
			seen[batch[i].Agent] = at
			names = append(names, batch[i].Agent)
		}
		agents[i] = at
	}
	sorted := slices.Sorted(slices.Values(names))
	place := make([]int, len(names))
	all = make([]standing, len(names))
	for i, name := range sorted {
		place[seen[name]] = i
		all[i] = c.standing(name)
	}
	for i := range agents {
		agents[i] = place[agents[i]]
	}
	return agents, all
}

func compareKeys(a, b *key) int {
	switch {
	case a.undated != b.undated:
		return int(a.undated - b.undated)
	case a.sec != b.sec:
		return cmp.Compare(a.sec, b.sec)
	case a.nsec != b.nsec:
		return int(a.nsec - b.nsec)
	case a.rank != b.rank:
		return int(a.rank - b.rank)
	}
	return int(a.agent - b.agent)
}

func compareRest(a, b *delta.Delta, idA, idB string) int {
	if c := comparePlaces(a.Place, b.Place); c != 0 {
		return c
	}
	if c := strings.Compare(idA, idB); c != 0 {
		return c
	}
	if a.Hash() != b.Hash() {
		return bytes.Compare(a.Content(), b.Content())
	}
	return slices.Compare(a.Ignored, b.Ignored)
}

// makeRoom gives each entry room for its rows of the report and for what it will
// write, side by side in the order in which they will be used.
func makeRoom(entries []*entry) []Row {
	room, lists := 0, 0
	for _, e := range entries {
		n, l := e.room()
		room, lists = room+n, lists+l
	}
	selves := make([]*artifact.Stamp, len(entries))
	rows := make([]Row, len(entries))
	touches := make([]touch, lists)
	outcomes := make([]FieldOutcome, room)
	for i, e := range entries {
		selves[i] = e.stamp
		e.self = selves[i : i+1 : i+1]
		e.row = &rows[i]
		n, l := e.room()
		e.touches, touches = touches[:0:l], touches[l:]
		e.outcomes, outcomes = outcomes[:0:n], outcomes[n:]
	}
	return rows
}

// link finds for each entry those before it that repeat its id or its content.
func link(entries []*entry) {
	byID := make(map[string]*entry, len(entries))
	group := echoes{}
	for _, e := range entries {
		e.sameID = byID[e.stamp.Delta]
		byID[e.stamp.Delta] = e
		e.echoes = group.last(e)
	}
}

// room is how many rows a delta has in the report at most, and how many lists
// it writes.
func (e *entry) room() (rows, lists int) {
	if e.d.Operation == opAdd {
		return 0, 0 // nearly always all of it stands, and nothing is to be said
	}
	for i := range e.d.Payload {
		switch v := e.d.Payload[i].Value.(type) {
		case artifact.Map:
			rows += len(v)
		case artifact.List:
			lists++
		}
		rows++
	}
	return rows, lists
}

// echoes finds deltas that say the same. Since that takes the same agent and the
// same instant, they stand close together.
type echoes struct {
	group  []*entry
	byHash map[[sha256.Size]byte]*entry
}

// fewEchoes is how many entries are compared one by one.
const fewEchoes = 32

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
