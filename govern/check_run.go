package govern

import (
	"context"

	"brenner/internal/fault"
)

// CheckRun says which checks to run, and what to do with what they find.
type CheckRun struct {
	Name   string // of the review
	Checks []string
	Write  bool // keep the findings as a review
	Tidy   bool // deprecate exact repetitions
	// Helper makes the critic to ask, and what ends it, where a review is written.
	// The critic may be nil.
	Helper func() (*Helper, func(), error)
}

// CheckResult is what checks found.
type CheckResult struct {
	Schema     string       `json:"schema"`
	Findings   []FindingRow `json:"findings"`
	Review     string       `json:"review"` // where they are kept; empty where they are not, or were before
	Deprecated []string     `json:"deprecated"`
}

// FindingRow is something that a check found, in words.
type FindingRow struct {
	Check  string `json:"check"`
	Ref    string `json:"record"`
	Other  string `json:"other"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

// RunChecks runs checks, and keeps what they find where that is wanted.
func (d *Door) RunChecks(ctx context.Context, who Actor, run CheckRun) (*CheckResult, error) {
	found, err := d.Check(ctx, who, run.Checks...)
	if err != nil {
		return nil, err
	}
	out := &CheckResult{Schema: "brenner.store.check/v1"}
	for _, f := range found {
		out.Findings = append(out.Findings, FindingRow{f.Check, f.Ref.Name(), f.Other.Name(), f.Says(), f.Fix})
	}
	if run.Write {
		h, done, err := run.Helper()
		if err != nil {
			return nil, err
		}
		defer done()
		put, err := d.Review(ctx, who, run.Name, found, h)
		if err != nil {
			return nil, err
		}
		if put != nil {
			out.Review = put.Record.Ref().String()
		}
	}
	if run.Tidy {
		out.Deprecated, err = d.deprecateRepetitions(ctx, who, found)
	}
	return out, err
}

// deprecateRepetitions deprecates what repeats another record and is not used.
func (d *Door) deprecateRepetitions(ctx context.Context, who Actor, found []Finding) ([]string, error) {
	var done []string
	for _, f := range found {
		if f.Check != CheckDuplicates {
			continue
		}
		_, err := d.Deprecate(ctx, who, f.Ref.String(), "it says what "+f.Other.String()+" says", false)
		switch {
		case fault.CodeOf(err) == StillUsed:
			continue
		case err != nil:
			return done, err
		}
		done = append(done, f.Ref.String())
	}
	return done, nil
}

// MendSummaries makes new summaries for those that the check of summaries finds: by an
// agent, or from the text.
func (d *Door) MendSummaries(ctx context.Context, who Actor, h *Helper) ([]Put, error) {
	found, err := d.Check(ctx, who, CheckSummaries)
	if err != nil {
		return nil, err
	}
	var all []Put
	for _, f := range found {
		r, _, err := d.Find(ctx, f.Ref.String())
		if err != nil {
			return nil, err
		}
		if !r.StaleSummary() && !h.There() {
			continue // the program's own would be the same again
		}
		put, err := d.Summarise(ctx, who, r.Ref().String(), h)
		switch {
		case fault.CodeOf(err) == NothingNew: // the agent cannot be shown it, and the program's own stands
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, put)
	}
	return all, nil
}
