package govern

import "strings"

// withoutHTML makes the tags and comments of a Markdown text plain characters, so that
// nothing that somebody wrote hides what follows it. Code stays as it is.
func withoutHTML(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := fenceOf(strings.TrimLeft(line, " "))
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
			b.WriteString(line)
			continue
		case mark != "":
			fence = mark
			b.WriteString(line)
			continue
		}
		plainLine(&b, line)
	}
	return b.String()
}

// plainLine writes a line. Every second part between backticks is code, but for one
// that nothing closes.
func plainLine(b *strings.Builder, line string) {
	parts := strings.Split(line, "`")
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('`')
		}
		if i%2 == 1 && i < len(parts)-1 {
			b.WriteString(part)
			continue
		}
		for j := range len(part) {
			if part[j] == '<' && j+1 < len(part) && opensTag(part[j+1]) {
				b.WriteString("&lt;")
				continue
			}
			b.WriteByte(part[j])
		}
	}
}

func opensTag(c byte) bool {
	return c == '!' || c == '/' || c == '?' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
