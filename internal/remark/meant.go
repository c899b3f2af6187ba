package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// verdict is what a sentence of an answer to a request for corrections says of a block beside it.
type verdict int

const (
	saysNothing   verdict = iota
	saysCorrected         // its form is corrected: here is the fixed version
	saysWasShown          // it was a draft, an example or a quotation before
	saysDeclined          // its author does not mean it
	saysOwn               // its author means it
)

// An answer that shows a block again may correct it, or only explain, quote or decline it. Sentences are matched in small letters.
var (
	// declines matches sentences with which an author does not mean a block.
	declines = shape(
		// Not needed any more. There is no need for it. It is redundant.
		`\b(?:not|no longer|isn't|never|hardly)(?: \w+)? (?:needed|necessary|required|wanted|worth|called for|warranted|useful|relevant|intended|justified)\b|\bno (?:need|reason|point)\b|\b(?:don't|do not|doesn't|does not|no longer) (?:really )?(?:need|see|think|believe|feel)\b`,
		`\b(?:is|are|be|being|was|now|seems?|looks?|become|becomes|as) (?:\w+ )?(?:redundant|superfluous|unnecessary|moot|obsolete|pointless|withdrawn|retracted|premature|void|off the table|hypothetical|rhetorical|conditional|superseded|counterfactual|tentative)\b`,
		// I leave it out. I drop the change. I would rather not.
		`\b(?:leav(?:e|ing)|left|keep(?:ing)?|kept) (?:<it>|<thisBlock>|h\d+|t\d+|a\d+|c\d+|x\d+|p\d+|things|everything|matters)(?: \w+)? (?:out|aside|alone|off|unsent|untouched|unchanged|back|be|as (?:it|they|is|was|things)|in place|in the drawer|to myself|for later|for now|for the record|for another)\b`,
		`\b(?:drop(?:ped|ping)?|withdr[ae]w(?:n|ing|s)?|retract(?:ed|ing)?|revok(?:e|ed|ing)|rescind(?:ed|ing)?|cancel(?:l?ed|l?ing)?|abandon(?:ed|ing)?|scrap(?:ped|ping)?|skip(?:ped|ping)?|forget|discard(?:ed|ing)?|ignor(?:e|ed|ing)|disregard(?:ed|ing)?|renounc(?:e|ed|ing)|shelv(?:e|ed|ing)|park(?:ed|ing)?|hold|pull(?:ed|ing)?) (?:<it><ended>|<thisBlock>|my point\b|the point\b|the matter\b)|\b(?:taken?|took|taking) (?:<it>|<thisBlock>) (?:back|out)\b`,
		`\b(?:to|that <me>|which <me>)(?: have| had| then| now| later)* (?:abandon|drop|withdraw|retract|skip|discard|omit|cancel|shelve|postpone|defer|reject|give up)(?:n?ed|ped|t?ed|ded|led|d|s)?\b|\b(?:<me>|we) (?:gave|give|giving) (?:<it> )?up\b`,
		`\b(?:block|delta|change|proposal|kill|edit|add|addition|correction|item|idea|one) (?:is|was|has been|stays|remains|can be|may be|should be) (?:hereby |now )?(?:dropped|withdrawn|retracted|revoked|cancell?ed|abandoned|skipped|ignored|discarded|left out|omitted|disregarded|struck)\b|^(?:dropped|withdrawn|retracted|cancell?ed|abandoned|declined|discarded|rejected|omitted|left out|struck|deferred|postponed|parked|shelved|superseded)(?:$|[.:,(—–-]| by )`,
		`\b(?:rather|better|prefer|best|choose|decided?|chose|elect|inclined|reluctant|hesitant|hesitate)(?: \w+)? (?:not|against|leave|drop|keep|skip|refrain|omit|without)\b|\bi(?:'d| would| will|'ll)? (?:now )?(?:decline|refrain|abstain|pass|forgo|renounce|step back|back off|skip)\b|\b(?:decided|voting|advise|argue|recommend|speak) against\b|\bchanged my mind\b|\bthought better of\b`,
		`\b<me>(?: will not| shall not| would not|'ll not| won't| wouldn't) \w+|\b<me> <wont> (?:\w+ )?(?:<send>|resend|resubmit|pursue|insist|repeat|change|alter|touch|support|back|stand|apply|remove|withhold|proceed|go ahead|press|push)\b|\b(?:did not|didn't|do not|don't|never|no longer)(?: \w+)? (?:intend|mean|want|plan|wish|propose|ask|request|stand behind|support|endorse|aim|try)(?:ed|t)?(?: to (?:change|kill|edit|add|remove|send|submit|propose|alter|touch|apply|be applied|make|have|see|say|do)| (?:any|it|this|that|them|these|for|anything|a (?:change|delta|block))\b|$|[.:,])`,
		// Please do not apply it. Nobody should apply this.
		`\b(?:do not|don't|never|not to|should not|shouldn't|must not|mustn't|need not|needn't|not be|nobody should|no one should|nothing should|without) (?:\w+ )?(?:be )?(?:\w+ )?(?:appl(?:y|ied|ying)|execut(?:e|ed|ing)|merg(?:e|ed|ing)|run|tak(?:e|en)|us(?:e|ed)|process(?:ed)?|count(?:ed)?|act(?:ed)? (?:up)?on|treat(?:ed)?|register(?:ed)?|enter(?:ed)?|read|tak(?:e|en) (?:up|over)|carr(?:y|ied) out|record(?:ed)?|implement(?:ed)?|submit(?:ted)?)\b`,
		// I have no changes. Nothing to send. No correction needed. It is not a delta.
		`\bnothing(?: \w+)? (?:to (?:send|change|correct|submit|add|fix|resend|apply|repair|do|merge|propose)|from me|is (?:meant|intended|proposed|asked)|more)\b|\bno (?:\w+ )?(?:changes?|corrections?|deltas?|actions?|resubmission|edits?|proposals?|blocks?|request)(?: (?:needed|necessary|required|intended|meant|from me|is|are|was|were|proposed|to|on my part|at all|here|this round|asked)\b|$|[.:,;])|\bthere is no (?:change|correction|delta)\b`,
		`\b(?:not|never|isn't|wasn't|aren't|neither|nor)(?: \w+)?(?: as)?(?: an?| my| any| to be an?| really| actually| meant as an?| intended as an?)* (?:change|delta|proposal|correction|request|instruction|edit|order|resubmission|submission|contribution|addition|suggestion|vote|command)s?\b(?: (?:of mine|from me|by me|at all))?(?:$|[.,:;!) ])`,
		`\b(?:not|isn't|wasn't|aren't) (?:mine|my own|by me|from me|meant|intended|serious|final|proposed|proposing)\b`,
		// For the record. As background. Only for comparison.
		`\bfor (?:the |your |my |our |their |later |easy |easier |future |a |mere |pure |anyone's )*(?:record|records|reference|information|completeness|background|illustration|comparison|context|archive|archives|files|curiosity|interest|documentation|transparency|sake|history|log|orientation|readers?|memory|discussion|inspection|entertainment|amusement)\b|\bfyi\b|\bout of (?:curiosity|interest)\b`,
		`\bas (?:an? |mere |pure |simple |just |my |plain |some |only |general )*(?:exercise|test|sample|demonstration|curiosity|counter-?example|contrast|precaution|background|illustration|reference|example|context|note|reminder|text|quotation|quote|citation|documentation|plan|idea|thought|hypothetical|possibility|option|sketch|draft|comment|prose|explanation|aside|fallback|template|placeholder|what-if|suggestion for later|thought experiment)s?\b|\bby way of (?:illustration|example|explanation|background)\b|\bto (?:illustrate|demonstrate|exemplify|show (?:you|what|how|where|the|why)|explain (?:what|how|where|why|the))\b|\bso (?:that )?you (?:can )?(?:see|know|understand)\b`,
		`\b(?:stays?|remains?|is|are|it's|that's|this's|still|keep it|leave it|just|only|merely|purely|simply|mere)(?: \w+)? (?:an? |my |the |as )?(?:plan|idea|text|note|thought|sketch|option|possibility|fallback|hypothetical|contingency|example|illustration|quotation|quote|citation|placeholder|template|background|joke|demonstration|what-if|thought experiment|prose|comment|explanation|aside|draft|paraphrase|reminder|scenario|suggestion for later)s?\b`,
		`\bthink(?:ing)? (?:aloud|out loud)\b|\bmusing\b|\bspeculat\w+\b|\bhypothetical(?:ly)?\b|\brhetorical(?:ly)?\b|\bin (?:theory|principle)\b|\bbrainstorm\w*\b`,
		// If you insist. It would have been. Once T1 has been run. Not yet.
		`\bif you (?:really |do |still |absolutely |all )?(?:insist|want|need|prefer|like|wish|must|care|think|are (?:curious|interested))\b|\b(?:only|except|just) (?:if|when|once|after|in case)\b|^(?:if|should|unless|once|when|as soon as|in case|provided|assuming|suppose|supposing|were) (?:the |a |an |that |this |it |they |others |someone |anyone |we |greenvalley|purplemountain|[a-z]{1,2}\d)|\b(?:in case|unless)\b|\bdepends on\b|\bsubject to\b`,
		`\b(?:would|could|might)(?: \w+)? (?:be|look|read|have (?:to|been|looked|read|sent|written|said|proposed|added|killed)|run)\b|\bhad in mind\b|\b(?:<me>|one)(?:'d| would| could| might) (?:have )?(?:then |later |eventually )?(?:send|sent|write|written|say|said|kill(?:ed)?|edit(?:ed)?|add(?:ed)?)\b`,
		`\b(?:not (?:yet|now|this round|in this round|for now)|until (?:then|that|[a-z]{1,2}\d|the|we|it)|(?:in |for |to )?(?:the |a |some |another )?(?:next|later|future|other) (?:round|turn|session|time|day)|too early|can wait|must wait|has to wait|will wait|wait (?:for|until)|postpon\w+|defer(?:red|ring)?|(?:put|keep|hold|holding|held|keeping) (?:<it> )?(?:on hold|off|back)|on hold|at a later|(?:i'll|i will|shall|may|might) (?:\w+ )?(?:send|submit|propose|decide|revisit|return|come back)\b.*\b(?:later|once|when|after|then|next))\b`,
		// The item can stay.
		`\b(?:it|h\d+|t\d+|a\d+|c\d+|x\d+|p\d+|the (?:item|hypothesis|test|assumption|critique|anomaly|prediction|text|claim|original)) (?:can|may|should|ought to|must|shall|will|would|had better|stays|remains|does|is fine|is good)(?: \w+)? ?(?:stay|remain|live|stand|survive|be (?:kept|left|spared|fine)|as (?:it|before|written)|fine|unchanged|untouched|in place|alive)\b`,
		// Please remove this block. It slipped in by accident. It can be ignored.
		`\b(?:remove|strike|delete|erase|cross out|take out|cut) (?:<it>|<thisBlock>|the following|what follows)\b|\b(?:slipped|crept|sneaked|strayed|got) (?:in|into|through|out)\b|\bended up in\b|\b(?:by accident|accidental(?:ly)?|inadvertent(?:ly)?|unintentional(?:ly)?|unintended)\b|\b(?:can|may|should|could|to|ought to|must)(?: safely| simply| just| better)? be (?:ignored|skipped|dropped|disregarded|left out|omitted|discarded|forgotten|removed|withdrawn|struck|deleted|set aside)\b`,
		`\balready (?:applied|merged|done|covered|handled|settled|decided|dealt|there\b|in the (?:artifact|slate|ledger)|been (?:applied|merged|done|made|covered|handled|settled))\b|\b(?:a|the) duplicate\b|\bhas (?:already )?(?:done|made|proposed|sent|covered) (?:it|this|that|the same)\b|\bno longer (?:appl(?:y|ies)|stands?|propose|want|need|relevant|support|valid|believe|think|pursue)\b`,
		// An option that we have. Should the group want it.
		`^(?:an?|one|another|some|the) (?:\w+ )?(?:option|possibility|alternative|idea|scenario|thought|hypothetical|strawman|straw man|caricature|parody|joke|counter-?example|what-if|contingency|fallback)\b|\bshould (?:the|they|you|we|anyone|someone|it|others|this|that|[a-z]{1,2}\d+) (?:\w+ )?(?:want|wish|agree|need|fail|hold|turn|prove|come|be|insist|object|like|ask)\b|\bsarcas\w+\b|\birony|ironic(?:ally)?\b|\bdevil's advocate\b|\bstraw ?man\b|\bwhat to avoid\b|\bbad idea\b|\bunder discussion\b|\bnot a decision\b|\bverbatim\b|\bas (?:it|they) (?:stood|read|was|were)\b|\b(?:in|with) (?:its|the) original (?:form|wording)\b|\bas originally\b|\b(?:i|we) (?:yield|concede|oppose|reject|disagree|object|disown|dissent)\b`,
		`\b(?:only|merely|solely|purely) (?:to|so|because|for|in order|as|out of)\b`,
		`\b(?:i'd|i would|we should|let's|let us|better|should) (?:rather |just )?(?:keep|retain|spare)\b|\bnot (?:something|anything) (?:that )?<me>\b|\bnot what <me> (?:want|ask|propose|support|believe|recommend)\b|\btoo (?:late|early|soon)\b|\b(?:is|be|it's|that's) up to\b|\b(?:not (?:so |quite |at all )*sure (?:about|of|that|if|whether) (?:<it>|<thisBlock>|we|i)|unsure|undecided|in two minds|having doubts|have (?:my )?doubts)\b|\b(?:think|believe|feel|find|see|say)(?: now)?(?: that)? (?:it|this|that) (?:was|is) (?:\w+ )?(?:wrong|mistake|error|mistaken|bad|unwise|premature|unfair|early|late|much|strong|unfounded)\b`,
		`\b(?:moved on|let it go|let's not|no hard feelings|never ?mind|forget (?:it|about)|call it off|your call|for you to decide|someone else|somebody else|another agent)\b`,
	)
	// declinesOthers matches sentences about what another author wrote.
	declinesOthers = shape(`\b[a-z]+'s(?: own)?(?: \w+)? (?:block|delta|proposal|text|words|kill|edit|change|idea|wording|suggestion|message|reply|letter|version|position|addition|draft)\b|\b(?:is|was|were|are) [a-z]{4,}'s\b|\b(?:quot(?:ed|ing)|cit(?:ed|ing)|copied|paraphras(?:ed|ing)|borrowed|pasted|taken|comes|came|stems|originates) (?:it |this |that |only |them |here |verbatim )*(?:from|by|for|as|him|her|them|only|verbatim)\b|\b(?:only|just|merely|simply|was|were) (?:quot|cit)(?:ed|ing)\b|\b(?:a|as|the|this|my|only|just) (?:quotation|quote|citation)\b`)
	// wasShown matches sentences about what the block was before.
	wasShown = shape(`\b(?:was|were|had been|used to be)(?: \w+){0,2} (?:an? |the |my |in )*(?:drafts?|examples?|illustrations?|quot(?:ations?|es?|ed)|hypothetical|conditional|plan|idea|sketch|suggestion|unclear|ambiguous|tentative|strawman|straw man|caricature|joke)\b`, `\b(?:first|earlier|previous|initial|rough|old|my) draft\b`)
	// means matches sentences with which an author means a block.
	means = shape(
		`\b(?:as|is|are|it's|make|made|makes|this|here's|here is|call|calling|yes|now|and|be|adopt\w*|take|proposing|send|sending|for|with|to|apply|submit|resubmit|confirm|that's|indeed|really|remains|still)(?: \w+)?(?: it| this| that| them)? (?:as |indeed |really |actually |now |truly |all |both )*(?:my|mine|our)\b(?: (?:own|final|definite|actual|real|proper|change|delta|proposal|correction|edit|kill|add|addition|position|submission|contribution|request|intention|resubmission|answer|decision|vote))*`,
		`^(?:so |here |now |and |yes[,:]? |ok[,:]? )*(?:my|our) (?:own |final |definite |actual |real |proper |corrected |fixed |revised |new )*(?:change|delta|correction|edit|kill|add|addition|submission|contribution|proposal|decision)s?\b`,
		`\b<me> (?:do |now |hereby |fully |therefore |still |really |indeed |also |explicitly |thus |gladly |can |expressly |wholly )*(?:confirm|mean|want|adopt|endorse|stand by|stand behind|insist|maintain|uphold|second|propose|commit|request|reaffirm|ask|submit|resubmit|intend|vote for|support|reiterate)\b`,
		`\b(?:do )?(?:please|should be|shall be|to be|can be|may be|must be|want it|want this|is to be|now) (?:now |do )*(?:appl(?:y|ied)|merged?|execut(?:e|ed)|tak(?:e|en)(?: it| this| them)?|used?(?: it| this)?|accept(?:ed)?|enter(?:ed)?|carried out|process(?:ed)?)\b`,
		`\b(?:is|it's|as|be|becomes?|became|turns? into) (?:indeed |really |actually |now |also )*an? (?:real |actual |proper |genuine |serious |definite )*(?:change|delta|proposal|correction|submission)\b`,
		`\b(?:meant|intended) (?:as|to be) (?:an? |my )*(?:change|delta|kill|edit|correction|proposal)\b|\b(?:is|now|fully|it's) (?:meant|intended|unconditional|definite|final|serious|official)\b|\bin earnest\b|\bseriously\b|\b(?:condition|conditions) (?:is|are|has been|have been|was) (?:now )?(?:met|fulfilled|satisfied|true)\b|\b(?:no longer|not any more|without) (?:an? |the |any )?(?:condition|conditional|draft|example|quot\w+|hypothetical|illustration|depend\w*|if)\b`,
	)
	// corrects matches sentences with which an author sends a correction.
	corrects = shape(
		`\b(?:correct(?:ed|ion|ions|ing|s)?|repair(?:ed|ing)?|fix(?:ed|es|ing)?|revised?|amended|updated|final|resen[dt]|resending|resubmi\w+|retry|retrying|again|once more|rewritten|reworded|reformatted|reissued?|complete[d]?|valid|well-formed|proper(?:ly)?|new|replace(?:s|d|ment)?|instead|here (?:is|are|it is|you go|goes|they are)|here's|should (?:have been|be|read|parse|work|now)|now (?:with|valid|correct|targets?|complete|has|have|parses?|uses?|reads?|in|as)|(?:is|are) (?:now|correct|right)|solved|resolved|addressed|(?:this|second|third|next|another) (?:version|attempt|try)|v\d|shortened|flattened|unconditional(?:ly)?|plain|added|changed|misspelled|typo|missing|meant (?:to (?:write|send|say|target|edit|kill|add)|was|h\d|t\d|this|the|it)|use (?:this|that|the following)|as (?:requested|asked|you asked|required|instructed)|attached|below)\b|^(?:blocks?|deltas?|problem|item|no\.?|#) ?\d`,
	)
	// formal matches sentences about the form of a block, of which parts may be left out.
	formal = pattern.New(`\b(?:commas?|quotes|quotation marks|brackets?|braces?|parenthes[ie]s|fields?|keys?|fences?|backticks?|labels?|refs?|syntax|escap\w+|spaces?|newlines?|typos?|characters?|lines?|target_id|target ids?|payload|properties|property|values?|indentation|comments?|trailing|stray|section|wording|nest\w+|objects?|conditions?|extra)\b`)
	// firmly matches sentences that decline a block whatever they say of its form.
	firmly = shape(`\b(?:do not|don't|must not|should not|not to|never|won't|rather not|not be|not)(?: \w+){0,2} (?:appl|execut|merg|propos|submit|want|mean|intend|pursue|chang)\w*\b`, `\b(?:withdr[ae]w\w*|retract\w*|<me> oppose|reject\w*|hypothetical\w*|illustrat\w+|for (?:the |your |our )?(?:record|reference|information|archive|files|completeness)|as (?:background|an? (?:example|illustration|exercise|plan)))\b`)
	// spelling matches sentences about what JSON is made of.
	spelling   = pattern.New(`\b(?:commas?|quotes|brackets?|braces?|parenthes[ie]s|fields?|keys?|fences?|backticks?|syntax|escap\w+|typos?|target_id|payload|indentation|json)\b`)
	supposedly = pattern.New(`\b(?:would|could|might|had (?:sent|written|proposed|typed|put))\b`)
	// restOf matches sentences about the rest of the reply.
	restOf = pattern.New(`\b(?:else|others?|rest|remaining|otherwise|apart from|besides|further|additional|unaffected)\b`)
	// formerForm matches sentences about the block as it was.
	formerForm = shape(`\b(?:old|older|broken|previous|previously|earlier|first|original|malformed|faulty|invalid|last|initial|former|prior|defective|incorrect|wrong|bad)(?: \([^)]*\))?(?: \w+)? (?:block|one|version|delta|reply|message|attempt|draft|json|form|answer|change|kill|edit|add|response|wording|try|mail|letter|submission|text|variant|copy|contribution|turn)s?\b`)
	denied     = pattern.New(`(?:\b(?:no|not|nothing|never|neither|nobody|hardly|none|until|unless|before|if|when|once|whether)|n't)\b`)
	here       = pattern.New(`\b(?:this|these|following|below|here|instead|replaced by|new|use)\b`)
)

