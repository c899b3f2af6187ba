package session

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
)

// Report is what became of everything that a commit settled, as it is stored.
type Report struct {
	Schema   string         `json:"schema"`
	Readings []Reading      `json:"readings"`
	Merge    merge.Report   `json:"merge"`
	Lint     string         `json:"lint,omitempty"` // the rules that found what follows
	Findings []lint.Finding `json:"findings"`
}

// Reading is what the reader made of one contribution.
type Reading struct {
	Agent    string          `json:"agent"`
	Message  string          `json:"message"`
	Taken    int             `json:"taken"`
	Refused  int             `json:"refused"`
	Repaired int             `json:"repaired"`
	Shown    int             `json:"only_shown"`
	Problems []delta.Located `json:"problems"`
}

func newReport(s *settle.Settlement) *Report {
	r := &Report{Schema: "brenner.report/v1", Merge: s.Report, Lint: lint.Version, Findings: s.Lint.Findings}
	for i := range s.Readings {
		in := &s.Readings[i]
		r.Readings = append(r.Readings, Reading{
			Agent: in.Agent, Message: in.ID, Taken: in.Taken, Refused: in.Refused, Repaired: in.Repaired, Shown: in.Shown, Problems: in.Problems,
		})
	}
	return r
}

// JSON gives the report in one form for one content.
func (r *Report) JSON() []byte {
	// Everything in it came out of readers that let only UTF-8 through, or is
	// quoted; should a text not be, it is written with its bad bytes replaced.
	data, _ := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return data
}

// decisions gives the report without its words, and without the lines of a file that is
// made of it.
func (r *Report) decisions() []byte {
	var bare Report
	if json.Unmarshal(r.JSON(), &bare) != nil { // it shares nothing with the report
		return nil
	}
	for i := range bare.Readings {
		for j := range bare.Readings[i].Problems {
			p := &bare.Readings[i].Problems[j]
			p.Message, p.Hint = "", ""
		}
	}
	for i := range bare.Merge.Deltas {
		row := &bare.Merge.Deltas[i]
		row.Message = ""
		for j := range row.Fields {
			row.Fields[j].Message = ""
		}
	}
	for i := range bare.Merge.Warnings {
		bare.Merge.Warnings[i].Message = ""
	}
	for i := range bare.Findings {
		f := &bare.Findings[i]
		f.Message, f.Fix, f.Line = "", "", 0
	}
	return bare.JSON()
}

func readReport(ctx context.Context, st store.Store, hash string) (*Report, error) {
	data, err := st.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, &fault.Error{Code: store.Damaged, Op: "read a report", Cause: err}
	}
	return &r, nil
}

// Report gives what became of everything that a commit settled.
func (h *History) Report(ctx context.Context, c *flow.Commit) (*Report, error) {
	r, err := readReport(ctx, h.Store, c.Report)
	if err != nil {
		return nil, h.inCommit(c, err)
	}
	return r, nil
}
