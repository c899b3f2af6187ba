package agent

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Usage is what a call cost, over all attempts.
type Usage struct {
	Input   int  // tokens
	Output  int  // tokens
	Guessed bool // nobody told us: these are our own counts
}

// Guess counts the tokens of a text where nobody gave a counter: about four characters
// are one token in English.
func Guess(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

const (
	// MostTokens is more than any one exchange has.
	MostTokens = 1_000_000_000
	// mostInAll is where sums end: two of them are a number that JSON carries exactly.
	mostInAll = min(1<<52-1, math.MaxInt)
)

// Plus gives what two calls cost together. A sum of which a part is guessed is a
// guess. No part of it is less than nothing, and none grows past what can be written
// down: a sum must not become a small one, or one below zero.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: sum(u.Input, v.Input), Output: sum(u.Output, v.Output), Guessed: u.Guessed || v.Guessed}
}

func sum(a, b int) int {
	a, b = min(max(a, 0), mostInAll), min(max(b, 0), mostInAll)
	if a > mostInAll-b {
		return mostInAll
	}
	return a + b
}

// believable gives a usage of one exchange as far as it can be true. Who claims less
// than nothing has told us nothing.
func (u Usage) believable() Usage {
	return Usage{
		Input: min(max(u.Input, 0), MostTokens), Output: min(max(u.Output, 0), MostTokens),
		Guessed: u.Guessed || u.Input < 0 || u.Output < 0,
	}
}

// Tokens reads a number of tokens as somebody reports it in JSON. Some write numbers
// with a point; what is no whole number, or none that can be true, tells nothing.
func Tokens(said []byte) (int, bool) {
	n, err := strconv.ParseFloat(string(said), 64)
	if err != nil || !(n >= 0 && n <= MostTokens) || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}