// forOnly matches sentences that show a block for one purpose, and those that answer no.
var forOnly = pattern.New(`\b(?:for|as) (?:\w+ ){1,3}only\b|\b(?:only|just|merely|solely|purely) (?:for|as) (?:the |your |our |an? )?(?:documentation|record|reference|information|archive|files?|completeness|context|comparison|show|illustration|background|test|tests)\b|\b(?:answer|reply|response|decision|verdict) (?:is|remains|stays) (?:a |still |clear )*no\b|^no$`)

// verdictOf returns what a sentence says. A lead stands right before the block, and shows it.
func (r Rules) verdictOf(sentence string, isLead bool) verdict {
	const reach = 20 // of a negation
	s := strings.Trim(lowered(sentence), "()[]*_^ .…")
	negated := notAside.FindStringIndex(s)
	s = notAside.ReplaceAllString(s, "mine")
	set := lastMatch(declines, s)
	if others := lastMatch(declinesOthers, s); others > set && !isFormal(s) {
		set = others
	}
	plain := r.plainVerdict(s)
	own := lastMatch(means, s)
	if own >= 0 && denied.MatchString(s[max(0, own-reach):own]) {
		own = -1
	}
	if negated != nil {
		own = max(own, negated[0])
	}
	switch {
	case plain != saysNothing:
		return plain
	case isLead && isForeign(s):
		return saysDeclined
	case set >= 0 && isOther(s, isLead):
		if corrects.MatchString(s) {
			return saysCorrected
		}
		return saysNothing
	case own >= set && own >= 0:
		return saysOwn
	case wasShown.MatchString(s):
		return saysWasShown
	case set >= 0:
		return saysDeclined
	case (corrects.MatchString(s) || spelling.MatchString(s)) && !supposedly.MatchString(s) && !r.namesAgent(sentence):
		return saysCorrected
	}
	return saysNothing
}

