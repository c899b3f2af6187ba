// Package temporal runs the sessions and loops of a project on several machines, placed by a Temporal server.
//
// The engine decides which machine runs a session, and notices when a machine is gone. It is not a second source of truth:
// only names cross the line, and results are read from the journals.
package temporal

import (
	"strings"
	"time"

	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"brenner/project"
)

// The names of workflows and activities have a number. A changed workflow gets the next one, and both stay registered.
const (
	sessionWorkflow = "brenner.session/1"
	loopWorkflow    = "brenner.loop/1"
	sessionActivity = "brenner.session.advance/1"
	loopActivity    = "brenner.loop.run/1"
)

// Beat is how long a machine may be silent before its sessions run elsewhere.
const Beat = 30 * time.Second

// longest is how long an activity may take.
const longest = 7 * 24 * time.Hour

// Session names a session.
type Session struct {
	Project string `json:"project"`
	Loop    string `json:"loop"`
	Thread  string `json:"thread"`
}

// Loop names a loop, or one that begins again for another key.
type Loop struct {
	Project string `json:"project"`
	Loop    string `json:"loop"`
	// Key may contain %F and %H: the date and the hour, in UTC, at which a schedule starts the loop.
	Key string `json:"key,omitempty"`
}

// workflows have one activity each, whatever a session or a loop does.
type workflows struct{ beat time.Duration }

func (w workflows) session(ctx workflow.Context, s Session) error {
	return workflow.ExecuteActivity(w.options(ctx), sessionActivity, s).Get(ctx, nil)
}

func (w workflows) loop(ctx workflow.Context, l Loop) error {
	at := workflow.GetInfo(ctx).WorkflowStartTime
	if planned, ok := workflow.GetTypedSearchAttributes(ctx).GetTime(sdk.NewSearchAttributeKeyTime("TemporalScheduledStartTime")); ok {
		at = planned
	}
	l.Key = KeyAt(l.Key, at)
	return workflow.ExecuteActivity(w.options(ctx), loopActivity, l).Get(ctx, nil)
}

// KeyAt returns the key for which a schedule starts a loop at a time; see Loop.Key.
func KeyAt(key string, at time.Time) string {
	at = at.UTC()
	return strings.NewReplacer("%F", at.Format(time.DateOnly), "%H", at.Format("15")).Replace(key)
}

func (w workflows) options(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest, HeartbeatTimeout: w.beat,
		WaitForCancellation: true, // until the calls in flight have ended
		RetryPolicy:         &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
}

// queue returns the queue of sessions that need a tag, or of those that need nothing. Programs with other prompts have
// queues of their own: a session keeps the prompts that it began with.
func queue(f project.Fleet, tag string) string {
	name := "brenner." + f.Project + "." + f.Prompts
	if tag != "" {
		name += "." + tag
	}
	return name
}

// loops is the tag of the queue of loops. No roster can need it.
const loops = "+loops"

func sessionID(projectName, thread string) string { return projectName + "/" + thread }

func loopID(projectName, name string) string { return projectName + "/loop/" + name }
