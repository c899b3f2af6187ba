package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// What is said about fences that are not well formed.
const (
	damageTextBefore = "text before the opening fence"
	damageEmphasis   = "emphasis around the opening fence"
	damageInvisible  = "an invisible character on the fence line"
	damageMarks      = "the opening fence has other marks than three backticks or tildes"
	damageSameLine   = "the JSON begins on the line of the fence"
	damageIndented   = "the opening fence is indented too far"
	damageItem       = "the block is not indented like its list item"
	damageMissing    = "the closing fence is missing"
	damageTextBehind = "text behind the closing fence"
	damageGlued      = "the closing fence is glued to the text"
	damageDecorated  = "emphasis or an invisible character at the closing fence"
	damageOtherMarks = "the closing fence has other marks than the opening one"
	damageDeepClose  = "the closing fence is indented too far"
)

// invisible returns the length of an invisible character at the start of b, or 0.
func invisible(b []byte) int {
	if len(b) < 2 || b[0] < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case r == '\u00a0', r == '\u00ad', r == '\u034f', r == '\u061c', r == '\u180e', r == '\u3000', r == '\ufeff',
		'\u2000' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202f', '\u205f' <= r && r <= '\u206f', '\ufe00' <= r && r <= '\ufe0f':
		return n
	}
	return 0
}

// isDecoration reports whether a character may stand around a fence and mean nothing there.
func isDecoration(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '*', '_':
		return true
	}
	return r >= utf8.RuneSelf && invisible([]byte(string(r))) > 0
}

// visible returns a line without invisible characters.
func visible(line []byte) []byte {
	at := bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf })
	if at < 0 {
		return line
	}
	out := append(make([]byte, 0, len(line)), line[:at]...)
	for at < len(line) {
		if n := invisible(line[at:]); n > 0 {
			at += n
			continue
		}
		out = append(out, line[at])
		at++
	}
	return out
}

// maxFenceLine is how many bytes a line may have to be read as a damaged opening fence.
const maxFenceLine = 2000

// word returns the first word of the fence's info, in lower case.
func (f Fence) word() string {
	info := bytes.TrimLeft(f.Info, " \t{.")
	n := 0
	for n < len(info) && n <= maxWord && (isLetter(info[n]) || isDigit(info[n])) {
		n++
	}
	return strings.ToLower(string(info[:n]))
}

func hasPrefixFold(b []byte, word string) bool {
	return len(b) >= len(word) && strings.EqualFold(string(b[:len(word)]), word)
}

// isDelta reports whether the fence's first word begins with delta, or one of its classes is delta.
func (f Fence) isDelta() bool {
	info := bytes.TrimLeft(f.Info, " \t")
	return hasPrefixFold(bytes.TrimLeft(info, "{."), "delta") || len(info) > 0 && info[0] == '{' && f.Is("delta")
}

// isData reports whether the fence is read for what is in it: deltas, JSON, lessons.
func (f Fence) isData() bool {
	if f.isDelta() {
		return true
	}
	switch f.word() {
	case "json", "jsonc", "json5", "jsonl", "ndjson", "lesson":
		return true
	}
	return false
}

// isInfo reports whether the text behind the marks is that of an opening fence: one word, perhaps
// with attributes. Any other text is not part of a fence.
func isInfo(info []byte) bool {
	spaced := len(info) > 0 && info[0] == ' '
	info = bytes.Trim(info, " \t")
	if len(info) == 0 || len(info) > maxAttributes {
		return false
	}
	if info[0] == '{' {
		return len(info) > 1 && (info[1] == '.' || info[1] == '#')
	}
	f := Fence{Info: info}
	if f.isData() {
		return true
	}
	end := bytes.IndexAny(info, " \t{")
	if end < 0 {
		end = len(info)
	}
	for _, c := range info[:end] {
		if c < 'a' && !isDigit(c) && c != '+' && c != '-' && c != '#' && c != '.' && c != '_' || c > 'z' {
			return false
		}
	}
	return !spaced && (end == len(info) || bytes.ContainsAny(info[end:], "={"))
}

// openDamaged opens a fence of deltas or JSON that is not well formed. rest is the end of the
// line; matched is as in open; place says what is wrong with where a well-formed one stands.
func (s *scanner) openDamaged(rest []byte, matched int, place string) bool {
	if len(rest) < 3 {
		return false
	}
	f, from, why := s.damagedFence(rest, place)
	if why == "" {
		return false
	}
	s.closeTo(matched)
	s.leaf = leaf{kind: leafFence, fence: f, line: s.line, start: s.next, json: jsonState{at: s.next}, damage: why, deep: place == damageIndented}
	if from > 0 {
		s.leaf.start = s.start + len(s.text) - len(rest) + from
		s.leaf.json.at = s.leaf.start
		s.closeGlued(rest[from:])
	}
	return true
}

