package view

import (
	"fmt"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// DefaultNudgeTokens is the bound of a nudge: a word to somebody who has the message
// that it is about.
const DefaultNudgeTokens = 300

// NudgeInput is what a reminder is made of.
type NudgeInput struct {
	Role     string
	Bound    int // 0 or less, or more: DefaultNudgeTokens
	Count    func(string) int
	Subject  string   // of the message that was not answered
	Question string   // that the session is about
	Saw      []string // the ids of items that the message showed
}

// Nudge gives what an agent is told that acknowledged a message and does not answer
// it. What it is about, and the ids that it was shown, come as they fit, in this order;
// only if the reminder itself does not is there an error.
func Nudge(in *NudgeInput) (string, error) {
	bound := in.Bound
	if bound <= 0 {
		bound = DefaultNudgeTokens
	}
	bound = min(bound, DefaultNudgeTokens)
	text := "You have acknowledged the message \"" + cut(in.Subject, maxSummary) + "\" and not answered it yet. Please reply to that message; what you have is better than nothing.\n"
	if tokens := in.Count(text); tokens > bound {
		return "", &fault.Error{
			Code: TooLarge, Op: "remind " + fault.Shown(in.Role), Detail: fmt.Sprintf("the reminder has %d tokens, and the bound is %d", tokens, bound),
			Hint: "raise session.context_tokens",
		}
	}
	fits := func(more string) bool { return in.Count(text+more) <= bound }
	if question := "\nIt is about: " + cut(in.Question, maxSummary) + "\n"; in.Question != "" && fits(question) {
		text += question
	}
	ids := ""
	for n := range in.Saw {
		names := make([]string, n+1)
		for i, id := range in.Saw[:n+1] {
			names[i] = Word(id)
		}
		line := "\nYou were shown " + strings.Join(names, ", ")
		if more := len(in.Saw) - n - 1; more > 0 {
			line += " and " + strconv.Itoa(more) + " more"
		}
		if line += ".\n"; !fits(line) {
			break
		}
		ids = line
	}
	return text + ids, nil
}
