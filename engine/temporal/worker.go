package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"brenner/project"
)

// WorkerOptions configure a worker.
type WorkerOptions struct {
	AtOnce int      // sessions, at most
	Tags   []string // what this machine has for rosters that need it
	Loops  bool     // also run loops
	Doing  string   // shown to other processes that want a session
	Beat   time.Duration
	Ready  func(project string, queues []string) // called when it takes work
	Say    func(name, what string)               // what becomes of a session or loop here
	Away   func(error)                           // called when the engine is away, and with nil when it is back
}

// Work runs sessions, and loops, until drain is closed and what runs has stopped after its calls in flight.
func (e *Engine) Work(ctx context.Context, p *project.Project, o WorkerOptions, drain <-chan struct{}) error {
	says := newSaid(o.Say)
	w, err := p.Worker(ctx, project.WorkerOptions{Sessions: o.AtOnce, Doing: o.Doing, Began: says.begun})
	if err != nil {
		return err
	}
	defer w.Close()
	of, end := e.Places()
	defer end()
	a := &activities{
		slots: newSlots(o.AtOnce), hard: ctx, drain: drain, beat: o.Beat, tell: tellEngine(e.client), said: says,
		advance: func(ctx context.Context, drain <-chan struct{}, s Session) error {
			return w.Advance(ctx, drain, s.Loop, s.Thread)
		},
		run: func(ctx context.Context, drain <-chan struct{}, l Loop) error {
			return runStored(ctx, w, says, l, project.LoopOptions{Key: l.Key, Doing: o.Doing, Place: of, At: Submitted}, drain)
		},
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go watch(watching, o.Beat/3, e.responds, func(err error) {
		if err != nil {
			err = unreachable(err)
		}
		o.Away(err)
	})
	return e.serve(a, o, drain)
}

// runStored runs a loop to its end.
func runStored(ctx context.Context, w *project.Worker, says *said, l Loop, o project.LoopOptions, drain <-chan struct{}) error {
	job, err := w.StoredLoop(ctx, l.Loop, o)
	if err != nil {
		return err
	}
	defer job.Close()
	says.begun(l.Loop)
	r, err := job.Run(ctx, drain)
	if err == nil && r.Interrupted {
		err = drained(job.Name())
	}
	return err
}

// serve takes work from the queues until drain is closed.
func (e *Engine) serve(a *activities, o WorkerOptions, drain <-chan struct{}) error {
	broken := make(chan error, 1)
	var all []worker.Worker
	var names []string
	add := func(tag string, supply worker.SlotSupplier, name string, do any) error {
		w, err := e.worker(queue(e.fleet, tag), supply, broken)
		if err != nil {
			return err
		}
		flows := workflows{o.Beat}
		w.RegisterWorkflowWithOptions(flows.session, workflow.RegisterOptions{Name: sessionWorkflow})
		w.RegisterWorkflowWithOptions(flows.loop, workflow.RegisterOptions{Name: loopWorkflow})
		w.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
		all, names = append(all, w), append(names, queue(e.fleet, tag))
		return nil
	}
	for _, tag := range uniqueTags(o.Tags) {
		if err := add(tag, &ofQueue{slots: a.slots}, sessionActivity, a.session); err != nil {
			return err
		}
	}
	if o.Loops {
		if err := add(loops, &ofQueue{slots: newSlots(mostLoops)}, loopActivity, a.loop); err != nil {
			return err
		}
	}
	var started []worker.Worker
	defer func() {
		var stopping sync.WaitGroup
		for _, w := range started {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
	}()
	for _, w := range all {
		if err := w.Start(); err != nil {
			return err
		}
		started = append(started, w)
	}
	if o.Ready != nil {
		o.Ready(e.fleet.Project, names)
	}
	select {
	case <-drain:
		return nil
	case err := <-broken:
		return err
	}
}

// mostLoops is the number of loops that a worker runs at once. A loop only waits for its sessions.
const mostLoops = 16

func (e *Engine) worker(queue string, supply worker.SlotSupplier, broken chan<- error) (worker.Worker, error) {
	const many = 100 // workflow tasks take no time
	plain, err := worker.NewFixedSizeSlotSupplier(many)
	if err != nil {
		return nil, err
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier: plain, ActivitySlotSupplier: supply, LocalActivitySlotSupplier: plain, NexusSlotSupplier: plain, SessionActivitySlotSupplier: plain,
	})
	if err != nil {
		return nil, err
	}
	return worker.New(e.client, queue, worker.Options{
		Tuner: tuner, DisableEagerActivities: true, WorkerStopTimeout: longest,
		OnFatalError: func(err error) {
			select {
			case broken <- errors.Join(errors.New("the engine refuses this worker"), err):
			default:
			}
		},
	}), nil
}
