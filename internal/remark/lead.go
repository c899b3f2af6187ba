package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// Lead is what the title before a block says of the blocks above it.
type Lead struct {
	// Word is "" if it says nothing, or why the block replaces one above it: corrected, final.
	// Titles with the same word are a series, and none replaces another.
	Word   string
	Choice bool // the block is one of several options, of which none is chosen
	Target bool // the target of the one above it may be what is wrong
}

const (
	lead    = `^(?:(?:actually|wait|no wait|no|hmm|sorry|oops|correction|on reflection|on second thoughts?)[,.:;! —–-]+)*(?:(?:and|so|but|now|then|here's|here is|this is|use this|my|the|an?|it is) )*`
	another = `(?:versions?|deltas?|blocks?|kill|edit|add|change|attempt|try|one)`
)

var (
	// amends matches titles of a version that replaces another. A final or new delta may only be the
	// last or another one.
	amends = pattern.New(lead + `(?:(revised|corrected|fixed|improved|rewritten|reworked|amended|correct|right|real|proper|actual|better) (?:and \w+ )?` + another +
		`|(final|updated|new|second|(?:clean|sharp|clear|strong|simpl|tight|strict)er) (?:and \w+ )?(?:version|attempt|try))(?: is| of (?:it|this|that|the above))?(?:$|,| \()|` +
		`^(?:version|attempt|try|v) ?([2-9])(?:$|,| \()|` +
		lead + `(?:here it is )?(corrected|revised|fixed|better|(?:i (?:propose|prefer|suggest) )?(?:instead|this instead)|replaced by(?: this)?)$|` +
		`\b(let me (?:rewrite|revise|redo|rephrase|restate|correct|fix) (?:it|this|that))\b|\b(replaces|supersedes) (?:it|that|the (?:one|block|delta|version|kill|edit|add|above|previous|first|last)(?: one| block| delta| above)*)(?:$|[,.)])|\b(use this(?: one)?(?: instead)?)$`)
	retargets = pattern.New(`\bi (?:actually |really )?(meant)\b|` + lead + `(?:it|that|this|the (?:target|id|section|operation)) should (?:have (?:been|said|read)|(?:be|read|say)(?: [a-z]{1,2}\d+\b|(?: this| as follows)?$))`)
	offers    = pattern.New(`^(?:(?:option|choice) (?:[a-d]|[1-4])|(?:version|variant) [a-d]|(?:either|or)(?: this(?: one)?)?)(?:$| \()`)
	itemID    = pattern.New(`\b[a-z]{1,2}\d+\b`)
)

// LeadOf returns what the title at the end of a text says of the blocks above it.
func LeadOf(text []byte) Lead {
	text = bytes.TrimRight(text[max(0, len(text)-maxRemark):], " \t\r\n")
	raw := text[bytes.LastIndexByte(text, '\n')+1:]
	if len(raw) == 0 || !mayBeTitle(raw) {
		return Lead{}
	}
	line, title := unmark(raw)
	if !title {
		return Lead{}
	}
	lower := lowered(lastSentence(line))
	if retargets.MatchString(lower) {
		return Lead{Word: "meant", Target: true}
	}
	if offers.MatchString(lower) {
		return Lead{Word: "option", Choice: true}
	}
	m := amends.FindStringSubmatch(lower)
	if len(m) == 0 || itemID.MatchString(lower) && m[3] == "" {
		return Lead{} // it is a version of an item
	}
	word := strings.Join(m[1:], "")
	return Lead{Word: word, Target: strings.HasPrefix(word, "correct") || word == "right" || m[6] != ""}
}

// decided matches what the title of an option says of it if one is chosen.
var decided = pattern.New(`\b(?:final|chosen|adopted|submitted|sent|selected|preferred|mine|my|meant|rejected|discarded|dropped|abandoned|withdrawn|superseded|not)\b`)

// Lead returns what the title at the end of a text says of the blocks above it. A version that the title calls chosen, or rejected, is
// not one of several options.
func (r Rules) Lead(text []byte) Lead {
	l := LeadOf(text)
	if r.Close && l.Choice && decided.Match(bytes.ToLower(lastLine(text))) {
		return Lead{}
	}
	return l
}

