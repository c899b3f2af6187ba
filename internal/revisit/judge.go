package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// The words of clauses about changes, in small letters and without contractions.
const (
	backWords = `withdr[ae]w\w*|retract\w*|rescind\w*|revok\w*|revocation|cancel\w*|scrap(?:ped|ping)?|scratch\w*|str[iu]ck|strike|undo(?:ne|ing)?|revert\w*|disregard\w*|ignor\w+|discard\w*|drop(?:ped|ping|s)?|remov\w+|delet\w+|skip(?:ped|ping)?|omit\w*|forget|recall\w*|unsend|void\w*|annul\w*|abandon\w*|leav(?:e|ing) .{0,30}\bout|left .{0,30}\bout|leave out|tak(?:e|en|es|ing) .{0,40}\bback|took .{0,40}\bback|pull(?:ed|ing)? .{0,20}\b(?:back|it)|hold(?:ing)? (?:off|back)|on hold|off the table|postpon\w*|defer\w*|` +
		`mistak\w+|errors?|erroneous\w*|wrong\w*|premature\w*|hasty|hastily|too (?:quick|fast|early|soon|hasty|strong|far|harsh)\w*|rash|slip|accident\w*|regret\w*|sorry|apolog\w+|chang(?:e|ed) (?:of|my) mind|second thoughts?|reconsider\w*|rethink|rethought|instead|rather|obsolete|moot|outdated|superseded|replac\w+|invalid|drafts?|examples?|quot(?:e|es|ed|ing|ation|ations)|hypothetical\w*|conditional\w*|unfinished|tentative|wanted to|had (?:wanted|planned|meant)|start over|from scratch|oppose|against|doubt\w*|unsure|misunderst\w+|(?:meant|intended) for|hesitat\w*`
	keepWords = `stand|stands|standing|stood|stay\w*|remain\w*|keep\w*|kept|holds|unchanged|untouched|unaffected|unaltered|as (?:before|is|it is|they are|they were|it was|sent|written|stated|given|proposed|submitted)|still|confirm\w*|maintain\w*|insist\w*|reaffirm\w*|valid|right|correct|fine|ok|okay|good|meant|mean|intend\w*|intended|appl(?:y|ied|ies)|merge[sd]?|execute[sd]?|accepted|taken|taking part|counts?|in force|in place|mine|uphold|support|endorse|want|necessary|needed|serious|final|alone|complete|enough|sufficient|justified|warranted`
	goneWords = `drop(?:ped|ping|s)?|remov\w+|delet\w+|discard\w*|abandon\w*|retire\w*|str[iu]ck|strike|eliminat\w+|kill\w*|dead|dies|die|to go|must go|should go|goes|refuted|falsified|ruled out|wrong|mistaken|false|invalid|vague|weak|redundant|obsolete|superfluous|untenable|out`
	liveWords = `stay\w*|remain\w*|keep\w*|kept|spar(?:e|ed|es|ing)|surviv\w+|lives?|alive|leav(?:e|ing)|unchanged|untouched|stands?|retain\w*|retention|restor\w+|reinstat\w+|fine|good|valid|right|correct|needed|necessary|promising|worth\w*|deserves?`
	notWords  = `not|never|no|nothing|none|neither|nor|without|hardly|refus\w+|declin\w+|cannot`
)

