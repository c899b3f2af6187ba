package govern

import (
	"context"
	"slices"

	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/record"
)

// rivals returns the live records of key types that compete for one place, grouped by it: more
// than one record of a type and a module, neither displaced by a promotion nor
// superseded by a version that was promoted.
// Without types, all key types count; without modules, all modules.
func (rs *Records) rivals(ctx context.Context, types, modules []string) ([][]record.Head, error) {
	if types == nil {
		types = rs.Types.Names(func(t record.Type) bool { return t.Key })
	}
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Types: types, Modules: modules, Live: true})
	if err != nil {
		return nil, err
	}
	var out [][]record.Head
	for _, group := range policy.Rivals(heads) {
		last := make([]record.Ref, len(group))
		for i := range group {
			last[i] = record.Ref{ID: group[i].ID, Version: group[i].Tip}
		}
		edges, err := rs.Store.Edges(ctx, store.EdgeQuery{To: last})
		if err != nil {
			return nil, err
		}
		edges, err = filter(edges, func(e record.Edge) (bool, error) { // a draft decides nothing
			if e.Relation != record.Supersedes {
				return false, nil
			}
			marks, err := rs.Store.Marks(ctx, e.From.ID)
			return slices.ContainsFunc(marks, func(m record.Mark) bool { return m.Ref() == e.From && m.Status == record.Canonical }), err
		})
		if err != nil {
			return nil, err
		}
		if group = policy.Unsuperseded(group, edges); len(group) > 1 {
			out = append(out, group)
		}
	}
	return out, nil
}

// rivalsOf returns the last versions of the records that compete with a new version.
func (rs *Records) rivalsOf(ctx context.Context, who Actor, r *record.Record) ([]record.Ref, error) {
	if kind, _ := rs.Types.Find(r.Type); !kind.Key || !rs.mayRead(who, r.Type) {
		return nil, nil
	}
	groups, err := rs.rivals(ctx, []string{r.Type}, []string{r.Module})
	var out []record.Ref
	for _, group := range groups {
		if !slices.ContainsFunc(group, func(h record.Head) bool { return h.ID == r.ID }) {
			continue // superseded itself, or a draft of a record that belongs elsewhere
		}
		for _, h := range group {
			if h.ID != r.ID {
				out = append(out, record.Ref{ID: h.ID, Version: h.Tip})
			}
		}
	}
	return out, err
}

// rivalForks returns one fork for each place that several records compete for. It is named after
// the record that holds the place, or else the first.
func (rs *Records) rivalForks(ctx context.Context) ([]Fork, error) {
	groups, err := rs.rivals(ctx, nil, nil)
	var out []Fork
	for _, group := range groups {
		at := max(0, slices.IndexFunc(group, func(h record.Head) bool { return h.Canonical > 0 }))
		kind, _ := rs.Types.Find(group[at].Type)
		f := Fork{ID: group[at].ID, Type: group[at].Type, Module: group[at].Module, Core: kind.Core, Tips: []int{group[at].Tip}}
		for _, h := range group {
			f.Rivals = append(f.Rivals, record.Ref{ID: h.ID, Version: h.Tip}.String())
		}
		out = append(out, f)
	}
	return out, err
}
