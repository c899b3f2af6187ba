package remark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/pattern"
)

// NoChanges returns the reason in a line "NO CHANGES: reason". Emphasis and code marks around the
// words, or around all of it, are ignored; if lax, marks of lists and headings are, too.
func NoChanges(line string, lax bool) (reason string, ok bool) {
	const marks = "*_`"
	if lax {
		line = strings.ReplaceAll(strings.TrimLeft(line, " \t\u00a0#-+•"), "\u00a0", " ")
		if rest, isItem := strings.CutPrefix(line, "* "); isItem {
			line = rest
		}
	}
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, marks)
	opening := line[:len(line)-len(rest)]
	for _, word := range []string{"no", "changes"} {
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			return "", false
		}
		after := strings.TrimLeft(rest[len(word):], " \t")
		if word == "no" && len(after) == len(rest)-len(word) {
			return "", false // one word
		}
		rest = after
	}
	rest, closed := strings.CutPrefix(rest, opening)
	rest = strings.TrimLeft(rest, " \t")
	colons := []string{":", "："}
	if lax {
		colons = append(colons, "–", "—", "- ")
	}
	for _, colon := range colons {
		if after, found := strings.CutPrefix(rest, colon); found {
			if inner, whole := strings.CutPrefix(after, opening); !closed && whole {
				after = inner
			} else if !closed {
				after = strings.TrimSuffix(after, opening)
			}
			return strings.TrimSpace(after), true
		}
	}
	return "", rest == "" || rest == "." && lax
}

// IsReason reports whether a text says something. The form "NO CHANGES: reason" itself does not.
func IsReason(text string) bool {
	words := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return words != "" && !strings.EqualFold(words, "reason")
}

// The parts of an answer without changes whose reason is a sentence of its own.
var (
	// nothingNew matches the beginning of such an answer.
	nothingNew = pattern.New(`^[ \t#*_\x60•+-]*(?i:(?:(?:after|on|upon|having) [^,.:;]{3,60}, )?(?:no|(?:i|we) (?:have|propose|make|suggest|see|submit|offer|request|recommend) no))[ \t\x{a0}]+(?i:(?:further |new |more )?changes)(?i: to (?:propose|make|suggest|submit|offer|add|request|recommend|report)| (?:(?:in|for) )?this (?:round|turn)| from (?:me|my side)| (?:needed|required|necessary|proposed|warranted|today|for now)| at this (?:time|point|stage))*[*_\x60]*[.!:]?[*_\x60]*(?:[ \t\r]+|$)`)
	// reasonLabel matches a label before a reason.
	reasonLabel = pattern.New(`^[\s*_#-]*(?i:(?:my |the )?(?:reasons?|reasoning|rationale|justification|why|explanation))[*_]*[ \t]*[:—–-][*_]*\s*`)
	// turnsFrom matches the beginning of a sentence that takes back that there are no changes.
	turnsFrom = pattern.New(`(?:^|[.!?;:—–\n][ \t\n*_-]*|, )(?i:but|however|except|although|though|that said|nevertheless|even so|still|yet|unless|only|instead|otherwise|apart from|besides|aside from|on second thoughts?|wait|actually|correction|update|edit)\b`)
)

// NoChangesSince returns the reason of an answer without changes whose line does not have the form "NO CHANGES: reason": one or more
// sentences behind the words, or in the paragraph below, of which none turns against them. It returns false if there is none.
func NoChangesSince(line, below string) (reason string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	m := nothingNew.FindStringIndex(line)
	if m == nil {
		return "", false
	}
	rest := strings.TrimSpace(line[m[1]:])
	whole := rest + "\n" + below
	if isLoose := strings.ContainsAny(line[:m[1]], ".!:"); rest != "" && !isLoose || turnsFrom.MatchString(whole) {
		return "", false
	}
	if rest == "" {
		rest = strings.TrimSpace(below)
	}
	rest = strings.TrimSpace(rest[len(reasonLabel.FindString(rest)):])
	rest, _, _ = strings.Cut(rest, "\n")
	rest = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), "-*•+ "))
	first, _ := utf8.DecodeRuneInString(rest)
	isProse := unicode.IsLetter(first) && strings.Count(rest, " ") > 1 || unicode.Is(unicode.Han, first) && len(rest) > 15
	if !isProse || strings.ContainsAny(rest[len(rest)-1:], ":?") {
		return "", false
	}
	return rest, true
}

