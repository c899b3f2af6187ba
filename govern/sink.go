package govern

import "strings"

// deepest is the lowest level of heading that Markdown has.
const deepest = 6

// sunk puts a Markdown text below a heading of ours: its headings go down by some
// levels, whichever way they are written, code stays as it is, and a fence that the
// text leaves open is closed, so that nothing behind it is swallowed.
func sunk(text string, by int) string {
	var out []string
	var f fences
	begins := -1 // where the paragraph begins that the last line is part of
	for _, line := range lines(strings.TrimSpace(text)) {
		line, code := f.next(line)
		width, bare := indent(line)
		switch level := atx(bare); {
		case code:
			begins = -1
		case width > 3: // code, or the middle of something
		case level > 0:
			line, begins = hashes(level+by)+bare[level:], -1
			f.leave()
		case begins >= 0 && underline(bare) > 0:
			title := oneLine(strings.Join(out[begins:], " "))
			out, line = out[:begins], hashes(underline(bare)+by)+" "+title
			begins = -1
			f.leave()
		case bare == "" || strings.ContainsRune("-*+>|0123456789", rune(bare[0])):
			begins = -1
		case begins < 0:
			begins = len(out)
		}
		out = append(out, line)
	}
	if f.mark != "" {
		out = append(out, f.mark)
	}
	return strings.Join(out, "\n")
}

func hashes(level int) string { return strings.Repeat("#", min(level, deepest)) }

// atx gives the level of a heading that begins with hashes, or 0.
func atx(line string) int {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n > deepest || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return n
}

// underline gives the level of the heading whose text stands above a line, or 0.
func underline(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case line == "":
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}
