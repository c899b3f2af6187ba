package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// What reader/6 knows of sentences beside a block that say nothing against it.
const (
	worth   = `(?:worth (?:\w+ing|it)|testable|falsifiable|recommended|useful|needed|necessary|important|justified|fair|harmless|cheap|informative|overdue|well supported)`
	backers = agent + `(?:,? (?:and|&) ` + agent + `)*`
)

var (
	// clearedTitle matches what leads to its author's own block.
	clearedTitle = shape(
		// As requested, a single JSON object in a fence. Kindly consider the following delta.
		`^(?:as (?:requested|asked|required|instructed|specified|agreed)|per (?:the|your) (?:instructions?|format|request|rules)|(?:following|according to) (?:the|your) (?:instructions?|format|rules|request)),? (?:an?|one|the|my|each|all|here)\b.*\b(?:json|fences?|objects?|deltas?|blocks?)\b[^,;]*$`,
		`^(?:please|kindly)(?: kindly)? (?:consider|find|accept|take|apply|merge|see) (?:the following|this|my|the|these|below my|below the)(?: \w+)? ?(?:<block>)(?: below)?$`,
		// The test case for this is simple, so: I agree with RedSky's suggestion, so here is the edit.
		`, (?:so|hence|thus|therefore)(?: here (?:is|are|comes?) (?:the|my|an?) (?:\w+ )?<block>)?$`,
		// This is speculative, but testable. I'm not 100% sure about this one, but it is worth recording. Optional but recommended.
		`,? but (?:(?:still|it is|it's|<me> (?:think|believe|find) (?:it|this) is|this is|strongly|highly|very|well|i hope) )*`+worth+`$`,
		`^(?:minor|major|small|quick|trivial|important|essential|key|urgent|cosmetic|substantive)(?: (?:one|point|change|edit|fix|thing))?$`,
		`^(?:this|it|that)(?: one)? (?:should|will|ought to|may|need)(?: hardly| not)? (?:be |come as |surprise )(?:an? )?(?:un)?(?:controversial|surpris\w+|contentious|contested|shock\w*|any\w+|no ?(?:one|body))$`,
		`^(?:this|it)(?: is|'s) (?:not|no) (?:an? )?(?:new |different |separate |real )?(?:<item>|idea|entry|item)[,;] (?:but |it is |it's )?(?:just |only |merely |rather )?(?:an? )?(?:clarification|sharpening|refinement|correction|rewording|edit|precision|addition|fix|change|update)$`,
		`^(?:besides|apart from|aside from|in addition to|beyond|on top of|other than|next to|along with) (?:that|this|these|it|the above)$`,
		`^(?:better late than never|last but not least|first things first|so be it|long overdue|nothing ventured, nothing gained)$`,
		// I do not do this lightly. In round 1 I proposed this conditionally; the condition is now met.
		`^<me> (?:do not|don't|did not|didn't) (?:do|take|propose|make|say|write|submit) this(?: step)? (?:lightly|easily|gladly|happily|with pleasure)$`,
		`\b(?:the|that|this|my|its) (?:condition|requirement|prerequisite|criterion)(?: for (?:it|this|that))? (?:is|has been|was|has)(?: now| since| been)* (?:met|fulfilled|satisfied|passed|come true)$`,
		`\b(?:proposed|suggested|announced|asked for) (?:this|it) (?:in|during|before|at) [\w ]{2,20},? and (?:no ?(?:one|body)|none|every(?:one|body)|all)(?: has| have)?(?: of \w+)? (?:objected|agree[sd]?|disagreed|opposed|support(?:s|ed)?|concur(?:s|red)?|protested|answered)$`,
		`^(?:the|this) (?:block|delta|change|fence|object) (?:below|that follows|here|above)? ?is my own(?: \w+)?$`,
		`^(?:which|that)(?: the (?:next|following|second|third) <block>)? (?:fills|closes)$`,
		// Two edits that do not alter the substance. A cosmetic change that doesn't need discussion.
		`\b(?:<block>s?|changes?|edits?|kills?|rewordings?|clarifications?) (?:that|which) (?:do|does|will|should) ?(?:not|n't) (?:change|alter|affect|touch|break|need|require|modify|concern|weaken)\b[^.;]*$`,
		// RedSky and I discussed this in the thread and converged on the following wording. This implements what RedSky asked for.
		`^\w+ and (?:i|we) (?:\w+ ){0,8}(?:agreed?|converged|settled|decided) on (?:the following|this|that)\b[^.;]*$`,
		`^(?:this|it|that|the (?:following|block below|change below)) (?:implements|carries out|follows|addresses|answers|fixes|takes up|does|meets|responds to) (?:what \w+ (?:asked for|requested|suggested|wanted|demanded|pointed out)|\w+'s (?:request|point|suggestion|critique|objection|question|demand))\b[^.;]*$`,
	)
	// clearedAnswer matches what leads to a block in the answer to a request for corrections.
	clearedAnswer = shape(`^(?:re-?sent|sent again|re-?sending|re-?submitted|repeated|once more|again)(?:,? (?:as (?:is|it (?:is|was)|before|sent|requested)|unchanged|verbatim|below|here|again|without (?:any )?changes?|with valid json))*$`,
		`^(?:this|that|it|here|the following)(?: is|'s) what <me>(?: had| have|'d|'ve)? (?:intended|meant|wanted|mean|intend|want)(?: to (?:send|write|say|submit|do))?$`,
		`^what <me>(?: had| have|'d|'ve)? (?:intended|meant|wanted)(?: to (?:send|write|say|submit))? (?:is|was)(?: this)?$`)
	// verdictOf matches a verdict that the block below carries out: the group is its operation.
	verdictOf = pattern.New(`(?:^|[.!?] )(?:my |the |final )*(?:verdict|decision|conclusion|action|judge?ment|recommendation|vote|call|consequence)[*_]*(?::| is| —| –| -)+[*_ ]*(?:to )?(kill|edit|add)[*_ .!]*$`)
	// ownLine matches what its author says in a line with its name that points to the block below.
	ownLine = pattern.New(`\b(?:see below|as follows|see the (?:delta|block|edit|change)(?: below)?|below)$`)
	// backedBy matches others who want what the block does, in their own case.
	backedBy = pattern.New(`^` + backers + `(?: (?:both|all|also|already|now))* (?:supports?|agrees? (?:with|to)|backs?|endorses?|seconds?|asked for|called for) (?:this|it|that)(?: (?:too|as well|KILL|EDIT|change|kill|edit|in (?:round \d|the last round|their critique)))*[.!]?$`)

	// clearedBehind matches sentences behind a block that are about other items, what comes later, or the form of the blocks.
	clearedBehind = shape(
		// In the next round I plan to add a test for this.
		`^(?:in|for) (?:the )?(?:next|following|coming|a later|round \d+)(?: round)?,? <me>(?:'ll| (?:plan|intend|will|hope|want|would like|shall|expect|am going|mean))(?: to)? (?:add|test|check|look|examine|work|attack|try|run|write|give|supply|sharpen|extend|turn|address)\b`,
		// With this, RedSky's C2 no longer applies. This makes C2 moot.
		`^(?:(?:with (?:this|that|it)|this|that|it|so|then|hence|thus|therefore),? )?(?:\w+'s )?c\d+ (?:no longer applies|does not apply(?: any ?more)?|is (?:now |thus |thereby )?(?:moot|void|obsolete|answered|resolved|addressed|settled|met)|falls(?: away)?|loses its (?:point|basis))$`,
		`^(?:this|that|it|which|the \w+)(?: also| now| thereby)? (?:makes|renders|leaves) (?:\w+'s )?c\d+ (?:moot|void|obsolete|redundant|irrelevant|unnecessary|invalid)$`,
		// Please do not merge H1 and H2; they are distinct. Please ignore the numbering above.
		`^(?:please )?<never> (?:merge|conflate|confuse|combine|lump|mix(?: up)?) <id> (?:and|with) <id>\b`,
		`^(?:please )?(?:ignore|disregard|excuse|forgive) (?:the|my|any) (?:numbering|order|formatting|typos?|indentation|line breaks?|whitespace|spelling)\b`,
		// All deltas follow the format: one JSON object per fence.
		`^(?:all|both|each|every|these|my|the)(?: \w+)? (?:deltas?|blocks?|fences?)(?: above)? (?:follow|use|keep|obey|adhere|conform|comply|match|respect|have|has|is|are)\w*(?: to| with| in)? (?:\w+ ){0,3}(?:format|rules?|schema|json|instructions?|fences?)\b`,
		// I would rather wait for T2 before I go further.
		`^<me>(?:'d| would| will|'ll)(?: rather| like to| prefer to)? wait (?:for|until) .{2,40} before <me> (?:go|do|say|change|propose) (?:any )?(?:further|more|anything (?:else|more|further))\b`,
		// The previous version of the mechanism said "threshold genes". I quote §14: "the counter model is obsolete".
		`^the (?:previous|old|earlier|former) (?:version|wording|text|mechanism|claim|statement|procedure)(?: of (?:the )?\w+(?: of <id>)?)? (?:said|says|read|reads|named|spoke of|had) (?:only |just )?["“]`,
		`^<me> (?:quote|cite|refer to|rely on) §\d`,
		// The KILL above leaves a gap, which the next delta fills. I would withdraw this KILL if someone names a readout.
		`\b(?:which|that) (?:the|my) (?:next|following|second|third) (?:<block>) (?:fill|clos|cover|address|answer|complet)\w*$`,
		`^<me> (?:would|will|'ll)(?: gladly| happily| only)? (?:withdraw|retract|drop|reconsider|take back|give up) (?:this|it|the|my)(?: \w+)? (?:if|when|once|should) (?:you|\w+) (?:names?|gives?|shows?|finds?|brings?|supplies|provides?|presents?|offers?|proposes)\b`,
		`^(?:none|nothing) (?:of|in) (?:these|this|it|my \w+|the above|them)(?: \w+)? (?:withdraws?|changes?|affects?|touch(?:es)?|replaces?|contradicts?|takes? back|concerns?) (?:anything|what|the|any|<id>)\b`,
	)
	// asksOther matches what an author asks of another, in its own case.
	asksOther = pattern.New(`^@?` + backers + `[:,] (?:please |can you |could you |do )?(?:attack|challenge|criticise|criticize|test|probe|break|respond|comment|reply|try)\b`)
	// citesAnchor matches what a source says, or what became of it: its author does nothing in it.
	citesAnchor = pattern.New(`§\d`)
	shortAnswer = shape(`^(?:<me> (?:think|believe|hope|doubt|fear) (?:so|not|it)|not yet|not quite|no|yes|perhaps|hardly|maybe|partly|barely)$`)
)

