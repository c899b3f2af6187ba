package loop

import (
	"iter"
	"time"

	"brenner/artifact"
	"brenner/session/flow"
	"brenner/store/journal"
)

// Rules is the version of the rules by which a loop decides. Change it whenever Next
// decides differently for an existing journal: verify checks every decision against the
// rules, and a loop is resumed only with the rules it began with.
const (
	Rules = "loop/3"
	// secondRules let the calls that an outage left without a reply use up a session's budget.
	secondRules = "loop/2"
	// firstRules know no troubles: every failed session counts, and no outage is waited out.
	firstRules = "loop/1"
)

// Command is a step for the runner to execute.
type Command interface{ command() }

// OpenRound opens a round.
type OpenRound struct{ Round int }

// Run starts a session, or resumes one that has begun. Reserve is journaled before that.
type Run struct {
	Job     Job
	Thread  string
	Base    string
	Reserve flow.Cost
	Probe   bool // it asks whether an outage is over
}

// Skip skips a session because what it follows has no result, or because its endpoint was given
// up.
type Skip struct {
	Job   Job
	Cause Cause
}

// Wait waits until an instant, or until something happens.
type Wait struct{ Until time.Time }

// Drain lets the calls of running sessions finish and starts no others.
type Drain struct{}

// End ends the loop.
type End struct{ Reason string }

func (OpenRound) command() {}
func (Run) command()       {}
func (Skip) command()      {}
func (Wait) command()      {}
func (Drain) command()     {}
func (End) command()       {}

// Next returns the commands to execute in a state at an instant. No commands mean: wait for
// a running session or for the operator.
func Next(s *State, now time.Time) []Command {
	if s.Ended != "" || s.Left != "" {
		return nil
	}
	running := s.Count(Running)
	switch reason := s.Rule(now); {
	case reason != "" && running == 0:
		return []Command{End{reason}}
	case reason == EndStopped || reason == EndTime:
		return []Command{Drain{}}
	case reason != "":
		return s.waitUntil(now, time.Time{}) // until running sessions end, or the stop time
	}
	if s.Paused {
		return s.waitUntil(now, time.Time{})
	}
	if s.Hold.After(now) {
		return s.waitUntil(now, s.Hold)
	}
	if s.Round == 0 || s.Open() == 0 {
		return []Command{OpenRound{s.Round + 1}}
	}
	if commands := s.begin(running, now); len(commands) > 0 {
		return commands
	}
	return s.waitUntil(now, s.nextRetry(now))
}

// waitUntil waits for the given instant or the loop's stop time, whichever is earlier.
func (s *State) waitUntil(now, until time.Time) []Command {
	if stop, ok := s.stopTime(); ok && stop.After(now) && (until.IsZero() || stop.Before(until)) {
		until = stop
	}
	if until.IsZero() {
		return nil
	}
	return []Command{Wait{until}}
}

func (s *State) stopTime() (time.Time, bool) {
	at, err := artifact.ParseInstant(s.Limits.Until)
	return at, err == nil
}

// begin returns the sessions that may start now. Failed sessions that wait for a retry keep
// their share of the budget. The zero time ignores such waits.
func (s *State) begin(running int, now time.Time) []Command {
	var commands []Command
	total := s.Spent.Plus(s.Reserved)
	probes := make(map[*Outage]bool)
	for j := range s.waiting() {
		base, ready, lost := s.base(j)
		if lost != nil {
			return []Command{Skip{*j, *lost}}
		}
		if !ready {
			continue
		}
		if cause := s.causeOf(&j.Cell); cause != nil && j.Thread == "" {
			return []Command{Skip{*j, *cause}}
		}
		outage := s.outageOf(&j.Cell)
		away := outage != nil && !now.IsZero() && (outage.probe != 0 || probes[outage] || outage.Next.After(now))
		if away && j.Thread == "" {
			continue
		}
		rest := total.Minus(j.Reserved)
		need := s.need(j, rest)
		after := rest.Plus(need)
		resting := away || !now.IsZero() && s.RetryAt(j).After(now)
		if !resting && running >= s.Limits.Concurrency || !s.affords(after) {
			return commands
		}
		total = after
		if resting {
			continue
		}
		thread := j.Thread
		if thread == "" {
			thread = s.ThreadOf(j)
		}
		start := Run{Job: *j, Thread: thread, Base: base, Reserve: need, Probe: outage != nil}
		start.Job.Sources = s.sources(j)
		commands = append(commands, start)
		if outage != nil {
			probes[outage] = true
		}
		running++
	}
	return commands
}

// waiting yields the waiting jobs, those that have begun first.
func (s *State) waiting() iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		for _, begun := range []bool{true, false} {
			if begun && s.begun == 0 {
				continue
			}
			for i := s.first; i < len(s.Jobs); i++ {
				j := &s.Jobs[i]
				if j.Status == Waiting && (j.Thread != "") == begun && !yield(j) {
					return
				}
			}
		}
	}
}

