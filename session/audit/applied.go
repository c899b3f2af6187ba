package audit

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
)

// ApplyResult is the outcome of a person's deltas.
type ApplyResult struct {
	Schema   string       `json:"schema"`
	Thread   string       `json:"thread_id"`
	Author   string       `json:"author"`
	Version  int          `json:"version"`
	Changed  bool         `json:"changed"` // there is a new version
	Already  bool         `json:"already_applied,omitzero"`
	Entry    int          `json:"entry"`
	Head     string       `json:"head"`
	Seal     string       `json:"seal"`
	Artifact string       `json:"artifact"` // path of the rendered file
	Resolved *Resolved    `json:"resolved,omitempty"`
	Report   merge.Report `json:"report"`
	Reading  []delta.Note `json:"reading"`
}

// Resolved is the chosen candidate of a conflict.
type Resolved struct {
	Place string         `json:"place"`
	Agent string         `json:"agent"`
	Delta string         `json:"delta_id"`
	Value jsontext.Value `json:"value"`
}

// NewApplyResult returns the outcome of the deltas that a session merged last.
func NewApplyResult(h *session.History, out *settle.Settlement) *ApplyResult {
	last := h.State.Commits[len(h.State.Commits)-1]
	return &ApplyResult{
		Schema: "brenner.session.apply/v1", Thread: h.Thread, Author: last.Author, Version: last.Version, Changed: out.Changed,
		Entry: last.Seq, Head: last.Hash, Seal: last.Seal, Report: out.Report, Reading: []delta.Note{},
	}
}

// AlreadyApplied returns the outcome for deltas that commit c merged before.
func AlreadyApplied(h *session.History, c *flow.Commit) *ApplyResult {
	return &ApplyResult{
		Schema: "brenner.session.apply/v1", Thread: h.Thread, Author: c.Author, Version: c.Version, Already: true,
		Entry: c.Seq, Head: c.Hash, Seal: c.Seal, Report: merge.Report{Version: c.Version}, Reading: []delta.Note{},
	}
}

// AddNotes adds the notes on reading the deltas. In a file of deltas, author, id and time of each are
// replaced: a person applies it now, under their own name.
func (r *ApplyResult) AddNotes(file string, text []byte, out *settle.Settlement) {
	for i := range out.Readings {
		for _, p := range out.Readings[i].Problems {
			r.Reading = append(r.Reading, delta.Note{File: file, Line: p.Line, What: string(p.Code), Text: p.Message})
		}
		for _, n := range out.Readings[i].Notes {
			n.File = file
			r.Reading = append(r.Reading, n)
		}
	}
	r.Reading = append(r.Reading, replacedIn(file, text, out)...)
}

// replacedIn returns a note for each delta of a file whose author, id or time was replaced.
func replacedIn(file string, text []byte, out *settle.Settlement) []delta.Note {
	written, err := delta.ReadFile(text)
	if err != nil || !artifact.IsJSON(text) {
		return nil
	}
	var notes []delta.Note
	lines := delta.Lines(text)
	for i := range min(len(written), len(out.Deltas), len(lines)) {
		was, is := &written[i], &out.Deltas[i]
		var parts []string
		for _, one := range []struct{ key, was, is string }{
			{"agent", was.Agent, is.Agent}, {"delta_id", was.ID, is.ID}, {"timestamp", was.Timestamp, is.Timestamp},
		} {
			if one.was != "" && one.was != one.is {
				parts = append(parts, one.key+" "+fault.Shown(one.was)+" by "+one.is)
			}
		}
		if len(parts) > 0 {
			notes = append(notes, delta.Note{File: file, Line: lines[i], What: "replaced", Text: strings.Join(parts, ", ")})
		}
	}
	return notes
}

// Refused reports whether a delta, or a field of one, was refused.
func (r *ApplyResult) Refused() bool {
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