// damagedFence reads a line as a damaged opening fence. from is where JSON begins in the line, if
// it does. why is empty if the line is something else, or a sound fence.
func (s *scanner) damagedFence(rest []byte, place string) (f Fence, from int, why string) {
	switch rest[0] {
	case '`', '~', ':':
		if place == "" && isSound(rest) {
			return f, 0, ""
		}
		if bytes.IndexByte(rest, '{') >= 0 || bytes.IndexByte(rest, '[') >= 0 {
			if f, from, ok := jsonOnLine(rest); ok {
				return f, from, damageSameLine
			}
		}
		f, ok := OpenFence(rest)
		if ok && bytes.IndexFunc(f.Info, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
			if place != "" && f.isData() && s.jsonFollows() {
				return f, 0, place
			}
			return f, 0, ""
		}
	}
	if len(rest) > maxFenceLine || !endsInWord(rest) {
		return f, 0, ""
	}
	f, why = s.fenceAtEnd(rest, place)
	return f, 0, why
}

// isSound reports whether a line is a fence with at most one plain word, as most are.
func isSound(line []byte) bool {
	n := run(line, line[0])
	for _, c := range line[n:] {
		if !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return n >= 3
}

// fenceAtEnd reads the marks and the word of a fence at the end of a line, as damagedFence does.
func (s *scanner) fenceAtEnd(rest []byte, place string) (f Fence, why string) {
	line := visible(rest)
	bare := bytes.TrimFunc(line, isDecoration)
	mark := bytes.LastIndexAny(bare, "`~:'\"")
	if mark < 0 {
		return f, ""
	}
	begin := mark
	for begin > 0 && bare[begin-1] == bare[mark] {
		begin--
	}
	f = Fence{Mark: bare[mark], Length: mark - begin + 1, Info: bare[mark+1:]}
	word := f.word()
	info := bytes.TrimLeft(f.Info, " \t{.")
	if len(bytes.TrimRight(info, " \t}")) != len(word) || !f.isData() || !f.mayMark(begin > 0) {
		return f, ""
	}
	switch {
	case word == "lesson" && (begin > 0 || f.Length < 3 || len(line) == len(rest)), !s.jsonFollows() && word != "lesson":
		return f, ""
	case begin > 0:
		return f, damageTextBefore
	case len(line) < len(rest):
		return f, damageInvisible
	case len(bare) < len(bytes.TrimRight(line, " \t\r")):
		return f, damageEmphasis
	case f.Length == 2 || f.Mark == '\'' || f.Mark == '"':
		return f, damageMarks
	}
	return f, place
}

// mayMark reports whether the marks of a damaged fence are enough for one, with or without text
// before them.
func (f Fence) mayMark(behindText bool) bool {
	switch f.Mark {
	case ':':
		return f.Length >= 3 && f.isDelta()
	case '\'', '"':
		return f.Length == 3 && !behindText
	}
	return f.Length >= 3 || f.Length == 2 && !behindText
}

// endsInWord reports whether a line may end in the marks and the word of a fence. It is quick: most
// lines do not.
func endsInWord(line []byte) bool {
	i := len(line)
	for _, class := range [...]uint8{decorates, inWord, leads} {
		for i > 0 && ofFence[line[i-1]]&class != 0 {
			i--
		}
	}
	return i > 1 && i <= len(line)-len("json") && ofFence[line[i-1]]&marks != 0
}

// What a byte may be at the end of a line with a fence.
const (
	decorates uint8 = 1 << iota
	inWord
	leads // before the word
	marks
)

var ofFence = func() (classes [256]uint8) {
	for c := range classes {
		switch {
		case c >= utf8.RuneSelf:
			classes[c] = decorates | inWord | leads
		case isLetter(byte(c)) || isDigit(byte(c)):
			classes[c] = inWord
		}
	}
	for _, of := range []struct {
		class uint8
		set   string
	}{{decorates, "\r*_} \t"}, {leads, " \t{."}, {marks, "`~:'\""}} {
		for _, c := range []byte(of.set) {
			classes[c] |= of.class
		}
	}
	return classes
}()

// jsonFollows reports whether the next line that is not blank begins with a bracket.
func (s *scanner) jsonFollows() bool { return beginsJSON(s.src, s.next, s.quotes > 0) }

// jsonOnLine reads a fence whose JSON begins on its own line, at from.
func jsonOnLine(rest []byte) (f Fence, from int, ok bool) {
	f = Fence{Mark: rest[0], Length: run(rest, rest[0])}
	if f.Length < 3 {
		return f, 0, false
	}
	from = f.Length
	for from < len(rest) && from < maxWord+f.Length && rest[from] != '{' && rest[from] != '[' {
		from++
	}
	f.Info = bytes.TrimSpace(rest[f.Length:min(from, len(rest))])
	if from >= len(rest) || rest[from] != '{' && rest[from] != '[' || len(f.Info) > 0 && !f.isData() || f.Mark == ':' && !f.isDelta() {
		return f, 0, false
	}
	inner := bytes.TrimLeft(rest[from+1:], " \t")
	if len(inner) == 0 {
		return f, from, len(f.Info) > 0
	}
	switch inner[0] {
	case '"', '\'', '{', "“"[0]:
		return f, from, true
	}
	n := nameLength(inner)
	after := bytes.TrimLeft(inner[min(n, len(inner)):], " \t")
	return f, from, n > 0 && inner[n-1] == ':' || n > 0 && len(after) > 0 && after[0] == ':'
}
