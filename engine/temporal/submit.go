package temporal

import (
	"context"

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

// Submit lets the workers run a stored loop, or continue it. It returns the name of the workflow.
func (e *Engine) Submit(ctx context.Context, name string) (string, error) {
	run, err := e.start(ctx, client.StartWorkflowOptions{ID: loopID(e.fleet.Project, name), TaskQueue: queue(e.fleet, loops)}, loopWorkflow, name, "", Loop{Project: e.fleet.Project, Loop: name})
	if err != nil {
		return "", unreachable(err)
	}
	return run.GetID(), nil
}

// LoopsWait says why loops that are submitted do not begin; nil means that a worker takes them.
func (e *Engine) LoopsWait(ctx context.Context) []*fault.Error {
	name := queue(e.fleet, loops)
	if !e.lacksWorkers(ctx, name) {
		return nil
	}
	return []*fault.Error{{
		Code: project.NoWorkers, Detail: "no worker takes loops of " + name,
		Hint: "start `brenner-temporal worker --loops` of this version; until then, loops wait",
	}}
}

func unreachable(err error) error {
	return &fault.Error{Code: project.EngineUnreachable, Detail: "the engine does not respond", Cause: err}
}
