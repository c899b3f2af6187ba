package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/project"
)

// Clock gives an instant as people here read it: their own time, to the second.
func (a *App) Clock(instant string) string {
	at, err := artifact.ParseInstant(instant)
	if err != nil {
		return instant
	}
	return at.In(a.Now().Location()).Truncate(time.Second).Format("2006-01-02 15:04:05 MST")
}

// Cut shortens a text to what fits at the end of a line.
func Cut(s string) string { return text.Clip(s, 60) }

// OrDash returns a text for a table, or a dash where it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return Clean(s)
}

// longestLine is how much of a text stands in a line for people.
const longestLine = 160

// Quoted returns a shortened text in quotation marks.
func Quoted(s string) string { return `"` + Clean(Clip(s)) + `"` }

// Clip shortens a text to one line.
func Clip(s string) string { return text.Beginning(strings.Join(strings.Fields(s), " "), longestLine) }

// Learned returns what tells people what sessions taught, or nil where nobody wants to
// know. Of several that run at once each is named.
func (a *App) Learned(several bool) func(thread string, learned []string) {
	if a.Quiet || a.JSON {
		return nil
	}
	return func(thread string, learned []string) {
		word := "Playbook: "
		if several {
			word = a.Now().Format(time.TimeOnly) + " " + thread + ": the playbook: "
		}
		a.Say(word + strings.Join(learned, "; ") + "\n")
	}
}

// These say what a rehearsal is, wherever one is seen.
const (
	RehearsalNote     = "Rehearsal: scripted agents play this session; nothing in it is anybody's work."
	LoopRehearsalNote = "Rehearsal: scripted agents play these sessions; nothing in them is anybody's work."
)

// FromHere returns the path of a file as seen from the working directory.
func FromHere(path string) string { return files.FromHere(path) }

// EndedBy says why a session ended.
func EndedBy(reason string) string { return Clean(project.EndedBy(reason)) }

// Money shows dollars; what costs nothing, or has no price, is a dash.
func Money(usd float64) string {
	switch {
	case usd == 0:
		return "-"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Seconds gives an instant as people want it in a list.
func Seconds(instant string) string {
	text, _, _ := strings.Cut(instant, ".")
	return strings.TrimSuffix(text, "Z") + "Z"
}

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

// EachLine puts something on a line of its own for each of many: the ids of a list with --quiet.
func EachLine[T any](all []T, line func(*T) string) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(Clean(line(&all[i])) + "\n")
	}
	return b.String()
}

// NextText lists the commands that come next.
func NextText(commands []string) string {
	return "\nNext:\n" + EachLine(commands, func(next *string) string { return "  " + *next })
}
