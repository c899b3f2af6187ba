package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/govern"
	"brenner/govern/shown"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/project/storage"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/record"
)

// openPlan opens the store for what a plan names. A dry run leaves it unchanged.
func (p *Project) openPlan(ctx context.Context, dryRun bool) (storage.Store, error) {
	if dryRun {
		return p.OpenUnchanged(ctx)
	}
	return p.OpenToRead(ctx)
}

// tasks looks up the tasks of the plan: pinned ones, their roles, and the inputs that exist.
func (p *PinnedPlan) tasks(ctx context.Context, dryRun bool) error {
	if len(p.plan.Tasks) == 0 {
		return nil
	}
	var st storage.Store
	st, err := p.project.openPlan(ctx, dryRun)
	if fault.CodeOf(err) == store.NoStore {
		st, err = memory.New(), nil
	}
	if err != nil {
		return err
	}
	defer p.project.CloseStore(st)
	rs := p.project.Records(st)
	for i := range p.plan.Tasks {
		t := p.plan.Tasks[i].Task
		key, err := p.lookUp(ctx, rs, &t, dryRun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.faults.add(p.plan.TaskLine(i, key), err)
		p.opened.Work.Tasks = append(p.opened.Work.Tasks, t)
	}
	return nil
}

// lookUp looks up a pinned task, or checks the role and the inputs of another one. An input that does not
// exist yet may be made by a task that this one waits for. It returns the key at fault.
func (p *PinnedPlan) lookUp(ctx context.Context, rs *govern.Records, t *loop.Task, dryRun bool) (key string, err error) {
	name := record.Ref{ID: "task " + t.ID}
	if t.Pinned != "" {
		r, spec, moved, err := rs.Task(ctx, t.Pinned)
		if err != nil {
			return ".pinned", err
		}
		if dryRun { // a run says it when the task starts
			p.project.warnOfMoved(t.ID, moved)
		}
		name = r.Ref()
		t.Pinned, t.Text, t.Role = name.String(), spec.Task, spec.Role
	}
	if _, err := shown.CheckRunnable(rs, name, &govern.Task{Role: t.Role}); err != nil || t.Pinned != "" {
		return "", err
	}
	d := p.project.taskDraft(t)
	if len(t.Results)+len(t.After) > 0 {
		d.Inputs = slices.DeleteFunc(d.Inputs, func(address string) bool {
			_, _, err := rs.Standing(ctx, address)
			if fault.CodeOf(err) != store.NoRecord {
				return false
			}
			p.project.Log.Warn().Msgf("task %s: no record %s yet; it must exist when the task starts", t.ID, fault.Shown(address))
			return true
		})
	}
	_, spec, err := rs.Specify(ctx, p.project.operator(), d)
	if p.specs == nil {
		p.specs = make(map[string]govern.Task)
	}
	p.specs[t.ID] = spec
	var f *fault.Error
	if errors.As(err, &f) {
		inPlan := *f
		inPlan.Hint = strings.Replace(f.Hint, "pass --cross-module", "write cross_module: true", 1)
		return ".inputs", &inPlan
	}
	return ".inputs", err
}

func (p *Project) operator() govern.Actor { return govern.Actor{Name: p.Config.Operator} }

// taskDraft returns the task spec of a task of a loop, without its id and the results of other tasks.
func (p *Project) taskDraft(t *loop.Task) *govern.TaskDraft {
	return &govern.TaskDraft{Task: t.Text, Role: t.Role, Module: t.Module, Cross: t.Cross, Inputs: slices.Clone(t.Inputs), Tags: t.Tags}
}

// taskRosters adds a roster for each agent and role that does tasks.
func (p *PinnedPlan) taskRosters() {
	w := &p.opened.Work
	first := len(w.Cells) - len(w.Tasks)
	for i := range w.Tasks {
		e := roster.Entry{Agent: p.plan.Tasks[i].Agent, Role: roster.Role(w.Tasks[i].Role)}
		if e.Agent == "" {
			e.Agent = agentName(w.Tasks[i].Role)
		}
		id := loop.TaskRoster(e.Agent, w.Tasks[i].Role)
		w.Cells[first+i].Roster = id
		if !slices.ContainsFunc(w.Rosters, func(r loop.Roster) bool { return r.ID == id }) {
			r := roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{e}}
			w.Rosters = append(w.Rosters, loop.Roster{ID: id, Roster: jsontext.Value(artifact.Canonical(r.Value()))})
		}
		if f := checkAgentName(p.plan.Tasks[i].Agent); f != nil {
			p.faults.add(p.plan.TaskLine(i, ""), f)
		}
		b := session.Brief{Operator: p.project.Config.Operator, Agents: []flow.Party{{Name: e.Agent}}}
		b.Rules.Authorities = p.project.Config.Authorities
		p.faults.add(p.plan.TaskLine(i, ""), b.CheckNames())
	}
}

