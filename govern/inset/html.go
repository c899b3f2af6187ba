package inset

import "strings"

// EscapeHTML escapes the tags and comments of a Markdown text, so that no author can hide what
// follows. Code is unchanged if it is certainly code: an unnecessary "&lt;" is better than a tag.
func EscapeHTML(text string) string {
	var f fences
	var t tags
	out := lines(text)
	for i, line := range out {
		line, code := f.next(line)
		if !code {
			line = t.escape(line)
		}
		out[i] = line
	}
	return strings.Join(out, "\n")
}

// tags escapes tags in a text outside code blocks, line by line. What is inline code depends on
// the whole paragraph before it. It is recognized only in clear cases: spans begin and end on
// one line, without anything before them that may consume their marks, such as links, table
// cells and escapes.
type tags struct {
	doubt bool // until the end of the paragraph
}

func (t *tags) escape(line string) string {
	if strings.Trim(line, " \t") == "" {
		t.doubt = false
		return line
	}
	t.doubt = t.doubt || strings.ContainsAny(line, `[|\`)
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '`' && !t.doubt:
			span := codeSpan(line[i:])
			t.doubt = span == ""
			b.WriteString(line[i : i+max(1, len(span))])
			i += max(1, len(span)) - 1
		case line[i] == '<' && i+1 < len(line) && opensTag(line[i+1]):
			b.WriteString("&lt;")
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String()
}

// codeSpan returns the code span at the start of a text, up to the same number of backticks, or
// "" if it is not closed.
func codeSpan(text string) string {
	marks := len(text) - len(strings.TrimLeft(text, "`"))
	for at := marks; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		at += run
		if run == marks {
			return text[:at]
		}
	}
	return ""
}

func opensTag(c byte) bool {
	return c == '!' || c == '/' || c == '?' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
