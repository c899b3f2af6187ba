package itemform

import (
	"bytes"
	"strings"

	"brenner/internal/lazy"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// voteColumns are the titles of columns for what an author thinks of proposals.
var voteColumns = lazy.WordsOf("vote stance view position response opinion reaction answer agree support")

// IsVotes reports whether the columns of a table tell what its author thinks of what others propose.
func (c Columns) IsVotes() bool { return c.by && c.vote }

// The parts of lines that speak of a change which is not their author's, or not one of this reply.
const (
	lineStart   = `^[\s>|#*_\x60+•\d.)\[\]xX-]*`
	anOperation = `(?:ADD|EDIT|KILL|[Kk]ill|[Ee]dit|[Aa]dd|[Rr]emoval|[Aa]ddition|[Dd]eletion|[Uu]pdate|[Rr]evision)`
	agentName   = `([A-Z][a-z]+[A-Z]\w*)`
	theStance   = `[\s:—–*_-]+(?i:(?:I(?:['’]d| would| do| am| can| have|['’]m)?|we|my (?:vote|view|answer):?) )?(?i:(?:strongly|fully|partly|also|not|still) )*` +
		`(?i:agreed?|disagree|support(?:ed)?|opposed?|object|accept(?:ed)?|reject(?:ed)?|abstain|against|in favou?r|no|yes|nay|aye|yea|seconded|second this|concur|approved?|decline|ok|okay|fine|neutral|undecided|unsure|veto|keep|not (?:convinced|yet|now|mine))\b` +
		`|[\s:—–*_-]+(?:[+−-][01]\b|👍|👎|✅|❌|✔|✗|✓)`
)

var (
	// votes match a line with another author's proposal and what its author thinks of it: the group is the other author.
	votes = []*pattern.Pattern{
		pattern.New(lineStart + agentName + `(?:['’]s)?[\s,:—–*_-]+(?:proposal (?:to|of) |the )?` + anOperation + `\b[^.;:—–]{0,80}?(?:` + theStance + `)`),
		pattern.New(lineStart + `(?:[Tt]he |[Oo]n the )?` + anOperation + `\b[^.;:()]{0,80}\((?:[^()]{0,40}\b)?` + agentName + `[^()]{0,30}\)(?:` + theStance + `)`),
		pattern.New(lineStart + anOperation + `\b[^.;:()]{0,60}\b(?:as|by|from|which) ` + agentName + `(?:['’]s)?\b[^.;:()]{0,40}(?:` + theStance + `)`),
	}
	// ordered matches a sentence in which a text or another author orders a change.
	ordered = pattern.New(`\b(?:asks|tells|wants|instructs|urges|orders|invites|demands|requests|commands|requires)\b[^.;:]{0,80}\b(?:ADD|EDIT|KILL)\b`)
	// settled matches what became of a change that was sent before.
	settled = pattern.New(lineStart + `(?:(?i:my|the|our) )?(?:(?i:earlier|previous|last|first|old|proposed) )*` + anOperation + `(?: of)? (?:the )?(?:\w+ )?[A-Z]{1,2}\d{1,3}(?:\.\w+|['’]s \w+)?[*_\x60]*` +
		`(?:\s*[:(—–-]+\s*|\s+)(?i:(?:it )?(?:was|is|were|has been|had been|got|already|not) )*(?i:refused|rejected|accepted|applied|merged|denied|declined|deferred|postponed|pending|superseded|skipped|recorded|on hold|parked)\b`)
	// delayed matches the label of a change that is not sent.
	delayed = pattern.New(lineStart + `(?i:deferred|postponed|on hold|held (?:back|over)|holding|pending|parked|shelved|tabled|omitted|left out|withheld|waiting|blocked|not (?:included|now|yet|sent|done|this time)|for later|later|open|undecided)\b[^.:;]{0,30}[*_]*:.*\b` + anOperation + `\b`)
	// held matches what its author has said or thought before.
	held = pattern.New(`\b(?:I|[Ww]e)(?: had| have)?(?: (?:once|first|originally|initially|also|even))?(?: (?:argued|held|thought|believed|maintained|felt|assumed|used to \w+)\b|(?: (?:earlier|previously|then|before))? (?:said|wrote|suggested|proposed|asked|recommended|wanted|voted|claimed|argued)(?:,)? ` +
		`(?:then|before|earlier|previously|once|initially|originally|last time|at (?:the|that) time|back then|that time)\b)`)
)

// orderWords are parts of the words for operations.
var orderWords = remark.WordsOf("ADD", "EDIT", "KILL", "ill", "dit", "dd", "emoval", "ddition", "eletion", "pdate", "evision")

// WithoutStances returns a line without what is no change of its author's in this reply: votes on what others propose, orders that
// a text has, and what became of earlier changes, or has to wait.
func WithoutStances(line, author string) string {
	if !orderWords.In(line) {
		return line
	}
	plain := clausePlain.Replace(line)
	if settled.MatchString(plain) && !killedFor.MatchString(plain) || delayed.MatchString(plain) || outcomes.MatchString(plain) || needed.MatchString(plain) {
		return ""
	}
	for _, form := range votes {
		if m := form.FindStringSubmatch(plain); len(m) > 0 && m[1] != author {
			return ""
		}
	}
	if !isApart(line) {
		return line
	}
	var left strings.Builder
	for line != "" {
		end := SentenceEnd(line)
		if !isNotOwn(strings.TrimSpace(line[:end])) {
			left.WriteString(line[:end])
		}
		line = line[end:]
	}
	return left.String()
}

// isApart reports whether a sentence of a line may speak of a change that is not its author's, or not one of this reply.
func isApart(line string) bool {
	for line != "" {
		end := SentenceEnd(line)
		if isNotOwn(strings.TrimSpace(line[:end])) {
			return true
		}
		line = line[end:]
	}
	return false
}

// isNotOwn reports whether a sentence speaks of a change that is not its author's, or not one of this reply.
func isNotOwn(sentence string) bool {
	return ordered.MatchString(sentence) || nextRound.MatchString(sentence) || addressed.MatchString(sentence) || inCase.MatchString(sentence) || praised.MatchString(sentence)
}

var (
	// killedFor matches a KILL whose reason is a word for what becomes of changes, too: "KILL H2: superseded by H4."
	killedFor = pattern.New(lineStart + `(?:KILL|Kill) (?:(?i:hypothesis|test|assumption|anomaly|critique) )?[A-Z]{1,2}\d{1,3}[*_\x60]*\s*[:—–-]+\s*(?i:superseded(?:\s*[.!]?\s*$| by (?:the )?(?:\w+ )?[A-Z]{1,2}\d{1,3}\b)|merged (?:into|with) (?:the )?(?:\w+ )?[A-Z]{1,2}\d{1,3}\b` +
		`|(?:rejected|refused|superseded) by (?:the |our |all |both |this |these |new )*(?:\w+ )?(?:data|evidence|results?|outcomes?|observations?|experiments?|tests?|clones|[A-Z]{1,2}\d{1,3})\b)`)
	// outcomes match a line that is a list of changes with what became of each.
	outcomes = pattern.New(lineStart + `(?i:(?:status|state|outcome|results?|recap|log)[^:]{0,40}:\s*)?` + anOutcome + `(?:[,;] (?:and )?` + anOutcome + `)+[.!]?\s*$`)
	// needed matches a line that says what is needed before a change.
	needed = pattern.New(lineStart + `(?:A|An|Another|One more|One) (?:\w+ )?(?:repeat|replication|rerun|repetition|re-run|replicate|second run)\b[^.;:]*\. Then: ` + anOperation + `\b`)
	// nextRound matches a sentence that leaves a change to another round.
	nextRound = pattern.New(lineStart + `(?i:(?:(?:for|in|during|as for) )?(?:the |a )?(?:next|following|later|coming|future) (?:round|session)s?\b[^.;:]{0,60}[:,])`)
	// addressed matches a sentence that asks another author for a change.
	addressed = pattern.New(lineStart + `(?:@\w+[,:]?|[A-Z][a-z]+[A-Z]\w*,) (?i:please|kindly|could you|can you|would you|will you)\b`)
	// inCase matches a condition without if: "Should T1 be negative, …".
	inCase = pattern.New(lineStart + `Should [^.;:?]{3,80}, `)
	// praised matches what an author thinks of a change that has been made.
	praised = pattern.New(lineStart + `(?:The|That|This|Our|My|[A-Z][a-z]+[A-Z]\w*['’]s) ` + anOperation + ` of (?:the )?(?:\w+ )?[A-Z]{1,2}\d{1,3}\b[^.;:]{0,60}\b(?:was|were|is|seems|looks) (?:\w+ )?(?:right|correct|wrong|premature|justified|sound|good|fair|mistake|error|fine|early|hasty|useful|warranted)\b`)
)

const anOutcome = anOperation + ` (?:of )?[A-Z]{1,2}\d{1,3}(?:\.\w+)? (?i:(?:was|is|got|already) )?(?i:refused|rejected|accepted|applied|merged|denied|declined|deferred|postponed|pending|superseded|skipped|recorded)`

var (
	// tellsOf matches the words of a sentence that speaks of another text, before what it quotes of it, and ownText those of an own one.
	tellsOf = pattern.New(`(?i)\b(?:says?|said|reads?|contain(?:s|ed|ing)?|wrote|writes|tells|told|asks?|instructs?|orders?|includes?|embeds?|embedded|quotes?|demands?|injects?|injected|injection|instruction|hidden|planted)\b`)
	ownText = pattern.New(`(?i)\b(?:I(?:['’](?:d|ll|m))?|we|my|our|let(?:['’]s)?|please|here|delta|deltas|change|changes|proposal|update|answer)\b`)
)

// SpeaksOfText reports whether a text ends in the beginning of a sentence that says what another text has: "The note says".
func SpeaksOfText(before []byte) bool {
	line := string(before[bytes.LastIndexByte(before, '\n')+1:])
	for at := SentenceEnd(line); at < len(line); at = SentenceEnd(line) {
		line = line[at:]
	}
	return tellsOf.MatchString(line) && !ownText.MatchString(line)
}

// IsHeld reports whether a sentence tells what its author has said or thought before.
func IsHeld(sentence string) bool { return held.MatchString(sentence) }

var (
	// verdictBelow matches a verdict that a block below the line carries out: the group is its operation.
	verdictBelow = pattern.New(`\b(?i:verdict|decision|conclusion|action|judge?ment|recommendation)[*_]*(?::| is| —| –| -)+[*_ ]*(KILL|EDIT|ADD)[*_ .!\s]*$`)
	// toldBy matches a line of a list with what another author has sent.
	toldBy = pattern.New(`^[\s>*_+•-]*(?:\d{1,2}[.)] *)?[*_]*` + agentName + `[*_]*(?: \([^)]*\))?[*_]*: *[*_]*(?:ADD|EDIT|KILL)\b`)
	// askedOf matches a question whether something should be changed.
	askedOf = pattern.New(lineStart + `(?:Should|Shall|Do|Does|Is|Are|Why|What|When|Would|Will) [^.;!?]*\?\s*$`)
)

// WithoutTold returns a line without what is no announcement: a verdict that a block right below it carries out, what another author has
// sent, and a question.
func WithoutTold(line string, below []byte, author string) string {
	const near = 300
	if m := toldBy.FindStringSubmatch(line); len(m) > 1 && author != "" && m[1] != author || askedOf.MatchString(line) {
		return ""
	}
	m := verdictBelow.FindStringSubmatchIndex(line)
	if len(m) > 3 && bytes.Contains(below[:min(len(below), near)], []byte(`"`+line[m[2]:m[3]]+`"`)) {
		return line[:m[0]]
	}
	return line
}
