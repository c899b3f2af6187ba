package itemform

import (
	"bytes"

	"brenner/internal/lazy"
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

// kindStart returns where a word for an item would begin that has a letter at an offset, by it and the next two.
func kindStart(text []byte, at int) int {
	if at+2 < len(text) {
		switch [3]byte(text[at : at+3]) {
		case [3]byte{'y', 'p', 'o'}:
			return at - 1 // hypothesis
		case [3]byte{'m', 'a', 'l'}:
			return at - 3 // anomaly
		case [3]byte{'q', 'u', 'e'}:
			return at - 5 // critique, or the research question
		case [3]byte{'m', 'p', 't'}:
			return at - 4 // assumption
		case [3]byte{'t', 'e', 's'}:
			return at
		case [3]byte{'j', 'e', 'c'}:
			return at - 2 // objection
		case [3]byte{'d', 'i', 'c'}:
			return at - 3 // prediction
		}
	}
	if at > 0 && string(text[at-1:at+2]) == "ive" {
		return at - 9 // alternative
	}
	return -1
}

// cluePairs are the pairs of bytes at which EachClue stops, as bits: some capitals, marks and letters of other
// scripts before any byte, and small letters before those that continue a word.
var cluePairs = lazy.Of(func() *[1 << 16 / 64]uint64 {
	all := new([1 << 16 / 64]uint64)
	add := func(first byte, next ...byte) {
		for _, c := range next {
			pair := uint(first)<<8 | uint(c)
			all[pair/64] |= 1 << (pair % 64)
		}
	}
	var every []byte
	for c := range 1 << 8 {
		every = append(every, byte(c))
	}
	for _, c := range append([]byte("AEKUMRDHTXCPN\n:"), otherBytes()...) {
		add(c, every...)
	}
	for _, pair := range []string{"yp", "ma", "qu", "mp", "te", "je", "ve", "di"} { // of words for items
		add(pair[0], pair[1])
	}
	add('d', []byte("dDiIeE0123456789")...)
	add('k', []byte("iI0123456789")...)
	return all
})

// EachClue calls a function for each offset of a text at which one of the words for operations and items, an id or a mark of a line
// may be.
func EachClue(text []byte, look func(at int)) {
	pairs := cluePairs.Get()
	for i := range text {
		pair := uint(text[i]) << 8
		if i+1 < len(text) {
			pair |= uint(text[i+1])
		}
		if pairs[pair/64]>>(pair%64)&1 != 0 {
			look(i)
		}
	}
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

// AddsManyAt reports whether a letter at an offset is that of one of the words for items whose plural is another word, near one for
// adding them.
func AddsManyAt(text []byte, at int) bool {
	const near, longest = 60, 12
	start := kindStart(text, at)
	if start < 0 {
		return false
	}
	word := text[start:min(len(text), start+longest)]
	isMany := len(word) > 1 && (bytes.HasPrefix(word[1:], []byte("ypotheses")) || bytes.HasPrefix(word[1:], []byte("nomalies")))
	return isMany && addWords.In(string(text[max(0, start-near):start]))
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
