package loop

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/session/flow"
)

// Troubles of failed sessions: whether it helps to ask again.
const (
	// Lasting is a cause that a person must remove: a rejected key, an unknown model, an
	// unknown host.
	Lasting = "lasting"
	// Passing is an outage: connection refused, timeout, or server error.
	Passing = "passing"
)

// Patience is how long a loop waits for an endpoint that does not respond.
const Patience = 10 * time.Minute

// The pauses between two attempts during an outage.
const (
	firstProbe   = 15 * time.Second
	longestProbe = 2 * time.Minute
)

// group is the sessions that ask the same models: those with one roster and one model of
// the plan.
type group string

func (c *Cell) group() group { return group(c.Roster + "\n" + c.Model) }

// reach is what a run knows about the endpoints of a group.
type reach struct {
	reached bool       // a session got further than the trouble of others
	code    fault.Code // the lasting cause for which sessions failed, one after the other
	detail  string
	failed  int // how many
	outage  *Outage
}

// Outage is a time in which the endpoints of some sessions do not respond. One session at
// a time asks again; the others wait.
type Outage struct {
	Since  time.Time // the first failure
	Until  time.Time // a failure after this counts as lasting
	Next   time.Time // the next attempt
	Tries  int
	Code   fault.Code // of the last failure
	Detail string
	over   bool // it has lasted too long
	probe  int  // the session that asks again; 0 means none
}

// Cause is why sessions cannot run until a person does something.
type Cause struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// fail records a failed attempt.
func (o *Outage) fail(at time.Time, t *Settled) {
	o.Tries++
	o.Code, o.Detail = t.Code, t.Detail
	pause := firstProbe
	for n := 1; n < o.Tries && pause < longestProbe; n++ {
		pause *= 2
	}
	o.Next = at.Add(min(pause, longestProbe))
	if o.Next.After(o.Until) {
		o.Next = o.Until
	}
}

// NotesTroubles reports whether the loop's journal records troubles and idle agents: its rules
// act on them.
func (o *Opened) NotesTroubles() bool { return o.Rules != firstRules }

// NotesLost reports whether the loop's journal records the cost of calls without a reply and the
// names of silent agents.
func (o *Opened) NotesLost() bool { return o.Rules == Rules }

func (s *State) reachOf(c *Cell) *reach {
	g := c.group()
	r, ok := s.reach[g]
	if !ok {
		r = &reach{}
		s.reach[g] = r
	}
	return r
}

// judge notes what the outcome of a session says about its endpoints. It returns the
// session's status, given what it is without trouble.
func (s *State) judge(j *Job, t *Settled, at time.Time, status Status) Status {
	if !s.Opened.NotesTroubles() || t.Outcome == Skipped {
		return status
	}
	r := s.reachOf(&j.Cell)
	probe := r.outage != nil && r.outage.probe == j.Number
	if probe {
		r.outage.probe = 0
	}
	switch {
	case t.Outcome == Interrupted:
		return status
	case t.Outcome == Failed && t.Trouble == Passing:
		if lost := t.Unanswered(); lost != j.Extra {
			j.Extra, j.Asking = lost, lost.Minus(j.Settled.Unanswered())
		}
		return s.judgeOutage(j, r, t, at, probe)
	case s.Opened.NotesLost() && t.Outcome == Short && !t.gained(&j.Settled):
		return status // it got no reply, or could not ask
	case probe && !r.outage.over:
		r.outage = nil // something responded
	}
	if t.Outcome != Failed || t.Trouble != Lasting {
		r.reached = true
		return status
	}
	if r.reached {
		return status
	}
	if r.code != t.Code {
		r.code, r.failed = t.Code, 0
	}
	r.detail = t.Detail
	r.failed++
	return Broken // a retry does not help
}

// gained reports whether a session got replies since an earlier outcome.
func (t *Settled) gained(before *Settled) bool {
	return t.Cost().Minus(t.Unanswered()) != before.Cost().Minus(before.Unanswered())
}

func (s *State) judgeOutage(j *Job, r *reach, t *Settled, at time.Time, probe bool) Status {
	o := r.outage
	switch {
	case o == nil:
		o = &Outage{Since: at, Until: at.Add(Patience)}
		r.outage = o
		o.fail(at, t)
		return Waiting
	case o.over:
		return Broken
	case !probe: // it began before the outage
		return Waiting
	case at.Before(o.Until):
		o.fail(at, t)
		return Waiting
	}
	o.over = true
	o.fail(at, t)
	for i := s.first; i < len(s.Jobs); i++ {
		if one := &s.Jobs[i]; one != j && s.isAway(one) {
			s.set(one, Broken)
			s.countNeeds(one)
		}
	}
	return Broken
}

// isAway reports whether a session waits because its endpoint did not respond.
func (s *State) isAway(j *Job) bool {
	return j.Status == Waiting && j.Settled.Outcome == Failed && j.Settled.Trouble == Passing && s.reach[j.Cell.group()] != nil
}

// Probes reports whether a session asks whether an outage is over.
func (s *State) Probes(job int) bool {
	j, ok := s.Job(job)
	if !ok {
		return false
	}
	o := s.outageOf(&j.Cell)
	return o != nil && o.probe == job
}

// endOutage notes that the session that asked again got a reply.
func (s *State) endOutage(job int) {
	if s.Probes(job) {
		r := s.reachOf(&s.Jobs[job-1].Cell)
		r.outage, r.reached = nil, true
	}
}