// plainVerdict returns what a sentence says whatever else is in it.
func (r Rules) plainVerdict(sentence string) verdict {
	if r.Firm && forOnly.MatchString(sentence) {
		return saysDeclined
	}
	return foreignVerdict(sentence)
}

// namesAgent reports whether a sentence names another agent.
func (r Rules) namesAgent(sentence string) bool {
	for _, m := range agentName.FindAllStringSubmatch(sentence, -1) {
		if !isSame(m[1], r.Author) {
			return true
		}
	}
	return false
}

var agentName = pattern.New(`\b` + agent + `\b`)

// isOther reports whether a sentence sets aside something else than the block beside it: its old form, the rest of the reply, or parts
// of the text.
func isOther(s string, isLead bool) bool {
	return restOf.MatchString(s) || isFormal(s) || formerForm.MatchString(s) && (!isLead || here.MatchString(s))
}

func isFormal(s string) bool { return formal.MatchString(s) && !firmly.MatchString(s) }

// lastMatch returns where the last match of a pattern begins, or -1.
func lastMatch(of *pattern.Pattern, s string) int {
	all := of.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}

// Shown returns for each block of an answer, which begins at an offset, the remark that sets it aside. Its line is empty if the block
// is meant, or nothing is said of it.
func (r Rules) Shown(answer []byte, starts []int) []Remark {
	found := make([]Remark, len(starts))
	gaps := r.gaps(answer, starts)
	for i := range starts {
		from := i
		for from > 0 && len(gaps[from]) == 0 {
			from-- // a line is about all blocks that follow it directly
		}
		said := gaps[from].judge(true, i > 0)
		if behind := gaps[i+1].judge(false, i+1 < len(starts)); behind.of != saysNothing && behind.of != saysCorrected {
			said = behind
		}
		if said.of == saysDeclined || said.of == saysWasShown {
			found[i] = Remark{Line: said.sentence}
		}
	}
	r.spread(found, gaps)
	return found
}

