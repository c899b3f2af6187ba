package settle

import (
	"slices"

	"brenner/internal/fault"
	"brenner/merge"
)

// Account is what became of one message.
type Account struct {
	Tally
	Refusals []Refusal       // everything in it that was not taken
	Warnings []merge.Warning // about references in it
	// Conflicts are the places at which it conflicts with another message: H1.claim.
	Conflicts []string
}

// Refusal is something in a message that was not taken.
type Refusal struct {
	Line    int        `json:"line,omitzero"`   // in the message, if known
	Delta   string     `json:"delta,omitempty"` // of a block: its operation, section and target
	Target  string     `json:"target_id,omitempty"`
	Field   string     `json:"field,omitempty"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Accounts returns what became of each reading, also of several by one author.
func (s *Settlement) Accounts() []Account {
	of := make(map[string]int, len(s.Deltas)) // reading by delta
	unreadable := make(map[string]bool)
	at := make(map[int]int, len(s.Readings))
	for i := range s.Readings {
		at[s.Readings[i].message] = i
	}
	for i := range s.Deltas {
		d := &s.Deltas[i]
		if reading, ok := at[d.Place.Message]; ok {
			of[d.ID] = reading
		}
		unreadable[d.ID] = unreadable[d.ID] || d.Problem != nil
	}
	rows := make([][]merge.Row, len(s.Readings))
	for i := range s.Report.Deltas {
		if reading, ok := of[s.Report.Deltas[i].DeltaID]; ok {
			rows[reading] = append(rows[reading], s.Report.Deltas[i])
		}
	}
	all := make([]Account, len(s.Readings))
	for i := range s.Readings {
		r := &s.Readings[i]
		all[i].Tally = r.tally(rows[i])
		for _, p := range r.Problems {
			all[i].Refusals = append(all[i].Refusals, Refusal{Line: p.Line, Delta: r.written[place{p.Line, p.Column}], Code: p.Code, Message: p.Message})
		}
		all[i].Refusals = append(all[i].Refusals, r.Aside...)
		for j := range rows[i] {
			if row := &rows[i][j]; !unreadable[row.DeltaID] { // those have a problem
				all[i].Refusals = append(all[i].Refusals, refusals(row)...)
				all[i].Conflicts = append(all[i].Conflicts, conflicts(row)...)
			}
		}
	}
	for _, w := range s.Report.Warnings {
		if reading, ok := of[w.Delta]; ok && w.Delta != "" {
			all[reading].Warnings = append(all[reading].Warnings, w)
		}
	}
	return all
}

// Last returns what became of the last n readings: of the letters after the replies of a round.
func (s *Settlement) Last(n int) []Account {
	all := s.Accounts()
	return all[len(all)-n:]
}

// RowsBefore returns the rows of the merge for messages before a number in the thread: of the replies of a round.
func (s *Settlement) RowsBefore(message int) []merge.Row {
	later := make(map[string]bool)
	for i := range s.Deltas {
		if p := s.Deltas[i].Place; p != nil && p.Message >= message {
			later[s.Deltas[i].ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Report.Deltas), func(r merge.Row) bool { return later[r.DeltaID] })
}

func conflicts(row *merge.Row) []string {
	var places []string
	for _, f := range row.Fields {
		if f.Outcome == merge.FieldConflicted {
			places = append(places, row.TargetID+"."+f.Field)
		}
	}
	return places
}

func refusals(row *merge.Row) []Refusal {
	switch {
	case row.Disposition == merge.Rejected, row.Disposition == merge.Skipped && row.Code != "":
		return []Refusal{{Target: row.TargetID, Code: row.Code, Message: row.Reason()}}
	case row.Disposition == merge.Superseded, row.Disposition == merge.Skipped:
		return []Refusal{{Target: row.TargetID, Code: fault.Code(row.Disposition.String()), Message: row.Reason()}}
	}
	var all []Refusal
	for _, f := range row.Fields {
		if isRefusedField(f) {
			all = append(all, Refusal{Target: row.TargetID, Field: f.Field, Code: f.Code(), Message: f.Message})
		}
	}
	return all
}
