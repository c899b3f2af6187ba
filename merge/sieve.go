package merge

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// sieve tells of nearly everything new that it is new, for the price of one bit.
// Only what it cannot tell has to be looked up, so that a bad hash, or somebody
// who plays with it, costs time but changes nothing.
type sieve struct {
	bits  []uint64
	shift int
}

// newSieve makes a sieve for n things: large enough to hold back one in sixteen
// new ones at most.
func newSieve(n int) sieve {
	const fewest = 6 // the bits of one word, as a power of two
	size := max(fewest, bits.Len(uint(16*n)))
	return sieve{bits: make([]uint64, 1<<(size-fewest)), shift: 32 - min(size, 32)}
}

// add notes a hash, and tells whether it, or one that looks like it, was there.
func (s *sieve) add(hash uint32) bool {
	at := hash >> s.shift
	word, bit := &s.bits[at/64], uint64(1)<<(at%64)
	had := *word&bit != 0
	*word |= bit
	return had
}

func (s *sieve) has(hash uint32) bool {
	at := hash >> s.shift
	return s.bits[at/64]&(1<<(at%64)) != 0
}

// repeats finds the deltas whose id or content may stand twice, in the batch or
// in what was merged before. All others need not be compared with anything.
type repeats struct{ once, twice sieve }

func newRepeats(keys []key) *repeats {
	r := &repeats{once: newSieve(2 * len(keys)), twice: newSieve(2 * len(keys))}
	for i := range keys {
		for _, hash := range [...]uint32{keys[i].id, keys[i].content} {
			if r.once.add(hash) {
				r.twice.add(hash)
			}
		}
	}
	return r
}

// meets tells whether a delta of an earlier version may stand in the batch too.
func (r *repeats) meets(id, content uint32) bool {
	if !r.once.has(id) && !r.once.has(content) {
		return false
	}
	r.twice.add(id)
	r.twice.add(content)
	return true
}

func (r *repeats) may(k *key) bool { return r.twice.has(k.id) || r.twice.has(k.content) }

// hashText mixes a text into a number, eight bytes at a time.
func hashText(s string) uint32 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio: its bits are well mixed
	hash := uint64(len(s))
	for ; len(s) > 8; s = s[8:] {
		hash = (hash ^ prefixOf(s)) * odd
		hash ^= hash >> 32
	}
	return uint32((hash ^ prefixOf(s)) * odd >> 32)
}

// contentHash is a part of a hash that is well mixed already.
func contentHash(hash *[sha256.Size]byte) uint32 { return binary.BigEndian.Uint32(hash[:]) }
