package runner

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/store"
)

// run is one run of a loop.
type run struct {
	*Runner
	*ledger
	group  errgroup.Group
	work   context.Context // of running sessions
	cancel context.CancelFunc
	// drain, when closed, lets the calls of all sessions finish.
	drain   chan struct{}
	drained bool
	// placing is the context of placed sessions.
	placing  context.Context
	detach   context.CancelCauseFunc
	done     chan outcome
	replied  chan int // jobs that got a reply during an outage
	inFlight int
	opened   loop.Opened // a copy for the goroutines of sessions
}

// outcome is the outcome of one session.
type outcome struct {
	settled  loop.Settled
	err      error // of the store; ends the run
	detached bool  // another process runs the loop, and follows the session
}

// run executes commands until none remain.
func (r *Runner) run(ctx context.Context, l *ledger) (*loop.State, error) {
	n := &run{
		Runner: r, ledger: l, drain: make(chan struct{}), done: make(chan outcome), replied: make(chan int, 1),
		opened: l.state.Opened,
	}
	n.work, n.cancel = context.WithCancel(ctx)
	defer n.cancel()
	n.placing, n.detach = context.WithCancelCause(n.work)
	if n.Place != nil {
		n.adopt()
	}
	err := n.loop(ctx)
	_ = n.group.Wait() // never fails: outcomes go through the channel
	return l.state, err
}

// loop executes the commands of the state machine and journals their outcomes.
func (n *run) loop(ctx context.Context) error {
	for {
		if n.isLost() {
			return n.surrender(ctx, heldError(n.state, "the lease of loop "+n.state.Opened.Name+" could not be renewed in time; this run stops"))
		}
		leaving := n.leaving(ctx)
		if leaving {
			n.drainAll()
		}
		if leaving && n.inFlight == 0 {
			return n.leave(context.WithoutCancel(ctx))
		}
		var commands []loop.Command
		if !leaving {
			commands = loop.Next(n.state, n.Runner.Now())
		}
		storing := ctx
		if leaving {
			storing = context.WithoutCancel(ctx) // outcomes are stored even after cancellation
		}
		acted, until, err := n.act(storing, commands)
		switch {
		case errors.Is(err, errBehind) || err != nil && storing.Err() != nil:
			continue // the journal has moved, or the run was cancelled
		case err != nil:
			return n.quit(ctx, err)
		case acted:
			continue
		case n.state.Ended != "" && n.inFlight == 0:
			return nil
		}
		if err := n.wait(ctx, until); err != nil {
			return n.quit(ctx, err)
		}
	}
}

// leave journals the end of the run, with the outcomes of its last sessions.
func (n *run) leave(ctx context.Context) error {
	err := n.keepFact(loop.KindLeft, loop.Left{Reason: "interrupted"})
	for err == nil {
		if err = n.flush(ctx); err == nil {
			return nil
		}
		if errors.Is(err, errBehind) {
			err = nil // the event is held again, after the other process's entries
		}
	}
	return err
}

// isLost reports whether the run has lost its lease before the loop ended.
func (n *run) isLost() bool {
	select {
	case <-n.lost:
		return n.state.Ended == ""
	default:
		return false
	}
}

// quit ends a run because of an error.
func (n *run) quit(ctx context.Context, err error) error {
	if fault.CodeOf(err) == store.Held { // another process runs the loop
		return n.surrender(ctx, err)
	}
	return n.fail(err)
}

// surrender ends a run that another process continues, or may continue: it lets the calls in flight finish. If another
// process has taken the loop over, that process reads the outcomes from the sessions' journals.
func (n *run) surrender(ctx context.Context, why error) error {
	n.detach(ErrDetached)
	n.drainAll()
	var unstored error
	for n.inFlight > 0 {
		o := <-n.done
		n.inFlight--
		if o.err == nil && !o.detached {
			unstored = errors.Join(unstored, n.keepFact(loop.KindSettled, o.settled))
		}
	}
	if err := errors.Join(unstored, n.flush(context.WithoutCancel(ctx))); err != nil {
		n.Log.Warn().Err(err).Msg("cannot store the outcomes of sessions; the next run reads them from their journals")
	}
	return why
}

// overtakenError returns the error of a run whose loop another process has resumed.
func overtakenError(s *loop.State) error {
	return heldError(s, "another process is running loop "+s.Opened.Name+"; this run stops")
}

