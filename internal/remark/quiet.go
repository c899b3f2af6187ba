package remark

import (
	"bytes"

	"brenner/internal/pattern"
)

// Most text between blocks is prose about the research. AreQuiet knows much of it in one pass, which the rules need not read.

// spoken are the patterns of which one matches in a remark that none of its words tells by itself.
var spoken = pattern.SetOf(withdraws, refused, dismiss, retreat, spare, turn, hands, manner, willSend, forbidding, telling, quotesBelow, supposed, explains, below, asides,
	foreign, older, closes, offered, weighs, strikes, keeps, strikesWhat, keepsWhat, firstDraft, onlySome, someBlock, someWhat, abstention, leadsAside, nothingMeant, retreatToo, strikesToo, keepsToo)

// loudKinds and loudWords tell of a block, or of its author, in any sentence.
const (
	loudKinds = author | mine | others | pointer | block | negates | id | lesson | delays | distance | modal | suppose
	loudWords = " it be follows following below show full batch here so thus "
)

const (
	longestStatement = maxRemark - 20 // bytes; the rules read it whole
	shortestSentence = 7              // words
)

// AreQuiet reports whether the rules find nothing about a block in the text before it, which is between two offsets, nor in
// that behind it, which begins at a third.
func (r Rules) AreQuiet(text []byte, from, to, end int) bool {
	m := r.Memory
	if !r.Oblique || r.Answer != nil || r.Findings || r.Patches || m == nil {
		return false
	}
	quietTo := func(from int) int {
		if m.quiet.of != from+1 {
			m.quiet.of, m.quiet.to = from+1, from+r.quiet(text[from:])
		}
		return m.quiet.to
	}
	return quietTo(from) == to && quietTo(end) >= end
}

// quiet returns the length of the text between two fences for deltas at the beginning of a text, if the rules find nothing in
// it about the blocks beside it: it has only statements of ordinary words, each in a paragraph of its own. Otherwise it
// returns -1.
func (r Rules) quiet(text []byte) int {
	rest := bytes.TrimPrefix(text, []byte("```\n"))
	for isBlank := true; ; {
		end := bytes.IndexByte(rest, '\n')
		if at := len(text) - len(rest); end < 0 || at+end > 4*maxProse {
			return -1
		}
		line := rest[:end]
		switch rest = rest[end+1:]; {
		case string(line) == "```delta" && len(rest) > 0 && rest[0] == '{':
			return len(text) - len(rest) - end - 1
		case len(line) > 0 && !(isBlank && r.isStatement(line)):
			return -1
		}
		isBlank = len(line) == 0
	}
}

// isStatement reports whether a line is one or more long sentences of ordinary words.
func (r Rules) isStatement(line []byte) bool {
	if len(line) <= maxLabel || len(line) > longestStatement || line[len(line)-1] != '.' || !isLetter(line[0]) {
		return false
	}
	var lower [longestStatement]byte
	words := 0
	for at := 0; at < len(line); at++ {
		switch c := line[at]; {
		case isLetter(c):
			n := smallLetters(lower[at:], line[at:])
			t := r.tokenOf(string(line[at : at+n]))
			if at += n; t.isLoud || isLetter(line[at]) || line[at-1] == '-' {
				return false
			}
			if at--; !t.isSkipped {
				words++
			}
			continue
		case c == '.' || c == ';':
			if words < shortestSentence || at+1 < len(line) && line[at+1] != ' ' {
				return false
			}
			words = 0
		case c != ' ' && c != ',':
			return false
		}
		lower[at] = line[at]
	}
	text := string(lower[:len(line)])
	return !spoken.MayMatch(text) && !loudIn.beginsIn(text)
}

// smallLetters copies a word in small letters, of which only the first may be a capital, and returns its length.
func smallLetters(to, line []byte) (n int) {
	for to[0], n = line[0]|0x20, 1; 'a' <= line[n] && line[n] <= 'z' || line[n] == '-'; n++ {
		to[n] = line[n]
	}
	return n
}
