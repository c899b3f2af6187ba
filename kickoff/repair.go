package kickoff

import (
	"fmt"
	"strings"

	"brenner/artifact/delta"
)

// maxRepairs is how many problems a repair names; whoever has more of them does
// not need a longer list.
const maxRepairs = 20

// Request is a repair in its parts, of which those are sent that fit.
type Request struct {
	Head, Tail string
	Problems   []string // the first ones, one text each
	Lines      []int    // of the reply, where each of them is
	More       int      // beside them
}

// Repair asks an agent for better blocks in the place of those that could not be
// read. It quotes nothing that could be taken for a delta.
func Repair(threadID string, problems []delta.Located) Request {
	r := Request{
		Head: fmt.Sprintf("# REPAIR: %s\n\nSome of your reply could not be read:\n\n", threadID),
		Tail: "\nSend the corrected blocks, and only those: what could be read has been taken and must not be sent again. " +
			"Write each as one JSON object in a fence of its own that begins with three backticks and the word delta.\n",
		More: max(0, len(problems)-maxRepairs),
	}
	for _, p := range problems[:min(len(problems), maxRepairs)] {
		text := fmt.Sprintf("- line %d, column %d: %s (%s)\n", p.Line, p.Column, inert(p.Message), p.Code)
		if p.Hint != "" {
			text += fmt.Sprintf("  What to do: %s\n", inert(p.Hint))
		}
		r.Problems, r.Lines = append(r.Problems, text), append(r.Lines, p.Line)
	}
	return r
}

// inert gives a text in one line that opens nothing in Markdown.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(oneLine(text))
}
