package markdown

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// gluedFinal is what remains of <|start|>assistant<|channel|>final<|message|> without its marks.
const gluedFinal = "assistantfinal"

const (
	marksBefore = " \t-+*_#.)0123456789" // what may be before a tag that begins its line
	maxMarks    = 16
)

// findTags prepares for the tags of the text.
func (s *scanner) findTags() {
	s.vague, s.found = -1, -1
	s.findMarker()
	triangles := bytes.Contains(s.src, []byte("▷"))
	s.tagged = s.marker != "" || triangles && bytes.Contains(s.src, []byte("think▷")) ||
		bytes.Contains(s.src, []byte("### Human:")) || bytes.Contains(s.src, []byte("### User:"))
	for _, mark := range []byte{'<', '['} {
		for at := 0; ; at++ {
			i := bytes.IndexByte(s.src[at:], mark)
			if i < 0 {
				break
			}
			at += i
			t, n := readTag(s.src[at:])
			s.tagged = s.tagged || n > 0 || bytes.HasPrefix(s.src[at:], []byte("<!--"))
			if n > 0 && t.closes() && !s.quotedTag(at, n) {
				s.noteClose(t, at, n)
			}
		}
	}
	if at := s.gluedStart(); s.marker == "" && at > 0 && at < len(s.src) && 'A' <= s.src[at] && s.src[at] <= 'Z' {
		s.tagged, s.within = true, []string{channel}
	}
	if triangles {
		if at := bytes.LastIndex(s.src, []byte("◁/think▷")); at >= 0 {
			s.noteClose(tag{tagClose, "think"}, at, len("◁/think▷"))
		}
	}
}

// noteClose remembers a closing tag.
func (s *scanner) noteClose(t tag, at, n int) {
	if s.closes == nil {
		s.closes, s.inline = make(map[string]int), make(map[string][]int)
	}
	before := bytes.TrimRight(s.src[max(0, at-maxMarks):at], marksBefore)
	after := bytes.TrimLeft(s.src[at+n:min(len(s.src), at+n+maxMarks)], " \t\r*_")
	if len(before) == 0 || before[len(before)-1] == '\n' || len(after) == 0 || after[0] == '\n' || after[0] == '`' {
		s.closes[t.family] = max(s.closes[t.family], at)
	} else if s.src[at] == '<' {
		s.inline[t.family] = append(s.inline[t.family], at)
	}
}

// closedLater reports whether a tag at an offset is closed: at the edge of a later line, or in its own.
func (s *scanner) closedLater(t tag, at int) bool {
	if s.closes[t.family] > at {
		return true
	}
	all := s.inline[t.family]
	i := sort.SearchInts(all, at)
	return i < len(all) && all[i] < s.end
}

// findMarker finds words that some programs and models write in place of a tag that ends reasoning.
func (s *scanner) findMarker() {
	text := bytes.TrimLeft(s.src[:min(len(s.src), maxTagLength)], " \t\r\n\ufeff")
	for _, m := range []struct{ first, marker string }{
		{"Thinking...", "...done thinking."},
		{"Thinking…", "...done thinking."},
		{"Here is my thought process:", "Here is my response:"},
		{"Here's my thought process:", "Here's my response:"},
		{"", gluedFinal},
	} {
		if bytes.HasPrefix(text, []byte(m.first)) && hasMarker(s.src, m.marker) {
			s.marker = m.marker
			return
		}
	}
}

// hasMarker reports whether a text has a marker. It looks for gluedFinal, which all texts are searched
// for, by its rarest letter.
func hasMarker(text []byte, marker string) bool {
	if marker != gluedFinal {
		return bytes.Contains(text, []byte(marker))
	}
	const before = len("assistant")
	for at := before; at < len(text); at++ {
		i := bytes.IndexByte(text[at:], 'f')
		if i < 0 {
			return false
		}
		at += i
		if bytes.HasPrefix(text[at-before:], []byte(marker)) {
			return true
		}
	}
	return false
}

// readMarker reads the words that end the reasoning at an offset.
func (s *scanner) readMarker(at int) (tag, int) {
	if s.marker == "" || s.src[at] != s.marker[0] || !bytes.HasPrefix(s.src[at:], []byte(s.marker)) {
		return tag{}, 0
	}
	return tag{tagFinal, channel}, len(s.marker)
}

