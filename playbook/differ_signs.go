package playbook

import (
	"slices"
	"unicode"
)

// signLength gives the length of the sign of a comparison at the beginning of a text.
func signLength(text string) int {
	for _, n := range []int{2, 1} {
		if len(text) >= n && isSign(text[:n]) {
			return n
		}
	}
	return 0
}

func isSign(s string) bool {
	switch s {
	case "<", ">", "<=", ">=", "!=", "==":
		return true
	}
	return false
}

// isRank tells the words that count places. "First" is none: one lesson says it of what
// another one begins with.
func isRank(w string) bool {
	switch w {
	case "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth":
		return true
	}
	return false
}

// differInSigns looks for comparisons and places that are not the same, and for words that
// are written so that they look like others: what cannot be read cannot be the same.
func differInSigns(x, y reading) string {
	for _, lists := range [][2][]string{{x.signs, y.signs}, {x.mixed, y.mixed}, {x.ranks, y.ranks}} {
		a, b := slices.Sorted(slices.Values(lists[0])), slices.Sorted(slices.Values(lists[1]))
		if slices.Equal(a, b) {
			continue
		}
		for _, s := range slices.Concat(a, b) {
			if count(a, s) != count(b, s) {
				return "only one has “" + s + "”, or has it more often"
			}
		}
	}
	return ""
}

func count(all []string, s string) (n int) {
	for _, o := range all {
		if o == s {
			n++
		}
	}
	return n
}

// ofTwoScripts tells a word that mixes Latin letters with those of another script.
func ofTwoScripts(word string) bool {
	latin, other := false, false
	for _, r := range word {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin = true
		default:
			other = true
		}
	}
	return latin && other
}
