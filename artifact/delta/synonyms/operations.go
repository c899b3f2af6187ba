package synonyms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The operations of deltas.
const (
	add  = "ADD"
	edit = "EDIT"
	kill = "KILL"
)

// orders are the words for operations; the first three in any case, the others with a capital.
var orders = [...]struct{ word, operation string }{
	{add, add},
	{edit, edit},
	{kill, kill},
	{"UPDATE", edit},
	{"MODIFY", edit},
	{"REVISE", edit},
	{"DELETE", kill},
	{"REMOVE", kill},
	{"DROP", kill},
	{"REJECT", kill},
	{"DEPRECATE", kill},
	{"RETIRE", kill},
	{"DISCARD", kill},
}

// Operation returns the operation that a word stands for, or "".
func Operation[T string | []byte](word T) string {
	for i, o := range orders {
		if len(word) == len(o.word) && word[0]&^0x20 == o.word[0] && (i < 3 || word[0] == o.word[0]) && strings.EqualFold(string(word), o.word) {
			return o.operation
		}
	}
	return ""
}

// IsOperation reports whether a word is an operation, in any case.
func IsOperation(word string) bool {
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case add, edit, kill:
		return true
	}
	return false
}

// NextOperation returns where the next word for an operation begins and ends, also one in the plural, or
// two zeros.
func NextOperation(text []byte, at int) (from, to int) {
	for ; at < len(text); at++ {
		if n := OperationAt(text, at); n > 0 {
			return at, at + n
		}
	}
	return 0, 0
}

// OperationAt returns the length of the word for an operation that begins at an offset, or 0.
func OperationAt(text []byte, at int) int {
	switch text[at] {
	case 'a', 'A', 'e', 'E', 'k', 'K', 'U', 'M', 'R', 'D':
	default:
		return 0
	}
	if at > 0 && (isLetter(text[at-1]) || '0' <= text[at-1] && text[at-1] <= '9') {
		return 0
	}
	n := 1
	for at+n < len(text) && isLetter(text[at+n]) {
		n++
	}
	if n < 3 || n > len("DEPRECATE") || !endsWord(text[at+n:]) {
		return 0
	}
	if Operation(text[at:at+n]) != "" || text[at+n-1]|0x20 == 's' && Operation(text[at:at+n-1]) != "" {
		return n
	}
	return 0
}

// endsWord reports whether a text begins with no letter or digit.
func endsWord(text []byte) bool {
	c, _ := utf8.DecodeRune(text)
	return !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