// outageOf returns the outage that sessions of a cell wait for, or nil.
func (s *State) outageOf(c *Cell) *Outage {
	if r := s.reach[c.group()]; r != nil && r.outage != nil && !r.outage.over {
		return r.outage
	}
	return nil
}

// OutageOf returns the outage that a job waits for, or nil.
func (s *State) OutageOf(j *Job) *Outage {
	if j.Status != Waiting {
		return nil
	}
	return s.outageOf(&j.Cell)
}

// causeOf returns why sessions of a cell cannot run, or nil: an outage lasted too long, or
// the first sessions all failed for one lasting cause.
func (s *State) causeOf(c *Cell) *Cause {
	r := s.reach[c.group()]
	switch {
	case r == nil:
		return nil
	case r.outage != nil && r.outage.over:
		return &Cause{r.outage.Code, r.outage.Detail}
	case r.failed > 0 && !r.reached && r.failed >= s.enough(c.group()):
		return &Cause{r.code, r.detail}
	}
	return nil
}

// enough returns how many sessions of a group must fail for one lasting cause, and no other
// outcome, before the group is abandoned: as many as run concurrently, at least two.
func (s *State) enough(g group) int {
	n := 0
	for i := range s.Work.Cells {
		if s.Work.Cells[i].group() == g {
			n++
		}
	}
	return min(n, max(2, s.Limits.Concurrency))
}

// Stopped returns the cause for which no session of the plan can run, or nil.
func (s *State) Stopped() *Cause {
	if len(s.reach) == 0 {
		return nil
	}
	var first *Cause
	seen := make(map[group]bool)
	for i := range s.Work.Cells {
		c := &s.Work.Cells[i]
		if seen[c.group()] || c.Task != "" && s.Round > 1 {
			continue
		}
		seen[c.group()] = true
		cause := s.causeOf(c)
		if cause == nil {
			return nil
		}
		if first == nil {
			first = cause
		}
	}
	return first
}

// StoppedEarly reports whether the loop ended because no session could run. Running its plan
// again continues it.
func (s *State) StoppedEarly() bool { return s.Ended == EndCause }

// Hindrance returns what kept sessions of an ended loop from running and needs a person, or
// nil: no session can run, an endpoint did not respond until the loop was stopped, or no session
// was done before that or the end of the budget.
func (s *State) Hindrance() *Cause {
	switch s.Ended {
	case EndCause:
		if cause := s.Stopped(); cause != nil {
			return cause
		}
		return &Cause{Detail: "unknown cause"}
	case EndTime:
		return s.cutOff("the stop time", "the stop time came")
	case EndStopped:
		return s.cutOff("the operator stopped the loop", "the operator stopped the loop")
	case EndBudget:
		if all := s.Outages(); len(all) > 0 && s.Opened.NotesLost() {
			return &Cause{all[0].Code, "not reached until the budget was exhausted: " + all[0].Detail}
		}
		if s.Count(Finished)+s.Count(Cut) > 0 {
			return nil
		}
		detail := "the budget was exhausted before any session was done"
		if n := s.Opened.Preflight.Cost().Tokens; n > 0 {
			detail += fmt.Sprintf("; the preflight spent %d tokens of it", n)
		}
		return &Cause{Detail: detail}
	}
	return nil
}

// Shortage returns why the session of a job ran out of its budget, also if the preflight took a part of
// that.
func (s *State) Shortage(j *Job) string {
	taken := j.taken
	switch {
	case j.Settled.Outcome != Short || j.Extra != (flow.Cost{}) || s.Opened.Preflight == nil:
	case taken.Tokens > 0:
		return fmt.Sprintf("%s; the preflight spent %d tokens of its share", j.Settled.Detail, taken.Tokens)
	case taken.USD > 0:
		return fmt.Sprintf("%s; the preflight spent $%.4f of its share", j.Settled.Detail, flow.Dollars(taken.USD))
	}
	return j.Settled.Detail
}

// cutOff returns the hindrance of a loop that ended before all was run, or nil.
func (s *State) cutOff(until, end string) *Cause {
	if all := s.Outages(); len(all) > 0 {
		return &Cause{all[0].Code, "not reached until " + until + ": " + all[0].Detail}
	}
	if s.Opened.NotesTroubles() && s.Count(Finished)+s.Count(Cut) == 0 {
		return &Cause{Detail: end + " before any session was done"}
	}
	return nil
}

// Outages returns the current outages, the oldest first.
func (s *State) Outages() []Outage {
	var all []Outage
	for _, g := range slices.Sorted(maps.Keys(s.reach)) {
		if o := s.reach[g].outage; o != nil && !o.over {
			all = append(all, *o)
		}
	}
	slices.SortStableFunc(all, func(a, b Outage) int { return a.Since.Compare(b.Since) })
	return all
}

// forgetReach forgets the troubles of earlier runs, except for an outage that has not lasted
// too long.
func (s *State) forgetReach(at time.Time) {
	for _, g := range slices.Sorted(maps.Keys(s.reach)) {
		r := s.reach[g]
		o := r.outage
		if o == nil || o.over || !at.Before(o.Until) || s.Ended != "" {
			delete(s.reach, g)
			continue
		}
		o.probe = 0
		*r = reach{outage: o}
	}
}
