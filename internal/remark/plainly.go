package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

var (
	// plainly matches titles that call the block below the author's own, or only say how sure or how willing its author is.
	plainly = shape(
		`^(?:\w+,? ){0,3}(?:here is|here's|here are|this is|below is|below are|what follows is) (?:my|our) (?:(?:structured|formatted|formal|final|full|complete|whole|entire|actual|real|proposed|concrete|revised|updated|new|single|only|one|two|three|set of|list of) )*(?:contribution|submission|answer|reply|response|deltas?|changes?|proposals?|edits?|additions?|kills?|output|result|json)(?: (?:for|to|in|of|on) (?:this|the|my|our|<id>)(?: \w+)?(?: \w+)?)?$`,
		`\bwhich (?:is|are) (?:mine|my (?:own|choice|pick|change|vote))\b|\bwhich <me> (?:\w+ )?(?:do|send|submit|propose|mean|make|stand by|adopt|choose|pick|want)$`,
		`^(?:so|and|but|then)?,? ?(?:with (?:[\w%]+ ){0,3}(?:regrets?|reluctance|hesitation|confidence|certainty|conviction|pleasure|care|apologies|heart|relief|thanks)|on an? (?:[\w-]+ )?note|back to business|cleaning up|tidying up|housekeeping|bookkeeping|gone|so it goes|out it goes|here goes|no regrets|done deal|off it goes|for real(?: now)?|in earnest)$`,
		`^(?:not an?|no more|no longer an?|no) (?:\w+ )?(?:drafts?|examples?|jokes?|rehearsals?|tests?|thought experiments?)(?: any ?more| this time| now)?(?:$|, (?:but |this is |just )?(?:the real|my|a real|real|meant|an actual))`,
		`\b(?:this is|now comes|here comes|here is|this time it is|now for) the real (?:thing|one|change|delta|kill|edit)$`,
		`^as (?:announced|promised|agreed|discussed|requested|proposed|planned)(?: (?:in|during|before|last|by|with|after) (?:\w+ ?){1,4})?$`,
		`^(?:<me> (?:know|realise|realize|admit|see|understand|accept|concede) (?:that )?(?:this|it|that) (?:is|will be|may be|might be) (?:not |un)?(?:very |too )?(?:popular|welcome|pleasant|nice|easy|elegant|harsh|unpopular|controversial|drastic|late|bold)|<me> (?:see|have|find) no (?:alternative|other way|choice|way around)(?: to| but| here| than)?(?: this| it| that| to do it)?)$`,
		`^(?:the|my) (?:\w+'s )?(?:job|duty|task|part|turn|share|role|homework)(?: today| this round| here)?$`,
		`^<me> (?:\w+ )?(?:disagree|agree|object|protest|dissent|concur),? (?:and|so|but) (?:<me> )?(?:\w+ )?(?:register|log|record|file|note|enter|raise|lodge|add|list|submit|send|put)\b`,
		`^(?:v|version ?)\d+ \((?:submitted|final|sent|current|active|mine|meant|the one <me> (?:send|submit|mean))\)$`,
		`\(?(?:submitted|sent now|the one <me> (?:send|submit|mean)|meant|for real)\)$`,
		`^<me> (?:am|'m|are) (?:only |just )?(?:about |roughly )?\d+ ?% (?:sure|certain|confident)\b`,
		`^(?:the|this|our) (?:[\w-]+ ){1,4}(?:shows?|reveals?|contains?|has|gives?) something (?:\w+ ){1,6}$`,
		`^(?:and )?(?:now )?(?:the |my )?(?:real|actual|true) (?:one|thing|change|delta|block|edit|kill|submission|answer|proposal)$`,
		// Here you go. Okay, so here's what I came up with. My delta was refused for a missing anchor, so here it is again.
		`^(?:(?:so|okay|ok|alright|well|and),? )*(?:here(?:'s| is) )?what <me>(?:'ve| have)? (?:came up with|come up with|settled on|decided on|ended up with|arrived at)$`,
		`^(?:my|the) [^?]*\b(?:rejected|refused|not read|unreadable|malformed|invalid|incomplete|missing)\b[^?]*[,;:] (?:so )?here (?:it is|they are)(?: again| once more)?$`,
		// This is meant as a change, not an example. Not a quotation; it is my proposal.
		`^(?:this|it|the following|what follows|the block below)(?: one)? is (?:meant|intended|submitted|sent|proposed) as (?:a|an|my)(?: \w+)? (?:change|delta|edit|kill|addition|proposal)(?:,? not (?:as )?(?:an? )?<shown>)?$`,
		`^(?:(?:this|the following|it|what follows) is )?not (?:just |merely )?an? <shown>[,;:] (?:but |it is |it's |this is )?(?:my|an?|the)(?: (?:own|actual|real|true))* (?:change|delta|edit|kill|addition|proposal|contribution|submission)$`,
		`^(?:it|this)(?: is|'s) (?:my|our)(?: (?:own|actual|real|true))* (?:change|delta|edit|kill|addition|proposal|contribution|submission)$`,
		// Adopting RedSky's proposal as my own. After RedSky's objection I revised my position.
		`^(?:<me> (?:take up|adopt|accept|pick up|take over)|adopting|taking up|taking over|picking up) \w+'s (?:suggestion|proposal|idea|point|critique|advice|wording|correction)(?: (?:as (?:my|our) own|as mine|here|now))?$`,
		`^(?:after|given|following|in view of|in light of) (?:\w+'s|the) (?:objection|critique|point|comment|argument|remark|question|feedback)s?(?: \w+){0,3},? <me>(?: have|'ve)? (?:revised|changed|updated|reconsidered|adjusted|sharpened) my (?:position|view|mind|stance|reading|proposal)$`,
		// Not much to add, just this. No kill this round, only this.
		`^(?:not much|nothing much|nothing|little|not a lot)(?: (?:more|else|new))?(?: to (?:add|say|change|report))?(?:,? (?:than|but|except|just|only))+ this(?: one)?$`,
		`^no (?:kills?|edits?|additions?|new \w+)(?: (?:this|in this|for this) (?:round|turn))?,? (?:just|only|but) this(?: one)?$`,
		`^(?:with|at|given) (?:[\w%]+ ){0,3}confidence,? but (?:high|large|low|good|useful|real) [\w ]{3,30}$`,
		`^(?:so,? |ok(?:ay)?,? |well,? )?here (?:you go|you are|it is|they are|we go)$`,
		`^(?:since|because|given(?: that)?|now that|as) [^:?]{3,80}, (?:so )?here (?:is|are|comes?) (?:the|my) (?:<block>|removal|deletion)$`,
		`^(?:despite|in spite of|notwithstanding|regardless of|against) [^:?]{3,60}\b(?:objections?|doubts?|concerns?|reservations?|criticisms?|resistance|protests?|arguments?)$`,
		`^(?:based on|given|in view of|in (?:the )?light of|considering) (?:(?:all )?(?:of )?(?:the above|this|that))$`,
		`^(?:as )?you (?:asked|called) for (?:(?:an?|the|my|exact|valid|plain|strict|pure|well-formed) )*(?:json|deltas?|changes?|corrections?|blocks?|one|kills?|edits?|fences?)\b[^:?]*$`,
		`^(?:[\w']+ ){1,5}(?:decision|choice|call|step),? but$`,
		`^(?:again|once more|once again)$`, `\((?:this is )?(?:the one |what |which )<me> (?:\w+ )?(?:submit|send|propose|choose|pick|mean|adopt)$`,
		`^in (?:the |this )?(?:actual|real) (?:case|world|situation|data)\b(?: \([^)]*\))?$`,
		`^accepted$`,
		`^(?:(?:one|an?|just|only|two|small|minor|tiny|quick|short|simple) )+(?:\w+ )?(?:fix|fixes|tweaks?|corrections?|edits?|changes?|adjustments?|updates?|additions?)(?: only)?$`,
		`\bthis is the one <me> (?:\w+ )?(?:mean|submit|send|propose|want)$`,
		`^(?:filled in|filled out|the filled version|now filled in|with my values|in my case)$`,
	)
	// ownActsIn are words of other languages with which an author acts in the sentence.
	ownActsIn = wordsIn(`
 ich_füge ich_streiche ich_ändere ich_schlage ich_ergänze ich_ersetze ich_entferne ich_lösche
 j'ajoute je_supprime je_modifie je_propose je_remplace j'élimine
 añado agrego elimino modifico propongo reemplazo lo_que_propongo cambio_
 aggiungo propongo sostituisco elimino modifico
 adiciono acrescento removo proponho altero
 mijn_voorstel mijn_wijziging ik_voeg ik_schrap ik_wijzig ik_stel ik_verwijder
 moja_propozycja moja_zmiana dodaję usuwam zmieniam proponuję
 добавляю удаляю изменяю предлагаю
 我添加 我删除 我修改 我提议 我增加 追加します 削除します 変更します 提案します 추가합니다 삭제합니다 수정합니다 제안합니다
`)
	// adverb matches titles that are only an adverb, and openAdverb those that leave open what follows.
	adverb     = pattern.New(`^(?:so |and |but |then )?(?:more |less |very |rather |quite |most )?[a-z]{3,}ly$`)
	openAdverb = pattern.New(`\b(?:hypothetical|theoretical|alternative|ideal|optional|alleged|supposed|reported|possib|potential|presumab|eventual|tentative|provisional|former|previous|original|initial|ironical|joking|private|internal|conditional|counterfactual|apparent|ear|probab|conceivab|imaginab|arguab|speculative|literal|false|wrong|mistaken|naive|foolish|fami|on|rep|re|app|supp|assemb|anoma)ly$`)
	deadTitle  = shape(`^(?:the |a |one |our )?(?:dead|weakest|weak|wrong|bad|vague|flawed|obsolete|superseded|redundant|unfalsifiable|refuted) (?:item|hypothesis|test|assumption|one|entry|rival|claim)s?$`)
)

