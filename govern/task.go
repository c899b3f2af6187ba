package govern

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/fault"
	"brenner/record"
	"brenner/store"
)

// Task is what a task spec says: what is to be done, and on exactly which
// versions.
type Task struct {
	Task   string  `json:"task"`
	Role   string  `json:"role"`
	Module string  `json:"module"`
	Cross  bool    `json:"cross_module"`
	Inputs []Input `json:"inputs"`
}

// Input is a version that a task was given. Stood is the version of its record
// that stood then: the input has moved when another one does.
type Input struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Stood   int    `json:"stood"`
}

// Moved is an input that is not what it was when the task began.
type Moved struct {
	Input Input
	Now   int // the version that stands now
}

// TaskDraft is a task that somebody wants to pin.
type TaskDraft struct {
	ID     string
	Task   string
	Role   string
	Module string
	Cross  bool
	Inputs []string // addresses
	Tags   []string
}

// Pin puts a task spec that names the exact versions of its inputs.
func (d *Door) Pin(ctx context.Context, who Actor, t TaskDraft) (Put, Task, error) {
	task := Task{Task: strings.TrimSpace(t.Task), Role: t.Role, Module: t.Module, Cross: t.Cross, Inputs: []Input{}}
	if task.Task == "" {
		return Put{}, task, &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Detail: "it does not say what is to be done", Hint: "say it with -m"}
	}
	if t.Role != "" {
		if _, err := d.view(t.Role); err != nil {
			return Put{}, task, err
		}
	}
	draft := Draft{ID: t.ID, Type: record.TaskSpec, Module: t.Module, Tags: t.Tags, Summary: record.Extract([]byte(task.Task))}
	for _, address := range t.Inputs {
		r, h, err := d.Standing(ctx, address)
		if err != nil {
			return Put{}, task, err
		}
		task.Inputs = append(task.Inputs, Input{ID: r.ID, Version: r.Version, Type: r.Type, Stood: h.Standing().Version})
		draft.Links = append(draft.Links, Link{record.DerivesFrom, r.Ref().String()})
		if task.Module == "" {
			task.Module = r.Module
		}
	}
	if task.Module == "" {
		task.Module = record.Project
	}
	draft.Module = task.Module
	data, err := json.Marshal(task, json.Deterministic(true), jsontext.WithIndent("  "))
	data = append(data, '\n')
	if err != nil {
		return Put{}, task, &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Cause: err, Hint: "the task must be UTF-8"}
	}
	draft.Content = data
	// Who may run a task may pin one: task specs are no knowledge of the project.
	put, err := d.Put(ctx, Actor{Name: who.Name}, draft)
	if err != nil {
		return Put{}, task, err
	}
	return put[0], task, nil
}

// Task reads a task spec, and says which of its inputs have moved.
func (d *Door) Task(ctx context.Context, address string) (record.Record, Task, []Moved, error) {
	r, _, err := d.Standing(ctx, address)
	if err != nil {
		return r, Task{}, nil, err
	}
	t, err := d.readTask(ctx, &r)
	if err != nil {
		return r, t, nil, err
	}
	moved, err := d.inputsMoved(ctx, &t)
	return r, t, moved, err
}

func (d *Door) readTask(ctx context.Context, r *record.Record) (t Task, err error) {
	if r.Type != record.TaskSpec {
		return t, &fault.Error{Code: NotATask, Detail: r.Ref().String() + " is a " + r.Type + ", no task spec", Hint: "`brenner store pin` makes one"}
	}
	data, err := d.Store.Blob(ctx, r.Content)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, &fault.Error{Code: NotATask, Detail: r.Ref().String() + " cannot be read as a task spec", Cause: err, Hint: "`brenner store pin` makes one"}
	}
	return t, nil
}

func (d *Door) inputsMoved(ctx context.Context, t *Task) ([]Moved, error) {
	var moved []Moved
	for _, in := range t.Inputs {
		h, err := d.Head(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if now := h.Standing().Version; now != in.Stood {
			moved = append(moved, Moved{in, now})
		}
	}
	return moved, nil
}

// moved says which inputs of the tasks that a version comes from have moved.
func (b *putting) moved(ctx context.Context, r *record.Record) ([]Moved, error) {
	var all []Moved
	for _, l := range r.Links {
		if l.Relation != record.DerivesFrom {
			continue
		}
		found, err := b.Store.Records(ctx, store.Query{ID: l.ID, Version: l.Version, Type: record.TaskSpec})
		if err != nil {
			return nil, err
		}
		for i := range found {
			t, err := b.readTask(ctx, &found[i])
			if err != nil {
				return nil, err
			}
			moved, err := b.inputsMoved(ctx, &t)
			if err != nil {
				return nil, err
			}
			all = append(all, moved...)
		}
	}
	return all, nil
}