// Corrects reports whether the sentence before a block of an answer, or the one behind it, calls it corrected or its author's own. The
// blocks of other replies need no such sentence.
func (r Rules) Corrects(before, behind []byte) bool {
	if r.Answer == nil {
		return true
	}
	r.Answer = nil // its number may be all of the text
	behind = behind[:min(len(behind), maxProse)]
	last := func(of verdict) bool { return of == saysCorrected || of == saysOwn }
	if g := r.statedIn(outsideBlocks(before[max(0, len(before)-4*maxProse):]), true); len(g) > 0 && last(g[len(g)-1].verdict) {
		return true
	}
	g := r.statedIn(outsideBlocks(behind[:nextBlock(behind)]), false)
	return len(g) > 0 && last(g[0].verdict)
}

// spread sets aside the blocks above a sentence about several of them, and all of them if the answer has no changes.
func (r Rules) spread(found []Remark, gaps []gap) {
	var none string
	isOwned := false
	for i, g := range gaps {
		for _, s := range g {
			of := s.verdict
			isOwned = isOwned || of == saysOwn
			lower := lowered(s.text)
			if of == saysDeclined && nothingAtAll.MatchString(lower) {
				none = s.text
			}
			for j := 0; j < i && of == saysDeclined && !s.isLead && plural.MatchString(lower); j++ {
				found[j].Line = s.text
			}
		}
	}
	for i := range found {
		if none != "" && !isOwned && found[i].Line == "" {
			found[i].Line = none
		}
	}
}

