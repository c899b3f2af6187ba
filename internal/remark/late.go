package remark

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

var (
	// spareToo matches what leaves an item as it is, in other words than spare.
	spareToo = shape(`\b(?:want|wants|like|prefer|need|wish) (<id>) to (?:stay|live|survive|remain|be kept|be left)\b`,
		`\b(?:leave|keep|let) (<id>) (?:alive|in|be|live|stay|stand|as is|untouched|alone)\b`,
		`\b(<id>) (?:is|was) (?:the wrong (?:one|target|item|hypothesis|test)|not the one (?:<me> )?(?:meant|wanted)?|to (?:stay|live|remain|be kept)|to be left alone)\b`,
		// A4 is still needed by T2. A4 remains active. A4 must not be removed.
		`\b(<id>) is (?:(?:actually|in fact|indeed|really|now|clearly|apparently|very much) )*(?:still|also)? ?(?:needed|required|necessary|essential|load-bearing|indispensable)\b`,
		`\b(<id>) is (?:(?:actually|in fact|indeed|really|apparently) )*still (?:in use|used|active|alive|wanted|useful|valid|relevant|supported|viable|standing|defended)\b`,
		`\b(<id>) (?:still |therefore |thus |actually )*(?:stays|remains|continues|continues to be|is to remain|should remain|should stay)(?: (?:active|alive|in (?:the|our|use|place|force)|on (?:the|our)|as (?:it is|is|before|part)|after all|untouched|unchanged|for now)\b|$|,)`,
		`\b(<id>) (?:must|should|can|may|ought to|shall|is|had better|does|will|cannot|can't) ?(?:not |n't |never )(?:to )?(?:yet )?(?:be )?(?:killed|removed|dropped|retired|deleted|cut|pruned|go|die|touched|discarded|leave)\b`,
		`\b(?:needs?|uses?|requires?|depends? on|rests? on|relies on|refers to) (<id>)\b[^.]*\b(?:after all|stays?|remains?|keep|kept|wrong|mistake|should ?n[o']?t|must not|don't|do not|can ?not|can't|needed)\b`,
		`\b<me> (?:am|was|'m) (?:wrong|mistaken|too quick|unfair|too harsh) (?:about|on|to|with) (<id>)\b`)
	// turnsBack matches words with which an author turns, behind which spareTurn leaves an item as it is.
	turnsBack = pattern.New(`^(?:ah|oh|wait|hold on|actually|sorry|oops|correction|corrigendum|erratum|hmm*|edit|update|no|my (?:mistake|bad|error)|on (?:second thoughts?|reflection)|looking at (?:it|this) again|after all|apologies|pardon)\b[ ,.:;!—–-]`)
	spareTurn = shape(`\b(<id>) (?:is|was|seems|looks)(?: in fact| actually| indeed| quite| perfectly)? (?:fine|sound|ok|okay|good|right|correct|valid|in use|used|active|alive|untested|testable|well supported|supported)\b`,
		`\b(<id>) (?:holds(?: up| good)?|survives|stands|passes|works|does hold)\b`, `\b(<id>) (?:has to|must|should|needs to) be (?:kept|left|spared|retained|restored)\b`)
	// ownSpare matches what the author itself wants of an item, whatever else the sentence tells of.
	ownSpare = shape(`\b<me>(?:'d| would)? (?:now )?(?:want|like|prefer|wish) <id> to (?:stay|live|survive|remain|be kept|be left)\b`)
	// onlyStands matches sentences that keep the blocks of one operation, or of one item.
	onlyStands = shape(`\bonly (?:the |my |this |that )?(kill|edit|addition|add)(?: (?:of|to|on|for) (<id>))?(?: above| below| block| delta)? (?:still )?(?:stands|counts|applies|remains|is (?:meant|mine|valid|left|submitted|to be)|survives|holds|should be)\b`)
	// provisional matches what a sentence says of a block that it names.
	provisional = shape(`\b(?:provisional|tentative|conditional|on hold|takes? effect (?:only )?(?:when|once|if|after)|(?:applies|counts|stands) only (?:when|once|if|after)|waits? (?:for|until)|only (?:when|once|if|after) <id>)\b`)
)

