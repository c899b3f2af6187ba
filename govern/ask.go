package govern

import (
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
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Helper is an agent that does a job on the store. The zero value is nobody: then
// the program does what can be done without understanding anything, and says so.
type Helper struct {
	Agent agent.Agent
	Name  string
	Model string
}

// There tells whether there is anybody to ask.
func (h *Helper) There() bool { return h != nil && h.Agent != nil }

// askedEvent is one call of an agent: what went in, and what came out.
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
	Tokens   int          `json:"tokens"` // of the prompt, as we count them
	Input    int          `json:"input_tokens"`
	Output   int          `json:"output_tokens"`
	Attempts int          `json:"attempts"`
	TookMS   int          `json:"took_ms"`
	Code     fault.Code   `json:"code"`     // of a call without an answer
	Produced []string     `json:"produced"` // empty: an entry of its own says it, when it was made
}

// producedEvent says what was made of an answer.
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

// Call is one call of an agent, for whoever looks at it later.
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
}

// Shown is a version that an agent was shown.
type Shown struct {
	Ref  record.Ref `json:",embed"`
	Type string     `json:"type"`
	Form string     `json:"form"`
}

// job is a task for an agent.
type job struct {
	name   string // of the task spec
	role   string
	task   string
	module string
	cross  bool
	inputs []record.Ref
	// whole says that the work is about the very words of the inputs: where they
	// cannot be shown in full, nobody is asked.
	whole bool
	// first is the input that the others go on from.
	first record.Ref
}

// answer is what came of a job.
type answer struct {
	text  string
	task  record.Ref
	shown []record.Ref // of the inputs, those that the agent saw
	given []record.Ref // everything that it saw
	// firstInFull says that the first input of the job was shown in full.
	firstInFull bool
	event       askedEvent
}

