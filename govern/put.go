package govern

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"brenner/govern/brief"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Put is the result of putting a draft.
type Put struct {
	Record record.Record
	// Fork are the tips of the record, if there is more than one.
	Fork []int
	// Moved are the changed inputs of its task, and its dependencies that no longer hold.
	Moved []Moved
	// Rivals are the last versions of records that compete for its place.
	Rivals []record.Ref
	// LeftOut are the records that did not fit into a memo.
	LeftOut []record.Ref
	// NotShown are the headings of a brief that name no field: agents are not shown what is below.
	NotShown []string
	Asked    string // what was really asked, if an agent wrote it
}

// Put puts drafts, all or none. Later ones may link to earlier ones.
func (rs *Records) Put(ctx context.Context, who Actor, drafts ...Draft) ([]Put, error) {
	if len(drafts) == 0 {
		return nil, &fault.Error{Code: NothingGiven, Detail: "nothing to put", Hint: "pass a file, or - for standard input"}
	}
	types := make(map[string]string) // of records created here
	drafts = slices.Clone(drafts)
	for i := range drafts {
		one := drafts[i]
		if one.Type == "" {
			one.Type = types[one.ID]
		}
		if one.Type == "" { // a new version: its id may be abbreviated
			h, err := rs.Head(ctx, one.ID)
			if fault.CodeOf(err) == store.NoRecord && one.place != "" {
				err = &fault.Error{Code: BadRecord, Detail: "it is a new record, and its type is missing", Hint: "set the key type"}
			}
			if err != nil {
				return nil, one.located(err)
			}
			one.ID, one.Type = h.ID, h.Type
			drafts[i].ID = h.ID
		}
		if err := rs.mayPut(ctx, who, &one); err != nil {
			return nil, one.located(err)
		}
		types[one.ID] = one.Type
	}
	var out []Put
	parents := make(map[int]int) // the parent of each draft, as its author saw it
	err := rs.putAll(ctx, who, func(b *putting) error {
		out, b.parents = nil, parents
		for i := range drafts {
			b.nth = i
			p, err := b.put(ctx, &drafts[i])
			if err != nil {
				return drafts[i].located(err)
			}
			out = append(out, p)
		}
		return nil
	})
	for i := range out {
		if err == nil {
			out[i].Rivals, err = rs.rivalsOf(ctx, who, &out[i].Record)
		}
	}
	return out, err
}

func (rs *Records) putOne(ctx context.Context, who Actor, draft Draft) (Put, error) {
	put, err := rs.Put(ctx, who, draft)
	if err != nil {
		return Put{}, err
	}
	return put[0], nil
}

type putting struct {
	*Records
	who   Actor
	at    time.Time
	c     *change
	heads map[string]record.Head // with the versions put so far
	read  map[string]record.Head // before the change
	fresh map[record.Ref]*record.Record
	holds map[record.Ref]bool // see graph.Graph
	// parents were chosen in the first attempt: the author has not seen later versions.
	parents map[int]int
	nth     int // index of the draft
}

// putAll stores the versions that prepare puts, in one change, if there are any.
func (rs *Records) putAll(ctx context.Context, who Actor, prepare func(*putting) error) error {
	return rs.write(ctx, func() (*change, error) {
		b := &putting{
			Records: rs, who: who, at: rs.Now().UTC(), c: &change{kind: ledger.KindPut}, parents: make(map[int]int),
			heads: make(map[string]record.Head), read: make(map[string]record.Head), fresh: make(map[record.Ref]*record.Record), holds: make(map[record.Ref]bool),
		}
		if err := prepare(b); err != nil || len(b.c.records) == 0 {
			return nil, err
		}
		e := ledger.PutEvent{By: who.Name, Role: who.Role}
		for i := range b.c.records {
			r := &b.c.records[i]
			e.Records = append(e.Records, ledger.PutEntry{ID: r.ID, Version: r.Version, Type: r.Type, Status: r.Status, Hash: ledger.Hash(r)})
		}
		b.c.event = e
		return b.c, nil
	})
}

