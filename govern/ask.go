package govern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/artifact"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
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

type askedEvent struct {
	Call     string       `json:"call"`
	Role     string       `json:"role"`
	Agent    string       `json:"agent"`
	Model    string       `json:"model"`
	Observed string       `json:"model_observed"`
	Task     string       `json:"task"`
	View     string       `json:"view_hash"`
	Context  []shownEntry `json:"context"`
	Prompt   string       `json:"prompt"` // hashes, here and below
	Reply    string       `json:"reply"`
	Tokens   int          `json:"tokens"` // of the prompt, as counted here
	Input    int          `json:"input_tokens"`
	Output   int          `json:"output_tokens"`
	Attempts int          `json:"attempts"`
	TookMS   int          `json:"took_ms"`
	Code     fault.Code   `json:"code"`            // of a call without a reply
	Produced []string     `json:"produced"`        // always empty: a producedEvent follows
	Asked    string       `json:"asked,omitempty"` // what was really asked: "llama3 at 127.0.0.1:8080"
}

type producedEvent struct {
	Call     string   `json:"call"`
	Produced []string `json:"produced"`
}

type shownEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form"`
}

// Call is one call of an agent.
type Call struct {
	ID       string     `json:"call"`
	At       string     `json:"at"`
	Role     string     `json:"role"`
	Agent    string     `json:"agent"`
	Model    string     `json:"model"`
	Observed string     `json:"model_observed"`
	Task     string     `json:"task"`
	View     string     `json:"view_hash"`
	Context  []Shown    `json:"context"`
	Prompt   string     `json:"prompt_sha256"`
	Reply    string     `json:"reply_sha256"`
	Tokens   int        `json:"context_tokens"`
	Input    int        `json:"input_tokens"`
	Output   int        `json:"output_tokens"`
	Attempts int        `json:"attempts"`
	TookMS   int        `json:"took_ms"`
	Code     fault.Code `json:"code"`
	Produced []string   `json:"produced"`
	Asked    string     `json:"asked,omitempty"`
}

// Shown is a version shown to an agent.
type Shown struct {
	Ref  record.Ref `json:",embed"`
	Type string     `json:"type"`
	Form string     `json:"form"`
}

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
}

type helperReply struct {
	text  string
	task  record.Ref
	shown []record.Ref // inputs shown to the agent
	given []record.Ref // everything shown to the agent
	// firstInFull reports whether the first input was shown in full.
	firstInFull bool
	event       askedEvent
}

