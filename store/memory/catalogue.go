package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"brenner/store"
	"brenner/store/record"
)

func (d *data) mark(m *record.Mark) error {
	if err := store.CheckMark(m, len(d.records[m.ID]), d.canon[m.ID]); err != nil {
		return err
	}
	clone := *m
	clone.At = m.At.UTC().Round(0)
	for _, id := range []string{m.ID, ""} {
		d.marks[id] = slices.Concat(d.marks[id], []record.Mark{clone})
	}
	switch {
	case m.Status == record.Canonical:
		d.canon[m.ID] = m.Version
	case d.canon[m.ID] == m.Version && !record.KeepsCanonical(m.Status):
		d.canon[m.ID] = 0
	}
	if tips := d.tips[m.ID]; m.Status == record.Deprecated && len(tips) > 1 {
		d.close(m.ID, m.Version) // a deprecated tip is no longer a branch
	}
	return nil
}

func (d *data) current(r *record.Record) record.Record {
	clone := cloneRecord(r)
	for _, m := range d.marks[r.ID] {
		if m.Version == r.Version {
			clone.Status = m.Status
		}
	}
	return clone
}

// Records implements store.Store.
func (s *Store) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	return look(ctx, s, func(d *data) []record.Record {
		var list []record.Record
		for _, id := range slices.Sorted(maps.Keys(d.records)) {
			versions := d.records[id]
			for i := range versions {
				r := d.current(&versions[i])
				if fits(&q, &r, i == len(versions)-1) {
					if q.Initial {
						r.Status = versions[i].Status
					}
					list = append(list, r)
				}
			}
		}
		return list
	})
}

func fits(q *store.Query, r *record.Record, latest bool) bool {
	return (q.ID == "" || q.ID == r.ID) && (q.Version == 0 || q.Version == r.Version) && (q.Type == "" || q.Type == r.Type) &&
		(q.Status == "" || q.Status == r.Status) && (!q.Latest || latest) && (!q.Stale || r.StaleSummary())
}

func (d *data) head(id string) record.Head {
	versions := d.records[id]
	h := record.Head{ID: id, Latest: len(versions), Canonical: d.canon[id], Tips: len(d.tips[id]), Tip: slices.Max(d.tips[id]), At: versions[len(versions)-1].At}
	r := d.current(&versions[h.Standing().Version-1])
	h.Type, h.Module, h.Status, h.Summary = r.Type, r.Module, r.Status, r.Summary
	return h
}

// Heads implements store.Catalogue.
func (s *Store) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	return look(ctx, s, func(d *data) []record.Head {
		var list []record.Head
		for _, id := range slices.Sorted(maps.Keys(d.records)) {
			if h := d.head(id); d.fits(&q, &h) {
				list = append(list, h)
			}
		}
		if q.Newest {
			slices.SortStableFunc(list, func(a, b record.Head) int { return b.At.Compare(a.At) })
		}
		if q.Limit > 0 && len(list) > q.Limit {
			list = list[:q.Limit]
		}
		return list
	})
}

func (d *data) fits(q *store.HeadQuery, h *record.Head) bool {
	switch {
	case q.ID != "" && h.ID != q.ID,
		!strings.HasPrefix(h.ID, q.Prefix),
		len(q.Types) > 0 && !slices.Contains(q.Types, h.Type),
		len(q.Modules) > 0 && !slices.Contains(q.Modules, h.Module),
		q.Tag != "" && !d.tagged(h.ID, q.Tag),
		q.Status != "" && q.Status != h.Status,
		q.Live && h.Status == record.Deprecated,
		q.Canonical && h.Canonical == 0,
		q.Forked && !h.Forked(),
		!q.After.IsZero() && !h.At.After(q.After),
		!q.Before.IsZero() && !h.At.Before(q.Before),
		slices.ContainsFunc(q.Besides, func(ref record.Ref) bool { return d.dependsOn(ref, h.Standing()) }):
		return false
	}
	return !q.Unreferenced || !d.referenced(h.ID)
}

// dependsOn reports whether ref has a link to on that makes it depend on it.
func (d *data) dependsOn(ref, on record.Ref) bool {
	versions := d.records[ref.ID]
	if ref.Version < 1 || ref.Version > len(versions) {
		return false
	}
	return slices.ContainsFunc(versions[ref.Version-1].Links, func(l record.Link) bool { return l.Ref() == on && record.Depends(l.Relation) })
}

func (d *data) tagged(id, tag string) bool {
	return slices.ContainsFunc(d.records[id], func(r record.Record) bool { return slices.Contains(r.Tags, tag) })
}

func (d *data) referenced(id string) bool {
	for from := range d.records {
		h := d.head(from)
		if from == id || h.Status == record.Deprecated || !record.Uses(h.Type) {
			continue
		}
		for _, l := range d.records[from][h.Standing().Version-1].Links {
			if l.ID == id {
				return true
			}
		}
	}
	return false
}

// Census implements store.Catalogue.
func (s *Store) Census(ctx context.Context) ([]record.Count, error) {
	return look(ctx, s, func(d *data) []record.Count {
		counts := make(map[record.Count]int)
		for id := range d.records {
			h := d.head(id)
			counts[record.Count{Type: h.Type, Module: h.Module, Status: h.Status}]++
		}
		var list []record.Count
		for c, n := range counts {
			c.Records = n
			list = append(list, c)
		}
		slices.SortFunc(list, func(a, b record.Count) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Status, b.Status))
		})
		return list
	})
}

// Edges implements store.Catalogue.
func (s *Store) Edges(ctx context.Context, q store.EdgeQuery) ([]record.Edge, error) {
	return look(ctx, s, func(d *data) []record.Edge {
		var list []record.Edge
		for _, versions := range d.records {
			for i := range versions {
				r := &versions[i]
				for _, l := range r.Links {
					e := record.Edge{From: r.Ref(), Relation: l.Relation, To: l.Ref()}
					if names(q.From, e.From) || names(q.To, e.To) {
						list = append(list, e)
					}
				}
			}
		}
		slices.SortFunc(list, record.CompareEdges)
		return slices.Compact(list)
	})
}

func names(refs []record.Ref, is record.Ref) bool {
	return slices.ContainsFunc(refs, func(r record.Ref) bool { return r.ID == is.ID && (r.Version == 0 || r.Version == is.Version) })
}

// Marks implements store.Catalogue.
func (s *Store) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	return look(ctx, s, func(d *data) []record.Mark {
		return slices.Clone(d.marks[id])
	})
}

// Tips implements store.Catalogue.
func (s *Store) Tips(ctx context.Context, id string) ([]int, error) {
	return look(ctx, s, func(d *data) []int {
		return slices.Clone(d.tips[id])
	})
}
