package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// MayConcern reports whether a remark behind a change may leave it open: whether one of its sentences takes something back, denies or
// asks something, puts it under a condition, or keeps the item of the change.
func MayConcern(remark, operation, target string) bool {
	return slices.ContainsFunc(sentencesIn([]byte(remark)), func(s sentence) bool { return s.mayConcern(operation, strings.ToLower(target)) })
}

// IsTitle reports whether a line above a change has only words that lead to its author's own changes.
func IsTitle(line, author string) bool {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(line, author, "")), isBetween)
	return !slices.ContainsFunc(words, func(w string) bool { return !isTitleWord(w) })
}

func (s *sentence) mayConcern(operation, target string) bool {
	const short = 4
	whole := plainly(s.lower)
	plain := acts.ReplaceAllString(whole, "acts")
	at := denial.FindStringIndex(plain)
	switch {
	case s.isQuestion, isForeign(s.lower) && s.mayConcernForeign(target):
		return true
	case back.MatchString(plain), erratum.MatchString(plain), misnamed.MatchString(plain), notMeant.MatchString(plain), deniedOp.MatchString(whole):
		return true
	case len(at) > 1 && (meantWords.MatchString(plain[at[1]:]) || ofPronoun.MatchString(plain)):
		return true
	case target != "" && (isAlive(plain, target) || operation == "KILL" && strings.Contains(plain, target) && !gone.MatchString(plain)), conditions.MatchString(plain) && carryOut.MatchString(plain), agentsOwn.MatchString(s.text):
		return true
	}
	return len(strings.Fields(plain)) <= short && !isPlainState(plain) || len(whoseName.FindString(s.text)) > 0 ||
		slices.ContainsFunc(s.clauses(), func(clause string) bool { return !isOfSubject(plainly(clause), hasMatter(whole)) })
}

// mayConcernForeign is mayConcern for a sentence without common words of English.
func (s *sentence) mayConcernForeign(target string) bool {
	const short = 6
	return judgeForeign(s.lower) == leaves || len(strings.Fields(s.lower)) <= short || foreignKeep.MatchString(s.lower) && slices.Contains(idsIn(s.lower), target)
}

// isOfSubject reports whether a clause is about the subject of the research, or only says what the change is. One without the words of
// the subject (hasMatter) has no pronoun that may stand for a change.
func isOfSubject(clause string, hasMatter bool) bool {
	return isPlainState(clause) || !participle.MatchString(clause) && (hasMatter || understands(clause, true) && !personal.MatchString(clause))
}

// isPlainState reports whether a clause says what a change is, and that is understood.
func isPlainState(clause string) bool {
	isAbout, isUnderstood := weighClause(clause, true)
	return isAbout && isUnderstood && plainState.MatchString(clause)
}

// isAlive reports whether a sentence says that an item stays.
func isAlive(plain, target string) bool {
	const reach = 40
	_, behind, ok := strings.Cut(plain, target)
	before := plain[:len(plain)-len(behind)]
	return ok && (alive.MatchString(behind[:min(len(behind), reach)]) || alive.MatchString(before[max(0, len(before)-reach/2):])) && !strings.HasPrefix(plain, "if ")
}

var (
	personal   = pattern.New(`\b(?:i|we|me|you|he|she|one|(?:some|no)(?:one|body)|this|that|it|these|those|them|they|such)\b`)
	participle = pattern.New(`^(?:\w{3,}ed|taken|written|sent|drawn|shown|made|done) `)
	plainState = pattern.New(`^(?:and |but |so )*(?:this|that|it|these|they|the \w+)(?:'s| is| are) (?:an? |the |also |quite |very |rather |fairly )*[\w-]+(?: \w+)?$`)
	alive      = pattern.New(`\b(?:` + liveWords + `)\b`)
	meantWords = pattern.New(`\b(?:stands?|counts?|apply|applied|applies|merged?|executed?|meant|mine|final|submitted|serious|ready|valid|included|include|send|submit|propos\w+|submitting|warranted|justified|do it|do this|do that|mean)\b`)
	deniedOp   = pattern.New(`\b(?:not|never|no|without|nor)(?: \w+){0,3} (?:kill|edit|add|remov|delet|dead|die)\w*\b|\b(?:neither|no|none of the|not the) (?:\w+ )?(?:change|delta|block|edit|kill|addition)s?\b|\bunfair\b`)
	gone       = pattern.New(`\b(?:` + goneWords + `)\b`)
	ofPronoun  = pattern.New(`\bnot (?:\w+ )?(?:this|that|it)\b`)
	carryOut   = pattern.New(`\b(?:apply|appl(?:ied|ies)|merged?|execut\w+|count|send|sent|submit\w*|commit|done|do (?:it|this|that)|go ahead|proceed|enact\w*|carried out|carry out|take effect|stands?|take (?:it|this|that)|agree\w*|vote\w*|decide\w*|sign\w*|consent\w*|veto)\b`)
	notMeant   = pattern.New(`\b(?:(?:is|was|the) wrong|wrong (?:id|target|section|item|one|place|field)|mistake|rejected|refused|illustrat\w+|so much for|format|(?:this|that|it) (?:is|was) (?:already|just|only|merely|what (?:i|we|one|he|she|they)|from|by|for)|is what (?:i|one|we) would|for (?:now|later|completeness|reference|context|comparison|next time)|next time|only (?:show|include|quote|repeat|mention)|second thoughts?|my mind|meant as|out loud|aloud|sure|replaced|superseded|overtaken|not there|flawed|logic|conclusion is|(?:original|current|old|previous|present) (?:claim|wording|text|version|mechanism|statement)|undecided|undo|nuclear|the (?:example|kickoff|template)|had (?:meant|wanted|planned|intended)|would have (?:sent|written|been|done)|nope|contradicts? (?:me|it|this|that))\b`)
	agentsOwn  = pattern.New(`\b(?:by|from) [A-Z][a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+ (?:\w+ )?(?:this|that|it|these)\b|\b(?:This|That|It|These|this|that|it) (?:is|was|are|were|comes|came)(?: \w+){0,2} [A-Z][a-z]+[A-Z]\w+['’]s\b`)
)
