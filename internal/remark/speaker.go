package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

var (
	// speakerLine matches a line of a dialogue, which begins with the name of who speaks, in bold or in brackets:
	// **RedSky:** I agree. [RedSky → all]
	speakerLine = pattern.New(`^(?:\*\*|__|\[)@?` + agent + `(?: \([^)]{1,40}\))?(?: ?(?:→|->|=>|➜) ?[^\]:*_]{1,40})?(?:\]:?|:\*\*|\*\*:|:__|__:)(?:[ \t]+(.*))?$`)
	// addresses matches what an author says to the one whose name stands before it.
	addresses = pattern.New(`(?i)^(?:you|yours?|you're|thanks?|(?:good|fair) (?:point|question))\b`)
	// musing matches a paragraph that opens a bracket of thoughts, or a comment of code.
	musing = pattern.New(`(?i)^(?:[(\[] ?(?:think(?:ing)?|thoughts?|reasoning|scratch(?: ?pad)?|musing|brainstorm(?:ing)?|note to self|internal(?:ly)?|draft)\b|/\*)`)
)

// Speaking returns the section at the end of a text between blocks, in which others may speak as in a dialogue, and whether
// one of them begins to speak in that text. Each speaks up to the next name.
func (r Rules) Speaking(s Section, text []byte) (now Section, isNew bool) {
	isStaged := r.Whole != nil && r.Whole.isStaged
	if !r.Oblique || r.Author == "" && !isStaged {
		return s, false
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if isStaged {
			if now, begins, ok := r.voice(s, line); ok {
				s, isNew = now, begins
				continue
			}
		}
		if now, begins, ok := r.inDialogue(line); ok {
			s, isNew = now, begins
			continue
		}
		if len(line) == 0 || line[0] != '*' && line[0] != '_' && line[0] != '[' {
			continue
		}
		m := speakerLine.FindSubmatch(line)
		switch {
		case len(m) < 3 || addresses.Match(m[2]):
		case isSame(string(m[1]), r.Author):
			s, isNew = Section{}, false
		default:
			s, isNew = Section{level: labelLevel, Remark: Remark{Line: string(line), Open: true}}, true
		}
	}
	return s, isNew
}

// muses returns the line at the end of a text that opens a bracket of thoughts, or a comment of code, around the block
// that follows.
func muses(text []byte) (Remark, bool) {
	raw := lastParagraph(text)
	if len(raw) == 0 || strings.IndexByte("([/", raw[0]) < 0 || !musing.Match(raw) {
		return Remark{}, false
	}
	isOpen := !bytes.Contains(raw, []byte("*/"))
	if i := strings.IndexByte("([", raw[0]); i >= 0 {
		isOpen = bytes.Count(raw, raw[:1]) > bytes.Count(raw, []byte{")]"[i]})
	}
	line, _ := unmark(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")))
	return Remark{Line: line, Open: true}, isOpen
}
