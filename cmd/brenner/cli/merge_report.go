package cli

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/merge"
)

// reportText gives a merge's report for people: a line for each delta, what was
// refused in it, warnings, conflicts, and the sum.
func reportText(r *merge.Report) string {
	var rows [][]string
	for i := range r.Deltas {
		rows = appendRows(rows, &r.Deltas[i])
	}
	var b strings.Builder
	b.WriteString(columns(rows))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning  %s: %s\n", warning.Code, clean(warning.Message))
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict %s.%s\n", c.Item, clean(c.Field))
		for _, candidate := range c.Candidates {
			fmt.Fprintf(&b, "           %s (%s): %s\n", clean(candidate.Agent), clean(candidate.Delta),
				clean(string(artifact.Canonical(candidate.Value))))
		}
	}
	b.WriteString(sum(r))
	return b.String()
}

// notesText says what the reader of replies had to say.
func notesText(notes []readingNote) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "note     %s:%d: %s: %s\n", clean(n.File), n.Line, n.What, clean(n.Text))
	}
	return b.String()
}

func appendRows(rows [][]string, row *merge.Row) [][]string {
	what := clean(row.Message)
	switch {
	case row.Code != "":
		what = string(row.Code) + ": " + what
	case what == "":
		what = written(row)
	}
	target := row.TargetID
	if target == "" {
		target = "-"
	}
	rows = append(rows, []string{row.Disposition.String(), row.DeltaID, row.Agent, target, what})
	for _, f := range row.Fields {
		if f.Outcome == merge.FieldApplied || f.Outcome == merge.FieldUnchanged {
			continue
		}
		detail := f.Outcome.String()
		if code := f.Code(); code != "" {
			detail += " " + string(code)
		}
		if f.Message != "" {
			detail += ": " + clean(f.Message)
		}
		rows = append(rows, []string{"", "", "", "." + f.Field, detail})
	}
	return rows
}

// written names the fields that a delta changed.
func written(row *merge.Row) string {
	var names []string
	for _, f := range row.Fields {
		if f.Outcome == merge.FieldApplied {
			names = append(names, clean(f.Field))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "wrote " + strings.Join(names, ", ")
}

// sum is the last line of the report.
func sum(r *merge.Report) string {
	counts := map[merge.Disposition]int{}
	for i := range r.Deltas {
		counts[r.Deltas[i].Disposition]++
	}
	parts := []string{fmt.Sprintf("version %d", r.Version)}
	for _, d := range []merge.Disposition{
		merge.Applied, merge.Conflicted, merge.Superseded, merge.Skipped, merge.Duplicate, merge.Rejected,
	} {
		if n := counts[d]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d))
		}
	}
	if len(r.Deltas) == 0 {
		parts = append(parts, "no deltas")
	}
	return strings.Join(parts, ", ")
}
