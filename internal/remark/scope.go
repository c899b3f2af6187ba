package remark

import (
	"strings"

	"brenner/internal/pattern"
)

// nothingMeant matches sentences that keep all blocks of a reply from being applied: Don't execute anything in this message. None of
// this is to be merged. This is a dry run. I don't want either of them merged.
var nothingMeant = shape(
	`^(?:(?:please|so|and|but|again),? )*(?:don't|do not|never) (?:yet )?(?:execute|apply|merge|run|submit|process|act on|use) (?:anything|any of (?:<it>|the <block>)|any <block>(?:$| here| above| below| in this)|everything)`,
	`\b(?:none|nothing) (?:of (?:<it>|the (?:above|below|following|<block>|fences)|what follows) |in (?:this|my) (?:message|reply|letter|answer|turn) |here |above |below )(?:is|are|was|were|should be|may be|must be|has to be|ought to be|shall be) ?(?:to be |meant to be |meant for |ready to be |supposed to be |intended to be )?(?:merged|merging|applied|executed|execution|submitted|sent|processed|counted|mine|meant(?:$| seriously| as (?:an? |my )?(?:change|delta|order|proposal))|(?:an? |my )?(?:actual |real )?(?:change|delta|proposal)s?\b)`,
	`^(?:this|it|what follows)(?: message| reply| letter| turn| whole thing)?(?: is|'s) (?:only |just |merely |still |all )*an? (?:dry[- ]run|formatting (?:test|check|exercise)|test (?:message|reply|of the (?:format|parser|fences?|formatting))|practi[cs]e (?:run|reply|message)|parser test|smoke test)\b`,
	`\b<me> (?:don't|do not) want (?:either|any|both|one|all|none)(?: one)?(?: of (?:<it>|the two|the <block>))? (?:to be )?(?:merged|applied|executed|submitted)\b`,
	`\b(?:treat|take|read|consider|regard) (?:<it>|all of <it>|everything|all this|the whole(?: reply| message| thing)?) (?:only |merely |just |purely )?as (?:an? |mere |pure )?(?:advice|suggestions?|information|drafts?|background|thought experiments?|examples?|illustrations?|quotations?)\b`,
	`^(?:but |so |note that |please note that |of course,? )*(?:everything|all)(?: of (?:<it>|the above))?(?: above| here| in this (?:message|reply))? (?:is|are|was|were) (?:(?:only|just|merely|purely|still|entirely|all) )*(?:an? |my )?(?:hypothetical|illustrative|provisional|<shown>|thought experiments?|not (?:final|meant|mine|to be <applied>))(?:$|[.,;:!])`,
	`^<me>(?:'m| am| are| was| only)? ?(?:only |just |merely )?(?:checking|testing|trying out|wanted to (?:see|test|check|try)|want to (?:see|test|check|try)) (?:out )?(?:whether |how |if )?(?:the |my )?(?:format\w*|fences?|parser|syntax)\b`)

// meansNothing reports whether a sentence of a paragraph, in small letters, keeps all blocks from being applied.
func meansNothing(para string) bool {
	for sentence := range sentences(strings.ReplaceAll(para, "\n", " ")) {
		for clause := range strings.SplitSeq(sentence, "; ") {
			if nothingMeant.MatchString(strings.TrimRight(clause, ".!? ")) && !strings.HasPrefix(clause, "if ") {
				return true
			}
		}
	}
	return false
}

// leadsAside matches sentences before a block that keep it from being applied: a candidate, what was sent once, what would be sent
// under a condition.
var leadsAside = shape(
	`\b(?:on|with|to|of|for|against|about|at|through) (?:this|the following|that) candidates?\b`,
	`\b<me> (?:once|formerly|originally|initially|at first|used to|had first|had once) (?:sent|send|wrote|write|proposed?|posted?|submitted|submit|drafted)\b`,
	`\b(?:<it>|the (?:next|following) <block>) (?:has|have|carries) no (?:meaning|effect|significance)\b|\b(?:the (?:next|following) <block>|what follows|this <block>) (?:is|are) (?:there )?only (?:there )?(?:so that|in order to|to (?:test|show|check)|because)\b`,
	`\b<me>(?:'d| would) (?:\w+ )?(?:send|submit|propose|post|file|do|change|kill|add|edit)\b[^.]*\bif <me> (?:were|had|could|was)\b`,
	`\bquot(?:e|ing) my (?:own |earlier |previous |old |first )*(?:reply|message|letter|delta|block|proposal)\b`,
	`^in (?:the|a|this|that) (?:counterfactual|hypothetical|parallel)\b`,
	`^plans? for (?:round \d+|later|(?:the )?next round)\b.*\b(?:contingent|depend\w*|if|once|conditional|subject)\b`)

