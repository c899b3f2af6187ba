package delta

import "strings"

// Possible is false for a text in which Read certainly finds no delta, be it one that
// is taken, refused or only shown, and it is found out much faster: a fence calls itself
// a delta by that word, and elsewhere only an object with one of a few words is looked at.
// Read may still name a fence in which something is quoted.
func Possible(text string) bool {
	return PossibleBare(text) || possibleFence(text)
}

// PossibleBare is false for a text in which there is certainly no delta outside a fence
// that calls itself one.
func PossibleBare(text string) bool {
	if !strings.Contains(text, "{") {
		return false
	}
	for _, word := range bareWords() {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func possibleFence(text string) bool {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, ":::") {
		return false
	}
	const word = "delta"
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// bareWords are those of which a stretch outside a delta fence has one, if it holds
// a delta.
func bareWords() [4]string { return [...]string{"peration", "PERATION", `"op"`, "action"} }
