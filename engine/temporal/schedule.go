package temporal

import (
	"context"
	"errors"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// Schedule starts a stored loop at times, each time for the key of that time; see Loop.Key. Another schedule of the
// loop is replaced.
func (e *Engine) Schedule(ctx context.Context, name, cron, zone, key string) error {
	if err := e.Unschedule(ctx, name); err != nil {
		return err
	}
	_, err := e.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID:      loopID(e.fleet.Project, name),
		Spec:    client.ScheduleSpec{CronExpressions: []string{cron}, TimeZoneName: zone},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{
			ID: loopID(e.fleet.Project, name), Workflow: loopWorkflow, TaskQueue: queue(e.fleet, loops),
			Args:                  []any{Loop{Project: e.fleet.Project, Loop: name, Key: key}},
			TypedSearchAttributes: e.searchAttributes(name, ""),
		},
	})
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		return invalid
	}
	if err != nil {
		return unreachable(err)
	}
	return nil
}

// Unschedule removes the schedule of a loop, if there is one.
func (e *Engine) Unschedule(ctx context.Context, name string) error {
	err := e.client.ScheduleClient().GetHandle(ctx, loopID(e.fleet.Project, name)).Delete(ctx)
	var missing *serviceerror.NotFound
	if err != nil && !errors.As(err, &missing) {
		return unreachable(err)
	}
	return nil
}
