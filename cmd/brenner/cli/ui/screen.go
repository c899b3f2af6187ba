package ui

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

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
