package remark

import (
	"bytes"

	"brenner/internal/pattern"
)

var (
	// aside matches titles that say that the block below is not, or not now, a change of the author.
	aside = shape(
		// Last round I had sent. I already sent this in round 1. At first I wrote.
		`^(?:(?:in |at )?(?:the )?(?:last|previous|earlier|first|before|previously|originally|initially|round \d+)(?: round| turn| reply| letter| message)?,? )<me> (?:had |have |already )*<sent>(?: <it>(?: <block>)?| the following)?(?: (?:in|at) .*)?$`,
		`^(?:<me> (?:had |have )?)?already <sent>(?: <it>(?: <block>)?| the following)?(?: (?:in|at|last|before) .*)?$`,
		// From the instructions. The kickoff's example. Your example was. The prompt shows this form.
		`^from (?:the|your) (?:kickoff|prompt|instructions?|brief|template|examples?)$`,
		`^(?:the|your) (?:kickoff|prompt|instructions?|brief)(?:'s)? <shown>(?: is| was)?$`,
		`^your <shown> (?:is|was)$`,
		`^(?:the|your) (?:kickoff|prompt|instructions?|brief|system prompt) (?:is|was|shows?|reads|gives?)(?: (?:this|the|an?)(?: form| format| following| <shown>)*)?$`,
		// The next block is not meant.
		`\b(?:ignore|disregard|skip) the (?:next|following|(?:two |three )?blocks? below)\b`,
		`\bnot meant(?: to be <applied>)?(?:$|, )|^neither of (?:the|these)\b.*\bmeant$`,
		`^(?:my|our|the) (?:\w+ )?<shown> was$|\bnot mine$`,
		`^<shown> #\d|\((?:superseded|obsolete|outdated|old|not to be <applied>)\)`,
		`^(?:the|its|that|this) <block>\b.*\bwould (?:have )?be(?:en)?$`,
	)
	// waits matches titles that make the block below depend on something, or put it off.
	waits = shape(
		// Fallback if T1 fails. I might later send.
		`^(?:only if|in case|fallback if|assuming (?:that )?<id>|when <id> (?:is|comes|fails|holds|turns|returns|gives|shows))\b[^,]*$`,
		`^(?:if|in case|when|once|assuming|should|were|after|as soon as|until|unless|provided)\b.*\b<me>(?:'ll| <shall>)(?: \w+)? <send>(?: <it>(?: \w+)?| the following)?$`,
		`\b<me>(?:'ll| <shall>) (?:later|afterwards|eventually|perhaps later) <send>$`,
	)
	// asideToo matches sentences that are no titles.
	asideToo = shape(
		`^(?:for example|for instance|e\.g\.?|say)[,:]? (?:one|you|<me>|someone) (?:could|might|would|may|can) (?:\w+ )?<send>(?: <it>| the following| something like this)?[.]?$`,
		`^<shown> ?[—–-]+ ?(?:<never> |not )`,
		`^<canceled>[.!]?$`,
		`^(?:<shown>|(?:<not> )(?:to be )?<applied>|do not apply)[.!]?$`,
		`^(?:the|that|this) <block>\b.*\bwould have been$`,
	)
	// denies matches titles that only seem to say so.
	denies = shape(
		`\b(?:not|no|never|isn't) (?:just |only |merely )?(?:an? |the |my )?(?:\w+ )?<shown>(?:$|[.,:])`,
		`^(?:following|using|per|by) (?:the|your|this|that)\b`,
		// As an example of an anomaly, take the twins. When the assumption is explicit, it looks like this.
		`^(?:as )?an <shown> of (?:an?|the) (?:\w+ )?<item>\b`, `^when (?:the|an?) (?:\w+ )?<item>\b.*, it looks like this$`,
		`^(?:the|this|that|your) <shown>\b.*\b(?:is|are|has|needs|lacks|led|made|helped) (?:me\b|us\b|[a-z]{5,})`,
	)
	// announces matches sentences about a block below that others may follow, which continues matches.
	announces = shape(
		`^(?:here is|here's|this is|this (?:one|block|delta) is|below is|what follows is|(?:the following|the next)(?: <block>)? is) (?:only |just |merely )?an? (?:\w+ )?<shown>(?: of (?:an?|the) (?:\w+ )?(?:<block>|format|form))?[.]?$`,
		`^an? (?:\w+ )?<shown> follows[.]?$`,
	)
	continues  = shape(`^(?:it|this|that|the (?:target|operation|section|<block>)|please)\b`)
	theirReply = pattern.New(agent + `['’]s (?:\w+ )?` + theirs + `\b`)
	reads      = shape(`^(?:it|this|that|(?:its|his|her|their|the) (?:<nth> )?<block>) (?:reads|read|says|said|is|was)$`)
)

// announced reports whether sentences before the last one of a text call the block below an example, or
// tell of another author's block that the last one introduces.
func announced(text []byte, author string) bool {
	if !mayAnnounce(text) {
		return false
	}
	last, isOpen := "", false
	for para := range bytes.SplitSeq(text, []byte("\n\n")) {
		line, title := unmark(bytes.ReplaceAll(para, []byte("\n"), []byte(" ")))
		for sentence := range sentences(line) {
			lower := lowered(sentence)
			switch {
			case announces.MatchString(lower):
				isOpen = true
			case title || !continues.MatchString(lower):
				isOpen = title && reads.MatchString(lower) && (isOthers(last, author, false) || theirReply.MatchString(last))
			}
			last = sentence
		}
	}
	return isOpen
}

// mayAnnounce reports whether a text has a word of announced.
func mayAnnounce(text []byte) bool {
	for _, part := range []string{"xample", "raft", "emplate", "llustration", "sample", "sent ", "wrote ", "'s ", "’s "} {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}
