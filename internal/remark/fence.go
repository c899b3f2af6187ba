package remark

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// IsExampleWord reports whether a name says that what it holds is not meant as a change.
func IsExampleWord(name string) bool {
	return hasWord(name, "example", "examples", "sample", "samples", "template", "schema", "format", "quote", "quoted", "quotation", "quotes")
}

// hasWord reports whether one of the words of a name is in a list. Of a key with a value, only the value
// counts ("format=json"), and a word with a hyphen is one word ("no-wrap").
func hasWord(name string, list ...string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool {
		return c != '-' && c != '=' && (c < 0x80 && !isLetter(byte(c)) && !isDigit(byte(c)))
	}) {
		_, value, ok := strings.Cut(word, "=")
		if !ok {
			value = strings.TrimPrefix(strings.TrimPrefix(word, "deltas-"), "delta-")
		}
		if slices.Contains(list, value) || strings.HasPrefix(value, "not-") || strings.HasPrefix(value, "do-not-") {
			return true
		}
	}
	return false
}

// fromOther matches the words of a fence that name another author.
var fromOther = pattern.New(`\b(?:from|by) [A-Z]\w+`)

// otherName matches a word of a fence that is a name such as RedSky.
var otherName = pattern.New(`(?:^|[ ,;({])@?` + agent + `(?:$|[ ,;)}])`)

// HoldsFence reports whether the words of a fence leave open whether its block is meant: a state, or another author's name.
func (r Rules) HoldsFence(info string) bool {
	if m := otherName.FindStringSubmatch(info); len(m) > 1 && !isSame(m[1], r.Author) {
		return r.Close
	}
	for word := range strings.FieldsSeq(info) {
		if r.Close && heldWords.Has(strings.ToLower(strings.Trim(word, "(){}[].,;"))) {
			return true
		}
	}
	return false
}

// SetsFenceAside reports whether the words of a fence say that its block is not proposed, or another
// author's.
func SetsFenceAside(info string) bool {
	return info != "delta" && (fromOther.MatchString(info) || strings.Contains(info, "?") ||
		hasWord(info, "draft", "drafts", "rejected", "discarded", "withdrawn", "obsolete", "old", "previous", "not", "cancel", "cancelled", "superseded", "false", "wrong", "bad", "incorrect",
			"before", "hypothetical", "demo", "think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "plan", "wip", "illustration", "skip", "ignore", "ignored", "noop", "no-op", "dry-run", "dryrun"))
}
