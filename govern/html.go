package govern

import "strings"

// withoutHTML makes the tags and comments of a Markdown text plain characters, so that
// nothing that somebody wrote hides what follows it. Code stays as it is, where there is
// no doubt that it is code: a "&lt;" too many is better than a tag.
func withoutHTML(text string) string {
	var f fences
	var t tags
	out := lines(text)
	for i, line := range out {
		line, code := f.next(line)
		if !code {
			line = t.without(line)
		}
		out[i] = line
	}
	return strings.Join(out, "\n")
}

// tags takes tags out of a text that is no block of code, line by line. What is code
// within a line depends on all of the paragraph before it. So it is told where that is
// plain: spans begin and end on one line, and nothing stands before them that may take
// their marks away, which are links, cells of tables, and what is escaped.
type tags struct {
	doubt bool // until the end of the paragraph
}

func (t *tags) without(line string) string {
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

// codeSpan gives the code that a text begins with, up to as many backticks as it has in
// front, or "" if none closes it.
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
