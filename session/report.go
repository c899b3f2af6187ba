package session

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact/lint"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
)

// Report is the stored result of a settlement.
type Report struct {
	Schema   string           `json:"schema"`
	Readings []settle.Reading `json:"readings"`
	Merge    merge.Report     `json:"merge"`
	Lint     string           `json:"lint,omitempty"` // the rules behind the following findings
	Findings []lint.Finding   `json:"findings"`
}

func newReport(s *settle.Settlement) *Report {
	return &Report{Schema: "brenner.report/v1", Readings: s.Readings, Merge: s.Report, Lint: lint.Version, Findings: s.Lint.Findings}
}

// JSON returns the report in canonical form.
func (r *Report) JSON() []byte {
	// All text comes from readers that accept only UTF-8, or is quoted. Any invalid bytes are
	// replaced.
	data, _ := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return data
}

// decisions returns the report without wording and without line numbers of rendered files.
func (r *Report) decisions() []byte {
	var bare Report
	if json.Unmarshal(r.JSON(), &bare) != nil { // a deep copy
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

// Report returns the stored report of a commit.
func (h *History) Report(ctx context.Context, c *flow.Commit) (*Report, error) {
	r, err := readReport(ctx, h.Store, c.Report)
	if err != nil {
		return nil, h.commitError(c, err)
	}
	return r, nil
}
