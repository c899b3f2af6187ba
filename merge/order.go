package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
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
	adds   bool // it is an ADD
	links       // to those before it that say the same

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

	placed   bool   // it stood in a thread: that decides before its id
	nameless bool   // it has no id of its own
	prefix   uint64 // the first bytes of its id
}

// arrange puts the batch into processing order. The place of a delta in the
// batch is never a key.
func arrange(batch []delta.Delta, c *court, version int) ([]*entry, []Row) {
	keys, standings := c.keys(batch)
	ids := deriveIDs(batch, keys)
	idOf := func(i int32) string {
		if id := batch[i].ID; id != "" {
			return id
		}
		return ids[i]
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := compareKeys(&a, &b); c != 0 {
			return c
		}
		return compareRest(&batch[a.at], &batch[b.at], idOf(a.at), idOf(b.at))
	})
	// What belongs to one delta stands in the order in which it will be used:
	// in large batches it is memory that takes the time.
	slab := make([]entry, len(batch))
	stamps := make([]artifact.Stamp, len(batch))
	selves := make([]*artifact.Stamp, len(batch))
	rows := make([]Row, len(batch))
	entries := make([]*entry, len(batch))
	byID := make(map[string]*entry, len(entries))
	group := echoes{}
	for i := range keys {
		k, e, s := &keys[i], &slab[i], &stamps[i]
		d := &batch[k.at]
		*s = artifact.Stamp{
			Delta: idOf(k.at), Agent: d.Agent, At: d.At, Rank: -int(k.rank), Version: version, Hash: d.Hash(),
		}
		if p := d.Place; p != nil {
			s.Message, s.Block = p.Message, p.Block
		}
		selves[i] = s
		e.d, e.who, e.stamp, e.dated, e.index = d, &standings[k.agent], s, k.undated == 0, i
		e.self, e.row, e.adds = selves[i:i+1:i+1], &rows[i], d.Operation == opAdd
		e.link(byID, &group)
		entries[i] = e
	}
	return entries, rows
}

// keys gives what the deltas are sorted by, in the order of the batch, and what
// the rules say about each agent, in the order of their names.
func (c *court) keys(batch []delta.Delta) ([]key, []standing) {
	seen := make(map[string]int32)
	var all []standing // as they come
	keys := make([]key, len(batch))
	for i := range batch {
		d, k := &batch[i], &keys[i]
		agent, ok := seen[d.Agent]
		if !ok {
			agent = int32(len(all))
			seen[d.Agent] = agent
			all = append(all, c.standing(d.Agent))
		}
		k.at, k.agent, k.rank, k.nameless = int32(i), agent, -int32(all[agent].rank), d.ID == ""
		k.placed, k.prefix = d.Place != nil, prefixOf(d.ID)
		if at := d.At; at.IsZero() {
			k.undated = 1
		} else {
			k.sec, k.nsec = at.Unix(), int32(at.Nanosecond())
		}
	}
	slices.SortFunc(all, func(a, b standing) int { return strings.Compare(a.Name, b.Name) })
	place := make([]int32, len(all))
	for i := range all {
		place[seen[all[i].Name]] = int32(i)
	}
	for i := range keys {
		keys[i].agent = place[keys[i].agent]
	}
	return keys, all
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
	case a.agent != b.agent:
		return int(a.agent - b.agent)
	case a.placed || b.placed || a.nameless || b.nameless:
		return 0
	}
	return cmp.Compare(a.prefix, b.prefix)
}

// prefixOf gives the first eight bytes of a text as a number: where two differ,
// they are in the order of the texts.
func prefixOf(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
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

// link finds the entries before e that repeat its id or its content.
func (e *entry) link(byID map[string]*entry, group *echoes) {
	e.sameID = byID[e.stamp.Delta]
	byID[e.stamp.Delta] = e
	e.echoes = group.last(e)
}

// relink undoes what a pass has shortened.
func relink(entries []*entry) {
	byID, group := make(map[string]*entry, len(entries)), echoes{}
	for _, e := range entries {
		e.link(byID, &group)
	}
}

// space hands out room for many small lists, made many at a time.
type space[T any] struct{ free []T }

func (s *space[T]) take(n int) []T {
	const atOnce = 1024
	if len(s.free) < n {
		s.free = make([]T, max(n, atOnce))
	}
	room := s.free[:0:n]
	s.free = s.free[n:]
	return room
}

// makeRoom gives an entry room for its rows of the report and for the lists that
// it writes. An ADD needs none while all of it stands.
func (p *pass) makeRoom(e *entry) {
	if e.d.Operation == opAdd {
		return
	}
	rows, lists := 0, 0
	for i := range e.d.Payload {
		switch v := e.d.Payload[i].Value.(type) {
		case artifact.Map:
			rows += len(v) + 1 // it may take another shape's place and replace it, too
		case artifact.List:
			lists++
		}
		rows++
	}
	e.outcomes, e.touches = p.outcomes.take(rows), p.touches.take(lists)
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
func deriveIDs(batch []delta.Delta, keys []key) map[int32]string {
	var derived map[int32]string
	var seen map[string]int
	for _, k := range keys {
		if !k.nameless {
			continue
		}
		if seen == nil {
			seen, derived = make(map[string]int), make(map[int32]string)
		}
		hash := batch[k.at].Hash()
		content := hex.EncodeToString(hash[:])
		seen[content]++
		derived[k.at] = delta.DerivedID(content, strconv.Itoa(seen[content]))
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
