package temporal

import (
	"context"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"brenner/internal/fault"
	"brenner/project"
)

// gone is the silence after which a worker is no longer counted. Workers ask for work each minute, and the engine lists
// those that were killed for five.
const gone = 2 * time.Minute

// asked returns the workers of a queue that the engine lists, and when each asked for work last, by the engine's clock. A
// worker that is busy does not ask for activities, but always for workflow tasks. A queue has several parts, and each
// knows only some of its workers.
func (e *Engine) asked(ctx context.Context, queue string) (map[string]time.Time, error) {
	parts, err := e.client.WorkflowService().ListTaskQueuePartitions(ctx, &workflowservice.ListTaskQueuePartitionsRequest{
		Namespace: e.namespace, TaskQueue: &taskqueue.TaskQueue{Name: queue},
	})
	if err != nil {
		return nil, err
	}
	all := make(map[string]time.Time)
	for _, part := range parts.GetWorkflowTaskQueuePartitions() {
		found, err := e.client.DescribeTaskQueue(ctx, part.GetKey(), enums.TASK_QUEUE_TYPE_WORKFLOW)
		if err != nil {
			return nil, err
		}
		for _, p := range found.GetPollers() {
			if at := p.GetLastAccessTime().AsTime(); at.After(all[p.GetIdentity()]) {
				all[p.GetIdentity()] = at
			}
		}
	}
	return all, nil
}

// responds returns an error unless the engine responds.
func (e *Engine) responds(ctx context.Context) error {
	_, err := e.client.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	return err
}

// newest returns the last time of all; zero if there is none.
func newest(all map[string]time.Time) (last time.Time) {
	for _, at := range all {
		if at.After(last) {
			last = at
		}
	}
	return last
}

func noWorkers(what, queue string) *fault.Error {
	f := &fault.Error{Code: project.NoWorkers, Detail: "no worker takes " + what + " of " + queue}
	if f.Hint = "start `brenner-temporal worker` of this version, with --tags for what the rosters need"; what == "loops" {
		f.Hint = "start `brenner-temporal worker --loops` of this version; until then, loops wait"
	}
	return f
}
