// Package nearjson makes JSON from texts that are nearly JSON, as language models write them: with comments, trailing
// commas, other quotation marks, raw line breaks, bare keys. It changes only the form, never a word inside a string.
//
// The package is pure.
package nearjson

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// Repaired is JSON made from something close to it. Apart from the recorded changes the text equals
// the source. Words inside strings are never changed; only their quotes and escapes are.
type Repaired struct {
	Text    []byte
	Changes Changes
	End     int     // where in the source reading stopped
	Fail    *Misfit // the part beyond repair; Text ends before it
	// Comments are the comments that lax repair has taken out.
	Comments []Span

	shifts []shift
}

// Span is a part of a text.
type Span struct{ From, To int32 }

// shift means that from offset out on, the text is src-out bytes off its source.
type shift struct{ out, src int32 }

// Misfit is a position where the text is not JSON and cannot be repaired.
type Misfit struct {
	At   int
	What string
	Hint string
	Top  bool // everything before it is complete
}

// expectation is what may come next in JSON.
type expectation int

const (
	wantValue expectation = iota
	wantKey
	wantColon
	wantMore // a comma, or the end of the open value
)

// Repairer copies JSON token by token and repairs what it can, in one pass.
type Repairer struct {
	Repaired
	src      []byte
	pos      int
	want     expectation
	open     []byte // the open brackets: { or [
	comma    int    // offset in text of a trailing comma, while nothing follows it
	after    int    // its offset in src
	began    bool   // the last token was the open bracket
	one      bool   // stop after one value
	Lax      bool   // the rules of the second reader
	Latex    bool   // LaTeX commands are not escapes, as to the third reader
	Commands bool   // nor are short ones beside others, as to the sixth reader
	free     bool   // quotation marks inside texts may not be escaped
	marks    bool   // marks of lists may stand before objects
	bad      Misfit // the target of fail
}

// Repair repairs src: a sequence of values, or with one only the first value. The result is valid
// until the Repairer is used again.
func (r *Repairer) Repair(src []byte, one bool) *Repaired { return r.run(src, one, false) }

// RepairQuotes repairs a sequence of values in whose texts quotation marks may not be escaped: those that are not followed by
// what follows a text are part of it.
func (r *Repairer) RepairQuotes(src []byte) *Repaired { return r.run(src, false, true) }

func (r *Repairer) run(src []byte, one, free bool) *Repaired {
	*r = Repairer{
		src: src, one: one, free: free, Lax: r.Lax, Latex: r.Latex, Commands: r.Commands, comma: -1, open: r.open[:0],
		Repaired: Repaired{Text: r.Text[:0], shifts: r.shifts[:0]},
	}
	if !one {
		r.Text = slices.Grow(r.Text, len(src)+len(src)/8)
		r.marks = r.Lax && !bytes.Contains(src, []byte("\n+")) // which is a list of differences
	}
	for r.Fail == nil && r.step() {
	}
	r.End = r.pos
	return &r.Repaired
}

// step copies one token, and reports whether to continue.
func (r *Repairer) step() bool {
	if !r.space() {
		return false
	}
	if r.pos == len(r.src) {
		r.finish()
		return false
	}
	r.note()
	c := r.src[r.pos]
	switch {
	case c == ',' || (c == ';' && len(r.open) == 0):
		r.separator()
	case c == '}' || c == ']':
		r.closing(c)
	case r.want == wantColon:
		if c != ':' {
			r.misfit(r.pos, "a colon should stand here", "after a key comes : and its value")
			return false
		}
		r.copy(1)
		r.want = wantValue
	case r.want == wantMore && len(r.open) > 0:
		r.misfit(r.pos, "a comma or a closing bracket should stand here",
			`if the quote before it belongs to the text, write it as \"`)
	case r.want == wantKey:
		r.key()
	default:
		r.value()
	}
	return r.Fail == nil && (!r.one || len(r.open) > 0 || r.want != wantMore)
}

