package itemform

import (
	"bytes"

	"brenner/internal/remark"
)

// Clues are the parts of words near an id of which every such sentence has one.
func Clues() []string {
	return []string{
		"should", "must ", "to go", "hereby ", "can ", "like to", "et's ", "et’s ", "et us ", "lease ", "'d ", "’d ", "'ll ", "’ll ", " will ",
		"Set ", "set ", "ower ", "aise ", "educe ", "ncrease ", "ark ", "orrect ", "djust ", "wap", "xtend ", "eeds ", " goes", " go ", " out", "done", "gone", " axe", "itch", "rune ", "trike ", "truck", "bandon", "ismiss", "urg", "ras",
		"amend", "Amend", "harpen", "ighten", "arrow", "larif", "ename", "owngrad", "emot", "efin", "estat", "eformul", "plit", "eclar", "abel", " flag", "Fix", " fix", "roaden", "xpand",
		"rid of", "→", "->", "=>", "➜", "➔", "⇒", "(new", "(proposed", "(my ", "(added", "(addition", "[new", "[NEW", "(NEW", "[proposed", "(Proposed", "(New", "[New", "NEW", "New:", "🆕",
	}
}

// kindWords are the words for items that an author may add, and that for what the research is about. One of the words of adding
// is near them in every sentence that adds one.
var (
	kindWords = remark.WordsOf("hypothesis", "Hypothesis", "anomaly", "Anomaly", "critique", "Critique", "research question", "assumption", "Assumption", "test", "objection", "Objection", "alternative", "prediction", "Prediction", " slate", " ledger", " register")
	addWords  = remark.WordsOf("dd", "egist", "ecord", "og ", "ogg", "ntroduc", "nclud", "nsert", "nter", "ppend", "reat", "il", "pen", "ais", "ropos", "uggest", "ffer", "ubmit", "ote", "ut ", "utt", "tat", "dvanc", "resent",
		"NEW", "New", "new ", "urther", "nother", "should", "must", "hange", "et ", "ewrit", "eword", "eplac")
)

// kindStart returns where a word for an item would begin that has a letter at an offset, by it and the next one.
func kindStart(text []byte, at int) int {
	switch [2]byte{text[at], text[at+1]} {
	case [2]byte{'y', 'p'}:
		return at - 1 // hypothesis
	case [2]byte{'m', 'a'}:
		return at - 3 // anomaly
	case [2]byte{'q', 'u'}:
		return at - 5 // critique, or the research question
	case [2]byte{'m', 'p'}:
		return at - 4 // assumption
	case [2]byte{'t', 'e'}:
		return at
	case [2]byte{'j', 'e'}:
		return at - 2 // objection
	case [2]byte{'v', 'e'}:
		return at - 9 // alternative
	case [2]byte{'d', 'i'}:
		return at - 3 // prediction
	}
	return -1
}

// IsKindAt reports whether a letter at an offset may be that of a word for an item: a quick test before AddsAt.
func IsKindAt(text []byte, at int) bool {
	next := byte(0)
	if at+1 < len(text) {
		next = text[at+1]
	}
	switch text[at] {
	case 't', 'v', 'j':
		return next == 'e'
	case 'm':
		return next == 'a' || next == 'p'
	case 'y':
		return next == 'p'
	case 'q':
		return next == 'u'
	}
	return next == 'i'
}

// AddsAt reports whether a letter at an offset is that of a word for an item near one for adding it.
func AddsAt(text []byte, at int) bool {
	const near, behind, longest = 60, 40, 12
	if at+1 >= len(text) {
		return false
	}
	start := kindStart(text, at)
	if text[at] == 'q' && at >= 9 && bytes.HasPrefix(text[at-9:], []byte("research question")) {
		start = at - 9
	} else if start < 0 || !isKindWord(text[start:min(len(text), start+longest)]) {
		return false
	}
	return addWords.In(string(text[max(0, start-near):min(len(text), start+behind)]))
}

// isKindWord reports whether a text begins with a word for an item.
func isKindWord(text []byte) bool {
	for _, word := range [...]string{"ypothesis", "nomaly", "ritique", "ssumption", "est", "bjection", "lternative", "rediction"} {
		if len(text) > len(word) && string(text[1:len(word)+1]) == word {
			return true
		}
	}
	return false
}
