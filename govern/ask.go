package govern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/govern/brief"
	"brenner/govern/contexts"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// Helper is an agent that does a job on the store. Without one (nil or zero), the program does
// the mechanical part itself.
type Helper struct {
	Agent agent.Agent
	Name  string
	Model string
	// Asked, if not nil, describes what is really asked, and the model that answered if it is another one.
	Asked func(answered string) string
}

// Available reports whether there is an agent to ask.
func (h *Helper) Available() bool { return h != nil && h.Agent != nil }

// Call is one call of an agent for the store.
type Call = ledger.Call

// Shown is a version shown to an agent.
type Shown = ledger.Shown

type job struct {
	name   string // of the task spec
	role   string
	task   string
	module string
	cross  bool
	inputs []record.Ref
	// inFull means that the job needs the exact text of the inputs: if they cannot be shown in
	// full, the agent is not asked.
	inFull bool
	// first is the input that the others build on.
	first record.Ref
	// only means that nothing but the inputs is shown, and that being one is no use of a record: the job judges them.
	only bool
}

type helperReply struct {
	text  string
	raw   string // with its reasoning
	asked string // the message
	task  record.Ref
	shown []record.Ref // inputs shown to the agent
	given []record.Ref // everything shown to the agent
	// firstInFull reports whether the first input was shown in full.
	firstInFull bool
	event       ledger.AskedEvent
}

// ask pins a task, assembles its context, and calls the agent. If an earlier reply to the same
// question was journaled and never used, it is used instead.
func (rs *Records) ask(ctx context.Context, who Actor, h *Helper, j job) (*helperReply, error) {
	if a, err := rs.unusedReply(ctx, who, h, &j); a != nil || err != nil {
		return a, err
	}
	put, err := rs.pinJob(ctx, who, &j)
	if err != nil {
		return nil, err
	}
	a, given, err := rs.prepare(ctx, &j, put.Record.Ref())
	if err != nil {
		return nil, err
	}
	a.event = ledger.AskedEvent{Task: a.task.String(), Role: j.role, View: given.Spec, Tokens: given.Tokens}
	for _, s := range given.Shown {
		a.event.Context = append(a.event.Context, ledger.ShownEntry{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form)})
	}
	return a, rs.call(ctx, h, a, &agent.Call{
		ID: "store/" + a.task.String(), Thread: a.task.ID, Subject: "TASK: " + put.Record.Summary, Turns: []agent.Turn{{Text: given.Text}},
	})
}

// pinJob pins the task of a job under a free id.
func (rs *Records) pinJob(ctx context.Context, who Actor, j *job) (Put, error) {
	for {
		head, err := rs.head(ctx, Calls)
		if err != nil {
			return Put{}, err
		}
		id, err := rs.freeID(ctx, derivedID("task-", fmt.Sprintf("%s-%d", j.name, head.Seq+1)), record.TaskSpec, j.module)
		if err != nil {
			return Put{}, err
		}
		put, _, err := rs.Pin(ctx, who, TaskDraft{ID: id, Task: j.task, Role: j.role, Module: j.module, Cross: j.cross, Inputs: refNames(j.inputs), internal: true, only: j.only})
		switch fault.CodeOf(err) {
		case store.Conflict: // of another process, which took the id first
			continue
		case NothingNew: // pinned by a run that was killed before it asked
			put.Record, _, err = rs.Find(ctx, id)
		}
		return put, err
	}
}

// prepare assembles the context of a job, and a reply without text.
func (rs *Records) prepare(ctx context.Context, j *job, task record.Ref) (*helperReply, *AssembledContext, error) {
	given, err := rs.Context(ctx, Request{Task: task.String(), Full: true})
	if err != nil {
		return nil, nil, err
	}
	a := &helperReply{task: task, asked: given.Text}
	if a.shown, err = shownInputs(j, given); err != nil {
		return nil, nil, err
	}
	a.firstInFull = slices.ContainsFunc(given.Shown, func(s contexts.ShownRecord) bool { return s.Ref == j.first && s.Form == view.Full })
	for _, s := range given.Shown {
		a.given = append(a.given, s.Ref)
	}
	return a, given, nil
}

