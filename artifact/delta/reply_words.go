package delta

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineWord is a word of a line with its end.
type lineWord struct {
	text string
	end  int
}

func lineWords(line string) []lineWord {
	var words []lineWord
	start := -1
	for i, c := range line + " " {
		inWord := isWordRune(c) && (c < 0x80 || unicode.IsLetter(c) || unicode.IsDigit(c)) || c == '.' && start >= 0 && i+1 < len(line) && isWordRune(rune(line[i+1]))
		switch {
		case inWord && start < 0:
			start = i
		case !inWord && start >= 0:
			words = append(words, lineWord{line[start:i], i})
			start = -1
		}
	}
	return words
}

func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// after returns the first character after a word, but for spaces and emphasis.
func after(body string, w lineWord) byte {
	rest := strings.TrimLeft(body[w.end:], " \t\r\n*_`\"'”’")
	if rest == "" {
		return 0
	}
	if strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "→") {
		return '-'
	}
	return rest[0]
}

func isSeparator(c byte) bool { return c != 0 && strings.IndexByte(":-|=([{,;", c) >= 0 }

func withoutArticles(words []lineWord) []lineWord {
	for len(words) > 0 && slices.Contains([]string{"of", "the", "to", "target", "item", "id", "new", "a", "an", "one"}, strings.ToLower(words[0].text)) {
		words = words[1:]
	}
	return words
}
