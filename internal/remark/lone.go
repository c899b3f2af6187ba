package remark

import (
	"bytes"
	"strings"
	"unicode"

	"brenner/internal/pattern"
)

// Short lines that say all by themselves what they say of the block beside them.
var (
	// retires matches a sentence behind a block that puts it off, makes it depend on something, or takes it back.
	retires = shape(
		// Apply this only if H5 is accepted. Valid only if T1 is negative. To be applied once T1 is in.
		`^(?:please )?(?:apply|merge|execute|send|submit|use|valid|effective|applicable|applies|counts)(?: <it>| (?:this|the) <block>)? only (?:if|when|once|after|in case|provided|from)\b`,
		`^(?:only )?to be (?:<applied>|considered|counted|run)(?: only)? (?:if|when|once|after|later|in (?:a |the )?(?:later |next )?round|(?:in )?(?:the )?next|as soon as|provided|in case)\b`,
		// Superseded by the block below. The next block replaces it. Use the next one instead.
		`^(?:now |since )?(?:superseded|replaced|overridden|corrected|overtaken|obsoleted) by (?:the |my )?(?:(?:next|following|second|third|last|final|corrected|new) )?(?:<block> )?(?:below|that follows|next|<block>)[.!]?$`,
		`^(?:the (?:next|following)(?: <block>)?|the <block> (?:below|that follows)) (?:replaces|supersedes|overrides|corrects|is meant instead of) <above>[.!]?$`,
		`^(?:please )?(?:use|take|apply|merge) (?:the (?:next|following)(?: <block>)?|the <block> below) instead[.!]?$`,
		// No, wait. Not really. Oops, wrong section.
		`^(?:no,? wait|wait,? no|not really|on second thoughts?,? no)[.!…]*$`,
		`^(?:oops|sorry|argh?|ah|hm+|damn|whoops|ups|no),? (?:(?:that is|that's|that was|this is|this was) )?(?:the )?wrong (?:section|target|id|item|block|file|window|session|thread|round|operation|hypothesis|test|field|delta)[.!]*$`,
		// Sorry, typo in the target. Do not run. Draft – needs review.
		`^(?:(?:oops|sorry|argh?|ah|whoops|ups),? )(?:(?:that is|that's|that was|there was|there is|i made) )?(?:an? |the )?(?:typo|mistake|error|slip)(?: of mine)? in (?:the|my) (?:\w+ )?(?:section|target|id|item|block|operation|delta)[.!]*$`,
		`^(?:please )?<never> (?:run|execute|apply|merge|use)(?: (?:it|this|that))?[.!]*$`,
		`^(?:still |only |just )?(?:an? )?(?:draft|wip|work in progress|tentative|provisional)(?: only)?(?:[.!]*$| [–—-] |[:;] | \()`,
		// Just an example, of course. Illustration, not a submission.
		`^(?:(?:just|only|merely|purely|simply) )?(?:an? |for )?<shown>,? (?:of course|obviously|naturally|nothing more|no more(?: than that)?|only|not (?:an?|my|for|the) (?:\w+ ?){1,2})[.!]*$`,
		// Please do not apply this before T2 is in. Hold it until T2 is in.
		`^(?:please |kindly )?<never> (?:yet )?(?:apply|merge|execute|run|count|use|act on|process|commit) <above>(?: yet| now)?(?:[.!]?$|,? (?:please|before|until|unless|till|as long as|while|if|without)\b)`,
		`^(?:please |kindly )?(?:hold|keep|park|shelve|postpone|defer|delay|wait with|hold off (?:on|with)(?: applying| merging| executing)?) <above>(?: back| off)? (?:until|till|before|unless)\b`,
		// These changes should not be applied until T1 is in. The above changes do not count.
		`<well><above>(?: \w+)? (?:should|must|may|can|shall|<is>)(?: <not>|n't) (?:to )?(?:yet )?be (?:<applied>|run)(?:$|[.;!,]| (?:yet|until|till|before|unless|without|for now)\b)`,
		`<well><above> (?:(?:do|does|should|must|will) <not>|don't|doesn't|shouldn't) (?:yet )?(?:count|apply|take effect|stand)(?:$|[.;!,]| (?:yet|until|till|before|unless)\b)`,
		`^(?:neither|none) (?:of (?:these|those|them|the two|the above)(?: <block>)?|<block>) (?:is|are|was|were) (?:yet )?(?:final|ready|meant|mine|submitted|to be <applied>)(?:$|[.;!,]| (?:yet|so far)\b)`,
		// Treat this as a suggestion only. This is just an idea.
		onlyIdea,
		// But maybe this is premature. Please check this before applying. Pending confirmation from the operator.
		`^(?:(?:but|though|still|yet|however),? )?(?:maybe|perhaps|possibly|probably|arguably) <it>(?:'s| is| was)(?: \w+)? (?:premature|wrong|too (?:early|soon|much|strong|hasty|harsh)|an? (?:mistake|error)|hasty|rash|unfair|unjustified)\b`,
		`^[^.;]{0,20}\b(?:check|verify|confirm|discuss|review|ask|todo)\b[^.;]{0,20}\b(?:before|prior to) (?:applying|merging|sending|submitting|executing)(?: <above>)?[.!]?$`,
		`^(?:still )?(?:pending|awaiting|subject to|contingent (?:on|upon)|conditional (?:on|upon)) [^.;:]{1,50}[.!]?$`,
		// I am undecided. …or should I? I leave that open.
		`^<me>(?:'m| am| remain| have|'ve)? (?:still |as yet |honestly |really )?(?:undecided|torn|not (?:yet )?decided|(?:of|in) two minds|on the fence)\b[^.;]*[.!]?$`, `^(?:\.{3}|…)? ?or should (?:<me>|it|they)\b`, `^<me>(?: would|'d|'ll| will)? (?:rather )?leave <it> open\b`,
		// This is what I would send if T2 failed.
		`^(?:this|that|it|the above) (?:is|was) (?:only |just )?what <me> (?:would|could|might) (?:have )?\w+\b.*\b(?:if|when|once|unless|had|were|should|in case)\b`,
		// A kill was tempting, but I decided against sending it.
		`\b<me>(?: have|'ve)? (?:\w+ )?decided (?:against <sending>|not to <send>) (?:<it>|<thisBlock>)\b`)
	// upward matches those of retires that lead to no block below them, though they name it.
	upward = pattern.New(`[.!…)]$`)

	// refrains matches titles of a block that is not sent.
	refrains = shape(onlyIdea, `^(?:test|dummy|trial|placeholder) (?:<block>|post|message),? (?:please )?(?:ignore|skip|disregard|do not \w+)$`,
		`^(?:instead|in lieu|in place) of(?: <it>| the following)?$`,
		`^<me> (?:(?:will|shall|would|must|therefore|thus|hereby|deliberately) )*(?:refrain|abstain|desist|hold back|back away|shy away) from(?: <sending>)?(?: <it>| the following)?$`)
	// laterIn are titles in other languages that put off the block below, or call it an example.
	laterIn = pattern.New(`^(?:例|样例|範例|예|später|vorläufig|plus tard|más tarde|más adelante|più tardi|mais tarde|później|позже|потом|пример)$`)

	// counting matches titles that count the blocks of a reply, or only name their form.
	counting = shape(`^(?:(?:and|so|now),? )?(?:the |my )?(?:(?:first|second|third|fourth|fifth|next|last|final) )?(?:block|delta|item|proposal|modification|change|edit|patch|operation|entry|action|update)(?: (?:no\.? ?|#)?\d+)?(?: ?(?:of|/) ?(?:\d|two|three|four|five))?$`,
		`^version [2-9]$`, `^(?:the )?(?:blocks|deltas|changes|edits|patches|operations)$`,
		`^(?:the |my )?(?:blocks?|deltas?|changes?|edits?|items?)(?: \d(?:(?:,| and|,? ?and| to| ?[–-]) ?\d)*)? (?:follows?|comes?|(?:are|is) next)(?: now| below| here| next)?$`,
		`^(?:the |my |a )?(?:fix|patch|remedy|repair)(?:es)?(?: is)?$`,
		`^(?:(?:the|my) )?(?:structured|machine[- ]readable|parse?able|json) (?:output|part|section|form|blocks?|summary|answer)$`,
		`^for the (?:compiler|parser|machine|merger)$`,
		`^this is (?:not|no longer) an? (?:drafts?|examples?|joke|drill|rehearsal|quotation|thought experiment)$`,
		`^credit (?:to|for) .* for (?:the|this|that|pointing|raising|noticing) [^,;]*$`)
	// signed matches a title by which the author of a reply names its role.
	signed = pattern.New(`^deltas? (?:(?:from|by|of) the (?:adversarial critic|hypothesis generator|test designer)|\((?:adversarial[ _]critic|hypothesis[ _]generator|test[ _]designer)\)?)$`)
	// connects matches titles that only go on with what stands before them.
	connects = pattern.New(`^(?:it is|(?:that|this|which) gives|then|writing (?:it|this|that) out|(?:what|all that) is needed)$`)
	// prefers matches titles with which an author comes to the operation and the item of the block below, after another's.
	prefers = shape(`^<me> (?:disagree|object|differ|dissent|agree)\b[^:?]*[, ](?:and|so|but)(?: <me>)? (?:would |will |'d |'ll )?(?:rather |instead |therefore |simply )?(kill|edit|remove|drop|retire|revise|sharpen|change) (<id>)(?: instead| now)?$`,
		`^<me>(?: would|'d) (?:rather|sooner) (kill|edit|remove|drop|retire|revise|sharpen|change) (<id>)(?: instead| now)?$`)
	// operates matches titles whose last word is the operation of the block below.
	operates = shape(`^not an? (?:kill|edit|addition|add|removal|deletion),? (?:but |just |only |rather )*an? (kill|edit|addition|add)$`,
		`[;,—–] (?:but |rather |and )?(?:it's|it is|that's|that is|this is|only) (?:\w+ )?(?:a |the )?(?:reason|case|ground) (?:to|for an?) (kill|edit|add)(?: it| <id>)?$`,
		`^<me> (?:\w+ )?(?:second|support|endorse|back|adopt|co-sign) \w+['’]s (?:\w+ )?(kill|edit|addition|add)(?: (?:of|to|on) (<id>))?$`)
	// shouldBe matches the title of the new text of an item.
	shouldBe = shape(`^(<id>)(?:['’]s \w+)? should (?:now )?(?:be|read|say)$`)

	// passing matches a sentence behind a block that is about something else: the form of the reply, old texts and objections, a test.
	passing = shape(`^(?:this|that|it|the [^,.;]{1,60}) would (?:then |now |thus )*be (?:the|an?) (?:\w+ ){0,2}(?:test|experiment|control|comparison|prediction|assay|readout|consequence|t\d)(?:, which <me> leave to [^,.;]*)?[.!]?$`,
		`^please (?:ignore|excuse|disregard|forgive|overlook|pardon) (?:the|my|any) (?:\w+ )?(?:formatting|typos?|layout|spelling|style|length|brevity|english|grammar|indentation|whitespace|line breaks|haste)[.!]?$`,
		`^my (?:earlier|previous|former|old|first|own) (?:objections?|criticisms?|critiques?|doubts?|concerns?|reservations?|complaints?) (?:to \w+ |about \w+ |against \w+ )?(?:is|are|has been|have been) (?:hereby |thus |now |therefore )?(?:withdrawn|retracted|moot|obsolete|void|resolved|answered|settled|gone)[.!]?$`,
		`^(?:this|that|it) should be (?:reviewed|checked|examined|critici[sz]ed|attacked|scrutini[sz]ed|challenged|verified) by (?:the |an? |our )?(?:\w+ )?(?:critic|reviewer|others|test designer|hypothesis generator|panel|group)[.!]?$`,
		`^what (?:do|would) (?:the )?(?:others|other agents|rest of you) (?:think|say)(?: (?:of|about) (?:it|this|that))?\?$`)
	// declinesOther matches a question about an item and the answer no.
	declinesOther = shape(`^(?:kill|edit|drop|remove|change|retire) (<id>)\? (?:no|not yet|not now|never|not at all|later|too early)[.!]?$`)
)