func (b *putting) headOf(ctx context.Context, id string) (record.Head, error) {
	if h, ok := b.heads[id]; ok {
		return h, nil
	}
	return b.before(ctx, id)
}

func (b *putting) before(ctx context.Context, id string) (record.Head, error) {
	if h, ok := b.read[id]; ok {
		return h, nil
	}
	h, err := b.HeadByID(ctx, id)
	if err == nil {
		b.read[id] = h
	}
	return h, err
}

func (b *putting) put(ctx context.Context, draft *Draft) (Put, error) {
	if err := checkDraft(draft); err != nil {
		return Put{}, err
	}
	h, err := b.headOf(ctx, draft.ID)
	if err != nil {
		return Put{}, err
	}
	r := record.Record{
		ID: draft.ID, Type: draft.Type, Version: h.Latest + 1, Parent: draft.Parent, Status: record.Draft, Module: draft.Module,
		Content: store.Hash(draft.Content), Change: strings.TrimSpace(draft.Change), Creator: b.who.Name, At: b.at, Tags: slices.Clone(draft.Tags),
	}
	parent, err := b.setParent(ctx, &r, draft, h)
	if err != nil {
		return Put{}, err
	}
	if err := b.complete(&r, &parent, draft); err != nil {
		return Put{}, err
	}
	if r.Links, err = b.links(ctx, &r, &parent, draft); err != nil {
		return Put{}, err
	}
	out, err := b.setStatus(ctx, &r, &parent, draft, h)
	if err != nil {
		return Put{}, err
	}
	if parent.Version > 0 && parent.Status != record.Deprecated && sameAsParent(&r, &parent) {
		// To name the same inputs again ends a mark whose cause is gone.
		if was, err := b.staleOf(ctx, &parent); err != nil || was == "" || !draft.namesInputs() || policy.IsStale(r.Status) {
			return Put{}, cmp.Or(err, error(&fault.Error{
				Code: NothingNew, Op: "put " + fault.Shown(r.ID), Detail: "identical to " + parent.Ref().String(),
				Hint: "nothing was written",
			}))
		}
	}
	b.add(&r, draft.Content, h)
	out.Record = r
	if r.Type == record.ProjectBrief {
		fields := brief.Parse(string(draft.Content))
		out.NotShown = fields.Hidden()
	}
	return out, nil
}

// setStatus sets the first status of a version, and returns what it follows from.
func (b *putting) setStatus(ctx context.Context, r, parent *record.Record, draft *Draft, h record.Head) (out Put, err error) {
	if out.Fork, err = b.fork(ctx, r, h); err != nil {
		return Put{}, err
	}
	if out.Moved, err = b.moved(ctx, r, draft.Task == ""); err != nil {
		return Put{}, err
	}
	outdated, err := b.outdated(ctx, r)
	if err != nil {
		return Put{}, err
	}
	kept, err := b.keepsStale(ctx, r, parent, draft)
	if err != nil {
		return Put{}, err
	}
	switch {
	case len(out.Moved) > 0, draft.rebase, kept == record.NeedsRebase, b.repeatsOutdated(r, parent):
		r.Status = record.NeedsRebase
	case len(outdated) > 0, kept == record.NeedsUpdate:
		r.Status = record.NeedsUpdate
	case len(out.Fork) > 0:
		r.Status = record.Alternative
	}
	for _, m := range outdated {
		if !slices.ContainsFunc(out.Moved, func(one Moved) bool { return one.Input.Ref() == m.Input.Ref() }) {
			out.Moved = append(out.Moved, m)
		}
	}
	return out, nil
}

// outdated returns the dependencies of a new version that no longer hold.
func (b *putting) outdated(ctx context.Context, r *record.Record) ([]Moved, error) {
	g := b.Graph()
	g.HeadOf, g.Fresh, g.Holds = b.before, maps.Clone(b.fresh), b.holds
	g.Fresh[r.Ref()] = r
	found, err := g.Outdated(ctx, r)
	if err != nil {
		return nil, err
	}
	return movedBy(ctx, g, found)
}

func (draft *Draft) namesInputs() bool {
	return draft.Task != "" || slices.ContainsFunc(draft.Links, func(l Link) bool { return record.Depends(l.Relation) })
}

