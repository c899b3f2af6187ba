package patch

import "brenner/artifact"

// Protocol is the one id of the patches that this package reads.
const Protocol = "anchor_diff_v2.1"

// The operations.
const (
	ReplaceBlock = "replace_block"
	DeleteBlock  = "delete_block"
	ReplaceFile  = "replace_entire_file"
)

// The ways in which an anchor is looked for.
const (
	Exact            = "exact"
	IgnoreWhitespace = "ignore_whitespace"
)

// Patch is a change of one text. A zero Path is allowed: then whoever applies the
// patch says to what.
type Patch struct {
	Path   string
	Base   string // SHA-256 of the canonical base, 64 lower-case hexadecimal digits
	Groups []Group
	Result string // SHA-256 of the canonical result; "" where it is not given
	Meta   []byte // a JSON object as it was given; nil for none
}

// Group is what is done at one anchor.
type Group struct {
	Anchor Anchor
	Ops    []Op
}

// Anchor is a text of the base. Every operation of a group changes what follows it.
type Anchor struct {
	Text string
	Mode string // Exact or IgnoreWhitespace
}

// Op is one operation.
type Op struct {
	Kind  string
	Index int    // which instance of the anchor is meant, from 1; 0: the first, none was named
	Old   string // what follows the anchor now
	New   string // what follows it then; all of the file for ReplaceFile
}

// Operations counts the operations of all groups.
func (p *Patch) Operations() int {
	n := 0
	for i := range p.Groups {
		n += len(p.Groups[i].Ops)
	}
	return n
}

// wholeFile gives the operation that replaces everything, where there is one.
func (p *Patch) wholeFile() (op Op, number int, ok bool) {
	n := 0
	for i := range p.Groups {
		for _, op := range p.Groups[i].Ops {
			n++
			if op.Kind == ReplaceFile {
				return op, n, true
			}
		}
	}
	return Op{}, 0, false
}

// Notes gives the word of its author that a patch carries in its meta, if any.
func (p *Patch) Notes() string {
	meta, err := artifact.ParseValue(p.Meta, artifact.MaxDepth)
	if err != nil {
		return ""
	}
	m, _ := meta.(artifact.Map)
	notes, _ := m.Get("notes")
	text, _ := notes.(artifact.Text)
	return string(text)
}