// onlyIdea matches sentences that call a block no more than an idea.
const onlyIdea = `\b(?:treat|take|consider|regard|read|see|view|count|understand) (?:<it>(?: one)?|<thisBlock>) (?:only |merely |just |purely )*as (?:only |merely |just |no more than )?(?:an? |my )?(?:\w+ )?(?:suggestions?|ideas?|thoughts?|questions?|possibilit(?:y|ies)|provocations?|placeholders?|<shown>)\b|` +
	`^(?:(?:this|these|it|that) (?:is|are) )?(?:only|just|merely|purely|no more than) (?:an? )?(?:suggestions?|ideas?|thoughts?|possibilit(?:y|ies)|provocations?)$|\bas an? (?:suggestion|idea|thought|possibility) only$`

// ordered are the operations of the words of prefers.
var ordered = map[string]string{"kill": "KILL", "remove": "KILL", "drop": "KILL", "retire": "KILL", "edit": "EDIT", "revise": "EDIT", "sharpen": "EDIT", "change": "EDIT"}

// aloneBefore reports whether a line leads to a block that is not sent.
func aloneBefore(raw []byte, lower string) bool {
	if !isLead(raw) && !isUnended(raw) {
		return false
	}
	return refrains.MatchString(lower) || isLead(raw) && laterIn.MatchString(lower)
}

