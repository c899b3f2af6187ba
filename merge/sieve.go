package merge

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// sieve tells whose id or content may stand twice, in the batch or in what was
// merged before. All others need not be compared with anything. It holds hashes
// only, and what looks alike is looked up: a bad hash, or somebody who plays
// with it, costs time but changes nothing.
type sieve struct {
	slots []uint16 // the end of a hash without its last two bits, and flags in their place
	shift int
}

const (
	taken = 1 // there is a hash
	twice = 2 // it was seen again
	flags = taken | twice

	// reach is how far a hash may stand from its place. What finds no room
	// so near counts as seen twice.
	reach = 16
)

func newSieve(gists []gist) *sieve {
	size := bits.Len(uint(4 * len(gists))) // two hashes of each fill half of it at most
	s := &sieve{slots: make([]uint16, 1<<size+reach), shift: 32 - size}
	for i := range gists {
		s.add(gists[i].id)
		s.add(gists[i].content)
	}
	return s
}

// find gives the slot of a hash, or the free one where it would stand, or nil.
func (s *sieve) find(hash uint32) *uint16 {
	at, end := int(hash>>s.shift), uint16(hash)&^flags
	near := s.slots[at : at+reach]
	for i := range near {
		if near[i] == 0 || near[i]&^flags == end {
			return &near[i]
		}
	}
	return nil
}

func (s *sieve) add(hash uint32) {
	if slot := s.find(hash); slot != nil && *slot == 0 {
		*slot = uint16(hash)&^flags | taken
	} else if slot != nil {
		*slot |= twice
	}
}

// meets tells whether a delta of an earlier version may stand in the batch too.
func (s *sieve) meets(id, content uint32) bool {
	sameID, sameContent := s.again(id), s.again(content)
	return sameID || sameContent
}

func (s *sieve) again(hash uint32) bool {
	slot := s.find(hash)
	if slot != nil && *slot != 0 {
		*slot |= twice
	}
	return slot == nil || *slot != 0
}

// repeats tells whether a delta may repeat something, or be repeated.
func (s *sieve) repeats(g *gist) bool { return s.twice(g.id) || s.twice(g.content) }

func (s *sieve) twice(hash uint32) bool {
	slot := s.find(hash)
	return slot == nil || *slot&twice != 0
}

// hashText mixes a text into a number, eight bytes at a time.
func hashText(s string) uint32 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio: its bits are well mixed
	hash := uint64(len(s))
	for ; len(s) > 8; s = s[8:] {
		hash = (hash ^ prefixOf(s)) * odd
		hash ^= hash >> 32
	}
	hash = (hash ^ prefixOf(s)) * odd
	hash ^= hash >> 32 // so that the last letters count in all of the bits
	return uint32(hash * odd >> 32)
}

// contentHash is a part of a hash that is well mixed already.
func contentHash(hash *[sha256.Size]byte) uint32 { return binary.BigEndian.Uint32(hash[:]) }
