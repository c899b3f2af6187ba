package govern

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

// Status is the state of a project's records.
type Status struct {
	Schema  string         `json:"schema"`
	Current bool           `json:"current"` // nothing needs a person
	Records int            `json:"records"`
	Census  []record.Count `json:"census"`
	Spine   []SpineEntry   `json:"spine"`
	// NeedsUpdate and NeedsRebase are versions that count and are not current.
	NeedsUpdate    []Outdated `json:"needs_update"`
	NeedsRebase    []Outdated `json:"needs_rebase"`
	Forks          []Fork     `json:"forks"`
	StaleSummaries []string   `json:"stale_summaries"`
	Due            []Due      `json:"compression_due"`
	Refused        int        `json:"refused_attempts"` // outside a role's scope
}

// Outdated is a version that is not current, and why.
type Outdated struct {
	Ref       record.Ref `json:",embed"`
	Type      string     `json:"type"`
	Module    string     `json:"module"`
	Canonical bool       `json:"canonical"`
	Reason    string     `json:"reason"`
}

// Fork is a record that went several ways.
type Fork struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Module string `json:"module"`
	Core   bool   `json:"core"`
	Tips   []int  `json:"tips"`
}

// SpineEntry is a place of the project's spine, and the version that holds it.
type SpineEntry struct {
	Type   string `json:"type"`
	Module string `json:"module"`
	Holder string `json:"holder"` // empty where no version does
	Status string `json:"status"`
}

// Status looks at all records, by the store's lists alone.
func (d *Door) Status(ctx context.Context) (*Status, error) {
	s := &Status{Schema: "brenner.store.status/v1"}
	var err error
	if s.Census, err = d.Store.Census(ctx); err != nil {
		return nil, err
	}
	for _, c := range s.Census {
		s.Records += c.Records
	}
	if s.Spine, err = d.spine(ctx, s.Census); err != nil {
		return nil, err
	}
	if s.NeedsUpdate, err = d.notCurrent(ctx, record.NeedsUpdate); err != nil {
		return nil, err
	}
	if s.NeedsRebase, err = d.notCurrent(ctx, record.NeedsRebase); err != nil {
		return nil, err
	}
	if s.Forks, err = d.Forks(ctx); err != nil {
		return nil, err
	}
	stale, err := d.Store.Records(ctx, store.Query{Stale: true})
	if err != nil {
		return nil, err
	}
	for i := range stale {
		h, err := d.whole(ctx, stale[i].ID)
		if err != nil {
			return nil, err
		}
		counts, err := d.counts(ctx, &h, stale[i].Version)
		if err != nil {
			return nil, err
		}
		if counts && stale[i].Status != record.Deprecated {
			s.StaleSummaries = append(s.StaleSummaries, stale[i].Ref().String())
		}
	}
	if s.Due, err = d.dueOf(ctx, modulesOf(s.Census, func(t record.Type) bool { return t.Knowledge }, d.Types)); err != nil {
		return nil, err
	}
	head, err := d.head(ctx, Refusals)
	s.Refused = head.Seq
	s.Current = len(s.NeedsUpdate)+len(s.NeedsRebase)+len(s.Forks)+len(s.StaleSummaries)+len(s.Due) == 0
	return s, err
}

// counts tells whether a version of a record is not past: it stands, or is the latest, or
// nobody has gone on from it.
func (d *Door) counts(ctx context.Context, h *record.Head, version int) (bool, error) {
	if known := version == h.Canonical || version == h.Latest || version == h.Tip; known || !h.Forked() {
		return known, nil
	}
	tips, err := d.Store.Tips(ctx, h.ID)
	return slices.Contains(tips, version), err
}

// notCurrent gives the versions with a status that count: one that a newer version
// has mended is past.
func (d *Door) notCurrent(ctx context.Context, status string) ([]Outdated, error) {
	found, err := d.Store.Records(ctx, store.Query{Status: status})
	if err != nil {
		return nil, err
	}
	var out []Outdated
	for i := range found {
		r := &found[i]
		h, err := d.whole(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		counts, err := d.counts(ctx, &h, r.Version)
		if err != nil {
			return nil, err
		}
		if !counts {
			continue
		}
		reason := ""
		marks, err := d.Store.Marks(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			if m.Version == r.Version && m.Status == status {
				reason = m.Reason
			}
		}
		switch {
		case reason != "":
		case status == record.NeedsRebase:
			reason = "what it was made from moved before it was put"
		default:
			reason = "what it rests on did not hold any more when it was put"
		}
		out = append(out, Outdated{r.Ref(), r.Type, r.Module, h.Canonical == r.Version, reason})
	}
	return out, nil
}

// Forks gives the records that went several ways, those of core types first.
func (d *Door) Forks(ctx context.Context) ([]Fork, error) {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Forked: true})
	if err != nil {
		return nil, err
	}
	var out []Fork
	for _, h := range heads {
		tips, err := d.Store.Tips(ctx, h.ID)
		if err != nil {
			return nil, err
		}
		kind, _ := d.Types.Find(h.Type)
		out = append(out, Fork{h.ID, h.Type, h.Module, kind.Core, tips})
	}
	slices.SortStableFunc(out, func(a, b Fork) int {
		switch {
		case a.Core == b.Core:
			return 0
		case a.Core:
			return -1
		}
		return 1
	})
	return out, nil
}

// modulesOf gives the modules that have records of types that fit.
func modulesOf(census []record.Count, fits func(record.Type) bool, types record.Types) []string {
	var modules []string
	for _, c := range census {
		kind, ok := types.Find(c.Type)
		if ok && fits(kind) && !slices.Contains(modules, c.Module) {
			modules = append(modules, c.Module)
		}
	}
	slices.Sort(modules)
	return modules
}

// spine gives the minimum consistent view of the project: its brief, its summary
// and the memo of each module, and which of them are missing.
func (d *Door) spine(ctx context.Context, census []record.Count) ([]SpineEntry, error) {
	places := []SpineEntry{{Type: record.ProjectBrief, Module: record.Project}, {Type: record.ProjectSummary, Module: record.Project}}
	for _, module := range modulesOf(census, func(t record.Type) bool { return t.Knowledge || t.Name == record.IntegratedMemo }, d.Types) {
		if module != record.Project {
			places = append(places, SpineEntry{Type: record.IntegratedMemo, Module: module})
		}
	}
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo}, Canonical: true})
	if err != nil {
		return nil, err
	}
	for i := range places {
		for j := range heads {
			if h := &heads[j]; h.Type == places[i].Type && h.Module == places[i].Module {
				places[i].Holder, places[i].Status = h.Standing().String(), h.Status
			}
		}
	}
	return places, nil
}