// isAlone reports whether the last line of a text, in small letters, says nothing against the block below it, whatever its words.
func (r Rules) isAlone(text, raw, block []byte, lower string) bool {
	op := OperationIn(block)
	if m := operates.FindStringSubmatch(lower); m != nil {
		id := strings.ToUpper(m[4])
		return operationOf(m[1]+m[2]+m[3]) == op && (id == "" || isTarget(block, id))
	}
	if m := prefers.FindStringSubmatch(lower); m != nil && isLead(raw) {
		return ordered[m[1]+m[3]] == op && isTarget(block, strings.ToUpper(m[2]+m[4]))
	}
	if counting.MatchString(lower) {
		return isLead(raw) || isLabel(raw) || raw[0] == '('
	}
	if retires.MatchString(lower) && upward.Match(raw) {
		return isBehindBlock(text)
	}
	if !isLead(raw) {
		return false
	}
	if m := shouldBe.FindStringSubmatch(lower); m != nil {
		rest := r.tokens(lowered(strings.TrimSuffix(string(raw), lastSentence(string(raw)))))
		return op == "EDIT" && isTarget(block, strings.ToUpper(m[1])) && (len(rest) == 0 || rest[0].kind&author != 0)
	}
	if signed.MatchString(lower) {
		return bytes.Count(bytes.TrimSpace(text), []byte("\n")) < 3 && !bytes.Contains(text, []byte("```"))
	}
	return connects.MatchString(lower) && r.isFirmBefore(text, raw)
}

