package markdown

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"brenner/internal/pattern"
)

// gluedFinal is what remains of <|start|>assistant<|channel|>final<|message|> without its marks.
const gluedFinal = "assistantfinal"

const (
	marksBefore = " \t-+*_#.)0123456789" // what may be before a tag that begins its line
	maxMarks    = 16
)

// findTags prepares for the tags of the text.
func (s *scanner) findTags() {
	s.vague, s.found, s.called = -1, -1, -1
	if s.findMarker(); s.marker == "" {
		s.findBareMarker()
	}
	triangles := bytes.Contains(s.src, []byte("▷"))
	s.tagged = s.tagged || s.marker != "" || triangles && bytes.Contains(s.src, []byte("think▷")) || mayHaveTraces(s.src)
	s.tagged = s.tagged || s.rules >= Third && hasTurns(s.src)
	s.longer = bytes.Contains(s.src, []byte("````")) || bytes.Contains(s.src, []byte("~~~"))
	s.findCloses('<')
	s.findCloses('[')
	if at := s.gluedStart(); s.marker == "" && at > 0 && at < len(s.src) && 'A' <= s.src[at] && s.src[at] <= 'Z' {
		s.tagged, s.within = true, []string{channel}
	}
	if first, _, _ := bytes.Cut(bytes.TrimLeft(s.src[:min(len(s.src), maxTagLength)], " \t\r\n\ufeff"), []byte("\n")); s.marker == "" && isThinkingLine(first) {
		s.tagged, s.within, s.vague = true, []string{channel}, 0 // the words that end it may be cut off
	}
	if triangles {
		if at := bytes.LastIndex(s.src, []byte("◁/think▷")); at >= 0 {
			s.noteClose(tag{tagClose, "think"}, at, len("◁/think▷"))
		}
	}
}

