package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// longestCompared bounds the work on hostile words; longer ones are no typing errors.
const longestCompared = 64

// Nearest returns the candidate that was probably meant: the same letters in
// another case or with other separators, else the fewest typing errors, else the
// one candidate that the word is a part of ("critic").
func Nearest[S ~string](word string, candidates []S) (string, bool) {
	if strings.TrimSpace(word) == "" || utf8.RuneCountInString(word) > longestCompared {
		return "", false
	}
	plain := plainWord(word)
	if utf8.RuneCountInString(plain) < 2 {
		return "", false // every letter is near every other
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

// plainWord removes what people vary without meaning another word.
func plainWord(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to make a into b.
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
