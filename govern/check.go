package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Finding is a finding of a check.
type Finding struct {
	Check  string
	Ref    record.Ref // zero if not about a single record
	Other  record.Ref // the second record of a contradiction
	Detail string
	// Quote is the text in question. It is left out of stored reviews whose readers may not
	// read the record.
	Quote string
	Fix   string

	stored string // Detail as reviews have it
}

func (f *Finding) String() string {
	text := f.Check + ": "
	if f.Ref != (record.Ref{}) {
		text += f.Ref.String() + ": "
	}
	return text + f.Text()
}

// Text returns the finding with the text in question.
func (f *Finding) Text() string {
	if f.Quote == "" {
		return f.Detail
	}
	return fmt.Sprintf("%s about %q", f.Detail, f.Quote)
}

// Names of the checks.
const (
	CheckAlignment   = "alignment"
	CheckAssumptions = "assumptions"
	CheckLinks       = "links"
	CheckSummaries   = "summaries"
	CheckUnused      = "unused"
	CheckCompression = "compression"
	CheckDuplicates  = "duplicates"
)

// Details of findings.
const (
	noBrief          = "there is no canonical project brief"
	olderThanBrief   = "it is older than the brief, and has not been compared with it"
	outOfBrief       = "it mentions %q, which the brief puts out of scope"
	noSources        = "it names no sources"
	missingTarget    = "it links to %s, which is not in the store"
	staleSummary     = "its summary was written for different content"
	extractedSummary = "its summary was extracted from its text"
	unusedFor        = "no current version has linked to it for %s"
	compressionDue   = "%s records of %s are in no memo; the limit is %d"
	duplicateOf      = "identical to %s"
)

// Checks returns the names of all checks.
func Checks() []string {
	return []string{CheckAlignment, CheckAssumptions, CheckLinks, CheckSummaries, CheckUnused, CheckCompression, CheckDuplicates}
}

// Check runs mechanical checks on the records that the actor may read.
func (rs *Records) Check(ctx context.Context, who Actor, names ...string) ([]Finding, error) {
	c := &checking{Records: rs, who: who, hidden: make(map[string]bool)}
	if _, known := rs.Access.Of(who.Role); !who.person() && !known {
		return nil, unknownRole(who.Role, rs.Access)
	}
	var err error
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
			CheckAlignment: c.alignment, CheckAssumptions: c.assumptions, CheckLinks: c.links, CheckSummaries: c.summaries,
			CheckUnused: c.unusedRecords, CheckCompression: c.compression, CheckDuplicates: c.duplicates,
		}[name]
		if run == nil {
			return nil, &fault.Error{Code: NothingGiven, Detail: "no such check: " + fault.Shown(name), Hint: "use one of " + strings.Join(Checks(), ", ")}
		}
		if err := run(ctx); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

type checking struct {
	*Records
	who    Actor
	name   string
	heads  []record.Head
	hidden map[string]bool // ids of records that the actor may not read
	found  []Finding
}

