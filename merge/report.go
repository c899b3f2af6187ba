package merge

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// The codes that arise in the merge. Package delta declares those of a malformed delta.
const (
	InvalidTarget        fault.Code = "INVALID_TARGET"         // The target is missing, unknown, or in another section.
	TargetKilled         fault.Code = "TARGET_KILLED"          // The target is killed and can no longer be edited.
	SectionLimitExceeded fault.Code = "SECTION_LIMIT_EXCEEDED" // The section already has its maximum of active items.
	UnknownAgent         fault.Code = "UNKNOWN_AGENT"          // The author is neither in the roster nor an authority.
	RTEditOnly           fault.Code = "RT_EDIT_ONLY"           // The research thread can be edited, but not added or killed.
	DuplicateDeltaID     fault.Code = "DUPLICATE_DELTA_ID"     // A different delta already has this id; the first one is kept.
	WriteScope           fault.Code = "WRITE_SCOPE"            // The author's role may not do this here; as a warning: no role owns the section, so it is open to all.
	SystemFieldIgnored   fault.Code = "SYSTEM_FIELD_IGNORED"   // Warning: the delta sets a field that the program maintains; it is ignored.
	UnresolvedRef        fault.Code = "UNRESOLVED_REF"         // Warning: a reference to an item that its author cannot have known; kept as written, bound to nothing.
	RefBound             fault.Code = "REF_BOUND"              // Warning: a reference means the item that an earlier letter of the thread, which its author could read, added under that name.
	CorrectsItem         fault.Code = "CORRECTS_ITEM"          // Warning: an ADD in a letter replaces fields of the item that its author added in an earlier letter of the round, under the same name.
	LabelTaken           fault.Code = "LABEL_TAKEN"            // An ADD carries an id of an existing item or of a text in the artifact; it is added without it, or rejected with --strict.
	NoProvenance         fault.Code = "NO_PROVENANCE"          // Warning: the base does not list its deltas, so merged ones would be merged again.
	NoThirdAlternative   fault.Code = "NO_THIRD_ALTERNATIVE"   // A KILL would remove the last third alternative; as a warning: there is none.
	NoScaleCheck         fault.Code = "NO_SCALE_CHECK"         // Warning: no active assumption is a scale check.
	BelowMinimum         fault.Code = "BELOW_MINIMUM"          // Warning: a section has fewer active items than its minimum.
)

const (
	opAdd  = delta.Add
	opEdit = delta.Edit
	opKill = delta.Kill
)

// Disposition is the result of a delta. Each delta of a batch has exactly one.
type Disposition uint8

// The dispositions.
const (
	undecided  Disposition = iota
	Applied                // it changed something
	Superseded             // it lost on every field it touched
	Skipped                // a no-op that the rules allow
	Duplicate              // it was read before
	Rejected               // the rules do not allow it
	Conflicted             // one of its fields is a CONFLICT
)

func (d Disposition) String() string { return dispositionWords()[d] }

func dispositionWords() [7]string {
	return [...]string{"undecided", "applied", "superseded", "skipped", "duplicate", "rejected", "conflicted"}
}

// MarshalText returns the disposition's JSON text.
func (d Disposition) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (d *Disposition) UnmarshalText(text []byte) error {
	all := dispositionWords()
	i := slices.Index(all[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown disposition %s", fault.Shown(string(text)))
	}
	*d = Disposition(i)
	return nil
}

// Report lists the result of every delta, in processing order.
type Report struct {
	Applied   int        `json:"applied"`
	Version   int        `json:"version"`
	Deltas    []Row      `json:"deltas"`
	Warnings  []Warning  `json:"warnings"`
	Conflicts []Conflict `json:"conflicts"`
}

// Row is the result of one delta.
type Row struct {
	DeltaID     string         `json:"delta_id"`
	Agent       string         `json:"agent"`
	TargetID    string         `json:"target_id"`
	Disposition Disposition    `json:"disposition"`
	Code        fault.Code     `json:"code"`
	Message     string         `json:"message"`
	Fields      []FieldOutcome `json:"fields"`
}

// Reason returns the message of a delta; that of a rejected one with its refused fields, and that of a
// superseded one with the fields that it lost.
func (r *Row) Reason() string {
	why := r.Message
	if r.Disposition == Superseded && why == "" {
		why = r.lost()
	}
	for i := range r.Fields {
		if f := &r.Fields[i]; r.Disposition == Rejected && f.Outcome == FieldRefused {
			why += "; " + f.Field + ": " + f.Message
		}
	}
	return why
}

func (r *Row) lost() string {
	var fields []string
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Outcome == FieldSuperseded {
			fields = append(fields, f.Field)
		}
	}
	return "a later value, or one of a higher priority, won: " + strings.Join(fields, ", ")
}

