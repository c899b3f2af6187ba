package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/govern/claim"
	"brenner/govern/finding"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// KnownChecks returns the names, each once. It is an error if one of them is not that of a check.
func KnownChecks(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if !slices.Contains(finding.Names(), name) {
			return nil, &fault.Error{Code: NothingGiven, Detail: "no such check: " + fault.Shown(name), Hint: "use one of " + strings.Join(finding.Names(), ", ")}
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Check runs mechanical checks on the records that the actor may read.
func (rs *Records) Check(ctx context.Context, who Actor, names ...string) ([]finding.Finding, error) {
	c, err := rs.check(ctx, who, names)
	if err != nil {
		return nil, err
	}
	return c.found, nil
}

func (rs *Records) check(ctx context.Context, who Actor, names []string) (*checking, error) {
	c := &checking{Records: rs, who: who, hidden: make(map[string]bool)}
	if _, known := rs.Access.Of(who.Role); !who.person() && !known {
		return nil, unknownRole(who.Role, rs.Access)
	}
	names, err := KnownChecks(names)
	if err != nil {
		return nil, err
	}
	if c.heads, err = rs.Store.Heads(ctx, store.HeadQuery{}); err != nil {
		return nil, err
	}
	c.heads = slices.DeleteFunc(c.heads, func(h record.Head) bool {
		if !rs.mayRead(who, h.Type) {
			c.hidden[h.ID] = true
		}
		return c.hidden[h.ID] || h.Status == record.Deprecated
	})
	for _, name := range names {
		c.name = name
		run := map[string]func(context.Context) error{
			finding.Alignment: c.alignment, finding.Assumptions: c.assumptions, finding.Links: c.links, finding.Stale: c.staleness, finding.Summaries: c.summaries,
			finding.Unused: c.unusedRecords, finding.Compression: c.compression, finding.Duplicates: c.duplicates,
		}[name]
		if err := run(ctx); err != nil {
			return nil, err
		}
	}
	return c, nil
}

type checking struct {
	*Records
	who    Actor
	name   string
	heads  []record.Head
	hidden map[string]bool // ids of records that the actor may not read
	found  []finding.Finding
	notes  []string     // what was not examined
	states []record.Ref // what states assumptions
}

func (c *checking) add(ref, other record.Ref, fix, format string, args ...any) {
	if !c.hidden[ref.ID] && !c.hidden[other.ID] {
		c.found = append(c.found, finding.Finding{
			Check: c.name, Ref: ref, Other: other, Detail: fmt.Sprintf(format, args...), Fix: fix, Stored: fmt.Sprintf(finding.StoredFormat(format), args...),
		})
	}
}

func (c *checking) quote(text string) { c.found[len(c.found)-1].Quote = text }

func (c *checking) each(ctx context.Context, fits func(record.Type) bool, do func(r *record.Record) error) error {
	for i := range c.heads {
		h := &c.heads[i]
		if kind, _ := c.Types.Find(h.Type); !fits(kind) {
			continue
		}
		r, err := c.standingRecord(ctx, h)
		if err != nil {
			return err
		}
		if err := do(&r); err != nil {
			return err
		}
	}
	return nil
}

// alignment compares core records with the brief: their age, and what it puts out of scope.
func (c *checking) alignment(ctx context.Context) error {
	brief, fields, err := c.canonicalBrief(ctx)
	if err != nil || !c.mayRead(c.who, record.ProjectBrief) {
		return err
	}
	if brief == nil {
		c.add(record.Ref{}, record.Ref{}, "put one with `brenner project brief FILE`, and promote it", finding.NoBrief)
		return nil
	}
	return c.each(ctx, func(t record.Type) bool { return t.Core && !t.Whole }, func(r *record.Record) error {
		if r.At.Before(brief.At) {
			c.add(r.Ref(), brief.Ref(), "review it, and promote it if it is still valid", finding.OlderThanBrief)
		}
		content, err := c.Content(ctx, r)
		if err != nil {
			return err
		}
		for _, phrase := range fields.Breaches(string(content)) {
			c.add(r.Ref(), brief.Ref(), "remove it, or change the brief", finding.OutOfBrief, phrase)
		}
		return nil
	})
}

// links finds core records without citations, and links to missing or deprecated versions.
func (c *checking) links(ctx context.Context) error {
	return c.each(ctx, func(t record.Type) bool { return !t.Raw }, func(r *record.Record) error {
		if (r.Type == record.IntegratedMemo || r.Type == record.ManuscriptSection) && !record.DependsOnAny(r.Links) {
			c.add(r.Ref(), record.Ref{}, "put a version with --link cites=… for its sources", finding.NoSources)
		}
		for _, l := range r.Links {
			to, err := c.Lookup(ctx, l.Ref())
			if err != nil {
				return err
			}
			switch {
			case to == nil:
				c.add(r.Ref(), l.Ref(), "put a version without it", finding.MissingTarget, l.Ref())
			case record.Depends(l.Relation) && to.Status == record.Deprecated && r.Type != record.TaskSpec && r.Type != record.Review:
				c.add(r.Ref(), l.Ref(), "put a version that depends on current ones", "it %s %s"+finding.LapsedLink, l.Relation, l.Ref())
			}
		}
		return nil
	})
}

// staleness lists what the status lists as stale, except what the check of links has found.
func (c *checking) staleness(ctx context.Context) error {
	for _, status := range []string{record.NeedsUpdate, record.NeedsRebase} {
		all, err := c.notCurrent(ctx, status)
		if err != nil {
			return err
		}
		for _, one := range all {
			if !slices.ContainsFunc(c.found, func(f finding.Finding) bool {
				return f.Ref == one.Ref && strings.HasSuffix(f.Detail, finding.LapsedLink)
			}) {
				c.add(one.Ref, record.Ref{}, "put a version that depends on current ones", "%s", one.Reason)
			}
		}
	}
	return nil
}

func (c *checking) summaries(ctx context.Context) error {
	addStale := func(r *record.Record) {
		c.add(r.Ref(), record.Ref{}, "`brenner store check summaries --mend`", finding.StaleSummary)
	}
	err := c.eachRelevant(ctx, store.Query{Stale: true}, func(r *record.Record, h *record.Head) error {
		if r.Status != record.Deprecated && h.Standing() != r.Ref() {
			addStale(r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(ctx, func(t record.Type) bool { return !t.Raw && t.Name != record.TaskSpec }, func(r *record.Record) error {
		kind, _ := c.Types.Find(r.Type)
		switch {
		case r.Type == record.ProjectBrief:
			detail, fix, err := c.briefFault(ctx, r)
			if detail != "" {
				c.add(r.Ref(), record.Ref{}, fix, "%s", detail)
			}
			return err
		case r.StaleSummary():
			addStale(r)
		case r.SummaryBy == record.Extracted && kind.Core && r.Type != record.ResearchArtifact:
			c.add(r.Ref(), record.Ref{}, "`brenner store check summaries --mend --model ID`", finding.ExtractedSummary)
		}
		return nil
	})
}

func (c *checking) unusedRecords(ctx context.Context) error {
	unused, err := c.Unused(ctx)
	for i := range unused {
		c.add(unused[i].Standing(), record.Ref{}, "`brenner store deprecate --unused`", finding.UnusedFor, c.Rules.Unused)
	}
	return err
}

func (c *checking) compression(ctx context.Context) error {
	census, err := c.Store.Census(ctx)
	if err != nil {
		return err
	}
	due, err := c.dueOf(ctx, modulesOf(census, func(t record.Type) bool { return t.Knowledge }, c.Types))
	for _, u := range due {
		c.add(u.memo, record.Ref{}, "`brenner store consolidate --module "+u.Module+"`", finding.CompressionDue, u.Count(), u.Module, u.Limit)
	}
	return err
}

// duplicates finds records with the same content; the canonical or oldest one is the original.
func (c *checking) duplicates(ctx context.Context) error {
	defer func(all []record.Head) { c.heads = all }(c.heads)
	c.heads = slices.Clone(c.heads)
	slices.SortStableFunc(c.heads, func(a, b record.Head) int {
		if (a.Canonical > 0) != (b.Canonical > 0) {
			return b.Canonical - a.Canonical
		}
		return a.At.Compare(b.At)
	})
	type key struct{ kind, module, content string }
	first := make(map[key]record.Ref)
	var rest []record.Record
	err := c.each(ctx, func(t record.Type) bool {
		switch t.Name {
		case record.TaskSpec, record.Review, record.ResearchArtifact, record.StalemateRequest, record.StalemateVerdict:
			return false
		}
		return !t.Raw
	}, func(r *record.Record) error {
		k := key{r.Type, r.Module, r.Content}
		if one, ok := first[k]; ok {
			c.add(r.Ref(), one, "`brenner store consolidate --write` deprecates it, if nothing depends on it", finding.DuplicateOf, one)
			return nil
		}
		first[k] = r.Ref()
		rest = append(rest, *r)
		return nil
	})
	if err != nil || c.Embed == nil {
		return err
	}
	return c.nearCopies(ctx, rest)
}

func (c *checking) assumptions(ctx context.Context) error {
	var all []claim.Statement
	var in []record.Record // one for each statement
	err := c.each(ctx, func(t record.Type) bool { return !t.Raw && t.Name != record.TaskSpec && t.Name != record.Review }, func(r *record.Record) error {
		content, err := c.Content(ctx, r)
		if err != nil {
			return err
		}
		found := claim.Assumptions(string(content), r.Type == record.Assumption)
		if r.Type == record.ResearchArtifact {
			found = claim.Ledger(string(content))
		}
		for _, one := range found {
			all, in = append(all, one), append(in, record.Record{ID: r.ID, Version: r.Version, Module: r.Module})
		}
		if len(found) > 0 {
			c.states = append(c.states, r.Ref())
		}
		return nil
	})
	place := func(i int) string {
		if all[i].Status == "" {
			return in[i].Module
		}
		return in[i].Module + " (" + all[i].Status + ")"
	}
	type pair struct {
		a, b record.Ref
		core string
	}
	seen := make(map[pair]bool) // a record may state the same several times
	for _, one := range claim.Conflicts(all) {
		a, b := one.A, one.B
		if seen[pair{in[a].Ref(), in[b].Ref(), all[a].Core}] || seen[pair{in[b].Ref(), in[a].Ref(), all[a].Core}] {
			continue
		}
		seen[pair{in[a].Ref(), in[b].Ref(), all[a].Core}] = true
		format, quote := "%s and %s disagree", all[a].Text
		if one.Negated {
			format, quote = "%s and %s contradict each other", all[a].Said+" / "+all[b].Said
		}
		c.add(in[a].Ref(), in[b].Ref(), "decide which of the two holds, and put a new version of the other", format, place(a), place(b))
		c.quote(quote)
	}
	return err
}
