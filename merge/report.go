package merge

import (
	"brenner/artifact"
	"brenner/delta"
	"brenner/fault"
)

// The codes that arise in the merge; those of a malformed delta are declared in
// package delta.
const (
	InvalidTarget        fault.Code = "INVALID_TARGET"
	TargetKilled         fault.Code = "TARGET_KILLED"
	SectionLimitExceeded fault.Code = "SECTION_LIMIT_EXCEEDED"
	UnknownAgent         fault.Code = "UNKNOWN_AGENT"
	RTEditOnly           fault.Code = "RT_EDIT_ONLY"
	DuplicateDeltaID     fault.Code = "DUPLICATE_DELTA_ID"
	WriteScope           fault.Code = "WRITE_SCOPE"
	SystemFieldIgnored   fault.Code = "SYSTEM_FIELD_IGNORED"
	UnresolvedRef        fault.Code = "UNRESOLVED_REF"
	NoProvenance         fault.Code = "NO_PROVENANCE"
	NoThirdAlternative   fault.Code = "NO_THIRD_ALTERNATIVE"
	NoScaleCheck         fault.Code = "NO_SCALE_CHECK"
	BelowMinimum         fault.Code = "BELOW_MINIMUM"
)

const (
	opAdd  = delta.Add
	opEdit = delta.Edit
	opKill = delta.Kill
)

// Disposition says what became of a delta. Each delta of a batch gets exactly one.
type Disposition string

// The dispositions.
const (
	Applied    Disposition = "applied"
	Superseded Disposition = "superseded" // it lost on every field it touched
	Skipped    Disposition = "skipped"    // a no-op that the rules allow
	Duplicate  Disposition = "duplicate"
	Rejected   Disposition = "rejected"
	Conflicted Disposition = "conflicted" // a field of it ended as a CONFLICT
)

// Report says what became of every delta, in the order of processing.
type Report struct {
	Applied   int        `json:"applied"`
	Version   int        `json:"version"`
	Deltas    []Row      `json:"deltas"`
	Warnings  []Warning  `json:"warnings"`
	Conflicts []Conflict `json:"conflicts"`
}

// Row is what became of one delta.
type Row struct {
	DeltaID     string         `json:"delta_id"`
	Agent       string         `json:"agent"`
	TargetID    string         `json:"target_id"`
	Disposition Disposition    `json:"disposition"`
	Code        fault.Code     `json:"code"`
	Message     string         `json:"message"`
	Fields      []FieldOutcome `json:"fields"`
}

// Outcome says what became of one field of a delta.
type Outcome string

// The outcomes.
const (
	FieldApplied    Outcome = "applied"
	FieldUnchanged  Outcome = "unchanged" // it already said so
	FieldSuperseded Outcome = "superseded"
	FieldConflicted Outcome = "conflicted"
	FieldSkipped    Outcome = "skipped"
	FieldRefused    Outcome = "refused"
	FieldIgnored    Outcome = "ignored"
)

// FieldOutcome is what became of one field, or one key of a map, of a delta.
type FieldOutcome struct {
	Field   string     `json:"field"`
	Outcome Outcome    `json:"outcome"`
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
}

// Warning is something a person should know although nothing was refused.
type Warning struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Conflict is a field that waits for a decision.
type Conflict struct {
	Item       string            `json:"item"`
	Field      string            `json:"field"`
	Candidates artifact.Conflict `json:"candidates"`
}

// Clean tells whether every delta was taken, or was there before.
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
