package govern

import (
	"strings"

	"brenner/internal/markdown"
)

// fences follows the blocks of code in a Markdown text that is written line by line.
// It need not know all of Markdown, because it may move a fence: one of which it is not
// sure that it belongs to an item of a list is put at the margin, where it surely does
// not. So whatever the text is, code begins and ends for every reader where it does here.
type fences struct {
	mark  string // of the block that is open, or ""
	item  int    // the columns that the item of a list is indented by that is surely open, or 0
	blank bool   // the last line was
	begun bool
}

// next gives a line as it is to be written, and tells whether it is code or a fence. What
// stands in an item of a list is neither: it ends with the item.
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

// leave says that a line was written at the margin that ends every list.
func (f *fences) leave() { f.item = 0 }

// lines gives the lines of a text, whichever way they end.
func lines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// indent gives the columns before the first character of a line, and the line from there.
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

// fenceOf returns the mark that opens or closes a block of code, or "".
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

// itemAt gives the columns that an item of a list is indented by if one surely begins
// with a line, or 0. In the middle of a paragraph a number begins one only if it is 1.
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
		return 0 // empty, or with an empty one in it: readers differ about these
	}
	return width + marker + space
}
