package merge

import (
	"cmp"
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

// beats tells whether a write with stamp s stands against a whole-field
// replacement with stamp floor: it is later, or of another author with equal right.
func beats(s, floor, birth *artifact.Stamp) bool {
	switch c := compareRight(s, floor); {
	case c != 0 || floor == nil:
		return c >= 0
	case s == floor || s.Agent != floor.Agent:
		return true
	default:
		return laterBlock(s, floor, birth)
	}
}
