package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

const (
	// changeWord is what an author calls a change, and degree and praise are words of what it thinks of one.
	changeWord = `(?:changes?|edits?|additions?|deltas?|updates?|corrections?|modifications?|adjustments?|revisions?|amendments?|blocks?|kills?|anomal(?:y|ies)|tests?|hypothes[ie]s|predictions?|assumptions?|critiques?)`
	degree     = `(?:(?:very|quite|really|rather|so|most|highly|extremely|fairly|also|particularly|the|an?|our|one of the) )*`
	praise     = `(?:useful|important|helpful|interesting|valuable|relevant|worthwhile|strong(?:est)?|significant|necessary|essential|promising|informative|justified|fair|sound|decisive|clear(?:est)?|convincing|robust|warranted|well supported)`
	made       = `(?:made|applied|prepared|drafted|implemented|put together|compiled|collected|added|written up|entered|recorded)`
	howMany    = `(?:(?:the|these|this|all|an?|one|two|three|four|five|\d|some|several|few|following|single|small|minor|more|further|necessary|needed|required|only|my|new) )+`
)

var (
	// harmless matches sentences behind a block that say what it is good for, or are kind to others, and do not take it back.
	harmless = shape(`^(?:<me> (?:do )?(?:think|believe|find|feel|consider|trust|hope)(?: that)? (?:this|it|that|these)(?: one| \w+)?|(?:in|to) my (?:view|opinion|mind|eyes),? (?:this|it|that)(?: one)?) ?(?:is|are|to be|will be|would be|remains)? ?`+degree+praise+`\b`,
		`^<me> (?:do )?(?:think|believe|hope|trust)(?: that)? (?:this|it) (?:will |would |can |may )?(?:helps?|matters?|adds?|strengthens?|improves?|sharpens?|clarif(?:y|ies)|deserves?)\b`,
		`^(?:it|this|that|<id>) (?:was|had|served|did|has served|has had) (?:an? |its |very )*(?:good|useful|fine|nice|valuable|decent|great|long|purpose|part|job|run|time|role|turn|day)\b`,
		`^<me> (?:(?:do )?(?:know|realise|realize|see|understand|am aware)|'m aware)(?: that)? (?:this|it|that) (?:is|looks|seems|sounds|may (?:look|seem|sound|be)|might (?:look|seem|sound|be)|will (?:be|look|seem|not be))(?: an?| very| rather| quite)* (?:drastic|bold|harsh|unpopular|popular|strong|big|radical|severe|controversial|blunt|large|hard|tough|strict)\b`,
		`^<me> (?:do |fully |still |will )*(?:stand by|stand behind|insist on|defend|maintain|uphold) (?:it|this|that)\b`,
		`^<me>(?: am|'m| are)(?: (?:not (?:fully|entirely|completely|totally|absolutely|wholly|100 ?%)|less|fairly|reasonably|pretty|rather|quite)) (?:certain|sure|confident) (?:about|of|in) (?:this(?: one)?|it|that)\b`,
		`^(?:this|that|it|the above) (?:is|was|remains) (?:the|my) (?:only|one|sole|single) `+changeWord+`\b`,
		`^(?:this|that|it|the above) is (?:a|the) (?:re-?submission|second attempt)\b`,
		`^(?:this|that|it|which) leaves (?:us )?(?:with )?(?:only |just )?(?:an?|one|two|three|four|five|no|\d|several|few|<id>)\b`)
	// otherItems matches a list of what the author leaves to others.
	otherItems = shape(`^(?:the |some |a few )?(?:open |other |remaining |further |unresolved |minor )*(?:issues?|points?|things?|questions?|items?|matters?|tasks?|problems?|topics?|work)(?: that| which)? <me> leave (?:open|to|for|aside|untouched|alone|out)\b`)
	// polite matches a few words to another author.
	polite = pattern.New(`^(?:(?:[Ss]orry|[Aa]pologies|[Tt]hanks|[Tt]hank you|[Cc]redit|[Kk]udos|[Rr]espect|[Cc]ondolences|[Rr]egrets|[Ss]ympathy)|[Mm]y (?:apologies|regrets|thanks|sympathy|respects?|compliments)|[Ww]ith (?:apologies|thanks|regrets|respect))(?: (?:go |goes )?(?:to|for))?,? @?` + agent + `(?:$|, who\b| for\b| who\b)`)
	// leavesOther matches a sentence about an item that it leaves to others.
	leavesOther = shape(`\bbut (?:<me>(?: will|'ll| would|'d)? (?:rather )?(?:leave|leaving) (?:that|it|this)|(?:that|this|it) ?(?:is|'s) (?:for|up to|not (?:mine|my)))\b`)
	turnsAgain  = pattern.New(`\b(?:but|however|not|n't|if|unless|yet|though|although|premature|wait|until|later|too|never|withdraw|retract)\b`)

	// makes matches titles that tell what their author has changed in this reply.
	makes = shape(`^(?:(?:so|and|then|therefore|accordingly|hence|thus|in this round|this round|today|in this reply|in this message),? )?<me>(?:'ve| have)? (?:now |also |just |therefore |thus )*`+made+` `+howMany+changeWord+`(?: (?:to|in|for|on|about|of) (?:the|my|our|this|<id>)(?: \w+)?| below| in total| in all| this round| in this (?:round|reply|message))*$`,
		`^(?:(?:these|below|here|the following) (?:are|is) )?(?:all )?(?:the|my) (?:\w+ )?`+changeWord+`(?: (?:that|which))? <me>(?:'ve| have)? (?:made|applied|propose|suggest|make|prepared|submit|send)(?: in this (?:round|reply)| this round| now)?$`,
		`^here (?:is|are|comes?) (?:(?:the|my|all|of|a|complete|full|whole|entire|final|set|list|batch|collection|series|only|two|three|four) )+`+changeWord+`(?: for (?:this round|round \d+|this turn))?(?:$|[;,.—–] ?(?:there (?:is|are)|nothing|no other|and (?:no|nothing)|i (?:send|have|make) no)\b.*$)`,
		`^(?:there (?:is|are) no (?:others?|more|further \w+|other \w+)|nothing else(?: follows)?|no others? (?:follow|are sent))(?: (?:in|this|from) .*)?$`)
	// brings matches titles that lead to the author's own item.
	brings = shape(`^(?:so|and|hence|thus|then|therefore) (?:the|my|our|an?) (?:\w+ ){0,3}(?:alternative|rival|<item>|falsifier|control|item|edit|change|kill|addition|entry)(?: (?:that|which) (?:would|could|can|will) [\w ]{2,30})?(?: is)?$`,
		`^(?:(?:the|our|my) (?:missing|third|new|second|final|fourth|last|own) (?:\w+ )?(?:alternative|rival|<item>|falsifier|control)|my (?:alternative|rival|<item>|edit|change|kill|addition)) is$`,
		`^(?:that|this|which)(?: is|'s) (?:precisely |exactly |just )?what (?:an?|the|our) (?:[\w-]+ ){0,3}(?:is|are) (?:there )?for$`,
		`^(?:and )?what <me>(?: do| will| shall| can| now| would|'ll)? (?:change|edit|kill|add|propose|correct|fix|remove|revise|sharpen)(?: instead| now)? (?:is|are)\b`,
		`^(?:which|this|that) (?:brings|leads) me to (?:the|my|an?|our) (?:\w+ ){0,2}(?:<item>|falsifier|control|change|edit|kill|point|addition|<id>)$`,
		`\bwhich <me> (?:\w+ )?(?:add|include|enter|register|put (?:into|in|on) (?:the )?\w+)$`,
		`\bhere is an? (?:\w+ )?(?:alternative|rival|hypothesis|idea) (?:that |which )?<me> (?:do not|don't) (?:\w+ )?believe(?: in)?(?: \w+)?,? but\b`,
		`^(?:so,? once more|to be (?:concrete|precise|specific|brief)|after that|proposed|after (?:reading|rereading|re-reading|weighing|checking|considering|the (?:discussion|exchange|debate|criticism|critique)) .*)$`)
	// objection matches what an added critique is announced with.
	objection = shape(`^<me> (?:\w+ )?(?:object to|disagree with|oppose|dispute|contest|protest against) .*[,(] ?(?:see|as) .*\bbelow\b`)
	// fromMe matches titles with which an author comes to its own part, which end what stands before them.
	fromMe = shape(`^(?:(?:and |but |so )?(?:(?:for|on|from) my (?:own )?(?:part|side|end|behalf)|from me|as for me|(?:this|the present|the current) (?:round|time|turn)|(?:now,? )?in (?:this|the present|the current) (?:round|turn|reply)|now,? this round|instead|my own (?:move|part|turn|side|view|take|block|action)|what i do instead|i,? (?:instead|for my part)))$`,
		`^(?:it|this|that|the (?:block|delta)) (?:should|ought to|must|has to) (?:read|be|say|have (?:read|been|said))(?: as follows| instead| like this| so)?$`,
		`^(?:stattdessen|meinerseits|von mir|mein beitrag|in dieser runde|à la place|de mon côté|pour ma part|ce tour-ci|en cambio|en su lugar|por mi parte|de mi parte|esta ronda|en esta ronda|invece|da parte mia|per parte mia|em vez disso|da minha parte|nesta rodada|in plaats daarvan|van mijn kant|zamiast tego|z mojej strony|вместо этого|с моей стороны|в этом раунде|相反|我的部分|本轮|代わりに|私から|대신)$`,
		`^\S+ \((?:me|myself|this is me|i|us|that's me)(?:,[^)]*)?\)$`)
)

