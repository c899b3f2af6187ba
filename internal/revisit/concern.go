package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// MayConcern reports whether a remark behind a change may leave it open: whether one of its sentences takes something back, denies or
// asks something, puts it under a condition, or keeps the item of the change.
func MayConcern(remark, target string) bool {
	return slices.ContainsFunc(sentencesIn([]byte(remark)), func(s sentence) bool { return s.mayConcern(strings.ToLower(target)) })
}

func (s *sentence) mayConcern(target string) bool {
	const short = 4
	whole := plainly(s.lower)
	plain := acts.ReplaceAllString(whole, "acts")
	at := denial.FindStringIndex(plain)
	switch {
	case s.isQuestion, isOther(s.lower) && judgeForeign(s.lower) == leaves, isForeign(s.lower) && foreignKeep.MatchString(s.lower) && slices.Contains(idsIn(s.lower), target):
		return true
	case back.MatchString(plain), erratum.MatchString(plain), misnamed.MatchString(plain), notMeant.MatchString(plain), deniedOp.MatchString(whole):
		return true
	case len(at) > 1 && (meantWords.MatchString(plain[at[1]:]) || ofPronoun.MatchString(plain)):
		return true
	case target != "" && isAlive(plain, target), conditions.MatchString(plain) && carryOut.MatchString(plain), agentsOwn.MatchString(s.text):
		return true
	}
	isShort := len(strings.Fields(plain)) <= short
	return slices.ContainsFunc(s.clauses(), func(clause string) bool {
		isAbout, isUnderstood := weighClause(plainly(clause), isShort)
		return !isUnderstood && (isAbout || isShort)
	})
}

// isAlive reports whether a sentence says that an item stays.
func isAlive(plain, target string) bool {
	const reach = 40
	_, behind, ok := strings.Cut(plain, target)
	before := plain[:len(plain)-len(behind)]
	return ok && (alive.MatchString(behind[:min(len(behind), reach)]) || alive.MatchString(before[max(0, len(before)-reach/2):])) && !strings.HasPrefix(plain, "if ")
}

// MayLead reports whether a line above a change may call it something else than what its author submits.
func MayLead(line, author string) bool {
	all := sentencesIn([]byte(line))
	const short = 3 // words
	return len(strings.Fields(line)) <= short || slices.ContainsFunc(all, func(s sentence) bool {
		lower := plainly(s.lower)
		for _, name := range whoseName.FindAllString(s.text, -1) {
			if agent := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), "'s"), "’s"); agent != strings.ToLower(author) {
				return true
			}
		}
		return s.isQuestion || isForeign(s.lower) || back.MatchString(lower) || leads.MatchString(lower) || strictLead.MatchString(lower) || mayLead.MatchString(lower)
	})
}

var (
	alive      = pattern.New(`\b(?:` + liveWords + `)\b`)
	meantWords = pattern.New(`\b(?:stands?|counts?|apply|applied|applies|merged?|executed?|meant|mine|final|submitted|serious|ready|valid|included|include|send|submit|propos\w+|submitting|warranted|justified|do it|do this|do that|mean)\b`)
	deniedOp   = pattern.New(`\b(?:not|never|no|without|nor)(?: \w+){0,3} (?:kill|edit|add|remov|delet)\w*\b`)
	ofPronoun  = pattern.New(`\bnot (?:\w+ )?(?:this|that|it)\b`)
	carryOut   = pattern.New(`\b(?:apply|appl(?:ied|ies)|merged?|execut\w+|count|send|sent|submit\w*|commit|done|do (?:it|this|that)|go ahead|proceed|enact\w*|carried out|carry out|take effect|stands?|take (?:it|this|that)|agree\w*|vote\w*|decide\w*|sign\w*|consent\w*|veto)\b`)
	notMeant   = pattern.New(`\b(?:(?:is|was|the) wrong|wrong (?:id|target|section|item|one|place|field)|mistake|rejected|refused|illustrat\w+|so much for|format|(?:this|that|it) (?:is|was) (?:already|just|only|merely|what (?:i|we|one|he|she|they)|from|by|for)|is what (?:i|one|we) would|^[. ]*is what|for (?:now|later|completeness|reference|context|comparison|next time)|next time|only (?:show|include|quote|repeat|mention)|second thoughts?|my mind|meant as|the (?:example|kickoff|template)|had (?:meant|wanted|planned|intended)|would have (?:sent|written|been|done)|nope|contradicts? (?:me|it|this|that))\b`)
	agentsOwn  = pattern.New(`\b(?:by|from) [A-Z][a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+ (?:\w+ )?(?:this|that|it|these)\b|\b(?:This|That|It|These|this|that|it) (?:is|was|are|were|comes|came)(?: \w+){0,2} [A-Z][a-z]+[A-Z]\w+['’]s\b`)
	// mayLead matches lines above a change that may not be its author's own.
	mayLead = pattern.New(`\b(?:outside|scope|try|prepare|check|its|their|yours|your|what if|in case|as soon as|rules?|start(?:ed|ing)?|failed|wrong|without|instructions?|wait|considered|would|could|might|may|should|if|unless|when|once|until|whether|not|instead|reject\w*|refus\w+|tempt\w*|lazy|obvious|naive|bad|imagine|suppose|pretend|example|template|kickoff|format|schema|test|trial|old|older|earlier|previous\w*|last|original\w*|initial\w*|first|before|was|were|had|already|current|state|artifact|version|idea|thought|thoughts|thinking|option|alternativ\w*|other|others|someone|somebody|one|they|he|she|critic|operator|orchestrator|moderator|quote\w*|quoting|copied|cop(?:y|ies)|paste\w*|context|reference|comparison|repeat\w*|draft\w*|later|next|future|round|plan\w*|to be|asks?|asking|wants?|wanted|says?|said|sent|wrote|suggest\w*|proposed|claims?|objects?|objected)\b|[?“"@/]|\bis$`)
)
