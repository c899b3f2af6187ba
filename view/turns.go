package view

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"brenner/fault"
)

// DefaultCallTokens is the bound of a whole call that nobody gave one.
const DefaultCallTokens = 100_000

// Turns holds what is sent in one call to a bound: the message that opens it, and
// for a second turn the agent's own answer and what is asked of it. Where all of it
// is too much, the answer gives way: its author has it. Only if the rest does not
// fit is there an error, before anything is sent.
func Turns(role string, bound int, count func(string) int, opening, answer, request string) (string, error) {
	if bound <= 0 {
		bound = DefaultCallTokens
	}
	rest := count(opening) + count(request)
	if rest > bound {
		return "", &fault.Error{
			Code: TooLarge, Op: "write to " + fault.Shown(role), Detail: fmt.Sprintf("what is to be sent has %d tokens, and the bound is %d", rest, bound),
			Hint: "give less evidence or a shorter excerpt, or raise session.context_tokens",
		}
	}
	if answer == "" || len(answer) <= bytesPerToken*bound && rest+count(answer) <= bound {
		return answer, nil
	}
	return "(your answer, of " + strconv.Itoa(utf8.RuneCountInString(answer)) + " characters, is left out: it does not fit)", nil
}