// briefOf returns the opening of a job's session.
func (c *loopSessions) briefOf(ctx context.Context, w *loop.Work, j *loop.Job, r roster.Roster, parties []flow.Party) (session.Brief, error) {
	if j.Cell.Task == "" {
		q, _ := w.Question(j.Cell.Question)
		return c.brief(ctx, w, &q, r, parties)
	}
	t, _ := w.Task(j.Cell.Task)
	spec, err := c.specOf(ctx, &t, j)
	if err != nil {
		return session.Brief{}, err
	}
	return c.taskBrief(w, j, r, parties, spec, &t), nil
}

// taskBrief returns the opening of the session of a task.
func (c *loopSessions) taskBrief(w *loop.Work, j *loop.Job, r roster.Roster, parties []flow.Party, spec *record.Record, t *loop.Task) session.Brief {
	p := c.models.Project
	b := p.briefFor(r, parties)
	b.Question, b.Settings, b.Task = t.Text, w.SettingsOf(&j.Cell), taskOf(spec, t.Role, t.Text)
	b.Settings.Limits = p.Config.Session.Limits
	b.Settings.Limits.Run = c.timeout.Milliseconds()
	if spec.Module != record.Project {
		b.Module = spec.Module
	}
	return b
}

// previewTask returns the opening of the session of a task for a preview. What other tasks will put is not
// among its inputs.
func (p *PinnedPlan) previewTask(ctx context.Context, records *shown.Records, sessions *loopSessions, c *loop.Cell, r roster.Roster, parties []flow.Party) (session.Brief, error) {
	w := &p.opened.Work
	t, _ := w.Task(c.Task)
	j := &loop.Job{Cell: *c}
	if t.Pinned != "" {
		spec, _, _, err := records.Records.Task(ctx, t.Pinned)
		return sessions.taskBrief(w, j, r, parties, &spec, &t), err
	}
	spec := p.specs[t.ID]
	unpinned := record.Record{ID: t.SpecID("LOOP"), Version: 1, Module: spec.Module}
	q := govern.Request{Role: t.Role, Purpose: t.Text, Modules: []string{spec.Module}, Tags: t.Tags, Cross: t.Cross, Full: true, Session: true}
	for _, in := range spec.Inputs {
		q.Inputs = append(q.Inputs, in.Ref().String())
	}
	records.Unpinned = map[string]govern.Request{unpinned.Ref().String(): q}
	return sessions.taskBrief(w, j, r, parties, &unpinned, &t), nil
}

// specOf returns the task spec of a job. The operator pins it before the task starts for the first time.
func (c *loopSessions) specOf(ctx context.Context, t *loop.Task, j *loop.Job) (*record.Record, error) {
	p, rs := c.models.Project, c.records.Records
	address := t.Pinned
	if address == "" {
		address = record.Ref{ID: t.SpecID(c.loop), Version: 1}.String()
		there, err := c.store.Records(ctx, store.Query{ID: t.SpecID(c.loop), Version: 1})
		if err == nil && len(there) == 0 {
			err = c.pinTask(ctx, t, j)
		}
		if err != nil {
			return nil, err
		}
	}
	r, spec, moved, err := rs.Task(ctx, address)
	if err != nil {
		return nil, err
	}
	if spec.Task != t.Text || spec.Role != t.Role {
		return nil, &fault.Error{
			Code: govern.BadRecord, Detail: r.Ref().String() + " is not the task of this loop: it was put by " + fault.Shown(r.Creator),
			Hint: "run the plan with another name: or --run",
		}
	}
	p.warnOfMoved(t.ID, moved)
	older, err := shown.OlderInputs(ctx, rs, &spec, moved)
	for _, what := range older {
		p.Log.Warn().Msg("task " + t.ID + ": " + what)
	}
	return &r, err
}

func (p *Project) warnOfMoved(task string, moved []govern.Moved) {
	for _, what := range shown.MovedInputs(moved) {
		p.Log.Warn().Msg("task " + task + ": " + what + "; what is made of it needs a rebase")
	}
}

// pinTask puts the task spec of a job, with the records of the tasks that it builds on.
func (c *loopSessions) pinTask(ctx context.Context, t *loop.Task, j *loop.Job) error {
	p := c.models.Project
	d := p.taskDraft(t)
	d.ID = t.SpecID(c.loop)
	for _, thread := range j.Sources {
		h, err := session.Load(ctx, c.store, thread)
		if err != nil {
			return err
		}
		made, _ := h.State.Made()
		for _, one := range made {
			if !slices.Contains(d.Inputs, one) {
				d.Inputs = append(d.Inputs, one)
			}
		}
	}
	_, _, err := c.records.Records.Pin(ctx, p.operator(), *d)
	if err != nil {
		return fmt.Errorf("pin the task %s: %w", t.ID, err)
	}
	return nil
}
