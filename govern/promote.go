package govern

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"brenner/govern/graph"
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
	// Stale allows the promotion of a version that rests on what no longer holds. It stays marked.
	Stale bool
}

// Promotion is the result of promoting a version.
type Promotion struct {
	Schema   string     `json:"schema"`
	Record   VersionRow `json:"record"`
	Was      int        `json:"was"`      // the version that was canonical before; 0 for none
	Replaced string     `json:"replaced"` // the displaced record
	// Stale are the versions that depend on what was canonical before.
	Stale []Stale `json:"stale"`
	// Despite is why the version itself is stale; it was promoted as it is.
	Despite []string `json:"despite,omitempty"`
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
	if fault.CodeOf(err) == policy.Blocked {
		return nil, rs.logRefused(ctx, who, "promote", r.Type, r.ID, err)
	}
	return out, err
}

// mayPromote refuses an agent outside its scope.
func (rs *Records) mayPromote(ctx context.Context, who Actor, r *record.Record) error {
	if who.person() || rs.mayRead(who, r.Type) && rs.Access.MayWrite(who.Role, r.Type) {
		return nil
	}
	return rs.refuse(ctx, who, "promote", r.Type, r.ID)
}

type promoting struct {
	*marking
	o      PromoteOptions
	record record.Record
	head   record.Head
	holder *record.Head // the displaced record
	aside  []aside      // versions of other records that it supersedes
	stale  string       // its status, if it is stale
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
	out.Record.Status = record.Canonical
	if p.stale != "" {
		p.mark(p.record.Ref(), p.stale, "promoted although it depends on "+strings.Join(p.despite, ", and on "))
		out.Record.Status, out.Despite = p.stale, p.despite
	}
	moved := []string{p.record.ID}
	if out.Was > 0 && out.Was != p.record.Version {
		status, err := p.demotedStatus(ctx, out.Was)
		if err != nil {
			return nil, err
		}
		if err := p.demote(ctx, record.Ref{ID: p.record.ID, Version: out.Was}, status, p.record.Ref().String()+" is canonical now"); err != nil {
			return nil, err
		}
	}
	if p.holder != nil {
		out.Replaced = p.holder.ID
		if err := p.demote(ctx, p.holder.Standing(), record.Alternative, p.record.Ref().String()+" took its place"); err != nil {
			return nil, err
		}
		moved = append(moved, p.holder.ID)
	}
	for _, a := range p.aside {
		if err := p.demote(ctx, a.ref, record.Alternative, p.record.Ref().String()+" supersedes it"); err != nil {
			return nil, err
		}
		if !slices.Contains(moved, a.ref.ID) {
			moved = append(moved, a.ref.ID)
		}
	}
	var err error
	out.Stale, err = p.markStale(ctx, moved...)
	return out, err
}

// demote marks a version that was canonical. An alternative that is stale stays so.
func (p *promoting) demote(ctx context.Context, ref record.Ref, status, reason string) error {
	h, err := p.ReadHistory(ctx, ref.ID, nil)
	if err != nil {
		return err
	}
	p.mark(ref, status, reason)
	if was := h.Stale(ref.Version); was != "" && status == record.Alternative {
		p.mark(ref, was, "it was stale before "+reason)
	}
	return nil
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
	if p.aside, err = p.superseded(ctx); err != nil {
		return err
	}
	for _, a := range p.aside {
		if one, _ := p.Types.Find(a.kind); one.Key && a.canonical {
			in.Ends = append(in.Ends, a.ref.String())
		}
		if !slices.Contains(in.Supersedes, a.kind) {
			in.Supersedes = append(in.Supersedes, a.kind)
		}
	}
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
	if err := p.checkStale(ctx); err != nil {
		return err
	}
	in.Outdated, in.Stale = p.despite, p.o.Stale
	if in.Faults, err = p.faults(ctx); err != nil {
		return err
	}
	return policy.RefusalError(p.record.Ref(), policy.Gates(&in))
}

// checkStale finds out whether the version is stale, and why.
func (p *promoting) checkStale(ctx context.Context) error {
	g := p.Graph()
	h, err := g.HistoryOf(ctx, p.record.ID)
	if err != nil {
		return err
	}
	p.stale = h.Stale(p.record.Version)
	found, err := g.Outdated(ctx, &p.record)
	if err != nil {
		return err
	}
	for _, o := range found {
		s, err := g.Look(ctx, o.Through)
		if err != nil {
			return err
		}
		p.despite = append(p.despite, o.Because(s.Lapsed))
	}
	switch {
	case len(found) == 0 && p.stale != "":
		cause, err := g.CauseGone(ctx, &p.record)
		if err != nil {
			return err
		}
		p.despite = []string{cause}
	case len(found) == 0 && (p.holder != nil || len(p.aside) > 0):
		if p.despite, err = p.displaced(ctx); err != nil {
			return err
		}
	}
	if len(p.despite) > 0 && p.stale == "" {
		p.stale = record.NeedsUpdate
	}
	return nil
}

