package ui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/session"
	"brenner/session/audit"
)

// Clock formats an instant in local time, to the second.
func (a *App) Clock(instant string) string {
	at, err := artifact.ParseInstant(instant)
	if err != nil {
		return instant
	}
	return at.In(a.Now().Location()).Truncate(time.Second).Format("2006-01-02 15:04:05 MST")
}

// Cut shortens text for the end of a line.
func Cut(s string) string { return text.Clip(s, 60) }

// OrDash returns cleaned text for a table cell, or "-" if it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return Clean(s)
}

// Author returns the name of an author and, in brackets, what was really asked, if it is known.
func Author(name, asked string) string {
	if asked == "" {
		return Clean(name)
	}
	return Clean(name) + " (" + Clean(asked) + ")"
}

// maxLine is how much of a text Clip keeps.
const maxLine = 160

// Quoted returns shortened text in quotation marks.
func Quoted(s string) string { return `"` + Clean(Clip(s)) + `"` }

// Clip shortens text to one line.
func Clip(s string) string { return text.Beginning(strings.Join(strings.Fields(s), " "), maxLine) }

// Learned returns a function that prints what a session added to the playbook, or nil
// with --quiet or --json. If several sessions run concurrently, it names the session.
func (a *App) Learned(several bool) func(thread string, learned []string) {
	if a.Quiet || a.JSON {
		return nil
	}
	return func(thread string, learned []string) {
		label := "Playbook: "
		if several {
			label = a.Now().Format(time.TimeOnly) + " " + thread + ": playbook: "
		}
		a.Say(label + strings.Join(learned, "; ") + "\n")
	}
}

// RehearsalNote is printed with everything that comes from a rehearsal.
const RehearsalNote = "Rehearsal: scripted output, not real findings."

// NotDurable is the row of a summary about a database's server that does not keep everything.
func NotDurable() []string {
	return []string{"Not durable", "a crash of the database's server can lose what was stored last (durable=no)"}
}

// FromHere returns a path relative to the working directory.
func FromHere(path string) string { return files.FromHere(path) }

// EndedBy describes how a session ended.
func EndedBy(reason, verdict string) string { return Clean(audit.EndedBy(reason, verdict)) }

// Ended is EndedBy for a session that may run a task.
func Ended(task, reason, verdict string) string { return Clean(audit.Ended(task, reason, verdict)) }

// Phase returns the phase of a session or a loop as text.
func Phase(phase string) string {
	if phase == session.PhaseLeft {
		return "incomplete"
	}
	return Clean(phase)
}

// Money formats dollars; zero is "-".
func Money(usd float64) string {
	switch {
	case usd == 0:
		return "-"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Seconds formats an instant for a list, without fractions of a second.
func Seconds(instant string) string {
	text, _, _ := strings.Cut(instant, ".")
	return strings.TrimSuffix(text, "Z") + "Z"
}

// maxPadding is how far a column is padded: enough for two models that an agent asked. A longer
// cell shifts only its own row.
const maxPadding = 100

// Some joins the first few names and counts the rest.
func Some(names []string) string { return text.Some(names) }

// Columns formats rows as an aligned table without trailing blanks. It also cleans the
// cells.
func Columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = Clean(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(maxPadding, utf8.RuneCountInString(row[i])))
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

// EachLine prints one cleaned line per element, such as the ids of a list with --quiet.
func EachLine[T any](all []T, line func(*T) string) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(Clean(line(&all[i])) + "\n")
	}
	return b.String()
}

// NextText lists the commands to run next.
func (a *App) NextText(commands []string) string {
	return a.Named("\nNext:\n" + EachLine(commands, func(next *string) string { return "  " + *next }))
}

// defaultWidth is the assumed width of a terminal that does not report one.
const defaultWidth = 80

// Screen is a terminal with a table at its end that is redrawn in place. Any other write
// erases the table first; the next Draw puts it below the new output.
type Screen struct {
	mu    sync.Mutex
	Out   io.Writer
	Width func() int
	drawn int // lines of the table on the screen
}

// ScreenOf returns out as a Screen, wrapping it if needed.
func ScreenOf(out io.Writer) *Screen {
	if s, ok := out.(*Screen); ok {
		return s
	}
	return &Screen{Out: out}
}

func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return s.Out.Write(text)
}

// Draw replaces the previous table. Lines are cut to the width of the terminal: a wrapped
// line would not be erased completely.
func (s *Screen) Draw(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width := s.columns() - 1 // some terminals wrap after the last column
	var b strings.Builder
	lines := 0
	for line := range strings.Lines(table) {
		b.WriteString(Fit(strings.TrimSuffix(line, "\n"), width) + "\n")
		lines++
	}
	s.erase()
	s.put(b.String())
	s.drawn = lines
}

// Clear erases the table.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *Screen) columns() int {
	if s.Width != nil {
		if n := s.Width(); n > 0 {
			return n
		}
	}
	return defaultWidth
}

// erase moves up to the first line of the table and clears from there. The carriage
// return is for a cursor that typed input moved to the right.
func (s *Screen) erase() {
	if s.drawn > 0 {
		s.put(fmt.Sprintf("\r\x1b[%dA\x1b[J", s.drawn))
		s.drawn = 0
	}
}

// put writes to the terminal and ignores errors.
func (s *Screen) put(text string) { _, _ = io.WriteString(s.Out, text) }

// Fit cuts a line to width columns.
func Fit(line string, width int) string {
	at, used := 0, 0 // at leaves room for the ellipsis
	for i, r := range line {
		if used < width {
			at = i
		}
		if used += runeWidth(r); used > width {
			return line[:at] + "…"
		}
	}
	return line
}

// runeWidth returns the most columns that a character may take: a line should rather be
// too short than too long.
func runeWidth(r rune) int {
	const firstWide, punctuation, afterPunctuation = 0x1100, 0x2000, 0x2070
	if r < firstWide || r >= punctuation && r < afterPunctuation {
		return 1
	}
	return 2
}
