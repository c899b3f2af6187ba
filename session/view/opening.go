package view

import (
	"fmt"

	"brenner/internal/fault"
)

// DefaultCallTokens is the bound of a whole call that nobody gave one.
const DefaultCallTokens = 100_000

// Opening holds the message that opens a call, which has so many tokens, to the bound of
// the whole call. It is an error if it does not fit, before anything is sent.
func Opening(role string, bound, tokens int) error {
	if bound <= 0 {
		bound = DefaultCallTokens
	}
	if tokens <= bound {
		return nil
	}
	return &fault.Error{
		Code: TooLarge, Op: "write to " + fault.Shown(role), Detail: fmt.Sprintf("what is to be sent has %d tokens, and the bound is %d", tokens, bound),
		Hint: "give less evidence or a shorter excerpt, or raise session.context_tokens",
	}
}
