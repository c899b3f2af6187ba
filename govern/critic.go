package govern

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/govern/critique"
	"brenner/govern/finding"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// critic is a critic's answer to the question of one check.
type critic struct {
	critique.Exchange
	replies []*helperReply
	found   []finding.Finding
	failed  bool // a call failed
}

// ask asks the critic one question for each check that has one.
func (r *reviewing) ask(ctx context.Context, draft *Draft) error {
	if !r.h.Available() {
		return nil
	}
	if err := r.mayPut(ctx, r.who, draft); err != nil {
		return err
	}
	for _, check := range finding.Asked(r.run.Checks) {
		r.name = check
		inputs, of, err := r.subjects(ctx, check)
		if err != nil {
			return err
		}
		if len(inputs) == 0 {
			r.note("%s was not asked: there are no records to compare", r.h.Name)
			continue
		}
		if err := r.askInPortions(ctx, check, inputs, of); err != nil {
			return err
		}
	}
	return nil
}

// maxQuestions is the most questions of one check with full texts. One more shows the summaries of the rest.
const maxQuestions = 5

// askInPortions asks the question of a check, several times if the texts do not fit into one. A question that the
// critic does not answer leaves the others as they are.
func (r *reviewing) askInPortions(ctx context.Context, check string, inputs []record.Ref, of int) error {
	portions, err := r.portions(ctx, check, inputs)
	if err != nil {
		return err
	}
	forms := make(map[record.Ref]view.Form)
	for _, portion := range portions {
		c := &critic{Exchange: critique.Exchange{Check: check, By: r.h.Name, Of: of}}
		err := r.question(ctx, c, portion)
		if len(c.Turns) > 0 {
			r.asked = append(r.asked, c)
			c.markForms(portion, forms)
		}
		if err != nil && (!c.failed || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			r.failed = cmp.Or(r.failed, err)
			r.note("%s could not be asked about %s: %s", r.h.Name, text.Count(len(portion), "record"), fault.CodeOf(err))
		}
	}
	var short []record.Ref
	for _, ref := range inputs {
		if form, shown := forms[ref]; shown && form != view.Full {
			short = append(short, ref)
		}
	}
	if len(forms) < of {
		r.note("%s was shown %d of %s", r.h.Name, len(forms), text.Count(of, "record"))
	}
	if len(short) > 0 {
		r.note("%s was shown only summaries of %s, whose texts do not fit into the view of the role %s: %s", r.h.Name, text.Count(len(short), "record"), policy.Critic, refList(short))
	}
	if len(portions) > 1 && check != finding.Alignment {
		r.note("%s was asked in %d questions: records of different ones were not compared in full", r.h.Name, len(portions))
	}
	return nil
}

// markForms notes how the answered question showed its records.
func (c *critic) markForms(portion []record.Ref, forms map[record.Ref]view.Form) {
	here := make(map[record.Ref]view.Form)
	for _, s := range c.replies[0].event.Context {
		ref := record.Ref{ID: s.ID, Version: s.Version}
		if form := view.Form(s.Form); here[ref] != view.Full {
			here[ref] = form
		}
		if s.Type == record.ProjectBrief { // its fields are in the overview
			here[ref] = view.Full
		}
	}
	for _, ref := range portion {
		form, shown := here[ref]
		if shown && form != view.Full {
			c.Short = append(c.Short, ref.String())
		}
		if shown && forms[ref] != view.Full {
			forms[ref] = form
		}
	}
}

// portions divides the records of a check so that as many as possible are shown in full.
func (r *reviewing) portions(ctx context.Context, check string, refs []record.Ref) ([][]record.Ref, error) {
	opening, rest := refs[:0:0], refs
	if check == finding.Alignment {
		opening, rest = refs[:1:1], refs[1:] // the brief is part of each question
	}
	preview := func(refs []record.Ref) (*AssembledContext, error) {
		return r.Context(ctx, Request{
			Role: policy.Critic, Purpose: question(check), Modules: []string{record.Project}, Cross: true, Full: true, Inputs: refNames(refs), only: true,
		})
	}
	all, err := preview(refs)
	if fault.CodeOf(err) == view.TooLarge {
		return [][]record.Ref{refs}, nil // asking says why
	}
	if err != nil {
		return nil, err
	}
	full := 0
	for _, s := range all.Shown {
		if s.Form == view.Full && slices.Contains(rest, s.Ref) {
			full++
		}
	}
	if full == len(rest) {
		return [][]record.Ref{refs}, nil
	}
	bare, err := preview(opening)
	if err != nil {
		return nil, err
	}
	costs := make([]int, len(rest))
	for i, ref := range rest {
		one, _, err := r.Find(ctx, ref.String())
		if err != nil {
			return nil, err
		}
		content, err := r.Content(ctx, &one)
		if err != nil {
			return nil, err
		}
		costs[i] = r.count("\n## " + one.Type + "\n\n- " + ref.String() + one.Summary + one.Module + one.Status + "\n  | " + strings.ReplaceAll(string(content), "\n", "\n  | "))
	}
	reserve := r.count("\nNot shown, by the view's bounds: 1000000000 or more.\n(, ): \n")
	packed, left := critique.Portions(costs, bare.Bound-bare.Tokens-reserve, maxQuestions)
	if len(left) > 0 {
		packed = append(packed, left)
	}
	var out [][]record.Ref
	for _, one := range packed {
		portion := slices.Clone(opening)
		for _, i := range one {
			portion = append(portion, rest[i])
		}
		out = append(out, portion)
	}
	return out, nil
}

