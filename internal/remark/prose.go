package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// maxProse is how many bytes of the paragraph before a block are read sentence by sentence.
const maxProse = 600

var (
	// below matches sentences, anywhere in the paragraph before a block, that say that it is not meant.
	below = shape(
		`\b<refBelow>,? (?:is|was|are|comes|came|must|should|may|can|has|had|will|would|which)\b.*\b<doubt>\b|\b<refBelow> (?:only |just |merely )?(?:illustrates|demonstrates|depends on)\b|\b<doubt>\b.*\b<refBelow>(?:<stop>|$)`,
		// And please do not apply the next one. There is no need to send this.
		`(?:\b<never>|\b<wont>|\bno need to|\bnot to|\bmust not) (?:\w+ )?(?:apply|send|merge|execute|submit) <next><stop>`,
		`(?:^|[,;:] |please |and )<never> run <next><stop>`,
		`(?:^|[,;:] |please |and |can |may |should )(?:ignore|disregard|skip|discard|strike|drop|cancel|void|undo|hold off on|leave out) (?:<nextNamed>|this|what <me> wrote here)<stop>`,
		`\bplease (?:ignore|disregard|skip|discard|cancel|undo) it<stop>`,
		`\bleave (?:<nextNamed>|this|it) (?:alone|out)\b`,
		// This block is withdrawn. It is no longer my position. This kind of thing is not allowed.
		`^(?:<nextNamed>|this|it)(?: (?:is|was|are)|'s) (?:now |hereby |still |only )*(?:<canceled>|unfinished|incomplete|forbidden|prohibited|not (?:allowed|ready|finished|mine|my)|no longer (?:my|valid|meant))\b`,
		`\bthis (?:kind|sort|type) of \w+ is (?:forbidden|prohibited|not allowed)\b|\b(?:forbidden|prohibited|not allowed) to (?:send|apply|merge|submit)\b`,
		`\b<me>(?: hereby| now| must| have to)* (?:<cancel>|no longer (?:stand by|propose|want|support|mean)|don't endorse|do not endorse) (?:<nextNamed>|this|what follows)(?:<stop>| from\b)`,
		`^<me> wrote (?:this|it|the following) before\b|\b(?:this|it|<nextNamed>) no longer applies\b|<never> take (?:<nextNamed>|this) literally\b|\b<me> (?:deleted|removed|cut) (?:this|the following) from\b`,
		`\b(?:asked|told|wants|wanted) me to (?:forward|send|post|pass on) (?:this|the following)\b`,
		`\bstill working on (?:it|this)\b|\bno longer my (?:position|view|proposal|delta)\b|\bfor the record only\b`,
		// This was my delta in round 1, which has been merged already.
		`^(?:this|it|that|the following|below)(?: (?:is|was)|'s) my <block> (?:in|from|of) (?:round \d|the (?:last|previous|first|earlier) (?:round|message|letter))`,
		`\b(?:this|it|which|that) (?:(?:is|was|has been) already (?:been )?(?:merged|applied|sent)|(?:is|was|has been) (?:merged|applied|sent) (?:already|before))\b`,
		`\b<me> (?:only |just |merely )?quote (?:it|this|<nextNamed>)\b`,
		// If the panel agrees, use this. Only in the event of a failure should this be merged.
		`^(?:if|should|in case|unless|once|when|as soon as|provided|assuming|only)\b.*\b(?:use|apply|send|merge|do|execute|submit) (?:this|the following|<nextNamed>)(?: fallback)?(?: instead)?[.]?$`,
		`^(?:if|should|in case|unless|once|provided|assuming)\b.*,? then\b.*\bas follows[.]?$`,
		`\b(?:do|apply|send|merge|use|execute|submit) (?:<nextNamed>|this|it) only (?:after|if|when|once|in the event)\b`,
		`\bonly (?:after|if|when|once|in the event)\b.*\b(?:should|must|may|can) (?:<nextNamed>|this|it) be <applied>\b`,
		`^(?:not )?to be <applied> (?:only )?(?:after|when|once|if)\b|^fallback\b|\b(?:as|use|is) (?:this|an?|the|my) fallback\b`,
		`^(?:if|should|in case|once|when|after|as soon as|until|provided|assuming)\b.*\b(?:this|it|<nextNamed>) (?:may|can|could|should|will|must) (?:then )?be <applied>\b`,
		`\bhold (?:it|this) (?:back|off)\b|\bwait with (?:this|it)\b|^before you (?:merge|apply|execute|use) |^in (?:a different|another|a hypothetical) world\b`,
		`^<me> (?:had |have )?sent (?:this|it|the following)\b.*\b(?:merged|applied|accepted)\b`,
		// Here is a bad delta, as a warning. It is here just to show the syntax.
		`\b(?:bad|faulty|broken|harmful|careless|wrong) <block>, (?:as|for|to)\b|\bas a warning\b|\b(?:just|only|merely) to (?:show|illustrate|demonstrate)\b`,
		`\b<me> would have (?:written|sent|proposed|submitted|answered)(?: this| the following| with)?[.]?$`,
		`^(?:here is |here's |this is )?(?:what )?(?:an?|any|another|some) (?:\w+ )?(?:agent|model|reviewer|critic|reader|person|colleague) (?:would|might|could|may) (?:\w+ )?(?:answer|respond|reply|send|write|propose|submit)\b`,
		`^(?:some(?:one|body)?|others?|people|one) (?:would|might|could|may) (?:be (?:inclined|tempted) to )?(?:answer|respond|reply|send|write|submit)\b`,
	)
	// belowTitle matches titles, and lines that lead to a block without a colon.
	belowTitle = shape(
		`^(?:plan b|not for (?:this|the current) round)\b`, `\((?:[^)]* )?(?:for context|not now|later)\)?$`,
		`^(?:placeholder|todo|wip|work in progress|unfinished|incomplete|<canceled>)\b`, `\bunfinished$`, `\bnot now$`,
		`^my (?:first|initial|original|earlier|previous) (?:attempt|try|version|take)\b.*\b(?:looked like this|was this|was as follows|read)\b`,
		`^(?:for comparison|for context|as a reminder),? my\b.*\b(?:round \d|last round|previous round)$`, `^my <block> (?:in|from|of) (?:round \d+|the (?:last|previous|first) round)$`,
		`^(?:earlier|before)(?: today| on| this round)? <me> had$`,
		`^an? (?:earlier|previous|older|first|original) (?:version|draft) of (?:this|my|the) (?:reply|letter|message|answer)\b`,
		`^the (?:\w+ )?(?:critic|operator|agent|reviewer) (?:in|of|from) [^,]{1,40} (?:wrote|sent|proposed|posted)$`,
		`^if t\d+ (?:fails|passes|succeeds|is|comes|shows)\b[^,?]*$`,
	)
	// adopts matches sentences in which the author makes what others wrote its own.
	adopts = shape(`\b<me> (?:now |also |fully |hereby )*(?:add|adopt|second|support|agree|repeat|resend|endorse|take (?:over|up))\b|\bmy own\b|\bagain\b`)
	// theirBlock matches sentences, in their own case, about a block of another author.
	theirBlock = []*pattern.Pattern{
		pattern.New(`^(?i:this|that|it|the following|the next one|below|what follows|here|(?:this|the next|the following) (?:block|delta))(?: (?:is|was)|['’]s) ` + agent + `['’]s (?:\w+ )?(?i:deltas?|blocks?|suggestion|proposal|kill|edit|add|change|version|reply|contribution)\b`),
		pattern.New(`\b(?:delta|block|kill|edit|change|proposal) (?:that |which )?` + agent + ` (?:is going to|will|wants? to|wanted to|plans? to|intends? to|sent|wrote|proposed|posted)\b`),
		pattern.New(`\b(?:block|delta|one|following|next) (?:is|was|comes|came)(?: \w+)? (?:from|by) ` + agent + `\b`),
		pattern.New(`^` + agent + ` (?:ha[sd] )?(?:proposed|sent|wrote|posted|suggested) (?:the following|this|it)\b.*\bI (?:only |just )?(?:quote|object|disagree)\b`),
	}
)

