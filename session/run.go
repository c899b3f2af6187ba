package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"brenner/agent"
	"brenner/artifact"
	"brenner/flow"
	"brenner/merge"
	"brenner/stalemate"
	"brenner/view"
)

// run is one run of a session.
type run struct {
	*Runner
	*ledger
	rules  merge.Rules
	views  map[string]view.Spec
	agents map[string]agent.Agent
	// current is the artifact as it stands.
	current artifact.Artifact
	// moments are the settlements so far, if they are known; see stalemates.
	moments []stalemate.Moment
	group   *errgroup.Group
	calls   context.Context // of the calls under way
	cancel  context.CancelFunc
	done    chan outcome
	flying  int
	began   time.Time
}

func itoa(n int) string { return strconv.Itoa(n) }

// run executes commands until there are none left.
func (r *Runner) run(ctx context.Context, l *ledger, agents map[string]agent.Agent) (*Result, error) {
	s := &run{
		Runner: r, ledger: l, agents: agents, group: &errgroup.Group{},
		done: make(chan outcome, 2*len(l.state.Opened.Agents)), began: r.Now(),
	}
	before := len(l.state.Commits)
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	s.calls, s.cancel = s.deadline(ctx)
	defer s.cancel()
	err := s.afterwards(ctx) // what a run that was killed did not come to
	if err == nil {
		err = s.loop(ctx)
	}
	_ = s.group.Wait() // nothing in it gives an error: all outcomes went through the channel
	if err != nil {
		return nil, err
	}
	return &Result{
		State: l.state, Settled: l.state.Commits[before:], Missing: l.state.Missing(), Reason: l.state.Ended, Duration: r.Now().Sub(s.began),
	}, nil
}

// prepare reads what the journal pins.
func (s *run) prepare(ctx context.Context) error {
	opened := &s.state.Opened
	var err error
	if s.rules, err = opened.Merge(); err != nil {
		return err
	}
	h := &History{Store: s.Store, Thread: opened.Thread, State: s.state}
	if s.views, err = h.views(ctx); err != nil {
		return err
	}
	s.recall()
	s.current, err = h.Artifact(ctx, s.state.Version())
	return err
}

// loop is the whole of a run: what flow commands is done, and what comes of it is
// journaled. Stopping is gentle at first: calls under way may end.
func (s *run) loop(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return s.abandon(ctx)
		}
		why := s.stopping()
		acted, err := s.act(ctx, flow.Next(s.state), why)
		if err != nil && ctx.Err() != nil {
			return s.abandon(ctx) // it is the end of the run that went wrong, not the run
		}
		if err != nil {
			return s.fail(ctx, err)
		}
		switch {
		case acted:
			continue
		case s.flying == 0 && why != "" && s.state.Ended == "":
			return s.end(ctx, why)
		case s.flying == 0:
			return nil
		}
		if err := s.wait(ctx); err != nil {
			return s.fail(ctx, err)
		}
	}
}

// deadline gives the context of the calls: it ends when the run should.
func (s *run) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Deadline <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Deadline)
}

// stopping says why no more calls should begin, or "".
func (s *run) stopping() string {
	select {
	case <-s.Drain:
		return flow.EndInterrupted
	default:
	}
	if errors.Is(s.calls.Err(), context.DeadlineExceeded) {
		return flow.EndTime
	}
	return ""
}

// act executes commands, and tells whether there was anything to do.
func (s *run) act(ctx context.Context, commands []flow.Command, why string) (bool, error) {
	var asks []flow.Ask
	for _, c := range commands {
		var err error
		switch c := c.(type) {
		case flow.Ask:
			if why == "" {
				asks = append(asks, c)
			}
			continue
		case flow.Brief:
			err = s.brief(ctx)
		case flow.Plan:
			if why != "" {
				return false, nil
			}
			err = s.plan(ctx, c)
		case flow.Settle:
			if err = s.settle(ctx); err == nil {
				err = s.afterwards(ctx)
			}
		case flow.Publish:
			if why != "" {
				return false, nil
			}
			err = s.publish(ctx)
		case flow.End:
			if why != "" { // whoever was stopped did not fail
				c.Reason = why
			}
			err = s.end(ctx, c.Reason)
		}
		return err == nil, err
	}
	if len(asks) == 0 {
		return false, nil
	}
	return true, s.ask(ctx, asks)
}

// afterwards does what follows when answers were merged: what they say about records,
// and a look at what the session is stuck on.
func (s *run) afterwards(ctx context.Context) error {
	if err := s.patches(ctx); err != nil {
		return err
	}
	return s.stalemates(ctx)
}

// wait waits for a call to end.
func (s *run) wait(ctx context.Context) error {
	select {
	case o := <-s.done:
		s.flying--
		return s.record(ctx, o)
	case <-ctx.Done():
		return nil
	}
}

// end journals the end of the run.
func (s *run) end(ctx context.Context, reason string) error {
	return s.note(ctx, flow.KindEnded, flow.Ended{Reason: reason})
}

// abandon is the end without grace: calls under way are cancelled, and what they
// had answered by then is kept.
func (s *run) abandon(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for ; s.flying > 0; s.flying-- {
		// Those without an answer are kept as well: they may have cost something.
		if err := s.record(ctx, <-s.done); err != nil {
			return err
		}
	}
	return s.end(ctx, flow.EndInterrupted)
}

// fail ends a run that cannot go on. What the calls under way have answered by now
// is kept if that can be done at all.
func (s *run) fail(ctx context.Context, err error) error {
	s.cancel()
	for ; s.flying > 0; s.flying-- {
		if o := <-s.done; o.err == nil {
			if lost := s.record(ctx, o); lost != nil {
				s.Log.Warn().Err(lost).Str("call", o.call.ID).Msg("an answer could not be stored; it will be asked for again")
			}
		}
	}
	return err
}
