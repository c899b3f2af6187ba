package audit

import (
	"brenner/session/flow"
)

// PatchRow is what came of an agent's blocks about one text.
type PatchRow struct {
	Agent   string `json:"agent"`
	Round   int    `json:"round"`
	Record  string `json:"record"`
	Made    string `json:"made"`
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// PatchRows returns what came of the blocks in answers.
func PatchRows(answers []flow.Patched) []PatchRow {
	rows := []PatchRow{}
	for i := range answers {
		p := &answers[i]
		for j := range p.Changes {
			c := &p.Changes[j]
			rows = append(rows, PatchRow{p.Agent, p.Round, c.Record, c.Made, c.Status, string(c.Code), c.Message})
		}
	}
	return rows
}