// declined matches a question and the answer no.
var declined = shape(`^(?:(?:can|could|should|must|may|do|shall) (?:<me>|one) )?(?:\w+ )?(kill|edit|remove|drop|retire|revise|change) (<id>)(?: \w+)?\? (?:no|not yet|not now|never|not at all|later|too early)[.!]?$`)

// spared matches titles with which an author keeps an item.
var spared = shape(`^(?:(?:so|hence|therefore|but|still),? )?<me>(?:'d|'ll| would| will| should| must| want to| prefer to)?(?: (?:rather|still|therefore|instead|prefer to|like to|simply))* (?:keep|spare|retain|save|defend) (<id>)$`)

// keepsTarget returns the title directly above a KILL with which its author keeps the item.
func keepsTarget(text, block []byte) (Remark, bool) {
	raw := bytes.TrimSpace(lastLine(text))
	if !isLead(raw) || len(raw) > maxLabel || OperationIn(block) != "KILL" {
		return Remark{}, false
	}
	line, _ := unmark(raw)
	m := spared.FindStringSubmatch(lowered(strings.TrimSpace(lastSentence(line))))
	return Remark{Line: line, Open: true}, len(m) > 1 && isTarget(block, strings.ToUpper(m[1]))
}

// declinesTarget returns the line directly above a block that asks whether to do what it does, and answers no.
func declinesTarget(text, block []byte) (Remark, bool) {
	raw := bytes.TrimSpace(lastLine(text))
	if len(raw) > maxLabel || bytes.IndexByte(raw, '?') < 0 {
		return Remark{}, false
	}
	line, _ := unmark(raw)
	m := declined.FindStringSubmatch(lowered(strings.TrimSpace(line)))
	return Remark{Line: line, Open: true}, len(m) > 2 && does(block, ordered[m[1]], m[2])
}

// isBehindBlock reports whether the last line of a text stands directly behind a block.
func isBehindBlock(text []byte) bool {
	text = bytes.TrimSpace(text)
	above := bytes.TrimRight(text[:bytes.LastIndexByte(text, '\n')+1], " \t\r\n")
	return len(above) > 0 && strings.IndexByte("`~}", above[len(above)-1]) >= 0
}

// isFirmBefore reports whether nothing in what stands before a title, in its paragraph or in the one above, may leave the block open.
func (r Rules) isFirmBefore(text, raw []byte) bool {
	line := r.lineOf(raw)
	rest := strings.TrimSpace(line[:len(line)-len(lastSentence(line))])
	if rest == "" {
		above := bytes.TrimSpace(text)
		rest = r.lineOf(lastParagraph(above[:max(0, len(above)-len(raw))]))
	}
	return kinds(r.tokens(lastSentence(strings.TrimRight(rest, ".!? "))))&doubtful == 0 && !strings.Contains(lowered(rest), "if ")
}

// alone returns the remark of a line directly behind a block that sets it aside by itself, and the text without a first paragraph that
// is about something else.
func alone(text, block []byte) (Remark, []byte, bool) {
	first, rest := paragraph(text)
	if isLead(first) { // its last sentence leads to the next block
		first, rest = bytes.TrimSpace(first[:lastEnd(string(first))]), text
	}
	if len(first) == 0 || len(first) > maxRemark || strings.IndexByte(">|#{<`", first[0]) >= 0 {
		return Remark{}, text, false
	}
	line, _ := unmark(first)
	lower := lowered(strings.TrimLeftFunc(strings.Trim(line, "()[] "), func(c rune) bool { return c > unicode.MaxASCII && !unicode.IsLetter(c) || c == '^' || c == ' ' }))
	if m := declinesOther.FindStringSubmatch(lower); len(m) > 0 && !isTarget(block, strings.ToUpper(m[1])) || passing.MatchString(lower) || isOfParts(lower) {
		return Remark{}, rest, false
	}
	for sentence := range sentences(lower) {
		if retires.MatchString(sentence) {
			return Remark{Line: line, Open: true, sentence: sentence}, text, true
		}
		break
	}
	return Remark{}, text, false
}