// base returns the session that a job starts from. It is not ready before that session is
// final, and lost if that session has no replies. A task starts from no session.
func (s *State) base(j *Job) (thread string, ready bool, lost *Cause) {
	if j.Cell.Task != "" {
		ready, lost = s.taskReady(j)
		return "", ready, lost
	}
	needs, ok := s.Job(j.Needs)
	if !ok {
		return j.Base, true, nil
	}
	if !needs.Final() {
		return "", false, nil
	}
	if !needs.Answered() { // it has only its brief
		return "", false, &Cause{Detail: "the session it follows got no replies"}
	}
	return needs.Thread, true, nil
}

// need returns the reservation for a job: what its session may still spend. What calls may have
// cost that got no reply in an outage is added as far as the total budget allows, given the rest
// of the costs; without room for asking once more, the session does not fit.
func (s *State) need(j *Job, rest flow.Cost) flow.Cost {
	full := s.share(j)
	if j.Extra == (flow.Cost{}) {
		return s.afterPreflight(full, rest)
	}
	room := flow.Cost{Tokens: s.Limits.Tokens, USD: s.Limits.USD}.Minus(rest)
	if s.Limits.Tokens > 0 {
		full.Tokens = min(full.Tokens, max(room.Tokens, j.Asking.Tokens))
	}
	if s.Limits.USD > 0 {
		full.USD = min(full.USD, max(room.USD, j.Asking.USD))
	}
	return full
}

// share returns what a job may still spend of its budget, without regard to the total.
func (s *State) share(j *Job) flow.Cost {
	set := &s.Work.Settings
	return flow.Cost{Tokens: set.Budget, USD: set.BudgetUSD}.Plus(j.Extra).Minus(j.Settled.Cost())
}

// afterPreflight returns the share of a session, less what the preflight took of the room for it: no
// session is left out because models were asked first.
func (s *State) afterPreflight(share, rest flow.Cost) flow.Cost {
	if !s.Opened.NotesLost() {
		return share
	}
	asked, over := s.Opened.Preflight.Cost(), rest.Plus(share).Minus(flow.Cost{Tokens: s.Limits.Tokens, USD: s.Limits.USD})
	if s.Limits.Tokens > 0 && over.Tokens <= asked.Tokens && over.Tokens < share.Tokens {
		share.Tokens -= over.Tokens
	}
	if s.Limits.USD > 0 && over.USD <= asked.USD && over.USD < share.USD {
		share.USD -= over.USD
	}
	return share
}

// affords reports whether a total cost is within the limits.
func (s *State) affords(c flow.Cost) bool {
	return c.Within(flow.Cost{Tokens: s.Limits.Tokens, USD: s.Limits.USD})
}

// Rule returns the rule by which the loop ends now, or "".
func (s *State) Rule(now time.Time) string {
	until, timed := s.stopTime()
	switch {
	case s.Stopping != "":
		return EndStopped
	case timed && !now.Before(until):
		return EndTime
	case s.Stopped() != nil:
		return EndCause
	case s.Limits.Person && s.needsPerson > 0:
		return EndPerson
	case s.tooManyFailures():
		return EndFailures
	case s.Round > 0 && s.Open() == 0:
		return s.roundRule()
	case s.budgetExhausted():
		return EndBudget
	}
	return ""
}

func (s *State) tooManyFailures() bool {
	n := s.Count(Broken) - s.ignoredFailures
	return s.Limits.Failures > 0 && n >= s.Limits.Failures || s.Limits.Then == ThenStop && n > 0
}

// roundRule returns the rule by which the loop ends after a complete round, or "".
func (s *State) roundRule() string {
	switch {
	case s.Round >= s.Limits.Rounds:
		return EndRounds
	case s.Limits.Quiet > 0 && s.quiet() >= s.Limits.Quiet:
		return EndQuiet
	case s.Limits.Clean && s.Round > s.ignoredRounds && s.clean():
		return EndClean
	}
	return ""
}

// quiet counts the last rounds without new claims. A round without replies does not count.
func (s *State) quiet() int {
	n := 0
	for round := s.Round; round > s.ignoredRounds && s.news[round] == 0; round-- {
		if s.answered[round] {
			n++
		}
	}
	return n
}

// clean reports whether no session of the round left anything to fix.
func (s *State) clean() bool {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Round == s.Round && (j.Status != Finished || j.Settled.Needs()+j.Settled.Errors+j.Settled.Warnings > 0) {
			return false
		}
	}
	return true
}

// budgetExhausted reports whether nothing runs and the budget allows no further session.
func (s *State) budgetExhausted() bool {
	if s.Limits.Tokens <= 0 && s.Limits.USD <= 0 || s.Round == 0 {
		return false
	}
	return s.Count(Running) == 0 && s.Limits.Concurrency > 0 && len(s.begin(0, time.Time{})) == 0
}

