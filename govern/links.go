package govern

import (
	"context"
	"errors"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// links resolves the links of a draft to exact versions; the default is the standing version.
func (b *putting) links(ctx context.Context, r, parent *record.Record, draft *Draft) ([]record.Link, error) {
	out := inheritedLinks(r, parent, draft)
	add := func(l record.Link) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, l := range draft.Links {
		if !record.IsRelation(l.Relation) {
			return nil, &fault.Error{
				Code: BadLink, Op: "put " + fault.Shown(r.ID), Detail: "unknown relation " + fault.Shown(l.Relation),
				Hint: "use one of " + strings.Join(record.Relations(), ", "),
			}
		}
		to, err := b.resolveTarget(ctx, l.To)
		if err != nil {
			return nil, &fault.Error{Code: BadLink, Op: "put " + fault.Shown(r.ID), Place: l.Relation + "=" + fault.Shown(l.To), Cause: err}
		}
		if to.ID == r.ID && l.Relation != record.Supersedes && l.Relation != record.RepliesTo {
			return nil, &fault.Error{
				Code: LinkCycle, Op: "put " + fault.Shown(r.ID), Detail: "it cannot depend on itself: " + l.Relation + " " + to.String(),
				Hint: "omit the link; earlier versions are linked as parents",
			}
		}
		add(record.Link{Relation: l.Relation, ID: to.ID, Version: to.Version})
	}
	if draft.Task != "" {
		task, err := b.resolveTarget(ctx, draft.Task)
		if err != nil {
			return nil, err
		}
		if is, err := b.isA(ctx, task, record.TaskSpec); err != nil || !is {
			return nil, errors.Join(err, &fault.Error{Code: NotATask, Op: "put " + fault.Shown(r.ID), Detail: task.String() + " is not a task spec", Hint: "create one with `brenner store pin`"})
		}
		add(record.Link{Relation: record.DerivesFrom, ID: task.ID, Version: task.Version})
	}
	if draft.source.ID != "" {
		add(sourceLink(draft.source))
	}
	if err := b.checkCycle(ctx, r, out); err != nil {
		return nil, err
	}
	for _, ref := range draft.shown {
		linked := slices.ContainsFunc(out, func(l record.Link) bool { return l.Ref() == ref && record.Depends(l.Relation) })
		if linked || ref.ID == r.ID {
			continue
		}
		rests := record.Link{Relation: record.DerivesFrom, ID: ref.ID, Version: ref.Version} // only its author cites
		switch err := b.checkCycle(ctx, r, []record.Link{rests}); {
		case err == nil:
			out = append(out, rests)
		case fault.CodeOf(err) != LinkCycle: // it does not rest on what rests on it
			return nil, err
		}
	}
	return out, nil
}

func inheritedLinks(r, parent *record.Record, draft *Draft) []record.Link {
	if len(draft.Links) > 0 || draft.Task != "" || draft.NoLinks {
		return nil
	}
	var out []record.Link
	for _, l := range parent.Links {
		if l.ID != r.ID {
			out = append(out, l)
		}
	}
	return out
}

// resolveTarget returns the version that a link means; it may be put in the same change.
func (b *putting) resolveTarget(ctx context.Context, address string) (record.Ref, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return record.Ref{}, err
	}
	if h, ok := b.heads[a.ID]; ok && !a.Canonical {
		switch {
		case a.Latest:
			return record.Ref{ID: h.ID, Version: h.Latest}, nil
		case a.Version == 0:
			return h.Standing(), nil
		}
		if _, ok := b.fresh[record.Ref{ID: a.ID, Version: a.Version}]; ok {
			return record.Ref{ID: a.ID, Version: a.Version}, nil
		}
	}
	// Most links name a complete id, whose head is needed again later.
	if h, err := b.headOf(ctx, a.ID); err != nil || h.Latest > 0 {
		if err != nil {
			return record.Ref{}, err
		}
		return versionOf(&h, a, h.Standing().Version)
	}
	ref, _, err := b.refOf(ctx, address, standingOf)
	return ref, err
}

