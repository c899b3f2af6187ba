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
			if path := blocks.LinkPath(w.in.Drafts, a.ID, d.ID); path != nil {
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
