package session_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact/lint"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/opentest"
)

// withReport returns a session whose second version has a changed report. Its journal has the counts
// of that report, plus more errors.
func withReport(t *testing.T, change func(*session.Report), more int) *session.History {
	t.Helper()
	st, h := finishedSession(t, eventful, 2)
	c := &h.State.Commits[1]
	r, err := h.Report(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	report := r.JSON()
	count := func(s lint.Severity) (n int) {
		for _, f := range r.Findings {
			if f.Severity == s {
				n++
			}
		}
		return n
	}
	entries := rechain(t, h, func(kind, body string) string {
		if kind != flow.KindCommitted || !strings.Contains(body, c.Report) {
			return body
		}
		return strings.NewReplacer(
			c.Report, store.Hash(report),
			fmt.Sprintf(`"lint_errors":%d`, c.Outcome.Errors), fmt.Sprintf(`"lint_errors":%d`, count(lint.Error)+more),
			fmt.Sprintf(`"lint_warnings":%d`, c.Outcome.Warnings), fmt.Sprintf(`"lint_warnings":%d`, count(lint.Warning)),
		).Replace(body)
	})
	batch := store.Batch{Blobs: [][]byte{report}, Appends: []store.Append{{Stream: session.Prefix + thread, Entries: entries}}}
	for _, ref := range h.References() {
		data, err := st.Blob(t.Context(), ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		batch.Blobs = append(batch.Blobs, data)
	}
	other := opentest.New(t)
	if err := other.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	h, err = session.Load(t.Context(), other, thread)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A newer program with other lint rules or wording verifies the decisions of an older one and
// reports the difference. Decisions must follow from the replies, and counts from the findings.
func TestReplayComparesDecisionsOfOtherPrograms(t *testing.T) {
	judged := func(by string) func(r *session.Report) {
		return func(r *session.Report) {
			r.Lint = by
			r.Findings = []lint.Finding{{ID: "EX-001", Severity: lint.Error, Item: "H1", Line: 3, Message: "an old rule", Fix: "wait"}}
		}
	}
	reworded := func(r *session.Report) {
		for i := range r.Merge.Deltas {
			r.Merge.Deltas[i].Message += " (reworded)"
		}
		for i := range r.Findings {
			r.Findings[i].Message, r.Findings[i].Line = "something", r.Findings[i].Line+7
		}
	}
	for _, c := range []struct {
		name   string
		change func(r *session.Report)
		more   int
		then   session.ReportDiff
		wrong  string
	}{
		{"unchanged", func(*session.Report) {}, 0, session.ReportDiff{}, ""},
		{"judged by an older program", judged("lint/0"), 0, session.ReportDiff{Lint: "lint/0"}, ""},
		{"judged before rules had names", judged(""), 0, session.ReportDiff{Lint: "unnamed rules"}, ""},
		{"reworded", reworded, 0, session.ReportDiff{Reworded: true}, ""},
		{"both", func(r *session.Report) { judged("lint/0")(r); reworded(r) }, 0, session.ReportDiff{Lint: "lint/0", Reworded: true}, ""},
		{"different counts", judged("lint/0"), 1, session.ReportDiff{}, "the counts of version 2"},
		{"different findings of current rules", judged(lint.Version), 0, session.ReportDiff{}, "the report of version 2"},
		{"another decision", func(r *session.Report) { r.Merge.Deltas[0].Code = "WRITE_SCOPE" }, 0, session.ReportDiff{}, "the report of version 2"},
		{"a missing delta", func(r *session.Report) { r.Merge.Deltas = r.Merge.Deltas[1:] }, 0, session.ReportDiff{}, "the report of version 2"},
		{"different reading", func(r *session.Report) { r.Readings[0].Taken++ }, 0, session.ReportDiff{}, "the report of version 2"},
	} {
		h := withReport(t, c.change, c.more)
		all, err := h.Replay(t.Context())
		switch {
		case c.wrong != "" && (fault.CodeOf(err) != session.ReplayDiffers || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: %v", c.name, err)
		case c.wrong == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.wrong == "" && (all[0].Diff != session.ReportDiff{} || all[1].Diff != c.then):
			t.Errorf("%s: %+v, %+v", c.name, all[0].Diff, all[1].Diff)
		}
	}
}
