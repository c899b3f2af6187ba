// Package inset puts Markdown texts of authors on a page of ours, so that they neither hide nor outrank what
// follows. It is pure.
package inset

import (
	"strings"

	"brenner/internal/markdown"
)

// fences tracks code blocks in a Markdown text that is written line by line. It need not parse
// all of Markdown, because it may move a fence: unless a fence surely belongs to a list item,
// it is moved to the margin, where it surely does not. So code begins and ends at the same
// place for every reader.
type fences struct {
	mark  string // of the open block, or ""
	item  int    // indentation of the list item that is surely open, or 0
	blank bool   // the last line was blank
	begun bool
}

// next returns a line as it is to be written, and reports whether it is code or a fence.
// Content of a list item counts as neither: it ends with the item.
func (f *fences) next(line string) (string, bool) {
	width, bare := indent(line)
	after := f.blank || !f.begun
	f.blank, f.begun = bare == "", true
	mark := ""
	if width <= 3 {
		mark = fenceOf(bare)
	}
	switch {
	case f.mark != "":
		if strings.HasPrefix(mark, f.mark) && strings.Trim(bare[len(mark):], " \t") == "" {
			f.mark = ""
		}
		return line, true
	case bare == "" || f.item > 0 && width >= f.item:
		return line, false
	case mark != "":
		f.mark, f.item = mark, 0
		return bare, true
	}
	f.item = itemAt(width, bare, after || f.item > 0)
	return line, false
}

// leave records that a line at the margin has ended every list.
func (f *fences) leave() { f.item = 0 }

// lines splits a text at line ends of any kind.
func lines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// indent returns the indentation of a line in columns, and the rest of the line.
func indent(line string) (int, string) {
	bare := strings.TrimLeft(line, " \t")
	width := 0
	for _, c := range line[:len(line)-len(bare)] {
		width++
		if c == '\t' {
			width += (4 - width%4) % 4
		}
	}
	return width, bare
}

func fenceOf(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	f, ok := markdown.OpenFence([]byte(line))
	if !ok {
		return ""
	}
	return line[:f.Length]
}

// itemAt returns the content indentation of a list item that surely begins with a line, or 0.
// Within a paragraph, only the number 1 begins a list.
func itemAt(width int, bare string, fresh bool) int {
	digits := strings.TrimLeft(bare, "0123456789")
	marker := len(bare) - len(digits) + 1
	switch {
	case width > 3 || marker > 10 || markdown.IsBreak([]byte(bare)):
		return 0
	case marker == 1 && strings.IndexAny(bare, "-+*") != 0:
		return 0
	case marker > 1 && (strings.IndexAny(digits, ".)") != 0 || !fresh && bare[:marker-1] != "1"):
		return 0
	}
	rest := bare[marker:]
	text := strings.TrimLeft(rest, " ")
	space := len(rest) - len(text)
	if space < 1 || space > 4 || text == "" || text[0] == '\t' || strings.Trim(text, "-+*>.) \t0123456789") == "" {
		return 0 // empty, or starting with an empty item: readers differ
	}
	return width + marker + space
}
