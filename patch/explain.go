package patch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
	words "brenner/internal/text"
)

// Near is a place where a text would have matched except for a character.
type Near struct {
	Line   int    `json:"line"`   // in the base
	Column int    `json:"column"` // in characters, from 1
	Text   string `json:"text"`   // in the base
	Patch  string `json:"patch"`  // in the patch
	Kind   string `json:"kind"`   // "character" or "whitespace"
}

// Kinds of near misses.
const (
	nearCharacter  = "character"
	nearWhitespace = "whitespace"
)

// maxExplained bounds the explained failures of one patch: each may take a pass over the base,
// and the next run shows the rest.
const maxExplained = 20

const maxShownBlock = 200

// mayExplain reports whether one more failure may be explained, and counts it.
func (r *resolver) mayExplain() bool {
	r.explained++
	return r.explained <= maxExplained
}

// reportMissing adds the problem of an anchor that was not found, with near misses.
func (r *resolver) reportMissing(t *task, wanted int) {
	p := Problem{
		Code: AnchorNotFound, Operation: t.number, Field: anchorField(t.field), Found: t.found.count, Wanted: wanted,
		Message: fmt.Sprintf("no instance %d of the anchor %s; %d found", wanted, fault.Shown(t.anchor.Text), t.found.count),
		Hint:    "quote text of the base right before the block",
	}
	if t.found.count > 0 {
		p.Hint = fmt.Sprintf("match_index may be 1 to %d", t.found.count)
	} else {
		r.explain(&p, t.anchor.Text, t.anchor.Text)
	}
	r.report.Problems = append(r.report.Problems, p)
}

// explain adds where a text nearly occurs in the base: all of it, or the beginning of its lines.
func (r *resolver) explain(p *Problem, text, lines string) {
	if !r.mayExplain() {
		return
	}
	r.explainNear(p, text)
	if p.Line == 0 {
		r.explainPrefix(p, lines)
	}
}

func anchorField(field string) string {
	group, _, _ := strings.Cut(field, ".")
	return group + ".anchor.text"
}

// explainNear finds the place that looks like the text and describes the difference. It is for
// messages only; nothing is applied by it.
func (r *resolver) explainNear(p *Problem, text string) {
	for i, bare := range []bool{false, true} {
		if r.folds[i] == nil {
			r.folds[i] = fold(r.base.canon, bare)
		}
		from, to, ok := r.folds[i].find(fold(text, bare).text)
		if !ok {
			continue
		}
		if bare {
			from, to = around(r.base.canon, text, from, to)
		}
		r.describe(p, text, from, to)
		return
	}
}

// around extends or trims a place so that it has whitespace at its ends as the text has.
func around(base, text string, from, to int) (int, int) {
	to = from + len(strings.TrimRightFunc(base[from:to], unicode.IsSpace))
	if hasLeadingSpace(text) {
		from = len(strings.TrimRightFunc(base[:from], unicode.IsSpace))
	}
	if len(strings.TrimRightFunc(text, unicode.IsSpace)) < len(text) {
		to = len(base) - len(strings.TrimLeftFunc(base[to:], unicode.IsSpace))
	}
	return from, to
}

func hasLeadingSpace(text string) bool {
	return len(strings.TrimLeftFunc(text, unicode.IsSpace)) < len(text)
}

// describe describes the first difference between a text and a place of the base.
func (r *resolver) describe(p *Problem, text string, from, to int) {
	place := r.base.canon[from:to]
	if strings.HasPrefix(place, text) {
		p.Line = r.base.line(from)
		p.Message += fmt.Sprintf("; line %d contains it only as a part", p.Line)
		return
	}
	i := words.Common(text, place)
	n := Near{Kind: nearCharacter, Patch: oneCharacter(text[i:]), Text: oneCharacter(place[i:])}
	at := from + i
	if spaceDiffers(text[i:], place[i:]) {
		n.Kind = nearWhitespace
		var start int
		_, n.Patch = spaces(text, i)
		start, n.Text = spaces(place, i)
		at = from + start
	}
	if at == len(r.base.canon) && at > 0 {
		_, size := utf8.DecodeLastRuneInString(r.base.canon)
		at -= size
	}
	n.Line, n.Column = r.base.line(at), r.base.column(at)
	p.Line, p.Near = n.Line, append(p.Near, n)
	p.Message += fmt.Sprintf("; line %d, column %d looks the same, but has %s where the patch has %s", n.Line, n.Column, n.Text, n.Patch)
	p.Hint = "quote line " + fmt.Sprint(n.Line) + " of the base exactly"
	if n.Kind == nearWhitespace && p.Code == AnchorNotFound {
		p.Hint += `, or use "match_mode": "` + IgnoreWhitespace + `"`
	}
}

// spaceDiffers reports whether two texts differ at their beginning only by plain whitespace. A
// no-break space does not count: the message must name it.
func spaceDiffers(a, b string) bool {
	ra, _ := utf8.DecodeRuneInString(a)
	rb, _ := utf8.DecodeRuneInString(b)
	plain := func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\v' || r == '\f' }
	unusual := func(r rune) bool {
		return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsSpace(r) || zeroWidth(r))
	}
	return (plain(ra) || plain(rb)) && !unusual(ra) && !unusual(rb)
}