func question(check string) string { return finding.Question(check) + "\n\n" + critique.Structure }

// subjects returns the records that a check is about, those with findings first and then the newest, and how
// many there are.
func (r *reviewing) subjects(ctx context.Context, check string) (refs []record.Ref, of int, err error) {
	fits := func(_ *record.Head, t record.Type) bool { return t.Knowledge }
	switch check {
	case finding.Alignment:
		brief, err := r.holderOf(ctx, record.ProjectBrief, record.Project)
		if err != nil || brief == nil || !r.mayRead(r.who, record.ProjectBrief) {
			return nil, 0, err
		}
		refs = append(refs, brief.Standing())
		fits = func(_ *record.Head, t record.Type) bool { return t.Core && !t.Whole }
	case finding.Assumptions:
		states := make(map[record.Ref]bool)
		for _, ref := range r.states {
			states[ref] = true
		}
		fits = func(h *record.Head, t record.Type) bool {
			return states[h.Standing()] || t.Name == record.ModelSpec || t.Name == record.IntegratedMemo
		}
	}
	heads := slices.DeleteFunc(slices.Clone(r.heads), func(h record.Head) bool {
		t, _ := r.Types.Find(h.Type)
		return !fits(&h, t) || !r.Access.MayRead(policy.Critic, h.Type)
	})
	about := make(map[string]bool)
	for i := range r.found {
		if f := &r.found[i]; f.Check == check {
			about[f.Ref.ID], about[f.Other.ID] = true, true
		}
	}
	slices.SortStableFunc(heads, func(a, b record.Head) int {
		if about[a.ID] != about[b.ID] {
			if about[a.ID] {
				return -1
			}
			return 1
		}
		return b.At.Compare(a.At)
	})
	if len(heads) == 0 {
		return nil, 0, nil
	}
	of = len(refs) + len(heads)
	for i := range heads[:min(len(heads), maxInputs-len(refs))] {
		refs = append(refs, heads[i].Standing())
	}
	return refs, of, nil
}

// question asks one question, and once more if something in the answer can be corrected.
func (r *reviewing) question(ctx context.Context, c *critic, inputs []record.Ref) error {
	a, err := r.Records.ask(ctx, r.who, r.h, job{
		name: "check-" + c.Check, role: policy.Critic, module: record.Project, cross: true, only: true, inputs: inputs,
		task: question(c.Check),
	})
	if err = c.answered(a, err); err != nil {
		return err
	}
	c.Task, c.Shown = a.task.String(), len(a.shown)
	q := critique.Question{Prompt: a.asked, Shown: refNames(a.given)}
	c.take(a, critique.Read(a.raw, q))
	if c.Unread() == "" {
		return nil
	}
	again, err := r.correct(ctx, a, c.Turns[0].Answer.Correct(q))
	if fault.CodeOf(err) == view.TooLarge {
		return nil // the answer stays unread
	}
	if err = c.answered(again, err); err != nil {
		return err
	}
	c.take(again, critique.Read(again.raw, q))
	return nil
}

// answered returns the error of a call, or nil if the answer is only empty: that is read like any other.
func (c *critic) answered(a *helperReply, err error) error {
	switch code := fault.CodeOf(err); {
	case err == nil, a != nil && code == agent.Empty:
		return nil
	default:
		c.failed = a != nil && a.event.Code != "" || code == view.TooLarge
		return err
	}
}