func shownInputs(j *job, given *AssembledContext) ([]record.Ref, error) {
	forms := make(map[record.Ref]view.Form)
	for _, s := range given.Shown {
		if forms[s.Ref] != view.Full {
			forms[s.Ref] = s.Form
		}
	}
	var out []record.Ref
	for _, ref := range j.inputs {
		form, ok := forms[ref]
		if ok {
			out = append(out, ref)
		}
		if j.inFull && form != view.Full {
			return nil, &fault.Error{
				Code: view.TooLarge, Op: "show " + ref.String() + " to the " + j.role, Detail: fmt.Sprintf("its full text exceeds the %d tokens of the role's view", given.Bound),
				Hint: "raise max_tokens of the role",
			}
		}
	}
	if len(out) == 0 && len(j.inputs) > 0 {
		return nil, &fault.Error{
			Code: view.TooLarge, Op: "show the inputs of " + given.Task + " to the " + j.role, Detail: "none of them is in its context",
			Hint: "see `brenner context explain --task " + given.Task + "`",
		}
	}
	return out, nil
}

// call calls an agent and journals the inputs and the output before they are used.
func (rs *Records) call(ctx context.Context, h *Helper, a *helperReply, c *agent.Call) error {
	c.Agent, c.Round = h.Name, 1
	began := rs.Now()
	reply, failed := agent.Whole(h.Agent).Ask(ctx, *c)
	ctx = context.WithoutCancel(ctx) // a reply is kept even if the context ends
	prompt := []byte(c.Turns[len(c.Turns)-1].Text)
	blobs := [][]byte{prompt}
	e := &a.event
	e.Call, e.Agent, e.Model = c.ID, h.Name, h.Model
	e.Prompt, e.TookMS = store.Hash(prompt), int(rs.Now().Sub(began).Milliseconds())
	var failure *agent.Failure
	switch {
	case failed == nil:
		a.text, a.raw = asText(reply.Text), reply.Text
		e.Reply, e.Observed = store.Hash([]byte(reply.Text)), strings.ToValidUTF8(reply.Model, "\ufffd")
		e.Input, e.Output, e.Attempts = reply.Usage.Input, reply.Usage.Output, reply.Attempts
		blobs = append(blobs, []byte(reply.Text))
	case errors.As(failed, &failure):
		e.Code, e.Attempts, e.Input, e.Output = failure.Code, failure.Attempts, failure.Usage.Input, failure.Usage.Output
		failed = &fault.Error{Code: failure.Code, Op: "ask " + fault.Shown(h.Name), Detail: failure.Detail, Hint: failure.Hint, Cause: failure.Cause}
	default:
		e.Code = agent.Broken
	}
	if h.Asked != nil {
		e.Asked = h.Asked(e.Observed)
	}
	if err := rs.log(ctx, Calls, ledger.KindAsked, *e, blobs...); err != nil {
		return err
	}
	if failed == nil && a.text == "" {
		return rs.rejectEmpty(ctx, a)
	}
	return failed
}

// asText returns a reply as records keep it, without its reasoning. The reply itself is stored, too.
func asText(reply string) string {
	return strings.TrimSpace(string(markdown.WithoutReasoning([]byte(strings.ToValidUTF8(reply, "\ufffd")))))
}

// rejectEmpty handles a reply without text.
func (rs *Records) rejectEmpty(ctx context.Context, a *helperReply) error {
	if err := rs.journalProduced(ctx, a); err != nil {
		return err
	}
	return &fault.Error{Code: agent.Empty, Op: "ask " + fault.Shown(a.event.Agent), Detail: "the reply is empty", Hint: "run the command again, or without --model"}
}

func (rs *Records) journalProduced(ctx context.Context, a *helperReply, refs ...record.Ref) error {
	return rs.log(ctx, Calls, kindProduced, ledger.ProducedEvent{Call: a.event.Call, Produced: refNames(refs)})
}

