package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// unknownWidth is how wide a terminal is taken to be that does not say.
const unknownWidth = 80

// screen is a terminal with a table at its end that is drawn anew in its place.
// Whoever else writes there has the table taken away first: the next drawing puts
// it below what was written.
type screen struct {
	mu    sync.Mutex
	out   io.Writer
	width func() int
	drawn int // lines of the table that stand there
}

// screenOf gives a terminal that takes drawings.
func screenOf(out io.Writer) *screen {
	if s, ok := out.(*screen); ok {
		return s
	}
	return &screen{out: out}
}

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return s.out.Write(text)
}

// draw puts a table where the last one stood. Its lines are cut to the width of
// the terminal: one that went on in the next row would not be taken away whole.
func (s *screen) draw(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width := s.columns() - 1 // some terminals go to the next row after the last column
	var b strings.Builder
	lines := 0
	for line := range strings.Lines(table) {
		b.WriteString(fit(strings.TrimSuffix(line, "\n"), width) + "\n")
		lines++
	}
	s.erase()
	s.put(b.String())
	s.drawn = lines
}

// clear takes the table away.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *screen) columns() int {
	if s.width != nil {
		if n := s.width(); n > 0 {
			return n
		}
	}
	return unknownWidth
}

// erase goes up to the table's first line, and clears from there. A key that was
// pressed may have moved the cursor to the right.
func (s *screen) erase() {
	if s.drawn > 0 {
		s.put(fmt.Sprintf("\r\x1b[%dA\x1b[J", s.drawn))
		s.drawn = 0
	}
}

// put writes; a terminal that is gone is nobody to tell.
func (s *screen) put(text string) { _, _ = io.WriteString(s.out, text) }

// fit cuts a line to so many columns.
func fit(line string, width int) string {
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
