package delta

import "brenner/artifact"

// Row is a change that this program itself proposes, as it stands in a file of deltas.
type Row struct {
	Operation string
	Section   artifact.Section
	Target    string
	Payload   artifact.Map
	Rationale string
}

// Value gives the row as JSON has it.
func (r Row) Value() artifact.Value {
	text := func(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }
	return artifact.MapOf(
		text("operation", r.Operation), text("section", r.Section.String()), text("target_id", r.Target),
		artifact.Entry{Key: "payload", Value: r.Payload}, text("rationale", r.Rationale),
	)
}
