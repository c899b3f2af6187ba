package govern

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/govern/brief"
	"brenner/govern/critique"
	"brenner/govern/finding"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store/record"
)

// CheckRun selects checks, and what to do with their findings.
type CheckRun struct {
	Name   string // of the review
	Checks []string
	Write  bool // store the findings as a review
	Tidy   bool // deprecate exact duplicates
	// Helper returns the critic to ask, which may be nil, and its cleanup, if a review is written.
	Helper func() (*Helper, func(), error)
}

// CheckResult is the findings of checks.
type CheckResult struct {
	Schema     string               `json:"schema"`
	Findings   []FindingRow         `json:"findings"`
	Review     string               `json:"review"` // where they are stored; empty if not, or if stored before
	Deprecated []string             `json:"deprecated"`
	NotCounted []critique.Uncounted `json:"not_counted"`
	Notes      []string             `json:"notes"` // what was not examined, and who was not asked
}

// FindingRow is a finding as text.
type FindingRow struct {
	Check   string   `json:"check"`
	Ref     string   `json:"record"`
	Other   string   `json:"other"`
	Detail  string   `json:"detail"`
	Fix     string   `json:"fix"`
	Quote   string   `json:"quote"`
	By      string   `json:"by"` // the critic; empty for the program
	Records []string `json:"records"`
}

// RunChecks runs checks and stores their findings if requested. If a critic could not be asked, it returns the other
// findings and the error.
func (rs *Records) RunChecks(ctx context.Context, who Actor, run CheckRun) (*CheckResult, error) {
	c, err := rs.check(ctx, who, run.Checks)
	if err != nil {
		return nil, err
	}
	out := &CheckResult{Schema: "brenner.store.check/v1"}
	all := c.found
	var failed error
	if run.Write {
		h, done, err := run.Helper()
		if err != nil {
			return nil, err
		}
		defer done()
		r := &reviewing{checking: c, run: &run, h: h}
		put, err := r.review(ctx)
		if err != nil {
			return nil, err
		}
		if put != nil {
			out.Review = put.Record.Ref().String()
		}
		all = append(slices.Clone(all), r.findings(out)...)
		failed = r.failed
	}
	out.Notes = c.notes
	for i := range all {
		f := &all[i]
		out.Findings = append(out.Findings, FindingRow{f.Check, f.Ref.Name(), f.Other.Name(), f.Text(), f.Fix, f.Quote, f.By, refNames(f.Refs())})
	}
	if run.Tidy {
		if out.Deprecated, err = rs.deprecateRepetitions(ctx, who, c.found); err != nil {
			return nil, err
		}
	}
	return out, failed
}