// Calls returns the calls of agents, oldest first.
func (rs *Records) Calls(ctx context.Context) ([]Call, error) {
	entries, err := rs.Store.Entries(ctx, Calls, 0)
	if err != nil {
		return nil, err
	}
	all, err := ledger.ReadCalls(entries)
	out := make([]Call, len(all))
	for i, c := range all {
		e := &c.AskedEvent
		out[i] = Call{
			ID: e.Call, Role: e.Role, Agent: e.Agent, Model: e.Model, Observed: e.Observed, Task: e.Task, View: e.View, Prompt: e.Prompt, Reply: e.Reply,
			Tokens: e.Tokens, Input: e.Input, Output: e.Output, Attempts: e.Attempts, TookMS: e.TookMS, Code: e.Code, At: c.At, Produced: e.Produced, Asked: e.Asked,
		}
		for _, s := range e.Context {
			out[i].Context = append(out[i].Context, Shown{Ref: record.Ref{ID: s.ID, Version: s.Version}, Type: s.Type, Form: s.Form})
		}
	}
	return out, err
}

// findUnusedReply returns the newest reply of an agent that was journaled and not used, because
// the run that asked was killed.
func (rs *Records) findUnusedReply(ctx context.Context, h *Helper, role string, fits func(*ledger.AskedEvent) (bool, error)) (*ledger.AskedEvent, error) {
	entries, _, err := rs.newest(ctx, Calls, maxLookback)
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	all, err := ledger.ReadCalls(entries)
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Backward(all) {
		e := &c.AskedEvent
		if c.Used || e.Reply == "" || e.Role != role || e.Agent != h.Name || e.Model != h.Model {
			continue
		}
		if ok, err := fits(e); err != nil || ok {
			return e, err
		}
	}
	return nil, nil
}

// unusedReply returns an unused reply to the same question, or nil.
func (rs *Records) unusedReply(ctx context.Context, who Actor, h *Helper, j *job) (*helperReply, error) {
	var a *helperReply
	e, err := rs.findUnusedReply(ctx, h, j.role, func(e *ledger.AskedEvent) (bool, error) {
		task, err := rs.pinnedTask(ctx, who, e.Task, j)
		if task == nil || err != nil {
			return false, err
		}
		var given *AssembledContext
		if a, given, err = rs.prepare(ctx, j, task.Ref()); err != nil {
			return false, err
		}
		return store.Hash([]byte(given.Text)) == e.Prompt, nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	return a, rs.reuseReply(ctx, a, e)
}

// pinnedTask returns the task spec of a call if the same actor pinned it for this job, else nil.
func (rs *Records) pinnedTask(ctx context.Context, who Actor, address string, j *job) (*record.Record, error) {
	r, _, err := rs.Find(ctx, address)
	if fault.CodeOf(err) == store.NoRecord {
		return nil, nil
	}
	if err != nil || r.Creator != who.Name || r.Type != record.TaskSpec {
		return nil, err
	}
	t, err := rs.readTask(ctx, &r)
	if err != nil || t.Task != strings.TrimSpace(j.task) || t.Role != j.role || t.Cross != j.cross || t.Only != j.only {
		return nil, err
	}
	if !slices.EqualFunc(t.Inputs, j.inputs, func(in Input, ref record.Ref) bool { return in.Ref() == ref }) {
		return nil, nil
	}
	return &r, nil
}

func (rs *Records) reuseReply(ctx context.Context, a *helperReply, e *ledger.AskedEvent) error {
	reply, err := rs.Store.Blob(ctx, e.Reply)
	a.event, a.text, a.raw = *e, asText(string(reply)), string(reply)
	if err == nil && a.text == "" {
		err = rs.rejectEmpty(ctx, a)
	}
	return err
}

// journalResult journals the result of a reply, which also marks an unusable reply as used.
func (rs *Records) journalResult(ctx context.Context, a *helperReply, ref record.Ref, err error) error {
	if err == nil {
		return rs.journalProduced(ctx, a, ref)
	}
	if isAuthorError(err) {
		return cmp.Or(rs.journalProduced(ctx, a), err)
	}
	return err
}

// isAuthorError reports whether the author of a draft or patch could fix an error.
func isAuthorError(err error) bool {
	switch fault.CodeOf(err) {
	case policy.OutOfScope, BadRecord, NothingNew, BadLink, LinkCycle, record.Invalid, record.BadSummary, brief.Bad:
		return true
	}
	return false
}