// nothingAtAll matches sentences of an answer without changes.
var nothingAtAll = shape(`\b(?:<me> (?:have|propose|make|send|want|request|submit) no (?:\w+ )?(?:changes?|corrections?|deltas?)|nothing to (?:send|change|correct|submit|add|fix|resend|apply|repair)|to change anything|no changes?(?: (?:from me|intended|needed|necessary|required|are intended|is intended))?(?:$|[.:]))`)

// stated is a sentence of an answer outside of blocks, quotations and reasoning.
type stated struct {
	text      string
	verdict   verdict
	isLead    bool // it stands right before a block, and shows it
	isBehind  bool // it points at the block above
	paragraph int
}

// gap holds the sentences between two blocks.
type gap []stated

// judged is the sentence of a gap that counts.
type judged struct {
	of       verdict
	sentence string
}

// judge returns what a gap says of the block below it, or above it. There may be another block on its other side.
func (g gap) judge(isBelow, hasOther bool) judged {
	var last judged
	for i := range g {
		s := &g[i]
		if hasOther && !s.isAbout(isBelow, g[len(g)-1].paragraph) || !isBelow && s.isLead {
			continue
		}
		switch of := s.verdict; {
		case of == saysNothing, of == saysCorrected && last.of != saysNothing && last.of != saysWasShown, of == saysWasShown && last.of == saysDeclined:
		case of == saysWasShown && last.of == saysOwn && formerly.MatchString(lowered(s.text)):
		default:
			last = judged{of, s.text}
		}
	}
	return last
}

