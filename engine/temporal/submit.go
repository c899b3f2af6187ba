package temporal

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/project"
)

// Submitted says that workers run a loop.
var Submitted = loop.At{Place: PlaceName, Submitted: true}

func drained(name string) error {
	return &fault.Error{Code: project.Drained, Detail: "the worker was stopped while it ran " + name}
}

// Submit lets the workers run a stored loop, or continue it. It returns the name of the workflow, and when it began.
func (e *Engine) Submit(ctx context.Context, name string) (string, time.Time, error) {
	run, err := e.start(ctx, client.StartWorkflowOptions{ID: loopID(e.fleet.Project, name), TaskQueue: queue(e.fleet, loops)}, loopWorkflow, name, "", Loop{Project: e.fleet.Project, Loop: name})
	if err != nil {
		return "", time.Time{}, unreachable(err)
	}
	found, err := e.client.DescribeWorkflowExecution(ctx, run.GetID(), run.GetRunID())
	if err != nil {
		return "", time.Time{}, unreachable(err)
	}
	return run.GetID(), found.GetWorkflowExecutionInfo().GetStartTime().AsTime(), nil
}

// LoopsWait says why loops that are submitted do not begin; nil means that a worker takes them. Now is the engine's time;
// zero means unknown.
func (e *Engine) LoopsWait(ctx context.Context, now time.Time) []*fault.Error {
	name := queue(e.fleet, loops)
	all, err := e.asked(ctx, name)
	if last := newest(all); err != nil || !last.IsZero() && now.Sub(last) < gone { // a now that is zero is before all
		return nil
	}
	return []*fault.Error{noWorkers("loops", name)}
}
