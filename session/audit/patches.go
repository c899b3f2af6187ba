package audit

import "brenner/session/flow"

// PatchRow is the outcome of an agent's blocks about one text, or of one record in its answer.
type PatchRow struct {
	Agent string `json:"agent"`
	Round int    `json:"round"`
	PatchResult
}

// PatchResult is the outcome of the search/replace blocks of a reply and its repair about one text, or of
// one of their records.
type PatchResult struct {
	Record  string `json:"record"`
	Made    string `json:"made"`
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Kind    string `json:"kind,omitempty"` // flow.RecordKind, or "" for blocks
	Hint    string `json:"hint,omitempty"` // of a refused record
	// Elsewhere reports whether what was made is not in this store: the session was imported without it.
	Elsewhere bool `json:"elsewhere,omitzero"`
	// Corrected reports that the author sent another record or change instead, when asked.
	Corrected bool `json:"corrected,omitzero"`
}

// PatchRows returns the outcomes of the blocks and records in answers, without records that their authors
// corrected.
func PatchRows(answers []flow.Patched) []PatchRow {
	rows := []PatchRow{}
	for i := range answers {
		p := &answers[i]
		for j := range p.Changes {
			if !p.Changes[j].Corrected {
				rows = append(rows, PatchRow{p.Agent, p.Round, patchResult(&p.Changes[j])})
			}
		}
	}
	return rows
}

func patchResult(c *flow.Patch) PatchResult {
	r := PatchResult{Record: c.Record, Made: c.Made, Status: c.Status, Code: string(c.Code), Message: c.Message, Kind: c.Kind, Corrected: c.Corrected}
	if c.Kind == flow.RecordKind {
		r.Hint = c.Hint
	}
	return r
}
