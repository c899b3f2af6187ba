package record

import (
	"cmp"
	"slices"
	"strconv"
)

// Link is a typed reference to a version of another record.
type Link struct {
	Relation string `json:"relation"`
	ID       string `json:"id"`
	Version  int    `json:"version"`
}

// Ref gives what the link points at.
func (l Link) Ref() Ref { return Ref{l.ID, l.Version} }

// The relations.
const (
	Cites       = "cites"
	DerivesFrom = "derives_from"
	RepliesTo   = "replies_to"
	Summarises  = "summarises"
	Supersedes  = "supersedes"
	Refutes     = "refutes"
)

// Relations gives all relations.
func Relations() []string {
	return []string{Cites, DerivesFrom, RepliesTo, Summarises, Supersedes, Refutes}
}

// IsRelation tells whether a word is one of the relations.
func IsRelation(word string) bool { return slices.Contains(Relations(), word) }

// Depends tells whether what has such a link rests on what it points at: then it
// is stale when that changes. A reply stays the reply to what was said, and what
// was superseded does not matter any more.
func Depends(relation string) bool {
	switch relation {
	case Cites, DerivesFrom, Summarises, Refutes:
		return true
	}
	return false
}

// Ref names a version of a record; version 0 stands for any.
type Ref struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

// Name returns the ref as String does, or "" for the zero value.
func (r Ref) Name() string {
	if r == (Ref{}) {
		return ""
	}
	return r.String()
}

func (r Ref) String() string {
	if r.Version == 0 {
		return r.ID
	}
	return r.ID + "@v" + strconv.Itoa(r.Version)
}

// Edge is a link with the version that has it.
type Edge struct {
	From     Ref
	Relation string
	To       Ref
}

// CompareEdges orders edges by where they begin, then by where they lead, then by what
// they say.
func CompareEdges(a, b Edge) int {
	return cmp.Or(CompareRefs(a.From, b.From), CompareRefs(a.To, b.To), cmp.Compare(a.Relation, b.Relation))
}
