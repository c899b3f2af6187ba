package merge

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"brenner/delta"
)

// key is what an entry is sorted by first. It is small enough to be compared in
// registers; the rest is looked up only where keys are equal.
type key struct {
	second int64  // undated, for what has no instant
	order  uint64 // the nanoseconds, then the agent's place in order of rank and name
	at     int32  // place in the batch
}

// undated is behind every instant.
const undated = math.MaxInt64

func (k *key) agent() uint32 { return uint32(k.order) }

func compareInstants(a, b key) int {
	if a.second != b.second {
		return cmp.Compare(a.second, b.second)
	}
	return cmp.Compare(a.order>>32, b.order>>32)
}

func compareKeys(a, b key) int {
	if a.second != b.second {
		return cmp.Compare(a.second, b.second)
	}
	return cmp.Compare(a.order, b.order)
}

// gist is what is known about a delta without looking at it again, by its place
// in the batch.
type gist struct {
	prefix      uint64 // the first bytes of its id
	id, content uint32 // hashes that tell what is certainly new
	placed      bool   // it stood in a thread: that decides before its id
	nameless    bool   // it has no id of its own
	labelled    bool   // it is an ADD with names for what it makes
}

// keys gives what the deltas are sorted by, in the order of the batch, and what
// the rules say about each agent, in the order of rank and name.
func (c *court) keys(batch []delta.Delta) ([]key, []gist, []standing) {
	seen := make(map[string]uint32)
	var all []standing // as they come
	keys, gists := make([]key, len(batch)), make([]gist, len(batch))
	for i := range batch {
		d, k, g := &batch[i], &keys[i], &gists[i]
		agent, ok := seen[d.Agent]
		if !ok {
			agent = uint32(len(all))
			seen[d.Agent] = agent
			who := c.standing(d.Agent)
			who.blank = delta.Blank(d.Agent)
			all = append(all, who)
		}
		k.at, k.second, k.order = int32(i), undated, uint64(agent)
		if at := d.At; !at.IsZero() {
			k.second = at.Unix()
			k.order |= uint64(at.Nanosecond()) << 32
		}
		hash := d.Hash()
		g.id, g.content, g.prefix = hashText(d.ID), contentHash(&hash), prefixOf(d.ID)
		g.placed, g.nameless, g.labelled = d.Place != nil, d.ID == "", len(d.Labels) > 0 && d.Operation == opAdd
	}
	slices.SortFunc(all, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.Name, b.Name))
	})
	place := make([]uint32, len(all))
	for i := range all {
		place[seen[all[i].Name]] = uint32(i)
	}
	for i := range keys {
		k := &keys[i]
		k.order = k.order&^math.MaxUint32 | uint64(place[k.agent()])
	}
	return keys, gists, all
}

// sortKeys sorts by instant and agent, and what is equal then by rest. Batches
// nearly always come in the order of their instants: then there are only short
// runs to sort.
func sortKeys(keys []key, rest func(a, b key) int) {
	if !slices.IsSortedFunc(keys, compareInstants) {
		slices.SortFunc(keys, compareKeys)
	} else {
		for run := range runs(keys, compareInstants) {
			slices.SortFunc(run, compareKeys)
		}
	}
	for run := range runs(keys, compareKeys) {
		slices.SortFunc(run, rest)
	}
}

// runs cuts sorted keys where they differ.
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

// prefixOf gives the first eight bytes of a text as a number: where two differ,
// they are in the order of the texts.
func prefixOf(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64([]byte(s[:8]))
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// deriveIDs gives an id to those that have none: from their content and their
// ordinal among equals. Equals cannot be told apart, so their order is no matter.
func deriveIDs(batch []delta.Delta, gists []gist) map[int32]string {
	var derived map[int32]string
	var seen map[string]int
	for i := range gists {
		if !gists[i].nameless {
			continue
		}
		if seen == nil {
			seen, derived = make(map[string]int), make(map[int32]string)
		}
		hash := batch[i].Hash()
		content := hex.EncodeToString(hash[:])
		seen[content]++
		id := delta.DerivedID(content, strconv.Itoa(seen[content]))
		derived[int32(i)], gists[i].id = id, hashText(id)
	}
	return derived
}
