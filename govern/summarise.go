package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/fault"
	"brenner/policy"
	"brenner/record"
	"brenner/store"
	"brenner/view"
)

// Summarise puts a version with a summary of its own content: by an agent, or,
// where nobody can be asked or shown all of it, taken from its beginning, and marked
// so.
func (d *Door) Summarise(ctx context.Context, who Actor, address string, h *Helper) (Put, error) {
	r, _, err := d.Find(ctx, address)
	if err != nil {
		return Put{}, err
	}
	if !d.mayRead(who, r.Type) {
		return Put{}, d.refuse(ctx, who, "read", r.Type, r.ID)
	}
	content, err := d.Content(ctx, &r)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{ID: r.ID, Type: r.Type, Content: content, Tags: r.Tags, NoLinks: true, Change: "a summary of what it says now, taken from its beginning"}
	for _, l := range r.Links {
		draft.Links = append(draft.Links, Link{l.Relation, l.Ref().String()})
	}
	if err := d.mayPut(ctx, who, &draft); err != nil {
		return Put{}, err
	}
	if !h.There() {
		return d.extract(ctx, who, draft)
	}
	if kind, _ := d.Types.Find(r.Type); kind.Raw || !d.Access.MayRead(policy.Integrator, r.Type) {
		draft.Change += ": the " + policy.Integrator + " may not read a " + r.Type
		return d.extract(ctx, who, draft)
	}
	a, err := d.ask(ctx, who, h, job{
		name: "summary-" + r.ID, role: policy.Integrator, module: r.Module, inputs: []record.Ref{r.Ref()}, whole: true,
		task: fmt.Sprintf("Summarise %s, which is shown below in full, in one or two plain sentences of at most %d characters together. Say what it says, and nothing else. Answer with the summary alone.", r.Ref(), record.MaxSummary),
	})
	if fault.CodeOf(err) == view.TooLarge {
		draft.Change += ": it does not fit into what the " + policy.Integrator + " can be shown"
		return d.extract(ctx, who, draft)
	}
	if err != nil {
		return Put{}, err
	}
	draft.Summary = strings.Join(strings.Fields(a.text), " ")
	draft.Change = "a summary of what it says now, by " + h.Name
	draft.Task, draft.granted = a.task.String(), true // who asked for it may write it
	put, err := d.putOne(ctx, Actor{Name: h.Name, Role: policy.Integrator}, draft, record.Given)
	if err != nil {
		return put, err
	}
	return put, d.produced(ctx, a, put.Record.Ref())
}

func (d *Door) extract(ctx context.Context, who Actor, draft Draft) (Put, error) {
	draft.Summary = record.Extract(draft.Content)
	return d.putOne(ctx, who, draft, record.Extracted)
}

// putOne puts a draft whose summary was made in some way.
func (d *Door) putOne(ctx context.Context, who Actor, draft Draft, by string) (Put, error) {
	draft.summaryBy = by
	put, err := d.Put(ctx, who, draft)
	if err != nil {
		return Put{}, err
	}
	return put[0], nil
}

// mostInputs is how many records a memo takes up at once: the newest.
const mostInputs = 200

