package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

var (
	// boxed matches an item of a list with a box, and its text.
	boxed = pattern.New(`^(?:[-*+•] |\d{1,2}[.)] )*\[([ xX✓✔])\](?: (.*))?$`)
	// itemMark matches the marks of an item, however many.
	itemMark = pattern.New(`^(?:[-*+•] |\(?(?:[a-h]|[ivx]{1,3}|\d{1,2}[a-h]?)[.)] )+`)
	// state matches a state at the end of a title: Delta B — RETRACTED, Delta B (cancelled), Delta B: on hold.
	state = pattern.New(`(?: [—–-]+ |: |[(\[])([^()\[\]:—–]{1,40})[)\]]?$`)
	// deniedState matches titles that only deny a state.
	deniedState = pattern.New(`\b(?:no longer|not an?|no more|not (?:just|only|merely)|any ?more|instead of|replaces?)\b`)
	// heldLead matches titles that begin with a state: Tentative, please comment:
	heldLead = pattern.New(`^(?:(?:still|currently|only|just|on|put on|being) )?([a-z]+)(?:$|[,;(—–]| \(| [—–-] | back\b| (?:until|till|for now|for the (?:moment|time being)|pending)\b)`)
	// reserved matches titles about a block that is kept, or shown as it is now.
	reserved = shape(`\b(?:awaiting|awaits|pending|waiting for) (?:(?:an?|the|your|their|some|operator|final) )*(?:approval|agreement|consent|sign-?off|reviews?|votes?|confirmation|go-ahead|blessing|ok|decision)$`,
		`\balready (?:been )?(?:applied|merged|accepted|executed|in the (?:artifact|slate|thread)|part of the (?:artifact|slate))$`,
		`^(?:(?:for|as|by way of) [\w ]{3,30}, )?(?:again, |once more, )?(?:here is )?my (?:own )?<block> (?:from|of|in) (?:round \d+|the (?:last|previous|first|earlier) (?:round|reply|message|turn)|my (?:last|previous|first|earlier) (?:reply|message|mail|letter))(?:,? (?:unchanged|again|verbatim|as sent|for (?:reference|context|completeness)))?(?:, which was [^,]*)?$`,
		`\b<me>(?: am|'m| are|'re) (?:still |just )?(?:sitting on|holding on to|holding|keeping|saving|parking) (?:this|that|it|these|the following)\b`,
		`\b(?:this|that|it|the (?:next|following)(?: one| <block>)?) (?:still )?(?:needs|wants|requires|awaits|waits for) (?:an? |the |your |some )?(?:\w+ )?(?:opinion|approval|agreement|consent|sign-?off|review|vote|confirmation|discussion|go-ahead|blessing|check)\b`,
		`\bbefore (?:it|this|that|anything) (?:goes in|is (?:applied|merged|sent|executed|submitted))\b`,
		`^for (?:reference|comparison|context|completeness|the record|orientation),? .*\b(?:as (?:it|they) (?:now |currently )?(?:stands?|reads?|is|are)|(?:currently|now|at present) (?:reads|stands|is)|the (?:current|present|existing|original) (?:\w+ )?(?:text|wording|version|state|entry|item))\b`,
		`^(?:<id>|the (?:current|present|existing) (?:\w+ )?(?:text|wording|version|state|entry|item)(?: of <id>)?),? as (?:it|they) (?:now |currently )?(?:stands?|reads?|is|are)(?: now| at present| today)?$`,
		`\b<me>(?:'ve| have| had)? (?:decided|voted|chose|argued|am|was) (?:firmly |strongly )?against$`,
		`^what (?:would|will|might|could) (?:happen|follow|change|it mean|be lost) (?:if|were|should)\b`,
		`\b(?:keep|include|show|list|quote|leave|put) (?:it|this|that|them)(?: here)?(?: only| just| merely)? for (?:the record|reference|completeness|documentation)$`,
		`^(?:the )?\w+['’]s (?:<block>|proposal|kill|edit|version|suggestion|idea) (?:was|had been|were)$`,
		`^my (?:first|initial|original|earlier) (?:idea|thought|impulse|instinct|reaction|version|attempt|plan|inclination) (?:was|had been)(?: to \w+ <id>)?$`)
	arrow = pattern.New(`(?:→|->|=>|➜|⇒|⟶)$`)
)

// marked returns the line directly above a block that leaves it open by its form: a title with a state, a box that is not checked, or
// a branch of a list.
func (r Rules) marked(text []byte) (Remark, bool) {
	raw := bytes.TrimSpace(lastLine(text))
	if len(raw) == 0 || len(raw) >= maxRemark {
		return Remark{}, false
	}
	line, title := unmark(raw)
	said := Remark{Line: line, Open: true}
	if raw[0] != '>' && raw[0] != '|' && (r.holds(raw, line) || aloneBefore(raw, lowered(strings.TrimSpace(line)))) {
		return said, true
	}
	if len(raw) > 2*maxLabel {
		return Remark{}, false
	}
	if raw[0] == '>' {
		return said, isLead(raw) && len(strings.Fields(line)) == 1 && !isSame(strings.Trim(line, ":* "), r.Author)
	}
	isItem := itemMark.Match(raw)
	if isItem && !title && !arrow.MatchString(line) && itemMark.Match(lineAbove(text)) {
		return Remark{}, false // the end of a list
	}
	if m := boxed.FindSubmatch(raw); m != nil {
		return said, m[1][0] == ' ' && (r.Whole.ticked() || isHeld(lowered(string(m[2]))))
	}
	return said, r.isMarked(raw, line, title, isItem)
}

