package runner

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"brenner/loop"
)

// run is one run of a loop.
type run struct {
	*Runner
	*ledger
	group  errgroup.Group
	work   context.Context // of the sessions under way
	cancel context.CancelFunc
	// drain lets the calls of all sessions end; it is closed once.
	drain   chan struct{}
	drained bool
	done    chan outcome
	flying  int
}

// outcome is what came of one session.
type outcome struct {
	settled loop.Settled
	err     error // of the store: nothing more can be done
}

// run executes commands until there are none left.
func (r *Runner) run(ctx context.Context, l *ledger) (*loop.State, error) {
	n := &run{Runner: r, ledger: l, drain: make(chan struct{}), done: make(chan outcome)}
	n.work, n.cancel = context.WithCancel(ctx)
	defer n.cancel()
	err := n.loop(ctx)
	_ = n.group.Wait() // nothing in it gives an error: all outcomes went through the channel
	return l.state, err
}

// loop is the whole of a run: what the machine commands is done, and what comes of
// it is journaled.
func (n *run) loop(ctx context.Context) error {
	for {
		leaving := n.leaving(ctx)
		if leaving {
			n.drainAll()
		}
		if leaving && n.flying == 0 {
			return n.note(context.WithoutCancel(ctx), loop.KindLeft, loop.Left{Reason: "interrupted"})
		}
		var commands []loop.Command
		if !leaving {
			commands = loop.Next(n.state, n.Runner.Now())
		}
		acted, until, err := n.act(ctx, commands)
		switch {
		case err != nil && ctx.Err() != nil:
			continue // it is the end of the run that went wrong, not the run
		case err != nil:
			return n.fail(err)
		case acted:
			continue
		case n.state.Ended != "" && n.flying == 0:
			return nil
		}
		if err := n.wait(ctx, until); err != nil {
			return n.fail(err)
		}
	}
}

// leaving tells whether somebody wants this run to go.
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
	}
}

// act executes commands, and tells whether there was anything to do, or until when
// there is nothing.
func (n *run) act(ctx context.Context, commands []loop.Command) (acted bool, until time.Time, err error) {
	for _, c := range commands {
		switch c := c.(type) {
		case loop.OpenRound:
			err = n.note(ctx, loop.KindRound, loop.RoundOpened(c))
		case loop.Run:
			err = n.begin(ctx, c)
		case loop.Skip:
			err = n.note(ctx, loop.KindSettled, loop.Settled{
				Job: c.Job.Number, Outcome: loop.Skipped, Detail: "the session that it was to follow came to nothing",
			})
		case loop.End:
			err = n.note(ctx, loop.KindEnded, loop.Ended(c))
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
	return acted, until, nil
}

// begin journals that a session begins, and what is set aside for it, and then
// runs it.
func (n *run) begin(ctx context.Context, c loop.Run) error {
	err := n.note(ctx, loop.KindBegan, loop.Began{
		Job: c.Job.Number, Thread: c.Thread, Base: c.Base, Reserved: c.Reserve.Tokens, ReservedUSD: c.Reserve.USD,
	})
	if err != nil {
		return err
	}
	work, follow := n.state.Work, n.state.Limits.Quiet > 0
	n.flying++
	n.group.Go(func() error {
		n.done <- n.session(n.work, &work, c, follow)
		return nil
	})
	return nil
}

// wait waits for a session to end, for an instant, or for a person's word.
func (n *run) wait(ctx context.Context, until time.Time) error {
	poll := n.Poll
	if poll <= 0 {
		poll = 500 * time.Millisecond
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	var reached <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(until.Sub(n.Runner.Now()))
		defer timer.Stop()
		reached = timer.C
	}
	leave := n.Drain
	if n.drained {
		leave = nil // it is known
	}
	for {
		select {
		case o := <-n.done:
			return n.settle(ctx, o)
		case <-reached:
			return nil
		case <-leave:
			return nil
		case <-ctx.Done():
			if n.flying > 0 {
				return n.settle(ctx, <-n.done)
			}
			return nil
		case <-ticker.C:
			before := n.state.Head.Seq
			if err := n.catchUp(ctx); err != nil && ctx.Err() == nil {
				return err
			}
			// A machine that slept wakes up late: timers do not count that, the clock does.
			if n.state.Head.Seq != before || !until.IsZero() && !n.Runner.Now().Before(until) {
				return nil
			}
		}
	}
}

// settle journals what came of a session.
func (n *run) settle(ctx context.Context, o outcome) error {
	n.flying--
	if o.err != nil {
		return o.err
	}
	return n.note(context.WithoutCancel(ctx), loop.KindSettled, o.settled) // it is kept, whatever else ends
}

// fail ends a run that cannot go on. What sessions under way have come to is in
// their own journals.
func (n *run) fail(err error) error {
	n.cancel()
	for ; n.flying > 0; n.flying-- {
		<-n.done
	}
	return err
}
