package govern

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/govern/contexts"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Task is the content of a task spec: what to do, on exactly which versions.
type Task struct {
	Task   string  `json:"task"`
	Role   string  `json:"role"`
	Module string  `json:"module"`
	Cross  bool    `json:"cross_module"`
	Inputs []Input `json:"inputs"`
}

// Input is an input version of a task. Stood is the standing version at that time. The input has
// moved when another version is the standing one, or when it was deprecated or lost its
// canonical status.
type Input struct {
	ID        string `json:"id"`
	Version   int    `json:"version"`
	Type      string `json:"type"`
	Stood     int    `json:"stood"`
	Canonical bool   `json:"canonical,omitempty"`
	Status    string `json:"status"` // of the version itself
}

// Ref returns the version.
func (in *Input) Ref() record.Ref { return record.Ref{ID: in.ID, Version: in.Version} }

// Moved is an input that changed since the task began.
type Moved struct {
	Input Input
	Now   int // the standing version now
}

// TaskDraft is a task to pin.
type TaskDraft struct {
	ID     string
	Task   string
	Role   string
	Module string
	Cross  bool
	Inputs []string // addresses
	Tags   []string

	internal bool // a task of the program itself
}

// Pin puts a task spec that names the exact versions of its inputs.
func (rs *Records) Pin(ctx context.Context, who Actor, t TaskDraft) (Put, Task, error) {
	task := Task{Task: strings.TrimSpace(t.Task), Role: t.Role, Module: t.Module, Cross: t.Cross, Inputs: []Input{}}
	if task.Task == "" {
		return Put{}, task, &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Detail: "no task given", Hint: "pass -m TASK"}
	}
	if t.Role != "" {
		if _, err := rs.view(t.Role); err != nil {
			return Put{}, task, err
		}
	}
	if err := rs.mayPin(ctx, who, &t); err != nil {
		return Put{}, task, err
	}
	draft := Draft{ID: t.ID, Type: record.TaskSpec, Module: t.Module, Tags: t.Tags, NoLinks: len(t.Inputs) == 0, Summary: record.Extract([]byte(task.Task))}
	var given []record.Record
	for _, address := range t.Inputs {
		r, h, err := rs.findFor(ctx, who, address, standingOf)
		if err != nil {
			return Put{}, task, err
		}
		if task.Module == "" && r.Module != record.Project {
			task.Module = r.Module
		}
		given = append(given, r)
		task.Inputs = append(task.Inputs, Input{ID: r.ID, Version: r.Version, Type: r.Type, Stood: h.Standing().Version, Canonical: h.Canonical > 0, Status: r.Status})
		draft.Links = append(draft.Links, Link{record.DerivesFrom, r.Ref().String()})
	}
	if task.Module == "" {
		task.Module = record.Project
	}
	for i := range given {
		if t.internal {
			break // an input that is not shown is not covered by the result
		}
		if err := rs.checkInput(&task, &given[i]); err != nil {
			return Put{}, task, err
		}
	}
	draft.Module = task.Module
	data, err := json.Marshal(task, json.Deterministic(true), jsontext.WithIndent("  "))
	data = append(data, '\n')
	if err != nil {
		return Put{}, task, &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Cause: err, Hint: "the task must be valid UTF-8"}
	}
	draft.Content = data
	draft.granted, draft.internal = true, true // an actor who may run a task may pin one: task specs are not knowledge of the project
	put, err := rs.putOne(ctx, who, draft)
	return put, task, err
}

// mayPin refuses an agent without a role, and one that would replace the task of another author.
func (rs *Records) mayPin(ctx context.Context, who Actor, t *TaskDraft) error {
	if who.person() {
		return nil
	}
	if _, known := rs.Access.Of(who.Role); !known {
		return rs.refuse(ctx, who, "write", record.TaskSpec, t.ID)
	}
	there, err := rs.Store.Records(ctx, store.Query{ID: t.ID, Latest: true})
	if err != nil || t.internal || len(there) == 0 || there[0].Creator == who.Name {
		return err
	}
	return rs.refuse(ctx, who, "write", there[0].Type, t.ID)
}

// checkInput rejects an input that the role of the task may not see.
func (rs *Records) checkInput(t *Task, r *record.Record) error {
	bad := func(detail, hint string) error {
		return &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(r.Ref().String()), Detail: detail, Hint: hint}
	}
	if t.Role != "" {
		spec, err := rs.view(t.Role)
		if err != nil {
			return err
		}
		if _, seen := spec.Of(r.Type); !seen || !rs.Access.MayRead(t.Role, r.Type) {
			return bad("the role "+t.Role+" cannot see records of the type "+r.Type, "see roles: in brenner.yaml for the rights and views of roles")
		}
		if spec.Cross {
			return nil
		}
	}
	if !t.Cross && r.Module != t.Module && r.Module != record.Project {
		return bad("it is of the module "+r.Module+", but the task is about "+t.Module, "pass --cross-module for a task about several modules")
	}
	return nil
}