// findCloses finds the closing tags that begin with a mark.
func (s *scanner) findCloses(mark byte) {
	for at := 0; ; at++ {
		i := bytes.IndexByte(s.src[at:], mark)
		if i < 0 {
			return
		}
		at += i
		t, n := readTag(s.src[at:])
		s.tagged = s.tagged || n > 0 || s.wraps.may(s.src[at:])
		if n == 0 && mark == '[' && at+1 < len(s.src) && s.src[at+1] == '/' {
			var wrap wrapTag
			if wrap, n = s.wraps.read(s.src[at:]); n > 0 {
				t = tag{tagClose, wrap.name}
			}
		}
		if n > 0 && t.closes() && !s.quotedTag(at, n) {
			s.noteClose(t, at, n)
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
		if s.src[at] == '[' {
			s.closes["["+t.family] = at
		}
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
		if bytes.HasPrefix(text, []byte(m.first)) && pattern.HasAny(s.src, m.marker) {
			s.marker = m.marker
			return
		}
	}
}

// bareThought and bareAnswer hold the names that remain of the tags around reasoning if their marks are lost.
var (
	bareThought = []string{"thought", "thinking", "analysis", "think", "reasoning"}
	bareAnswer  = []string{"final", "answer", "response", gluedFinal, "assistant final", "final answer", "codex"}
)

// findBareMarker finds a line that has only the name of an answer, if the first line has only that of
// reasoning. If there is none, what follows is in doubt.
func (s *scanner) findBareMarker() {
	text := bytes.TrimLeft(s.src, " \t\r\n\ufeff")
	if len(text) == 0 || text[0] != '<' && !slices.ContainsFunc(bareThought, func(name string) bool { return name[0] == text[0] }) {
		return
	}
	for _, role := range []string{"<start_of_turn>model\n", "<|im_start|>assistant\n"} {
		text = bytes.TrimPrefix(text, []byte(role))
	}
	first, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok || !slices.Contains(bareThought, string(bytes.TrimRight(first, " \t\r"))) {
		return
	}
	s.tagged, s.within, s.vague = true, []string{channel}, 0
	for at := len(s.src) - len(rest); at < len(s.src); {
		line, _, _ := bytes.Cut(s.src[at:], []byte("\n"))
		if name := bytes.TrimRight(line, " \t\r"); len(name) < maxWord && slices.Contains(bareAnswer, string(bytes.TrimRight(bytes.ToLower(name), ":"))) {
			s.marker, s.markerAt = string(name), at
			return
		}
		at += len(line) + 1
	}
}

// isThinkingLine reports whether a first line is that of a program which shows the reasoning of a model.
func isThinkingLine(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	return slices.Contains([]string{"Thinking...", "Thinking…", "Here is my thought process:", "Here's my thought process:"}, string(line))
}

// readMarker reads the words that end the reasoning at an offset.
func (s *scanner) readMarker(at int) (tag, int) {
	if s.marker == "" || s.markerAt > 0 && s.markerAt != at || s.src[at] != s.marker[0] || !bytes.HasPrefix(s.src[at:], []byte(s.marker)) {
		return tag{}, 0
	}
	return tag{tagFinal, channel}, len(s.marker)
}

// weight says whether a tag takes effect.
type weight int

const (
	tagMentioned weight = iota // a text speaks of it
	tagDoubtful                // it may be one: what it would make reasoning is in doubt
	tagCounts
)

// weigh returns whether a tag in a line, which begins at from, takes effect there.
func (s *scanner) weigh(t tag, from, at, n int) weight {
	if s.found == at {
		return tagCounts
	}
	before, after := s.src[from:at], s.src[at+n:max(at+n, s.end)]
	s.begins = len(bytes.TrimLeft(before, marksBefore)) == 0
	counts := false
	switch {
	case s.quotedTag(at, n), isEmphasised(before, after), s.shows.inTurn() && t.family != turn:
	case t.family == turn:
		counts = t.kind == tagShown || s.begins || s.src[at-1] == '>'
	case t.kind == tagShow || t.kind == tagShown:
		counts = true
	case t.kind == tagOpen:
		return s.weighOpen(t, before, after, at, n)
	case t.kind == tagClose && slices.Contains(s.within, t.family):
		counts = true
	case t.kind == tagEnd:
		counts = s.weighClose(t, before, after) == tagCounts
	default:
		return s.weighClose(t, before, after)
	}
	if counts {
		return tagCounts
	}
	return tagMentioned
}

// weighOpen returns whether an opening tag takes effect. One that is never closed does if it is alone
// on its line or begins the text, and may if it begins or ends its line, or a sentence ends before it.
func (s *scanner) weighOpen(t tag, before, after []byte, at, n int) weight {
	text := s.src[at : at+n]
	within := slices.Contains(s.within, t.family)
	rest := bytes.TrimLeft(after, " \t*_")
	closed := s.closedLater(t, at)
	switch {
	case isGeneric(before, text):
		return tagMentioned
	case t.family == "details" && len(text) == len("<details>"):
		closed = within || s.begins && isThinking(s.src[at+n:])
		if !closed {
			return tagMentioned
		}
	case text[0] == '[' && string(text) != "[THINK]":
		if s.closes["["+t.family] <= at {
			return tagMentioned
		}
	case s.begins && (closed || text[1] == '|' || s.standsAlone(before, after, at)), bytes.HasSuffix(text, []byte("<|message|>")):
	case within || len(s.within) > 0 && !s.begins:
		return tagMentioned
	case s.begins:
		return tagDoubtful
	case closed:
	case endsLine(rest), endsSentence(bytes.TrimRight(before, " \t*_")):
		return tagDoubtful
	default:
		return tagMentioned
	}
	return tagCounts
}

// isGeneric reports whether a tag belongs to the word before it: List<Thought>.
func isGeneric(before, tag []byte) bool {
	return len(before) > 0 && isLetter(before[len(before)-1]) && 'A' <= tag[1] && tag[1] <= 'Z'
}

// standsAlone reports whether a tag that begins its line is alone there, or begins a text or a sentence.
func (s *scanner) standsAlone(before, after []byte, at int) bool {
	return len(bytes.Trim(after, " \t*_")) == 0 || beginsText(before, after) || len(bytes.TrimSpace(s.src[:at])) == 0
}

// weighClose returns whether a tag that closes reasoning, and no tag has opened it, takes effect: it is
// alone on its line, a sentence ends before it, it is glued to the text, or code or a new sentence follows.
func (s *scanner) weighClose(t tag, before, after []byte) weight {
	rest := bytes.TrimLeft(after, " \t*_")
	last := bytes.TrimRight(before, " \t*_")
	glued := s.marker == gluedFinal && s.gluedStart() > 0
	switch {
	case s.begins && len(rest) == 0, len(rest) > 0 && bytes.IndexByte([]byte("`~:{<"), rest[0]) >= 0:
		return tagCounts
	case t.family == channel && len(rest) > 0 && !s.begins:
		if glued || bytes.HasSuffix(before, []byte("assistant")) {
			return tagCounts
		}
		return tagMentioned
	case glued, endsSentence(last):
		return tagCounts
	case beginsText(before, after):
		return tagCounts
	case !s.begins && len(last) == len(before) && (len(after) == 0 || after[0] != ' ' && after[0] != '\t'):
		return tagCounts
	}
	return tagDoubtful
}

// endsLine reports whether nothing but a fence is behind a tag.
func endsLine(rest []byte) bool { return len(rest) == 0 || rest[0] == '`' || rest[0] == '~' }

// isEmphasised reports whether a tag between two parts of a line is emphasised, and words follow.
func isEmphasised(before, after []byte) bool {
	const marks = "*_"
	return len(before) > 0 && strings.IndexByte(marks, before[len(before)-1]) >= 0 && len(after) > 0 && strings.IndexByte(marks, after[0]) >= 0 && len(bytes.Trim(after, " \t*_")) > 0
}

// beginsText reports whether a tag between two parts of a line begins it, and words follow that are no
// part of a sentence about it: they are glued to it, or are a new sentence.
func beginsText(before, after []byte) bool {
	if len(bytes.TrimSpace(before)) > 0 || len(after) == 0 {
		return false
	}
	rest := bytes.TrimLeft(after, " \t")
	switch glued := len(rest) == len(after); {
	case len(rest) == 0:
		return false
	case 'a' <= rest[0] && rest[0] <= 'z':
		return glued
	default:
		return isLetter(rest[0]) || isDigit(rest[0]) || rest[0] >= utf8.RuneSelf || rest[0] == '*'
	}
}

// endsSentence reports whether a text ends like a sentence.
func endsSentence(text []byte) bool {
	return len(text) > 0 && bytes.IndexByte([]byte(".!?:;)]}"), text[len(text)-1]) >= 0 && !isNumber(text) || bytes.HasSuffix(text, []byte("…"))
}

// isNumber reports whether a text is that of a numbered item.
func isNumber(text []byte) bool { return len(bytes.TrimLeft(text, " \t0123456789.)")) == 0 }

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