// Bounds of the pause before a failed session is retried.
const (
	maxPause   = 24 * time.Hour // in a plan
	maxBackoff = time.Hour      // pauses do not double beyond this
)

// RetryAt returns when a failed session may be retried, or the zero time if it may start
// immediately. It depends only on the journal, so a killed loop keeps it.
func (s *State) RetryAt(j *Job) time.Time {
	if j.Status != Waiting || j.Settled.Outcome != Failed || j.Failures == 0 {
		return time.Time{}
	}
	first := time.Duration(s.Limits.Pause) * time.Millisecond
	pause, most := first, max(first, maxBackoff)
	for n := 1; n < j.Failures && pause < most; n++ {
		pause *= 2
	}
	return j.Closed.Add(min(pause, most))
}

// nextRetry returns when the next failed session may be retried, or an endpoint is asked
// again, or the zero time.
func (s *State) nextRetry(now time.Time) time.Time {
	var next time.Time
	for _, o := range s.Outages() {
		if o.probe == 0 && o.Next.After(now) && (next.IsZero() || o.Next.Before(next)) {
			next = o.Next
		}
	}
	if s.begun == 0 { // failed sessions have begun, so none is waiting
		return next
	}
	for i := s.first; i < len(s.Jobs); i++ {
		if at := s.RetryAt(&s.Jobs[i]); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// WaitsUntil returns the instant before which no session starts, or the zero time, and
// whether a provider set it.
func (s *State) WaitsUntil(now time.Time) (until time.Time, provider bool) {
	switch {
	case s.Ended != "":
		return time.Time{}, false
	case s.Hold.After(now):
		return s.Hold, true
	case s.Paused || s.Count(Running) > 0 || s.Rule(now) != "" || len(s.begin(0, now)) > 0:
		return time.Time{}, false
	}
	return s.nextRetry(now), false
}

// UpdateByHand updates a session that the loop had given up and the operator resumed: it is
// finished, or out of budget again. The loop's journal does not have this, so the state is only
// for display. What the loop spent on the session stays unchanged; the rest is spent by hand.
func (s *State) UpdateByHand(t Settled) {
	j, ok := s.Job(t.Job)
	if !ok || j.Status == Running {
		return
	}
	again := t.Outcome == Short && j.Status == Cut
	if t.Outcome != Done && !again {
		return
	}
	j.ByHand = max(0, t.Spent-j.Settled.Spent)
	t.Spent, t.SpentUSD, t.Lost, t.LostUSD = j.Settled.Spent, j.Settled.SpentUSD, j.Settled.Lost, j.Settled.LostUSD
	j.Settled = t
	if !again {
		s.set(j, Finished)
	}
}

// Justified reports whether an entry follows from the journal before it. That covers the
// loop's own decisions: opened rounds, sessions that begin and their reservations, skipped
// sessions, and the rule that ended the loop. Entries of operators and outcomes of sessions
// are always justified.
func (s *State) Justified(e *journal.Entry) bool {
	var is func(Command) bool
	switch e.Kind {
	case KindRound:
		body, err := decode[RoundOpened](e)
		is = func(c Command) bool { return err == nil && c == OpenRound(body) }
	case KindEnded:
		body, err := decode[Ended](e)
		is = func(c Command) bool { return err == nil && c == End(body) }
	case KindBegan:
		body, err := decode[Began](e)
		is = func(c Command) bool {
			r, ok := c.(Run)
			return ok && err == nil && r.Job.Number == body.Job && r.Thread == body.Thread && r.Base == body.Base &&
				r.Reserve == flow.Cost{Tokens: body.Reserved, USD: body.ReservedUSD}
		}
	case KindSettled:
		body, err := decode[Settled](e)
		if err != nil || body.Outcome != Skipped {
			return err == nil
		}
		is = func(c Command) bool {
			skip, ok := c.(Skip)
			return ok && skip.Job.Number == body.Job
		}
	default:
		return true
	}
	for _, now := range s.instants(e.At) {
		for _, c := range Next(s, now) {
			if is(c) {
				return true
			}
		}
	}
	return false
}

// instants returns the instants to try for an entry: its decision was made at an unknown
// time since the last entry, and between these instants Next does not change.
func (s *State) instants(at time.Time) []time.Time {
	all := []time.Time{at, s.Last}
	until, timed := s.stopTime()
	for _, between := range []time.Time{s.Hold, until.Add(-1)} {
		if (timed || between.Equal(s.Hold)) && between.After(s.Last) && between.Before(at) {
			all = append(all, between)
		}
	}
	for _, o := range s.Outages() {
		if o.Next.After(s.Last) && o.Next.Before(at) {
			all = append(all, o.Next)
		}
	}
	for i := s.first; i < len(s.Jobs) && s.begun > 0; i++ {
		if again := s.RetryAt(&s.Jobs[i]); again.After(s.Last) && again.Before(at) {
			all = append(all, again)
		}
	}
	return all
}
