package report

import (
	"fmt"
	"strings"
)

// Task is what a task of the loop came to.
type Task struct {
	ID      string          `json:"id"`
	Task    string          `json:"task"`
	Spec    string          `json:"spec"` // version of its task spec
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
	Role    string          `json:"role"`
	Put     []Record        `json:"put"`
	Refused []RefusedRecord `json:"refused"`
	// Unread are the parts of the reply that were not read as records.
	Unread []RefusedRecord `json:"unread,omitempty"`
	// Reason is why the agent wrote NO CHANGES.
	Reason string `json:"no_changes_reason,omitempty"`
}

// Record is a record that the agent of a task put, as it is now.
type Record struct {
	Record  string `json:"record"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Summary string `json:"summary"`
}

// RefusedRecord is a record, or a change of one, that was refused.
type RefusedRecord struct {
	Record string `json:"record"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

func (r *RefusedRecord) line(what string) string {
	return strings.TrimSpace(r.Record + what + r.Code + " " + r.Reason)
}

// Without returns, each as one line, what is not among the records of a task, and why there are none.
func (t *Task) Without() []string {
	var all []string
	for i := range t.Refused {
		all = append(all, t.Refused[i].line(" refused: "))
	}
	for i := range t.Unread {
		all = append(all, t.Unread[i].line(" not read: "))
	}
	switch {
	case t.Reason != "":
		all = append(all, "NO CHANGES: "+t.Reason)
	case len(t.Put)+len(all) == 0:
		all = append(all, "no records")
	}
	return all
}

// Text returns a record as one line.
func (r *Record) Text() string {
	line := r.Record + ": " + strings.TrimPrefix(r.Type+", "+r.Status, ", ")
	if r.Summary != "" {
		line += ": " + r.Summary
	}
	return line
}

// Author returns who did the task.
func (t *Task) Author() string { return t.Agent + " (" + t.Role + ")" }

func (r *Report) writeTasks(b *strings.Builder) {
	if len(r.Tasks) == 0 {
		return
	}
	b.WriteString("\n## Tasks\n")
	rows(b, r.Tasks, func(t *Task) {
		fmt.Fprintf(b, "\n**%s** %s\n\n%s by %s, in %s\n\n", plain(t.ID), plain(t.Task), plain(t.Spec), plain(t.Author()), plain(t.Session))
		rows(b, t.Put, func(one *Record) { fmt.Fprintf(b, "- %s\n", plain(one.Text())) })
		rows(b, t.Without(), func(line *string) { fmt.Fprintf(b, "- %s\n", plain(*line)) })
	})
}