// staleOf returns needs_update or needs_rebase for a version that is marked, else "".
func (b *putting) staleOf(ctx context.Context, r *record.Record) (string, error) {
	if _, fresh := b.fresh[r.Ref()]; fresh || r.Version == 0 || policy.IsStale(r.Status) || r.Status == record.Draft {
		if policy.IsStale(r.Status) {
			return r.Status, nil
		}
		return "", nil
	}
	h, err := b.ReadHistory(ctx, r.ID, nil)
	if err != nil {
		return "", err
	}
	return h.Stale(r.Version), nil
}

// keepsStale returns the mark that passes from the parent of a version, or from the one whose text
// it repeats. To name current inputs ends it; the same text must name those of its parent. To name
// none ends it only if an authority changes the text and says why.
func (b *putting) keepsStale(ctx context.Context, r, parent *record.Record, draft *Draft) (string, error) {
	from := *parent
	if draft.repeats > 0 {
		var err error
		if from, err = b.Version(ctx, record.Ref{ID: r.ID, Version: draft.repeats}, r.Version-1); err != nil {
			return "", err
		}
	}
	was, err := b.staleOf(ctx, &from)
	if err != nil || was == "" || draft.merges && (draft.repeats == 0 || b.authority(b.who)) {
		return "", err
	}
	same := r.Content == from.Content
	var ends bool
	switch {
	case draft.repeats > 0:
		ends = was == record.NeedsUpdate && draft.namesInputs()
	case draft.namesInputs():
		ends = !same || draft.Task != "" || namesAll(r.Links, from.Links)
	case draft.NoLinks:
		ends = !same && r.Change != "" && b.authority(b.who)
	default:
		ends = was == record.NeedsUpdate && record.DependsOnAny(r.Links) // these say it
	}
	if ends {
		was = ""
	}
	return was, nil
}

// namesAll reports whether links depend on a version of every record that others depend on.
func namesAll(links, others []record.Link) bool {
	return !slices.ContainsFunc(others, func(o record.Link) bool {
		return record.Depends(o.Relation) && !slices.ContainsFunc(links, func(l record.Link) bool { return record.Depends(l.Relation) && l.ID == o.ID })
	})
}

// repeatsOutdated reports whether an agent repeats a text whose inputs have moved.
func (b *putting) repeatsOutdated(r, parent *record.Record) bool {
	return !b.who.person() && parent.Status == record.NeedsRebase && parent.Content == r.Content
}

func (b *putting) add(r *record.Record, content []byte, h record.Head) {
	b.c.blobs = append(b.c.blobs, content)
	b.c.records = append(b.c.records, *r)
	b.fresh[r.Ref()] = r
	h.Latest, h.Tip = r.Version, r.Version
	if h.Canonical == 0 {
		h.Type, h.Module = r.Type, r.Module
	}
	b.heads[r.ID] = h
}

// complete fills in what the draft leaves to its parent.
func (b *putting) complete(r, parent *record.Record, draft *Draft) error {
	if r.Type == "" {
		r.Type = parent.Type
	}
	if err := b.Types.Check(r.Type); err != nil {
		return err
	}
	kind, _ := b.Types.Find(r.Type)
	if err := checkReserved(r, kind, draft.internal); err != nil {
		return err
	}
	switch {
	case r.Module == "" && parent.Module != "":
		r.Module = parent.Module
	case r.Module == "" && kind.Whole:
		r.Module = record.Project
	}
	bad := func(detail, hint string) error {
		return &fault.Error{Code: BadRecord, Op: "put " + fault.Shown(r.ID), Detail: detail, Hint: hint}
	}
	switch {
	case r.Type == record.ResearchArtifact && b.Artifact != nil:
		return bySessions("put", r.ID)
	case parent.Version > 0 && parent.Type != r.Type:
		return bad("it is "+record.A(parent.Type)+" and cannot become "+record.A(r.Type), "put it under another id")
	case r.Module == "":
		return bad("its module is missing", "pass --module NAME, the part of the project it belongs to")
	case kind.Whole && r.Module != record.Project:
		return bad(record.A(r.Type)+" belongs to the whole project, not to "+fault.Shown(r.Module), "omit --module")
	case kind.Core && r.Parent > 0 && r.Change == "":
		return bad("a new version of "+record.A(r.Type)+" needs a change note", "pass -m with what changed, and why")
	}
	setTags(r, parent)
	if r.Type == record.ProjectBrief {
		return setGoal(r, parent, draft)
	}
	return setSummary(r, parent, draft)
}