// finish closes a list at the end of the text, and fails if more is open.
func (r *Repairer) finish() {
	switch {
	case r.Lax && !r.one && string(r.open) == "[" && (r.want == wantMore || r.comma >= 0):
		r.change(fixUnclosed, r.pos)
		if r.comma >= 0 {
			r.Text[r.comma] = ' '
		}
		r.Text = append(r.Text, ']')
	case len(r.open) > 0 || r.want == wantColon:
		r.misfit(r.pos, "the JSON ends too early", "write the block again, whole; brackets and quotes that were opened must be closed")
	}
}

// separator copies a comma. The next token shows whether it is superfluous.
func (r *Repairer) separator() {
	if r.want != wantMore {
		r.misfit(r.pos, "a comma stands where nothing was said before it", "take it out")
		return
	}
	if len(r.open) == 0 {
		r.change(fixSeveral, r.pos)
		r.blank(1)
		r.want = wantValue
		return
	}
	r.comma, r.after = len(r.Text), r.pos
	r.copy(1)
	r.want = wantValue
	if r.open[len(r.open)-1] == '{' {
		r.want = wantKey
	}
}

// closing copies a closing bracket and removes a comma before it.
func (r *Repairer) closing(c byte) {
	opening := byte('{')
	if c == ']' {
		opening = '['
	}
	switch {
	case len(r.open) == 0 || r.open[len(r.open)-1] != opening:
		r.misfit(r.pos, "a closing bracket too many, or of the wrong kind", "every { needs its }, every [ its ]")
		return
	case r.comma >= 0:
		r.change(fixTrailingComma, r.after)
		r.Text[r.comma] = ' '
		r.comma = -1
	case r.want == wantColon || (r.want != wantMore && !r.began):
		r.misfit(r.pos, "a value is missing here", "give the key a value, or leave it out")
		return
	}
	r.open = r.open[:len(r.open)-1]
	r.copy(1)
	r.want = wantMore
	r.began = false
}

// key copies a key of an object, with or without quotes.
func (r *Repairer) key() {
	if r.copyString(true) {
		r.want = wantColon
		return
	}
	n := WordLength(r.src[r.pos:])
	if n == 0 {
		r.misfit(r.pos, "a key should stand here", `keys stand in double quotes: "claim"`)
		return
	}
	r.change(fixBareKey, r.pos)
	r.Text = append(r.Text, '"')
	r.copy(n)
	r.Text = append(r.Text, '"')
	r.want = wantColon
}

// value copies a value, or its opening bracket, perhaps the first of several in one block.
func (r *Repairer) value() {
	at, isOther := r.pos, r.want == wantMore
	r.copyValue()
	if isOther && (r.Fail == nil || !r.Lax) {
		r.change(fixSeveral, at)
	}
}

func (r *Repairer) copyValue() {
	if r.copyString(false) {
		r.want = wantMore
		return
	}
	c := r.src[r.pos]
	switch {
	case c == '{':
		r.open = append(r.open, c)
		r.copy(1)
		r.want, r.began = wantKey, true
	case c == '[':
		r.open = append(r.open, c)
		r.copy(1)
		r.want, r.began = wantValue, true
	case isDigit(c) || c == '-' && !(r.Lax && bytes.HasPrefix(r.src[r.pos:], []byte("-Infinity"))):
		n := 1
		for r.pos+n < len(r.src) && (isDigit(r.src[r.pos+n]) || bytes.IndexByte([]byte("+-.eE"), r.src[r.pos+n]) >= 0) {
			n++
		}
		r.copy(n)
		r.want = wantMore
	default:
		r.word()
	}
}

// word copies true, false or null, as written in JSON or Python.
func (r *Repairer) word() {
	sign := 0
	if r.Lax && r.src[r.pos] == '-' {
		sign = 1
	}
	n := WordLength(r.src[r.pos+sign:]) + sign
	word := string(r.src[r.pos : r.pos+min(n, 5)])
	spelt := word
	switch {
	case r.Lax && isNotANumber(string(r.src[r.pos+sign:r.pos+min(n, 10)])):
		r.change(fixNotANumber, r.pos)
		r.Text = append(r.Text, artifact.NotANumber...)
		r.pos += n
		r.want, r.began, r.comma = wantMore, false, -1
		return
	case n > 5:
		spelt = ""
	case word == "True":
		spelt = "true"
	case word == "False":
		spelt = "false"
	case word == "None":
		spelt = "null"
	}
	if spelt != "true" && spelt != "false" && spelt != "null" {
		r.misfit(r.pos, "a value should stand here", "texts stand in double quotes")
		return
	}
	if spelt != word {
		r.change(fixPython, r.pos)
	}
	r.copy(n)
	copy(r.Text[len(r.Text)-n:], spelt)
	r.want = wantMore
}