func (c *checking) add(ref, other record.Ref, fix, format string, args ...any) {
	if !c.hidden[ref.ID] && !c.hidden[other.ID] {
		c.found = append(c.found, Finding{
			Check: c.name, Ref: ref, Other: other, Detail: fmt.Sprintf(format, args...), Fix: fix, stored: fmt.Sprintf(storedFormat(format), args...),
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
	h, err := c.holderOf(ctx, record.ProjectBrief, record.Project)
	if err != nil || !c.mayRead(c.who, record.ProjectBrief) {
		return err
	}
	if h == nil {
		c.add(record.Ref{}, record.Ref{}, "put one with `brenner project brief FILE`, and promote it", noBrief)
		return nil
	}
	brief, err := c.standingRecord(ctx, h)
	if err != nil {
		return err
	}
	text, err := c.Content(ctx, &brief)
	if err != nil {
		return err
	}
	outside := listUnder(string(text), "out of scope")
	return c.each(ctx, func(t record.Type) bool { return t.Core && !t.Whole }, func(r *record.Record) error {
		if r.At.Before(brief.At) {
			c.add(r.Ref(), brief.Ref(), "review it, and promote it if it is still valid", olderThanBrief)
		}
		content, err := c.Content(ctx, r)
		if err != nil {
			return err
		}
		words := " " + plain(string(content)) + " "
		for _, phrase := range outside {
			if mentions(words, plain(phrase)) {
				c.add(r.Ref(), brief.Ref(), "remove it, or change the brief", outOfBrief, phrase)
			}
		}
		return nil
	})
}

// mentions reports whether normalized words, padded with blanks, contain a phrase or its plural.
func mentions(words, phrase string) bool {
	if phrase == "" {
		return false
	}
	for _, end := range []string{" ", "s ", "es "} {
		if strings.Contains(words, " "+phrase+end) {
			return true
		}
	}
	return false
}

// links finds core records without citations, and links to missing or deprecated versions.
func (c *checking) links(ctx context.Context) error {
	return c.each(ctx, func(t record.Type) bool { return !t.Raw }, func(r *record.Record) error {
		if (r.Type == record.IntegratedMemo || r.Type == record.ManuscriptSection) && !slices.ContainsFunc(r.Links, func(l record.Link) bool { return record.Depends(l.Relation) }) {
			c.add(r.Ref(), record.Ref{}, "put a version with --link cites=… for its sources", noSources)
		}
		for _, l := range r.Links {
			to, err := c.lookup(ctx, l.Ref())
			if err != nil {
				return err
			}
			switch {
			case to == nil:
				c.add(r.Ref(), l.Ref(), "put a version without it", missingTarget, l.Ref())
			case record.Depends(l.Relation) && to.Status == record.Deprecated && r.Type != record.TaskSpec && r.Type != record.Review:
				c.add(r.Ref(), l.Ref(), "put a version that depends on current ones", "it %s %s, which is deprecated", l.Relation, l.Ref())
			}
		}
		return nil
	})
}

func (c *checking) summaries(ctx context.Context) error {
	addStale := func(r *record.Record) {
		c.add(r.Ref(), record.Ref{}, "`brenner store check summaries --mend`", staleSummary)
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
		case r.StaleSummary():
			addStale(r)
		case r.SummaryBy == record.Extracted && kind.Core && r.Type != record.ResearchArtifact:
			c.add(r.Ref(), record.Ref{}, "`brenner store check summaries --mend --model ID`", extractedSummary)
		}
		return nil
	})
}

func (c *checking) unusedRecords(ctx context.Context) error {
	unused, err := c.Unused(ctx)
	for i := range unused {
		c.add(unused[i].Standing(), record.Ref{}, "`brenner store deprecate --unused`", unusedFor, c.Rules.Unused)
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
		c.add(u.memo, record.Ref{}, "`brenner store consolidate --module "+u.Module+"`", compressionDue, u.Count(), u.Module, u.Limit)
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
	return c.each(ctx, func(t record.Type) bool { return t.Knowledge && t.Name != record.ResearchArtifact }, func(r *record.Record) error {
		k := key{r.Type, r.Module, r.Content}
		if one, ok := first[k]; ok {
			c.add(r.Ref(), one, "`brenner store consolidate --write` deprecates it, if nothing depends on it", duplicateOf, one)
			return nil
		}
		first[k] = r.Ref()
		return nil
	})
}

type occurrence struct {
	ref    record.Ref
	module string
	status string
}

func (c *checking) assumptions(ctx context.Context) error {
	all := make(map[string][]occurrence)
	var order []string
	err := c.each(ctx, func(t record.Type) bool { return !t.Raw && t.Name != record.TaskSpec && t.Name != record.Review }, func(r *record.Record) error {
		content, err := c.Content(ctx, r)
		if err != nil {
			return err
		}
		for _, a := range assumptionsIn(r, string(content)) {
			if all[a.text] == nil {
				order = append(order, a.text)
			}
			all[a.text] = append(all[a.text], occurrence{r.Ref(), r.Module, a.status})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, text := range order {
		first := all[text][0]
		for _, other := range all[text][1:] {
			if other.status != first.status {
				c.add(first.ref, other.ref, "decide which of the two holds, and put a new version of the other",
					"%s (%s) and %s (%s) disagree", first.module, first.status, other.module, other.status)
				c.quote(text)
			}
		}
	}
	return nil
}

type statement struct{ text, status string }

// assumptionsIn reads lines "Assumes: …" and "Assumes not: …" of any record, the "Status: …" of
// an assumption, and the ledger of a research artifact.
func assumptionsIn(r *record.Record, content string) []statement {
	if r.Type == record.ResearchArtifact {
		return ledgerOf(content)
	}
	var out []statement
	status, main := "", ""
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*#> "))
		key, value, ok := strings.Cut(line, ":")
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case ok && key == "assumes":
			out = append(out, statement{plain(value), "assumed"})
		case ok && key == "assumes not":
			out = append(out, statement{plain(value), "assumed not"})
		case ok && key == "status":
			status = plain(value)
		case main == "" && line != "":
			main = plain(line)
		}
	}
	if r.Type == record.Assumption && status != "" && main != "" {
		out = append(out, statement{main, status})
	}
	return slices.DeleteFunc(out, func(s statement) bool { return s.text == "" })
}

func ledgerOf(content string) []statement {
	a, err := artifact.ParseExact([]byte(content))
	if err != nil {
		return nil
	}
	var out []statement
	for _, it := range a.Active(artifact.AssumptionLedger) {
		text, status := plain(it.Text(artifact.AssumptionLedger.Spec().Main)), plain(it.Text("status"))
		if text != "" && status != "" {
			out = append(out, statement{text, status})
		}
	}
	return out
}

func plain(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, " ")
}
