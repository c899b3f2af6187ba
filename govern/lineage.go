package govern

import (
	"cmp"
	"context"

	"brenner/govern/lineage"
	"brenner/store"
	"brenner/store/record"
)

// Lineage is the lineage of a version.
type Lineage = lineage.Lineage

// Edge is a link in a lineage.
type Edge = lineage.Edge

// Node is a version in a lineage.
type Node = lineage.Node

const maxNodes = 20_000

// ParentRelation is the relation of a version to its parent in a lineage.
const ParentRelation = "goes_on_from"

// Lineage follows the links of all relations from a version. Depth 0 means no limit; cycles are
// followed once. The versions of a session's artifact rest on their parents, which are followed,
// too. On the way up, versions includes the earlier versions of all records.
func (rs *Records) Lineage(ctx context.Context, address string, up, versions bool, depth int) (*Lineage, error) {
	r, _, err := rs.Standing(ctx, address)
	if err != nil {
		return nil, err
	}
	l := &Lineage{Schema: "brenner.store.lineage/v1", Root: r.Ref().String(), Up: up}
	seen := map[record.Ref]int{r.Ref(): 0}
	order := []record.Ref{r.Ref()}
	level := []record.Ref{r.Ref()}
	for n := 1; len(level) > 0; n++ {
		edges, elsewhere, err := rs.step(ctx, level, up, versions)
		if err != nil {
			return nil, err
		}
		if depth > 0 && n > depth || len(order) > maxNodes {
			l.Cut = len(edges) > 0 || up && len(elsewhere) > 0
			break
		}
		if up { // downwards, parents belong to another record
			l.Elsewhere = append(l.Elsewhere, lineage.Edges(elsewhere)...)
		}
		l.Edges = append(l.Edges, lineage.Edges(edges)...)
		level = lineage.Unseen(edges, up, n, seen)
		order = append(order, level...)
	}
	return l, rs.addNodes(ctx, l, order, seen)
}

// addNodes adds versions and their authors.
func (rs *Records) addNodes(ctx context.Context, l *Lineage, refs []record.Ref, depths map[record.Ref]int) error {
	by, err := rs.authors(ctx)
	if err != nil {
		return err
	}
	roles, err := rs.putRoles(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		r, err := rs.Lookup(ctx, ref)
		if err != nil {
			return err
		}
		if r == nil {
			l.Nodes = append(l.Nodes, Node{Ref: ref, Depth: depths[ref], Missing: true})
			continue
		}
		author, err := by.of(ctx, ref, r.Type, r.Creator, r.Links)
		if err != nil {
			return err
		}
		l.Nodes = append(l.Nodes, Node{
			Ref: ref, Depth: depths[ref], Type: r.Type, Module: r.Module, Status: r.Status, Summary: r.Summary, Creator: r.Creator,
			Asked: author.Asked, Role: cmp.Or(roles[ref], author.Role), Call: author.Call,
		})
	}
	return nil
}

// step returns the links of one level, and those to records of other projects.
func (rs *Records) step(ctx context.Context, level []record.Ref, up, versions bool) (edges, elsewhere []record.Edge, err error) {
	q := store.EdgeQuery{From: level}
	if !up {
		q = store.EdgeQuery{To: level}
	}
	if edges, elsewhere, err = rs.Edges(ctx, q); err != nil {
		return nil, nil, err
	}
	for _, ref := range level {
		r, err := rs.Lookup(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		if r == nil || r.Type != record.ResearchArtifact && !versions {
			continue
		}
		around := []record.Record{*r}
		if !up {
			if around, err = rs.Store.Records(ctx, store.Query{ID: ref.ID}); err != nil {
				return nil, nil, err
			}
		}
		for i := range around {
			if v := &around[i]; v.Parent > 0 && (up || v.Parent == ref.Version) {
				edges = append(edges, record.Edge{From: v.Ref(), Relation: ParentRelation, To: record.Ref{ID: v.ID, Version: v.Parent}})
			}
		}
	}
	return edges, elsewhere, nil
}
