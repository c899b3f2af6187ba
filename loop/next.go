package loop

import (
	"iter"
	"time"

	"brenner/artifact"
	"brenner/session/flow"
	"brenner/store/journal"
)

// Rules names the rules by which a loop decides. Whoever changes what Next makes of a
// journal that there may be already gives them another number: verify holds every decision
// against the rules, and a loop is gone on with by those it began with.
const Rules = "loop/1"

// Command is what to do next.
type Command interface{ command() }

// OpenRound asks for the sessions of a round to be numbered.
type OpenRound struct{ Round int }

// Run asks for a session to be started, or to be resumed where it has begun; so
// much is to be set aside for it before.
type Run struct {
	Job     Job
	Thread  string
	Base    string
	Reserve flow.Cost
}

// Skip asks for a session to be given up, since what it was to follow came to nothing.
type Skip struct{ Job Job }

// Wait asks for patience until an instant, or until something happens.
type Wait struct{ Until time.Time }

// Drain asks for the sessions under way to let their calls end, and begin no others.
type Drain struct{}

// End asks for the end of the loop.
type End struct{ Reason string }

func (OpenRound) command() {}
func (Run) command()       {}
func (Skip) command()      {}
func (Wait) command()      {}
func (Drain) command()     {}
func (End) command()       {}

// Next gives what leads on from a state at an instant. Nothing means: wait for a
// session that is under way, or for a person.
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
		return s.patience(now, time.Time{}) // those under way end, or the hour comes
	}
	if s.Paused {
		return s.patience(now, time.Time{})
	}
	if s.Hold.After(now) {
		return s.patience(now, s.Hold)
	}
	if s.Round == 0 || s.Open() == 0 {
		return []Command{OpenRound{s.Round + 1}}
	}
	if commands := s.begin(running, now); len(commands) > 0 {
		return commands
	}
	return s.patience(now, s.rested(now))
}

// patience waits for the given instant, or for the hour at which the loop stops.
func (s *State) patience(now, until time.Time) []Command {
	if stop, ok := s.until(); ok && stop.After(now) && (until.IsZero() || stop.Before(until)) {
		until = stop
	}
	if until.IsZero() {
		return nil
	}
	return []Command{Wait{until}}
}

func (s *State) until() (time.Time, bool) {
	at, err := artifact.ParseInstant(s.Limits.Until)
	return at, err == nil
}

// begin gives the sessions that may begin now. What those need that failed and rest is kept
// for them. The zero time is one at which nobody rests.
func (s *State) begin(running int, now time.Time) []Command {
	var commands []Command
	total := s.Spent.Plus(s.Reserved)
	for j := range s.inTurn() {
		base, ready, lost := s.base(j)
		if lost {
			return []Command{Skip{*j}}
		}
		if !ready {
			continue
		}
		need := s.need(j)
		after := total.Minus(j.Reserved).Plus(need)
		rests := !now.IsZero() && s.Again(j).After(now)
		if !rests && running >= s.Limits.Concurrency || !s.affords(after) {
			return commands
		}
		total = after
		if rests {
			continue
		}
		thread := j.Thread
		if thread == "" {
			thread = s.ThreadOf(j)
		}
		commands = append(commands, Run{Job: *j, Thread: thread, Base: base, Reserve: need})
		running++
	}
	return commands
}

// inTurn gives the jobs that wait: those that were under way first.
func (s *State) inTurn() iter.Seq[*Job] {
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

// base gives the session that a job begins with, if that is known by now; lost
// says that it never will be.
func (s *State) base(j *Job) (thread string, ready, lost bool) {
	needs, ok := s.Job(j.Needs)
	if !ok {
		return j.Base, true, false
	}
	if !needs.Final() {
		return "", false, false
	}
	if !needs.Answered() { // there is only its brief
		return "", false, true
	}
	return needs.Thread, true, false
}

// need is what must be set aside for a job: what its session may still spend.
func (s *State) need(j *Job) flow.Cost {
	set := &s.Work.Settings
	return flow.Cost{Tokens: set.Budget, USD: set.BudgetUSD}.Minus(j.Settled.Cost())
}

// affords tells whether so much may be spent in all.
func (s *State) affords(c flow.Cost) bool {
	return c.Within(flow.Cost{Tokens: s.Limits.Tokens, USD: s.Limits.USD})
}

// Rule gives the rule by which the loop ends here, or "".
func (s *State) Rule(now time.Time) string {
	until, timed := s.until()
	switch {
	case s.Stopping != "":
		return EndStopped
	case timed && !now.Before(until):
		return EndTime
	case s.Limits.Person && s.needing > 0:
		return EndPerson
	case s.tooManyFailures():
		return EndFailures
	case s.Round > 0 && s.Open() == 0:
		return s.ruleOfRounds()
	case s.poor():
		return EndBudget
	}
	return ""
}

func (s *State) tooManyFailures() bool {
	n := s.Count(Broken) - s.forgiven
	return s.Limits.Failures > 0 && n >= s.Limits.Failures || s.Limits.Then == ThenStop && n > 0
}

// ruleOfRounds gives the rule by which the loop ends after a whole round, or "".
func (s *State) ruleOfRounds() string {
	switch {
	case s.Round >= s.Limits.Rounds:
		return EndRounds
	case s.Limits.Quiet > 0 && s.quiet() >= s.Limits.Quiet:
		return EndQuiet
	case s.Limits.Clean && s.Round > s.stirred && s.clean():
		return EndClean
	}
	return ""
}

// quiet counts the last rounds in which nothing was said that had not been said before.
// A round in which nobody was heard tells nothing about that.
func (s *State) quiet() int {
	n := 0
	for round := s.Round; round > s.stirred && s.news[round] == 0; round-- {
		if s.heard[round] {
			n++
		}
	}
	return n
}

// clean tells whether every session of the round left nothing to mend.
func (s *State) clean() bool {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Round == s.Round && (j.Status != Finished || j.Settled.Needs()+j.Settled.Errors+j.Settled.Warnings > 0) {
			return false
		}
	}
	return true
}

