package simulation

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"brenner/loop"
	"brenner/loop/runner"
)

// engine delivers tasks to workers: at least once, again if no heartbeat comes, and again after an error. It is only
// used between steps, so it needs no lock.
type engine struct {
	world *world
	tasks map[string]*task
	down  atomic.Int64 // until then it does not answer; broken programs look between steps
}

func (e *engine) isDown() bool { return time.Now().UnixNano() < e.down.Load() }

// task is a loop or a session that a worker shall run.
type task struct {
	name     string // of the session's thread; empty for the loop
	open     bool   // it was started, and is not done
	runs     int    // deliveries
	on       int    // the delivery that runs; 0 means none
	beat     time.Time
	from     time.Time // not delivered before
	backoff  time.Duration
	canceled bool
}

// heartbeat is after how long without one a task is delivered again.
const heartbeat = 30 * time.Second

// reach takes a step on the engine, and waits while it cannot be reached.
func (e *engine) reach(ctx context.Context, p *process, format string, args ...any) error {
	for {
		switch {
		case !e.world.await(p, format, args...):
			return errKilled
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !e.isDown() && !p.alone.After(time.Now()):
			return nil
		}
		time.Sleep(odd(2 * time.Second))
	}
}

// start starts a task unless it is open.
func (e *engine) start(name string) {
	t, ok := e.tasks[name]
	if !ok {
		t = &task{name: name}
		e.tasks[name] = t
	}
	if !t.open {
		t.open, t.on, t.backoff, t.canceled, t.from = true, 0, 0, false, time.Time{}
	}
}

// next returns a task for a worker; nil if there is none.
func (e *engine) next() *task {
	for _, name := range slices.Sorted(maps.Keys(e.tasks)) {
		t := e.tasks[name]
		if t.open && (t.on == 0 && !t.from.After(time.Now()) || t.on != 0 && time.Since(t.beat) >= heartbeat) {
			t.runs++
			t.on, t.beat = t.runs, time.Now()
			return t
		}
	}
	return nil
}

// finish ends a delivery. The task is done, or is delivered again later.
func (t *task) finish(run int, err error) {
	if t.on != run {
		return // it was delivered again
	}
	t.on = 0
	if err == nil {
		t.open = false
		return
	}
	t.backoff = min(max(2*t.backoff, time.Second), time.Minute)
	t.from = time.Now().Add(t.backoff)
}

// place is the engine as the process of a loop uses it.
type place struct {
	world   *world
	process *process
}

// Run implements runner.Place.
func (p *place) Run(ctx context.Context, c loop.Run) error {
	e, asked := p.world.engine, false
	always := context.WithoutCancel(ctx)
	if err := e.reach(ctx, p.process, "start %s", c.Thread); err != nil {
		return err
	}
	e.start(c.Thread)
	for {
		select {
		case <-time.After(odd(3 * time.Second)):
		case <-ctx.Done():
			if context.Cause(ctx) == runner.ErrDetached { //nolint:errorlint // the cause itself
				return runner.ErrDetached
			}
			if asked {
				time.Sleep(odd(3 * time.Second))
			}
		}
		if p.world.hasty && e.isDown() {
			return errors.New("the engine is down")
		}
		if err := e.reach(always, p.process, "ask for %s", c.Thread); err != nil {
			return err
		}
		t := e.tasks[c.Thread]
		if !t.open {
			return nil
		}
		if ctx.Err() != nil {
			asked, t.canceled = true, true
			if t.on == 0 { // no worker runs it
				t.open = false
				return ctx.Err()
			}
		}
	}
}