// ask pins a task, assembles its context, and calls the agent. If an earlier reply to the same
// question was journaled and never used, it is used instead.
func (rs *Records) ask(ctx context.Context, who Actor, h *Helper, j job) (*helperReply, error) {
	if a, err := rs.unusedReply(ctx, who, h, &j); a != nil || err != nil {
		return a, err
	}
	head, err := rs.head(ctx, Calls)
	if err != nil {
		return nil, err
	}
	id := derivedID("task-", fmt.Sprintf("%s-%d", j.name, head.Seq+1))
	put, _, err := rs.Pin(ctx, who, TaskDraft{ID: id, Task: j.task, Role: j.role, Module: j.module, Cross: j.cross, Inputs: refNames(j.inputs), internal: true})
	if fault.CodeOf(err) == NothingNew { // pinned by a run that was killed before it asked
		put.Record, _, err = rs.Find(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	a, given, err := rs.prepare(ctx, &j, put.Record.Ref())
	if err != nil {
		return nil, err
	}
	a.event = askedEvent{Task: a.task.String(), Role: j.role, View: given.Spec, Tokens: given.Tokens}
	for _, s := range given.Shown {
		a.event.Context = append(a.event.Context, shownEntry{s.Ref.ID, s.Ref.Version, s.Type, string(s.Form)})
	}
	return a, rs.call(ctx, h, a, &agent.Call{
		ID: "store/" + a.task.String(), Thread: a.task.ID, Subject: "TASK: " + put.Record.Summary, Turns: []agent.Turn{{Text: given.Text}},
	})
}

// prepare assembles the context of a job, and a reply without text.
func (rs *Records) prepare(ctx context.Context, j *job, task record.Ref) (*helperReply, *AssembledContext, error) {
	a := &helperReply{task: task}
	given, err := rs.Context(ctx, Request{Task: task.String(), Full: true})
	if err != nil {
		return nil, nil, err
	}
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
	prompt := []byte(c.Turns[0].Text)
	blobs := [][]byte{prompt}
	e := &a.event
	e.Call, e.Agent, e.Model = c.ID, h.Name, h.Model
	e.Prompt, e.TookMS = store.Hash(prompt), int(rs.Now().Sub(began).Milliseconds())
	var failure *agent.Failure
	switch {
	case failed == nil:
		a.text = asText(reply.Text)
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
	if err := rs.log(ctx, Calls, kindAsked, *e, blobs...); err != nil {
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
	return rs.log(ctx, Calls, kindProduced, producedEvent{Call: a.event.Call, Produced: refNames(refs)})
}

// Calls returns the calls of agents, oldest first.
func (rs *Records) Calls(ctx context.Context) ([]Call, error) {
	entries, err := rs.Store.Entries(ctx, Calls, 0)
	if err != nil {
		return nil, err
	}
	all, err := readCalls(entries)
	out := make([]Call, len(all))
	for i, c := range all {
		e := &c.askedEvent
		out[i] = Call{
			ID: e.Call, Role: e.Role, Agent: e.Agent, Model: e.Model, Observed: e.Observed, Task: e.Task, View: e.View, Prompt: e.Prompt, Reply: e.Reply,
			Tokens: e.Tokens, Input: e.Input, Output: e.Output, Attempts: e.Attempts, TookMS: e.TookMS, Code: e.Code, At: c.at, Produced: e.Produced, Asked: e.Asked,
		}
		for _, s := range e.Context {
			out[i].Context = append(out[i].Context, Shown{record.Ref{ID: s.ID, Version: s.Version}, s.Type, s.Form})
		}
	}
	return out, err
}

// asked returns what was really asked for each version that an agent wrote.
func (rs *Records) asked(ctx context.Context) (map[string]string, error) {
	calls, err := rs.Calls(ctx)
	by := make(map[string]string)
	for i := range calls {
		for _, ref := range calls[i].Produced {
			by[ref] = calls[i].Asked
		}
	}
	return by, err
}

type journaledCall struct {
	askedEvent
	at   string
	used bool // a producedEvent exists
}

func readCalls(entries []journal.Entry) ([]journaledCall, error) {
	var all []journaledCall
	place := make(map[string]int)
	for i := range entries {
		if entries[i].Kind == kindAsked {
			e, err := journal.Decode[askedEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			place[e.Call] = len(all)
			all = append(all, journaledCall{askedEvent: e, at: artifact.FormatInstant(entries[i].At)})
			continue
		}
		e, err := journal.Decode[producedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if at, ok := place[e.Call]; ok {
			all[at].used = true
			all[at].Produced = append(all[at].Produced, e.Produced...)
		}
	}
	return all, nil
}

// findUnusedReply returns the newest reply of an agent that was journaled and not used, because
// the run that asked was killed.
func (rs *Records) findUnusedReply(ctx context.Context, h *Helper, role string, fits func(*askedEvent) (bool, error)) (*askedEvent, error) {
	entries, _, err := rs.newest(ctx, Calls, maxLookback)
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	all, err := readCalls(entries)
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Backward(all) {
		e := &c.askedEvent
		if c.used || e.Reply == "" || e.Role != role || e.Agent != h.Name || e.Model != h.Model {
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
	e, err := rs.findUnusedReply(ctx, h, j.role, func(e *askedEvent) (bool, error) {
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
	if err != nil || t.Task != strings.TrimSpace(j.task) || t.Role != j.role || t.Cross != j.cross {
		return nil, err
	}
	if !slices.EqualFunc(t.Inputs, j.inputs, func(in Input, ref record.Ref) bool { return in.Ref() == ref }) {
		return nil, nil
	}
	return &r, nil
}

func (rs *Records) reuseReply(ctx context.Context, a *helperReply, e *askedEvent) error {
	reply, err := rs.Store.Blob(ctx, e.Reply)
	a.event, a.text = *e, asText(string(reply))
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
	case policy.OutOfScope, BadRecord, NothingNew, BadLink, LinkCycle, record.Invalid, record.BadSummary:
		return true
	}
	return false
}
