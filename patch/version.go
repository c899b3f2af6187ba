package patch

import "fmt"

// Version is a version of a text that is kept with its history.
type Version struct {
	Number int
	Hash   string // of the canonical text
}

// ApplyTo applies a patch to the newest version of a text and gives the text of the
// next one. A patch for an older version among those known is not applied: its
// problem says how many versions it is behind, and the version it makes, if it is
// kept at all, needs a rebase.
func (p *Patch) ApplyTo(head *Text, number int, known []Version) (*Text, Report) {
	next, r := p.apply(head)
	for i := range r.Problems {
		problem := &r.Problems[i]
		if problem.Code != BaseMismatch || p.Result == head.hash { // that has been applied already, and is told so
			continue
		}
		if old, ok := p.madeFor(known, number); ok {
			problem.Behind = number - old
			problem.Message = fmt.Sprintf("needs_rebase: the patch is for version %d, and the text is at version %d: %s behind", old, number, several(problem.Behind, "version"))
			problem.Hint = fmt.Sprintf("make the patch again, against version %d", number)
		}
	}
	return next, r
}

// madeFor gives the newest version below a number that has the patch's base.
func (p *Patch) madeFor(known []Version, below int) (int, bool) {
	newest := 0
	for _, v := range known {
		if v.Hash == p.Base && v.Number < below && v.Number > newest {
			newest = v.Number
		}
	}
	return newest, newest > 0
}