// inProse returns the remark in a sentence of the last paragraph of a text, about the block that follows it.
func inProse(text []byte, author string) (Remark, bool) {
	text = bytes.TrimRight(text[max(0, len(text)-maxProse):], " \t\r\n\"'")
	raw := text[bytes.LastIndex(text, []byte("\n\n"))+1:]
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '>' || raw[0] == '|' || isPlain(raw) {
		return Remark{}, false
	}
	line, title := unmark(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")))
	title = title || !bytes.HasSuffix(raw, []byte("."))
	last := lastSentence(line)
	for sentence := range sentences(line) {
		lower := lowered(strings.Trim(sentence, "()[] "))
		isTitle := title && strings.HasSuffix(last, sentence)
		hit := below.MatchString(lower) || isTitle && belowTitle.MatchString(lower) || isTheirs(sentence, author)
		if hit && !adopts.MatchString(lower) && !denies.MatchString(lower) {
			return Remark{Line: sentence, Several: several.MatchString(lower), Ahead: nextOnly.MatchString(lower)}, true
		}
	}
	return Remark{}, false
}

var nextOnly = shape(`\b<nextNamed>\b`)

// isTheirs reports whether a sentence calls the block below another author's.
func isTheirs(sentence, author string) bool {
	for _, pattern := range theirBlock {
		if m := pattern.FindStringSubmatch(sentence); len(m) > 1 && !isSame(m[1], author) {
			return true
		}
	}
	return false
}
