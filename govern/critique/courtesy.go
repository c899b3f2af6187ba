package critique

import (
	"strings"
	"unicode"

	"brenner/internal/pattern"
)

// A line beside NO FINDINGS is a courtesy if each of its words is in a closed list, and what could be a problem is
// named only to say that there is none. Everything else may be a finding.
var (
	courteous = wordSet("a an the and or of in on at to for with by as from all any each every both these those this that it its they them their i we you me my your " +
		"am is are was were be been have has had do did can could would will there here after based upon among between across below above given provided " +
		"review reviewed check checked compare compared comparing look looked read examined analysed analyzed reviewing checking considered " +
		"record records memo memos brief briefs module modules project document documents text texts section sections assumption assumptions note notes " +
		"goal goals scope constraint constraints goes stated listed shown question answer answers result results conclusion summary assessment verdict final " +
		"finding findings report aligned align aligns alignment consistent consistently compatible agree agrees agreement line within fit fits hold holds " +
		"together well fully entirely completely other another one against everything good fine order ok okay yes thanks thank please let know if need " +
		"happy help further carefully my is s ve m re no none nothing neither nor found find see seen identified identify detected detect exist exists remain remains else " +
		"so far therefore thus hence overall careful done complete clear hello hi dear sure certainly course assist more")
	problems  = wordSet("contradiction contradictions conflict conflicts issue issues problem problems misalignment misalignments duplicate duplicates overlap overlaps discrepancy discrepancies inconsistency inconsistencies violation violations concern concerns creep wrong redundancy redundancies error errors")
	denials   = wordSet("no none nothing neither any")
	didNot    = pattern.New(`(?i)\b(?:did not|didn['’]t|do not|don['’]t|could not|couldn['’]t|can ?not|can['’]t) (find|see|identify|detect)\b`)
	sentences = pattern.New(`[.!?;]+(?:\s+|$)`)
)

func wordSet(list string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}

// isCourtesy reports whether a line says nothing, or only that there is nothing to report.
func isCourtesy(line string) bool {
	if heading, ok := strings.CutPrefix(line, "#"); ok {
		line = heading
		if len(strings.Fields(line)) <= maxTitle {
			return true
		}
	}
	if title, ok := strings.CutSuffix(strings.TrimRight(line, "*_ "), ":"); ok && len(strings.Fields(title)) <= maxTitle {
		return true
	}
	for _, sentence := range sentences.Split(didNot.ReplaceAllString(line, "$1 no"), -1) {
		hasProblem, denies := false, false
		for _, word := range strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			isNumber := strings.IndexFunc(word, unicode.IsLetter) < 0
			hasProblem, denies = hasProblem || problems[word], denies || denials[word]
			if !isNumber && !courteous[word] && !problems[word] {
				return false
			}
		}
		if hasProblem && !denies {
			return false
		}
	}
	return true
}

// maxTitle is the most words of a title.
const maxTitle = 2
