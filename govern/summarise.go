package govern

import (
	"context"
	"fmt"
	"slices"

	"brenner/govern/contexts"
	"brenner/govern/memo"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// Summarise puts a version with a new summary, written by an agent or, if none can be asked or
// shown all of it, taken from the beginning of the text. Its parent is the version in question. The
// summary of a brief is its goal.
func (rs *Records) Summarise(ctx context.Context, who Actor, address string, h *Helper) (Put, error) {
	r, _, err := rs.findFor(ctx, who, address, tipOf)
	if err != nil {
		return Put{}, err
	}
	if r.Type == record.ProjectBrief {
		return rs.restateGoal(ctx, who, &r)
	}
	content, err := rs.Content(ctx, &r)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{ID: r.ID, Type: r.Type, Content: content, Tags: r.Tags, NoLinks: true, Change: "a summary of what it says now, taken from its beginning"}
	if draft.Parent, err = rs.summaryParent(ctx, &r, h.Available()); err != nil {
		return Put{}, err
	}
	for _, l := range r.Links {
		draft.Links = append(draft.Links, Link{l.Relation, l.Ref().String()})
	}
	if err := rs.mayPut(ctx, who, &draft); err != nil {
		return Put{}, err
	}
	if !h.Available() {
		return rs.extract(ctx, who, draft)
	}
	if kind, _ := rs.Types.Find(r.Type); kind.Raw || !rs.Access.MayRead(policy.Integrator, r.Type) {
		draft.Change += ": the " + policy.Integrator + " may not read " + record.A(r.Type)
		return rs.extract(ctx, who, draft)
	}
	a, err := rs.ask(ctx, who, h, job{
		name: "summary-" + r.ID, role: policy.Integrator, module: r.Module, inputs: []record.Ref{r.Ref()}, inFull: true,
		task: fmt.Sprintf("Summarise %s, which is shown below in full, in one or two plain sentences of at most %d characters together. Say what it says, and nothing else. Answer with the summary alone.", r.Ref(), record.MaxSummary),
	})
	if fault.CodeOf(err) == view.TooLarge {
		draft.Change += ": it does not fit into what the " + policy.Integrator + " can be shown"
		return rs.extract(ctx, who, draft)
	}
	if err != nil {
		return Put{}, err
	}
	draft.Summary = oneLine(a.text)
	draft.Change = contexts.AgentSummary + h.Name
	draft.Task, draft.granted = a.task.String(), true // the requester may write it
	put, err := rs.putOne(ctx, Actor{Name: h.Name, Role: policy.Integrator}, draft)
	put.Asked = a.event.Asked
	return put, rs.journalResult(ctx, a, put.Record.Ref(), err)
}

// summaryParent returns the parent of a new summary: the newest version that differs only in its
// summary. It is an error if the same content already has a current summary.
func (rs *Records) summaryParent(ctx context.Context, r *record.Record, asked bool) (int, error) {
	all, err := rs.Store.Records(ctx, store.Query{ID: r.ID})
	if err != nil {
		return 0, err
	}
	from := r.Version
	for i := range all {
		v := &all[i]
		if v.Version <= r.Version || v.Status == record.Deprecated || v.Content != r.Content {
			continue
		}
		// One by an agent also has a link to its task.
		lacks := func(l record.Link) bool { return !slices.Contains(v.Links, l) }
		if !v.StaleSummary() && (v.SummaryBy == record.Given || !asked) && !slices.ContainsFunc(r.Links, lacks) {
			return 0, &fault.Error{
				Code: NothingNew, Op: "summarise " + r.Ref().String(), Detail: v.Ref().String() + " has the same content and a current summary",
				Hint: "promote it with `brenner store promote " + v.Ref().String() + " -m REASON`",
			}
		}
		if v.Status != record.Alternative && v.Module == r.Module && slices.Equal(v.Tags, r.Tags) && slices.Equal(v.Links, r.Links) {
			from = max(from, v.Version)
		}
	}
	return from, nil
}

func (rs *Records) extract(ctx context.Context, who Actor, draft Draft) (Put, error) {
	draft.Summary, draft.summaryBy = record.Extract(draft.Content), record.Extracted
	return rs.putOne(ctx, who, draft)
}

// maxInputs bounds the records for one call of an agent; the next memo begins with the rest.
const maxInputs = 200

// Consolidate drafts the memo of a module or, for the module "project", the summary of the
// project. It promotes nothing. What did not fit counts as not covered.
func (rs *Records) Consolidate(ctx context.Context, who Actor, module string, h *Helper) (Put, error) {
	if err := CheckID("module", module); err != nil {
		return Put{}, err
	}
	kind, inputs, err := rs.memoInputs(ctx, who, module)
	if err != nil {
		return Put{}, err
	}
	holder, err := rs.holderOf(ctx, kind, module)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{Type: kind, Module: module}
	if holder != nil {
		draft.ID = holder.ID
	} else if draft.ID, err = rs.freeID(ctx, memoID(kind, module), kind, module); err != nil {
		return Put{}, err
	}
	if err := rs.mayPut(ctx, who, &draft); err != nil {
		return Put{}, err
	}
	if !h.Available() {
		if err := rs.stateGoals(ctx, inputs); err != nil {
			return Put{}, err
		}
		taken, left := memo.Split(inputs, maxContent)
		draft.linkSources(refsOf(taken), refsOf(left))
		draft.Content = memo.Text(module, taken, refsOf(left))
		draft.summaryBy = record.Extracted
		if draft.Summary, err = rs.memoSummary(ctx, draft.ID, taken); err != nil {
			return Put{}, err
		}
		put, err := rs.putOne(ctx, who, draft)
		put.LeftOut = refsOf(left)
		return put, err
	}
	return rs.integrate(ctx, who, h, draft, refsOf(inputs))
}

// integrate asks an agent for a memo, which continues the previous one if that is shown in full.
func (rs *Records) integrate(ctx context.Context, who Actor, h *Helper, draft Draft, inputs []record.Ref) (Put, error) {
	before, err := rs.previousMemo(ctx, draft.ID)
	if err != nil {
		return Put{}, err
	}
	if draft.unparented = before == nil; !draft.unparented {
		draft.Parent = before.Version // even if others put versions while the agent writes
	}
	var fresh, known []record.Ref
	for _, ref := range inputs {
		if before != nil && slices.ContainsFunc(before.Links, func(l record.Link) bool { return l.Ref() == ref && record.Depends(l.Relation) }) {
			known = append(known, ref)
			continue
		}
		fresh = append(fresh, ref)
	}
	j := job{
		name: "integrate-" + draft.Module, role: policy.Integrator, module: draft.Module, cross: draft.Module == record.Project,
		task: fmt.Sprintf("Write the %s of the module %s from the records below: what is known, on what evidence, what contradicts what, and which questions are open (under a heading \"Open questions\"). Name records by their ids. Begin with one sentence that sums it up. Answer in Markdown, with the text alone.", draft.Type, draft.Module),
	}
	if len(known) == 0 || len(fresh) == 0 { // a memo from scratch
		j.inputs, known = inputs[:min(len(inputs), maxInputs)], nil
	} else {
		j.task += fmt.Sprintf(" %s is the memo so far: keep what holds of it.", before.Ref())
		j.inputs = append([]record.Ref{before.Ref()}, fresh[:min(len(fresh), maxInputs-1)]...)
		j.first = before.Ref()
	}
	a, err := rs.ask(ctx, who, h, j)
	if err != nil {
		return Put{}, err
	}
	taken := slices.DeleteFunc(slices.Clone(a.shown), func(ref record.Ref) bool { return ref.ID == draft.ID })
	if len(known) > 0 && a.firstInFull {
		taken = append(taken, known...)
	}
	left := slices.DeleteFunc(slices.Clone(inputs), func(ref record.Ref) bool { return slices.Contains(taken, ref) })
	draft.linkSources(taken, left)
	draft.Content, draft.Task = append([]byte(a.text+"\n"), memo.LeftOut(left)...), a.task.String()
	put, err := rs.putOne(ctx, Actor{Name: h.Name, Role: policy.Integrator}, draft)
	put.LeftOut, put.Asked = left, a.event.Asked
	return put, rs.journalResult(ctx, a, put.Record.Ref(), err)
}

func (rs *Records) previousMemo(ctx context.Context, id string) (*record.Record, error) {
	h, err := rs.HeadByID(ctx, id)
	if err != nil || h.Latest == 0 {
		return nil, err
	}
	from, err := rs.continuedVersion(ctx, &h)
	if err != nil {
		return nil, err
	}
	r, err := rs.Version(ctx, record.Ref{ID: id, Version: from}, h.Latest)
	return &r, err
}

// linkSources links a memo to its sources, and notes what it does not cover.
func (draft *Draft) linkSources(refs, left []record.Ref) {
	draft.Change = "takes up " + text.Count(len(refs), "record")
	if len(left) > 0 {
		draft.Change += "; " + text.Count(len(left), "record") + " did not fit"
	}
	draft.NoLinks = true
	slices.SortFunc(refs, record.CompareRefs)
	for _, ref := range refs {
		draft.Links = append(draft.Links, Link{record.Summarises, ref.String()})
	}
}

func refsOf(records []record.Record) []record.Ref {
	var refs []record.Ref
	for i := range records {
		refs = append(refs, records[i].Ref())
	}
	return refs
}

func memoID(kind, module string) string {
	if kind == record.ProjectSummary {
		return summaryID
	}
	return derivedID("memo-", module)
}

func (rs *Records) integratedTypes() []string {
	return rs.Types.Names(func(t record.Type) bool { return t.Knowledge && rs.Access.MayRead(policy.Integrator, t.Name) })
}

// memoInputs returns what a memo or the project's summary is made from, newest first.
func (rs *Records) memoInputs(ctx context.Context, who Actor, module string) (string, []record.Record, error) {
	kind := policy.MemoOf(module)
	queries := []store.HeadQuery{{
		Types: slices.DeleteFunc(rs.integratedTypes(), func(kind string) bool { return !rs.mayRead(who, kind) }), Modules: []string{module}, Live: true, Newest: true,
	}}
	if kind == record.ProjectSummary {
		queries = append([]store.HeadQuery{{Types: []string{record.ProjectBrief, record.IntegratedMemo}, Canonical: true, Live: true, Newest: true}}, queries...)
	}
	rehearsed, err := rs.Rehearsals(ctx)
	if err != nil {
		return kind, nil, err
	}
	var inputs []record.Record
	for _, q := range queries {
		heads, err := rs.Store.Heads(ctx, q)
		if err != nil {
			return kind, nil, err
		}
		refs, err := rehearsed.Untainted(ctx, heads)
		if err != nil {
			return kind, nil, err
		}
		for _, ref := range refs {
			r, err := rs.Version(ctx, ref, ref.Version)
			if err != nil {
				return kind, nil, err
			}
			inputs = append(inputs, r)
		}
	}
	if len(inputs) == 0 {
		return kind, nil, &fault.Error{
			Code: NothingGiven, Op: "draft the " + kind, Detail: "no suitable records in " + fault.Shown(module),
			Hint: "a memo is made from the records of its module, the project summary from canonical memos and the brief",
		}
	}
	return kind, inputs, nil
}
