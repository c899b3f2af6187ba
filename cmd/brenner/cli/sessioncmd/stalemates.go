package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
)

// stalemates names what waits for a ruling, and what was ruled.
func (s summaryView) stalemates(b *strings.Builder) {
	if len(s.Stuck) == 0 {
		return
	}
	b.WriteString("\nStalemates:\n")
	for _, r := range s.Stuck {
		fmt.Fprintf(b, "  %s, %s (%s): %s", ui.Clean(r.ID), ui.Clean(r.Place), ui.Clean(r.Kind), ui.Clean(r.State))
		if r.By != "" {
			b.WriteString(" by " + ui.Clean(r.By))
		}
		if r.Why != "" {
			b.WriteString(": " + ui.Clean(r.Why))
		}
		b.WriteByte('\n')
	}
}