// poor tells whether nothing is under way, and the budget reaches no further.
func (s *State) poor() bool {
	if s.Limits.Tokens <= 0 && s.Limits.USD <= 0 || s.Round == 0 {
		return false
	}
	return s.Count(Running) == 0 && s.Limits.Concurrency > 0 && len(s.begin(0, time.Time{})) == 0
}

// A session that failed is left alone for a while: what it failed for may pass.
const (
	longestPause = 24 * time.Hour // that a plan may want
	longPause    = time.Hour      // a pause does not double beyond this
)

// Again gives when a failed session is tried again; it is not after any instant for one
// that may begin at once. It follows from what is journaled: a loop that was killed keeps it.
func (s *State) Again(j *Job) time.Time {
	if j.Status != Waiting || j.Settled.Outcome != Failed || j.Failures == 0 {
		return time.Time{}
	}
	first := time.Duration(s.Limits.Pause) * time.Millisecond
	pause, most := first, max(first, longPause)
	for n := 1; n < j.Failures && pause < most; n++ {
		pause *= 2
	}
	return j.Closed.Add(min(pause, most))
}

// rested gives when the next failed session may be tried again, if none may now.
func (s *State) rested(now time.Time) time.Time {
	var next time.Time
	if s.begun == 0 { // who failed had begun
		return next
	}
	for i := s.first; i < len(s.Jobs); i++ {
		if at := s.Again(&s.Jobs[i]); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// Rests gives the instant before which no session begins, and whether a provider named it;
// the zero time where there is none.
func (s *State) Rests(now time.Time) (until time.Time, provider bool) {
	switch {
	case s.Ended != "":
		return time.Time{}, false
	case s.Hold.After(now):
		return s.Hold, true
	case s.Paused || s.Count(Running) > 0 || s.Rule(now) != "" || len(s.begin(0, now)) > 0:
		return time.Time{}, false
	}
	return s.rested(now), false
}

// retry lets all sessions begin once more that failed, and those that were skipped.
func (s *State) retry() {
	s.first, s.forgiven = 0, 0
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; j.Status {
		case Broken:
			j.Failures = 0
			s.set(j, Waiting)
		case Omitted:
			j.Settled = Settled{}
			s.set(j, Waiting)
		}
	}
}

// See takes in what somebody made of a session that the loop had given up: they went on
// with it by hand, and it came to its end. It is not in the loop's journal, and so only for
// those who look. What the loop spent on it stays what it was.
func (s *State) See(t Settled) {
	j, ok := s.Job(t.Job)
	if !ok || t.Outcome != Done || j.Status == Running {
		return
	}
	t.Spent, t.SpentUSD = j.Settled.Spent, j.Settled.SpentUSD
	j.Settled = t
	s.set(j, Finished)
}

// Justified tells whether an entry that the loop itself decides follows from what was
// journaled before it: that a round is opened, that a session begins and what is set
// aside for it, that one is skipped, and by which rule the loop ends. Other entries are
// words of people and what sessions came to; they need no reason.
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

// instants are those until an entry was written between which nothing changes: when
// exactly it was decided is not known.
func (s *State) instants(at time.Time) []time.Time {
	all := []time.Time{at, s.Last}
	until, timed := s.until()
	for _, between := range []time.Time{s.Hold, until.Add(-1)} {
		if (timed || between.Equal(s.Hold)) && between.After(s.Last) && between.Before(at) {
			all = append(all, between)
		}
	}
	for i := s.first; i < len(s.Jobs) && s.begun > 0; i++ {
		if again := s.Again(&s.Jobs[i]); again.After(s.Last) && again.Before(at) {
			all = append(all, again)
		}
	}
	return all
}
