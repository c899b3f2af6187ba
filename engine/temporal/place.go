package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project"
)

// PlaceName is the name of the place in this package.
const PlaceName = "temporal"

// Places returns the place of a loop's sessions: any worker of the project.
func (e *Engine) Places() (of func(*project.Placing) runner.Place, end func()) {
	n := &notices{engine: e, waiting: make(map[string]string), seen: make(map[string]seen)}
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() { n.watch(ctx) })
	return func(l *project.Placing) runner.Place { return &place{engine: e, of: l, notices: n} },
		func() { cancel(); watch.Wait() }
}

// place is the place of the sessions of a loop.
type place struct {
	engine  *Engine
	of      *project.Placing
	notices *notices
}

// pause is the time between two attempts to reach the engine.
const pause = time.Second

// Run implements runner.Place.
func (p *place) Run(ctx context.Context, c loop.Run) error {
	name := queue(p.engine.fleet, p.of.Needs(&c.Job))
	defer p.notices.wait(name, c.Thread)()
	for {
		var err error
		stopping := ctx.Err() != nil
		switch {
		case errors.Is(context.Cause(ctx), runner.ErrDetached):
			return runner.ErrDetached
		case stopping:
			err = p.cancel(context.WithoutCancel(ctx), c.Thread)
		default:
			err = p.begin(ctx, name, c.Thread)
		}
		var ended *sdk.WorkflowExecutionError
		switch {
		case err == nil, sdk.IsCanceledError(err):
			return nil
		case !stopping && ctx.Err() != nil:
			continue // to cancel the session, or to leave it
		case errors.As(err, &ended):
			p.engine.log.Warn().Err(err).Str("session", c.Thread).Msg("the engine has ended the session's workflow; it begins again")
		default:
			p.notices.say(&fault.Error{Code: project.EngineUnreachable, Detail: "the engine does not respond; the loop waits for it, and sessions that run continue", Cause: dialled(err)})
		}
		time.Sleep(pause)
	}
}

// begin starts the workflow of a session unless it runs, and waits for its end.
func (p *place) begin(ctx context.Context, queue, thread string) error {
	e := p.engine
	run, err := e.start(ctx, client.StartWorkflowOptions{ID: sessionID(e.fleet.Project, thread), TaskQueue: queue}, sessionWorkflow, p.of.Loop, thread,
		Session{Project: e.fleet.Project, Loop: p.of.Loop, Thread: thread})
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}

// start starts a workflow unless one of that name runs.
func (e *Engine) start(ctx context.Context, o client.StartWorkflowOptions, workflow, loopName, thread string, in any) (client.WorkflowRun, error) {
	o.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	o.TypedSearchAttributes = e.searchAttributes(loopName, thread)
	return e.client.ExecuteWorkflow(ctx, o, workflow, in)
}

// The search attributes of workflows.
var (
	ofProject = sdk.NewSearchAttributeKeyKeyword("BrennerProject")
	ofLoop    = sdk.NewSearchAttributeKeyKeyword("BrennerLoop")
	ofThread  = sdk.NewSearchAttributeKeyKeyword("BrennerThread")
)

// searchAttributes are names, if the namespace has attributes for them.
func (e *Engine) searchAttributes(loopName, thread string) sdk.SearchAttributes {
	if !e.attributes {
		return sdk.NewSearchAttributes()
	}
	all := []sdk.SearchAttributeUpdate{ofProject.ValueSet(e.fleet.Project), ofLoop.ValueSet(loopName)}
	if thread != "" {
		all = append(all, ofThread.ValueSet(thread))
	}
	return sdk.NewSearchAttributes(all...)
}

// cancel lets the calls of a session finish, and waits for them. A session that no worker runs is left at once: without a
// worker, nothing would end its workflow.
func (p *place) cancel(ctx context.Context, thread string) error {
	c, id := p.engine.client, sessionID(p.engine.fleet.Project, thread)
	found, err := c.DescribeWorkflowExecution(ctx, id, "")
	var runs bool
	for _, a := range found.GetPendingActivities() {
		runs = runs || a.GetState() != enums.PENDING_ACTIVITY_STATE_SCHEDULED
	}
	switch {
	case err != nil:
	case found.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return nil
	case runs:
		err = c.CancelWorkflow(ctx, id, "")
	default:
		err = c.TerminateWorkflow(ctx, id, "", "its loop was stopped")
	}
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) { // it has ended, or not begun
		return nil
	}
	if err != nil || !runs {
		return err
	}
	var ended *sdk.WorkflowExecutionError
	if err = c.GetWorkflow(ctx, id, "").Get(ctx, nil); errors.As(err, &ended) {
		return nil
	}
	return err
}

// notices tell a person why sessions wait.
type notices struct {
	engine *Engine

	mu      sync.Mutex
	waiting map[string]string // queues, by session
	last    time.Time

	seen map[string]seen // of the queues that were watched
}

// seen is when the last request of a queue's workers was made, by the engine's clock, and noticed, by ours.
type seen struct{ made, noticed time.Time }

// often is how often a notice is repeated.
const often = 30 * time.Second

// say warns, unless it did so just now: many sessions have the same trouble.
func (n *notices) say(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); now.Sub(n.last) >= often {
		n.last = now
		n.engine.log.Warn().Err(err).Str("code", string(fault.CodeOf(err))).Str("hint", fault.HintOf(err)).Msg("sessions wait")
	}
}

// wait notes that a session waits for a queue, until done is called.
func (n *notices) wait(queue, thread string) (done func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting[thread] = queue
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.waiting, thread)
	}
}

// watch says which queues of waiting sessions have no worker, and why workers return a session: any one of each queue.
func (n *notices) watch(ctx context.Context) {
	for {
		select {
		case <-time.After(5 * time.Second):
		case <-ctx.Done():
			return
		}
		n.mu.Lock()
		one := make(map[string]string)
		for thread, name := range n.waiting {
			one[name] = thread
		}
		n.mu.Unlock()
		for name, thread := range one {
			if all, err := n.engine.asked(ctx, name); err == nil && n.isGone(name, newest(all)) {
				n.say(noWorkers("sessions", name))
			} else if code := n.engine.returned(ctx, thread); code != "" {
				n.say(&fault.Error{Code: code, Detail: "workers return " + thread + " to the queue " + name, Hint: "each of them says why"})
			}
		}
	}
}

// returned returns why workers, which differ in what they have, return a session again and again; empty if they do not.
func (e *Engine) returned(ctx context.Context, thread string) fault.Code {
	const tries = 3
	found, err := e.client.DescribeWorkflowExecution(ctx, sessionID(e.fleet.Project, thread), "")
	if err != nil {
		return ""
	}
	for _, a := range found.GetPendingActivities() {
		code := fault.Code(a.GetLastFailure().GetApplicationFailureInfo().GetType())
		if a.GetState() == enums.PENDING_ACTIVITY_STATE_SCHEDULED && a.GetAttempt() >= tries && isAboutMachine(code) {
			return code
		}
	}
	return ""
}

// isGone reports whether a queue's workers are gone: none is listed, or none has made a request for a while. The clocks of
// the engine and of this machine may differ.
func (n *notices) isGone(queue string, made time.Time) bool {
	if last := n.seen[queue]; !made.Equal(last.made) {
		n.seen[queue] = seen{made, time.Now()}
	}
	return made.IsZero() || time.Since(n.seen[queue].noticed) >= gone
}
