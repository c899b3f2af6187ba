package remark

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

var (
	// otherNames are words for a block that the forms of sentences do not have.
	otherNames = regexp.MustCompile(`\b(?:patch(es)?|(?:diff|record|lesson|proposal)(s)?)\b`)
	findings   = regexp.MustCompile(`\b(?:finding|verdict|objection)s?\b`)
	noChanges  = regexp.MustCompile(`^no changes?(?: (?:needed|required|at all))?[ .:;,—–-]+`)
	// pointsUp matches sentences about the block above, however far it is.
	pointsUp = shape(`\b(?:the|this|that|my|both|these|those|all)(?: \w+)? <block> (?:further )?above\b|\bthe above <block>\b`)
	dismiss  = shape(`<well>never ?mind <above><end>`)
)

// inWords returns a sentence, in small letters, with "block" for any other word for one, and without a line that there
// are no changes before it. Rules without oblique sentences know only blocks and deltas.
func (r Rules) inWords(sentence string) string {
	names := otherNames
	switch {
	case r.Findings:
		names = findings
	case !r.Oblique:
		return sentence
	}
	return names.ReplaceAllStringFunc(noChanges.ReplaceAllString(sentence, ""), func(name string) string {
		if strings.HasSuffix(name, "s") {
			return "blocks"
		}
		return "block"
	})
}

// farBehind returns the remark in the text between a block and the next one that withdraws the block above.
func (r Rules) farBehind(text []byte) (Remark, bool) {
	const farthest = 4 * maxProse
	text = bytes.TrimLeft(text[:min(len(text), farthest)], " \t\r\n:`~")
	if at := nextBlock.FindIndex(text); at != nil {
		text = text[:at[0]]
	}
	if !slices.ContainsFunc(aboveWords, func(word []byte) bool { return bytes.Contains(text, word) }) {
		return Remark{}, false
	}
	for para := range bytes.SplitSeq(r.trimLines(text), []byte("\n\n")) {
		para = bytes.TrimSpace(para)
		if len(para) == 0 || strings.IndexByte("#>|", para[0]) >= 0 {
			continue
		}
		line, _ := unmark(bytes.ReplaceAll(para, []byte("\n"), []byte(" ")))
		if isLead(para) {
			line = line[:lastEnd(line)] // the rest leads to the next block
		}
		for sentence := range sentences(strings.Trim(line, "()[] ")) {
			lower := r.inWords(lowered(sentence))
			if pointsUp.MatchString(lower) && (withdraws.MatchString(lower) || dismiss.MatchString(lower)) {
				return Remark{Line: sentence, About: about(lower)}, true
			}
		}
	}
	return Remark{}, false
}

var aboveWords = [][]byte{[]byte("above"), []byte("Above"), []byte("ABOVE")}

// nextBlock matches the line at which a block may begin.
var nextBlock = regexp.MustCompile("(?m)^[ \\t>]*(?:```|~~~|:::|[{<])")
