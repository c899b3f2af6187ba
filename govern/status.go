package govern

import (
	"cmp"
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
	// NeedsUpdate and NeedsRebase are relevant versions that are not current.
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

// Fork is a record with several branches.
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
	Holder string `json:"holder"` // empty if missing
	Status string `json:"status"`
}

// Status examines all records, using only the store's lists.
func (rs *Records) Status(ctx context.Context) (*Status, error) {
	s := &Status{Schema: "brenner.store.status/v1"}
	var err error
	if s.Census, err = rs.Store.Census(ctx); err != nil {
		return nil, err
	}
	for _, c := range s.Census {
		s.Records += c.Records
	}
	if s.Spine, err = rs.spine(ctx, s.Census); err != nil {
		return nil, err
	}
	if s.NeedsUpdate, err = rs.notCurrent(ctx, record.NeedsUpdate, "a dependency was outdated when it was put"); err != nil {
		return nil, err
	}
	if s.NeedsRebase, err = rs.notCurrent(ctx, record.NeedsRebase, "an input changed before it was put"); err != nil {
		return nil, err
	}
	if s.Forks, err = rs.Forks(ctx); err != nil {
		return nil, err
	}
	err = rs.eachRelevant(ctx, store.Query{Stale: true}, func(r *record.Record, _ *record.Head) error {
		if r.Status != record.Deprecated {
			s.StaleSummaries = append(s.StaleSummaries, r.Ref().String())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.Due, err = rs.dueOf(ctx, modulesOf(s.Census, func(t record.Type) bool { return t.Knowledge }, rs.Types)); err != nil {
		return nil, err
	}
	head, err := rs.head(ctx, Refusals)
	s.Refused = head.Seq
	s.Current = len(s.NeedsUpdate)+len(s.NeedsRebase)+len(s.Forks)+len(s.StaleSummaries)+len(s.Due) == 0
	return s, err
}

// isRelevant reports whether a version is relevant: it is canonical, the latest, or a tip.
func (rs *Records) isRelevant(ctx context.Context, h *record.Head, version int) (bool, error) {
	if known := version == h.Canonical || version == h.Latest || version == h.Tip; known || !h.Forked() {
		return known, nil
	}
	tips, err := rs.Store.Tips(ctx, h.ID)
	return slices.Contains(tips, version), err
}

// eachRelevant calls do with the relevant versions of a query, and their heads.
func (rs *Records) eachRelevant(ctx context.Context, q store.Query, do func(*record.Record, *record.Head) error) error {
	found, err := rs.Store.Records(ctx, q)
	if err != nil {
		return err
	}
	for i := range found {
		h, err := rs.existingHead(ctx, found[i].ID)
		if err != nil {
			return err
		}
		counts, err := rs.isRelevant(ctx, &h, found[i].Version)
		if counts && err == nil {
			err = do(&found[i], &h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (rs *Records) notCurrent(ctx context.Context, status, otherwise string) (out []Outdated, err error) {
	err = rs.eachRelevant(ctx, store.Query{Status: status}, func(r *record.Record, h *record.Head) error {
		marks, err := rs.Store.Marks(ctx, r.ID)
		reason := ""
		for _, m := range marks {
			if m.Version == r.Version && m.Status == status {
				reason = m.Reason
			}
		}
		out = append(out, Outdated{r.Ref(), r.Type, r.Module, h.Canonical == r.Version, cmp.Or(reason, otherwise)})
		return err
	})
	return out, err
}

// Forks returns the records with several tips, core types first.
func (rs *Records) Forks(ctx context.Context) ([]Fork, error) {
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Forked: true})
	if err != nil {
		return nil, err
	}
	var core, others []Fork
	for _, h := range heads {
		tips, err := rs.Store.Tips(ctx, h.ID)
		if err != nil {
			return nil, err
		}
		if kind, _ := rs.Types.Find(h.Type); kind.Core {
			core = append(core, Fork{h.ID, h.Type, h.Module, true, tips})
		} else {
			others = append(others, Fork{h.ID, h.Type, h.Module, false, tips})
		}
	}
	return append(core, others...), nil
}

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

// spine returns the places of the project's spine: brief, summary, and the memo of each module.
func (rs *Records) spine(ctx context.Context, census []record.Count) ([]SpineEntry, error) {
	places := []SpineEntry{{Type: record.ProjectBrief, Module: record.Project}, {Type: record.ProjectSummary, Module: record.Project}}
	for _, module := range modulesOf(census, func(t record.Type) bool { return t.Knowledge || t.Name == record.IntegratedMemo }, rs.Types) {
		if module != record.Project {
			places = append(places, SpineEntry{Type: record.IntegratedMemo, Module: module})
		}
	}
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo}, Canonical: true})
	if err != nil {
		return nil, err
	}
	for i := range places {
		for _, h := range heads {
			if h.Type == places[i].Type && h.Module == places[i].Module {
				places[i].Holder, places[i].Status = h.Standing().String(), h.Status
			}
		}
	}
	return places, nil
}
