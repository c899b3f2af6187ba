package audit

import (
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
)

// Applied is what became of a person's deltas.
type Applied struct {
	Schema   string       `json:"schema"`
	Thread   string       `json:"thread_id"`
	Author   string       `json:"author"`
	Version  int          `json:"version"`
	Changed  bool         `json:"changed"` // the version is a new one
	Already  bool         `json:"already_applied,omitzero"`
	Entry    int          `json:"entry"`
	Head     string       `json:"head"`
	Seal     string       `json:"seal"`
	Artifact string       `json:"artifact"` // the file for people
	Resolved *Resolved    `json:"resolved,omitempty"`
	Report   merge.Report `json:"report"`
	Reading  []delta.Note `json:"reading"`
}

// Resolved is the candidate of a conflict that was taken.
type Resolved struct {
	Place string         `json:"place"`
	Agent string         `json:"agent"`
	Delta string         `json:"delta_id"`
	Value jsontext.Value `json:"value"`
}

// NewApplied returns what became of the deltas that a session took last.
func NewApplied(h *session.History, out *settle.Settlement) *Applied {
	last := h.State.Commits[len(h.State.Commits)-1]
	return &Applied{
		Schema: "brenner.session.apply/v1", Thread: h.Thread, Author: last.Author, Version: last.Version, Changed: out.Changed,
		Entry: last.Seq, Head: last.Hash, Seal: last.Seal, Report: out.Report, Reading: []delta.Note{},
	}
}

// AlreadyApplied names the commit that the same deltas came to before.
func AlreadyApplied(h *session.History, c *flow.Commit) *Applied {
	return &Applied{
		Schema: "brenner.session.apply/v1", Thread: h.Thread, Author: c.Author, Version: c.Version, Already: true,
		Entry: c.Seq, Head: c.Hash, Seal: c.Seal, Report: merge.Report{Version: c.Version}, Reading: []delta.Note{},
	}
}

// AddNotes adds what the reader of a file had to say about it.
func (r *Applied) AddNotes(file string, out *settle.Settlement) {
	for i := range out.Readings {
		for _, p := range out.Readings[i].Problems {
			r.Reading = append(r.Reading, delta.Note{File: file, Line: p.Line, What: string(p.Code), Text: p.Message})
		}
	}
}

// Refused reports whether a delta, or a field of one, was not taken for a reason.
func (r *Applied) Refused() bool {
	for i := range r.Report.Deltas {
		row := &r.Report.Deltas[i]
		if row.Disposition == merge.Rejected {
			return true
		}
		for _, f := range row.Fields {
			if f.Outcome == merge.FieldRefused {
				return true
			}
		}
	}
	return false
}
