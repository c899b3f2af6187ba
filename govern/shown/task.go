package shown

import (
	"context"
	"slices"
	"strconv"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/record"
)

// NotRunnable is the code of a task that no agent can do.
const NotRunnable fault.Code = "TASK_NOT_RUNNABLE" // The task names no role, its role may not write records, or it is that of another project.

// CheckRunnable returns the types of records that the role of a task may create, or an error if no agent can do it.
func CheckRunnable(rs *govern.Records, ref record.Ref, task *govern.Task) ([]string, error) {
	if task.Role == "" {
		return nil, &fault.Error{
			Code: NotRunnable, Detail: ref.String() + " names no role, so no agent can do it",
			Hint: "`brenner store pin " + ref.ID + " -m … --for ROLE` pins a version with one",
		}
	}
	if _, known := rs.Access.Of(task.Role); !known {
		return nil, &fault.Error{
			Code: govern.UnknownRole, Detail: ref.String() + " is for the role " + fault.Shown(task.Role) + ", which has no rights in this project",
			Hint: "add it under roles: in brenner.yaml",
		}
	}
	types := Creates(rs, task.Role)
	if len(types) == 0 {
		return nil, &fault.Error{
			Code: NotRunnable, Detail: ref.String() + " is for the role " + fault.Shown(task.Role) + ", which may not write records",
			Hint: "set write: of the role under roles: in brenner.yaml",
		}
	}
	return types, nil
}

// whyOther returns why the task of a session is not in the store, or "": a session may be imported from
// another project.
func whyOther(ctx context.Context, rs *govern.Records, o *flow.Opened) (why string, err error) {
	r, task, _, err := rs.Task(ctx, o.Task)
	local := session.Task{Address: r.Ref().String(), Role: task.Role, Text: task.Task, Content: r.Content}
	switch code := fault.CodeOf(err); {
	case code == store.NoRecord:
		return "this project has no task " + o.Task, nil
	case code == govern.NotATask, err == nil && !local.Opened(o):
		return o.Task + " of this project is another task", nil
	}
	return "", err
}

// CheckResumed returns an error if the agent of a task is still to be asked, and the store has no such task.
func CheckResumed(ctx context.Context, rs *govern.Records, s *flow.State) error {
	answered := func(l flow.Leg) bool {
		return slices.ContainsFunc(l.Exchanges, func(x flow.Exchange) bool { return x.Answer() != nil })
	}
	if s.Opened.Task == "" || slices.ContainsFunc(s.Legs, answered) {
		return nil
	}
	why, err := whyOther(ctx, rs, &s.Opened)
	if err != nil || why == "" {
		return err
	}
	return &fault.Error{
		Code: NotRunnable, Op: "resume " + s.Opened.Thread, Detail: why + "; the session was begun elsewhere",
		Hint: "resume it in the project where it was begun, or pin a task of your own with `brenner store pin`",
	}
}

// MovedInputs says which inputs of a task have changed or no longer hold: what is made of them needs a rebase.
func MovedInputs(moved []govern.Moved) []string {
	all := []string{}
	for i := range moved {
		m := &moved[i]
		what := "has changed: v" + strconv.Itoa(m.Now) + " is current"
		switch {
		case m.Source.Name() != "":
			what = "rests on " + m.Source.Name() + ", which is outdated"
		case m.Now == m.Input.Version:
			what = "no longer holds"
		}
		all = append(all, "input "+m.Input.Ref().String()+" "+what)
	}
	return all
}
