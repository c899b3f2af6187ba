package temporal

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"brenner/project"
)

// environment is one in which the activities are functions of a test.
func environment(t *testing.T, session func(context.Context, Session) error, loop func(context.Context, Loop) error) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Hour}) // on a busy machine, nothing is soon
	env.SetTestTimeout(time.Hour)
	w := workflows{Beat}
	env.RegisterWorkflowWithOptions(w.session, workflow.RegisterOptions{Name: sessionWorkflow})
	env.RegisterWorkflowWithOptions(w.loop, workflow.RegisterOptions{Name: loopWorkflow})
	env.RegisterActivityWithOptions(session, activity.RegisterOptions{Name: sessionActivity})
	env.RegisterActivityWithOptions(loop, activity.RegisterOptions{Name: loopActivity})
	return env
}

func noLoop(context.Context, Loop) error { return nil }

// A session is tried again until a worker has brought it to its end.
func TestSessionIsTriedAgain(t *testing.T) {
	t.Parallel()
	const most = 5 // the environment stops after 10
	one, tries := Session{Project: "cells", Loop: "night", Thread: "RS-1"}, 0
	env := environment(t, func(ctx context.Context, s Session) error {
		info := activity.GetInfo(ctx)
		if tries++; s != one || info.HeartbeatTimeout != Beat || info.StartToCloseTimeout != longest {
			t.Errorf("got %+v, silent for %s, at most %s", s, info.HeartbeatTimeout, info.StartToCloseTimeout)
		}
		if tries < most {
			return again("HELD", time.Second)
		}
		return nil
	}, noLoop)
	env.ExecuteWorkflow(sessionWorkflow, one)
	if err := env.GetWorkflowError(); err != nil || !env.IsWorkflowCompleted() || tries != most {
		t.Errorf("got %v after %d tries, want %d", err, tries, most)
	}
}

// The key of a scheduled loop is that of the time for which it was planned.
func TestKeysOfSchedules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, want string }{{"", ""}, {"k", "k"}, {"%F", "2026-11-15"}, {"n-%F-%H", "n-2026-11-15-21"}} {
		var got Loop
		env := environment(t, noSession, func(_ context.Context, l Loop) error { got = l; return nil })
		env.SetStartTime(time.Date(2026, 11, 16, 1, 0, 0, 0, time.UTC))
		planned := time.Date(2026, 11, 15, 22, 30, 0, 0, time.FixedZone("", 3600))
		if err := env.SetTypedSearchAttributesOnStart(sdk.NewSearchAttributes(sdk.NewSearchAttributeKeyTime("TemporalScheduledStartTime").ValueSet(planned))); err != nil {
			t.Fatal(err)
		}
		env.ExecuteWorkflow(loopWorkflow, Loop{Project: "cells", Loop: "night", Key: c.key})
		if err := env.GetWorkflowError(); err != nil || got != (Loop{Project: "cells", Loop: "night", Key: c.want}) {
			t.Errorf("%q: got %v, %+v, want %q", c.key, err, got, c.want)
		}
	}
}

func noSession(context.Context, Session) error { return nil }

func TestQueues(t *testing.T) {
	t.Parallel()
	f := project.Fleet{Project: "cells", Prompts: "0a1b2c3d"}
	for tag, want := range map[string]string{"": "brenner.cells.0a1b2c3d", "gpu": "brenner.cells.0a1b2c3d.gpu", loops: "brenner.cells.0a1b2c3d.+loops"} {
		if got := queue(f, tag); got != want {
			t.Errorf("%q: got %s, want %s", tag, got, want)
		}
	}
}
