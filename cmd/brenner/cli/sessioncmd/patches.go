package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/session/audit"
	"brenner/session/flow"
)

func patchLine(r *audit.PatchRow) string {
	what := fmt.Sprintf("round %d, %s on %s: ", r.Round, ui.Clean(r.Agent), ui.Clean(r.Record))
	if r.Made != "" {
		return what + "made " + ui.Clean(r.Made) + ", " + r.Status
	}
	return what + r.Code + ": " + ui.Clean(ui.Clip(r.Message))
}

// patches names the versions of records that agents made, and what was refused.
func (s summaryView) patches(b *strings.Builder) {
	if len(s.Patches) == 0 {
		return
	}
	b.WriteString("\nPatches of records:\n")
	for i := range s.Patches {
		fmt.Fprintf(b, "  %s\n", patchLine(&s.Patches[i]))
	}
}

// patchLines returns what came of the blocks in the last answer that had any.
func patchLines(st *flow.State) string {
	rows := audit.PatchRows(st.Patches[len(st.Patches)-1:])
	lines := make([]string, len(rows))
	for i := range rows {
		lines[i] = patchLine(&rows[i])
	}
	return strings.Join(lines, "\n")
}
