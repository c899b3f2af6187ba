package itemform

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
	"brenner/internal/remark"
)

var (
	// history matches the label of what has happened: a round, or an outcome.
	history = pattern.New(`(?i)^[\s>|#*_\x60+•\d.)-]*(?:(?:in )?(?:round|version) \d+|v\d+|(?:was |were )?(?:rejected|refused|applied|accepted|skipped|merged|superseded|duplicates?|conflict(?:ed|s)?|withdrawn|not taken))\b[^:.;]{0,30}[*_\x60]*:`)
	// opposed matches words before an operation with which an author speaks against it, or takes it back.
	opposed = pattern.New(`(?i)\b(?:disagree(?:s|d)?|object(?:s|ed)? to|opposes?|opposed|dispute|withdraw|retract|rescind|revoke|take back|taking back|vote against|speak against|argue against|reject|veto)\b[^.;:]{0,80}\b(?:ADD|EDIT|KILL)\b`)
)

// mayTell are parts of the words without which a line tells of no change.
var mayTell = remark.WordsOf("ound ", "ersion ", "v", "eject", "efuse", "pplied", "ccepted", "kipped", "erged", "upersede", "uplicate", "onflict", "ithdraw", "ot taken", "isagree", "bject", "ppose", "ispute", "etract", "escind", "evoke", "ak", "gainst", "eto")

// WithoutHistory returns a line without the sentences that tell of changes, or speak against them. Those in lists by rounds or
// outcomes are all of a line.
func WithoutHistory(line string) string {
	if !mayTell.In(line) {
		return line
	}
	if history.MatchString(line) {
		return ""
	}
	if !opposed.MatchString(line) {
		return line
	}
	var left strings.Builder
	for line != "" {
		end := len(line)
		if i := strings.IndexAny(line, ".;!?"); i >= 0 {
			end = i + 1
		}
		if !opposed.MatchString(line[:end]) {
			left.WriteString(line[:end])
		}
		line = line[end:]
	}
	return left.String()
}

// IsHistory reports whether the columns of a table tell what became of changes in rounds.
func (c Columns) IsHistory() bool { return c.who && c.outcome }

var correction = pattern.New(`(?i)\b(?:correct\w*|revis\w+|instead|replac\w+|supersed\w+|better|final\w*|updat\w+|again|fix\w*|sorry|oops|rather|actually|typo|second thoughts?|reflection|sharper|improv\w+|refin\w+|then|step \d|next)\b`)

// Corrects reports whether a text from a delta up to another one calls the later one a correction.
func Corrects(text []byte) bool {
	const most = 2000
	text = text[bytes.LastIndexByte(text, '}')+1:]
	return correction.Match(text[:min(len(text), most)])
}
