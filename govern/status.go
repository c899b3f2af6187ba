package govern

import (
	"context"
	"slices"
	"strings"

	"brenner/govern/graph"
	"brenner/govern/policy"
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
	Refused        int        `json:"refused_attempts"` // by rights or gates
	// Brief is what is wrong with the canonical brief, if anything.
	Brief *BriefProblem `json:"brief,omitempty"`
}

// Outdated is a version that is not current, and why.
type Outdated struct {
	Ref       record.Ref `json:",embed"`
	Type      string     `json:"type"`
	Module    string     `json:"module"`
	Canonical bool       `json:"canonical"`
	Reason    string     `json:"reason"`
}

// Fork is a record with several branches, or several records that compete for the place of one.
type Fork struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Module string `json:"module"`
	Core   bool   `json:"core"`
	Tips   []int  `json:"tips"`
	// Rivals are the last versions of all records that compete, this one included.
	Rivals []string `json:"rivals,omitempty"`
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
	if s.NeedsUpdate, err = rs.notCurrent(ctx, record.NeedsUpdate); err != nil {
		return nil, err
	}
	if s.NeedsRebase, err = rs.notCurrent(ctx, record.NeedsRebase); err != nil {
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
	if s.Brief, err = rs.BriefProblem(ctx); err != nil {
		return nil, err
	}
	head, err := rs.head(ctx, Refusals)
	s.Refused = head.Seq
	s.Current = s.Brief == nil && len(s.NeedsUpdate)+len(s.NeedsRebase)+len(s.Forks)+len(s.StaleSummaries)+len(s.Due) == 0
	return s, err
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
		counts, err := rs.IsRelevant(ctx, &h, found[i].Version)
		if counts && err == nil {
			err = do(&found[i], &h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (rs *Records) notCurrent(ctx context.Context, status string) (out []Outdated, err error) {
	g := rs.Graph()
	err = rs.eachRelevant(ctx, store.Query{Status: status}, func(r *record.Record, h *record.Head) error {
		reason, err := rs.whyStale(ctx, g, r)
		out = append(out, Outdated{r.Ref(), r.Type, r.Module, h.Canonical == r.Version, reason})
		return err
	})
	if err != nil || status != record.NeedsUpdate {
		return out, err
	}
	more, err := rs.Unmarked(ctx)
	for _, s := range more {
		h, err := rs.existingHead(ctx, s.Ref.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, Outdated{s.Ref, s.Type, s.Module, h.Canonical == s.Ref.Version, graph.RestsOn + s.Because + graph.NotCurrent})
	}
	slices.SortStableFunc(out, func(a, b Outdated) int { return record.CompareRefs(a.Ref, b.Ref) })
	return out, err
}

// whyStale returns why a version is stale: the reason of its mark if it is still true, or else what
// it depends on and no longer holds. It is empty for other versions.
func (rs *Records) whyStale(ctx context.Context, g *graph.Graph, r *record.Record) (string, error) {
	if !policy.IsStale(r.Status) {
		return "", nil
	}
	reason, err := g.MarkReason(ctx, r)
	if err != nil {
		return "", err
	}
	found, err := g.Outdated(ctx, r)
	if err != nil {
		return "", err
	}
	var on []string
	for _, o := range found {
		s, err := g.Look(ctx, o.Through)
		if err != nil {
			return "", err
		}
		on = append(on, o.Because(s.Lapsed))
	}
	holds, err := g.StillTrue(ctx, reason, found)
	switch {
	case err != nil:
		return "", err
	case len(on) > 0 && holds:
		return reason, nil
	case len(on) > 0:
		return "it depends on " + strings.Join(on, ", and on "), nil
	case reason == "" && r.Status == record.NeedsRebase:
		moved, err := (&putting{Records: rs, read: make(map[string]record.Head)}).moved(ctx, r, true)
		if err != nil {
			return "", err
		}
		for _, m := range moved {
			on = append(on, m.Input.Ref().String())
		}
		if len(on) > 0 {
			return strings.Join(on, ", ") + " changed before it was put", nil
		}
	}
	cause, err := g.CauseGone(ctx, r)
	if cause == graph.ChangedInputs {
		return "an input changed before it was put", err
	}
	return graph.RestsOn + cause, err
}

// Forks returns the records with several tips and those that compete with others, core types first.
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
		kind, _ := rs.Types.Find(h.Type)
		fork := Fork{ID: h.ID, Type: h.Type, Module: h.Module, Core: kind.Core, Tips: tips}
		if kind.Core {
			core = append(core, fork)
		} else {
			others = append(others, fork)
		}
	}
	rivals, err := rs.rivalForks(ctx)
	return slices.Concat(core, rivals, others), err
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
	live := slices.DeleteFunc(slices.Clone(census), func(c record.Count) bool { return c.Status == record.Deprecated })
	for _, module := range modulesOf(live, func(t record.Type) bool { return t.Knowledge || t.Name == record.IntegratedMemo }, rs.Types) {
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
