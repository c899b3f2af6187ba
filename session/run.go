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
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
)

// run is one run of a session.
type run struct {
	*Runner
	*ledger
	agents map[string]agent.Agent
	began  time.Time

	// What the journal pins, read once.
	common  *Common
	frames  kickoff.Frames
	roster  roster.Roster
	rules   merge.Rules
	views   map[string]view.Spec
	excerpt string // what every agent is to read

	// What belongs to the state as it is: begin reads it, and every step keeps it up.
	current  artifact.Artifact
	moments  []stalemate.Moment // the settlements so far, if they are known; see stalemates
	talks    []talk             // of the open leg
	report   *Report            // of the last commit of this run
	reported string             // its hash

	group  *errgroup.Group
	calls  context.Context // of the calls under way
	cancel context.CancelFunc
	done   chan outcome
	flying int
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
		Runner: r, ledger: l, agents: agents, group: &errgroup.Group{},
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
	res := s.result(before)
	if err := s.catchUp(ctx); err == nil { // else whoever wants it reads it
		res.current = &s.current
	}
	return res, nil
}

// result is where the session stands, which had so many commits before.
func (s *run) result(before int) *Result {
	return &Result{
		State: s.state, Settled: s.state.Commits[before:], Missing: s.state.Missing(), Reason: s.state.Ended, Duration: s.Now().Sub(s.began),
	}
}

// prepare reads what the journal pins, and where the session stands.
func (s *run) prepare(ctx context.Context) error {
	opened := &s.state.Opened
	var err error
	if s.rules, err = opened.Merge(); err != nil {
		return err
	}
	if s.roster, err = rosterOf(opened); err != nil {
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
	if s.excerpt, err = h.excerpt(ctx); err != nil {
		return err
	}
	s.recall()
	return s.begin(ctx)
}

// history is the session as far as this run knows it.
func (s *run) history() *History {
	return &History{Store: s.store, Thread: s.state.Opened.Thread, State: s.state, common: s.common, rules: &s.rules}
}

// begin reads what belongs to the state as it is: at the beginning, and after somebody
// else has written to the journal.
func (s *run) begin(ctx context.Context) (err error) {
	h := s.history()
	s.moments, s.report, s.reported = nil, nil, ""
	if s.current, err = h.Artifact(ctx, s.state.Version()); err != nil {
		return err
	}
	s.talks, err = h.talks(ctx)
	return err
}

// catchUp begins anew if somebody else wrote a version.
func (s *run) catchUp(ctx context.Context) error {
	if s.current.Metadata.Version == s.state.Version() {
		return nil
	}
	return s.begin(ctx)
}

// loop is the whole of a run: what flow commands is done, and what comes of it is
// journaled. Stopping is gentle at first: calls under way may end.
func (s *run) loop(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return s.abandon(ctx)
		}
		more, err := s.step(ctx)
		if errors.Is(err, errBehind) {
			more, err = true, s.begin(ctx)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return s.abandon(ctx) // it is the end of the run that went wrong, not the run
		case err != nil:
			return s.fail(ctx, err)
		case !more:
			return nil
		}
	}
}

// step does what the state commands, or else waits for a call. It reports whether the
// run goes on.
func (s *run) step(ctx context.Context) (bool, error) {
	why := s.stopping()
	acted, err := s.act(ctx, flow.Next(s.state), why)
	switch {
	case acted || err != nil:
		return acted, err
	case s.flying == 0 && why != "" && s.state.Ended == "":
		return false, s.end(ctx, why)
	case s.writer.Holding(): // what is stored may let more begin
		return true, s.flush(ctx)
	case s.flying == 0:
		return false, nil
	}
	return true, s.wait(ctx)
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
			if err = s.flush(ctx); err == nil { // an answer is stored before it is used
				err = s.settle(ctx)
			}
			if err == nil {
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
		if err := s.begin(ctx); err != nil {
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
		return s.record(all...)
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
// had answered by then is kept. What else is held is made again if somebody else was
// faster.
func (s *run) abandon(ctx context.Context) error {
	for ; s.flying > 0; s.flying-- {
		// Those without an answer are kept as well: they may have cost something.
		if err := s.record(<-s.done); err != nil {
			return s.fail(ctx, err)
		}
	}
	for {
		if err := s.end(ctx, flow.EndInterrupted); !errors.Is(err, errBehind) {
			return err
		}
	}
}

// fail ends a run that cannot go on. What the calls under way have answered by now
// is kept if that can be done at all.
func (s *run) fail(ctx context.Context, err error) error {
	s.cancel()
	for ; s.flying > 0; s.flying-- {
		if o := <-s.done; o.err == nil {
			if lost := s.record(o); lost != nil {
				s.Log.Warn().Err(lost).Str("call", o.call.ID).Msg("an answer could not be stored; it will be asked for again")
			}
		}
	}
	lost := errBehind
	for errors.Is(lost, errBehind) {
		lost = s.flush(context.WithoutCancel(ctx))
	}
	if lost != nil {
		s.Log.Warn().Err(lost).Msg("the last steps could not be stored; they will be made again")
	}
	return err
}
