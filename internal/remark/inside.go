package remark

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
	"brenner/internal/pattern"
)

// heldWords are the words that say of a block, as its state or title, that it does not count, or not now. Many are also words for
// what becomes of an item, so they count only where a word stands for the whole block.
var heldWords = lazy.WordsOf("draft drafts drafted example examples sample template illustration illustrative demo hypothetical quoted quote quotation placeholder mock dummy sketch " +
	"withdrawn withdraw retracted rejected discarded dropped abandoned superseded obsolete outdated deprecated stale old previous void voided cancelled canceled invalid inactive disabled suspended archived unused reverted undone unsent scrapped " +
	"tentative provisional pending conditional contingent deferred postponed later hold onhold held paused waiting parked shelved backlog reserve reserved optional maybe perhaps fallback otherwise undecided unconfirmed unapproved " +
	"skip skipped ignore ignored noexec noop wip todo tbd tbc future planned dry dryrun simulated simulation scratch brainstorm considered wontfix graveyard")

// heldKeys are keys that name a condition.
var heldKeys = lazy.WordsOf("when if only_if unless until condition conditions precondition preconditions conditional_on contingent_on apply_when apply_if apply_after effective_when trigger provided")

// KeyHoldsBack reports whether a key of a delta, in small letters, with its value leaves open whether it is meant: "enabled": false,
// "tentative": true.
func KeyHoldsBack(key string, value bool) bool {
	for word := range strings.FieldsFuncSeq(key, func(c rune) bool { return c == '_' || c == '-' || c == ' ' }) {
		if heldWords.Has(word) || isIn(" not no ", word) {
			return value
		}
	}
	return !value
}

var (
	// unapplied matches what forbids to apply a block, in any sentence beside or in it.
	unapplied = pattern.New(`\b(?:do not|don't|never|not|please don't)(?: to)?(?: be)?(?: yet| for| ready to be| meant to be| intended to be)* (?:appl(?:y|ied|ication)|execut(?:e|ed|ion)|merged?|submit(?:ted)?|process(?:ed)?|read|pars(?:e|ed)|use|used)(?: (?:it|this|that|yet|now|as is|the (?:block|delta)|this (?:block|delta)|until\b.*|before\b.*|unless\b.*))?(?:$|[.,;:!)—–])`)
	// shownOnly matches a note that calls the block of which it speaks an example, a draft or a quotation.
	shownOnly = pattern.New(`^(?:(?:this is|this block is|just|only|merely|purely|an?|the|my|for|as|rough|first|early|old|todo|note|nb|warning)[:,]? )*(?:examples?|samples?|drafts?|illustrations?|template|placeholder|quotation|quoted|copied|pasted|demo|hypothetical|wip|work in progress|thought experiment)(?:$|[.,;:!)—–-]| -| only| for | of (?:the|a|an|how|what) (?:\w+ )?(?:syntax|format|form|block|delta|schema)| from | by )`)
	// shownReason matches the same in the reason of a change, which may speak of drafts and examples.
	shownReason = pattern.New(`^(?:(?:[Tt]his is|[Jj]ust|[Oo]nly|[Aa]n?|[Tt]he|[Ff]or) )*(?i:examples?|samples?|drafts?|illustrations?|template|placeholder|quotation|quoted|copied|pasted|demo|hypothetical|wip)(?:,? (?:only|to be|not|please)\b| of (?:the|an?) (?:\w+ )?(?:syntax|format|block|delta)\b| (?:from|by) ` + agent + `)`)
	// waitsFor matches a note that makes the block depend on something.
	waitsFor  = pattern.New(`^(?:only|not) (?:if|when|once|after|before|until|unless|yet|now)\b|\b(?:and |but |so |, |; )?not (?:now|yet)[.!]*$|^(?:todo|tbd|wip|on hold|hold|skip|wait)\b`)
	condition = pattern.New(`^(?:only )?(?:if|when|once|after|unless|until|as soon as|in case|provided|assuming|pending|conditional on|contingent on|subject to|depending on)\b`)
)

// NoteHoldsBack reports whether a note in a block says that it is not to be applied, or not now. Of the reason of a change, in which
// states are those of the item, only plain words count.
func (r Rules) NoteHoldsBack(note string, isReason bool) bool {
	const longest, few = 400, 4
	if len(note) > longest {
		note = note[:longest]
	}
	n := 0
	for sentence := range sentences(strings.Trim(note, " \t\r\n*/#()[]")) {
		lower := lowered(strings.Trim(sentence, " *_()[]"))
		if unapplied.MatchString(lower) || waitsFor.MatchString(lower) || shownReason.MatchString(sentence) {
			return true
		}
		if isReason {
			continue
		}
		if shownOnly.MatchString(lower) {
			return true
		}
		if n++; n == 1 && (condition.MatchString(lower) || len(strings.Fields(lower)) < few && isHeld(lower)) {
			return true
		}
	}
	return false
}

// FieldHoldsBack reports whether a key of a delta, in small letters, with a text leaves open whether it is meant.
func (r Rules) FieldHoldsBack(key, value string) bool {
	lower := lowered(strings.TrimSpace(value))
	switch {
	case lower == "":
		return false
	case heldKeys.Has(key):
		return !isIn(" now always immediately none true yes n/a ", lower)
	case isIn(" draft tentative withdrawn retracted rejected todo hold on_hold pending provisional conditional ", key):
		return !isIn(" no false none n/a ", lower)
	case isIn(" status state stage phase mode disposition decision intent apply enabled submit validity ", key):
		return isHeld(lower) || isIn(" no false off ", lower) || r.NoteHoldsBack(value, false)
	}
	return r.NoteHoldsBack(value, false)
}

// isHeld reports whether a state, in small letters, says that something does not count, or not now.
func isHeld(state string) bool {
	words := strings.FieldsFunc(state, func(c rune) bool { return c != '-' && c != '\'' && (c < 0x80 && !isLetter(byte(c))) })
	return slices.ContainsFunc(words, func(w string) bool { return heldWords.Has(w) || isIn(" not never no ", w) })
}
