package kickoff

import (
	"fmt"
	"strings"

	"brenner/delta"
)

// maxRepairs is how many problems a repair names; whoever has more of them does
// not need a longer list.
const maxRepairs = 20

// Repair asks an agent for better blocks in the place of those that could not be
// read. It quotes nothing that could be taken for a delta.
func Repair(threadID string, problems []delta.Located) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# REPAIR: %s\n\n", threadID)
	b.WriteString("Some of your reply could not be read:\n\n")
	for i, p := range problems {
		if i == maxRepairs {
			fmt.Fprintf(&b, "- … and %d more\n", len(problems)-i)
			break
		}
		fmt.Fprintf(&b, "- line %d, column %d: %s (%s)\n", p.Line, p.Column, inert(p.Message), p.Code)
		if p.Hint != "" {
			fmt.Fprintf(&b, "  What to do: %s\n", inert(p.Hint))
		}
	}
	b.WriteString("\nSend the corrected blocks, and only those: what could be read has been taken and must not be sent again. " +
		"Write each as one JSON object in a fence of its own that begins with three backticks and the word delta.\n")
	return b.String()
}

// inert gives a text in one line that opens nothing in Markdown.
func inert(text string) string {
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›").Replace(oneLine(text))
}
