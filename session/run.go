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
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store"
)

type run struct {
	*Runner
	*ledger
	agents map[string]agent.Agent
	began  time.Time

	// Fixed when the session was opened; read once from the journal.
	common *Common
	roster roster.Roster
	rules  merge.Rules
	views  map[string]view.Spec
	pieces []piece // texts that all agents read

	// Derived from the current state: reload reads it, and every step updates it.
	current       artifact.Artifact
	moments       []stalemate.Moment // the settlements so far, if known; see stalemates
	conversations []conversation     // of the open leg
	report        *Report            // of the last commit of this run
	settled       *settle.Settlement // the same
	reported      string             // its hash

	// lost, if not nil, is closed when the run has lost its lease. drain is closed then, and with Drain.
	lost, drain <-chan struct{}

	group    *errgroup.Group
	calls    context.Context // of the calls in flight
	cancel   context.CancelFunc
	done     chan outcome
	inFlight int
	// interrupted reports whether a call of the open leg gave up a retry because the run stops. A
	// resumed run asks again.
	interrupted bool
	// mayHold allows internal steps to be stored together with the next one.
	mayHold bool
}

func itoa(n int) string { return strconv.Itoa(n) }

func (r *Runner) run(ctx context.Context, l *ledger, agents map[string]agent.Agent, lease store.Lease) (*Result, error) {
	over, end := context.WithCancel(ctx)
	defer end()
	s := &run{
		Runner: r, ledger: l, agents: agents, group: &errgroup.Group{}, lost: lease.Lost(), drain: merged(over, r.Drain, lease.Lost()),
		done: make(chan outcome, 2*len(l.state.Opened.Agents)), began: r.Now(),
		mayHold: r.Mail == nil, // a mail server is involved at every step
	}
	before := len(l.state.Commits)
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	s.calls, s.cancel = s.deadline(ctx)
	defer s.cancel()
	err := s.afterMerge(ctx) // in case the previous run was killed before it
	if err == nil {
		err = s.loop(ctx)
	}
	_ = s.group.Wait() // never an error: all outcomes went through the channel
	if err != nil {
		return nil, err
	}
	res := s.result(before)
	if err := s.catchUp(ctx); err == nil { // otherwise the caller reads it from the store
		res.current = &s.current
	}
	return res, nil
}

func (s *run) result(before int) *Result {
	return &Result{
		State: s.state, Settled: s.state.Commits[before:], Missing: s.state.Missing(), Reason: s.state.Ended, Duration: s.Now().Sub(s.began),
	}
}

// prepare reads the session's fixed inputs and its current state.
func (s *run) prepare(ctx context.Context) error {
	opened := &s.state.Opened
	var err error
	if s.rules, err = opened.MergeRules(); err != nil {
		return err
	}
	if s.roster, err = rosterOf(opened); err != nil {
		return err
	}
	if s.common = s.Common; s.common == nil {
		s.common = &Common{}
	}
	h := s.history()
	if s.views, err = h.views(ctx); err != nil {
		return err
	}
	if s.pieces, err = h.pieces(ctx); err != nil {
		return err
	}
	s.restoreMail()
	return s.reload(ctx)
}

func (s *run) history() *History {
	return &History{Store: s.store, Thread: s.state.Opened.Thread, State: s.state, common: s.common, rules: &s.rules, project: s.Project}
}

// reload reads everything derived from the current state, at the start and after another process
// has written to the journal.
func (s *run) reload(ctx context.Context) (err error) {
	h := s.history()
	s.moments, s.report, s.reported = nil, nil, ""
	if s.current, err = h.Artifact(ctx, s.state.Version()); err != nil {
		return err
	}
	s.conversations, err = h.conversations(ctx, &s.current)
	return err
}

// catchUp reloads if another process wrote a version.
func (s *run) catchUp(ctx context.Context) error {
	if s.current.Metadata.Version == s.state.Version() {
		return nil
	}
	return s.reload(ctx)
}

// loop executes the commands of package flow and journals the results. Stopping is graceful at
// first: calls in flight may end.
func (s *run) loop(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return s.abandon(ctx)
		}
		more, err := s.step(ctx)
		if errors.Is(err, errBehind) {
			more, err = true, s.reload(ctx)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return s.abandon(ctx) // the step was cancelled; it did not fail
		case err != nil:
			return s.fail(ctx, err)
		case !more:
			return nil
		}
	}
}