func (rs *Records) deprecateRepetitions(ctx context.Context, who Actor, found []finding.Finding) ([]string, error) {
	var done []string
	for _, f := range found {
		if f.Check != finding.Duplicates || f.Near {
			continue
		}
		_, err := rs.Deprecate(ctx, who, f.Ref.String(), "it says what "+f.Other.String()+" says", false)
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

// FixSummaries makes new summaries for those that the check finds, by an agent or from the text. It
// also returns the findings about briefs that only their authors can fix.
func (rs *Records) FixSummaries(ctx context.Context, who Actor, h *Helper) (made []Put, left []finding.Finding, err error) {
	found, err := rs.Check(ctx, who, finding.Summaries)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		r, _, err := rs.Find(ctx, f.Ref.String())
		if err != nil {
			return nil, nil, err
		}
		if !r.StaleSummary() && !h.Available() && r.Type != record.ProjectBrief {
			continue // extracting it again would not change it
		}
		put, err := rs.Summarise(ctx, who, r.Ref().String(), h)
		switch {
		case fault.CodeOf(err) == brief.Bad: // only its author can state a goal
			left = append(left, f)
		case fault.CodeOf(err) == NothingNew: // a version with a summary waits, or it cannot be shown to the agent
			continue
		case err != nil:
			return nil, nil, err
		default:
			made = append(made, put)
		}
	}
	return made, left, nil
}

// Review puts findings as a review. It returns nil if there are none, or if they are stored already.
func (rs *Records) Review(ctx context.Context, who Actor, name string, found []finding.Finding) (*Put, error) {
	return (&reviewing{checking: &checking{Records: rs, who: who, found: found}, run: &CheckRun{Name: name}}).review(ctx)
}

// reviewing is the review of findings, with those of a critic if there is one.
type reviewing struct {
	*checking
	run    *CheckRun
	h      *Helper
	asked  []*critic
	failed error // of the first question that was not answered
}

func (r *reviewing) review(ctx context.Context) (*Put, error) {
	id, err := r.freeID(ctx, "review-"+r.run.Name, record.Review, record.Project)
	if err != nil {
		return nil, err
	}
	draft := Draft{ID: id, Type: record.Review, Module: record.Project, NoLinks: true, newest: true}
	if err := r.ask(ctx, &draft); err != nil {
		return nil, err
	}
	if len(r.found) == 0 && len(r.asked) == 0 {
		return nil, nil
	}
	if err := r.mayPut(ctx, r.who, &draft); err != nil {
		return nil, err
	}
	name := r.run.Name
	var b strings.Builder
	fmt.Fprintf(&b, "# Check of %s\n\nFound by the program, which understands no text: %d.\n\n", name, len(r.found))
	var about []record.Ref
	list := func(found []finding.Finding) error {
		for i := range found {
			line, err := r.storable(ctx, found[i])
			if err != nil {
				return err
			}
			b.WriteString("- " + line + "\n")
			if f := &found[i]; f.By != "" && f.Fix != "" {
				b.WriteString("  Fix: " + f.Fix + "\n")
			}
			about = append(about, found[i].Refs()...)
		}
		return nil
	}
	if err := list(r.found); err != nil {
		return nil, err
	}
	for _, note := range r.notes {
		b.WriteString("\nNot examined: " + note + ".\n")
	}
	for _, c := range r.asked {
		fmt.Fprintf(&b, "\n## What %s found: %s\n\n%s\n\n", r.h.Name, c.Check, c.Summary(len(c.found)))
		if err := list(c.found); err != nil {
			return nil, err
		}
		b.WriteString(c.Rest())
	}
	about, err = r.storedRefs(ctx, about)
	if err != nil {
		return nil, err
	}
	if err := r.cite(ctx, &draft, about); err != nil {
		return nil, err
	}
	draft.Content = []byte(b.String())
	if len(r.asked) > 0 {
		return r.putByCritic(ctx, draft)
	}
	draft.Summary, draft.summaryBy = fmt.Sprintf("%s about %s, mechanical ones alone: no model was asked.", text.Count(len(r.found), "finding"), name), record.Extracted
	put, err := r.putOne(ctx, r.who, draft)
	if fault.CodeOf(err) == NothingNew {
		return nil, nil // found and stored before
	}
	return &put, err
}

// storedRefs returns the distinct versions that are in the store.
func (rs *Records) storedRefs(ctx context.Context, refs []record.Ref) ([]record.Ref, error) {
	seen := make(map[record.Ref]bool)
	return filter(refs, func(ref record.Ref) (bool, error) {
		if seen[ref] {
			return false, nil
		}
		seen[ref] = true
		return rs.isStored(ctx, ref)
	})
}

// cite links a review to what was examined for it, except other reviews and what depends on an
// earlier version of itself.
func (rs *Records) cite(ctx context.Context, draft *Draft, refs []record.Ref) error {
	loops, _, err := rs.TraceSources(ctx, refs, func(ref record.Ref) (bool, error) { return ref.ID == draft.ID, nil })
	if err != nil {
		return err
	}
	for _, ref := range refs {
		h, err := rs.existingHead(ctx, ref.ID)
		if err != nil {
			return err
		}
		if _, loop := loops[ref]; !loop && h.Type != record.Review {
			draft.Links = append(draft.Links, Link{record.Cites, ref.String()})
		}
	}
	return nil
}

// storable returns a finding as reviews have it, without text that their readers may not read.
func (rs *Records) storable(ctx context.Context, f finding.Finding) (string, error) {
	f.Detail = cmp.Or(f.Stored, f.Detail)
	for _, ref := range f.Refs() {
		if f.Quote == "" {
			continue
		}
		h, err := rs.existingHead(ctx, ref.ID)
		if err != nil {
			return "", err
		}
		for _, role := range rs.Access {
			if slices.Contains(role.Read, record.Review) && !slices.Contains(role.Read, h.Type) {
				f.Detail += " (see " + strings.Join(refNames(f.Refs()), " and ") + ")"
				f.Quote = ""
				break
			}
		}
	}
	return f.String(), nil
}

func refList(refs []record.Ref) string { return strings.Join(refNames(refs), ", ") }
