package govern

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/govern/contexts"
	"brenner/govern/graph"
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
	// Only means that its context has the overview and the inputs alone.
	Only bool `json:"only_inputs,omitempty"`
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
	// Source is what no longer holds and made it stale, if that is another version.
	Source record.Ref
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
	only     bool // its context has only the inputs, and it does not link to them
}

// Pin puts a task spec that names the exact versions of its inputs.
func (rs *Records) Pin(ctx context.Context, who Actor, t TaskDraft) (Put, Task, error) {
	if err := rs.mayPin(ctx, who, &t); err != nil {
		return Put{}, Task{}, err
	}
	draft, task, err := rs.Specify(ctx, who, &t)
	if err != nil {
		return Put{}, task, err
	}
	draft.granted, draft.internal = true, true // checked by mayPin
	put, err := rs.putOne(ctx, who, draft)
	if err == nil && !t.internal {
		put.Moved, err = rs.withOutdated(ctx, &put.Record, &task, nil)
	}
	return put, task, err
}

// Specify returns the task spec that Pin would put now, or an error if its role or its inputs are
// invalid. It writes nothing.
func (rs *Records) Specify(ctx context.Context, who Actor, t *TaskDraft) (Draft, Task, error) {
	task := Task{Task: strings.TrimSpace(t.Task), Role: t.Role, Module: t.Module, Cross: t.Cross, Inputs: []Input{}, Only: t.only}
	if task.Task == "" {
		return Draft{}, task, &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Detail: "no task given", Hint: "pass -m TASK"}
	}
	if t.Role != "" {
		if _, err := rs.view(t.Role); err != nil {
			return Draft{}, task, err
		}
	}
	draft := Draft{ID: t.ID, Type: record.TaskSpec, Module: t.Module, Tags: t.Tags, NoLinks: len(t.Inputs) == 0 || t.only, Summary: record.Extract([]byte(task.Task))}
	var given []record.Record
	for _, address := range t.Inputs {
		r, h, err := rs.findFor(ctx, who, address, standingOf)
		if err != nil {
			return Draft{}, task, err
		}
		if task.Module == "" && r.Module != record.Project {
			task.Module = r.Module
		}
		given = append(given, r)
		task.Inputs = append(task.Inputs, Input{ID: r.ID, Version: r.Version, Type: r.Type, Stood: h.Standing().Version, Canonical: h.Canonical > 0, Status: r.Status})
		if !t.only {
			draft.Links = append(draft.Links, Link{record.DerivesFrom, r.Ref().String()})
		}
	}
	if task.Module == "" {
		task.Module = record.Project
	}
	for i := range given {
		if t.internal {
			break // an input that is not shown is not covered by the result
		}
		if err := rs.checkInput(&task, &given[i]); err != nil {
			return Draft{}, task, err
		}
	}
	draft.Module = task.Module
	data, err := json.Marshal(task, json.Deterministic(true), jsontext.WithIndent("  "))
	data = append(data, '\n')
	if err != nil {
		err = &fault.Error{Code: BadRecord, Op: "pin " + fault.Shown(t.ID), Cause: err, Hint: "the task must be valid UTF-8"}
	}
	draft.Content = data
	return draft, task, err
}

// mayPin refuses an actor who may not write task specs, since agents read their text as their
// task, and an agent that would replace the task of another author. The program pins a task only
// for a caller who may write its result.
func (rs *Records) mayPin(ctx context.Context, who Actor, t *TaskDraft) error {
	as := rs.roleOf(who)
	if t.internal || as.person() {
		return nil
	}
	if !rs.Access.MayWrite(as.Role, record.TaskSpec) {
		return rs.refuse(ctx, as, "pin", record.TaskSpec, t.ID)
	}
	there, err := rs.Store.Records(ctx, store.Query{ID: t.ID, Latest: true})
	if err != nil || who.person() || len(there) == 0 || there[0].Creator == who.Name {
		return err
	}
	return rs.refuse(ctx, who, "pin", there[0].Type, t.ID)
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

// Task returns a task spec, and which of its inputs have moved or no longer hold.
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
	if err != nil {
		return r, t, nil, err
	}
	moved, err = rs.withOutdated(ctx, &r, &t, moved)
	return r, t, moved, err
}

