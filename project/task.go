package project

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/config"
	"brenner/govern"
	"brenner/govern/shown"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/record"
)

// TaskOptions select the agent that does a task.
type TaskOptions struct {
	Agent string // its name; by default that of the role: Reader
	Via   string // how it is reached; empty means as configured
	Model string // its name in the configuration, or its id
}

// ComposedTask is a checked task: the session of one agent and one round that runs it.
type ComposedTask struct {
	Composed
	Ref    record.Ref // of the task spec
	Task   govern.Task
	Moved  []string     // what to say of inputs that have changed or no longer hold
	Older  []string     // what to say of inputs that are not the latest of their records
	Agents AgentOptions // for StartOptions
	// Runs are the sessions that ran the task before, oldest first.
	Runs []*session.History
	// Blocked is why a task that has run cannot be run again, or nil.
	Blocked error

	task *session.Task
}

// taskOf returns the task of a session that runs a task spec.
func taskOf(spec *record.Record, role, text string) *session.Task {
	return &session.Task{Address: spec.Ref().String(), Role: role, Text: text, Content: spec.Content}
}

// taskLock returns the lock of a task: the process that asks its agent holds it.
func taskLock(t *session.Task) string { return "task-" + store.Hash([]byte(t.Address))[:32] }

// ComposeTask checks a task and the agent that is to do it.
func (p *Project) ComposeTask(ctx context.Context, address string, o *TaskOptions) (*ComposedTask, error) {
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	rs := p.Records(st)
	r, task, moved, err := rs.Task(ctx, address)
	if err != nil {
		return nil, err
	}
	t := &ComposedTask{Ref: r.Ref(), Task: task, Moved: shown.MovedInputs(moved), task: taskOf(&r, task.Role, task.Task)}
	if t.Runs, err = session.TaskRuns(ctx, st, t.task); err != nil {
		return nil, err
	}
	if t.Older, err = shown.OlderInputs(ctx, rs, &task, moved); err != nil {
		return nil, err
	}
	creates, err := shown.CheckRunnable(rs, t.Ref, &task)
	if h := t.Last(); err != nil && (h == nil || !session.TaskEnded(h.State)) {
		return nil, err
	}
	t.Blocked = err
	cfg := *p.Config
	cfg.Question, cfg.Context, cfg.Arbiter = task.Task, "", ""
	s := &cfg.Session
	s.Rounds, s.Quorum, s.Flow, s.QuietAfter, s.WhenClean = 1, flow.QuorumAll, flow.FlowParallel, 0, false
	if f := checkAgentName(o.Agent); f != nil {
		f.Place = "--agent"
		return nil, f
	}
	q := &Project{p.Host, &cfg}
	e := roster.Entry{Agent: cmp.Or(o.Agent, agentName(task.Role)), Role: roster.Role(task.Role), Program: o.Model, Model: o.Model}
	if t.Agents, err = q.taskAgent(&e, o); err != nil {
		return nil, err
	}
	res := roster.Resolution{
		Roster: roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{e}}, Origins: make([]roster.EntryOrigin, 1),
	}
	in := kickoff.Input{
		ThreadID: kickoff.NewThreadID(p.Now(), t.Ref.ID), Roster: res.Roster,
		Task: &kickoff.Task{Address: t.Ref.String(), Role: task.Role, Creates: creates},
	}
	t.Composed, err = q.Compose(in, res)
	t.Composed.Task = t.task
	return t, err
}

// checkAgentName returns an error if a name cannot be that of an agent, or nil. An empty one is that of the role.
func checkAgentName(name string) *fault.Error {
	if !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == ',' || r == '=' || !unicode.IsGraphic(r) || unicode.IsSpace(r)
	}) {
		return nil
	}
	return &fault.Error{Code: fault.Usage, Detail: fault.Shown(name) + " is not a name of an agent", Hint: "use letters, digits, - and _"}
}

// Recheck brings up to date what is to be said of inputs: they may have changed during the run.
func (t *ComposedTask) Recheck(ctx context.Context, j *Job) error {
	_, _, moved, err := t.Project.Records(j.store).Task(ctx, t.Ref.String())
	t.Moved = shown.MovedInputs(moved)
	return err
}

