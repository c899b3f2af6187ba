package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// MayConcern reports whether a remark behind a change may leave it open: whether one of its sentences takes something back, denies or
// asks something, puts it under a condition, or keeps the item of the change.
func MayConcern(remark, target string) bool {
	return slices.ContainsFunc(sentencesIn([]byte(remark)), func(s sentence) bool {
		const short = 4
		whole := plainly(s.lower)
		plain := acts.ReplaceAllString(whole, "acts")
		at, atOperation := denial.FindStringIndex(plain), denial.FindStringIndex(whole)
		isOf := target != "" && slices.Contains(idsIn(s.lower), strings.ToLower(target))
		switch {
		case s.isQuestion, len(strings.Fields(plain)) <= short, isOther(s.lower) && judgeForeign(s.lower) == leaves, isOf && isForeign(s.lower) && foreignKeep.MatchString(s.lower):
			return true
		case back.MatchString(plain), erratum.MatchString(plain), misnamed.MatchString(plain), notMeant.MatchString(plain):
			return true
		case len(at) > 1 && (stand.MatchString(plain[at[1]:]) || ofPronoun.MatchString(plain)):
			return true
		case len(atOperation) > 1 && spokenOp.MatchString(whole[atOperation[1]:]):
			return true
		case isOf && alive.MatchString(plain), conditions.MatchString(plain) && carryOut.MatchString(plain), agentsOwn.MatchString(s.text):
			return true
		}
		return slices.ContainsFunc(s.clauses(), func(clause string) bool { return !understands(plainly(clause), false) })
	})
}

var (
	alive     = pattern.New(`\b(?:` + liveWords + `)\b`)
	ofPronoun = pattern.New(`\bnot (?:\w+ )?(?:this|that|it)\b`)
	carryOut  = pattern.New(`\b(?:apply|appl(?:ied|ies)|merged?|execut\w+|count|send|sent|submit\w*|commit|done|do (?:it|this|that)|go ahead|proceed|enact\w*|carried out|carry out|take effect|stands?|take (?:it|this|that)|agree\w*|vote\w*|decide\w*|sign\w*|consent\w*|veto)\b`)
	notMeant  = pattern.New(`\b(?:wrong|mistake|rejected|refused|illustrat\w+|so much for|format|(?:this|that|it) (?:is|was) (?:already|just|only|merely|what|how|from|by|for)|for (?:now|later|completeness|reference|context|comparison|next time)|next time|only (?:show|include|quote|repeat|mention)|my mind|\bmeant as|the (?:example|kickoff|template)|second thoughts?|had (?:meant|wanted|planned|intended)|would have (?:sent|written|been|done))\b`)
	agentsOwn = pattern.New(`\b(?:by|from) [A-Z][a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+ (?:\w+ )?(?:this|that|it|these)\b|(?:This|That|It|These|this|that|it)\b.{1,20}\b[A-Z][a-z]+[A-Z]\w+['’]s\b`)
)
