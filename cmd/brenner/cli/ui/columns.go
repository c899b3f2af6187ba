package ui

import (
	"strings"
	"unicode/utf8"

	"brenner/internal/text"
	"brenner/project"
)

// widest is how far a column is padded: as far as the longest thread id. Longer
// cells push their own row out of line: one hostile name must not widen thousands
// of rows.
const widest = project.MaxThreadID

// Some names the first of many things, and how many more there are.
func Some(names []string) string { return text.Some(names) }

// Columns lays rows out so that their columns stand under each other, with no
// blanks at the ends of lines. It cleans their cells, which come from outside, too: no
// caller has to.
func Columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = Clean(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(widest, utf8.RuneCountInString(row[i])))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
