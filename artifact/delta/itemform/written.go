package itemform

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// writtenMarks may stand before the first word of a line.
const writtenMarks = " \t-+>*_#`0123456789.)|~<[(•→✗✓☐"

// keyBefore matches the name of a key and the marks up to its value.
var keyBefore = pattern.New(`(?i)\b(?:operation|op|action|type|command|kind|verdict|decision|change)(?:[^\pL\pN.,;?!\n]|[>:]\s*\n\s*|&(?:quot|#34|#39);|</?\w{1,20}>\s*){1,24}$`)

// IsWritten reports whether the operation between two offsets of a text is the value of a key, or a key or an element itself.
func IsWritten(src []byte, from, to int) bool {
	const near = 64
	const marks = " \t\r\n\"'`*_\\[“”"
	before, behind := src[max(0, from-near):from], src[to:min(len(src), to+near)]
	isPlural := src[to-1]|0x20 == 's'
	link := bytes.TrimRight(before, marks)
	if len(link) == 0 {
		link = []byte("\n")
	}
	last := link[len(link)-1]
	quoted := len(before) > 0 && strings.IndexByte("\"'", before[len(before)-1]) >= 0
	switch {
	case quoted && bytes.HasPrefix(bytes.TrimLeft(behind, "\"' \t"), []byte(":")):
		return true
	case last == '<' && len(link) == len(before):
		return len(behind) > 0 && (behind[0] == ' ' || behind[0] == '>')
	case bytes.HasPrefix(bytes.TrimLeft(behind, "*_"), []byte(":")):
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		rest, _, _ := bytes.Cut(behind, []byte("\n"))
		if len(bytes.Trim(line, writtenMarks)) == 0 && len(bytes.Trim(rest, " \t\r*_:")) == 0 {
			return true
		}
	}
	return !isPlural && (strings.IndexByte(":=>|-;", last) >= 0 || bytes.HasSuffix(link, []byte("→"))) && hasOperationKey(before) && keyBefore.Match(before)
}

// hasOperationKey reports whether a text has a word that keyBefore may match.
func hasOperationKey(text []byte) bool {
	for i := range text {
		if c := text[i] | 0x20; c < 'a' || 'z' < c || i > 0 && isWord(text[i-1]) {
			continue
		}
		for _, key := range [...]string{"op", "action", "type", "command", "kind", "verdict", "decision", "change"} {
			if len(text)-i >= len(key) && strings.EqualFold(string(text[i:i+len(key)]), key) {
				return true
			}
		}
	}
	return false
}
