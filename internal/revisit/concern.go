package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// MayConcern reports whether a remark beside a change may leave it open.
func MayConcern(remark, target string) bool {
	target = strings.ToLower(target)
	for _, s := range sentencesIn([]byte(remark)) {
		plain := acts.ReplaceAllString(plainly(s.lower), "acts")
		const short = 4
		at := denial.FindStringIndex(plain)
		switch {
		case target != "" && slices.Contains(idsIn(s.lower), target), spokenOp.MatchString(plain), misnamed.MatchString(plain):
			return true
		case s.isQuestion, s.isLead, len(strings.Fields(plain)) <= short, isForeign(s.lower) && isOther(s.lower):
			return true
		case back.MatchString(plain), at != nil && stand.MatchString(plain[at[1]:]):
			return true
		case metaNoun.MatchString(plain), notMeant.MatchString(plain), concernIf.MatchString(plain), agentsOwn.MatchString(s.text):
			return true
		}
	}
	return false
}

var (
	metaNoun  = pattern.New(`\b(?:the|this|that|my|these|those|first|second|third|last|above|following|final|a|an|no) (?:\w+ )?(?:blocks?|deltas?|changes?|kills?|edits?|additions?|removals?|proposals?|drafts?|versions?|examples?|attempts?|json|objects?|snippets?|fences?|target|id)\b|\b(?:above|below|draft|example|template|placeholder|quote|quoted)\b`)
	concernIf = pattern.New(`\b(?:if|unless|until|once|only|whether|before|after|should|would|could|might|may)\b.*\b(?:this|it|that|these|them|one|both)\b|\b(?:this|it|that|these|them|one|both)\b.*\b(?:if|unless|until|once|only|whether|before|after|should|would|could|might|may)\b`)
	notMeant  = pattern.New(`\b(?:wrong|rejected|refused|chosen?|chose|illustrat\w+|so much for|format|(?:this|that|it) (?:is|was) (?:already|just|only|merely|what|how|from|by|for))\b|\bnot \w+ (?:this|that|it)\b`)
	agentsOwn = pattern.New(`\b[A-Z][a-z]+[A-Z]\w+['’]s\b|\b(?:by|from) [A-Z][a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+ (?:\w+ )?(?:this|that|it|these)\b`)
)
