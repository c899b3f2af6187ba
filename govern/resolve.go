package govern

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
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
	r, err := rs.version(ctx, ref, h.Latest)
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
	return ref, inRange(ref, h.Latest)
}

// headByID returns the head of a record by its complete id; Latest is 0 if there is no record.
func (rs *Records) headByID(ctx context.Context, id string) (record.Head, error) {
	found, err := rs.Store.Heads(ctx, store.HeadQuery{ID: id})
	if err != nil || len(found) == 0 {
		return record.Head{ID: id}, err
	}
	return found[0], nil
}

// existingHead returns the head of a record that must exist, by its complete id.
func (rs *Records) existingHead(ctx context.Context, id string) (record.Head, error) {
	h, err := rs.headByID(ctx, id)
	if err == nil && h.Latest == 0 {
		err = rs.noRecord(ctx, id)
	}
	return h, err
}

func inRange(ref record.Ref, latest int) error {
	if ref.Version <= latest {
		return nil
	}
	return &fault.Error{
		Code: store.NoRecord, Detail: fmt.Sprintf("%s has no version %d", ref.ID, ref.Version), Hint: fmt.Sprintf("the latest is v%d", latest),
	}
}

func (rs *Records) version(ctx context.Context, ref record.Ref, latest int) (record.Record, error) {
	if err := inRange(ref, latest); err != nil {
		return record.Record{}, err
	}
	r, err := rs.lookup(ctx, ref)
	if err != nil {
		return record.Record{}, err
	}
	if r == nil {
		return record.Record{}, &fault.Error{Code: store.NoRecord, Detail: "no such record: " + ref.String(), Hint: "list the records with `brenner store log`"}
	}
	return *r, nil
}

func (rs *Records) standingRecord(ctx context.Context, h *record.Head) (record.Record, error) {
	return rs.version(ctx, h.Standing(), h.Latest)
}

// lookup reads one version, or returns nil if the store has none.
func (rs *Records) lookup(ctx context.Context, ref record.Ref) (*record.Record, error) {
	found, err := rs.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
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
	r, err := rs.lookup(ctx, ref)
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
	if err := rs.log(ctx, Refusals, kindRefused, refusedEvent{who.Name, who.Role, action, kind, id, f.Code}); err != nil {
		return err
	}
	return f
}
