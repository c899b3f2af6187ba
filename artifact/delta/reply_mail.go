package delta

import (
	"cmp"

	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// findForwarded records where another author's message begins in a block of running text, and where
// a line says that it ends.
func (r *reader) findForwarded(b markdown.Block, c clues) {
	isRuled := r.opt.Reader.Since(SeventhReader) && remark.IsRuled(r.src[b.Start:b.End])
	if !c.forwarded && !isRuled || r.foreign.to > int32(b.Start) {
		return
	}
	if from, to := remark.Forwarded(r.src, b.Start, b.End, r.opt.Reader.Remarks(r.opt.Author)); to > 0 {
		r.foreign = span{int32(from), int32(to)}
		r.ownEnd = cmp.Or(r.ownEnd, from)
	}
}

// isForeign reports whether an offset is in the message of another author.
func (r *reader) isForeign(at int) bool { return int(r.foreign.from) <= at && at < int(r.foreign.to) }

// isForwarded reports whether a block is refused because it is in the message of another author.
func (b *Block) isForwarded() bool {
	return len(b.Problems) > 0 && b.Problems[0].Message == fateForwarded.what
}