// closing matches a sentence behind the blocks that says what they are good for.
var closing = shape(`^(?:this|that|it) is (?:the|my) (?:only|single|one|sole) <block>(?: (?:that |which )?<me> (?:send|make|propose|have|submit|offer))?(?: (?:in )?this (?:round|reply|turn))?[.!]?$`,
	`^<me> (?:think|believe|hope|trust|feel)(?: that)? (?:this|these|it|they|the above)(?: changes?| deltas?| additions?| edits?)? (?:now )?(?:address|cover|captur|strengthen|sharpen|improv|clos|fill|help|reflect|resolv|reduc|giv|bring|mov|complet)\w*\b`,
	`^this is (?:only |just |but )?(?:a|the) (?:first|small|modest|necessary|important|useful|good) (?:step|start|beginning|improvement|addition)\b`)

// isClosing reports whether a sentence only says what the blocks above it are good for.
func (r Rules) isClosing(sentence string, a *after) bool {
	if !r.Close {
		return false
	}
	lower := lowered(sentence)
	if a.isHarmless(sentence) {
		return true
	}
	return closing.MatchString(lower) && !strings.Contains(lower, " but ") && !strings.Contains(lower, " not ") && !strings.Contains(lower, " if ")
}

// isPlainly reports whether the last line of a text calls the block below it its author's own, or says nothing against it.
func (r Rules) isPlainly(text, block []byte) bool {
	raw := bytes.TrimSpace(lastLine(text))
	if len(raw) == 0 || len(raw) >= maxRemark || raw[0] == '>' || raw[0] == '|' {
		return false
	}
	line, _ := unmark(raw)
	if name := strings.Trim(line, ":*_[] "); r.Author != "" && isSame(name, r.Author) {
		return true
	}
	lower := lowered(strings.Trim(lastSentence(line), " .!"))
	whole := lowered(strings.Trim(line, " ."))
	if leads(lower, block) || makes.MatchString(whole) || plainly.MatchString(lower) || r.isAlone(text, raw, block, lowered(strings.Trim(lastSentence(line), " .()"))) || isLead(raw) && adverb.MatchString(lower) && !openAdverb.MatchString(lower) || OperationIn(block) == "KILL" && deadTitle.MatchString(lower) {
		return true
	}
	return isLead(raw) && !english.MatchString(lower) && ownActsIn.beginsIn(lower) && !isAside(raw, true)
}