// displaced returns what the version rests on that its own promotion would make outdated.
func (p *promoting) displaced(ctx context.Context) ([]string, error) {
	then := p.Records.marking(p.who)
	then.mark(p.record.Ref(), record.Canonical, "")
	var refs []record.Ref
	if p.holder != nil {
		refs = append(refs, p.holder.Standing())
	}
	for _, a := range p.aside {
		refs = append(refs, a.ref)
	}
	var ids []string
	for _, ref := range refs {
		then.mark(ref, record.Alternative, "")
		ids = append(ids, ref.ID)
	}
	found, err := p.FindStale(ctx, then.marks, ids...)
	var why []string
	for _, s := range found {
		if s.Ref == p.record.Ref() {
			if slices.ContainsFunc(refs, func(ref record.Ref) bool { return ref.String() == s.Because }) {
				why = append(why, s.Because+", which this promotion displaces")
				continue
			}
			why = append(why, s.Because+", which rests on what this promotion displaces: "+refList(refs))
		}
	}
	return why, err
}

// aside is a version of another record that a promotion sets aside.
type aside struct {
	ref       record.Ref
	kind      string
	canonical bool
}

// superseded returns the versions of other records that the version supersedes, itself or by one
// that it continues and that was never canonical. What those continue is superseded, too.
func (p *promoting) superseded(ctx context.Context) ([]aside, error) {
	own, err := p.ReadHistory(ctx, p.record.ID, nil)
	if err != nil {
		return nil, err
	}
	var out []aside
	for v := p.record.Version; v > 0; v = own.Versions[v-1].Parent {
		if v != p.record.Version && own.WasCanonical(v) {
			break
		}
		for _, l := range own.Versions[v-1].Links {
			if l.Relation != record.Supersedes || l.ID == p.record.ID || p.holder != nil && l.ID == p.holder.ID {
				continue
			}
			if out, err = p.setAside(ctx, out, l.Ref()); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// setAside adds a superseded version and those that it continues.
func (p *promoting) setAside(ctx context.Context, all []aside, ref record.Ref) ([]aside, error) {
	there, err := p.isStored(ctx, ref)
	if err != nil || !there {
		return all, err
	}
	other, err := p.ReadHistory(ctx, ref.ID, nil)
	if err != nil {
		return nil, err
	}
	for _, version := range other.Ended(ref.Version) {
		one := aside{record.Ref{ID: ref.ID, Version: version}, other.Versions[version-1].Type, version == other.Canonical()}
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all, nil
}

// faults returns the lint findings of a research artifact, or what is wrong with a brief.
func (p *promoting) faults(ctx context.Context) ([]string, error) {
	switch {
	case p.record.Type == record.ProjectBrief:
		detail, fix, err := p.briefFault(ctx, &p.record)
		if err != nil || detail == "" {
			return nil, err
		}
		return []string{detail + "; " + fix}, nil
	case p.record.Type == record.ResearchArtifact && p.Artifact != nil:
		_, faults, err := p.Artifact(ctx, p.record.Ref())
		if err != nil && fault.CodeOf(err) != store.NoRecord {
			return nil, err
		}
		return faults, nil
	}
	return nil, nil
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
	rehearsed, err := p.Rehearsals(ctx)
	if err != nil {
		return nil, false, err
	}
	var dependencies []record.Ref
	for _, l := range p.record.Links {
		if record.Depends(l.Relation) && !slices.Contains(dependencies, l.Ref()) {
			dependencies = append(dependencies, l.Ref())
		}
	}
	found, complete, err := rehearsed.FindTainted(ctx, dependencies...)
	for _, ref := range dependencies {
		if s, ok := found[ref]; ok {
			because = append(because, graph.Origin{Source: s.Source, Through: ref}.String())
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
func (rs *Records) due(ctx context.Context, module string, rehearsed *graph.Rehearsals) (Due, error) {
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
		refs, err := rehearsed.Untainted(ctx, found)
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
	rehearsed, err := rs.Rehearsals(ctx)
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
