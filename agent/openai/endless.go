package openai

import (
	"errors"
	"time"

	"brenner/agent"
)

var errEndless = errors.New("the answer goes on beyond the most tokens that it may have")

// linger is how long an answer that is finished waits for what it cost.
var linger = 2 * time.Second

// endless tells whether the endpoint pays no heed to the most tokens of an answer.
// Hardly any token has more than six characters, so that twice as many tokens of
// three are beyond it by any count; the rest is for short answers, where one long
// row of spaces can be a single token. Thoughts are not looked at: some endpoints
// do not count them.
func (a *answer) endless(most int) bool {
	const each, rest = 3, 256
	return most > 0 && a.letters/each-rest > 2*min(most, agent.MostTokens)
}