func isNotANumber(word string) bool {
	return word == "NaN" || word == "Infinity" || word == "undefined"
}

// ruleLength returns the length of a Markdown rule or an HTML comment on the rest of a line, or 0.
func ruleLength(src []byte, pos int) int {
	line, _, _ := bytes.Cut(src[pos:min(len(src), pos+maxRule)], []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	if bytes.HasPrefix(line, []byte("<!--")) && bytes.HasSuffix(line, []byte("-->")) || markdown.IsBreak(line) || len(line) >= 3 && len(bytes.Trim(line, "=")) == 0 {
		return len(line)
	}
	return 0
}

// markBefore matches what may stand before an object on its line: the mark of a list, or the word delta.
var markBefore = pattern.New(`^(?:(?:[-*•]|\d{1,3}[.)])[ \t]+|(?i:delta)[ \t]*\d{0,3}[ \t]*:[ \t]*)\{`)

// markLength returns the length of such a mark at the beginning of a line, or 0.
func markLength(src []byte, pos int) int {
	if before := bytes.TrimRight(src[:pos], " \t"); len(before) > 0 && before[len(before)-1] != '\n' {
		return 0
	}
	if at := markBefore.FindIndex(src[pos:min(len(src), pos+maxRule)]); at != nil {
		return at[1] - 1
	}
	return 0
}

// maxRule is how many bytes a line between two deltas may have.
const maxRule = 200

// WordLength returns the length of a JavaScript identifier at the start of b.
func WordLength(b []byte) int {
	n := 0
	for n < len(b) && (isLetter(b[n]) || b[n] == '_' || b[n] == '$' || (n > 0 && (isDigit(b[n]) || b[n] == '-'))) {
		n++
	}
	return n
}

func (r *Repairer) copy(n int) {
	if n > 0 && r.src[r.pos] != ',' {
		r.comma, r.began = -1, false
	}
	r.Text = append(r.Text, r.src[r.pos:r.pos+n]...)
	r.pos += n
}

// blank replaces n bytes of the source with spaces, which keeps offsets.
func (r *Repairer) blank(n int) {
	for _, c := range r.src[r.pos : r.pos+n] {
		if c != '\n' && c != '\r' {
			c = ' '
		}
		r.Text = append(r.Text, c)
	}
	r.pos += n
}

func (r *Repairer) misfit(at int, what, hint string) {
	r.bad = Misfit{At: at, What: what, Hint: hint, Top: len(r.open) == 0}
	r.Fail = &r.bad
}

// note records, at the start of a token, the distance of the text from its source.
func (r *Repairer) note() {
	was := 0
	if n := len(r.shifts); n > 0 {
		was = int(r.shifts[n-1].src) - int(r.shifts[n-1].out)
	}
	if r.pos-len(r.Text) != was {
		r.shifts = append(r.shifts, shift{out: int32(len(r.Text)), src: int32(r.pos)})
	}
}

type fix int

const (
	fixTrailingComma fix = iota
	fixComment
	fixQuotes
	fixBareKey
	fixControl
	fixEscape
	fixPython
	fixSpace
	fixSeveral
	fixRule
	fixMark
	fixNotANumber
	fixUnclosed
	fixQuotation
	fixLatex
	fixCount
)

// fixNames describe the repairs, singular and plural.
var fixNames = [fixCount][2]string{
	fixTrailingComma: {"a trailing comma taken out", "trailing commas taken out"},
	fixComment:       {"a comment taken out", "comments taken out"},
	fixQuotes:        {"a text put in double quotes", "texts put in double quotes"},
	fixBareKey:       {"a key put in quotes", "keys put in quotes"},
	fixControl:       {"a raw control character in a text escaped", "raw control characters in texts escaped"},
	fixEscape:        {"a backslash that escapes nothing kept as written", "backslashes that escape nothing kept as written"},
	fixPython:        {"a Python word put as JSON", "Python words put as JSON"},
	fixSpace:         {"an odd space taken out", "odd spaces taken out"},
	fixSeveral:       {"a second value in the block taken as another delta", "further values in the block taken as deltas"},
	fixRule:          {"a line between deltas taken out", "lines between deltas taken out"},
	fixMark:          {"the mark of a list or the word delta before an object taken out", "marks of a list or words before objects taken out"},
	fixNotANumber:    {"a word that is not a value of JSON refused", "words that are not values of JSON refused"},
	fixUnclosed:      {"the end of a list added"},
	fixLatex:         {"a LaTeX command in a text kept as written", "LaTeX commands in texts kept as written"},
	fixQuotation:     {"a quotation mark in a text escaped", "quotation marks in texts escaped"},
}

// Changes counts the repairs of each kind, with the offset of the first.
type Changes [fixCount]struct{ count, first int }

func (c *Changes) add(f fix, at int) {
	if c[f].count == 0 {
		c[f].first = at
	}
	c[f].count++
}

func (r *Repairer) change(f fix, at int) { r.Changes.add(f, at) }

// Any reports whether there are changes.
func (c *Changes) Any() bool { return *c != Changes{} }

// FirstAt returns the offset of the first change.
func (c *Changes) FirstAt() int {
	first := -1
	for _, k := range c {
		if k.count > 0 && (first < 0 || k.first < first) {
			first = k.first
		}
	}
	return max(first, 0)
}

// Describe describes the changes. where, if not nil, names the position of an offset.
func (c *Changes) Describe(where func(int) string) []string {
	var said []string
	for f, k := range c {
		if k.count == 0 {
			continue
		}
		text, place := fixNames[f][0], "at "
		if k.count > 1 {
			text, place = fmt.Sprintf("%d %s", k.count, fixNames[f][1]), "the first at "
		}
		if where != nil {
			text += " (" + place + where(k.first) + ")"
		}
		said = append(said, text)
	}
	return said
}

// space skips white space and comments. It returns false if a comment does not end.
func (r *Repairer) space() bool {
	for r.pos < len(r.src) {
		rest := r.src[r.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.Text = append(r.Text, c)
			r.pos++
		case c == '#' || bytes.HasPrefix(rest, []byte("//")):
			r.change(fixComment, r.pos)
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			r.takeOut(n)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := 2 + bytes.Index(rest[2:], []byte("*/")) // "/*/" is not closed
			if n < 2 {
				r.misfit(r.pos, "a comment begins here and never ends", "JSON has no comments: take it out")
				return false
			}
			r.change(fixComment, r.pos)
			r.takeOut(n + 2)
		case r.Lax && len(r.open) == 0 && ruleLength(r.src, r.pos) > 0:
			r.change(fixRule, r.pos)
			r.takeOut(ruleLength(r.src, r.pos))
		case r.marks && len(r.open) == 0 && markLength(r.src, r.pos) > 0:
			r.change(fixMark, r.pos)
			r.takeOut(markLength(r.src, r.pos))
		case c >= utf8.RuneSelf && nonstandardSpace(rest) > 0:
			r.change(fixSpace, r.pos)
			r.blank(nonstandardSpace(rest))
		default:
			return true
		}
	}
	return true
}

// takeOut leaves out a comment of n bytes.
func (r *Repairer) takeOut(n int) {
	if r.Lax {
		r.Comments = append(r.Comments, Span{int32(r.pos), int32(r.pos + n)})
	}
	r.blank(n)
}

// nonstandardSpace returns the length of white space that JSON does not allow.
func nonstandardSpace(b []byte) int {
	switch r, n := utf8.DecodeRune(b); {
	case r == '\u00a0', r == '\u202f', r == '\u3000', r == '\ufeff', r >= '\u2000' && r <= '\u200b', r == '\u2028', r == '\u2029':
		return n
	}
	return 0
}
