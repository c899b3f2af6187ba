package remark

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/pattern"
)

// Answer is what is known of a reply that answers a request for corrections. The request names the blocks of an earlier
// reply by their numbers, and so does the answer, which may have only some of them.
type Answer struct {
	operations []string // of its changes, in capitals
	highest    int      // number of a block that it names
}

// AnswerOf reads the text of an answer.
func AnswerOf(text []byte) *Answer {
	a := new(Answer)
	for _, m := range operationKey.FindAllSubmatch(text, -1) {
		a.operations = append(a.operations, strings.ToUpper(string(m[1])))
	}
	for _, m := range blockNumber.FindAllSubmatch(text, -1) {
		for digits := range bytes.FieldsFuncSeq(m[0], func(c rune) bool { return c < '0' || c > '9' }) {
			if n, err := strconv.Atoi(string(digits)); err == nil {
				a.highest = max(a.highest, n)
			}
		}
	}
	return a
}

var (
	operationKey = pattern.New(`(?i)\bop(?:eration)?["'*_]*[ \t]*[:=][ \t]*["'*_]*(ADD|EDIT|KILL)\b`)
	blockNumber  = pattern.New(`(?i)\b(?:blocks?|deltas?) (?:number |no\.? )?#?\d{1,3}(?:(?:,| and|, and| or| to|-|–) ?#?\d{1,3})*\b`)

	// namesOne matches sentences about a block by its number, and namesWhat by its operation.
	namesOne = shape(`\b(?:blocks?|deltas?|problem) (?:number |no\.? )?#?(?:\d|one|two|three|four|five)\b`,
		`\b(?:the|my) (?:very )?(?:<nth>|other|quoted)(?: \w+)? (?:<block>|<shown>)\b`, `\b(?:the|my) (?:<nth>|other)(?:$|[.,;:!)]| <is>\b)`, `(?:^|\n)\|? *#?\d{1,2} *\|`)
	namesWhat = pattern.New(`\b(?:the|my|that) (kill|edit|addition|add)\b`)
	isHere    = pattern.New(`\b(?:above|below|following|here)\b`)
	leavesOut = shape(`\b(?:omit(?:ted)?|left out|leav(?:e|ing)\b.*\bout|not (?:re)?(?:sent|send|sending|included?|repeat(?:ed)?)|dropped|withdrawn|removed)\b`)
	goesOn    = pattern.New(`^(?:(?:and|but|so|hence|thus|therefore|please),? )*(?:it|that|they|this (?:is|was))\b|\b(?:it|them|that)\b`)
	// pieceEnd matches the end of a sentence, a clause, a paragraph, or the line before an item of a list.
	pieceEnd = pattern.New("[.!?;][*_)\"]*(?:[ \t\r\n]+|$)|\n[ \t\r]*\n|\n[ \t]*(?:[-*+#|>`~]|\\d{1,2}[.)])")
)

// ownWords returns a text of an answer without the sentences about blocks that the request named and the answer does not
// have. If the text stands before a block, its last line stays if it is a title.
func (r Rules) ownWords(text []byte, isBefore bool) []byte {
	if r.Answer == nil || !r.Answer.mayNameOthers(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	isElsewhere := false
	add := func(piece, end []byte, isTitle bool) {
		lower := lowered(string(bytes.TrimSpace(piece)))
		isElsewhere = !isTitle && (r.Answer.namesAnother(lower) || isElsewhere && goesOn.MatchString(lower))
		if named := namesOne.FindAllStringIndex(lower, -1); isTitle && len(named) > 1 && len(lower) == len(piece) {
			piece = piece[named[len(named)-1][0]:] // the first one is about another block
		}
		if !isElsewhere {
			out = append(append(out, piece...), end...)
			return
		}
		out = append(append(out, '.'), bytes.TrimLeft(end, ".!?;*_)\"")...)
		isElsewhere = len(end) == 0 || isEnd(end[0])
	}
	at, end := 0, len(bytes.TrimRight(text, " \t\r\n"))
	for _, m := range pieceEnd.FindAllIndex(text[:end], -1) {
		add(text[at:m[0]], text[m[0]:m[1]], false)
		at = m[1]
	}
	if at < end {
		add(text[at:end], nil, isBefore && isLead(text[at:end]))
	}
	return append(out, text[end:]...)
}

// mayNameOthers reports whether a text may speak of another block. It is quick: most texts do not.
func (a *Answer) mayNameOthers(text []byte) bool {
	lower := lowered(string(text))
	return namesOne.MatchString(lower) || namesWhat.MatchString(lower)
}

// namesAnother reports whether a sentence, in small letters, speaks of a block that the answer does not have.
func (a *Answer) namesAnother(sentence string) bool {
	for _, m := range namesWhat.FindAllStringSubmatch(sentence, -1) {
		if !slices.Contains(a.operations, operationOf(m[1])) {
			return true
		}
	}
	if !namesOne.MatchString(sentence) || isHere.MatchString(sentence) {
		return false
	}
	return len(a.operations) <= 1 || a.highest > len(a.operations) || leavesOut.MatchString(sentence)
}

// SpeaksOfAnother reports whether a sentence of an answer speaks of a block that the answer does not have.
func (r Rules) SpeaksOfAnother(sentence string) bool {
	return r.Answer != nil && r.Answer.namesAnother(lowered(sentence))
}

// setAside matches words with which an answer calls a block something else than its author's change.
var (
	setAside  = pattern.New(`\b(?:quot(?:e|ed|es|ing|ation|ations)|drafts?|examples?|illustrations?|hypothetical|withdr[ae]w\w*|retract\w*|conditional|not mine|not my|isn't mine|skip(?:ped)?|ignore|disregard|dropped|discarded|rejected|nothing to (?:send|change|submit)|no changes?|only if|only when|unless|not meant|wasn't meant|not as (?:an? |my )?(?:delta|change|block)|(?:as|for) background|for the record|(?:remain|remains|stays|stay|only|just) (?:a )?(?:text|plan|idea|note)|not needed|no longer needed|leave (?:it|this|that) out|(?:did not|didn't|do not|don't) (?:intend|mean|want) to|(?:is|was) [a-z]+'s)\b`)
	notAside  = pattern.New(`\b(?:not|no longer|never|isn't|wasn't) (?:just |only |merely )?(?:an? |the |my )?(?:quotation|quote|quoted|draft|example|illustration|hypothetical|conditional|withdrawn)\b`)
	inAnswers = pattern.New("(?s)(?:```|~~~).*?(?:```|~~~|$)|\\{.*?\\}")
)

// Confirms reports whether an answer to a request for corrections, with a block that was in doubt before, means that block:
// nothing in it calls a block a quotation, a draft or withdrawn, or a sentence without such a word calls it its author's.
func (r Rules) Confirms(answer []byte) (Remark, bool) {
	r.Oblique = true
	var found string
	for line := range bytes.Lines(inAnswers.ReplaceAll(answer, []byte("\n"))) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		text, _ := unmark(line)
		for sentence := range sentences(text) {
			lower := notAside.ReplaceAllString(lowered(sentence), "mine")
			switch {
			case setAside.MatchString(lower) || isAside([]byte(lower), true):
				found = sentence
			case owning.MatchString(lower) || r.actsIn(sentence, nil):
				return Remark{}, true
			}
		}
	}
	return Remark{Line: found}, found == ""
}