// isClearedAbove reports whether the last line of a text, above a block, says nothing against it.
func (r Rules) isClearedAbove(text, block []byte) bool {
	raw := bytes.TrimSpace(lastLine(text))
	if !r.Sixth || len(raw) == 0 || len(raw) >= maxRemark || strings.IndexByte(">|#", raw[0]) >= 0 {
		return false
	}
	line, _ := unmark(raw)
	sentence := lastSentence(line)
	last, whole := lowered(strings.Trim(sentence, " .!")), lowered(strings.Trim(line, " ."))
	switch {
	case isVerdict(whole, block), r.pointsBelow(line), r.Answer != nil && isLead(raw) && clearedAnswer.MatchString(last):
		return true
	case kinds(r.tokens(last))&lesson != 0 && !strings.Contains(last, "json"):
		return backedBy.MatchString(sentence)
	}
	return clearedTitle.MatchString(last) || clearedTitle.MatchString(whole) || backedBy.MatchString(sentence) || !isLead(raw) && clearedBehind.MatchString(last)
}

// isVerdict reports whether a line, in small letters, is a verdict that the block below it carries out.
func isVerdict(line string, block []byte) bool {
	m := verdictOf.FindStringSubmatch(line)
	return len(m) > 1 && strings.EqualFold(m[1], OperationIn(block))
}

