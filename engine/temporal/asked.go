package temporal

import (
	"context"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"brenner/internal/fault"
	"brenner/project"
)

// gone is the silence after which a worker is no longer counted. Workers ask for work each minute, and the engine lists
// those that were killed for five.
const gone = 2 * time.Minute

// asked returns the workers of a queue that the engine lists, and when each asked for work last, by the engine's clock. A
// worker that is busy does not ask for activities, but always for workflow tasks.
//
// The list for all partitions of a queue is of an interface that later servers may not have. Otherwise, that of the first
// one is enough to see whether there are any: the others pass requests on to it.
func (e *Engine) asked(ctx context.Context, queue string) (map[string]time.Time, error) {
	all := make(map[string]time.Time)
	found, err := e.client.DescribeTaskQueueEnhanced(ctx, client.DescribeTaskQueueEnhancedOptions{
		TaskQueue: queue, TaskQueueTypes: []client.TaskQueueType{client.TaskQueueTypeWorkflow}, ReportPollers: true,
	})
	for _, version := range found.VersionsInfo {
		for _, kind := range version.TypesInfo {
			for _, p := range kind.Pollers {
				all[p.Identity] = p.LastAccessTime
			}
		}
	}
	if err == nil && len(all) > 0 {
		return all, nil
	}
	first, err := e.client.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	for _, p := range first.GetPollers() {
		all[p.GetIdentity()] = p.GetLastAccessTime().AsTime()
	}
	return all, err
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
