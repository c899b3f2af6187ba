package remark

import (
	"strings"

	"brenner/internal/pattern"
)

// Lines above a block that hold it back by a condition, a question, a state, or as what their author answers.
var (
	// leadIn matches words before a condition that do not change it: Concretely, if … Put differently: should …
	leadIn = pattern.New(`^(?:(?:so|and|but|then|now|well|or|thus|hence)[,:]? |(?:(?:more|most|quite|very) )?[a-z]{3,}ly[,:] ?|(?:[a-z]+ ){0,3}(?:words|practice|short|concrete|clear|precise|explicit|specific|clarity|instance|example|say|terms|detail|differently|simply|way|particular|brief|sum)[,:] ?)+`)
	// stepOf matches what a title calls one of several steps, before what it says of that step.
	stepOf = pattern.New(`^(?:(?:the |my |a )?(?:first|second|third|fourth|next|last|final|later|other) )?(?:step|phase|stage|part|delta|block|change|move|round|action|item|kill|edit|addition|proposal)(?: (?:\d+|[a-d]|one|two|three|four|i{1,3}))?(?:, ?|: ?| ?\(| ?[—–-]+ )`)
	// conditional matches the beginning of a condition.
	conditional = pattern.New(`^(?:only |but only )?(?:if|once|as soon as|when|whenever|in case|provided|assuming|unless|until|should|were|had)\b`)
	// awaiting matches what only waits for something: after T1, contingent on A2, later.
	awaiting = shape(`^(?:only )?(?:after|following|upon|pending|awaiting) <id>(?:$| (?:is|has|was|returns|comes|fails|holds|runs?|ran)\b)`, `^(?:after|following|upon|pending|awaiting) (?:the )?(?:results?|outcome|run|completion|end|verdict|verification|confirmation) of (?:the )?(?:<id>|test|run)\b`,
		`^(?:contingent|conditional|dependent|depending|subject|pending)\b(?: (?:on|to|upon)\b|$)`, `^(?:later|afterwards|not yet|not now|next round|on hold|planned)\b`)
	// heldChange matches a title that calls the change below it conditional, or says that it is for later.
	heldChange = shape(`^(?:the |an? |my |one )?(?:conditional|contingent|provisional|tentative|hypothetical|deferred|postponed|future|fallback|back-?up) (?:<block>|step|move|action|removal|deletion)(?:$| ?[(:,—–-])`,
		`^(?:an? |the |my )?(?:simulated|imagined|imaginary|fictional|fictitious|made-up|invented|mock|fake|expected|hypothetical|possible) (?:output|reply|answer|response|message|delta|text|transcript|solution)s?\b`,
		`^as (?:the |an? )?[\w @'-]{2,40} (?:would|might|could) (?:say|put it|have it|write|argue|propose|suggest|do)(?: it)?$`)
	// reaction is what an author calls its words about another's block.
	reaction = `(?:view|reading|response|reply|answer|comments?|notes?|remarks?|objections?|reaction|opinion|take|reservations?|thoughts?|critique|criticism|assessment|verdict|reasons?|concerns?|questions?|rebuttal|commentary|annotations?|interpretation)\b`
	// answered matches a title of another author's block and of what its author says of that.
	answered = pattern.New(`^(?:First,? |Here (?:is|are) |Below (?:is|are) )?(?:@?` + agent + `['’]s (?:\w+ ){0,2}?(?i:deltas?|message|proposals?|blocks?|contribution|kill|edits?|addition|change|version|suggestion|removal|text|move|motion|idea|wording)\b(?: (?:of|to|on|for) [A-Z]{1,2}\d+)?|What @?` + agent + ` (?:sent|wrote|proposed|proposes|posted|suggested|suggests|wants)),? ` +
		`(?:(?:and|with|plus|then|followed by|together with|along with) )?(?:also |then )?(?:(?:a few of |some of )?my (?:\w+ )?` + reaction + `|why i|what i\b)[^.:]*$`)
	// asks matches questions whether the block below is right.
	asks = shape(`^(?:(?:so|and|but),? )?(?:what (?:do|would) (?:the )?(?:others|you|other agents|rest of you|panel) (?:all )?(?:think|say)(?: (?:of|about) <it>)?|what do you make of <it>|any (?:thoughts|opinions)|thoughts|opinions|do you agree|does (?:any|every)(?:one|body) agree|would you agree)\?$`,
		`^(?:[\w ]{1,20}, )?(?:is|was|would|might|could|will|can|may|are|does|do|should)\b.*\b(?:like this|this way|in this way|as follows|like so|such as this|as below|the following|something like this)\?$`,
		`^(?:[\w ]{1,20}, )?(?:is|would|will|might|could|can|may|should) (?:this|that|it|these|such an? [\w-]+|the (?:next|block|delta)(?: \w+)?|one) (?:\w+ )?(?:be )?(?:\w+ )?(?:ok|okay|fine|acceptable|allowed|permitted|alright|all right|legitimate|legal|appropriate|admissible|in order|welcome|permissible|proper)(?:\?$| (?:for|to|with|by|if|here)\b)`,
		`^(?:are|is|may|can|am|do|would) (?:agents?|<me>|one|an agent|anyone|we all) (?:allowed|permitted|free|entitled|supposed|able)? ?(?:to )?(?:<send>|remove|delete|retire|drop|kill) (?:<it>|something|other|another|others')`)
	// voting matches a state of what others have to decide about.
	voting = pattern.New(`^(?:(?:still|currently|now|put|left|proposed|suggested|draft|tabled|up)[,;]? )*(?:for|under|in|awaiting|awaits|open (?:for|to)|subject to|pending|to be|needs|requires|up for|on) (?:the |an? |your |our |further |open |general |peer |some |be |more |group |panel )*(?:discussions?|discussed|reviews?|reviewed|votes?|voted|voting|comments?|commented|consideration|considered|debated?|approval|approved|decisions?|decided|feedback|consultation|deliberation|confirmed|confirmation|agreed|agreement|ballot|table)\b`)
	// notSent matches a title of a proposal that is not sent.
	notSent = pattern.New(`^(?:my |the |a )?(?:proposed|proposal|suggested|suggestion|idea|plan|planned|candidate)\b[ ,;:(—–-]*(?:but )?(?:not|never|un)(?: yet| to be)? ?(?:submitted|sent|final|applied|adopted|decided|merged|mine|official)\b`)
	// proposedState matches the whole of a label in brackets.
	proposedState = pattern.New(`^[*_]*[\[【](?i:proposed|suggested|to discuss|to vote|rfc|vote)[\]】][*_]*:?$`)
	statusLine    = pattern.New(`^(?:status|state): `)
)

