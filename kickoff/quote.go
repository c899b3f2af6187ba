package kickoff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text from outside one that every reader sees in the same lines:
// whatever anybody takes for the end of a line is one, and what no text should
// hold (bytes that are no characters, control characters) is shown as such.
func clean(text string) string {
	if isClean(text) {
		return text
	}
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsControl(r):
			return '\ufffd'
		}
		return r
	}, text)
}

// isClean tells whether clean would leave a text as it is: nearly all are, and looking
// is much faster than making a new one.
func isClean(text string) bool {
	for i, r := range text {
		switch {
		case r >= ' ' && r < '\u007f' || r == '\n' || r == '\t':
		case r < ' ' || r <= '\u009f' || r == '\u2028' || r == '\u2029' || r == '\ufeff' && i == 0:
			return false
		case r == utf8.RuneError:
			return false // it may be one, or stand for something that is none
		}
	}
	return true
}

// blank tells whether a text shows nothing.
func blank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// oneLine gives a text without line ends and without space around its words.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// quoted gives a text as a block quote.
func quoted(text string) string {
	var b strings.Builder
	quote(&b, clean(text))
	return b.String()
}

// quote writes a clean text as a block quote. Every line of it begins with the mark,
// so that nothing in it can begin a block outside the quote; whoever writes it leaves
// a blank line behind it, so that nothing behind it is taken into the quote.
func quote(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(trimmed(text), "\n") {
		line = strings.TrimRight(line, " \t")
		b.WriteByte('>')
		if line != "" {
			b.WriteByte(' ')
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
}

// trimmed takes blank lines off both ends of a text, and leaves the indentation of
// its first line.
func trimmed(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || !blank(line) {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, " \t\n")
}

// entry gives one element of a list inside a quote: its lines after the first are
// indented, so that they belong to it.
func entry(mark, text string) string {
	return mark + strings.ReplaceAll(trimmed(clean(text)), "\n", "\n  ") + "\n"
}