// otherPart matches headings of a part by another author: RedSky's letter.
var otherPart = pattern.New(`^@?` + agent + `['’]s (?:\w+ )?(?:letter|message|reply|mail|e-mail|post|contribution|answer|version|delta|block)s?$`)

var (
	// laterPart matches headings of what is for later.
	laterPart = pattern.New(`^(?:the |my |some )*(?:ideas?|thoughts?|plans?|to-?do) for (?:round \d+|later|(?:the )?next rounds?|the future|another (?:day|round))(?: \([^)]*\))?$`)
	// nowPart matches titles that say that their part is for now.
	nowPart = pattern.New(`\((?:now|this round|current)\)$`)
	// retreatToo matches sentences that take back the block above, besides retreat.
	retreatToo = shape(`^(?:(?:no|actually|hmm+|wait|sorry|oops|correction|oh|hm),? )+(?:that|this|it|the above) (?:was|is) (?:the|an?|my) (?:old|older|previous|wrong|earlier|outdated|stale|first) (?:version|one|<block>|text)\b`,
		`^(?:wait, )?(?:better|best|rather)(?: to)? (?:keep|leave|spare) (?:it|that|this)(?: one)?(?: for now| after all| in| alive| as is)?[.!]?$`)
	// strikesToo and keepsToo match what names blocks by number, besides strikes and keeps: Block 1 is a quotation from RedSky. The
	// first is the one I submit.
	strikesToo = shape(`^(?:oh,? )?(?:and )?` + numbered + ` (?:is|was) (?:(?:(?:just |only |merely )?(?:an? |my )?<shown> from [a-z]+)|what [a-z]+ (?:suggested|posted|said|wants|wanted|asked for))\b`)
	keepsToo   = shape(`^(?:of (?:these|the|those) two,? )?` + numbered + ` (?:is|was) (?:the one|the block|what)(?: that)? <me> (?:\w+ )?(?:submit|send|mean|propose|want|stand by)\b`)
	// severalBlocks matches words for the blocks of a reply.
	severalBlocks = pattern.New(`\b(?:drafts?|versions?|(?:these|the|those) two)\b`)
)

// numberedIn returns which block a clause strikes or keeps by its number, in words that only the fifth reader knows.
func (r Rules) numberedIn(clause string) (About, bool) {
	if !r.Close {
		return About{}, false
	}
	if m := strikesToo.FindStringSubmatch(clause); m != nil {
		return About{Nth: nth(m)}, true
	}
	m := keepsToo.FindStringSubmatch(clause)
	if m == nil {
		return About{}, false
	}
	return About{Nth: nth(m), But: true}, true
}

// speaksToAll reports whether a paragraph, in small letters, says something of all blocks of a reply.
func (r Rules) speaksToAll(lower string) bool {
	return abstainWords.In(lower) && r.abstains(lower) || r.Close && meansNothing(lower)
}

// isOfAnything reports whether a clause with a number behind an article may speak of anything, and not of a block.
func (r Rules) isOfAnything(clause, lower string) bool {
	return bareNth.MatchString(clause) && !blockWord.MatchString(lower) && !(r.Close && severalBlocks.MatchString(lower))
}

// inDialogue returns the section at a line that begins with the name of the agent who speaks.
func (r Rules) inDialogue(line []byte) (s Section, isNew, ok bool) {
	if !r.Close || r.Author == "" || r.Whole == nil || !r.Whole.isDialog {
		return s, false, false
	}
	m := agentLine.FindSubmatch(line[:min(len(line), 2*maxLabel)])
	if len(m) < 2 || isSame(string(m[1]), r.Author) {
		return s, false, m != nil
	}
	return Section{level: labelLevel, Remark: Remark{Line: string(line), Open: true}}, true, true
}

// frameOf returns the frame that a title, in small letters, opens.
func (r Rules) frameOf(title string) frame {
	title = strings.Trim(title, " *_:.…")
	if r.Close && laterPart.MatchString(title) && !nowPart.MatchString(title) {
		return partFrame
	}
	return frameOf(title)
}

// openQuote matches a line with which another author begins to speak, in quotation marks that are open: RedSky: "I'd go with
var openQuote = pattern.New(`^@?` + agent + `:? ["“„«][^"”“»]*$`)