// Outcome is the result of one field of a delta.
type Outcome uint8

// The outcomes.
const (
	FieldUnchanged Outcome = iota // it already had this value
	FieldApplied
	FieldSuperseded
	FieldConflicted
	FieldSkipped
	FieldRefused
	FieldIgnored
)

func (o Outcome) String() string { return outcomeWords()[o] }

func outcomeWords() [7]string {
	return [...]string{"unchanged", "applied", "superseded", "conflicted", "skipped", "refused", "ignored"}
}

// FieldOutcome is the result of one field, or one key of a map, of a delta. A large batch has very
// many and changes them often, so they are small and mostly free of pointers.
type FieldOutcome struct {
	Field   string
	Message string // "" if there is nothing to add
	Outcome Outcome
	united  bool // it was added to a list
	// with is another key of the same delta that shares this outcome after a change of shape.
	with *FieldOutcome
}

// and links outcomes of keys that share their result.
func (f *FieldOutcome) and(others *FieldOutcome) *FieldOutcome {
	if f == nil {
		return others
	}
	last := f
	for last.with != nil {
		last = last.with
	}
	last.with = others
	return f
}

// become sets the outcome of all linked keys.
func (f *FieldOutcome) become(o Outcome) {
	for ; f != nil; f = f.with {
		f.Outcome = o
	}
}

// Code returns the code of the outcome, or "".
func (f *FieldOutcome) Code() fault.Code {
	switch f.Outcome {
	case FieldSkipped:
		return TargetKilled
	case FieldRefused:
		return delta.InvalidField
	case FieldIgnored:
		return SystemFieldIgnored
	}
	return ""
}

// MarshalJSON returns the outcome's canonical JSON.
func (f FieldOutcome) MarshalJSON() ([]byte, error) {
	b := artifact.AppendString([]byte(`{"field":`), f.Field)
	b = artifact.AppendString(append(b, `,"outcome":`...), f.Outcome.String())
	if code := f.Code(); code != "" {
		b = artifact.AppendString(append(b, `,"code":`...), string(code))
	}
	if f.Message != "" {
		b = artifact.AppendString(append(b, `,"message":`...), f.Message)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON is the inverse of MarshalJSON. The code follows from the outcome.
func (f *FieldOutcome) UnmarshalJSON(data []byte) error {
	v, err := artifact.ParseValue(data, artifact.MaxDepth)
	if err != nil {
		return err
	}
	m, _ := v.(artifact.Map)
	text := func(key string) string {
		v, _ := m.Get(key)
		t, _ := v.(artifact.Text)
		return string(t)
	}
	all := outcomeWords()
	i := slices.Index(all[:], text("outcome"))
	if i < 0 {
		return fmt.Errorf("unknown outcome %s", fault.Shown(text("outcome")))
	}
	*f = FieldOutcome{Field: text("field"), Message: text("message"), Outcome: Outcome(i)}
	return nil
}

// Warning is something the user should know although nothing was refused.
type Warning struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Delta   string     `json:"-"` // the one that a reference belongs to, for UnresolvedRef, RefBound and CorrectsItem
}

// Conflict is an undecided field.
type Conflict struct {
	Item       string            `json:"item"`
	Field      string            `json:"field"`
	Candidates artifact.Conflict `json:"candidates"`
}

// LabelsTaken returns how many ADDs were taken without an id that they carried.
func (r *Report) LabelsTaken() int {
	n := 0
	for i := range r.Deltas {
		if row := &r.Deltas[i]; row.Code == LabelTaken && row.Disposition != Rejected {
			n++
		}
	}
	return n
}

// Unresolved returns a row for each reference that is bound to nothing: that of its delta, with the code and the message of the
// warning. Stored reports name the delta in the message.
func (r *Report) Unresolved() (all []Row) {
	rows := make(map[string]*Row, len(r.Deltas))
	for i := range r.Deltas {
		rows[r.Deltas[i].DeltaID] = &r.Deltas[i]
	}
	for _, w := range r.Warnings {
		id, _, _ := strings.Cut(w.Message, " of ")
		if row := rows[id]; row != nil && w.Code == UnresolvedRef {
			one := *row
			one.Code, one.Message, one.Fields = w.Code, strings.TrimPrefix(w.Message, id+" of "+fault.Shown(row.Agent)+": "), nil
			all = append(all, one)
		}
	}
	return all
}

// Clean reports whether every delta was accepted or was a duplicate.
func (r *Report) Clean() bool {
	for i := range r.Deltas {
		row := &r.Deltas[i]
		if row.Disposition == Rejected || row.Disposition == Conflicted {
			return false
		}
		for _, f := range row.Fields {
			if f.Outcome == FieldRefused {
				return false
			}
		}
	}
	return len(r.Conflicts) == 0
}
