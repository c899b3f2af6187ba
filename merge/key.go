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

// key is what an entry is sorted by. Comparing numbers that stand side by side
// is what keeps the sort fast; the rest is looked up only where these are equal.
type key struct {
	second int64  // undated, for what has no instant
	order  uint64 // the nanoseconds, then the agent's place in order of rank and name
	prefix uint64 // the first bytes of its id
	at     int32  // place in the batch

	id, content uint32 // hashes that tell what is certainly new
	placed      bool   // it stood in a thread: that decides before its id
	nameless    bool   // it has no id of its own
}

// undated is behind every instant.
const undated = math.MaxInt64

func (k *key) agent() uint32 { return uint32(k.order) }

func (k *key) sameInstant(other *key) bool {
	return k.second == other.second && k.order>>32 == other.order>>32
}

// keys gives what the deltas are sorted by, in the order of the batch, and what
// the rules say about each agent, in the order of rank and name.
func (c *court) keys(batch []delta.Delta) ([]key, []standing) {
	seen := make(map[string]uint32)
	var all []standing // as they come
	keys := make([]key, len(batch))
	for i := range batch {
		d, k := &batch[i], &keys[i]
		agent, ok := seen[d.Agent]
		if !ok {
			agent = uint32(len(all))
			seen[d.Agent] = agent
			all = append(all, c.standing(d.Agent))
		}
		k.at, k.second, k.order = int32(i), undated, uint64(agent)
		if at := d.At; !at.IsZero() {
			k.second = at.Unix()
			k.order |= uint64(at.Nanosecond()) << 32
		}
		hash := d.Hash()
		k.id, k.content = hashText(d.ID), contentHash(&hash)
		k.placed, k.nameless, k.prefix = d.Place != nil, d.ID == "", prefixOf(d.ID)
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
	return keys, all
}

// sortKeys sorts. Batches nearly always come in the order of their instants;
// then only what was said at one instant is left to be put in order.
func sortKeys(keys []key, compare func(a, b key) int) {
	for i := 1; i < len(keys); i++ {
		if compareInstants(&keys[i-1], &keys[i]) > 0 {
			slices.SortFunc(keys, compare)
			return
		}
	}
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].sameInstant(&keys[from]) {
			to++
		}
		slices.SortFunc(keys[from:to], compare)
		from = to
	}
}

func compareInstants(a, b *key) int {
	if a.second != b.second {
		return cmp.Compare(a.second, b.second)
	}
	return cmp.Compare(a.order>>32, b.order>>32)
}

func compareKeys(a, b *key) int {
	switch {
	case a.second != b.second:
		return cmp.Compare(a.second, b.second)
	case a.order != b.order:
		return cmp.Compare(a.order, b.order)
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

// deriveIDs gives an id to those that have none: from their content and their
// ordinal among equals. Equals cannot be told apart, so their order is no matter.
func deriveIDs(batch []delta.Delta, keys []key) map[int32]string {
	var derived map[int32]string
	var seen map[string]int
	for i := range keys {
		k := &keys[i]
		if !k.nameless {
			continue
		}
		if seen == nil {
			seen, derived = make(map[string]int), make(map[int32]string)
		}
		hash := batch[k.at].Hash()
		content := hex.EncodeToString(hash[:])
		seen[content]++
		id := delta.DerivedID(content, strconv.Itoa(seen[content]))
		derived[k.at], k.id = id, hashText(id)
	}
	return derived
}
