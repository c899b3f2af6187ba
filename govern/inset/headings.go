package inset

import (
	"strings"

	"brenner/internal/markdown"
)

// DemoteHeadings prepares a Markdown text for use below one of our headings: its headings, of
// either style, are demoted by some levels, code is unchanged, and an open fence is closed, so
// that it does not swallow what follows.
func DemoteHeadings(text string, by int) string {
	var out []string
	var f fences
	begins := -1 // start of the current paragraph
	for _, line := range lines(strings.TrimSpace(text)) {
		line, code := f.next(line)
		width, bare := indent(line)
		switch level := markdown.HeadingLevel(bare); {
		case code:
			begins = -1
		case width > 3: // code, or a continuation
		case level > 0:
			line, begins = hashes(level+by)+bare[level:], -1
			f.leave()
		case begins >= 0 && markdown.UnderlineLevel(bare) > 0:
			title := strings.Join(strings.Fields(strings.Join(out[begins:], " ")), " ")
			out, line = out[:begins], hashes(markdown.UnderlineLevel(bare)+by)+" "+title
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

func hashes(level int) string { return strings.Repeat("#", min(level, markdown.DeepestHeading)) }
