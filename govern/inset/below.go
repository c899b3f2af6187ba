package inset

import (
	"strings"

	"brenner/internal/markdown"
)

// Below prepares a Markdown text for use below one of our headings: its headings, of either
// style, are demoted by some levels, lines that look like the sources of our page become
// quotations, code is unchanged, and an open fence is closed, so that it does not swallow what
// follows. All of it is one pass, since each change may end a list and move the fences in it.
func Below(text string, by int) string {
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
		case isSource(bare):
			line, begins = "> "+bare, -1
			f.leave()
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

func isSource(line string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimLeft(line, "*_\\ ")), "source")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, "*_\\ "), ":")
}

func hashes(level int) string { return strings.Repeat("#", min(level, markdown.DeepestHeading)) }