var (
	blockWords = pattern.New(`\b(?:(` + backWords + `)|(` + keepWords + `)|(` + notWords + `))\b`)
	itemWords  = pattern.New(`\b(?:(` + onItems + `)|(` + goneWords + `)|(` + notWords + `))\b`)
	editWords  = pattern.New(`\b(?:(` + onItems + `|` + goneWords + `)|(` + `edit\w*|sharpen\w*|narrow\w*|reword\w*|as proposed` + `)|(` + notWords + `))\b`)

	// untouched matches words that seem to deny, and say that nothing is asked of a block.
	nothingAsked = pattern.New(`\bneeds? no (?:correction|change|repair|fix|edit)\w*|\bnot need (?:to be |a |any )*(?:correct|chang|repair|fix|resen)\w*|\bnothing to (?:correct|change|fix|repair)\b|\bno (?:fault|problem|defect|error|mistake)s?\b|\bnot (?:be )?(?:repeat|resen|re-sen|named|mention|list|affect|broken|in question|touch|alter|concern|included again)\w*|\bnot chang(?:e|ed|ing)\b(?: my mind)?`)
	blames       = pattern.New(`\b(?:i|we) (?:was|were|am|are|have been)(?: \w+)? (?:wrong|mistaken|hasty|rash)\b|\bwrong (?:to|about|there|in|on|with)\b`)
	contractions = strings.NewReplacer("can't", "can not", "cannot", "can not", "won't", "will not", "n't", " not", "never mind", "scratch", "nevermind", "scratch", "no longer", "not", "not only", "only")
	conditional  = pattern.New(`\b(?:if|unless|until|whether|provided|pending|in case|as soon as|depends?|depending)\b`)
	reported     = pattern.New(`\b(?:some(?:one|body)|the operator|the moderator|he|she|they|you|others|[a-z]+valley|[a-z]+lake|[a-z]+mountain) (?:has |have |had )?(?:asked|asks?|wants?|wanted|suggest(?:s|ed)?|told|says?|said|proposed|thinks?|believes?|argue[sd]?|requested|may|might|could|should)\b`)
	acting       = pattern.New(`(?:^|\b(?:i|we|please|to|and|must|should|will|shall|now|therefore|hereby|do|still|also|would|then|let us|want to) )(?:kill|edit) [a-z]{1,2}\d+\b`)
	doubts       = pattern.New(`\b(?:would|could|might|if|unless|until)\b`)
	keepsOwn     = pattern.New(`\bnot (?:\w+ ){0,4}(?:withdraw(?:ing|n)?|retract(?:ing|ed)?|tak(?:e|ing) (?:it|this|that|them|anything) back|leave (?:it|this|that|them) out|rescind(?:ing)?|revoke)\b|\bnot (?:think|believe|consider|regard|mean) (?:that )?(?:it|this|that|them)(?: \w+){0,2} (?:hypothetical|a quotation|an example|a draft|conditional|tentative)\b|\bnothing (?:is|was) withdrawn\b`)
	onlySome     = pattern.New(`\bonly (?:the|this|that|these|those|my|what|blocks?|deltas?|[a-z]{1,2}\d+)\b[^.,;]*\b(?:counts?|appl(?:y|ies)|stands?|matters?|is (?:meant|valid|mine|to be)|are (?:meant|valid|mine|to be)|remains?|should be (?:applied|taken|merged|kept))\b|\b(?:keep|apply|take|use|merge|count|execute) only\b|\bnur\b.*\b(?:gilt|gelten|zählt|zählen)\b|\bseule?\b.*\b(?:compte|vaut)\b|\bs[oó]lo\b.*\b(?:cuenta|vale)\b|只有.*(?:有效|算)`)

	englishWords = pattern.New(`\b(?:the|is|it|this|my|of|and|i|to|please|not|should|be|only|that|are|from|have|has|with)\b`)
	foreignNot   = pattern.New(`\b(?:nicht|kein\w*|nichts|ne|n'|pas|rien|no|nunca|non|não|nada)\b|不|没|не |ません|ない|않`)
	foreignBack  = pattern.New(`zurück|widerruf|streich|ignorier|vergess|verw[eo]rf|lösch|entfern|fehler|irrtum|falsch|annul|retir|oubli|ignor|supprim|abandon|erreur|descart|olvid|anul|elimin|borr|retract|equivoc|ritir|scart|sbagli|cancel|撤回|收回|取消|忽略|作废|删除|错|取り消|取り下げ|無視|間違|철회|취소|무시|отзыва|отмен|игнорир|ошиб`)
	foreignKeep  = pattern.New(`bleib|gilt|gelten|besteh|unverändert|weiterhin|reste|maintien|inchangé|valable|sigue|mantien|mantengo|queda|vale\b|sin cambios|resta|invariat|mantenho|permanece|保留|保持|不变|有效|仍然|照旧|そのまま|維持|有効|유지|그대로|остаётся|остается|в силе|без изменений`)
)