// turned returns the word with which a paragraph turns, for the sentences behind one, in small letters, that turns: Wait, I misread
// A1. H2 is fine.
func (r Rules) turned(lower string) string {
	if r.Close && turnsBack.MatchString(lower+".") {
		return "wait, "
	}
	return ""
}

// isAboutOther reports whether the paragraph behind a block leaves an item as it is that a block above kills, and this one does not.
func (r Rules) isAboutOther(text, block []byte) bool {
	if r.Above == nil {
		return false
	}
	raw, _ := paragraph(text)
	line, turned := r.lineOf(raw), ""
	for sentence := range sentences(line) {
		lower := turned + lowered(sentence)
		turned = r.turned(lower)
		m := r.sparedIn(lower)
		if m == nil {
			continue
		}
		if id := strings.ToUpper(strings.Join(m[1:], "")); !isTarget(block, id) && r.Above.Kills(id) {
			return true
		}
	}
	return false
}

// lateSignals are further signs behind a block.
var lateSignals = []behindSignal{
	{"Actually, don't.", func(a *after) bool {
		const short = 6
		return isIn(" actually hm hmm wait no ", a.at(0)) && len(a.words) < short && a.has(negates) && !a.has(id|thing) && isIn(" not do ", last(a.words).text)
	}},
	{"It can be skipped.", func(a *after) bool {
		return a.isSubject() && !a.has(id) && a.any(" skipped ignored dropped disregarded omitted discarded ") && a.any(" can could may might should be ")
	}},
	{"Wait, H2 is the wrong one.", func(a *after) bool {
		return a.target && a.any(" wrong ") && a.any(" one target item hypothesis ")
	}},
	{"I haven't done it.", func(a *after) bool {
		return a.words[0].kind&author != 0 && isIn(" have did do ", a.at(1)) && a.at(2) == "not" && a.any(" done do sent send submitted submit included include proposed applied made ") && a.pointsBehind(2)
	}},
	{"would be one way to do it.", func(a *after) bool {
		return isIn(" would could might ", a.at(0)) && isIn(" be have do work suffice ", a.at(1))
	}},
	{"… is what RedSky would send.", func(a *after) bool {
		return a.at(0) == "is" && a.at(1) == "what" && a.has(source|others|modal)
	}},
}

// shows reports whether a sentence has one of some signs.
func (a *after) shows(of []behindSignal) bool {
	return slices.ContainsFunc(of, func(s behindSignal) bool { return s.holds(a) })
}

// isCounted reports whether a sentence says which blocks count, or how many: that is known by their numbers.
func isCounted(sentence string) bool {
	lower := lowered(sentence)
	return onlySome.MatchString(lower) || counts.MatchString(lower)
}

// keepsWords returns the remark of a sentence, in small letters, that keeps only the blocks of one operation or item.
func keepsWords(sentence, lower string) (Remark, bool) {
	m := onlyStands.FindStringSubmatch(lower)
	if m == nil || strings.HasPrefix(lower, "if ") {
		return Remark{}, false
	}
	return Remark{Line: sentence, Open: true, Kept: Some, About: About{Operation: operationOf(m[1]), ID: strings.ToUpper(m[2]), But: true}}, true
}

// exploring matches headings of parts that come before the author's own changes, and otherRound those of a round.
var (
	exploring  = pattern.New(`^(?:my |the |some )?(?:reasoning|analysis|exploration|ideas?|alternatives?|pre-?mortem|post-?mortem|considerations?|deliberation|graveyard|deleted|discarded|removed)$`)
	otherRound = pattern.New(`^round \d+$`)
)

// explores reports whether a heading, in small letters, is about what the author only considers: its own changes follow later.
func (r Rules) explores(title string, level int, later func() (answer, change bool)) bool {
	if !r.Close || !exploring.MatchString(title) && (level < 2 || !otherRound.MatchString(title)) {
		return false
	}
	_, isLater := later()
	return isLater
}