func heldError(s *loop.State, detail string) error {
	return &fault.Error{
		Code: store.Held, Detail: detail,
		Hint: "`brenner loop status " + s.Opened.Name + "` shows its progress; the same command continues it once no other process runs it",
	}
}

// leaving reports whether the run was asked to stop.
func (n *run) leaving(ctx context.Context) bool {
	select {
	case <-n.Drain:
		return true
	default:
		return ctx.Err() != nil
	}
}

func (n *run) drainAll() {
	if !n.drained {
		n.drained = true
		close(n.drain)
		n.detach(nil)
	}
}

// act executes commands. It reports whether there was anything to do, or until when to
// wait. Reservations are stored before their sessions start, together with earlier events.
func (n *run) act(ctx context.Context, commands []loop.Command) (acted bool, until time.Time, err error) {
	var begin []loop.Run
	for _, c := range commands {
		switch c := c.(type) {
		case loop.OpenRound:
			err = n.keep(loop.KindRound, loop.RoundOpened(c))
		case loop.Run:
			begin = append(begin, c)
			began := loop.Began{Job: c.Job.Number, Thread: c.Thread, Base: c.Base, Reserved: c.Reserve.Tokens, ReservedUSD: c.Reserve.USD}
			if began.After, err = n.after(ctx, &c); err == nil {
				err = n.keep(loop.KindBegan, began)
			}
		case loop.Skip:
			err = n.keep(loop.KindSettled, loop.Settled{Job: c.Job.Number, Outcome: loop.Skipped, Code: c.Cause.Code, Detail: c.Cause.Detail})
		case loop.End:
			err = n.keep(loop.KindEnded, loop.Ended(c))
		case loop.Drain:
			n.drainAll()
			continue
		case loop.Wait:
			until = c.Until
			continue
		}
		if err != nil {
			return false, until, err
		}
		acted = true
	}
	if !acted || len(begin) > 0 {
		err = n.flush(ctx)
	}
	if err == nil {
		n.begin(begin)
	}
	return acted, until, err
}

// begin starts sessions.
func (n *run) begin(all []loop.Run) {
	work, follow := n.state.Work, n.state.Limits.Quiet > 0
	for _, c := range all {
		n.inFlight++
		n.group.Go(func() error {
			n.done <- n.session(n.work, &work, c, follow)
			return nil
		})
	}
}

// poll returns how often to check for changes by other processes.
func (r *Runner) poll() time.Duration {
	if r.Poll <= 0 {
		return 500 * time.Millisecond
	}
	return r.Poll
}

// wait waits for a session to end, for an instant, or for a request of the operator.
func (n *run) wait(ctx context.Context, until time.Time) error {
	ticker := time.NewTicker(n.poll())
	defer ticker.Stop()
	var reached <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(until.Sub(n.Runner.Now()))
		defer timer.Stop()
		reached = timer.C
	}
	leave := n.Drain
	if n.drained {
		leave = nil // already handled
	}
	for {
		select {
		case o := <-n.done:
			return n.settle(o)
		case job := <-n.replied:
			if !n.state.Probes(job) {
				continue // not its first reply
			}
			return n.keepFact(loop.KindReached, loop.Reached{Job: job})
		case <-reached:
			return nil
		case <-leave:
			return nil
		case <-n.lost:
			return nil
		case <-ctx.Done():
			if n.inFlight > 0 {
				return n.settle(<-n.done)
			}
			return nil
		case <-ticker.C:
			if n.isLost() || n.leaving(ctx) { // several cases may have been ready, and select picks at random
				return nil
			}
			before := n.state.Head.Seq
			if err := n.writer.Refresh(ctx); err != nil && ctx.Err() == nil {
				return err
			}
			// Timers do not count the time a machine slept; the clock does.
			if n.state.Head.Seq != before || !until.IsZero() && !n.Runner.Now().Before(until) {
				return nil
			}
		}
	}
}

// settle records the outcome of a session, and of all others that have ended by now.
func (n *run) settle(o outcome) error {
	for {
		n.inFlight--
		switch {
		case o.err != nil:
			return o.err
		case o.detached:
			return nil
		}
		if err := n.keepFact(loop.KindSettled, o.settled); err != nil {
			return err
		}
		select {
		case o = <-n.done:
		default:
			return nil
		}
	}
}

// fail ends a run that cannot continue. The results of running sessions are in their own
// journals.
func (n *run) fail(err error) error {
	n.cancel()
	for ; n.inFlight > 0; n.inFlight-- {
		<-n.done
	}
	return err
}