// isAbout reports whether a sentence between two blocks is about the one below it, or above it.
func (s *stated) isAbout(isBelow bool, lastParagraph int) bool {
	switch {
	case s.isLead:
		return isBelow
	case s.isBehind:
		return !isBelow
	}
	return isBelow == (s.paragraph == lastParagraph)
}

var (
	formerly     = pattern.New(`\b(?:before|previously|earlier|originally|at first|in my (?:first|last|previous) (?:reply|message|answer))\b`)
	pointsUpward = pattern.New(`(?i)^(?:\^|↑|(?:but|and|so|though|however),? )*(?:this|that|it|these|those|they|the above|the (?:block|delta)s? above)\b|\babove\b`)
)

// gaps returns the sentences before, between and behind the blocks of an answer.
func (r Rules) gaps(answer []byte, starts []int) []gap {
	all := make([]gap, 0, len(starts)+1)
	at := 0
	for i := range len(starts) + 1 {
		end := len(answer)
		if i < len(starts) {
			line, _, _ := bytes.Cut(answer[starts[i]:], []byte("\n"))
			end = starts[i]
			if mark := blockMarks.FindIndex(line); mark != nil {
				end += mark[0] // what stands before it on its line belongs to the text
			}
			end = max(at, end)
		}
		all = append(all, r.statedIn(outsideBlocks(answer[at:end]), i < len(starts)))
		at = end
	}
	return all
}

