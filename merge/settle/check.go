package settle

import (
	"bytes"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
)

// CheckFields adds to each readable block of a text the fields that a merge refuses, whatever the
// base. The rest of such a delta applies; a block of which nothing applies is refused.
func CheckFields(r *delta.Reply, text []byte) {
	lines := bytes.Split(text, []byte("\n"))
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if !b.OK || b.Record() != nil {
			continue
		}
		end := len(lines)
		if i+1 < len(r.Blocks) && r.Blocks[i+1].Line > b.Line {
			end = min(end, r.Blocks[i+1].Line-1)
		}
		fields := refusedFields(b.Delta)
		code, why := refusedEdit(&b.Delta, fields)
		for _, f := range fields {
			p := delta.Located{Code: f.Code(), Message: "the field " + f.Field + " is refused: " + f.Message}
			if code == "" {
				p.Hint = "correct the field; the rest of the delta applies without it"
			}
			p.Line, p.Column = position(b, f.Field, lines, end)
			b.Problems = append(b.Problems, p)
		}
		if code != "" {
			b.OK = false
			b.Problems = append(b.Problems, delta.Located{Code: code, Message: why, Line: b.Line, Column: 1, Hint: wayOut(&b.Delta, code)})
		}
	}
}

// wayOut says how to correct a delta that no base could accept.
func wayOut(d *delta.Delta, code fault.Code) string {
	id := misplacedTarget(d)
	switch {
	case code == merge.InvalidTarget && id != "":
		return "write " + fault.Shown(id) + " as target_id: the key id names a new item"
	case code == merge.InvalidTarget:
		return "write the id of the item to change as target_id, such as " + section(d).ItemID(1)
	case code == merge.RTEditOnly:
		return threadRemedy(d)
	case code == delta.InvalidSection:
		var names []string
		for _, s := range artifact.Sections() {
			names = append(names, s.String())
		}
		return "write one of " + strings.Join(names, ", ")
	case code == delta.MissingRequiredField:
		return "add what is missing"
	}
	return "correct this and check again, or leave the delta out"
}

// refusedFields returns the fields of a delta that a merge refuses, whatever the base.
func refusedFields(d delta.Delta) []merge.FieldOutcome {
	var all []merge.FieldOutcome
	if isCellEdit(&d) {
		for _, f := range d.Payload {
			if _, isText := f.Value.(artifact.Text); f.Name == "prediction" && !isText {
				all = append(all, merge.FieldOutcome{Field: f.Name, Outcome: merge.FieldRefused, Message: "it is not a text"})
			} else if f.Name != "prediction" {
				all = append(all, merge.FieldOutcome{Field: f.Name, Outcome: merge.FieldRefused, Message: "an EDIT of a cell takes only the field prediction"})
			}
		}
		return all
	}
	d.Agent, d.Timestamp = "-", artifact.FormatInstant(Undated())
	if d.Operation == delta.Edit && d.Section != artifact.ResearchThread.String() {
		d.Operation, d.Target = delta.Add, "" // an EDIT needs a base; its fields are judged alike
	}
	d.Seal()
	_, report := merge.Merge(artifact.Artifact{}, []delta.Delta{d}, merge.Rules{})
	for _, f := range report.Deltas[0].Fields {
		if isRefusedField(f) {
			all = append(all, f)
		}
	}
	return all
}

func isCellEdit(d *delta.Delta) bool {
	return d.Operation == delta.Edit && d.Section == artifact.PredictionsTable.String() && strings.Contains(d.Target, ".")
}

// refusedEdit returns why no base could accept an EDIT or a KILL, or "".
func refusedEdit(d *delta.Delta, refused []merge.FieldOutcome) (fault.Code, string) {
	if d.Operation == delta.Add {
		return "", ""
	}
	if d.Target == "" && d.Section != artifact.ResearchThread.String() {
		return merge.InvalidTarget, d.Operation + " needs a target_id"
	}
	if d.Operation != delta.Edit || len(refused) == 0 {
		return "", ""
	}
	for _, f := range d.Payload {
		parts := 0 // refused
		for _, r := range refused {
			name, _, isPart := strings.Cut(r.Field, ".")
			switch {
			case name != f.Name:
			case isPart:
				parts++
			default:
				parts = partsOf(f.Value)
			}
		}
		if parts < partsOf(f.Value) {
			return "", ""
		}
	}
	return delta.InvalidField, "none of its fields can be taken"
}

// partsOf returns how many parts of a value are refused or taken on their own.
func partsOf(v artifact.Value) int {
	switch v := v.(type) {
	case artifact.Map:
		return max(len(v), 1)
	case artifact.List:
		return max(len(v), 1)
	}
	return 1
}

// position returns where a field of a block is written, as far as the lines from the block up to end
// show it, or else where the block begins.
func position(b *delta.Block, field string, lines [][]byte, end int) (line, column int) {
	name, _, _ := strings.Cut(field, ".")
	for _, r := range b.Renamed {
		if r.To == name {
			name = r.From
		}
	}
	for i := b.Line - 1; i >= 0 && i < end; i++ {
		if at := bytes.Index(lines[i], []byte(`"`+name+`"`)); at >= 0 {
			return i + 1, at + 1
		}
	}
	return b.Line, 1
}
