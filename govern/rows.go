package govern

import (
	"brenner/artifact"
	"brenner/govern/finding"
	"brenner/store/record"
)

// VersionRow is a version of a record without its content.
type VersionRow struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Version   int           `json:"version"`
	Parent    int           `json:"parent_version"`
	Status    string        `json:"status"`
	Canonical bool          `json:"canonical"`
	Module    string        `json:"module"`
	Summary   string        `json:"summary"`
	SummaryBy string        `json:"summary_by"`
	Stale     bool          `json:"summary_stale"`
	Content   string        `json:"content_sha256"`
	Change    string        `json:"change"`
	Creator   string        `json:"creator"`
	At        string        `json:"created_at"`
	Tags      []string      `json:"tags"`
	Links     []record.Link `json:"links"`
	Asked     string        `json:"asked,omitempty"`         // what was really asked, if an agent wrote it
	Because   string        `json:"stale_because,omitempty"` // why it needs an update or a rebase
}

// versionRow returns the row of a version; canonical is that of its record, or 0.
func versionRow(r *record.Record, canonical int) VersionRow {
	return VersionRow{
		ID: r.ID, Type: r.Type, Version: r.Version, Parent: r.Parent, Status: r.Status, Canonical: canonical == r.Version, Module: r.Module,
		Summary: r.Summary, SummaryBy: r.SummaryBy, Stale: r.StaleSummary(), Content: r.Content, Change: r.Change, Creator: r.Creator,
		At: artifact.FormatInstant(r.At), Tags: r.Tags, Links: r.Links,
	}
}

// RecordRow is a record with all its versions together.
type RecordRow struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Module    string `json:"module"`
	Status    string `json:"status"`
	Latest    int    `json:"latest"`
	Canonical int    `json:"canonical"`
	Forked    bool   `json:"forked"`
	Summary   string `json:"summary"`
	At        string `json:"changed_at"`
}

func recordRow(h *record.Head) RecordRow {
	return RecordRow{h.ID, h.Type, h.Module, h.Status, h.Latest, h.Canonical, h.Forked(), h.Summary, artifact.FormatInstant(h.At)}
}

// MarkRow is a status that a version got, and why.
type MarkRow struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Status  string `json:"status"`
	By      string `json:"by"`
	Reason  string `json:"reason"`
	At      string `json:"at"`
}

func markRows(marks []record.Mark) []MarkRow {
	out := make([]MarkRow, len(marks))
	for i, m := range marks {
		out[i] = MarkRow{m.ID, m.Version, m.Status, m.By, m.Reason, artifact.FormatInstant(m.At)}
	}
	return out
}

// PutRow is a version that was put, with notes about it.
type PutRow struct {
	VersionRow
	Fork  []int      `json:"fork"`
	Moved []MovedRow `json:"moved_inputs"`
	// LeftOut are the records that did not fit into a memo.
	LeftOut []string `json:"left_out"`
	// Rivals are the last versions of records that compete for its place.
	Rivals []string `json:"rivals,omitempty"`
	// NotShown are the headings of a brief that name no field.
	NotShown []string `json:"not_shown,omitempty"`
}

// Written is what was put.
type Written struct {
	Schema  string   `json:"schema"`
	Records []PutRow `json:"records"`
	// NotMended are summaries that remain as they are, each with the reason.
	NotMended []string `json:"not_mended,omitempty"`
}

// NewMended returns what was put for summaries, and what remains, for display.
func NewMended(made []Put, left []finding.Finding) *Written {
	w := NewWritten(made...)
	for i := range left {
		one := left[i].Ref.String() + ": " + left[i].Text()
		if left[i].Fix != "" {
			one += "; " + left[i].Fix
		}
		w.NotMended = append(w.NotMended, one)
	}
	return w
}

// NewWritten returns what was put, for display.
func NewWritten(put ...Put) *Written {
	w := &Written{Schema: "brenner.store.put/v1", Records: make([]PutRow, len(put))}
	for i := range put {
		p := &put[i]
		w.Records[i] = PutRow{versionRow(&p.Record, 0), p.Fork, movedRows(p.Moved), refNames(p.LeftOut), refNames(p.Rivals), p.NotShown}
		w.Records[i].Asked = p.Asked
	}
	return w
}

// MovedRow is a version that is no longer the standing one, and the one that is.
type MovedRow struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Now     int    `json:"stands_now"`
	// RestsOn is the outdated version that it rests on, if it is not outdated by itself.
	RestsOn string `json:"rests_on,omitempty"`
}

func movedRows(moved []Moved) []MovedRow {
	out := make([]MovedRow, len(moved))
	for i, m := range moved {
		out[i] = MovedRow{m.Input.ID, m.Input.Version, m.Now, m.Source.Name()}
	}
	return out
}

func refNames(refs []record.Ref) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref.String()
	}
	return out
}

// TaskState is a task spec, and which of its inputs have moved.
type TaskState struct {
	Schema string     `json:"schema"`
	Record VersionRow `json:"record"`
	Task   string     `json:"task"`
	Role   string     `json:"role"`
	Cross  bool       `json:"cross_module"`
	Inputs []InputRow `json:"inputs"`
	Moved  []MovedRow `json:"moved_inputs"`
}

// InputRow is an input of a task.
type InputRow struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
}

// NewTaskState returns a task spec for display.
func NewTaskState(r *record.Record, t *Task, moved []Moved) *TaskState {
	s := &TaskState{
		Schema: "brenner.store.task/v1", Record: versionRow(r, 0), Task: t.Task, Role: t.Role, Cross: t.Cross, Moved: movedRows(moved),
	}
	for _, in := range t.Inputs {
		s.Inputs = append(s.Inputs, InputRow{in.ID, in.Version, in.Type})
	}
	return s
}