// statedIn returns the sentences of a text, which may stand before a block.
func (r Rules) statedIn(text []byte, isBefore bool) (g gap) {
	text = r.ownWords(text, isBefore)
	n := 0
	for para := range bytes.SplitSeq(text, []byte("\n\n")) {
		if para = bytes.TrimSpace(para); len(para) == 0 {
			continue
		}
		n++
		line, isTitle := unmark(bytes.ReplaceAll(para, []byte("\n"), []byte(" ")))
		isOpen := isBefore && (isTitle || isUnended(para))
		first := len(g)
		for sentence := range sentences(strings.NewReplacer("。", ". ", "！", "! ", "？", "? ", "；", "; ").Replace(line)) {
			g = append(g, stated{text: sentence, paragraph: n, isBehind: pointsUpward.MatchString(sentence)})
		}
		if isOpen && len(g) > first {
			g[len(g)-1].isLead = true
		}
	}
	for i := range g {
		g[i].isLead = g[i].isLead && g[i].paragraph == n
		g[i].verdict = r.verdictOf(g[i].text, g[i].isLead)
	}
	return g
}

// outsideBlocks returns a text without fences, objects and quotations.
func outsideBlocks(text []byte) []byte {
	var out []byte
	depth, isFenced := 0, false
	for line := range bytes.Lines(text) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] == '>' {
			continue
		}
		if at := fenceMarks.FindIndex(line); at != nil {
			before, behind := line[:at[0]], bytes.TrimSpace(line[at[1]:])
			if isText := bytes.IndexByte(behind, ' ') > 0 && !infoLine.Match(behind); isFenced || isText || len(behind) == 0 {
				before, isFenced = behind, false // it closes a fence
			} else {
				isFenced = true
			}
			out, depth = append(append(append(out, '\n'), before...), '\n'), 0
			continue
		}
		if isFenced {
			continue
		}
		var rest []byte
		rest, depth = outsideObjects(line, depth)
		out = append(out, rest...)
	}
	return out
}

var (
	fenceMarks = pattern.New("```+|~~~+|:::+")
	blockMarks = pattern.New("```|~~~|:::|[{\\[]")
)

// outsideObjects returns a line without objects, and how many are open behind it.
func outsideObjects(line []byte, depth int) ([]byte, int) {
	var out []byte
	isText := false
	for i, c := range line {
		switch {
		case depth > 0 && c == '"' && line[i-min(i, 1)] != '\\':
			isText = !isText
		case isText:
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
			continue
		}
		if depth == 0 && !isText {
			out = append(out, c)
		}
	}
	return out, depth
}