// Task returns a task spec, and which of its inputs have moved.
func (rs *Records) Task(ctx context.Context, address string) (record.Record, Task, []Moved, error) {
	r, _, err := rs.Standing(ctx, address)
	if err != nil {
		return r, Task{}, nil, err
	}
	t, err := rs.readTask(ctx, &r)
	if err != nil {
		return r, t, nil, err
	}
	moved, err := rs.inputsMoved(ctx, &t)
	return r, t, moved, err
}

func (rs *Records) readTask(ctx context.Context, r *record.Record) (t Task, err error) {
	if r.Type != record.TaskSpec {
		return t, &fault.Error{Code: NotATask, Detail: r.Ref().String() + " is " + record.A(r.Type) + ", not a task spec", Hint: "create one with `brenner store pin`"}
	}
	data, err := rs.Store.Blob(ctx, r.Content)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, &fault.Error{Code: NotATask, Detail: r.Ref().String() + " is not a valid task spec", Cause: err, Hint: "create one with `brenner store pin`"}
	}
	return t, nil
}

func (rs *Records) inputsMoved(ctx context.Context, t *Task) ([]Moved, error) {
	var moved []Moved
	for _, in := range t.Inputs {
		h, err := rs.existingHead(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		now := h.Standing().Version
		gone := in.Canonical && h.Canonical == 0
		if now == in.Stood && !gone && in.Status != record.Deprecated {
			r, err := rs.version(ctx, in.Ref(), h.Latest)
			if err != nil {
				return nil, err
			}
			gone = r.Status == record.Deprecated
		}
		if now != in.Stood || gone {
			moved = append(moved, Moved{in, now})
		}
	}
	return moved, nil
}

// outdated returns the dependencies of a version that no longer hold: superseded, not chosen,
// or deprecated. Task specs, reviews and raw traffic refer to old versions on purpose.
func (rs *Records) outdated(ctx context.Context, r *record.Record, headOf func(context.Context, string) (record.Head, error)) ([]Moved, error) {
	if r.Type == record.TaskSpec || r.Type == record.Review {
		return nil, nil
	}
	var all []Moved
	for _, l := range r.Links {
		if !record.Depends(l.Relation) || l.ID == r.ID {
			continue
		}
		h, err := headOf(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		if l.Version > h.Latest { // put in the same change, or missing, which is reported elsewhere
			continue
		}
		if kind, _ := rs.Types.Find(h.Type); kind.Raw || h.Type == record.TaskSpec {
			continue
		}
		status := h.Status
		if l.Ref() != h.Standing() {
			to, err := rs.version(ctx, l.Ref(), h.Latest)
			if err != nil {
				return nil, err
			}
			status = to.Status
		}
		past := l.Version < h.Canonical || status == record.Deprecated
		// Without a canonical version or another branch, it was displaced by another record.
		beside := status == record.Alternative && (h.Canonical > 0 || !h.Forked())
		if past || beside {
			all = append(all, Moved{Input{ID: l.ID, Version: l.Version, Type: h.Type, Stood: l.Version, Status: status}, h.Standing().Version})
		}
	}
	return all, nil
}

// moved returns the moved inputs of the tasks behind a version. A draft that continues the
// result of a revision has moved its record itself.
func (b *putting) moved(ctx context.Context, r *record.Record, continues bool) ([]Moved, error) {
	var all []Moved
	for _, l := range r.Links {
		if l.Relation != record.DerivesFrom {
			continue
		}
		if h, err := b.before(ctx, l.ID); err != nil || h.Type != record.TaskSpec {
			if err != nil {
				return nil, err
			}
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
			if continues {
				t.Inputs = slices.DeleteFunc(t.Inputs, func(in Input) bool { return in.ID == r.ID })
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

// ChangesHead returns the head of the journal of changes: while it stays, nothing is promoted.
func (rs *Records) ChangesHead(ctx context.Context) (journal.Head, error) {
	return rs.head(ctx, Changes)
}

// NoLongerCanonical returns the versions that agents were shown as canonical and that no longer
// are, and the head that must still hold when that is written. It skips records of other projects.
func (rs *Records) NoLongerCanonical(ctx context.Context, shown []contexts.ShownRecord) ([]Moved, store.Append, error) {
	head, err := rs.head(ctx, Changes)
	if err != nil {
		return nil, store.Append{}, err
	}
	var all []Moved
	for _, s := range shown {
		r, err := rs.lookup(ctx, s.Ref)
		if err != nil {
			return nil, store.Append{}, err
		}
		if r == nil || s.Content != "" && r.Content != s.Content {
			continue
		}
		h, err := rs.existingHead(ctx, s.Ref.ID)
		if err != nil {
			return nil, store.Append{}, err
		}
		if h.Canonical != s.Ref.Version {
			all = append(all, Moved{Input{ID: s.Ref.ID, Version: s.Ref.Version, Type: r.Type, Stood: s.Ref.Version, Status: r.Status}, h.Canonical})
		}
	}
	return all, store.Append{Stream: Changes, After: head}, nil
}
