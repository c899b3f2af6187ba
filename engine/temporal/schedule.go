package temporal

import (
	"context"
	"errors"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"brenner/internal/fault"
)

// Schedule starts a stored loop at times, each time for the key of that time; see Loop.Key. Another schedule of the
// loop is replaced, unless the times are invalid. It returns when that was done, by the engine's clock.
func (e *Engine) Schedule(ctx context.Context, name, cron, zone, key string) (at time.Time, err error) {
	id := loopID(e.fleet.Project, name)
	o := client.ScheduleOptions{
		ID:      id,
		Spec:    client.ScheduleSpec{CronExpressions: []string{cron}, TimeZoneName: zone},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: loopWorkflow, TaskQueue: queue(e.fleet, loops),
			Args:                  []any{Loop{Project: e.fleet.Project, Loop: name, Key: key}},
			TypedSearchAttributes: e.searchAttributes(name, ""),
		},
	}
	handle, err := e.client.ScheduleClient().Create(ctx, o)
	if errors.Is(err, sdk.ErrScheduleAlreadyRunning) {
		handle = e.client.ScheduleClient().GetHandle(ctx, id)
		err = handle.Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				return &client.ScheduleUpdate{Schedule: &client.Schedule{
					Spec: &o.Spec, Action: o.Action, Policy: &client.SchedulePolicies{Overlap: o.Overlap}, State: &client.ScheduleState{},
				}}, nil
			},
		})
	}
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &invalid) {
		return at, &fault.Error{
			Code: fault.Usage, Detail: "the engine refuses these times: " + invalid.Message,
			Hint: `--cron has five fields, such as "0 22 * * *"; --zone is a name such as Europe/Vienna`,
		}
	}
	if err != nil {
		return at, unreachable(err)
	}
	found, err := handle.Describe(ctx)
	if err != nil {
		return at, unreachable(err)
	}
	if at = found.Info.LastUpdateAt; at.IsZero() {
		at = found.Info.CreatedAt
	}
	return at, nil
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