// onItems are words that leave an item as it is, or speak of a change of mind.
const onItems = liveWords + `|regret\w*|sorry|too (?:quick|fast|early|soon|hasty|strong|far|harsh)\w*|premature\w*|hasty|mind|second thoughts?|reconsider\w*|rethink|instead|rather|forget|scratch\w*|undo\w*|revert\w*|wait|postpon\w*|ignor\w+|disregard\w*|skip\w*|withdr[ae]w\w*|retract\w*`

// plainly returns a clause without contractions.
func plainly(clause string) string {
	if strings.ContainsAny(clause, "'n") {
		clause = contractions.Replace(clause)
	}
	return clause
}

// verdictOf returns what a clause says of the changes that it names.
func (f *finder) verdictOf(clause string, n names, s sentence) verdict {
	plain := plainly(clause)
	if said := judgeForeign(clause); said != says && isForeign(s.lower) {
		return said
	}
	if n.how == byMessage && f.isForm(s.lower) || s.isQuestion || reported.MatchString(plain) {
		return says
	}
	said := f.judge(plain, n)
	isRecall := bareRecall.MatchString(s.lower)
	switch {
	case said == keeps && (isRecall || conditional.MatchString(s.lower)):
		return says
	case said == says && isRecall && f.IsLetter && n.how == byMessage:
		return leaves
	}
	return said
}

// judge returns what a plain clause in English says.
func (f *finder) judge(plain string, n names) verdict {
	switch {
	case n.how == byItem && n.isKillOf(f):
		return weigh(itemWords, blames.ReplaceAllString(plain, "regret"))
	case n.how == byItem:
		return weigh(editWords, plain)
	}
	said := judgeWords(plain)
	if said == leaves && (n.how == byRest || n.how == byMessage) && !saysMore.MatchString(plain) {
		said = says // nothing else changes
	}
	if said != leaves && acting.MatchString(plain) {
		said = weigh(actingWords, plain)
	}
	if said != keeps && misnamed.MatchString(plain) {
		return leaves
	}
	return said
}

// isKillOf reports whether all changes are KILLs.
func (n names) isKillOf(f *finder) bool {
	return !slices.ContainsFunc(n.of, func(i int) bool { return f.Standing[i].Operation != "KILL" })
}

// actingWords matches an operation that is done, or not.
var actingWords = pattern.New(`\b(?:(` + backWords + `)|(kill|edit)|(` + notWords + `))\b`)

// saysMore matches clauses with a word besides those that deny.
var saysMore = pattern.New(`\b(?:` + backWords + `|` + keepWords + `)\b`)

// judgeWords returns what the words of a clause about blocks say.
func judgeWords(plain string) verdict {
	return weigh(blockWords, nothingAsked.ReplaceAllString(plain, "unchanged"))
}

// weigh returns what the words of a clause say. A word that denies turns those behind it.
func weigh(words *pattern.Pattern, clause string) verdict {
	said, isDenied, isUsed := says, false, false
	for _, m := range words.FindAllStringSubmatch(clause, -1) {
		of := keeps
		switch {
		case m[3] != "":
			isDenied, isUsed = !isDenied, false
			continue
		case m[1] != "":
			of = leaves
		}
		if isDenied {
			of, isUsed = keeps+leaves-of, true
		}
		if said != leaves {
			said = of
		}
	}
	if isDenied && !isUsed && said != leaves {
		return leaves
	}
	return said
}

// isForeign reports whether a sentence has no common word of English.
func isForeign(lower string) bool {
	return !englishWords.MatchString(lower) && strings.Contains(lower, " ") || strings.IndexFunc(lower, func(c rune) bool { return c >= 0x2e80 }) >= 0
}

// judgeForeign returns what a clause in another language says.
func judgeForeign(clause string) verdict {
	isBack, isKept, isDenied := foreignBack.MatchString(clause), foreignKeep.MatchString(clause), foreignNot.MatchString(clause)
	switch {
	case isBack && isDenied, isKept && !isDenied && !isBack:
		return keeps
	case isBack, isDenied:
		return leaves
	}
	return says
}

// onlyPart returns what a sentence that keeps only some changes keeps.
func onlyPart(lower string) string {
	at := max(strings.Index(lower, "only"), strings.Index(lower, "nur"), strings.Index(lower, "seul"), 0)
	part := lower[at:]
	if end := strings.IndexAny(part, ",;"); end > 0 {
		part = part[:end]
	}
	return part
}