// checkCycle rejects links by which a record would depend on itself. A review is about an earlier
// version on purpose, so the version that takes it up does not.
func (b *putting) checkCycle(ctx context.Context, r *record.Record, links []record.Link) error {
	if r.Version == 1 {
		return nil // nothing can link to it yet
	}
	err := b.findCycle(ctx, r, links, "")
	if fault.CodeOf(err) == LinkCycle && r.Type != record.Review {
		err = b.findCycle(ctx, r, links, record.Review)
	}
	return err
}

// without returns the versions that are not of a type, which may be "".
func (b *putting) without(ctx context.Context, kind string, refs []record.Ref) ([]record.Ref, error) {
	if kind == "" {
		return refs, nil
	}
	var out []record.Ref
	for _, ref := range refs {
		is, err := b.isA(ctx, ref, kind)
		if err != nil {
			return nil, err
		}
		if !is {
			out = append(out, ref)
		}
	}
	return out, nil
}

// findCycle rejects cycles, except those over a type, which may be "".
func (b *putting) findCycle(ctx context.Context, r *record.Record, links []record.Link, except string) error {
	prev := make(map[record.Ref]record.Ref)
	var level []record.Ref
	for _, l := range links {
		if record.Depends(l.Relation) {
			level = append(level, l.Ref())
		}
	}
	for len(level) > 0 {
		var stored, next []record.Ref
		passed, err := b.without(ctx, except, level)
		if err != nil {
			return err
		}
		for _, ref := range passed {
			if fresh, ok := b.fresh[ref]; ok && ref.ID != r.ID {
				next = visitFresh(prev, next, fresh)
				continue
			}
			if ref.ID != r.ID {
				stored = append(stored, ref)
				continue
			}
			// Its own task may be to revise it; a task of one of its dependencies may not.
			revised, err := b.isA(ctx, prev[ref], record.TaskSpec)
			own := slices.ContainsFunc(links, func(l record.Link) bool { return l.Ref() == prev[ref] })
			if err != nil || !revised || !own {
				return errors.Join(err, cycle(r, prev, ref))
			}
		}
		edges, err := b.Store.Edges(ctx, store.EdgeQuery{From: stored})
		if err != nil {
			return err
		}
		for _, e := range edges {
			next = visit(prev, next, e.From, e)
		}
		level = next
	}
	return nil
}

// isA reports whether a version, stored or not, is of a type.
func (b *putting) isA(ctx context.Context, ref record.Ref, kind string) (bool, error) {
	if ref == (record.Ref{}) {
		return false, nil
	}
	if fresh, ok := b.fresh[ref]; ok {
		return fresh.Type == kind, nil
	}
	found, err := b.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version, Type: kind})
	return len(found) > 0, err
}

func visitFresh(prev map[record.Ref]record.Ref, next []record.Ref, fresh *record.Record) []record.Ref {
	for _, l := range fresh.Links {
		next = visit(prev, next, fresh.Ref(), record.Edge{From: fresh.Ref(), Relation: l.Relation, To: l.Ref()})
	}
	return next
}

func visit(prev map[record.Ref]record.Ref, next []record.Ref, from record.Ref, e record.Edge) []record.Ref {
	if _, seen := prev[e.To]; seen || !record.Depends(e.Relation) {
		return next
	}
	prev[e.To] = from
	return append(next, e.To)
}

func cycle(r *record.Record, prev map[record.Ref]record.Ref, at record.Ref) error {
	path := []string{at.String()}
	for from, ok := prev[at]; ok; from, ok = prev[from] {
		path = append(path, from.String())
	}
	slices.Reverse(path)
	return &fault.Error{
		Code: LinkCycle, Op: "put " + fault.Shown(r.ID), Detail: "it would depend on itself: " + r.ID + " → " + strings.Join(path, " → "),
		Hint: "omit the link that closes the cycle; only replies_to and supersedes may",
	}
}
