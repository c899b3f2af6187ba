package govern

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"brenner/govern/graph"
	"brenner/internal/fault"
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
	if address := cmp.Or(draft.Task, draft.patchTask); address != "" {
		task, err := b.resolveTarget(ctx, address)
		if err != nil {
			return nil, err
		}
		if is, err := b.pending().IsA(ctx, task, record.TaskSpec); err != nil || !is {
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

// checkCycle rejects links by which a record would depend on itself.
func (b *putting) checkCycle(ctx context.Context, r *record.Record, links []record.Link) error {
	path, err := b.pending().Cycle(ctx, r, links)
	if err != nil || path == nil {
		return err
	}
	names := append([]string{r.ID}, refNames(path)...)
	return &fault.Error{
		Code: LinkCycle, Op: "put " + fault.Shown(r.ID), Detail: "it would depend on itself: " + strings.Join(names, " → "),
		Hint: "omit the link that closes the cycle; only replies_to and supersedes may",
	}
}

// pending returns the graph with the versions that are not stored yet.
func (b *putting) pending() *graph.Pending { return &graph.Pending{Source: b.Source, Fresh: b.fresh} }
