package session

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"brenner/agent"
	"brenner/artifact"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store"
)

// run is one run of a session.
type run struct {
	*Runner
	*ledger
	Store  store.Store // the one that remembers
	common *Common
	frames kickoff.Frames
	rules  merge.Rules
	views  map[string]view.Spec
	agents map[string]agent.Agent
	// current is the artifact as it stands.
	current artifact.Artifact
	// moments are the settlements so far, if they are known; see stalemates.
	moments  []stalemate.Moment
	group    *errgroup.Group
	calls    context.Context // of the calls under way
	cancel   context.CancelFunc
	done     chan outcome
	flying   int
	began    time.Time
	readings readings
	// told is the report that was read last, and toldBy its hash.
	told   *Report
	toldBy string
	// givenUp tells that a call of the open leg was only waiting, and ended because the run
	// goes: whoever resumes the session asks again.
	givenUp bool
	// holds lets steps that nobody outside hears of be stored with the next one.
	holds bool
}

func itoa(n int) string { return strconv.Itoa(n) }

// run executes commands until there are none left.
func (r *Runner) run(ctx context.Context, l *ledger, agents map[string]agent.Agent) (*Result, error) {
	s := &run{
		Runner: r, Store: l.store, ledger: l, agents: agents, group: &errgroup.Group{},
		done: make(chan outcome, 2*len(l.state.Opened.Agents)), began: r.Now(),
		holds: r.Post == nil, // a server is asked and told things at every step
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
	res := &Result{
		State: l.state, Settled: l.state.Commits[before:], Missing: l.state.Missing(), Reason: l.state.Ended, Duration: r.Now().Sub(s.began),
	}
	if err := s.catchUpArtifact(ctx, l.state); err == nil { // else whoever wants it reads it
		res.current = &s.current
	}
	return res, nil
}

// prepare reads what the journal pins.
func (s *run) prepare(ctx context.Context) error {
	opened := &s.state.Opened
	var err error
	if s.rules, err = opened.Merge(); err != nil {
		return err
	}
	if s.common = s.Common; s.common == nil {
		s.common = &Common{}
	}
	if s.frames, err = s.common.framesOf(opened); err != nil {
		return err
	}
	h := s.history()
	if s.views, err = h.views(ctx); err != nil {
		return err
	}
	s.recall()
	s.current, err = h.Artifact(ctx, s.state.Version())
	return err
}

// history is the session as far as this run knows it.
func (s *run) history() *History {
	return &History{Store: s.Store, Thread: s.state.Opened.Thread, State: s.state, common: s.common, readings: s.readings}
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
		if errors.Is(err, errBehind) {
			acted, err = true, s.begunAnew(ctx)
		}
		if err != nil && ctx.Err() != nil {
			return s.abandon(ctx) // it is the end of the run that went wrong, not the run
		}
		if err != nil {
			return s.fail(ctx, err)
		}
		if acted {
			continue
		}
		if s.flying == 0 && why != "" && s.state.Ended == "" {
			err = s.end(ctx, why)
		} else {
			err = s.flush(ctx)
		}
		if errors.Is(err, errBehind) {
			if err = s.begunAnew(ctx); err == nil {
				continue
			}
		}
		switch {
		case err != nil:
			return s.fail(ctx, err)
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
			if why != "" && s.givenUp { // enough have answered, but not all who would
				return false, nil
			}
			if err = s.settle(ctx); err == nil {
				err = s.afterwards(ctx)
			}
		case flow.Publish:
			if why != "" {
				return false, nil
			}
			err = s.publish(ctx)
		case flow.End:
			err = s.end(ctx, endOf(c.Reason, why))
		}
		return err == nil, err
	}
	if s.flying > 0 { // else nobody has spent what the state does not know
		asks = s.Allowance.afforded(s.state, asks)
	}
	if len(asks) == 0 {
		return false, nil
	}
	return true, s.ask(ctx, asks)
}

// endOf gives the reason of an end that the rules command while the run is stopping, for
// why: who was stopped did not fail, but who had nothing left to do is done.
func endOf(rule, why string) string {
	switch rule {
	case flow.EndRounds, flow.EndQuiet, flow.EndClean:
		return rule
	}
	return cmp.Or(why, rule)
}

// afterwards does what follows when answers were merged: what they say about records,
// and a look at what the session is stuck on. If somebody else writes meanwhile, it looks
// again: the round may have to be settled anew first, and then nothing follows yet.
func (s *run) afterwards(ctx context.Context) error {
	for {
		err := s.patches(ctx)
		if err == nil {
			err = s.stalemates(ctx)
		}
		if !errors.Is(err, errBehind) {
			return err
		}
		if err := s.begunAnew(ctx); err != nil {
			return err
		}
	}
}

// put journals a step that nobody outside hears of.
func (s *run) put(ctx context.Context, prepare func(*flow.State) (*draft, error)) error {
	if s.holds {
		return s.keep(prepare)
	}
	return s.write(ctx, prepare)
}

// begunAnew reads the artifact after somebody else has written to the journal. Its
// version says nothing here: one that was held had that number, too.
func (s *run) begunAnew(ctx context.Context) (err error) {
	s.moments = nil
	s.current, err = s.history().Artifact(ctx, s.state.Version())
	return err
}

// wait waits for a call to end. Those that have ended as well are recorded with it.
func (s *run) wait(ctx context.Context) error {
	select {
	case o := <-s.done:
		all := []outcome{o}
		for more := true; more; {
			select {
			case o := <-s.done:
				all = append(all, o)
			default:
				more = false
			}
		}
		s.flying -= len(all)
		if !s.holds || s.stopping() != "" || ctx.Err() != nil {
			return s.record(ctx, all...)
		}
		return s.recordAndAsk(ctx, all...)
	case <-ctx.Done():
		return nil
	}
}

// end journals the end of the run. If somebody else was faster, it is not the end yet:
// the last round, which may have been held, is to be settled anew.
func (s *run) end(ctx context.Context, reason string) error {
	return s.note(ctx, flow.KindEnded, flow.Ended{Reason: reason})
}

// abandon is the end without grace: calls under way are cancelled, and what they
// had answered by then is kept.
func (s *run) abandon(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := s.flush(ctx); err != nil && !errors.Is(err, errBehind) { // what is not stored after all will be made again
		return s.fail(ctx, err)
	}
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
	if lost := s.flush(context.WithoutCancel(ctx)); lost != nil {
		s.Log.Warn().Err(lost).Msg("the last steps could not be stored; they will be made again")
	}
	for ; s.flying > 0; s.flying-- {
		if o := <-s.done; o.err == nil {
			if lost := s.record(ctx, o); lost != nil {
				s.Log.Warn().Err(lost).Str("call", o.call.ID).Msg("an answer could not be stored; it will be asked for again")
			}
		}
	}
	return err
}
