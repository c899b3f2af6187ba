package govern

import (
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
	hint := "the roles are " + strings.Join(all.Roles(), ", ")
	if near, ok := text.Nearest(role, all.Roles()); ok {
		hint = "did you mean " + near + "?"
	}
	return &fault.Error{Code: UnknownRole, Detail: "no role " + fault.Shown(role) + " may read or write anything", Hint: hint}
}

// Head finds a record by its id, or by the beginning of it where no other begins
// so.
func (d *Door) Head(ctx context.Context, id string) (record.Head, error) {
	const most = 6
	found, err := d.Store.Heads(ctx, store.HeadQuery{Prefix: id, Limit: most})
	if err != nil {
		return record.Head{}, err
	}
	for _, h := range found { // an id that is the beginning of others is meant itself, and sorts first
		if h.ID == id {
			return h, nil
		}
	}
	switch {
	case id == "" || len(found) == 0:
		return record.Head{}, d.noRecord(ctx, id)
	case len(found) == 1:
		return found[0], nil
	}
	var names []string
	for _, h := range found {
		names = append(names, h.ID)
	}
	if len(found) == most {
		names[most-1] = "…"
	}
	return record.Head{}, &fault.Error{
		Code: NotUnique, Detail: fault.Shown(id) + " is the beginning of several ids", Hint: "say more of it: " + strings.Join(names, ", "),
	}
}

func (d *Door) noRecord(ctx context.Context, id string) error {
	hint := "`brenner store log` lists the records there are"
	if len(id) > 2 {
		var names []string
		near, err := d.Store.Heads(ctx, store.HeadQuery{Prefix: id[:1], Limit: 1000})
		for _, h := range near {
			names = append(names, h.ID)
		}
		if best, ok := text.Nearest(id, names); ok && err == nil {
			hint = "did you mean " + best + "?"
		}
	}
	return &fault.Error{Code: store.NoRecord, Detail: "there is no record " + fault.Shown(id), Hint: hint}
}

// Find finds a version by its address. Without a version it is the latest one of the
// ways that nobody gave up, as whoever works on a record means; Standing finds the one
// that holds.
func (d *Door) Find(ctx context.Context, address string) (record.Record, record.Head, error) {
	return d.find(ctx, address, func(h *record.Head) int { return h.Tip })
}

// Standing finds a version by its address; without a version it is the canonical
// one, or else the latest.
func (d *Door) Standing(ctx context.Context, address string) (record.Record, record.Head, error) {
	return d.find(ctx, address, func(h *record.Head) int { return h.Standing().Version })
}

func (d *Door) find(ctx context.Context, address string, unsaid func(*record.Head) int) (record.Record, record.Head, error) {
	ref, h, err := d.refOf(ctx, address, unsaid)
	if err != nil {
		return record.Record{}, h, err
	}
	r, err := d.version(ctx, ref, h.Latest)
	return r, h, err
}

// refOf finds which version an address means, without reading it: a record has all
// versions up to its latest.
func (d *Door) refOf(ctx context.Context, address string, unsaid func(*record.Head) int) (record.Ref, record.Head, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return record.Ref{}, record.Head{}, err
	}
	h, err := d.Head(ctx, a.ID)
	if err != nil {
		return record.Ref{}, h, err
	}
	ref, err := versionOf(&h, a, unsaid(&h))
	return ref, h, err
}

// versionOf gives the version of a record that an address means.
func versionOf(h *record.Head, a record.Address, unsaid int) (record.Ref, error) {
	ref := record.Ref{ID: h.ID, Version: a.Version}
	switch {
	case a.Canonical && h.Canonical == 0:
		hint := "`brenner store promote " + h.ID + " -m REASON` makes one"
		if h.Type == record.TaskSpec || record.IsRaw(h.Type) {
			hint = record.A(h.Type) + " never has one: leave out @canonical"
		}
		return ref, &fault.Error{Code: NoCanonical, Detail: h.ID + " has no canonical version", Hint: hint}
	case a.Canonical:
		ref.Version = h.Canonical
	case a.Latest:
		ref.Version = h.Latest
	case a.Version == 0:
		ref.Version = unsaid
	}
	return ref, inRange(ref, h.Latest)
}

// exactly gives the head of a record by its whole id; its latest version is 0 where
// there is none.
func (d *Door) exactly(ctx context.Context, id string) (record.Head, error) {
	found, err := d.Store.Heads(ctx, store.HeadQuery{ID: id})
	if err != nil || len(found) == 0 {
		return record.Head{ID: id}, err
	}
	return found[0], nil
}

// whole gives the head of a record by its whole id, which no person has typed: another
// one whose id begins so is not meant.
func (d *Door) whole(ctx context.Context, id string) (record.Head, error) {
	h, err := d.exactly(ctx, id)
	if err == nil && h.Latest == 0 {
		err = d.noRecord(ctx, id)
	}
	return h, err
}

// inRange refuses a version that a record does not have.
func inRange(ref record.Ref, latest int) error {
	if ref.Version <= latest {
		return nil
	}
	return &fault.Error{
		Code: store.NoRecord, Detail: fmt.Sprintf("%s has no version %d", ref.ID, ref.Version), Hint: fmt.Sprintf("it has the versions 1 to %d", latest),
	}
}

// version reads one version that is known by its whole id.
func (d *Door) version(ctx context.Context, ref record.Ref, latest int) (record.Record, error) {
	if err := inRange(ref, latest); err != nil {
		return record.Record{}, err
	}
	found, err := d.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
	if err != nil {
		return record.Record{}, err
	}
	if len(found) != 1 {
		return record.Record{}, &fault.Error{Code: store.NoRecord, Detail: "there is no record " + ref.String(), Hint: "`brenner store log` lists the records there are"}
	}
	return found[0], nil
}

// Content gives what a version says.
func (d *Door) Content(ctx context.Context, r *record.Record) ([]byte, error) {
	if r.Type == record.ResearchArtifact && d.Artifact != nil {
		if data, _, err := d.Artifact(ctx, r.Ref()); err == nil || fault.CodeOf(err) != store.NoRecord {
			return data, err
		}
	}
	return d.Store.Blob(ctx, r.Content)
}

// Read gives a version and what it says to somebody who may read it.
func (d *Door) Read(ctx context.Context, who Actor, address string) (record.Record, []byte, error) {
	r, _, err := d.Standing(ctx, address)
	if err != nil {
		return r, nil, err
	}
	if !d.mayRead(who, r.Type) {
		return record.Record{}, nil, d.refuse(ctx, who, "read", r.Type, r.ID)
	}
	data, err := d.Content(ctx, &r)
	return r, data, err
}

// refuse keeps an attempt outside a role's scope, and gives the fault for it.
func (d *Door) refuse(ctx context.Context, who Actor, action, kind, id string) error {
	f := &fault.Error{
		Code: policy.OutOfScope, Op: action + " " + fault.Shown(id),
		Detail: fmt.Sprintf("%s may not %s %s as %s", fault.Shown(who.Name), action, record.A(fault.Shown(kind)), fault.Shown(who.Role)),
		Hint:   "roles: in brenner.yaml says what a role may read and write; the attempt was recorded",
	}
	if who.Role == d.Rules.People && who.Role != "" {
		f.Hint = "the operator and the authorities of brenner.yaml may, and store.people names the role of others; the attempt was recorded"
	}
	if err := d.log(ctx, Refusals, kindRefused, refusedEvent{who.Name, who.Role, action, kind, id, f.Code}); err != nil {
		return err
	}
	return f
}