// setTags copies the tags of the parent to a version without tags, and keeps the rehearsal tag.
func setTags(r, parent *record.Record) {
	if len(r.Tags) == 0 && parent.Version > 0 {
		r.Tags = slices.Clone(parent.Tags)
	}
	if record.Rehearsed(parent) && !record.Rehearsed(r) {
		r.Tags = append(r.Tags, record.Rehearsal)
	}
}

// setSummary sets the summary and the content that it was written for.
func setSummary(r, parent *record.Record, draft *Draft) error {
	r.SummaryOf = r.Content
	switch {
	case draft.Summary != "":
		r.Summary, r.SummaryBy = strings.TrimSpace(draft.Summary), record.Given
		if draft.summaryBy != "" {
			r.SummaryBy = draft.summaryBy
		}
		if draft.summaryOf != "" {
			r.SummaryOf = draft.summaryOf
		}
	case parent.Version > 0 && parent.Content == r.Content:
		r.Summary, r.SummaryOf, r.SummaryBy = parent.Summary, parent.SummaryOf, parent.SummaryBy
	case parent.Version > 0 && draft.KeepSummary:
		r.Summary, r.SummaryOf, r.SummaryBy = parent.Summary, parent.SummaryOf, record.Kept
	default:
		r.Summary, r.SummaryBy = record.Extract(draft.Content), record.Extracted
	}
	if err := record.CheckSummary(r.Summary); err != nil {
		return &fault.Error{Code: fault.CodeOf(err), Op: "put " + fault.Shown(r.ID), Cause: err}
	}
	return nil
}

// sameAsParent reports whether a version would add nothing to its parent.
func sameAsParent(r, parent *record.Record) bool {
	return r.Content == parent.Content && r.Summary == parent.Summary && r.SummaryOf == parent.SummaryOf && r.SummaryBy == parent.SummaryBy && r.Module == parent.Module &&
		slices.Equal(r.Tags, parent.Tags) && slices.Equal(r.Links, parent.Links)
}

// mayPut refuses what is outside the scope of an agent, or of people who may not decide.
func (rs *Records) mayPut(ctx context.Context, who Actor, draft *Draft) error {
	o, err := rs.outOfScope(ctx, who, draft)
	if err != nil || o == nil {
		return err
	}
	return rs.refuse(ctx, o.who, o.action, o.kind, draft.ID)
}

type overstep struct {
	who          Actor
	action, kind string
}

// outOfScope returns what of a draft is outside an actor's scope, or nil; no attempt is recorded.
func (rs *Records) outOfScope(ctx context.Context, who Actor, draft *Draft) (*overstep, error) {
	kind := draft.Type
	if err := rs.Types.Check(kind); err != nil {
		return nil, err
	}
	if who = rs.roleOf(who); who.person() {
		return nil, nil
	}
	if !draft.granted && !rs.Access.MayWrite(who.Role, kind) {
		return &overstep{who, "write", kind}, nil
	}
	if draft.KeepSummary && !rs.mayRead(who, kind) {
		return &overstep{who, "read", kind}, nil
	}
	// For an existing record its type counts, not the draft's.
	there, err := rs.HeadByID(ctx, draft.ID)
	if err != nil {
		return nil, err
	}
	if there.Latest > 0 && there.Type != kind && !rs.Access.MayWrite(who.Role, there.Type) {
		return &overstep{who, "write", there.Type}, nil
	}
	return nil, nil
}

// mayRead reports whether an actor may read a type: people all, agents never raw traffic.
func (rs *Records) mayRead(who Actor, kind string) bool {
	t, _ := rs.Types.Find(kind)
	return who.person() || !t.Raw && rs.Access.MayRead(who.Role, kind)
}
