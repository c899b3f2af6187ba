package nearjson

import (
	"bytes"
	"strings"
)

// Hidden stands for the first mark of a fence in a text of JSON.
const Hidden = 0x7f

// HideMarks hides the marks of fences in a text.
func HideMarks(text []byte) {
	for line := range bytes.Lines(text) {
		if begin := bytes.TrimLeft(line, " \t>"); IsFenceLine(begin) {
			begin[0] = Hidden
		}
		for i := range max(0, len(line)-2) {
			if (line[i] == '`' || line[i] == '~') && line[i] == line[i+1] && line[i] == line[i+2] {
				line[i] = Hidden
			}
		}
	}
}

// IsFenceLine reports whether a line begins with two marks of a fence.
func IsFenceLine(line []byte) bool {
	return len(line) > 2 && strings.IndexByte("`~:", line[0]) >= 0 && line[0] == line[1]
}

// FenceInText returns false only if no line of a fence is in a text of JSON. It counts the quotation marks from the first
// brace of a part between fences on, and from the last line that begins with one.
func FenceInText(src []byte) bool {
	isOpen, first, last := false, 0, 0
	for line := range bytes.Lines(src) {
		text := bytes.TrimLeft(line, " \t>")
		if IsFenceLine(text) {
			if isOpen && (first|last)&1 != 0 {
				return true
			}
			isOpen = false
			continue
		}
		brace := bytes.IndexByte(text, '{')
		if !isOpen && brace < 0 {
			continue
		}
		opens := opensAtEnd(text)
		if !isOpen {
			isOpen, first, last, text = true, 0, 0, text[brace:]
		} else if brace == 0 {
			last = 0
		}
		n := bytes.Count(text, []byte{'"'}) - bytes.Count(text, []byte(`\"`))
		first, last = first+n, last+n
		if opens {
			if (first|last)&1 != 0 {
				return true
			}
			isOpen = false
		}
	}
	return false
}

// opensAtEnd reports whether a line may open a fence at its end.
func opensAtEnd(line []byte) bool {
	word := bytes.TrimRight(line, " \t\r\n")
	word = word[max(0, len(word)-16):]
	return bytes.Contains(word, []byte("```")) || bytes.Contains(word, []byte("~~~"))
}

// HasFenceLine reports whether a line begins with the marks of a fence.
func HasFenceLine(text []byte) bool {
	for line := range bytes.Lines(text) {
		if IsFenceLine(bytes.TrimLeft(line, " \t>-*+")) {
			return true
		}
	}
	return false
}

// EndsInText reports whether JSON ends in a text that is not closed.
func EndsInText(json []byte) bool {
	inside := false
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] == '"':
			inside = !inside
		case json[i] == '\\' && inside:
			i++
		}
	}
	return inside
}
