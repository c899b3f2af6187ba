package mergecmd

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/merge"
)

// ReportText gives a merge's report for people: a line for each delta, what was
// refused in it, warnings, conflicts, and the sum.
func ReportText(r *merge.Report) string {
	var rows [][]string
	for i := range r.Deltas {
		rows = appendRows(rows, &r.Deltas[i])
	}
	var b strings.Builder
	b.WriteString(ui.Columns(rows))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning  %s: %s\n", warning.Code, ui.Clean(warning.Message))
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict %s.%s\n", c.Item, ui.Clean(c.Field))
		for _, candidate := range c.Candidates {
			fmt.Fprintf(&b, "           %s (%s): %s\n", ui.Clean(candidate.Agent), ui.Clean(candidate.Delta),
				ui.Clean(string(artifact.Canonical(candidate.Value))))
		}
	}
	b.WriteString(sum(r))
	return b.String()
}

// NotesText says what the reader of replies had to say.
func NotesText(notes []delta.Note) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "note     %s:%d: %s: %s\n", ui.Clean(n.File), n.Line, n.What, ui.Clean(n.Text))
	}
	return b.String()
}

func appendRows(rows [][]string, row *merge.Row) [][]string {
	what := ui.Clean(row.Message)
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
			detail += ": " + ui.Clean(f.Message)
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
			names = append(names, ui.Clean(f.Field))
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
