package shown

import (
	"cmp"
	"context"
	"slices"

	"brenner/govern"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/record"
)

// Calls returns the agent calls of store commands, oldest first: checks, rulings, and runs of tasks, also in
// loops.
func Calls(ctx context.Context, rs *govern.Records) ([]govern.Call, error) {
	all, err := rs.Calls(ctx)
	if err != nil {
		return nil, err
	}
	tasks, err := rs.Store.Records(ctx, store.Query{Type: record.TaskSpec})
	if err != nil {
		return nil, err
	}
	for i := range tasks {
		address := tasks[i].Ref().String()
		_, task, _, err := rs.Task(ctx, address)
		if err != nil {
			return nil, err
		}
		runs, err := session.TaskRuns(ctx, rs.Store, &session.Task{Address: address, Role: task.Role, Text: task.Task, Content: tasks[i].Content})
		if err != nil {
			return nil, err
		}
		for _, h := range runs {
			for _, c := range audit.ListCalls(h).Calls {
				t, err := audit.TraceCall(ctx, h, &audit.CallQuery{ID: c.Call})
				if err != nil {
					return nil, err
				}
				all = append(all, callOf(address, t))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b govern.Call) int { return cmp.Compare(a.At, b.At) })
	return all, nil
}

// callOf returns a call of a session that runs a task.
func callOf(task string, t *audit.CallTrace) govern.Call {
	c, in := &t.Call, &t.In
	out := govern.Call{
		ID: c.Call, At: cmp.Or(c.Ended, c.Began), Role: c.Role, Agent: c.Agent, Model: cmp.Or(c.ModelID, c.Model), Observed: c.Observed, Task: task,
		View: in.RecordsView, Context: []govern.Shown{}, Prompt: in.Prompt, Reply: t.Out.Reply, Tokens: in.Tokens, Input: c.Input, Output: c.Output,
		Attempts: c.Attempts, TookMS: c.TookMS, Code: c.Code, Produced: []string{}, Asked: c.Asked,
	}
	for _, r := range in.Records {
		out.Context = append(out.Context, govern.Shown{Ref: record.Ref{ID: r.ID, Version: r.Version}, Type: r.Type, Form: r.Form})
	}
	for i := range t.Out.Patches {
		if made := t.Out.Patches[i].Made; made != "" {
			out.Produced = append(out.Produced, made)
		}
	}
	return out
}
