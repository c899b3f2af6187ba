package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact/delta"
)

// key is the first sort key of an entry. Four fields are the most that a struct may have to be kept
// in registers. Everything else is looked up only if keys are equal.
type key struct {
	second int64  // undated if there is no instant; 0 throughout a run of one instant
	order  uint64 // nanoseconds, then the agent's index by rank and name
	at     int32  // index in the batch
	traits traits
}

type traits uint8

const (
	placed   traits = 1 << iota // it was in a thread, which takes precedence over its id
	nameless                    // it has no id of its own
	labelled                    // it is an ADD with labels for its item

	// Set when its turn comes.
	read     // the payload was examined
	adds     // it is an ADD
	replaces // its payload may have words that request a replacement
)

func traitsOf(d *delta.Delta) traits {
	var t traits
	if d.Place != nil {
		t |= placed
	}
	if d.ID == "" {
		t |= nameless
	}
	if len(d.Labels) > 0 && d.Operation == opAdd {
		t |= labelled
	}
	return t
}

// undated sorts after every instant.
const undated = math.MaxInt64

func (k *key) agent() int32 { return int32(k.order) }

func (k *key) setInstant(at time.Time) {
	if at.IsZero() {
		k.second = undated
		return
	}
	k.second = at.Unix()
	k.order |= uint64(at.Nanosecond()) << 32
}

func compareKeys(a, b key) int {
	if a.second != b.second {
		return cmp.Compare(a.second, b.second)
	}
	return cmp.Compare(a.order, b.order)
}

// gist is a summary of a delta, by its index in the batch.
type gist struct {
	prefix      uint64 // the first bytes of its id
	id, content uint32 // hashes that show what is certainly new
}

// survey examines every delta once, in batch order, and sorts the agents by rank and name. It
// returns the sort data of each delta and where the instants change: one end for each run of equal
// instants, or only the end of the batch if they are not in order.
func (d *orderedBatch) survey(c *ruleIndex) (gists []gist, ends []int32, ordered bool) {
	seen := make(map[string]int32)
	var all []author // in order of appearance
	gists = make([]gist, len(d.batch))
	ordered = true
	for i := range d.batch {
		from, f, g := &d.batch[i], &d.facts[i], &gists[i]
		agent, ok := seen[from.Agent]
		if !ok {
			agent = int32(len(all))
			seen[from.Agent] = agent
			who := c.author(from.Agent)
			who.blank = delta.Blank(from.Agent)
			all = append(all, who)
		}
		f.agent, f.traits = agent, traitsOf(from)
		hash := from.Hash()
		g.id, g.content, g.prefix = hashText(from.ID), contentHash(&hash), prefixOf(from.ID)
		if i > 0 && ordered {
			switch order := compareInstants(d.batch[i-1].At, from.At); {
			case order > 0:
				ordered = false
			case order < 0:
				ends = append(ends, int32(i))
			}
		}
	}
	if !ordered {
		ends = nil
	}
	ends = append(ends, int32(len(d.batch)))
	slices.SortFunc(all, func(a, b author) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.Agent, b.Agent))
	})
	place := make([]int32, len(all))
	for i := range all {
		place[seen[all[i].Agent]] = int32(i)
	}
	for i := range d.facts {
		d.facts[i].agent = place[d.facts[i].agent]
	}
	d.authors = all
	return gists, ends, ordered
}

// compareInstants sorts missing instants last.
func compareInstants(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return cmp.Compare(present(a.IsZero()), present(b.IsZero()))
	}
	return a.Compare(b)
}

// sort puts the facts into processing order: by instant and agent, ties by rest. Batches nearly
// always come in the order of their instants. Then only runs of one instant are sorted, and only
// the keys of one run are needed at a time.
func (d *orderedBatch) sort(ends []int32, ordered bool, rest func(a, b key) int) {
	by := byAgents{first: make([]int32, len(d.authors)+1)}
	var keys []key
	from := int32(0)
	for _, end := range ends {
		keys = keys[:0]
		for i := from; i < end; i++ {
			f := &d.facts[i]
			k := key{order: uint64(f.agent), at: i, traits: f.traits}
			if !ordered {
				k.setInstant(d.batch[i].At)
			}
			keys = append(keys, k)
		}
		if ordered {
			by.sort(keys)
		} else {
			slices.SortFunc(keys, compareKeys)
		}
		for run := range runs(keys, compareKeys) {
			slices.SortFunc(run, rest)
		}
		for i, k := range keys {
			d.facts[int(from)+i] = facts{index: from + int32(i), at: k.at, agent: k.agent(), traits: k.traits}
		}
		from = end
	}
}

// byAgents sorts keys of one instant by agent. With few agents it is a counting sort.
type byAgents struct {
	first []int32 // the index of each agent's next key; zero between two runs
	room  []key
}

func (s *byAgents) sort(run []key) {
	agents := len(s.first) - 1
	if len(run) < agents {
		slices.SortFunc(run, compareKeys)
		return
	}
	for i := range run {
		s.first[run[i].agent()+1]++
	}
	for i := range agents {
		s.first[i+1] += s.first[i]
	}
	s.room = append(s.room[:0], run...)
	for _, k := range s.room {
		at := &s.first[k.agent()]
		run[*at] = k
		*at++
	}
	clear(s.first)
}

