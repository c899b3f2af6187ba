package govern

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/govern/blocks"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// linkOrder returns the indexes of drafts so that each comes after those that it links to, and otherwise in
// their order. Of a circle, one comes too early.
func linkOrder(drafts []delta.Draft) []int {
	at := make(map[string]int)
	for i := range slices.Backward(drafts) { // of several with an id, the first one
		if drafts[i].Operation == delta.Add || drafts[i].Operation == "" {
			at[drafts[i].ID] = i
		}
	}
	var order []int
	visited := make([]bool, len(drafts))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, l := range drafts[i].Links {
			if j, ok := at[linkedID(l)]; ok {
				visit(j)
			}
		}
		order = append(order, i)
	}
	for i := range drafts {
		visit(i)
	}
	return order
}

// links returns the links of a record: to versions that the agent was shown, to its task, and to records of
// the same reply.
func (w *writer) links(d *delta.Draft, kind string) ([]Link, error) {
	all, err := ParseLinks(d.Links)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for i := range all {
		l := &all[i]
		if !record.IsRelation(l.Relation) {
			continue // said when it is put
		}
		a, err := record.ParseAddress(l.To)
		if err != nil {
			return nil, &fault.Error{Code: BadLink, Place: l.Relation + "=" + fault.Shown(l.To), Cause: err, Hint: "write it like cites=note-1@v2"}
		}
		ref, ok := w.target(a)
		if !ok {
			if path := w.path(a.ID, d.ID, make(map[string]bool)); path != nil {
				return nil, mistaken(LinkCycle, "omit one of these links", "it would depend on itself: %s → %s", d.ID, fault.Shown(strings.Join(path, " → ")))
			}
			hidden = append(hidden, l.Relation+"="+fault.Shown(l.To))
			continue
		}
		l.To = ref.String()
	}
	if len(hidden) == 0 {
		return all, nil
	}
	return nil, overstepped("link", kind, "link only to versions that were shown, and to records of the same reply, but not in a circle; omit other links",
		"%s links to what %s was not shown: %s", d.ID, fault.Shown(w.who.Name), strings.Join(hidden[:min(len(hidden), blocks.MaxUnshown)], ", "))
}

// target returns the version that an agent means by an address.
func (w *writer) target(a record.Address) (record.Ref, bool) {
	ref, ok := w.made[a.ID]
	if ok && (a.Version == 0 || a.Version == ref.Version) {
		return ref, true
	}
	ref = record.Ref{}
	for _, one := range append(slices.Clone(w.shown), w.task) {
		if one.ID == a.ID && a.ID != "" && (one.Version == a.Version || a.Version == 0 && one.Version > ref.Version) {
			ref = one
		}
	}
	return ref, ref.ID != ""
}

// source returns the reply that a record was in.
func (w *writer) source(d *delta.Draft) record.Ref {
	if d.Repair {
		return cmp.Or(w.in.Repair, w.in.Source)
	}
	return w.in.Source
}

// checkSource returns an error unless a reply is stored.
func (rs *Records) checkSource(ctx context.Context, source record.Ref) error {
	if there, err := rs.Lookup(ctx, source); err != nil || source.ID != "" && there != nil {
		return err
	}
	return &fault.Error{Code: store.NoRecord, Op: "use a reply", Detail: "no such record: " + fault.Shown(source.String())}
}

// sourceLink is the link of a version to the reply that it was in.
func sourceLink(source record.Ref) record.Link {
	return record.Link{Relation: record.DerivesFrom, ID: source.ID, Version: source.Version}
}
