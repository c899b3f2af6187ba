package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip cuts text to at most most characters. Clipped text ends with "…", without a space before.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text // a character has at least one byte
	}
	n, end := 0, 0
	for i := range text {
		if n == most-1 {
			end = i
		}
		if n++; n > most {
			return strings.TrimRightFunc(text[:end], unicode.IsSpace) + "…"
		}
	}
	return text
}

// ClipLine is Clip for a message of one line: control characters become spaces.
func ClipLine(text string, most int) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, Clip(text, most))
}

// First returns the first n characters of text.
func First(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Beginning returns the first n characters of text, followed by "…" if there are more.
func Beginning(text string, n int) string {
	if first := First(text, n); first != text {
		return first + "…"
	}
	return text
}

// FirstBytes returns the beginning of text: at most n bytes of complete characters.
func FirstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Common returns the length in bytes of the common prefix of a and b, in complete characters.
func Common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// Count returns a number with a noun, with "s" in the plural.
func Count(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural returns a number with the singular for 1, else with the plural.
func Plural(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + plural
}

// HasAny reports whether s contains any of the words.
func HasAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) })
}

// Suggest returns "did you mean X?" if a candidate is close to word, else "".
func Suggest[S ~string](word string, candidates []S) string {
	near, ok := Nearest(word, candidates)
	if !ok {
		return ""
	}
	return "did you mean " + near + "?"
}

// SuggestOf returns the result of Suggest followed by list.
func SuggestOf[S ~string](word string, candidates []S, list string) string {
	return strings.TrimPrefix(Suggest(word, candidates)+" "+list, " ")
}

// longestCompared bounds the work on hostile words; longer ones are not typing errors.
const longestCompared = 64

// Nearest returns the most similar candidate: equal but for case and separators, else with the
// fewest typing errors, else the only one that contains the word ("critic").
func Nearest[S ~string](word string, candidates []S) (string, bool) {
	if strings.TrimSpace(word) == "" || utf8.RuneCountInString(word) > longestCompared {
		return "", false
	}
	plain := plainWord(word)
	if utf8.RuneCountInString(plain) < 2 {
		return "", false // a single letter resembles every other
	}
	best, bestDistance := "", min(2, max(1, utf8.RuneCountInString(plain)/3))+1
	var around []string
	for _, c := range candidates {
		candidate := plainWord(string(c))
		if string(c) == word || utf8.RuneCountInString(candidate) > longestCompared {
			continue
		}
		if d := distance(plain, candidate); d < bestDistance {
			best, bestDistance = string(c), d
		}
		if len(plain) >= 4 && strings.Contains(candidate, plain) && !slices.Contains(around, string(c)) {
			around = append(around, string(c))
		}
	}
	if best == "" && len(around) == 1 {
		best = around[0]
	}
	return best, best != ""
}

// plainWord removes case and separators.
func plainWord(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// distance returns the number of insertions, deletions, replacements and swaps from a to b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
