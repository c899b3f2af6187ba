package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/text"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/record"
)

// TaskRun is what a run of a task came to.
type TaskRun struct {
	Schema  string       `json:"schema"`
	Task    string       `json:"task"` // the version of the task spec
	Text    string       `json:"text"`
	Role    string       `json:"role"`
	Agent   string       `json:"agent"`
	Earlier bool         `json:"earlier"` // the task ran before, and no agent was asked now
	Inputs  []TaskInput  `json:"inputs"`
	Moved   []string     `json:"moved"` // what is to be said of inputs that have changed or no longer hold
	Put     []TaskRecord `json:"put"`
	Refused []PatchRow   `json:"refused"`
	// NoChanges reports whether the agent wrote that there is nothing to do; Reason is why, if it says so.
	NoChanges bool     `json:"no_changes"`
	Reason    string   `json:"no_changes_reason,omitempty"`
	Session   *Summary `json:"session"`
	Next      []string `json:"next"`
	Exit      int      `json:"exit"` // of the command

	outcome string // of the reply
}

// TaskInput is an input of a task, and how the agent was shown it.
type TaskInput struct {
	Record string `json:"record"`
	Form   string `json:"form"` // full, summary, or "" if it was not shown
}

// TaskRecord is a record that the agent put.
type TaskRecord struct {
	Record  string `json:"record"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Summary string `json:"summary"`
	// Elsewhere reports whether it is not in this store: the session was imported without it.
	Elsewhere bool `json:"elsewhere,omitzero"`
	// Message is what is to be said of it, such as which keys of the reply were ignored.
	Message string `json:"message,omitempty"`

	content string // its hash
}

// NewTaskRun returns what a session that ran a task came to. Inputs are those of the task.
func NewTaskRun(ctx context.Context, h *session.History, s *Summary, inputs []record.Ref) (*TaskRun, error) {
	o := &h.State.Opened
	t := &TaskRun{
		Schema: "brenner.store.run/v1", Task: o.Task, Text: o.Question, Role: o.Agents[0].Role, Agent: o.Agents[0].Name,
		Inputs: []TaskInput{}, Moved: []string{}, Put: []TaskRecord{}, Refused: []PatchRow{}, Session: s, Next: s.Next,
	}
	for _, ref := range inputs {
		t.Inputs = append(t.Inputs, TaskInput{ref.String(), formShown(h.State, ref)})
	}
	var err error
	if t.Put, t.Refused, err = RecordsOf(ctx, h); err != nil {
		return nil, err
	}
	for _, outcomes := range h.State.Outcomes() {
		for _, r := range outcomes.Rounds {
			t.outcome = r.Outcome
			if r.Outcome == flow.NoChanges {
				t.NoChanges, t.Reason = true, r.Reason
			}
		}
	}
	return t, nil
}

// RecordsOf returns the records that the agents of a session put, as they are now, and those that were
// refused.
func RecordsOf(ctx context.Context, h *session.History) (put []TaskRecord, refused []PatchRow, err error) {
	put, refused = []TaskRecord{}, []PatchRow{}
	for _, row := range PatchRows(h.State.Patches) {
		if row.Made == "" {
			refused = append(refused, row)
			continue
		}
		one := TaskRecord{Record: row.Made, Status: row.Status, Elsewhere: true}
		found, err := madeBy(ctx, h, &row.PatchResult)
		if err != nil {
			return nil, nil, err
		}
		if found != nil {
			one = TaskRecord{Record: row.Made, Type: found.Type, Status: found.Status, Summary: found.Summary, Message: row.Message, content: found.Content}
		}
		put = append(put, one)
	}
	return put, refused, nil
}

// addRecords adds the records that the run of a task made, instead of its empty artifact.
func (p *Part) addRecords(ctx context.Context, h *session.History) error {
	var refused []PatchRow
	var err error
	if p.Records, refused, err = RecordsOf(ctx, h); err != nil {
		return err
	}
	o := &h.State.Opened
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\nBy %s (%s).\n", o.Task, o.Question, o.Agents[0].Name, o.Agents[0].Role)
	for i := range p.Records {
		r := &p.Records[i]
		if r.Elsewhere {
			fmt.Fprintf(&b, "\n## %s\n\nNot in this store.\n", r.Record)
			continue
		}
		content, err := h.Store.Blob(ctx, r.content)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s, %s: %s\n\n%s%s\n", r.Record, r.Type, r.Status, r.Summary, paragraph(r.Message), strings.TrimSpace(string(content)))
	}
	if len(p.Records) == 0 {
		b.WriteString("\nNo records were put.\n")
	}
	if len(refused) > 0 {
		b.WriteString("\nRefused:\n\n")
	}
	for i := range refused {
		fmt.Fprintf(&b, "- %s: %s %s\n", refused[i].Record, refused[i].Code, refused[i].Message)
	}
	p.Markdown = []byte(text.Clean(b.String(), text.TerminalText))
	return nil
}

// paragraph returns a text with an empty line after it, or "".
func paragraph(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n\n"
}

// madeBy returns the version that an answer made, or nil if it is not in the store: an import does not bring
// it, and another record may have its name.
func madeBy(ctx context.Context, h *session.History, row *PatchResult) (*record.Record, error) {
	ref, err := record.ParseAddress(row.Made)
	if err != nil {
		return nil, err
	}
	found, err := h.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	fromReply := func(l record.Link) bool { return session.IsReplyOf(h.Thread, l.ID) }
	if row.Kind == flow.RecordKind && !slices.ContainsFunc(found[0].Links, fromReply) {
		return nil, nil
	}
	return &found[0], nil
}

// findElsewhere marks the versions that answers made, and which are not in the session's store, and finds the
// first draft among the others.
func (s *Summary) findElsewhere(ctx context.Context, h *session.History) error {
	for i := range s.Patches {
		row := &s.Patches[i].PatchResult
		if row.Made == "" {
			continue
		}
		found, err := madeBy(ctx, h, row)
		if err != nil {
			return err
		}
		row.Elsewhere = found == nil
		switch {
		case found == nil:
		case s.draft == "" && found.Status == record.Draft:
			s.draft = row.Made
		case s.branch == "" && found.Status == record.NeedsRebase:
			if tips, err := h.Store.Tips(ctx, found.ID); err != nil {
				return err
			} else if len(tips) > 1 {
				s.branch = fmt.Sprintf("brenner store merge %s --take v%d -m REASON", found.ID, found.Version)
			}
		}
	}
	return nil
}

// Why says why no record was put, after ": ", or "".
func (t *TaskRun) Why() string {
	switch {
	case t.NoChanges:
		return ": the agent wrote NO CHANGES"
	case t.Session.Reason == flow.EndBudget:
		return ": the budget does not cover the call"
	case t.outcome == flow.ProseOnly:
		return ": the reply has neither a record nor a line NO CHANGES with a reason"
	case t.outcome == flow.ReplyCut:
		return ": the reply was cut off"
	case t.outcome == flow.NoReply || len(t.Session.Missing) > 0:
		return ": the agent did not answer" + t.cause()
	case len(t.Refused)+len(t.Session.Rejected) > 0:
		return ": all of the reply was refused"
	}
	return ""
}

// cause says why the agent did not answer, after ": ", or "" if it was not asked.
func (t *TaskRun) cause() string {
	for i := range t.Session.Agents {
		if a := &t.Session.Agents[i]; a.Problem != "" {
			return ": " + string(a.Code) + ", " + a.Problem
		}
	}
	return ""
}

// Elsewhere reports whether a record that the task put is not in this store.
func (t *TaskRun) Elsewhere() bool {
	return slices.ContainsFunc(t.Put, func(r TaskRecord) bool { return r.Elsewhere })
}

// formShown returns the form in which the last message shows a version, the fullest if there are several.
func formShown(state *flow.State, ref record.Ref) string {
	form := ""
	for i := range slices.Backward(state.Legs) {
		for _, k := range state.Legs[i].Kickoffs {
			for _, r := range k.Records {
				if r.ID == ref.ID && r.Version == ref.Version && form != "full" {
					form = r.Form
				}
			}
		}
		break
	}
	return form
}