// holds reports whether the last sentence of a text holds back the block below it: by a condition behind other words, a question, a
// state, or because its author only answers what another has sent.
func (r Rules) holds(raw []byte, line string) bool {
	last := behindQuote(lastSentence(line))
	lower := lowered(strings.Trim(last, " "))
	if strings.HasSuffix(lower, "?") {
		return asks.MatchString(lower)
	}
	m := answered.FindStringSubmatch(strings.TrimSpace(last))
	if m != nil && isLead(raw) && !isSame(strings.Join(m[1:], ""), r.Author) {
		return true
	}
	if proposedState.Match(raw) {
		return true
	}
	bare := strings.TrimLeft(strings.TrimRight(lower, "]): "), "[( ")
	isMarkedSo := isLead(raw) || isLabel(raw) || raw[0] == '('
	if status := statusLine.ReplaceAllString(bare, ""); status != bare || isMarkedSo {
		if voting.MatchString(status) && (status != bare || isLabel(raw) || raw[0] == '(') || status != bare && hasState(status, status) {
			return true
		}
	}
	return (isMarkedSo || isUnended(raw)) && (notSent.MatchString(bare) || heldChange.MatchString(bare) || r.depends(bare))
}

// depends reports whether a title, in small letters, makes the block below it depend on something, behind other words.
func (r Rules) depends(title string) bool {
	rest := leadIn.ReplaceAllString(title, "")
	rest = stepOf.ReplaceAllString(rest, "")
	if awaiting.MatchString(rest) && !strings.ContainsAny(rest[1:], ":") && clauseWords(rest) {
		return true
	}
	if rest == title && title == strings.TrimLeft(title, "(") && !conditional.MatchString(rest) {
		return false
	}
	return rest != title && conditional.MatchString(rest) && r.doubts(rest)
}

// clauseWords reports whether a title has no clause of its own behind a pause.
func clauseWords(title string) bool {
	_, rest, found := strings.Cut(title, ", ")
	return !found || conditional.MatchString(rest) || len(strings.Fields(rest)) < 3
}