// isMarked reports whether a line, also without its marks, leaves open the block below it by its form.
func (r Rules) isMarked(raw []byte, line string, title, isItem bool) bool {
	lower := lowered(strings.TrimRight(line, " ."))
	if deniedState.MatchString(lower) {
		return false
	}
	if isItem {
		lower = strings.TrimSpace(itemMark.ReplaceAllString(lower, ""))
	}
	words := r.tokens(lower)
	switch {
	case len(words) == 0:
		return false
	case isItem && arrow.MatchString(line):
		return len(words) > 1 && kinds(words)&(author|mine|acts|plain|block) == 0
	case isLabel(raw) || isItem && !title && isShort(words):
		return hasState(line, lower) || raw[0] == '#' && isPutOff(lower)
	case title:
		m := heldLead.FindStringSubmatch(lower)
		return len(m) > 1 && heldWords.Has(m[1]) || r.isReserved(lower, words)
	}
	isState := strings.HasSuffix(lower, ")") && hasState(line, lower)
	return (strings.HasSuffix(line, "?") || isUnended(raw)) && (isState || r.isReserved(lower, words))
}

// isPutOff reports whether a heading begins with a word for what is put off.
func isPutOff(lower string) bool {
	m := heldLead.FindStringSubmatch(lower)
	return len(m) > 1 && isIn(" withheld postponed deferred parked shelved ", m[1])
}

func (r Rules) isReserved(lower string, words []token) bool {
	return reserved.MatchString(lower) && len(words) > 1
}

// lineAbove returns the line directly above the last one of a text.
func lineAbove(text []byte) []byte {
	text = bytes.TrimRight(text[max(0, len(text)-2*maxRemark):], " \t\r\n")
	text = bytes.TrimRight(text[:bytes.LastIndexByte(text, '\n')+1], "\n")
	return bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])
}

// isShort reports whether a line is a word or two, as a mark of an item is: maybe, fallback.
func isShort(words []token) bool {
	const short = 2
	return len(words) <= short && kinds(words)&(author|mine|id|thing|acts) == 0
}

// isLabel reports whether a line is a title by its marks: all of it is in bold or in brackets, or it is a heading.
func isLabel(raw []byte) bool {
	raw = bytes.TrimRight(bytes.TrimSpace(raw), ":")
	if len(raw) < 3 {
		return false
	}
	in := func(open, end string) bool {
		return bytes.HasPrefix(raw, []byte(open)) && bytes.HasSuffix(raw, []byte(end)) && len(raw) > len(open)+len(end)
	}
	return raw[0] == '#' || in("**", "**") || in("__", "__") || in("[", "]") && raw[1] != '/' || in("【", "】") || in("~~", "~~")
}

// hasState reports whether a title, also in small letters, has a state in which a block does not count.
func hasState(line, lower string) bool {
	const few = 3
	if strings.HasSuffix(line, "✗") || strings.HasSuffix(line, "✘") || strings.HasSuffix(line, "❌") || strings.HasSuffix(line, "🚫") {
		return true
	}
	bare := strings.Trim(lower, " []()*_~【】")
	if n := len(strings.Fields(bare)); n < few && isHeld(bare) && !isIn(" previous old future ", strings.Fields(bare)[0]) || n == 1 && heldWords.Has(bare) {
		return true
	}
	m := state.FindStringSubmatch(lower)
	return len(m) > 1 && !itemID.MatchString(m[1]) && len(strings.Fields(m[1])) <= few && isHeld(m[1])
}

// isTitleOfNext reports whether a text behind a block begins with a line that is by its marks the title of another block directly below
// it, or leads to it without an end.
func (r Rules) isTitleOfNext(text []byte) bool {
	first, rest := paragraph(text)
	if len(first) == 0 || isFenceWord(text) {
		return false
	}
	next := firstLine(rest)
	if next = bytes.TrimLeft(next, " \t"); len(next) < 2 || !bytes.HasPrefix(next, []byte("```")) && !bytes.HasPrefix(next, []byte("~~~")) && next[0] != '{' {
		return false
	}
	line, _ := unmark(first)
	if namesNext(first, rest) {
		return true
	}
	if isLabel(first) {
		return !strings.ContainsAny(strings.TrimRight(line, "]) "), ".!?") && first[0] != '#'
	}
	a := r.behind(line, nil)
	return isUnended(first) && len(a.words) > 1 && a.words[0].kind&author != 0 && !a.pointsBehind(1) && reserved.MatchString(lowered(line))
}

// leadTitle matches a title in bold or italics with which a paragraph begins.
var leadTitle = pattern.New(`^(?:\*{1,3}|_{1,3})([^*_]{2,60}?)(?:\*{1,3}|_{1,3})[.: ]`)

// namesNext reports whether a paragraph begins with a title in bold or italics that names what the block directly below it does.
func namesNext(first, rest []byte) bool {
	m := leadTitle.FindSubmatch(first)
	if len(m) < 2 {
		return false
	}
	title := lowered(string(m[1]))
	next := rest[:min(len(rest), maxProse)]
	if end := bytes.Index(next, []byte("\n```\n")); end >= 0 {
		next = next[:end]
	}
	op := OperationIn(next)
	for _, id := range itemID.FindAllString(title, -1) {
		if !isTarget(next, id) {
			return false
		}
	}
	switch op {
	case "KILL":
		return killTitle.MatchString(title) || itemID.MatchString(title)
	case "EDIT":
		return editTitle.MatchString(title) || itemID.MatchString(title)
	}
	return op == "ADD" && addTitle.MatchString(title)
}

var (
	killTitle = pattern.New(`\b(?:kill|removal|deletion|retirement|remove|delete|retire|drop)\b`)
	editTitle = pattern.New(`\b(?:edit|revision|sharpening|update|correction|change) (?:to|of) [a-z]{1,2}\d+\b|\bedit\b`)
	addTitle  = pattern.New(`\b(?:new|add|addition)\b`)
)