var (
	// abstention matches sentences in which an author says that it changes nothing.
	abstention = shape(`\b<me>(?: shall| will| can| would| do| am|'m|'ll)? (?:therefore |still |hence |thus |currently |simply )?(?:make|making|propose|proposing|have|send|sending|submit|submitting|offer|offering|suggest|request|file|see) (?:absolutely )?(?:no (?:changes?|deltas?|edits?|blocks?|amendments?|proposals?)|nothing(?: to (?:change|submit|propose|send|contribute|apply))?)(?:$|,| (?:this|in this|at this|for (?:this|now|the moment|the time)|from|of my own|myself|here|today|yet|now|until|before|to (?:the (?:slate|artifact)|make|propose|submit))\b)`,
		`\b(?:no (?:changes?|deltas?|edits?)|nothing) from (?:me|my side|us)\b`, `\bnothing (?:for me )?to (?:do|change|apply|merge|execute|submit) (?:here|this round|in this round|now|today|at this point)\b|^nothing to (?:do|change|apply|submit)$`,
		`\b<me>(?: would|'d| will| am|'m)? (?:therefore |hence |thus |simply )?(?:keep|leave|leaving|keeping) (?:the (?:whole )?(?:slate|artifact)|everything|all (?:three|four|items|of (?:it|them))) (?:exactly |just )?(?:as (?:it is|it stands|they are|they stand|is)|untouched|unchanged|alone)\b`,
		`\b<me>(?: have|'ve)? (?:not|n't) (?:yet )?(?:made up my mind|decided)\b`, `\b<me> (?:abstain|pass)(?:$|,| (?:this|in this|for now|today)\b)`, `^no changes?(?: (?:from me|this round|in this round|for now|today|yet|needed|proposed))?$|^(?:so |hence |thus |therefore )*no (?:deltas?|changes?) (?:from me|this round|in this round|today|yet)\b`)
	abstainWords = WordsOf("no change", "no delta", "no edit", "no block", "no amend", "no propos", "nothing", "as it", "as they", "as is", "untouched", "unchanged", "alone", "my mind", "decided", "abstain", "pass")
	// moreOver matches sentences about the rest.
	moreOver = pattern.New(`\b(?:other|others|otherwise|further|else|beyond|besides|apart|more|rest|additional|except|remaining|but|last|earlier|previous(?:ly)?|round \d|so far|if|would have|in case|only|[a-z]{1,2}\d+)\b`)
)

// abstains reports whether a sentence of a paragraph, in small letters, says that its author changes nothing. One in a line that
// begins with an item is about that item.
func (r Rules) abstains(para string) bool {
	if r.Close {
		var own []string
		for line := range strings.SplitSeq(para, "\n") {
			if !ofItem.MatchString(line) {
				own = append(own, line)
			}
		}
		para = strings.Join(own, "\n")
	}
	for sentence := range sentences(strings.ReplaceAll(para, "\n", " ")) {
		sentence = strings.TrimRight(sentence, ".!? ")
		if abstention.MatchString(sentence) && !moreOver.MatchString(sentence) {
			return true
		}
	}
	return false
}

// ofItem matches a line that begins with an item: "- H1 (Lineage): …", "| H1 | …", "Hypothesis H1. …", "Lineage (H1): …".
var ofItem = shape(`^[ \t>|*+•–-]*(?:#{1,6} +)?(?:\d{1,2}[.)] +)?(?:\[.\] )?(?:(?:hypothesis|test|assumption|anomaly|critique|prediction|item|on|as for|re:?|for) )?<id>\b`, `^[ \t>|*+•–-]*(?:\d{1,2}[.)] +)?[^.:|]{1,40}[(\[]<id>[)\]] ?[:.|—–-]`)

// unneeded matches sentences that say so of the round: No changes are needed this round.
var unneeded = shape(`^(?:so |hence |thus |therefore |overall,? |<me> (?:think|believe|see) (?:that )?)*no (?:changes?|deltas?|edits?|amendments?|blocks?) (?:is|are|seems?|was|were|appears?) ?(?:to be )?(?:needed|required|necessary|warranted|called for|due|justified|proposed|submitted|made)(?:,? (?:(?:for|in|at)? ?(?:this|the) (?:round|turn|time|point|stage|moment)|from (?:me|my side)|for now|today|now|on my side|by me))*$`)

// isUnneeded reports whether a sentence of a paragraph says that no changes are needed, and not below a title of one section or item.
func isUnneeded(para, above []byte) bool {
	if len(above) < maxLabel && partTitle.MatchString(lowered(string(above))) {
		return false
	}
	for sentence := range sentences(lowered(strings.ReplaceAll(string(para), "\n", " "))) {
		if unneeded.MatchString(strings.TrimRight(sentence, ".!? ")) {
			return true
		}
	}
	return false
}

// partTitle matches titles of a section or an item.
var partTitle = shape(`^(?:#|\*\*)[^.]*(?:hypothes|predict|test|assumption|anomal|critique|research|thread|slate|ledger|register|table|section|<id>)|^[^.]*(?:hypothes|predict|test|assumption|anomal|critique|<id>)[^.]*:$`)
