package delta

import (
	"bytes"
	"slices"

	"brenner/artifact"
	"brenner/internal/markdown"
)

// bare looks for deltas in a stretch that is no delta block: prose, or a fence of
// JSON. Reading at a brace may be in vain; the reader's effort bounds how often
// the same bytes are read again, so that the work stays linear.
func (r *reader) bare(b markdown.Block) {
	text := r.src[b.Start:b.End]
	words := bareWords()
	if !slices.ContainsFunc(words[:], func(word string) bool { return bytes.Contains(text, []byte(word)) }) {
		return
	}
	comments := true
	for pos, brace := 0, -1; !r.full; {
		if brace < pos {
			i := bytes.IndexByte(text[pos:], '{')
			if i < 0 {
				return
			}
			brace = pos + i
		}
		if comments {
			skip := markdown.InlineComment(text[pos:], brace-pos)
			if skip > 0 {
				pos += skip
				continue
			}
			comments = skip == 0
		}
		if skip := codeComment(text[pos:], brace-pos); b.Kind == markdown.Fenced && skip > 0 {
			pos += skip
			continue
		}
		pos = brace
		if !beginsObject(text[pos:]) {
			pos++
			continue
		}
		pos += r.candidate(text[pos:], b.Start+pos, b.Closed)
	}
}

// codeComment measures the text up to the end of a comment, as programs have them,
// that a limit stands in; 0 if there is none.
func codeComment(text []byte, limit int) int {
	before := text[:limit]
	if start := bytes.LastIndex(before, []byte("/*")); start >= 0 && !bytes.Contains(before[start+2:], []byte("*/")) {
		if end := bytes.Index(text[limit:], []byte("*/")); end >= 0 {
			return limit + end + len("*/")
		}
		return len(text)
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if !bytes.Contains(line, []byte("//")) && !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
		return 0
	}
	if end := bytes.IndexByte(text[limit:], '\n'); end >= 0 {
		return limit + end
	}
	return len(text)
}

// beginsObject tells whether a brace is followed by what could be a key.
func beginsObject(b []byte) bool {
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	kind, _ := quoteAt(b)
	return kind != quoteNone || wordLength(b[:min(len(b), 1)]) > 0
}

// candidate reads the object at the front of text, if it is one, and says how
// much of the text is done with.
func (r *reader) candidate(text []byte, base int, closed bool) int {
	fixed := r.mender.repair(text, true)
	if fixed.fail != nil && !mentionsOperation(text[:fixed.end]) {
		r.effort -= fixed.end
		if r.effort < 0 {
			return max(fixed.end, 1)
		}
		return 1
	}
	p := &passage{base: base, loose: true}
	p.flag(FlagUnfenced, "it stands outside a delta fence")
	if !closed {
		p.flag(FlagTruncated, "the closing fence is missing")
	}
	if fixed.fail == nil {
		p.text, p.fixed = fixed.text, fixed
		if fixed.changes.any() {
			p.flag(FlagRepaired, fixed.changes.describe(func(at int) string { return r.where(base + at) })...)
		}
		r.element(p, span{0, int32(len(fixed.text))}, 0)
		return max(fixed.end, 1)
	}
	r.halfRead(p, fixed)
	return max(fixed.end, 1)
}

// halfRead is a delta outside a fence that breaks off or cannot be mended.
func (r *reader) halfRead(p *passage, fixed *repaired) {
	if p.base+fixed.end == len(r.src) {
		p.flag(FlagTruncated, "the text ends in the middle of it")
	}
	if r.opt.Strict {
		r.row(p, Block{}, 0, Located{Code: UnfencedDelta, Message: "a delta outside a delta fence", Hint: hintFence})
		return
	}
	problem := r.located(artifact.InvalidJSON, p.base+fixed.fail.at, "", fixed.fail.hint)
	problem.Message = fixed.fail.what + " (" + r.where(p.base+fixed.fail.at) + ")"
	line, _ := r.place.find(p.base)
	r.add(Block{Line: line, Flags: p.flags, Problems: []Located{problem}})
}

// mentionsOperation tells whether a text that is no JSON says that it is a
// delta: a key operation with the name of one behind it.
func mentionsOperation(text []byte) bool {
	for {
		i := bytes.Index(text, []byte("peration"))
		if i < 0 {
			return false
		}
		text = text[i+len("peration"):]
		rest := text[:min(len(text), 40)]
		if _, n := quoteAt(rest); n > 0 {
			rest = rest[n:]
		}
		rest = bytes.TrimLeft(rest, " \t\r\n")
		rest, ok := bytes.CutPrefix(rest, []byte(":"))
		if !ok {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t\r\n")
		_, n := quoteAt(rest)
		word := rest[n:]
		if end := wordLength(word); isOperation(string(word[:end])) {
			return true
		}
	}
}
