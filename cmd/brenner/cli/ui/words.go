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

// unknownWidth is how wide a terminal is taken to be that does not say.
const unknownWidth = 80

// Screen is a terminal with a table at its end that is drawn anew in its place.
// Whoever else writes there has the table taken away first: the next drawing puts
// it below what was written.
type Screen struct {
	mu    sync.Mutex
	Out   io.Writer
	Width func() int
	drawn int // lines of the table that stand there
}

// ScreenOf gives a terminal that takes drawings.
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

// Draw puts a table where the last one stood. Its lines are cut to the width of
// the terminal: one that went on in the next row would not be taken away whole.
func (s *Screen) Draw(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width := s.columns() - 1 // some terminals go to the next row after the last column
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

// Clear takes the table away.
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
	return unknownWidth
}

// erase goes up to the table's first line, and clears from there. A key that was
// pressed may have moved the cursor to the right.
func (s *Screen) erase() {
	if s.drawn > 0 {
		s.put(fmt.Sprintf("\r\x1b[%dA\x1b[J", s.drawn))
		s.drawn = 0
	}
}

// put writes; a terminal that is gone is nobody to tell.
func (s *Screen) put(text string) { _, _ = io.WriteString(s.Out, text) }

// Fit cuts a line to so many columns.
func Fit(line string, width int) string {
	at, used := 0, 0 // what fits together with the mark of the cut
	for i, r := range line {
		if used < width {
			at = i
		}
		if used += columnsOf(r); used > width {
			return line[:at] + "…"
		}
	}
	return line
}

// columnsOf is how many columns a character takes, at most: what may be wide
// counts as wide, so that a line is rather too short than too long.
func columnsOf(r rune) int {
	const firstWide, punctuation, behindPunctuation = 0x1100, 0x2000, 0x2070
	if r < firstWide || r >= punctuation && r < behindPunctuation {
		return 1
	}
	return 2
}