// ask pins a task, assembles its context, and has the agent do it. What went in
// and what came out is journaled before anybody reads it; what was journaled before, and
// never read, is not asked for again.
func (d *Door) ask(ctx context.Context, who Actor, h *Helper, j job) (*answer, error) {
	if a, err := d.again(ctx, who, h, &j); a != nil || err != nil {
		return a, err
	}
	inputs := make([]string, len(j.inputs))
	for i, ref := range j.inputs {
		inputs[i] = ref.String()
	}
	head, err := d.head(ctx, Calls)
	if err != nil {
		return nil, err
	}
	id := derivedID("task-", fmt.Sprintf("%s-%d", j.name, head.Seq+1))
	put, _, err := d.Pin(ctx, who, TaskDraft{ID: id, Task: j.task, Role: j.role, Module: j.module, Cross: j.cross, Inputs: inputs, ours: true})
	if fault.CodeOf(err) == NothingNew { // it was pinned, and whoever did that was killed before it asked
		put.Record, _, err = d.Find(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	a, given, err := d.prepare(ctx, &j, put.Record.Ref())
	if err != nil {
		return nil, err
	}
	call := agent.Call{
		ID: "store/" + a.task.String(), Agent: h.Name, Role: j.role, Model: h.Model, Thread: a.task.ID, Round: 1,
		Subject: "TASK: " + put.Record.Summary, Turns: []agent.Turn{{Text: given.Text}},
	}
	began := d.Now()
	reply, err := h.Agent.Ask(ctx, call)
	a.event = askedEvent{
		Call: call.ID, Role: j.role, Agent: h.Name, Model: h.Model, Task: a.task.String(), View: given.Spec, Context: []shownEntry{},
		Prompt: store.Hash([]byte(given.Text)), Tokens: given.Tokens, TookMS: int(d.Now().Sub(began).Milliseconds()), Produced: []string{},
	}
	for _, s := range given.Shown {
		a.event.Context = append(a.event.Context, shownEntry{s.Ref.ID, s.Ref.Version, s.Type, string(s.Form)})
	}
	return a, d.took(ctx, a, given.Text, reply, err)
}

// prepare assembles what is shown for a job, and an answer that says so and nothing yet.
func (d *Door) prepare(ctx context.Context, j *job, task record.Ref) (*answer, *Given, error) {
	a := &answer{task: task}
	given, err := d.Context(ctx, Request{Task: task.String(), Full: true})
	if err != nil {
		return nil, nil, err
	}
	if a.shown, err = seen(j, given); err != nil {
		return nil, nil, err
	}
	a.firstInFull = slices.ContainsFunc(given.Shown, func(s contexts.ShownRecord) bool { return s.Ref == j.first && s.Form == view.Full })
	for _, s := range given.Shown {
		a.given = append(a.given, s.Ref)
	}
	return a, given, nil
}

// seen gives the inputs of a job that an agent would be shown, and refuses a job
// for which that is not enough: an answer about what nobody saw is invented.
func seen(j *job, given *Given) ([]record.Ref, error) {
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
		if j.whole && form != view.Full {
			return nil, &fault.Error{
				Code: view.TooLarge, Op: "show " + ref.String() + " to the " + j.role, Detail: fmt.Sprintf("it does not fit in full into the %d tokens of the role's view", given.Bound),
				Hint: "raise max_tokens of the role",
			}
		}
	}
	if len(out) == 0 && len(j.inputs) > 0 {
		return nil, &fault.Error{
			Code: view.TooLarge, Op: "show the inputs of " + given.Task.String() + " to the " + j.role, Detail: "none of them is in the context that it would get",
			Hint: "`brenner context explain --task " + given.Task.String() + "` says why",
		}
	}
	return out, nil
}

// took journals how a call ended.
func (d *Door) took(ctx context.Context, a *answer, prompt string, reply agent.Reply, failed error) error {
	ctx = context.WithoutCancel(ctx) // an answer is kept, whatever else ends
	blobs := [][]byte{[]byte(prompt)}
	var failure *agent.Failure
	switch {
	case failed == nil:
		a.text = asText(reply.Text)
		a.event.Reply, a.event.Observed = store.Hash([]byte(reply.Text)), strings.ToValidUTF8(reply.Model, "\ufffd")
		a.event.Input, a.event.Output, a.event.Attempts = reply.Usage.Input, reply.Usage.Output, reply.Attempts
		blobs = append(blobs, []byte(reply.Text))
	case errors.As(failed, &failure):
		a.event.Code, a.event.Attempts, a.event.Input, a.event.Output = failure.Code, failure.Attempts, failure.Usage.Input, failure.Usage.Output
	default:
		a.event.Code = agent.Broken
	}
	if err := d.log(ctx, Calls, kindAsked, a.event, blobs...); err != nil {
		return err
	}
	switch {
	case failure != nil:
		return &fault.Error{Code: failure.Code, Op: "ask " + fault.Shown(a.event.Agent), Detail: failure.Detail, Hint: failure.Hint, Cause: failure.Cause}
	case failed != nil:
		return failed
	case a.text == "":
		return d.empty(ctx, a)
	}
	return nil
}

// asText gives what is read of a reply.
func asText(reply string) string { return strings.TrimSpace(strings.ToValidUTF8(reply, "\ufffd")) }

// empty is what comes of an answer without a text.
func (d *Door) empty(ctx context.Context, a *answer) error {
	if err := d.produced(ctx, a); err != nil {
		return err
	}
	return &fault.Error{Code: agent.Empty, Op: "ask " + fault.Shown(a.event.Agent), Detail: "the answer is empty", Hint: "run it again, or without a model"}
}

// produced journals what was made of an answer; nothing is possible, too.
func (d *Door) produced(ctx context.Context, a *answer, refs ...record.Ref) error {
	e := producedEvent{Call: a.event.Call, Produced: []string{}}
	for _, ref := range refs {
		e.Produced = append(e.Produced, ref.String())
	}
	return d.log(ctx, Calls, kindProduced, e)
}

// Calls gives the calls of agents, the oldest first.
func (d *Door) Calls(ctx context.Context) ([]Call, error) {
	entries, err := d.Store.Entries(ctx, Calls, 0)
	if err != nil {
		return nil, err
	}
	var out []Call
	place := make(map[string]int)
	for i := range entries {
		if entries[i].Kind == kindProduced {
			e, err := journal.Decode[producedEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			if at, ok := place[e.Call]; ok {
				out[at].Produced = append(out[at].Produced, e.Produced...)
			}
			continue
		}
		e, err := journal.Decode[askedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		place[e.Call] = len(out)
		c := Call{
			ID: e.Call, Role: e.Role, Agent: e.Agent, Model: e.Model, Observed: e.Observed, Task: e.Task, View: e.View, Prompt: e.Prompt, Reply: e.Reply,
			Tokens: e.Tokens, Input: e.Input, Output: e.Output, Attempts: e.Attempts, TookMS: e.TookMS, Code: e.Code, At: artifact.FormatInstant(entries[i].At),
		}
		for _, s := range e.Context {
			c.Context = append(c.Context, Shown{record.Ref{ID: s.ID, Version: s.Version}, s.Type, s.Form})
		}
		out = append(out, c)
	}
	return out, nil
}

// unread finds the newest answer of an agent that was journaled, and of which nothing
// has come: whoever asked was killed before it was put. What is answered is not asked
// for again.
func (d *Door) unread(ctx context.Context, h *Helper, role string, fits func(*askedEvent) (bool, error)) (*askedEvent, error) {
	entries, _, err := d.newest(ctx, Calls, lookedAt)
	if err != nil {
		return nil, err
	}
	read := make(map[string]bool) // what came of a call stands after it
	for i := range entries {
		if entries[i].Kind == kindProduced {
			e, err := journal.Decode[producedEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			read[e.Call] = true
			continue
		}
		e, err := journal.Decode[askedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if read[e.Call] || e.Reply == "" || e.Role != role || e.Agent != h.Name || e.Model != h.Model {
			continue
		}
		if ok, err := fits(&e); err != nil || ok {
			return &e, err
		}
	}
	return nil, nil
}

// again gives the answer to a job that somebody else was killed over, or nil. The
// question must be the same, word by word, with everything that is shown for it.
func (d *Door) again(ctx context.Context, who Actor, h *Helper, j *job) (*answer, error) {
	var a *answer
	e, err := d.unread(ctx, h, j.role, func(e *askedEvent) (bool, error) {
		task, err := d.pinned(ctx, who, e.Task, j)
		if task == nil || err != nil {
			return false, err
		}
		var given *Given
		if a, given, err = d.prepare(ctx, j, task.Ref()); err != nil {
			return false, err
		}
		return store.Hash([]byte(given.Text)) == e.Prompt, nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	return a, d.takeUp(ctx, a, e)
}

// pinned gives the task spec of a call, if it is this job, by the same person.
func (d *Door) pinned(ctx context.Context, who Actor, address string, j *job) (*record.Record, error) {
	r, _, err := d.Find(ctx, address)
	if fault.CodeOf(err) == store.NoRecord {
		return nil, nil
	}
	if err != nil || r.Creator != who.Name || r.Type != record.TaskSpec {
		return nil, err
	}
	t, err := d.readTask(ctx, &r)
	if err != nil || t.Task != strings.TrimSpace(j.task) || t.Role != j.role || t.Cross != j.cross {
		return nil, err
	}
	same := slices.EqualFunc(t.Inputs, j.inputs, func(in Input, ref record.Ref) bool { return in.ID == ref.ID && in.Version == ref.Version })
	if !same {
		return nil, nil
	}
	return &r, nil
}

// takeUp makes what a journaled call was answered the answer.
func (d *Door) takeUp(ctx context.Context, a *answer, e *askedEvent) error {
	reply, err := d.Store.Blob(ctx, e.Reply)
	a.event, a.text = *e, asText(string(reply))
	if err == nil && a.text == "" {
		err = d.empty(ctx, a)
	}
	return err
}

// made journals what was made of an answer. One of which nothing can be made, because of
// what it says, was read as well: who asks again gets another.
func (d *Door) made(ctx context.Context, a *answer, ref record.Ref, err error) error {
	switch {
	case err == nil:
		return d.produced(ctx, a, ref)
	case authors(err):
		if err := d.produced(ctx, a); err != nil {
			return err
		}
	}
	return err
}

// authors tells whether an error is about what somebody wrote, who could mend it.
func authors(err error) bool {
	switch fault.CodeOf(err) {
	case policy.OutOfScope, BadRecord, NothingNew, BadLink, LinkCycle, record.Invalid, record.BadSummary:
		return true
	}
	return false
}