// isHarmless reports whether a sentence behind a block that turns nothing only says what it is good for, or is kind to others.
func (a *after) isHarmless(sentence string) bool {
	if polite.MatchString(strings.TrimSpace(sentence)) {
		return true
	}
	lower := lowered(sentence)
	if leavesItems(lower) {
		return !a.target
	}
	m := harmless.FindString(lower)
	return m != "" && !(a.target && OperationIn(a.block) != "KILL") && !turnsAgain.MatchString(lower[len(m):])
}

// leavesItems reports whether a sentence, in small letters, leaves some items to others, and not the blocks.
func leavesItems(lower string) bool {
	return otherItems.MatchString(lower) || leavesOther.MatchString(lower) && itemID.MatchString(lower)
}

// leads reports whether a title, in small letters, comes to its author's own change.
func leads(lower string, block []byte) bool {
	if makes.MatchString(lower) || fromMe.MatchString(lower) || OperationIn(block) == "ADD" && objection.MatchString(lower) {
		return true
	}
	return brings.MatchString(lower)
}

// turnsToOwn reports whether the last line of a text is a title with which the author comes to its own change, so that what stands
// before it ends.
func (r Rules) turnsToOwn(text, block []byte) bool {
	raw := bytes.TrimSpace(lastLine(text))
	if len(raw) == 0 || len(raw) >= maxRemark || !isLead(raw) {
		return false
	}
	line, _ := unmark(raw)
	return leads(lowered(strings.Trim(lastSentence(line), " .")), block)
}