// spaces describes the run of whitespace around a place, and returns where it begins.
func spaces(s string, at int) (int, string) {
	start := len(strings.TrimRightFunc(s[:at], unicode.IsSpace))
	end := len(s) - len(strings.TrimLeftFunc(s[at:], unicode.IsSpace))
	run := s[start:end]
	if run == "" {
		return start, "no whitespace"
	}
	var found []string
	for run != "" {
		r, size := utf8.DecodeRuneInString(run)
		n := 0
		for strings.HasPrefix(run, string(r)) {
			run = run[size:]
			n++
		}
		found = append(found, words.Count(n, nameOf(r)))
		if len(found) == 4 && run != "" {
			found = append(found, "…")
			break
		}
	}
	return start, strings.Join(found, " + ")
}

func oneCharacter(s string) string {
	if s == "" {
		return "nothing more"
	}
	n, _ := segment(s)
	var found []string
	for _, r := range s[:n] {
		word := fmt.Sprintf("U+%04X", r)
		name := nameOf(r)
		if name == "" && unicode.IsPrint(r) {
			name = string(r)
		}
		if name != "" {
			word += " (" + name + ")"
		}
		if found = append(found, word); len(found) == 4 {
			break
		}
	}
	return strings.Join(found, " ")
}

// minPart is the minimum length of a partial match worth reporting.
const minPart = 8

// explainPrefix adds where the longest prefix of the text is in the base.
func (r *resolver) explainPrefix(p *Problem, text string) {
	n, end := longestPrefix(r.base.canon, text)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n, end = n-1, end-1
	}
	if n < minPart {
		return
	}
	p.Line = r.base.line(end - n)
	p.Message += fmt.Sprintf("; its first %s are at line %d, where the base continues with %s and the anchor with %s",
		words.Count(utf8.RuneCountInString(text[:n]), "character"), p.Line, fault.Shown(clip(r.base.canon[end:])), fault.Shown(clip(text[n:])))
}

func clip(s string) string { return words.Beginning(s, 40) }

// longestPrefix returns the longest prefix of a word that occurs in the text, and where it ends
// (Knuth, Morris and Pratt).
func longestPrefix(text, word string) (length, end int) {
	fail := make([]int32, len(word)+1)
	k := int32(0)
	for i := 1; i < len(word); i++ {
		for k > 0 && word[i] != word[k] {
			k = fail[k]
		}
		if word[i] == word[k] {
			k++
		}
		fail[i+1] = k
	}
	k = 0
	for i := range len(text) {
		for k > 0 && (int(k) == len(word) || text[i] != word[k]) {
			k = fail[k]
		}
		if text[i] == word[k] {
			k++
		}
		if int(k) > length {
			length, end = int(k), i+1
		}
	}
	return length, end
}

// reportNotAdjacent adds the problem of a block that does not follow its anchor, and where it occurs.
func (r *resolver) reportNotAdjacent(t *task, end int) {
	block := t.op.Old
	rest := r.base.canon[end:]
	p := Problem{
		Code: BlockNotAdjacent, Operation: t.number, Field: t.field + ".old_block", Line: r.lineAt(end), Gap: -1,
		Expects: words.FirstBytes(block, maxShownBlock), Actual: words.FirstBytes(rest, max(len(block), 40)),
		Hint: "quote exactly what follows the anchor",
	}
	p.Message = fmt.Sprintf("after the anchor, at line %d: expected %s, found %s", p.Line,
		fault.Shown(clip(block)), fault.Shown(clip(p.Actual)))
	if rest == "" {
		p.Message = fmt.Sprintf("after the anchor: expected %s, but the text ends there", fault.Shown(clip(block)))
	}
	if r.mayExplain() {
		r.explainNearest(&p, block, end)
	}
	r.report.Problems = append(r.report.Problems, p)
}

func (r *resolver) lineAt(offset int) int {
	if offset == len(r.base.canon) && offset > 0 {
		offset--
	}
	return r.base.line(offset)
}

// explainNearest adds where the block, or a look-alike, is after the anchor.
func (r *resolver) explainNearest(p *Problem, block string, end int) {
	rest := r.base.canon[end:]
	if from, to, ok := alike(rest, block); ok {
		r.describe(p, block, end+from, end+to)
		return
	}
	at := strings.Index(rest, block)
	if at < 0 {
		p.Message += "; it does not occur after the anchor"
		return
	}
	p.Gap, p.Nearest = utf8.RuneCountInString(rest[:at]), r.base.line(end+at)
	p.Message += fmt.Sprintf("; its next occurrence is at line %d, %s further on", p.Nearest, words.Count(p.Gap, "character"))
	if strings.TrimFunc(rest[:at], unicode.IsSpace) == "" {
		_, between := spaces(rest[:at], 0)
		p.Hint = fmt.Sprintf(`only whitespace is between them (%s): add it to the end of the anchor, or use "match_mode": %q`, between, IgnoreWhitespace)
	}
}

// alike reports whether rest begins with a look-alike of the block: equal except for similar
// characters or inner whitespace.
func alike(rest, block string) (from, to int, ok bool) {
	window := words.FirstBytes(rest, 4*len(block)+64)
	for _, bare := range []bool{false, true} {
		want, have := fold(block, bare), fold(window, bare)
		if want.text == "" || !strings.HasPrefix(have.text, want.text) {
			continue
		}
		from, to := have.original(0, len(want.text))
		if bare {
			from, to = around(window, block, from, to)
		}
		if !bare || hasLeadingSpace(block) {
			from = 0
		}
		return from, to, !strings.HasPrefix(window[from:], block)
	}
	return 0, 0, false
}
