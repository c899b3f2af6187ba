package delta

import (
	"bytes"
	"slices"

	"brenner/artifact/delta/nearjson"
	"brenner/internal/markdown"
)

// findAll looks for deltas in a block, also for such with HTML entities in place of quotation marks. Those are never accepted: the
// text was made for a page, not for this program.
func (r *reader) findAll(b markdown.Block, f fate) (done []span) {
	text := r.unquoted(b)
	done = r.findObjects(text, b, f)
	if !r.isEscaped(text) {
		return done
	}
	plain, _ := nearjson.Unescaped(text)
	for _, s := range done {
		copy(plain[int(s.from)-b.Start:], bytes.Repeat([]byte{' '}, int(s.to-s.from)))
	}
	if f == (fate{}) {
		f = refused(UnfencedDelta, "a delta with HTML entities in place of its quotation marks", hintFence+"; leave it out if it is an example")
	}
	done = append(done, r.findObjects(plain, b, f)...)
	slices.SortFunc(done, func(a, b span) int { return int(a.from - b.from) })
	return done
}

// isEscaped reports whether a text may hold a delta with HTML entities in place of quotation marks.
func (r *reader) isEscaped(text []byte) bool {
	if !r.opt.Reader.Since(FifthReader) || bytes.IndexByte(text, '&') < 0 {
		return false
	}
	plain, ok := nearjson.Unescaped(text)
	return ok && r.possible(plain)
}
