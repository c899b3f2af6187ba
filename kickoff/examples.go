package kickoff

import (
	"slices"
	"strings"

	"brenner/artifact/delta"
)

// examples gives the deltas that a message shows: those of the worked example,
// and any that stand in what others wrote. An agent that repeats one of them, be
// it out of the quotation, quotes it. Names in the roster cannot be quoted; should
// they look like a delta, the message as a whole says so.
func (f *Frame) examples(sections []section, body string) []string {
	examples := []string{f.example}
	for _, s := range sections {
		examples = appendShown(examples, s.text)
		if s.text != s.given { // an agent may leave out the marks
			examples = appendShown(examples, strings.ToValidUTF8(s.given, "\ufffd"))
		}
	}
	if !f.plain && slices.ContainsFunc(delta.Read([]byte(body), delta.Options{Examples: examples}).Blocks, isTaken) {
		examples = append(examples, body)
	}
	return examples
}

// appendShown appends a text that shows a delta: as it was written, and as it looks
// without the marks that make it a quotation, a comment or an example.
func appendShown(examples []string, text string) []string {
	if delta.Possible(text) && shows(text) {
		examples = append(examples, text)
	}
	if delta.PossibleBare(text) || joins(text) {
		if bare := unmarked(text); delta.PossibleBare(bare) && shows(bare) {
			examples = append(examples, bare)
		}
	}
	return examples
}

func shows(text string) bool { return len(delta.Read([]byte(text), delta.Options{}).Blocks) > 0 }

// joins tells whether words of a text may grow together where marks are taken off.
func joins(text string) bool {
	return strings.Contains(text, "<!--") || strings.Contains(text, "-->") || strings.Contains(text, "*/")
}

// unmarked gives a text in one fence of its own, without quotation marks, comment
// marks and fences at the fronts of its lines.
func unmarked(text string) string {
	if joins(text) {
		text = strings.NewReplacer("<!--", "", "-->", "", "*/", "").Replace(text)
	}
	var b strings.Builder
	b.Grow(len(text) + len("```\n\n```\n"))
	b.WriteString("```\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "> \t/*#`~:"))
	}
	b.WriteString("\n```\n")
	return b.String()
}

func isTaken(b delta.Block) bool { return b.OK }