// Last returns the last run of the task, or nil.
func (t *ComposedTask) Last() *session.History {
	if len(t.Runs) == 0 {
		return nil
	}
	return t.Runs[len(t.Runs)-1]
}

// OpenNew opens a new session of a task that has not run since it was composed, and keeps other processes from
// beginning another one until the job is closed.
func (t *ComposedTask) OpenNew(ctx context.Context, j *Job) error {
	if err := j.Open(ctx); err != nil {
		return err
	}
	held := &fault.Error{
		Code: store.Held, Op: "run " + t.Ref.String(), Detail: "another process began to run the task at the same time",
		Hint: "wait for it: the same command then shows what it made; --again runs the task once more",
	}
	lease, err := j.store.Hold(taskLock(t.task), t.Project.holder(j.doing))
	if fault.CodeOf(err) == store.Held {
		return held
	}
	if err != nil {
		return err
	}
	j.onClose(func() {
		if err := lease.Release(); err != nil {
			t.Project.Log.Warn().Err(err).Str("task", t.Ref.String()).Msg("cannot release the task's lock")
		}
	})
	runs, err := session.TaskRuns(ctx, j.store, t.task)
	if err == nil && len(runs) > len(t.Runs) {
		return held
	}
	return err
}

// Start returns the options of a session that runs the task.
func (t *ComposedTask) Start(traffic Traffic, doing string) *StartOptions {
	o := &StartOptions{Agents: t.Agents, Traffic: traffic, IfExists: "new", Doing: doing}
	if t.Task.Module != record.Project {
		o.Module = t.Task.Module
	}
	return o
}

// Inputs returns the exact versions that the task is about.
func (t *ComposedTask) Inputs() []record.Ref {
	refs := make([]record.Ref, len(t.Task.Inputs))
	for i := range t.Task.Inputs {
		refs[i] = t.Task.Inputs[i].Ref()
	}
	return refs
}

// OtherModel returns the model that the options name, if the agent of a run is asked with another one, or an
// error if it is reached in another way.
func (t *ComposedTask) OtherModel(asked *flow.Party, o *TaskOptions) ([]string, error) {
	f := &fault.Error{Code: fault.Usage, Hint: "omit it to continue the run as it was begun"}
	if o.Via != "" && o.Via != asked.Via {
		f.Place, f.Detail = "--via", "the run was begun via "+asked.Via
		return nil, f
	}
	id := cmp.Or(t.Project.Config.Reach(o.Model).ID, o.Model)
	switch {
	case o.Model == "", id == asked.ModelID, o.Model == asked.Model, o.Model == asked.Program:
		return nil, nil
	case asked.Via == config.ViaOpenAI:
		return []string{id}, nil
	}
	f.Place, f.Detail = "--model", "the run was begun with "+fault.Shown(asked.Program)
	return nil, f
}

// agentName returns the default name of the agent of a role: AdversarialCritic.
func agentName(role string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(role, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return b.String()
}

// taskAgent returns how the agent of a task is reached. Tasks are done by models and programs: a rehearsal
// only plays sessions, and what is mailed is a session, too.
func (p *Project) taskAgent(e *roster.Entry, o *TaskOptions) (AgentOptions, error) {
	reach := p.Config.Reach(e.Model)
	via := cmp.Or(o.Via, reach.Via)
	a := AgentOptions{}
	switch via {
	case config.ViaProgram, "":
	case config.ViaOpenAI:
		e.Program = ""
		if reach.ID == "" && o.Model != "" {
			a.Model = []string{o.Model}
		}
	default:
		return a, &fault.Error{
			Code: NoWay, Detail: fmt.Sprintf("a task cannot be done via %s", fault.Shown(via)),
			Hint: "pass --via openai --base-url URL --model ID, or --via program --model PROGRAM",
		}
	}
	if o.Via != "" {
		a.Via = []string{o.Via}
	}
	return a, nil
}
