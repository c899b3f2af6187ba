package govern

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/govern/policy"
	"brenner/internal/fault"
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
	Schema     string       `json:"schema"`
	Findings   []FindingRow `json:"findings"`
	Review     string       `json:"review"` // where they are stored; empty if not, or if stored before
	Deprecated []string     `json:"deprecated"`
}

// FindingRow is a finding as text.
type FindingRow struct {
	Check  string `json:"check"`
	Ref    string `json:"record"`
	Other  string `json:"other"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

// RunChecks runs checks and stores their findings if requested.
func (rs *Records) RunChecks(ctx context.Context, who Actor, run CheckRun) (*CheckResult, error) {
	found, err := rs.Check(ctx, who, run.Checks...)
	if err != nil {
		return nil, err
	}
	out := &CheckResult{Schema: "brenner.store.check/v1"}
	for _, f := range found {
		out.Findings = append(out.Findings, FindingRow{f.Check, f.Ref.Name(), f.Other.Name(), f.Text(), f.Fix})
	}
	if run.Write {
		h, done, err := run.Helper()
		if err != nil {
			return nil, err
		}
		defer done()
		put, err := rs.Review(ctx, who, run.Name, found, h)
		if err != nil {
			return nil, err
		}
		if put != nil {
			out.Review = put.Record.Ref().String()
		}
	}
	if run.Tidy {
		out.Deprecated, err = rs.deprecateRepetitions(ctx, who, found)
	}
	return out, err
}

func (rs *Records) deprecateRepetitions(ctx context.Context, who Actor, found []Finding) ([]string, error) {
	var done []string
	for _, f := range found {
		if f.Check != CheckDuplicates {
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

// FixSummaries makes new summaries for those that the check finds, by an agent or from the text.
func (rs *Records) FixSummaries(ctx context.Context, who Actor, h *Helper) ([]Put, error) {
	found, err := rs.Check(ctx, who, CheckSummaries)
	if err != nil {
		return nil, err
	}
	var all []Put
	for _, f := range found {
		r, _, err := rs.Find(ctx, f.Ref.String())
		if err != nil {
			return nil, err
		}
		if !r.StaleSummary() && !h.Available() {
			continue // extracting it again would not change it
		}
		put, err := rs.Summarise(ctx, who, r.Ref().String(), h)
		switch {
		case fault.CodeOf(err) == NothingNew: // it cannot be shown to the agent, and the extracted one is current
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, put)
	}
	return all, nil
}

// Review puts findings, and the critic's text if there is one, as a review. It returns nil if
// there is neither.
func (rs *Records) Review(ctx context.Context, who Actor, name string, found []Finding, h *Helper) (*Put, error) {
	if len(found) == 0 && !h.Available() {
		return nil, nil
	}
	draft := Draft{ID: "review-" + name, Type: record.Review, Module: record.Project, NoLinks: true}
	var b strings.Builder
	fmt.Fprintf(&b, "# Check of %s\n\nFound by the program, which understands no text: %d.\n\n", name, len(found))
	var about []record.Ref
	for _, f := range found {
		line, err := rs.storable(ctx, f)
		if err != nil {
			return nil, err
		}
		b.WriteString("- " + line + "\n")
		for _, ref := range []record.Ref{f.Ref, f.Other} {
			if ref != (record.Ref{}) && !slices.Contains(about, ref) {
				about = append(about, ref)
			}
		}
	}
	if err := rs.mayPut(ctx, who, &draft); err != nil {
		return nil, err
	}
	about, err := filter(about, func(ref record.Ref) (bool, error) { return rs.isStored(ctx, ref) })
	if err != nil {
		return nil, err
	}
	draft.Summary = fmt.Sprintf("%d findings about %s, mechanical ones alone: no model was asked.", len(found), name)
	if !h.Available() {
		if err := rs.cite(ctx, &draft, about); err != nil {
			return nil, err
		}
		draft.Content, draft.summaryBy = []byte(b.String()), record.Extracted
		put, err := rs.putOne(ctx, who, draft)
		if fault.CodeOf(err) == NothingNew {
			return nil, nil // found and stored before
		}
		return &put, err
	}
	a, err := rs.ask(ctx, who, h, job{
		name: "check-" + name, role: policy.Critic, module: record.Project, cross: true, inputs: about[:min(len(about), maxInputs)],
		task: "Check the " + name + " of the project: " + question(name) + " Name records by their ids, and say for each finding what speaks for it. Answer with a Markdown list, or with \"Nothing found.\"",
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n## What %s says\n\n%s\n", h.Name, a.text)
	if hidden := slices.DeleteFunc(about, func(ref record.Ref) bool { return slices.Contains(a.shown, ref) }); len(hidden) > 0 {
		fmt.Fprintf(&b, "\n%s was not shown: %s.\n", h.Name, refList(hidden))
	}
	if err := rs.cite(ctx, &draft, a.given); err != nil {
		return nil, err
	}
	draft.Content, draft.Task = []byte(b.String()), a.task.String()
	draft.Summary = fmt.Sprintf("%d mechanical findings about %s, and what %s says.", len(found), name, oneLine(h.Name))
	put, err := rs.putOne(ctx, Actor{Name: h.Name, Role: policy.Critic}, draft)
	if err := rs.journalResult(ctx, a, put.Record.Ref(), err); err != nil {
		return nil, err
	}
	put.Asked = a.event.Asked
	return &put, nil
}

// cite links a review to what was examined for it, except other reviews and what depends on an
// earlier version of itself.
func (rs *Records) cite(ctx context.Context, draft *Draft, refs []record.Ref) error {
	loops, _, err := rs.traceSources(ctx, refs, func(ref record.Ref) (bool, error) { return ref.ID == draft.ID, nil })
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

// storedFormat returns the format of a finding's detail in reviews. Their wording does not change:
// with another one, findings that are already in a review would be stored again.
func storedFormat(format string) string {
	switch format {
	case noBrief:
		return "there is no canonical project brief to hold anything against"
	case olderThanBrief:
		return "it is older than the brief: nobody has held it against that"
	case outOfBrief:
		return "it is about %q, which the brief puts out of scope"
	case noSources:
		return "it says nothing about what it rests on"
	case missingTarget:
		return "it points at %s, which is not in the store"
	case staleSummary:
		return "its summary was written for another content"
	case extractedSummary:
		return "its summary is the beginning of its text, taken by the program"
	case unusedFor:
		return "nothing that stands has pointed at it for %s"
	case compressionDue:
		return "%s records of %s, as they stand, are in no memo; %d is the limit"
	case duplicateOf:
		return "it says what %s says, word for word"
	}
	return format
}

// storable returns a finding as reviews have it, without text that their readers may not read.
func (rs *Records) storable(ctx context.Context, f Finding) (string, error) {
	f.Detail = cmp.Or(f.stored, f.Detail)
	for _, ref := range []record.Ref{f.Ref, f.Other} {
		if ref == (record.Ref{}) || f.Quote == "" {
			continue
		}
		h, err := rs.existingHead(ctx, ref.ID)
		if err != nil {
			return "", err
		}
		for _, role := range rs.Access {
			if slices.Contains(role.Read, record.Review) && !slices.Contains(role.Read, h.Type) {
				f.Detail += " (see " + f.Ref.String() + " and " + f.Other.String() + ")"
				f.Quote = ""
				break
			}
		}
	}
	return f.String(), nil
}

func refList(refs []record.Ref) string { return strings.Join(refNames(refs), ", ") }

func question(check string) string {
	switch check {
	case CheckAlignment:
		return "which core records go beyond the brief, or contradict its goals and constraints?"
	case CheckAssumptions:
		return "which modules assume what another module denies?"
	}
	return "what is redundant, overlapping, of low quality or out of date?"
}