// Consolidate drafts the memo of a module from what stands in it, or, for the
// module "project", the summary of the project from its memos and from what belongs to
// no other module. It promotes nothing.
func (d *Door) Consolidate(ctx context.Context, who Actor, module string, h *Helper) (Put, error) {
	if err := CheckID("module", module); err != nil {
		return Put{}, err
	}
	kind, inputs, err := d.toIntegrate(ctx, module)
	if err != nil {
		return Put{}, err
	}
	holder, err := d.holderOf(ctx, kind, module)
	if err != nil {
		return Put{}, err
	}
	draft := Draft{ID: kindID(kind, module), Type: kind, Module: module}
	if holder != nil {
		draft.ID = holder.ID
	}
	if err := d.mayPut(ctx, who, &draft); err != nil {
		return Put{}, err
	}
	var refs []record.Ref
	for i := range inputs {
		refs = append(refs, inputs[i].Ref())
	}
	if !h.There() {
		draft.takeUp(refs)
		draft.Content = extractMemo(module, inputs)
		draft.Summary = fmt.Sprintf("What %s of %s say, by their summaries; put together by the program, weighed by nobody.", howMany(len(inputs)), module)
		return d.putOne(ctx, who, draft, record.Extracted)
	}
	a, err := d.ask(ctx, who, h, job{
		name: "integrate-" + module, role: policy.Integrator, module: module, cross: module == record.Project, inputs: refs,
		task: fmt.Sprintf("Write the %s of the module %s from the records below: what is known, on what evidence, what contradicts what, and which questions are open (under a heading \"Open questions\"). Name records by their ids. Begin with one sentence that sums it up. Answer in Markdown, with the text alone.", kind, module),
	})
	if err != nil {
		return Put{}, err
	}
	draft.takeUp(a.shown)
	draft.Content, draft.Task = []byte(a.text+"\n"), a.task.String()
	put, err := d.putOne(ctx, Actor{Name: h.Name, Role: policy.Integrator}, draft, "")
	if err != nil {
		return put, err
	}
	return put, d.produced(ctx, a, put.Record.Ref())
}

// takeUp links a memo to what it was made from.
func (draft *Draft) takeUp(refs []record.Ref) {
	draft.Change = "takes up " + howMany(len(refs))
	for _, ref := range refs {
		draft.Links = append(draft.Links, Link{record.Summarises, ref.String()})
	}
}

func howMany(records int) string {
	if records == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", records)
}

func kindID(kind, module string) string {
	if kind == record.ProjectSummary {
		return "project-summary"
	}
	return "memo-" + module
}

// toIntegrate gives what a memo, or the summary of the project, is made from.
func (d *Door) toIntegrate(ctx context.Context, module string) (string, []record.Record, error) {
	kind := policy.MemoOf(module)
	queries := []store.HeadQuery{{
		Types: d.Types.Names(func(t record.Type) bool { return t.Knowledge }), Modules: []string{module}, Live: true, Newest: true, Limit: mostInputs,
	}}
	if kind == record.ProjectSummary {
		queries = append(queries, store.HeadQuery{Types: []string{record.ProjectBrief, record.IntegratedMemo}, Canonical: true, Live: true, Newest: true, Limit: mostInputs})
	}
	var heads []record.Head
	for _, q := range queries {
		found, err := d.Store.Heads(ctx, q)
		if err != nil {
			return kind, nil, err
		}
		heads = append(heads, found...)
	}
	var inputs []record.Record
	for i := range heads {
		r, err := d.version(ctx, heads[i].Standing(), heads[i].Latest)
		if err != nil {
			return kind, nil, err
		}
		if !policy.Rehearsed(&r) {
			inputs = append(inputs, r)
		}
	}
	if len(inputs) == 0 {
		return kind, nil, &fault.Error{
			Code: NothingGiven, Op: "draft the " + kind, Detail: "there is nothing in " + fault.Shown(module) + " to make it from",
			Hint: "a memo is made from the records of a module, and the summary of the project from canonical memos and the brief",
		}
	}
	slices.SortFunc(inputs, func(a, b record.Record) int { return record.CompareRefs(a.Ref(), b.Ref()) })
	return kind, inputs, nil
}

// extractMemo lists what records say of themselves, and that nobody weighed it.
func extractMemo(module string, inputs []record.Record) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# What stands in %s\n\nPut together by the program from the summaries of %s, without a model:\nnothing here was weighed, and no contradiction was looked for.\n", module, howMany(len(inputs)))
	kind := ""
	byType := slices.Clone(inputs)
	slices.SortStableFunc(byType, func(a, b record.Record) int { return strings.Compare(a.Type, b.Type) })
	for i := range byType {
		r := &byType[i]
		if r.Type != kind {
			kind = r.Type
			fmt.Fprintf(&b, "\n## %s\n\n", kind)
		}
		fmt.Fprintf(&b, "- %s (%s): %s\n", r.Ref(), r.Status, r.Summary)
	}
	return []byte(b.String())
}
