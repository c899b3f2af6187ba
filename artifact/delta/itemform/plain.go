package itemform

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"brenner/internal/pattern"
)

var (
	inlineTags = pattern.New(`</?(?:b|strong|em|i|u|li|p|h\d|code|span|table|td|th|tr|summary)\b[^<>]{0,60}>`)
	plainSpace = strings.NewReplacer("\u00a0", " ", "\u200b", " ", "\ufeff", " ", "__", "  ", "→ KILLED", "→ KILL")
)

// MayList reports whether a line may begin with the mark of a list: behind marks, a bracket, or a few letters with a
// dot or a parenthesis.
func MayList(line string) bool {
	rest := strings.TrimLeft(line, " \t\n\f\r>|#*_-")
	if rest == "" || rest[0] == '[' || rest[0] == '(' {
		return rest != ""
	}
	n := 0
	for n < len(rest) && n < 5 && isLatin(rest[n]) {
		n++
	}
	return n > 0 && n < len(rest) && (rest[n] == '.' || rest[n] == ')')
}

// PlainLine returns a line with plain spaces, and without tags.
func PlainLine(line string) string {
	if strings.IndexFunc(line, func(c rune) bool { return c == '_' || c >= utf8.RuneSelf }) >= 0 {
		line = plainSpace.Replace(line)
	}
	if strings.IndexByte(line, '<') >= 0 {
		line = inlineTags.ReplaceAllString(line, " ")
	}
	return line
}

// IsForwardClue reports whether a line that has marks, or ends in a colon, may be above the message of
// another author.
func IsForwardClue(line []byte) bool {
	const longest = 200
	line = line[:min(len(line), longest)]
	for i, c := range line {
		if c == '\n' {
			break
		}
		for _, part := range forwardParts[c] {
			if bytes.HasPrefix(line[i:], []byte(part)) {
				return true
			}
		}
	}
	return false
}

// forwardParts are parts of the words in such a line, by their first byte.
var forwardParts = func() (by [256][]string) {
	for _, part := range []string{"orward", "ORWARD", "wd:", "WD:", "wrote:", "schrieb", "crit", "riginal", "RIGINAL", "rspr", "eitergeleitet", "ransf"} {
		by[part[0]] = append(by[part[0]], part)
	}
	return by
}()