// withOutdated adds the inputs of a task that no longer hold, except branches of a fork, which a
// task may be about.
func (rs *Records) withOutdated(ctx context.Context, r *record.Record, t *Task, moved []Moved) ([]Moved, error) {
	refs := make([]record.Ref, len(t.Inputs))
	for i := range t.Inputs {
		refs[i] = t.Inputs[i].Ref()
	}
	g := rs.Graph()
	found, err := g.NoLongerHold(ctx, r.ID, refs)
	if err != nil {
		return nil, err
	}
	more, err := movedBy(ctx, g, found)
	for _, m := range more {
		known := slices.ContainsFunc(moved, func(one Moved) bool { return one.Input.Ref() == m.Input.Ref() })
		if !known && m.Input.Status != record.Alternative {
			moved = append(moved, m)
		}
	}
	return moved, err
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
			r, err := rs.Version(ctx, in.Ref(), h.Latest)
			if err != nil {
				return nil, err
			}
			gone = r.Status == record.Deprecated
		}
		if now != in.Stood || gone {
			moved = append(moved, Moved{Input: in, Now: now})
		}
	}
	return moved, nil
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

// NoLongerHold returns the versions that the agents of a session were shown and that no longer
// hold, each with the canonical version that does, if any, and the head that must still be there
// when that is written. It skips records of other projects.
func (rs *Records) NoLongerHold(ctx context.Context, session string, shown []contexts.ShownRecord) ([]Moved, store.Append, error) {
	head, err := rs.head(ctx, Changes)
	if err != nil {
		return nil, store.Append{}, err
	}
	refs, err := rs.here(ctx, shown)
	if err != nil {
		return nil, store.Append{}, err
	}
	g := rs.Graph()
	found, err := g.NoLongerHold(ctx, session, refs)
	if err != nil {
		return nil, store.Append{}, err
	}
	all, err := movedBy(ctx, g, found)
	for i := range all {
		m := &all[i]
		h, err := g.Head(ctx, m.Input.ID)
		if err != nil {
			return nil, store.Append{}, err
		}
		if m.Now = h.Canonical; m.Now == m.Input.Version {
			m.Now = 0 // it is canonical, but stale
		}
	}
	return all, store.Append{Stream: Changes, After: head}, err
}

// here returns which of the versions shown in a session are of this project.
func (rs *Records) here(ctx context.Context, shown []contexts.ShownRecord) ([]record.Ref, error) {
	var refs []record.Ref
	for _, s := range shown {
		r, err := rs.Lookup(ctx, s.Ref)
		if err != nil {
			return nil, err
		}
		if r != nil && (s.Content == "" || r.Content == s.Content) {
			refs = append(refs, s.Ref)
		}
	}
	return refs, nil
}

// movedBy describes versions that no longer hold.
func movedBy(ctx context.Context, g *graph.Graph, found []graph.Origin) ([]Moved, error) {
	var all []Moved
	for _, o := range found {
		m := Moved{Input: Input{ID: o.Through.ID, Version: o.Through.Version, Stood: o.Through.Version}}
		if o.Source != o.Through {
			m.Source = o.Source
		}
		if r, fresh := g.Fresh[o.Through]; fresh {
			m.Input.Type, m.Input.Status, m.Now = r.Type, r.Status, r.Version
			all = append(all, m)
			continue
		}
		h, err := g.Head(ctx, o.Through.ID)
		if err != nil {
			return nil, err
		}
		r, err := g.Version(ctx, o.Through, h.Latest)
		if err != nil {
			return nil, err
		}
		m.Input.Type, m.Input.Status, m.Now = r.Type, r.Status, h.Standing().Version
		if s, err := g.Look(ctx, o.Through); err != nil {
			return nil, err
		} else if !s.Lapsed {
			m.Now = r.Version // no other version took its place
		}
		all = append(all, m)
	}
	return all, nil
}
