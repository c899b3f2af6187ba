package delta

import (
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
)

// CheckReport is what the reader made of a reply, block by block.
type CheckReport struct {
	Schema   string       `json:"schema"`
	Problems []Located    `json:"problems"`
	Blocks   []CheckBlock `json:"blocks"`
}

// CheckBlock is what became of one block.
type CheckBlock struct {
	Index    int            `json:"index"`
	Line     int            `json:"line"`
	OK       bool           `json:"ok"`
	Delta    jsontext.Value `json:"delta"`
	Flags    []string       `json:"flags"`
	Changes  []string       `json:"changes"`
	Problems []Located      `json:"problems"`
}

// Report returns the reply as a value to show.
func (r *Reply) Report() *CheckReport {
	out := &CheckReport{Schema: "brenner.delta.check/v1", Problems: r.Problems}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		block := CheckBlock{Index: b.Index, Line: b.Line, OK: b.OK, Delta: b.Delta.form(), Problems: b.Problems}
		for _, f := range b.Flags {
			block.Flags = append(block.Flags, f.Name)
			block.Changes = append(block.Changes, f.Text)
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

// Clean reports whether everything that was meant could be read.
func (r *Reply) Clean() bool {
	for i := range r.Blocks {
		if len(r.Blocks[i].Problems) > 0 {
			return false
		}
	}
	return len(r.Problems) == 0
}

// form returns what the delta says in the specification's form; null where it says
// nothing that could be read.
func (d *Delta) form() jsontext.Value {
	if d.Operation == "" && d.Section == "" && len(d.Payload) == 0 {
		return jsontext.Value("null")
	}
	var payload []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			payload = append(payload, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	entries := []artifact.Entry{
		{Key: "operation", Value: artifact.Text(d.Operation)},
		{Key: "section", Value: artifact.Text(d.Section)},
		{Key: "target_id", Value: artifact.Null{}},
		{Key: "payload", Value: artifact.MapOf(payload...)},
	}
	if d.Target != "" {
		entries[2].Value = artifact.Text(d.Target)
	}
	if d.Rationale != "" {
		entries = append(entries, artifact.Entry{Key: "rationale", Value: artifact.Text(d.Rationale)})
	}
	if len(d.Labels) > 0 {
		labels := make(artifact.List, len(d.Labels))
		for i, l := range d.Labels {
			labels[i] = artifact.Text(l)
		}
		entries = append(entries, artifact.Entry{Key: "labels", Value: labels})
	}
	return jsontext.Value(artifact.Canonical(artifact.MapOf(entries...)))
}