// Titles that set the block below aside.
var (
	setsAside = pattern.New(articles + `(?:very )?(?:first|initial|original|preliminary) (?:attempt|version|try|take|pass|shot)(?:$|,? \(|,? (?:was|before|that|which|i|we)\b)|` +
		// what was meant once
		`\b(?:i|we) (?:was|were|had been) (?:\w+ )?(?:going|about|planning|tempted|inclined|ready) to\b|` +
		`^(?:my|our) (?:previous|last|earlier|first|original) (?:reply|message|turn|answer|delta|block|letter) (?:contained|had|included|was|read|said)\b|` +
		`\b(?:this|the following|an?) (?:\w+ )?(?:malformed|broken|faulty|withdrawn|discarded) (?:block|delta|kill|edit|add|change|version|draft)$|` +
		`^(?:previously|earlier|before),? (?:i|we) (?:had )?(?:sent|wrote|proposed)\b|` +
		// what is refused
		`^(?:do not|don't|avoid)(?: do)?(?: (?:this|that|it|these))?$|^what (?:i|we|you|one|not)\b.*\b(?:not|never)\b.*\b(?:do|send|propose|suggest|apply|submit|write|kill|edit|add|recommend|merge)$|` +
		`\bnot going to (?:act|send|apply|propose|submit|kill|edit|add|make|follow|execute|merge|do)\b|\b(?:treat|regard|read) (?:it |this )?as (?:material|data|text)\b|` +
		// what waits
		`(?:^|[—–(-] ?|^optional,? )(?:only (?:if|when|once|after)|provided that|contingent on|conditional on|subject to|depending on)\b|[—–(] ?unless\b|^(?:once|as soon as) [a-z]\d+ (?:is|has|comes|returns|fails|holds)[^,]*$|^not (?:yet|now)$|^(?:for|in) (?:a|another|some) (?:later|future|next) round$|` +
		`^pending (?:the |an? )?(?:[a-z]\d|results?|outcome|confirmation|approval|review|agreement|further)|` +
		`\b(?:hold|keep|holding|keeping) (?:this|that|it|these|them)(?: \w+)? (?:back|off|for later)\b|\b(?:leave|leaving) (?:this|that|it|these|them)(?: \w+)? out\b|` +
		// what a source says
		`^quot(?:ing|ed|e)(?: from)? (?:the|an?) \w+$|` +
		`^(?:the|an?|this) (?:\w+ ){0,2}?(?:memory|context|excerpt|kickoff|prompt|question|brief|text|instructions?|message|document|source|letter|transcript)(?: text| block| in \S+| \([^)]*\))* ` +
		`(?:contains?|includes?|shows?|tells?|says|has|reads|gives|quotes)(?:$| this$| (?:\w+ )?(?:agents?|us|me) to (?:send|apply|kill|edit|add|write)| (?:this|the following|an?) (?:\w+ )?(?:deltas?|blocks?|instructions?|commands?|kill|edit|add)\b)`)
	// postpones and belittles match titles in which the author speaks of no other change.
	postpones = pattern.New(`\bnext round,? (?:i|we) (?:would|will|shall|could|might|may|plan to)(?: \w+)? (?:send|propose|submit|apply|kill|edit|add|make)$`)
	belittles = pattern.New(`^(?:very |rather |quite )?[a-z-]+,? (?:but|yet|though|and) (?:\w+ )?(?:wrong|incorrect|premature|rejected|not (?:recommended|right|convincing|chosen|proposed|enough|submitted))$`)
	// foreign matches titles in German, Spanish, French, Italian, Portuguese and Chinese.
	foreign = pattern.New(`^(?:[\pL']+ ){0,2}(?:entwurf|beispiel|borrador|ejemplo|brouillon|exempl[eo]|bozza|esempio|rascunho|пример|черновик)(?:$|,| ?[(—–-])|^(?:ein )?beispiel für\b|\bzum beispiel\b|` +
		`(?:草稿|草案|示例|例子|例如)(?:$|[（(，,])|^(?:如果|假如|若).*(?:下一轮|会提交)|不要(?:采用|应用|执行|使用)|` +
		`\b(?:nicht (?:übernehmen|anwenden|ausführen|senden|verwenden)|no (?:aplicar|enviar|ejecutar|usar)|ne pas (?:appliquer|envoyer|exécuter|utiliser)|non applicare|não aplicar)(?:$|[).,!])|(?:^|[ ,(])(?:à ignorer|zu ignorieren)(?:$|[).,!])`)
)

// isSetAside reports whether a title, in small letters, says that the block below is not a change.
func isSetAside(title string) bool {
	return aside.MatchString(title) && !owned.MatchString(title) || postpones.MatchString(title) || belittles.MatchString(title) || foreign.MatchString(title) ||
		(disowns.MatchString(title) || setsAside.MatchString(title)) && !owned.MatchString(title)
}

// prevents matches sentences behind a block that forbid to change an item: with the operation and the id, the
// id and the operation, or the id of one that lives.
var prevents = pattern.New(begin + `(?:(?:please )?(?:do not|don't|never|let's not|(?:i|we) (?:(?:will|would|do|should|must) not|won't|shouldn't)) (kill|edit|change|drop|remove) ([a-z]{1,2}\d+)\b|` +
	`([a-z]{1,2}\d+) (?:should|must|can|may|will) (?:not be (killed|edited|changed|dropped|removed)|stay|remain|live|survive|be kept)\b|([a-z]{1,2}\d+) (?:stays|lives|remains|survives)(?: in| on)?(?:$|[.,;!])|on (?:second thoughts?|reflection),? ([a-z]{1,2}\d+) [a-z]|(?:i|we) (?:(?:will|would|should) )?(?:rather )?keep ([a-z]{1,2}\d+)(?:$|[.,!]))`)