// counts reports whether a tag in a line, which begins at from, takes effect there. One that is only
// mentioned does not.
func (s *scanner) counts(t tag, from, at, n int) bool {
	if s.found == at {
		return true
	}
	before, after := s.src[from:at], s.src[at+n:max(at+n, s.end)]
	s.begins = len(bytes.TrimLeft(before, marksBefore)) == 0
	if len(before) > 0 && isEmphasis(before[len(before)-1]) && len(after) > 0 && isEmphasis(after[0]) {
		s.begins = s.begins && len(bytes.Trim(after, " \t*_")) == 0
	}
	switch {
	case s.quotedTag(at, n):
		return false
	case t.family == turn:
		return t.kind == tagShown || s.begins || s.src[at-1] == '>'
	case s.shows.inTurn():
		return false // the text is not the author's
	case t.kind == tagShow || t.kind == tagShown:
		return true
	case t.kind == tagOpen:
		return s.countsOpen(t, at, n)
	case t.kind == tagClose && slices.Contains(s.within, t.family):
		return true
	}
	return s.begins || s.endsText(t, before, after)
}

// countsOpen reports whether an opening tag takes effect.
func (s *scanner) countsOpen(t tag, at, n int) bool {
	text := s.src[at : at+n]
	switch within := slices.Contains(s.within, t.family); {
	case t.family == "details" && len(text) == len("<details>"):
		return within || s.begins && isThinking(s.src[at+n:])
	case text[0] == '[' && string(text) != "[THINK]":
		return s.closes[t.family] > at
	case s.begins, bytes.HasSuffix(text, []byte("<|message|>")):
		return true
	default:
		return !within && s.closedLater(t, at)
	}
}

// endsText reports whether a tag that closes reasoning, and no tag has opened it, is more than
// mentioned: the line ends with it, or a sentence before it.
func (s *scanner) endsText(t tag, before, after []byte) bool {
	rest := bytes.TrimLeft(after, " \t*_")
	if len(rest) == 0 || bytes.IndexByte([]byte("`~:{<"), rest[0]) >= 0 {
		return true
	}
	if t.family == channel {
		return bytes.HasSuffix(before, []byte("assistant")) || s.marker == gluedFinal && s.gluedStart() > 0
	}
	last := bytes.TrimRight(before, " \t*_")
	if len(last) == 0 || bytes.IndexByte([]byte(".!?:;)]}"), last[len(last)-1]) >= 0 || bytes.HasSuffix(last, []byte("…")) {
		return true
	}
	return len(last) == len(before) && after[0] != ' ' && after[0] != '\t' // glued on both sides
}

// gluedStart returns where a name ends with which the text begins: that of a channel whose marks were
// lost. It returns 0 if there is none.
func (s *scanner) gluedStart() int {
	text := bytes.TrimLeft(s.src, " \t\r\n")
	for _, name := range []string{"analysis", "commentary"} {
		if rest, ok := bytes.CutPrefix(text, []byte(name)); ok {
			return len(s.src) - len(rest)
		}
	}
	return 0
}

func isEmphasis(c byte) bool { return c == '*' || c == '_' }

// quotedTag reports whether a tag is in quotation marks or parentheses, by itself.
func (s *scanner) quotedTag(at, n int) bool {
	r, _ := utf8.DecodeLastRune(s.src[max(0, at-utf8.UTFMax):at])
	next, _ := utf8.DecodeRune(s.src[at+n:])
	if next == '`' && (r != '`' || at > 1 && s.src[at-2] == '`') {
		return false // the marks of a fence
	}
	return strings.ContainsRune("\"'`“”‘’«»„(", r) && strings.ContainsRune("\"'`“”‘’«»)", next)
}

// isThinking reports whether the summary of a details element says that it holds reasoning.
func isThinking(text []byte) bool {
	const open = "<summary>"
	text = bytes.TrimLeft(text[:min(len(text), maxTagLength)], " \t\r\n")
	text, ok := bytes.CutPrefix(text, []byte(open))
	if !ok {
		return false
	}
	text = bytes.TrimLeftFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || isDecoration(r) })
	for _, word := range []string{"think", "thought", "reasoning", "chain of thought"} {
		if hasPrefixFold(text, word) {
			return true
		}
	}
	return false
}
