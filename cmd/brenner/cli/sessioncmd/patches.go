package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/session/flow"
)

// patchRow is what came of an agent's blocks about one text.
type patchRow struct {
	Agent   string `json:"agent"`
	Round   int    `json:"round"`
	Record  string `json:"record"`
	Made    string `json:"made"`
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func patchRows(st *flow.State) []patchRow {
	rows := []patchRow{}
	for i := range st.Patches {
		p := &st.Patches[i]
		for j := range p.Changes {
			c := &p.Changes[j]
			rows = append(rows, patchRow{p.Agent, p.Round, c.Record, c.Made, c.Status, string(c.Code), c.Message})
		}
	}
	return rows
}

func (r *patchRow) line() string {
	what := fmt.Sprintf("round %d, %s on %s: ", r.Round, ui.Clean(r.Agent), ui.Clean(r.Record))
	if r.Made != "" {
		return what + "made " + ui.Clean(r.Made) + ", " + r.Status
	}
	return what + r.Code + ": " + ui.Clean(ui.Clip(r.Message))
}

// patches names the versions of records that agents made, and what was refused.
func (s *sessionSummary) patches(b *strings.Builder) {
	if len(s.Patches) == 0 {
		return
	}
	b.WriteString("\nPatches of records:\n")
	for i := range s.Patches {
		fmt.Fprintf(b, "  %s\n", s.Patches[i].line())
	}
}

// patchLines says what came of the blocks in the last answer that had any.
func patchLines(st *flow.State) string {
	rows := patchRows(&flow.State{Patches: st.Patches[len(st.Patches)-1:]})
	lines := make([]string, len(rows))
	for i := range rows {
		lines[i] = rows[i].line()
	}
	return strings.Join(lines, "\n")
}
