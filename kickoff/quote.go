package kickoff

import (
	"strings"
	"unicode"

	"brenner/internal/text"
)

// clean makes a text from outside one that every reader sees in the same lines, and
// marks what cannot be seen in it.
func clean(s string) string { return text.Clean(s, text.PromptText) }

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
