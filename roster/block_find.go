package roster

import (
	"strings"

	"brenner/internal/markdown"
)

// findHeading returns the number of the first line that is the block's heading and
// stands at the top level, or 0. What is in quotations and lists does not begin at
// the line's start.
func findHeading(message string) int {
	for b := range markdown.Blocks([]byte(message)) {
		if b.Kind != markdown.Prose {
			continue
		}
		number := b.Line
		for line := range strings.Lines(message[b.Start:b.End]) {
			if strings.TrimRight(line, " \t\r\n") == blockHeading {
				return number
			}
			number++
		}
	}
	return 0
}
