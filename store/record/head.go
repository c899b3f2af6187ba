package record

import "time"

// Head is what a list says of one record: all its versions together.
type Head struct {
	ID        string
	Latest    int // its highest version
	Canonical int // its canonical version; 0 for none
	// Type, Module, Status and Summary are those of the standing version.
	Type    string
	Module  string
	Status  string
	Summary string
	// Tips is how many versions nobody has gone on from, or given up. More than one
	// are a fork. Tip is the highest of them.
	Tips, Tip int
	At        time.Time // when its newest version was put
}

// Standing gives the version that counts: the canonical one, else the latest that
// ends a way which nobody gave up.
func (h *Head) Standing() Ref {
	if h.Canonical > 0 {
		return Ref{h.ID, h.Canonical}
	}
	return Ref{h.ID, h.Tip}
}

// Forked tells whether the record has versions that go different ways.
func (h *Head) Forked() bool { return h.Tips > 1 }

// Count is how many records of a type, a module and a status there are, each by
// its standing version.
type Count struct {
	Type    string `json:"type"`
	Module  string `json:"module"`
	Status  string `json:"status"`
	Records int    `json:"records"`
}