// step executes the next commands, or else waits for a call. It reports whether the run continues.
func (s *run) step(ctx context.Context) (bool, error) {
	if s.isLost() {
		return false, s.surrender(ctx)
	}
	why := s.stopping()
	acted, err := s.act(ctx, flow.Next(s.state), why)
	switch {
	case acted || err != nil:
		return acted, err
	case s.inFlight == 0 && why != "" && s.state.Ended == "":
		return false, s.end(ctx, why)
	case s.writer.Holding(): // storing may permit more calls
		return true, s.flush(ctx)
	case s.inFlight == 0:
		return false, nil
	}
	return true, s.wait(ctx)
}

// deadline returns the context of the calls, which ends with the run's time limit.
func (s *run) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Deadline <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Deadline)
}

// stopping returns why no more calls should begin, or "".
func (s *run) stopping() string {
	select {
	case <-s.drain:
		return flow.EndInterrupted
	case <-s.lost: // before drain is
		return flow.EndInterrupted
	default:
	}
	if errors.Is(s.calls.Err(), context.DeadlineExceeded) {
		return flow.EndTime
	}
	return ""
}

// act executes commands and reports whether there was anything to do.
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
			if why != "" && s.interrupted { // a quorum has answered, but not all agents
				return false, nil
			}
			if err = s.flush(ctx); err == nil { // an answer is stored before it is used
				err = s.settle(ctx)
			}
			if err == nil {
				err = s.afterMerge(ctx)
			}
		case flow.Publish:
			if why != "" {
				return false, nil
			}
			err = s.publish(ctx)
		case flow.End:
			err = s.end(ctx, endReason(c.Reason, why))
		}
		return err == nil, err
	}
	if s.inFlight > 0 { // otherwise the state has all costs
		asks = s.Allowance.affordable(s.state, asks)
	}
	if len(asks) == 0 {
		return false, nil
	}
	return true, s.ask(ctx, asks)
}

// endReason returns the reason to journal if the rules end a run that is also stopping because of
// why. A session without remaining work is done; otherwise why takes precedence.
func endReason(rule, why string) string {
	switch rule {
	case flow.EndRounds, flow.EndQuiet, flow.EndClean:
		return rule
	}
	return cmp.Or(why, rule)
}

// afterMerge does what follows a merge of answers: it applies patches to records and looks for
// stalemates. If another process writes meanwhile, it starts over, since the round may have to
// be settled again first.
func (s *run) afterMerge(ctx context.Context) error {
	for {
		err := s.patches(ctx)
		if err == nil {
			err = s.stalemates(ctx)
		}
		if !errors.Is(err, errBehind) {
			return err
		}
		if err := s.reload(ctx); err != nil {
			return err
		}
	}
}

// put keeps a draft for the next write if mayHold allows it, and else writes it.
func (s *run) put(ctx context.Context, prepare func(*flow.State) (*draft, error)) error {
	if s.mayHold {
		return s.keep(prepare)
	}
	return s.write(ctx, prepare)
}

// wait waits for a call to end and records it with all others that have ended.
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
		s.inFlight -= len(all)
		return s.recordOutcomes(ctx, all...)
	case <-ctx.Done():
		return nil
	}
}

// end journals the end of the run. If another process wrote first, it is not the end yet: the
// last round may have been held and must be settled again.
func (s *run) end(ctx context.Context, reason string) error {
	return s.writeEvent(ctx, flow.KindEnded, flow.Ended{Reason: reason})
}

// abandon cancels calls in flight and keeps replies already received. Other held drafts are
// made again if another process wrote first.
func (s *run) abandon(ctx context.Context) error {
	for ; s.inFlight > 0; s.inFlight-- {
		// Failed calls are recorded, too: they may have a cost.
		if err := s.recordOutcomes(ctx, <-s.done); err != nil {
			return s.fail(ctx, err)
		}
	}
	if s.isLost() {
		return s.fail(ctx, s.lostError())
	}
	for {
		if err := s.end(ctx, flow.EndInterrupted); !errors.Is(err, errBehind) {
			return err
		}
	}
}

// fail ends a run that cannot continue. It keeps the replies received so far if possible. A session
// of which nothing is stored leaves no trace: nothing was sent.
func (s *run) fail(ctx context.Context, err error) error {
	if s.unstored {
		return err
	}
	s.cancel()
	for ; s.inFlight > 0; s.inFlight-- {
		if o := <-s.done; o.err == nil {
			if lost := s.recordOutcomes(ctx, o); lost != nil {
				s.Log.Warn().Err(lost).Str("call", o.call.ID).Msg("cannot store a reply; the agent will be asked again")
			}
		}
	}
	lost := errBehind
	for errors.Is(lost, errBehind) {
		lost = s.flush(context.WithoutCancel(ctx))
	}
	if lost != nil && fault.CodeOf(err) != store.Lost { // that error says it all
		s.Log.Warn().Err(lost).Msg("cannot store the last steps; they will be repeated")
	}
	return err
}
