package govern

import "strings"

const deepest = 6

// demoteHeadings prepares a Markdown text for use below one of our headings: its headings, of
// either style, are demoted by some levels, code is unchanged, and an open fence is closed, so
// that it does not swallow what follows.
func demoteHeadings(text string, by int) string {
	var out []string
	var f fences
	begins := -1 // start of the current paragraph
	for _, line := range lines(strings.TrimSpace(text)) {
		line, code := f.next(line)
		width, bare := indent(line)
		switch level := atx(bare); {
		case code:
			begins = -1
		case width > 3: // code, or a continuation
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

func atx(line string) int {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n > deepest || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return n
}

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
