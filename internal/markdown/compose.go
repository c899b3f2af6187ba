package markdown

import (
	"bytes"
	"iter"
	"strings"
)

// WithReasoning returns a text behind the reasoning that its author sent apart from it, between tags. The reasoning keeps its
// words, but is quoted if it would change how the text is read, as unclosed marks do.
func WithReasoning(reasoning, text string) string {
	reasoning = strings.TrimSpace(reasoning)
	if reasoning == "" || strings.Contains(text, reasoning) {
		return text
	}
	between := func(inner string) string { return "<think>\n" + inner + "\n</think>\n\n" + text }
	plain := between("(the reasoning is left out: it cannot be told apart from the text)")
	quoted := "> " + strings.ReplaceAll(reasoning, "\n", "\n> ")
	for _, inner := range []string{reasoning, quoted, strings.NewReplacer("<", "&lt;", "`", "'").Replace(quoted)} {
		if with := between(inner); readsAlike(with, plain, len(text)) {
			return with
		}
	}
	return plain
}

// readsAlike reports whether two texts have the same blocks in their last n bytes, and only drafts before.
func readsAlike(a, b string, n int) bool {
	next, stop := iter.Pull(blocksBehind(b, n))
	defer stop()
	for x := range blocksBehind(a, n) {
		if y, ok := next(); !ok || !x.equal(&y) {
			return false
		}
	}
	_, more := next()
	return !more
}

// blocksBehind returns the blocks in the last n bytes of a text, as if it began with them, and all before that are not drafts.
func blocksBehind(text string, n int) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		shift := len(text) - n - 1 // with the blank line before
		lines := strings.Count(text[:shift], "\n")
		for b := range Blocks([]byte(text), Third) {
			isBefore := b.Start < shift
			b.Start, b.End, b.Line = b.Start-shift, b.End-shift, b.Line-lines
			if !(isBefore && b.Draft) && !yield(b) {
				return
			}
		}
	}
}

func (b *Block) equal(c *Block) bool {
	type rest struct {
		kind                      Kind
		start, end, line, length  int
		mark                      byte
		closed, quoted, draft     bool
		damage                    string
		doubtful, indented, shown bool
	}
	of := func(b *Block) rest {
		return rest{b.Kind, b.Start, b.End, b.Line, b.Fence.Length, b.Fence.Mark, b.Closed, b.Quoted, b.Draft, b.Damage, b.Doubtful, b.Indented, b.Shown}
	}
	return bytes.Equal(b.Fence.Info, c.Fence.Info) && of(b) == of(c)
}