func runs(keys []key, compare func(a, b key) int) func(yield func([]key) bool) {
	return func(yield func([]key) bool) {
		for len(keys) > 0 {
			n := 1
			for n < len(keys) && compare(keys[0], keys[n]) == 0 {
				n++
			}
			if !yield(keys[:n]) {
				return
			}
			keys = keys[n:]
		}
	}
}

// prefixOf returns the first eight bytes of a text as a number that sorts like the text.
func prefixOf(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64([]byte(s[:8]))
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// Rationales returns the authors' reasons for the deltas of a batch, by the ids under which a report lists
// them.
func Rationales(batch []delta.Delta) map[string]string {
	d := &orderedBatch{batch: batch, facts: make([]facts, len(batch))}
	gists, _, _ := d.survey(newRuleIndex(&Rules{}))
	d.derived = deriveIDs(batch, d.facts, gists)
	why := make(map[string]string)
	for i := range batch {
		if text := batch[i].Rationale; !delta.Blank(text) {
			why[d.idOf(int32(i))] = text
		}
	}
	return why
}

// deriveIDs assigns ids from content and ordinal among equals. facts are still in batch order.
func deriveIDs(batch []delta.Delta, facts []facts, gists []gist) map[int32]string {
	var equals map[[sha256.Size]byte][]int32 // deltas with equal content
	var order [][sha256.Size]byte
	for i := range gists {
		if facts[i].traits&nameless == 0 {
			continue
		}
		if equals == nil {
			equals = make(map[[sha256.Size]byte][]int32)
		}
		hash := batch[i].Hash()
		if equals[hash] == nil {
			order = append(order, hash)
		}
		equals[hash] = append(equals[hash], int32(i))
	}
	var derived map[int32]string
	for _, hash := range order {
		if derived == nil {
			derived = make(map[int32]string)
		}
		all := equals[hash]
		// Number them by their differences, not by their order in the batch.
		slices.SortFunc(all, func(x, y int32) int {
			return cmp.Or(
				comparePlaces(batch[x].Place, batch[y].Place),
				slices.Compare(batch[x].Ignored, batch[y].Ignored),
				strings.Compare(batch[x].Timestamp, batch[y].Timestamp),
			)
		})
		content := hex.EncodeToString(hash[:])
		for n, i := range all {
			id := delta.DerivedID(content, strconv.Itoa(n+1))
			derived[i], gists[i].id = id, hashText(id)
		}
	}
	return derived
}

// repeatFilter reports which ids or contents may occur twice, in the batch or in earlier versions;
// all others need no comparison. It holds only hashes, and matches are looked up: collisions, even
// deliberate ones, cost time but change nothing.
type repeatFilter struct {
	slots []uint16 // a hash without its last two bits, which are flags
	shift int
}

const (
	taken = 1 // there is a hash
	twice = 2 // it was seen again
	flags = taken | twice

	// reach is how far a hash may be from its slot; beyond it counts as seen twice.
	reach = 16
)

func newRepeatFilter(gists []gist) *repeatFilter {
	size := bits.Len(uint(4 * len(gists))) // two hashes per delta fill at most half of it
	s := &repeatFilter{slots: make([]uint16, 1<<size+reach), shift: 32 - size}
	for i := range gists {
		s.add(gists[i].id)
		s.add(gists[i].content)
	}
	return s
}

// find returns the slot of a hash, or the free slot for it, or nil.
func (s *repeatFilter) find(hash uint32) *uint16 {
	at, end := int(hash>>s.shift), uint16(hash)&^flags
	near := s.slots[at : at+reach]
	for i := range near {
		if near[i] == 0 || near[i]&^flags == end {
			return &near[i]
		}
	}
	return nil
}

func (s *repeatFilter) add(hash uint32) {
	if slot := s.find(hash); slot != nil && *slot == 0 {
		*slot = uint16(hash)&^flags | taken
	} else if slot != nil {
		*slot |= twice
	}
}

// meets reports whether a delta of an earlier version may also be in the batch.
func (s *repeatFilter) meets(id, content uint32) bool {
	sameID, sameContent := s.again(id), s.again(content)
	return sameID || sameContent
}

func (s *repeatFilter) again(hash uint32) bool {
	slot := s.find(hash)
	if slot != nil && *slot != 0 {
		*slot |= twice
	}
	return slot == nil || *slot != 0
}

// repeats reports whether a delta may repeat something, or be repeated.
func (s *repeatFilter) repeats(g *gist) bool { return s.twice(g.id) || s.twice(g.content) }

func (s *repeatFilter) twice(hash uint32) bool {
	slot := s.find(hash)
	return slot == nil || *slot&twice != 0
}

func hashText(s string) uint32 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: well-mixed bits
	hash := uint64(len(s))
	for ; len(s) > 8; s = s[8:] {
		hash = (hash ^ prefixOf(s)) * odd
		hash ^= hash >> 32
	}
	hash = (hash ^ prefixOf(s)) * odd
	hash ^= hash >> 32 // makes the last letters affect all bits
	return uint32(hash * odd >> 32)
}

// contentHash returns part of a hash that is already well mixed.
func contentHash(hash *[sha256.Size]byte) uint32 { return binary.BigEndian.Uint32(hash[:]) }
