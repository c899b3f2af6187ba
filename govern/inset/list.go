package inset

import (
	"strings"
	"unicode"
)

// ListUnder returns the items of the lists under headings that begin with a title, or the
// paragraphs if there is no list. Below a line that is not marked as a heading, only a list counts.
func ListUnder(content, title string) []string {
	var out []string
	var f fences
	inside, marked, blank := false, false, false
	for _, line := range lines(content) {
		line, code := f.next(line)
		line = strings.TrimSpace(line)
		item, isItem := itemText(line)
		plain := strings.ToLower(strings.TrimFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }))
		switch {
		case code:
		case strings.HasPrefix(plain, title):
			inside, marked, blank = true, strings.ContainsAny(line[:1], "#*_"), true
			if _, rest, ok := strings.Cut(line, ":"); ok && oneLine(strings.Trim(rest, "* ")) != "" {
				for part := range strings.SplitSeq(rest, ";") {
					out = append(out, oneLine(strings.Trim(part, "* ")))
				}
				inside = false
			}
		case strings.HasPrefix(line, "#"):
			inside = false
		case !inside:
		case line == "":
			blank = true
		case isItem:
			out, blank = append(out, oneLine(item)), false
		case !blank && len(out) > 0:
			out[len(out)-1] += " " + oneLine(line)
		case marked:
			out, blank = append(out, oneLine(line)), false
		default:
			inside = len(out) == 0
		}
	}
	return out
}

// itemText returns the text of a list item, and reports whether a line is one.
func itemText(line string) (string, bool) {
	rest := strings.TrimLeft(line, "0123456789")
	marks := ".)"
	if rest == line {
		marks = "-*+"
	}
	if len(rest) < 2 || !strings.Contains(marks, rest[:1]) || rest[1] != ' ' {
		return "", false
	}
	return rest[2:], true
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