// pointsBelow reports whether a line has the author's name, and what the author says points to the block below it.
func (r Rules) pointsBelow(line string) bool {
	said, ok := strings.CutPrefix(strings.NewReplacer("*", "", "_", "").Replace(line), r.Author+": ")
	return ok && r.Author != "" && ownLine.MatchString(strings.Trim(said, " ."))
}

// isClearedBehind reports whether a sentence behind a block, below another one, says nothing against it.
func (r Rules) isClearedBehind(sentence, before string, payload []byte) bool {
	lower := strings.Trim(lowered(sentence), " .!")
	switch a := r.behind(sentence, payload); {
	case clearedBehind.MatchString(lower), asksOther.MatchString(sentence), backedBy.MatchString(sentence):
		return true
	case shortAnswer.MatchString(lower):
		return itemID.MatchString(strings.ToLower(before)) && !r.behind(before, payload).target
	case citesAnchor.MatchString(sentence):
		return !a.has(author | mine | others | source | block)
	default:
		return false
	}
}

// withoutCleared returns the text behind a block without the sentences at its beginning that say nothing against it. None is left of its
// first paragraph if all do.
func (r Rules) withoutCleared(text, block []byte) (rest []byte, none bool) {
	first, behind := paragraph(text)
	if !r.Sixth || len(first) == 0 || !isLetter(first[0]) && first[0] != '@' || isLead(first) || isFenceWord(text) {
		return text, false
	}
	line, before := string(first), ""
	for line != "" {
		sentence, next := line, ""
		if end := sentenceEnd(line); end >= 0 {
			sentence, next = line[:end+1], strings.TrimLeft(line[end+1:], " ")
		}
		isQuestion := strings.HasSuffix(sentence, "?") && shortAnswer.MatchString(strings.Trim(lowered(next), " .!")) && !r.behind(sentence, block).target
		if !isQuestion && !r.isClearedBehind(sentence, before, block) {
			break
		}
		line, before = next, sentence
	}
	switch {
	case line == "":
		return text, true
	case before == "":
		return text, false
	}
	return append([]byte(line), behind...), false
}

// behindCleared returns the remark behind a first paragraph that says nothing against the block.
func (r Rules) behindCleared(text, block []byte) (Remark, bool) {
	first, rest := paragraph(text)
	next, _ := paragraph(rest)
	if len(first) > 0 && len(next) > 0 && next[0] != '#' && next[0] != '>' && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")) {
		if said, ok := r.withdrawal(next, nil); ok {
			return said, true
		}
	}
	return r.farBehind(rest, block)
}
