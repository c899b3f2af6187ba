package session_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/fault"
	"brenner/flow"
	"brenner/lint"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
)

// judgedBy gives the store of a session whose second version was judged by other rules,
// or says so: its report has other findings, and the journal counts so many errors.
func judgedBy(t *testing.T, rules string, findings []lint.Finding, errors int) store.Store {
	t.Helper()
	st, h := finishedSession(t, eventful, 2)
	c := &h.State.Commits[1]
	r, err := h.Report(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r.Lint, r.Findings = rules, findings
	report := r.JSON()
	changed := rechained(t, h, func(kind, body string) string {
		if kind != flow.KindCommitted || !strings.Contains(body, c.Report) {
			return body
		}
		body = strings.Replace(body, c.Report, store.Hash(report), 1)
		body = strings.Replace(body, fmt.Sprintf(`"lint_errors":%d`, c.Outcome.Errors), fmt.Sprintf(`"lint_errors":%d`, errors), 1)
		return strings.Replace(body, fmt.Sprintf(`"lint_warnings":%d`, c.Outcome.Warnings), `"lint_warnings":0`, 1)
	})
	batch := store.Batch{Blobs: [][]byte{report}, Appends: []store.Append{{Stream: session.Prefix + thread, Entries: changed}}}
	for _, ref := range h.References() {
		data, err := st.Blob(t.Context(), ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		batch.Blobs = append(batch.Blobs, data)
	}
	other := memory.New()
	if err := other.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return other
}

// A program with better rules proves what one with other rules has judged: all but the
// findings follows from the replies, and the counts follow from the findings. It says
// that they were not compared.
func TestFindingsOfOtherRules(t *testing.T) {
	findings := []lint.Finding{{ID: "EX-001", Severity: lint.Error, Item: "H1", Line: 3, Message: "a rule of another time", Fix: "wait"}}
	for _, c := range []struct {
		name, rules string
		errors      int
		says, wrong string
	}{
		{"an older program's", "lint/0", 1, "lint/0", ""},
		{"of before rules had names", "", 1, "unnamed rules", ""},
		{"counted otherwise", "lint/0", 0, "", "an account of version 2"},
		{"of our own rules", lint.Version, 1, "", "the report of version 2"},
	} {
		h, err := session.Load(t.Context(), judgedBy(t, c.rules, findings, c.errors), thread)
		if err != nil {
			t.Fatal(err)
		}
		all, err := h.Replay(t.Context())
		switch {
		case c.wrong != "" && (fault.CodeOf(err) != session.ReplayDiffers || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: %v", c.name, err)
		case c.wrong == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.wrong == "" && (all[0].Lint != "" || all[1].Lint != c.says):
			t.Errorf("%s: %q, %q", c.name, all[0].Lint, all[1].Lint)
		}
	}
}
