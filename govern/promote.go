package govern

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// PromoteOptions are the options of a promotion.
type PromoteOptions struct {
	Reason string
	// Replace allows the version to displace another record that is canonical for the same type and
	// module, if there can be only one.
	Replace bool
}

// Promotion is the result of promoting a version.
type Promotion struct {
	Schema   string     `json:"schema"`
	Record   VersionRow `json:"record"`
	Was      int        `json:"was"`      // the version that was canonical before; 0 for none
	Replaced string     `json:"replaced"` // the displaced record
	// Stale are the versions that depend on what was canonical before.
	Stale []Stale `json:"stale"`
}

// Stale is a version that depends on what no longer holds.
type Stale struct {
	Ref    record.Ref `json:",embed"`
	Type   string     `json:"type"`
	Module string     `json:"module"`
	// Because is its direct dependency that is not current.
	Because string `json:"because"`
}

// Promote makes a version canonical if every gate is open. Nothing else does.
func (rs *Records) Promote(ctx context.Context, who Actor, address string, o PromoteOptions) (*Promotion, error) {
	r, began, err := rs.Find(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := rs.mayPromote(ctx, who, &r); err != nil {
		return nil, err
	}
	var out *Promotion
	err = rs.write(ctx, func() (*change, error) {
		r, h, err := rs.Find(ctx, r.Ref().String())
		if err != nil {
			return nil, err
		}
		if h.Canonical != began.Canonical { // another decision was made meanwhile
			m := record.Mark{ID: r.ID, Version: r.Version, Status: record.Canonical, Was: began.Canonical}
			return nil, store.CheckMark(&m, h.Latest, h.Canonical)
		}
		p := &promoting{marking: rs.marking(who), o: o, record: r, head: h}
		out, err = p.promote(ctx)
		return p.change(kindPromoted, "promote", strings.TrimSpace(o.Reason)), err
	})
	return out, err
}

// mayPromote refuses an agent outside its scope, and records every attempt of an agent at a
// decision that is reserved for people.
func (rs *Records) mayPromote(ctx context.Context, who Actor, r *record.Record) error {
	switch {
	case who.person():
		return nil
	case !rs.mayRead(who, r.Type) || !rs.Access.MayWrite(who.Role, r.Type):
		return rs.refuse(ctx, who, "promote", r.Type, r.ID)
	case !slices.Contains(rs.Rules.Unattended, r.Type):
		return rs.log(ctx, Refusals, kindRefused, refusedEvent{who.Name, who.Role, "promote", r.Type, r.ID, policy.Blocked})
	}
	return nil
}

type promoting struct {
	*marking
	o      PromoteOptions
	record record.Record
	head   record.Head
	holder *record.Head // the displaced record
}

func (p *promoting) promote(ctx context.Context) (*Promotion, error) {
	if err := p.gates(ctx); err != nil {
		return nil, err
	}
	out := &Promotion{Schema: "brenner.store.promote/v1", Record: versionRow(&p.record, p.record.Version), Was: p.head.Canonical}
	if err := p.addAsked(ctx, &out.Record); err != nil {
		return nil, err
	}
	p.mark(p.record.Ref(), record.Canonical, strings.TrimSpace(p.o.Reason))
	p.marks[0].Was = out.Was
	moved := []staleFrom{{id: p.record.ID, now: p.record.Version}}
	if out.Was > 0 && out.Was != p.record.Version {
		status, err := p.demotedStatus(ctx, out.Was)
		if err != nil {
			return nil, err
		}
		p.mark(record.Ref{ID: p.record.ID, Version: out.Was}, status, p.record.Ref().String()+" is canonical now")
	}
	if p.holder != nil {
		out.Replaced = p.holder.ID
		p.mark(p.holder.Standing(), record.Alternative, p.record.Ref().String()+" took its place")
		moved = append(moved, staleFrom{id: p.holder.ID})
	}
	out.Record.Status = record.Canonical
	var err error
	out.Stale, err = p.markStale(ctx, moved...)
	return out, err
}

// demotedStatus returns the new status of the previously canonical version: deprecated if it is an
// ancestor, else alternative.
func (p *promoting) demotedStatus(ctx context.Context, was int) (string, error) {
	all, err := p.Store.Records(ctx, store.Query{ID: p.record.ID})
	if err != nil {
		return "", err
	}
	for v := p.record.Version; v > 0 && v <= len(all); v = all[v-1].Parent {
		if v == was {
			return record.Deprecated, nil
		}
	}
	return record.Alternative, nil
}

func (p *promoting) gates(ctx context.Context) error {
	kind, _ := p.Types.Find(p.record.Type)
	in := policy.Promotion{
		Record: p.record, Type: kind, By: p.who.Name, Reason: p.o.Reason, Authority: p.authority(p.who),
		Unattended: p.Rules.Unattended, Replace: p.o.Replace, Limit: p.Rules.Compression,
	}
	if kind.Key {
		holder, err := p.holderOf(ctx, p.record.Type, p.record.Module)
		if err != nil {
			return err
		}
		if holder != nil && holder.ID != p.record.ID {
			p.holder, in.Holder = holder, holder.ID
		}
		if p.head.Canonical > 0 && p.head.Module != p.record.Module {
			in.Leaves = p.head.Module
		}
	}
	var err error
	if in.Due, err = p.overdue(ctx, kind); err != nil {
		return err
	}
	missing, err := filter(p.record.Links, func(l record.Link) (bool, error) {
		there, err := p.isStored(ctx, l.Ref())
		return !there, err
	})
	if err != nil {
		return err
	}
	for _, l := range missing {
		in.Missing = append(in.Missing, l.Ref().String())
	}
	if in.Rehearsed, in.Unknown, err = p.rehearsed(ctx); err != nil {
		return err
	}
	outdated, err := p.outdated(ctx, &p.record, p.headByID)
	if err != nil {
		return err
	}
	for _, m := range outdated {
		in.Outdated = append(in.Outdated, m.Input.Ref().String())
	}
	if p.record.Type == record.ResearchArtifact && p.Artifact != nil {
		_, faults, err := p.Artifact(ctx, p.record.Ref())
		if err != nil && fault.CodeOf(err) != store.NoRecord {
			return err
		}
		in.Faults = faults
	}
	return policy.RefusalError(p.record.Ref(), policy.Gates(&in))
}

// overdue returns the modules whose memo must come first; for a project decision, all of them.
func (p *promoting) overdue(ctx context.Context, kind record.Type) ([]policy.Overdue, error) {
	if !kind.Core || p.Rules.Compression <= 0 {
		return nil, nil
	}
	modules := []string{p.record.Module}
	if p.record.Module == record.Project {
		census, err := p.Store.Census(ctx)
		if err != nil {
			return nil, err
		}
		modules = modulesOf(census, func(t record.Type) bool { return t.Knowledge }, p.Types)
	}
	modules = slices.DeleteFunc(modules, func(m string) bool { return m == p.record.Module && p.record.Type == policy.MemoOf(m) })
	all, err := p.dueOf(ctx, modules)
	if err != nil {
		return nil, err
	}
	var out []policy.Overdue
	for _, due := range all {
		changed := due.Changed
		if slices.ContainsFunc(due.Records, func(ref record.Ref) bool { return ref.ID == p.record.ID }) {
			changed-- // do not count the decision itself
		}
		if changed >= due.Limit {
			out = append(out, policy.Overdue{Module: due.Module, Changed: changed})
		}
	}
	return out, nil
}

// rehearsed returns the dependencies of the record that come from a rehearsal; unknown means
// there are too many to check.
func (p *promoting) rehearsed(ctx context.Context) (because []string, unknown bool, err error) {
	rehearsed, err := p.rehearsals(ctx)
	if err != nil {
		return nil, false, err
	}
	var dependencies []record.Ref
	for _, l := range p.record.Links {
		if record.Depends(l.Relation) && !slices.Contains(dependencies, l.Ref()) {
			dependencies = append(dependencies, l.Ref())
		}
	}
	found, complete, err := rehearsed.findTainted(ctx, dependencies...)
	for _, ref := range dependencies {
		if s, ok := found[ref]; ok {
			because = append(because, origin{source: s.source, through: ref}.String())
		}
	}
	return because, !complete, err
}

func (rs *Records) holderOf(ctx context.Context, kind, module string) (*record.Head, error) {
	found, err := rs.Store.Heads(ctx, store.HeadQuery{Types: []string{kind}, Modules: []string{module}, Canonical: true, Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Due is how much of a module its memo does not cover.
type Due struct {
	Module  string       `json:"module"`
	Changed int          `json:"changed"`
	Limit   int          `json:"limit"`
	Memo    string       `json:"memo"` // its canonical memo, or the project's summary; empty for none
	Records []record.Ref `json:"-"`

	memo record.Ref
}

// Count returns the number as text; counting ends at twice the limit.
func (u *Due) Count() string {
	if u.Limit > 0 && u.Changed > 2*u.Limit {
		return strconv.Itoa(u.Changed) + " or more"
	}
	return strconv.Itoa(u.Changed)
}

// IsDue reports whether the module needs a new memo.
func (u *Due) IsDue() bool { return u.Limit > 0 && u.Changed >= u.Limit }

// due counts the records of a module that its canonical memo does not cover, without rehearsals.
func (rs *Records) due(ctx context.Context, module string, rehearsed *rehearsals) (Due, error) {
	due := Due{Module: module, Limit: rs.Rules.Compression}
	q := store.HeadQuery{
		Types: rs.integratedTypes(), Modules: []string{module}, Live: true, Newest: true,
		Limit: max(rs.Rules.Compression, 0)*2 + 1, // enough to know that the limit is far exceeded
	}
	memo, err := rs.holderOf(ctx, policy.MemoOf(module), module)
	if err != nil {
		return due, err
	}
	if memo != nil {
		due.memo = memo.Standing()
		due.Memo = due.memo.String()
		q.Besides = []record.Ref{due.memo}
	}
	for {
		found, err := rs.Store.Heads(ctx, q)
		if err != nil {
			return due, err
		}
		refs, err := rehearsed.untainted(ctx, found)
		if err != nil {
			return due, err
		}
		if more := q.Limit + len(found) - len(refs); len(found) == q.Limit && more > q.Limit && len(refs) <= 2*due.Limit {
			q.Limit = more // rehearsals must not displace others
			continue
		}
		due.Records, due.Changed = refs, len(refs)
		return due, nil
	}
}

func (rs *Records) dueOf(ctx context.Context, modules []string) ([]Due, error) {
	rehearsed, err := rs.rehearsals(ctx)
	if err != nil {
		return nil, err
	}
	var all []Due
	for _, module := range modules {
		due, err := rs.due(ctx, module, rehearsed)
		if err != nil {
			return nil, err
		}
		if due.IsDue() {
			all = append(all, due)
		}
	}
	return all, nil
}
