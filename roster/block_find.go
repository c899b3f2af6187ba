package roster

import "strings"

// findHeading gives the index of the first line that is the block's heading and
// stands at the top level, or -1. Quotations and lists need no care: what is in
// them does not begin at the line's start.
func findHeading(lines []string) int {
	var skip skipper
	for i, line := range lines {
		if skip.inside(line) {
			continue
		}
		if strings.TrimRight(line, " \t\r") == blockHeading {
			return i
		}
	}
	return -1
}

// skipper knows which lines are in fenced code or in an HTML comment.
type skipper struct {
	fence   string // the run of marks that opened the code, or empty
	comment bool
}

func (s *skipper) inside(line string) bool {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case s.comment:
		s.comment = !strings.Contains(line, "-->")
		return true
	case s.fence != "":
		if indent < 4 && closes(text, s.fence) {
			s.fence = ""
		}
		return true
	case indent >= 4:
		return false
	case strings.HasPrefix(text, "<!--"):
		s.comment = !strings.Contains(text, "-->")
		return true
	}
	s.fence = opens(text)
	return s.fence != ""
}

// opens gives the marks with which a line opens fenced code, or "". Text behind
// backticks may have none in it, or the line is code within a paragraph.
func opens(text string) string {
	for _, mark := range []string{"`", "~"} {
		info := strings.TrimLeft(text, mark)
		run := text[:len(text)-len(info)]
		if len(run) >= 3 && (mark == "~" || !strings.Contains(info, "`")) {
			return run
		}
	}
	return ""
}

// closes tells whether a line closes code opened by fence: at least as many of
// the same marks, and nothing else.
func closes(text, fence string) bool {
	rest := strings.TrimLeft(text, fence[:1])
	return len(text)-len(rest) >= len(fence) && strings.Trim(rest, " \t\r") == ""
}
