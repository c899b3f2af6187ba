package govern

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"brenner/govern/graph"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

func unknownRole(role string, all policy.Accesses) error {
	hint := cmp.Or(text.Suggest(role, all.Roles()), "use one of "+strings.Join(all.Roles(), ", "))
	return &fault.Error{Code: UnknownRole, Detail: "unknown role " + fault.Shown(role), Hint: hint}
}

// Head returns the head of a record by its id, or a unique prefix of it.
func (rs *Records) Head(ctx context.Context, id string) (record.Head, error) {
	const most = 6
	found, err := rs.Store.Heads(ctx, store.HeadQuery{Prefix: id, Limit: most})
	if err != nil {
		return record.Head{}, err
	}
	for _, h := range found { // an exact id wins over longer ones, and sorts first
		if h.ID == id {
			return h, nil
		}
	}
	switch {
	case id == "" || len(found) == 0:
		return record.Head{}, rs.noRecord(ctx, id)
	case len(found) == 1:
		return found[0], nil
	}
	names := idsOf(found)
	if len(found) == most {
		names[most-1] = "…"
	}
	return record.Head{}, &fault.Error{
		Code: NotUnique, Detail: "ambiguous id " + fault.Shown(id), Hint: "it matches " + strings.Join(names, ", "),
	}
}

func idsOf(heads []record.Head) []string {
	ids := make([]string, len(heads))
	for i := range heads {
		ids[i] = heads[i].ID
	}
	return ids
}

func (rs *Records) noRecord(ctx context.Context, id string) error {
	hint := "list the records with `brenner store log`"
	if len(id) > 2 {
		near, err := rs.Store.Heads(ctx, store.HeadQuery{Prefix: id[:1], Limit: 1000})
		if err == nil {
			hint = cmp.Or(text.Suggest(id, idsOf(near)), hint)
		}
	}
	return &fault.Error{Code: store.NoRecord, Detail: "no such record: " + fault.Shown(id), Hint: hint}
}

// tipOf and standingOf choose the version that an address without one means.
func tipOf(h *record.Head) int      { return h.Tip }
func standingOf(h *record.Head) int { return h.Standing().Version }

// Find returns a version by its address; the default is the latest tip still in use.
func (rs *Records) Find(ctx context.Context, address string) (record.Record, record.Head, error) {
	return rs.find(ctx, address, tipOf)
}

// Standing returns a version by its address; the default is the canonical one, or else the latest.
func (rs *Records) Standing(ctx context.Context, address string) (record.Record, record.Head, error) {
	return rs.find(ctx, address, standingOf)
}

// findFor returns a version that the actor may read; otherwise it refuses.
func (rs *Records) findFor(ctx context.Context, who Actor, address string, defaultVersion func(*record.Head) int) (record.Record, record.Head, error) {
	r, h, err := rs.find(ctx, address, defaultVersion)
	if err == nil && !rs.mayRead(who, r.Type) {
		err = rs.refuse(ctx, who, "read", r.Type, r.ID)
	}
	return r, h, err
}

func (rs *Records) find(ctx context.Context, address string, defaultVersion func(*record.Head) int) (record.Record, record.Head, error) {
	ref, h, err := rs.refOf(ctx, address, defaultVersion)
	if err != nil {
		return record.Record{}, h, err
	}
	r, err := rs.Version(ctx, ref, h.Latest)
	return r, h, err
}

// refOf returns the version that an address means, without reading it.
func (rs *Records) refOf(ctx context.Context, address string, defaultVersion func(*record.Head) int) (record.Ref, record.Head, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return record.Ref{}, record.Head{}, err
	}
	h, err := rs.Head(ctx, a.ID)
	if err != nil {
		return record.Ref{}, h, err
	}
	ref, err := versionOf(&h, a, defaultVersion(&h))
	return ref, h, err
}

