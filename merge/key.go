package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"brenner/delta"
)

// key is what an entry is sorted by first. It is small enough to be compared in
// registers, which hold no struct of more than four fields; the rest is looked up
// only where keys are equal.
type key struct {
	second int64  // undated, for what has no instant
	order  uint64 // the nanoseconds, then the agent's place in order of rank and name
	at     int32  // place in the batch
	traits traits
}

// traits are what few deltas have.
type traits uint8

const (
	placed   traits = 1 << iota // it stood in a thread: that decides before its id
	nameless                    // it has no id of its own
	labelled                    // it is an ADD with names for what it makes
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
		k.traits = traitsOf(d)
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
// nearly always come in the order of their instants: then there are only runs of
// one instant to sort, by one of so many agents.
func sortKeys(keys []key, agents int, rest func(a, b key) int) {
	if !slices.IsSortedFunc(keys, compareInstants) {
		slices.SortFunc(keys, compareKeys)
	} else {
		by := byAgents{first: make([]int32, agents+1)}
		for run := range runs(keys, compareInstants) {
			by.sort(run)
		}
	}
	for run := range runs(keys, compareKeys) {
		slices.SortFunc(run, rest)
	}
}

// byAgents sorts keys of one instant by their agents. Where there are few agents,
// it counts the keys of each and puts them in their places: that compares nothing.
type byAgents struct {
	first []int32 // the place of each agent's next key; zero between two runs
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
// ordinal among equals. The keys are still in the order of the batch.
func deriveIDs(batch []delta.Delta, keys []key, gists []gist) map[int32]string {
	var equals map[[sha256.Size]byte][]int32 // deltas that say the same
	var order [][sha256.Size]byte
	for i := range gists {
		if keys[i].traits&nameless == 0 {
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
		// They are numbered by what they differ in, and not by their order in the batch.
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
