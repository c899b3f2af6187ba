package merge

import (
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
)

// compareRight compares the right of two stamps to a field: the later instant,
// then the higher rank. A nil stamp is older than all: nobody knows who wrote that.
func compareRight(a, b *artifact.Stamp) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return cmp.Compare(a.Rank, b.Rank)
}

// laterBlock tells, of two deltas of one author and one instant, whether a's is
// the later word. What an ADD wrote at birth is older than any edit of it,
// wherever the blocks stood.
func laterBlock(a, b, birth *artifact.Stamp) bool {
	switch {
	case a == b:
		return false
	case b == nil || b == birth:
		return true
	case a == birth:
		return false
	}
	return cmp.Or(
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Block, b.Block), strings.Compare(a.Delta, b.Delta),
	) > 0
}

// beats tells whether a write stands against the replacements of a whole field:
// it is later, or of equal right and its author has not replaced it since.
func beats(s *artifact.Stamp, floor []*artifact.Stamp, birth *artifact.Stamp) bool {
	if len(floor) == 0 {
		return true
	}
	if c := compareRight(s, floor[0]); c != 0 {
		return c > 0
	}
	at, found := byAgent(floor, s.Agent)
	return !found || s == floor[at] || laterBlock(s, floor[at], birth)
}

// byAgent finds an author among stamps of equal right, which stand in the order
// of their agents.
func byAgent(by []*artifact.Stamp, agent string) (int, bool) {
	return slices.BinarySearchFunc(by, agent, func(s *artifact.Stamp, a string) int { return strings.Compare(s.Agent, a) })
}

// joinStamps adds a stamp to those with the highest right, one for each author,
// and tells whether that changed them. The slices of the base are never written to.
func joinStamps(by, self []*artifact.Stamp, birth *artifact.Stamp) ([]*artifact.Stamp, bool) {
	s := self[0]
	if len(by) == 0 {
		return self, true
	}
	if c := compareRight(s, by[0]); c != 0 {
		if c < 0 {
			return by, false
		}
		return self, true
	}
	at, found := byAgent(by, s.Agent)
	switch {
	case !found:
		return slices.Insert(by, at, s), true
	case !laterBlock(s, by[at], birth):
		return by, false
	}
	by = slices.Clone(by)
	by[at] = s
	return by, true
}

// surviving gives the stamps that are not dropped.
func surviving(by []*artifact.Stamp, drop func(*artifact.Stamp) bool) []*artifact.Stamp {
	if !slices.ContainsFunc(by, drop) {
		return by
	}
	return slices.DeleteFunc(slices.Clone(by), drop)
}
