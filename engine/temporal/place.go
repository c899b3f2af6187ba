package temporal

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"
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
	n := newNotices(e.log)
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	const every = 5 * time.Second
	watching.Go(func() { watch(ctx, every, e.responds, n.away) })
	watching.Go(func() {
		for {
			select {
			case <-time.After(every):
				n.look(ctx, e)
			case <-ctx.Done():
				return
			}
		}
	})
	return func(l *project.Placing) runner.Place { return &place{engine: e, of: l, notices: n} },
		func() { cancel(); watching.Wait() }
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
			p.notices.away(err)
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
	p.notices.away(nil)
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

// notices tell a person why sessions wait: once when it begins, and once when it is over.
type notices struct {
	log zerolog.Logger

	mu      sync.Mutex
	waiting map[string]string // queues, by session
	said    map[notice]bool

	seen map[string]seen // of the queues that were watched
}

// notice is what was said: the code, and the queue unless it is about the engine.
type notice struct {
	queue string
	code  fault.Code
}

func newNotices(log zerolog.Logger) *notices {
	return &notices{log: log, waiting: make(map[string]string), said: make(map[notice]bool), seen: make(map[string]seen)}
}

// seen is when the last request of a queue's workers was made, by the engine's clock, and noticed, by ours.
type seen struct{ made, noticed time.Time }

// begins warns, unless it did so before.
func (n *notices) begins(queue string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if what := (notice{queue, fault.CodeOf(err)}); !n.said[what] {
		n.said[what] = true
		n.log.Warn().Err(err).Str("code", string(what.code)).Str("hint", fault.HintOf(err)).Msg("sessions wait")
	}
}

// over says that what was said is over.
func (n *notices) over(queue string, code fault.Code, now string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if what := (notice{queue, code}); n.said[what] {
		delete(n.said, what)
		n.log.Warn().Msg(now)
	}
}

// away says that the engine is away, or, without an error, that it is back.
func (n *notices) away(err error) {
	if err == nil {
		n.over("", project.EngineUnreachable, "the engine responds again")
		return
	}
	n.begins("", &fault.Error{Code: project.EngineUnreachable, Detail: "the engine does not respond; the loop waits for it, and sessions that run continue", Cause: dialled(err)})
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

// fleet knows the workers of queues, and why they return sessions.
type fleet interface {
	asked(ctx context.Context, queue string) (map[string]time.Time, error)
	returned(ctx context.Context, thread string) fault.Code
}

// look says which queues of waiting sessions have no worker, and why workers return a session: any one of each queue.
func (n *notices) look(ctx context.Context, at fleet) {
	n.mu.Lock()
	one := make(map[string]string)
	for thread, name := range n.waiting {
		one[name] = thread
	}
	maps.DeleteFunc(n.said, func(what notice, _ bool) bool { return what.queue != "" && one[what.queue] == "" })
	n.mu.Unlock()
	for name, thread := range one {
		all, err := at.asked(ctx, name)
		switch {
		case err != nil: // said of the engine
			continue
		case n.isGone(name, newest(all)):
			n.begins(name, noWorkers("sessions", name))
			continue
		}
		n.over(name, project.NoWorkers, "a worker takes sessions of "+name+" again")
		if code := at.returned(ctx, thread); code != "" {
			n.begins(name, &fault.Error{Code: code, Detail: "workers return " + thread + " to the queue " + name, Hint: "each of them says why"})
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
