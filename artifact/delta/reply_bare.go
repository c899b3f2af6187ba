package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/markdown"
)

// findBare looks for deltas in prose or a fence of JSON. Reading at a brace may fail. The reader's
// effort bounds how often bytes are read again, so that the work stays linear.
func (r *reader) findBare(b markdown.Block) {
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

// codeComment returns where the source-code comment around limit ends, or 0.
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

// beginsObject reports whether a brace is followed by a possible key.
func beginsObject(b []byte) bool {
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	kind, _ := quoteAt(b)
	return kind != quoteNone || wordLength(b[:min(len(b), 1)]) > 0
}

// candidate reads the object at the start of text, if any, and returns how many bytes are done.
func (r *reader) candidate(text []byte, base int, closed bool) int {
	fixed := r.mender.repair(text, true)
	if fixed.fail != nil && !mentionsOperation(text[:fixed.end]) {
		r.effort -= fixed.end
		if r.effort < 0 {
			return max(fixed.end, 1)
		}
		return 1
	}
	if atEnd := len(bytes.TrimSpace(r.src[base+fixed.end:])) == 0; r.opt.Cut && atEnd && (fixed.fail != nil || fixed.changes.any()) {
		line, _ := r.place.find(base)
		r.leaveOpen(line)
		return max(fixed.end, 1)
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
	r.recordPartial(p, fixed)
	return max(fixed.end, 1)
}

// recordPartial records an unfenced delta that is cut off or beyond repair.
func (r *reader) recordPartial(p *passage, fixed *repaired) {
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

// mentionsOperation reports whether a text has a key operation followed by the name of one.
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

// maxAnnouncement is how many bytes of a line are searched for an announcement.
const maxAnnouncement = 120

// announce records the first line of prose that promises deltas: a heading that mentions them,
// "Delta 1:", or an operation in capitals.
func (r *reader) announce(b markdown.Block) {
	if r.announced > 0 || r.meant {
		return
	}
	text := r.src[b.Start:b.End]
	for line := b.Line; len(text) > 0; line++ {
		var this []byte
		this, text, _ = bytes.Cut(text, []byte("\n"))
		if len(this) > 1 && announces(string(this[:min(len(this), maxAnnouncement)])) {
			r.announced = line
			return
		}
	}
}

func announces(line string) bool {
	trimmed := strings.TrimLeft(line, " \t-+>0123456789.)")
	body := strings.TrimLeft(trimmed, "#*_` \t0123456789.)")
	emphatic := len(body) < len(trimmed)
	first := strings.FieldsFunc(body, func(r rune) bool { return !isWordRune(r) })
	if len(first) == 0 {
		return false
	}
	switch first[0] {
	case Add, Edit, Kill:
		return len(first) > 1
	}
	word := strings.ToLower(first[0])
	if word == "delta" || word == "deltas" {
		rest := strings.TrimLeft(body[len(word):], " #0123456789*_`")
		return emphatic || rest == "" || rest[0] == ':'
	}
	if !emphatic {
		return false
	}
	for _, w := range first {
		if w = strings.ToLower(w); w == "delta" || w == "deltas" {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool {
	return r == '_' || r >= 0x80 || (r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Possible returns false only if Read would find no delta in text, accepted, refused or shown. It
// is much faster than Read: it looks for the word delta, which every delta fence has, and for the
// words of bareWords. Read may still report a fence that contains a quotation.
func Possible(text string) bool {
	return PossibleBare(text) || possibleFence(text)
}

// PossibleBare returns false only if text has no delta outside a delta fence.
func PossibleBare(text string) bool {
	if !strings.Contains(text, "{") {
		return false
	}
	for _, word := range bareWords() {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func possibleFence(text string) bool {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, ":::") {
		return false
	}
	const word = "delta"
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// bareWords returns the words of which every delta outside a delta fence contains one.
func bareWords() [4]string { return [...]string{"peration", "PERATION", `"op"`, "action"} }
