package nearjson

import (
	"bytes"
	"strings"
)

// sketchKeys are the keys that a sketch of a change needs.
var sketchKeys = []string{"operation", "op", "action", "section", "target_id"}

// maxGap is how many spaces may stand on either side of the colon, maxQuotes how many quotation marks
// around a word, maxEscapes how many backslashes before each, and maxValue how long a word may be.
const (
	maxGap     = 8
	maxQuotes  = 4
	maxEscapes = 3
	maxValue   = 31
)

// NextKey returns the next place from at on where a word begins with one of the keys, or -1.
func NextKey(text []byte, at int) int {
	for ; at < len(text); at++ {
		switch text[at] | 0x20 {
		case 'o', 'a', 's', 't':
			if at > 0 && isWordByte(text[at-1]) {
				continue
			}
			for _, key := range sketchKeys {
				if beginsWith(text[at:], key) {
					return at
				}
			}
		}
	}
	return -1
}

// SketchedValue reads a key and its word at an offset of JSON that cannot be read: where the key ends,
// and where the word begins and ends. It returns false if there is none.
func SketchedValue(text []byte, at int) (key string, begin, end int, ok bool) {
	for _, key := range sketchKeys {
		if !beginsWith(text[at:], key) {
			continue
		}
		begin := behindGap(text, behindQuotes(text, at+len(key)))
		if begin < len(text) && (text[begin] == ':' || text[begin] == '=') {
			begin++
		}
		begin = behindQuotes(text, behindGap(text, begin))
		end := begin
		for end < len(text) && end < begin+maxValue && (isLetter(text[end]) || end > begin && (isWordByte(text[end]) || text[end] == '.')) {
			end++
		}
		if end-begin > 1 {
			return key, begin, end, true
		}
	}
	return "", 0, 0, false
}

func behindGap(text []byte, at int) int {
	for n := 0; n < maxGap && at < len(text) && (text[at] == ' ' || text[at] == '\t'); n++ {
		at++
	}
	return at
}

// behindQuotes returns where the quotation marks at an offset end.
func behindQuotes(text []byte, at int) int {
	for range maxQuotes {
		n := quoteMark(text[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// quoteMark returns the length of a quotation mark, or of emphasis, at the start of a text, or 0.
func quoteMark(text []byte) int {
	n := 0
	for n < maxEscapes && n < len(text) && text[n] == '\\' {
		n++
	}
	if n == len(text) {
		return 0
	}
	switch text[n] {
	case '"', '\'', '*', '_', '`':
		return n + 1
	case "“"[0]:
		if bytes.HasPrefix(text[n:], []byte("“")) || bytes.HasPrefix(text[n:], []byte("”")) {
			return n + len("“")
		}
	case '&':
		for _, entity := range [...]string{"&quot;", "&#34;", "&#39;"} {
			if n == 0 && beginsWith(text, entity) {
				return len(entity)
			}
		}
	}
	return 0
}

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// beginsWith reports whether a text begins with a word, in any case.
func beginsWith(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word)
}