// contradicts reports whether a sentence, in small letters, forbids the operation of a block on its target.
func contradicts(sentence string, block []byte) bool {
	m := prevents.FindStringSubmatch(sentence)
	if m == nil {
		return false
	}
	operation := `"KILL"`
	if verb := m[1] + m[4]; strings.HasPrefix(verb, "edit") || strings.HasPrefix(verb, "change") {
		operation = `"EDIT"`
	}
	return bytes.Contains(bytes.ToUpper(block), []byte(operation)) && isTarget(block, strings.ToUpper(m[2]+m[3]+m[5]+m[6]+m[7]))
}

var targets = pattern.New(`(?i)(?:target|\bid)\w*"? *: *"?(\w+)`)

// isTarget reports whether a block has a delta with some item as its target.
func isTarget(block []byte, id string) bool {
	for _, m := range targets.FindAllSubmatch(block, -1) {
		if strings.EqualFold(string(m[1]), id) {
			return true
		}
	}
	return false
}

// does reports whether a block makes a change to an item.
func does(block []byte, operation, id string) bool {
	return OperationIn(block) == operation && isTarget(block, id)
}

// TargetIn returns the first target of a block, or "".
func TargetIn(block []byte) string {
	if m := targets.FindSubmatch(block); m != nil {
		return string(m[1])
	}
	return ""
}

var (
	// hedges matches titles and questions that only weigh a change, and rejects what then rejects it.
	hedges  = pattern.New(`^(?:perhaps|maybe|possibly|let me try|one (?:option|possibility|idea|way)|(?:i|we|one|you) (?:could|might|may)|what if|should (?:i|we)|shall (?:i|we)|could we)\b|^an? .*\b(?:would|could|might) be$|\bcandidate$`)
	rejects = pattern.New(`^(?:(?:hmm+|well|actually|wait)[,.]? )?(?:no(?:$|[.,:;!])|nope\b|i think not\b|rather not\b|but (?:that|this|it)\b|better$|instead$|i prefer\b|(?:the )?real one$|i (?:do not|don't|did not|didn't)(?:$| (?:do|follow|send|act)\b))|^(?:this|that) .*\bi (?:discard|drop|reject) (?:it|this|that)$`)
	// weighs matches sentences right before a block, and contrasts those right behind it, that doubt it together.
	weighs    = pattern.New(`\b(?:(?:would|might|could)(?: \w+)? (?:be|have|send|write|propose|submit|follow|go|kill|edit|add|do|say|answer|put)|unless|suppos(?:e|ing)|imagine|going to|instinct|tempt(?:ed|ation)|abandoned|drafting|suggested|proposed|phrased|pictured|contained|had sent|hypothetical|sample|plan is)\b`)
	contrasts = pattern.New(`^(?:but|however|yet|still)\b|^(?:and |so )?(?:i|we) (?:disagree|wouldn't|would not|won't|will not|decline|resist|refuse)\b|\b(?:isn't|is not|aren't|are not|wasn't|was not|don't have|do not have)\b.*\b(?:there|ready|yet|known|mine|needed|warranted)\b|\b(?:premature|daydream|cancelled|no longer|simply wrong|my (?:own|actual)|compare that)\b|^(?:for|in) this round\b|^today\b|\bi'll leave that to\b|^following that\b`)
)

// Beside returns the remark before a block or behind it: by a line of its own, or by both if one weighs a
// change and the other rejects it. It also reports whether the remark is behind the block.
func (r Rules) Beside(before, block, behind []byte) (said Remark, isBehind, ok bool) {
	if r.Memory == nil {
		r.Memory = new(Memory)
	}
	if said, ok = r.Before(before, block); ok {
		return said, false, true
	}
	if said, ok = r.Behind(behind, block); ok {
		return said, true, true
	}
	if said, ok = r.through(before, block, behind); ok {
		return said, false, true
	}
	before = bytes.TrimRight(before[max(0, len(before)-maxRemark):], " \t\r\n")
	line, title := unmark(before[bytes.LastIndexByte(before, '\n')+1:])
	lower := lowered(lastSentence(line))
	isHedge := (title || strings.HasSuffix(line, "?")) && hedges.MatchString(lower)
	isWeighed := weighWords.In(lower) && weighs.MatchString(lower)
	if !isHedge && !isWeighed || owned.MatchString(lower) {
		return Remark{}, false, false
	}
	after, _ := paragraph(behind)
	line, _ = unmark(after)
	for sentence := range sentences(lowered(line)) {
		return Remark{Line: line}, true, isHedge && rejects.MatchString(sentence) || isWeighed && contrasts.MatchString(sentence)
	}
	return Remark{}, false, false
}

// weighWords are words of those that weighs matches. Most sentences have none.
var weighWords = WordsOf(strings.Fields("would might could unless suppos imagine going instinct tempt abandon drafting suggested proposed phrased pictured contained sent hypothetical sample plan")...)
