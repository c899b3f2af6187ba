package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
)

// findBare looks for deltas in prose or a fence of JSON. Reading at a brace may fail. The reader's
// effort bounds how often bytes are read again, so that the work stays linear.
func (r *reader) findBare(b markdown.Block) { r.findObjects(r.src[b.Start:b.End], b, fate{}) }

// findObjects looks for deltas in the text of a block, and returns what it has read or passed over.
func (r *reader) findObjects(text []byte, b markdown.Block, f fate) (done []span) {
	if bytes.IndexByte(text, '{') < 0 || !r.possible(text) {
		return nil
	}
	note := func(from, to int) {
		done = append(done, span{int32(b.Start + from), int32(b.Start + to)})
	}
	takes := !r.second || f.shown == "" // what is only shown may be in a comment as well
	comments := takes
	comment := func(from, to int) {
		note(from, to)
		r.showComment(b, b.Start+from, b.Start+to)
	}
	var code nearjson.CodeSpans
	for pos, brace := 0, -1; !r.full; {
		if brace < pos {
			i := bytes.IndexByte(text[pos:], '{')
			if i < 0 {
				return done
			}
			brace = pos + i
		}
		if comments {
			skip := markdown.InlineComment(text[pos:], brace-pos)
			if comments = skip >= 0; skip > 0 {
				comment(pos, pos+skip)
				pos += skip
				continue
			}
		}
		if b.Kind == markdown.Fenced && takes {
			if skip := nearjson.CodeComment(text[pos:], brace-pos); skip > 0 {
				comment(brace, pos+skip)
				pos += skip
				continue
			}
		}
		pos = brace
		if !beginsObject(text[pos:]) {
			pos++
			continue
		}
		before := r.count
		n := r.objectAt(text, pos, b, f, &code)
		if r.count > before || r.open > 0 { // what has no row may be a change in another form
			note(pos, pos+nearjson.Unfinished(text[pos:pos+n]))
			r.hold(b.Start+pos, b.Start+pos+n)
		}
		pos += n
	}
	return done
}

// objectAt reads the object at an offset in the text of a block, and returns how many bytes are done.
func (r *reader) objectAt(text []byte, pos int, b markdown.Block, f fate, code *nearjson.CodeSpans) int {
	p := passage{base: b.Start + pos, loose: true, fate: f}
	if r.second && b.Kind == markdown.Prose && f == (fate{}) && code.Holds(text, pos) {
		if p.fate = fateElsewhere("in inline code"); r.opt.Reader.Since(FifthReader) && itemform.SpeaksOfText(text[max(0, pos-maxWritten):pos]) {
			p.fate = fate{shown: FlagQuoted, what: "not read: inline code in a sentence about another text"}
		}
	}
	n := r.candidate(text, pos, &p, b)
	if n > 1 {
		code.Pass(pos + n)
	}
	return n
}

// fateAt returns the fate of an object in a block whose fate is f.
func (r *reader) fateAt(text []byte, pos int, b markdown.Block, f fate) fate {
	switch {
	case !r.second || b.Kind != markdown.Prose || f != (fate{}):
		return f
	case r.isForeign(b.Start + pos):
		return fateForwarded
	case inSpans(r.overhung, b.Start+pos):
		return fateOverhung
	}
	if r.third { // with the fence above it
		text, pos = r.src, b.Start+pos
	}
	return r.fateInText(text[max(0, pos-400):pos])
}

// possible reports whether a text may hold an object that is meant as a delta.
func (r *reader) possible(text []byte) bool {
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	switch {
	case r.third && r.opt.Records != NoRecords && (has(`records"`) || has(`record"`)):
		return true
	case r.second && !has("tion") && !has("TION") && !has(`"op"`): // most texts: neither these words nor section
		return false
	case slices.ContainsFunc(bareWords, has):
		return true
	case !r.second || !has(keySection):
		return false
	}
	return has(keyPayload) || slices.ContainsFunc([]string{`"add"`, `"edit"`, `"kill"`, `"ADD"`, `"EDIT"`, `"KILL"`}, has)
}

// beginsObject reports whether a brace is followed by a possible key.
func beginsObject(b []byte) bool {
	b = bytes.TrimLeft(b[1:], " \t\r\n\u00a0\u200b\ufeff")
	return nearjson.QuoteLength(b) > 0 || nearjson.WordLength(b[:min(len(b), 1)]) > 0
}