func versionOf(h *record.Head, a record.Address, defaultVersion int) (record.Ref, error) {
	ref := record.Ref{ID: h.ID, Version: a.Version}
	switch {
	case a.Canonical && h.Canonical == 0:
		hint := "promote one with `brenner store promote " + h.ID + " -m REASON`"
		if h.Type == record.TaskSpec || record.IsRaw(h.Type) {
			hint = "omit @canonical: " + record.A(h.Type) + " never has one"
		}
		return ref, &fault.Error{Code: NoCanonical, Detail: h.ID + " has no canonical version", Hint: hint}
	case a.Canonical:
		ref.Version = h.Canonical
	case a.Latest:
		ref.Version = h.Latest
	case a.Version == 0:
		ref.Version = defaultVersion
	}
	return ref, graph.InRange(ref, h.Latest)
}

// existingHead returns the head of a record that must exist, by its complete id.
func (rs *Records) existingHead(ctx context.Context, id string) (record.Head, error) {
	h, err := rs.HeadByID(ctx, id)
	if err == nil && h.Latest == 0 {
		err = rs.noRecord(ctx, id)
	}
	return h, err
}

func (rs *Records) standingRecord(ctx context.Context, h *record.Head) (record.Record, error) {
	return rs.Version(ctx, h.Standing(), h.Latest)
}

func filter[T any](all []T, keep func(T) (bool, error)) ([]T, error) {
	var out []T
	for _, one := range all {
		kept, err := keep(one)
		if err != nil {
			return nil, err
		}
		if kept {
			out = append(out, one)
		}
	}
	return out, nil
}

func (rs *Records) isStored(ctx context.Context, ref record.Ref) (bool, error) {
	r, err := rs.Lookup(ctx, ref)
	return r != nil, err
}

// Content returns the content of a version.
func (rs *Records) Content(ctx context.Context, r *record.Record) ([]byte, error) {
	if r.Type == record.ResearchArtifact && rs.Artifact != nil {
		if data, _, err := rs.Artifact(ctx, r.Ref()); err == nil || fault.CodeOf(err) != store.NoRecord {
			return data, err
		}
	}
	return rs.Store.Blob(ctx, r.Content)
}

// refuse records an attempt outside a role's scope, and returns the error for it.
func (rs *Records) refuse(ctx context.Context, who Actor, action, kind, id string) error {
	f := &fault.Error{
		Code: policy.OutOfScope, Op: action + " " + fault.Shown(id),
		Detail: fmt.Sprintf("%s may not %s %s as %s", fault.Shown(who.Name), action, record.A(fault.Shown(kind)), fault.Shown(who.Role)),
		Hint:   "see roles: in brenner.yaml for the rights of roles; the attempt was recorded",
	}
	if who.Role == rs.Rules.People && who.Role != "" {
		f.Hint = "only the operator and the authorities of brenner.yaml may do this; other people have the role store.people; the attempt was recorded"
	}
	if err := rs.logRefusal(ctx, who, &refusedEvent{By: who.Name, Role: who.Role, Action: action, Type: kind, ID: id, Code: f.Code}); err != nil {
		return err
	}
	return f
}

// logRefused records an attempt that was refused for reasons in the records, and returns them.
func (rs *Records) logRefused(ctx context.Context, who Actor, action, kind, id string, why error) error {
	e := refusedEvent{By: who.Name, Role: who.Role, Action: action, Type: kind, ID: id, Code: fault.CodeOf(why)}
	for _, f := range fault.All(why) {
		e.Why = append(e.Why, f.Detail)
	}
	return cmp.Or(rs.logRefusal(ctx, who, &e), why)
}

// logRefusal records a refused attempt; one in a reply is recorded once, however often it is read.
func (rs *Records) logRefusal(ctx context.Context, who Actor, e *refusedEvent) error {
	if who.source.ID == "" {
		return rs.log(ctx, Refusals, kindRefused, e)
	}
	e.Source = who.source.String()
	entries, _, err := rs.newest(ctx, Refusals, maxLookback)
	if err != nil {
		return err
	}
	for i := range entries {
		if old, err := journal.Decode[ledger.RefusedEvent](&entries[i], journal.BrokenChain); err != nil || reflect.DeepEqual(old, *e) {
			return err
		}
	}
	return rs.log(ctx, Refusals, kindRefused, e)
}