// correct asks the critic to correct its answer, unless an unused reply is journaled.
func (r *reviewing) correct(ctx context.Context, a *helperReply, request critique.Request) (*helperReply, error) {
	spec, err := r.view(policy.Critic)
	if err != nil {
		return nil, err
	}
	turn, err := view.Repair(&view.RepairInput{
		Role: policy.Critic, Bound: spec.Bound(), Call: r.Rules.Call, Count: r.count, Opening: a.asked, Answer: a.raw,
		Head: request.Head, Tail: request.Tail, Problems: request.Problems, Lines: request.Lines, More: request.More,
	})
	if err != nil {
		return nil, err
	}
	prompt := store.Hash([]byte(turn.Request))
	again := &helperReply{task: a.task, given: a.given}
	e, err := r.findUnusedReply(ctx, r.h, policy.Critic, func(e *ledger.AskedEvent) (bool, error) { return e.Task == a.task.String() && e.Prompt == prompt, nil })
	if err != nil {
		return nil, err
	}
	if e != nil {
		return again, r.reuseReply(ctx, again, e)
	}
	again.event = ledger.AskedEvent{Task: a.event.Task, Role: a.event.Role, View: a.event.View, Context: a.event.Context, Tokens: r.count(a.asked) + turn.Tokens}
	return again, r.call(ctx, r.h, again, &agent.Call{
		ID: a.event.Call + "/repair", Thread: a.task.ID, Subject: "REPAIR: " + a.task.String(),
		Turns: []agent.Turn{{Text: a.asked}, {Own: true, Text: turn.Answer}, {Text: turn.Request}},
	})
}

// take adds the findings of an answer. A correction may repeat those that stand.
func (c *critic) take(a *helperReply, answer critique.Answer) {
	byName := make(map[string]record.Ref)
	for _, ref := range a.given {
		byName[ref.String()] = ref
	}
	for _, f := range answer.Findings {
		one := finding.Finding{Check: c.Check, By: c.By, Detail: f.Wrong, Quote: f.Words, Fix: f.Fix}
		for i, name := range f.Records {
			switch ref := byName[name]; i {
			case 0:
				one.Ref = ref
			case 1:
				one.Other = ref
			default:
				one.More = append(one.More, ref)
			}
		}
		if !slices.ContainsFunc(c.found, func(f finding.Finding) bool { return f.String() == one.String() }) {
			c.found = append(c.found, one)
		}
	}
	c.replies, c.Turns = append(c.replies, a), append(c.Turns, critique.Turn{Call: a.event.Call, Text: a.text, Answer: answer})
}

// findings returns what the critic found, and which of its answers could not be read. It adds what does not
// count to the result.
func (r *reviewing) findings(out *CheckResult) []finding.Finding {
	var all []finding.Finding
	for _, c := range r.asked {
		all = append(all, c.found...)
		if unread := c.Unread(); unread != "" {
			all = append(all, finding.Finding{Check: finding.Unread, By: c.By, Detail: unread, Fix: "read the answer in " + out.Review + ", or ask again"})
		}
		out.NotCounted = append(out.NotCounted, c.Uncounted()...)
	}
	return all
}

// putByCritic puts a review with a critic's answers, and journals that they were used.
func (r *reviewing) putByCritic(ctx context.Context, draft Draft) (*Put, error) {
	draft.Task = r.asked[0].replies[0].task.String()
	found := 0
	var replies []*helperReply
	for i, c := range r.asked {
		if i > 0 {
			draft.Links = append(draft.Links, Link{record.DerivesFrom, c.replies[0].task.String()})
		}
		found += len(c.found)
		replies = append(replies, c.replies...)
	}
	draft.Summary = fmt.Sprintf("%s about %s, and %d by %s.", text.Count(len(r.found), "mechanical finding"), r.run.Name, found, oneLine(r.h.Name))
	if slices.ContainsFunc(r.asked, func(c *critic) bool { return c.Unread() != "" }) {
		draft.Summary = strings.TrimSuffix(draft.Summary, ".") + ", with an answer that could not be read."
	}
	if slices.ContainsFunc(r.asked, func(c *critic) bool { return len(c.Short) > 0 }) {
		draft.Summary += " Of some records, only summaries were shown."
	}
	put, err := r.putOne(ctx, Actor{Name: r.h.Name, Role: policy.Critic}, draft)
	if fault.CodeOf(err) == NothingNew { // put by a run that was killed before it journaled that
		put.Record, _, err = r.Find(ctx, draft.ID+"@latest")
	}
	for _, a := range replies {
		if err := r.journalResult(ctx, a, put.Record.Ref(), err); err != nil {
			return nil, err
		}
	}
	put.Asked = replies[0].event.Asked
	return &put, err
}