// candidate reads the object at an offset in the text of a block, if any, and returns how many bytes
// are done.
func (r *reader) candidate(all []byte, pos int, p *passage, b markdown.Block) int {
	base, text := p.base, all[pos:]
	fixed := r.mender.Repair(text, true)
	if fixed.Fail != nil {
		if n := r.unreadable(text, base, fixed.End); n > 0 {
			return n
		}
	}
	p.fate = r.fateAt(all, pos, b, p.fate)
	if r.second && b.Kind == markdown.Prose && p.fate == (fate{}) {
		p.fate = r.fateBehind(r.src[base:base+fixed.End], r.src[base+fixed.End:])
	}
	atEnd := r.opt.Cut && len(bytes.TrimSpace(r.src[base+fixed.End:])) == 0 && p.fate == (fate{})
	if atEnd && !r.second && (fixed.Fail != nil || fixed.Changes.Any()) {
		line, _ := r.place.find(base)
		r.leaveOpen(line)
		return max(fixed.End, 1)
	}
	if !r.second || b.Kind != markdown.Fenced || !isDeltaFence(b.Fence) {
		p.flag(FlagUnfenced, "it stands outside a delta fence")
	}
	if !b.Closed {
		p.flag(FlagTruncated, "the closing fence is missing")
	}
	if fixed.Fail == nil {
		p.text, p.fixed = fixed.Text, fixed
		if fixed.Changes.Any() {
			p.flag(FlagRepaired, fixed.Changes.Describe(func(at int) string { return r.where(base + at) })...)
		}
		r.element(p, span{0, int32(len(fixed.Text))}, 0)
		return max(fixed.End, 1)
	}
	before := r.count
	if r.recordPartial(p, fixed); atEnd {
		r.noteCut(before)
	}
	done := fixed.End // reading more reuses it
	return max(done, 1, r.passOverhung(base+done, b)-base)
}

// unreadable returns how many bytes are done of a text at base that is not JSON up to end and not meant as a
// delta, or is a list of deltas. Else it is 0.
func (r *reader) unreadable(text []byte, base, end int) int {
	if r.mentions(r.around(text, end)) {
		return r.listIn(text)
	}
	if r.effort -= end; r.effort < 0 {
		if r.spent == 0 {
			r.spent, _ = r.place.find(base)
		}
		return max(end, 1)
	}
	return 1
}

// recordPartial records an unfenced delta that is cut off or beyond repair.
func (r *reader) recordPartial(p *passage, fixed *nearjson.Repaired) {
	if p.base+fixed.End == len(r.src) {
		p.flag(FlagTruncated, "the text ends in the middle of it")
	}
	if r.opt.Strict {
		r.row(p, 0, Located{Code: UnfencedDelta, Message: "a delta outside a delta fence", Hint: hintFence})
		return
	}
	p.line, _ = r.place.find(p.base)
	r.refuse(p, fixed.Fail)
}

// mentions reports whether a text that is not JSON is meant as a delta.
func (r *reader) mentions(text []byte) bool {
	if !r.second || mentionsOperation(text) {
		return mentionsOperation(text)
	}
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	isForm := has(": …") || has(": ...") // it only shows the keys
	return !isForm && slices.ContainsFunc(bareWords, has) && slices.ContainsFunc([]string{keySection, keyPayload, keyTarget}, has)
}

// mentionsOperation reports whether a text has a key operation followed by the name of one.
func mentionsOperation(text []byte) bool {
	for {
		i := bytes.Index(text, []byte("peration"))
		if i < 0 {
			return false
		}
		text = text[i+len("peration"):]
		rest := text[:min(len(text), 40)]
		rest = rest[nearjson.QuoteLength(rest):]
		rest = bytes.TrimLeft(rest, " \t\r\n")
		rest, ok := bytes.CutPrefix(rest, []byte(":"))
		if !ok {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t\r\n")
		word := rest[nearjson.QuoteLength(rest):]
		if end := nearjson.WordLength(word); synonyms.IsOperation(string(word[:end])) {
			return true
		}
	}
}

func isWordRune(r rune) bool {
	return r == '_' || r >= 0x80 || (r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Possible returns false only if Read would accept no delta in text. It is much faster than Read: it
// looks for the word delta, which every delta fence has, and for the words of bareWords. Read may
// still report a fence that contains a quotation, and changes that are not complete.
func Possible(text string) bool {
	return PossibleBare(text) || nearjson.PossibleFence(text)
}

// PossibleBare returns false only if text has no delta outside a delta fence.
func PossibleBare(text string) bool {
	return strings.Contains(text, "{") && slices.ContainsFunc(bareWords, func(word string) bool { return strings.Contains(text, word) })
}

// bareWords are the words of which every delta outside a delta fence contains one, if it has an
// operation.
var bareWords = []string{"peration", "PERATION", `"op"`, "action"}
