package flow

import (
	"iter"
	"slices"
	"strconv"

	"brenner/artifact"
)

// Command is what to do next.
type Command interface{ command() }

// Brief requests version 1, made from the operator's deltas.
type Brief struct{}

// Plan requests the messages of a leg.
type Plan struct {
	Round, Leg int
	Agents     []string
}

// Ask requests the answer to a call. Several may run concurrently.
type Ask struct {
	Call     *Call
	Exchange *Exchange // that it is part of
}

// Settle requests the merge and commit of the answers of the open leg.
type Settle struct{ Round, Leg int }

// Publish requests that a version be mailed.
type Publish struct{ Version int }

// End requests the end of the run.
type End struct{ Reason string }

func (Brief) command()   {}
func (Plan) command()    {}
func (Ask) command()     {}
func (Settle) command()  {}
func (Publish) command() {}
func (End) command()     {}

// Flows of a round.
const (
	FlowParallel = "parallel" // all agents concurrently
	FlowStaged   = "staged"   // agents wait for the items that their role works on
)

// Quorums other than a number.
const (
	QuorumRole = "role" // an answer of each role
	QuorumAll  = "all"
)

// Next returns the next commands in a state. It returns nil while only calls in flight are pending,
// and after the end.
func Next(s *State) []Command {
	if s.Ended != "" {
		return nil
	}
	if len(s.Commits) == 0 {
		return []Command{Brief{}}
	}
	if leg := s.OpenLeg(); leg != nil {
		return s.collectAnswers(leg)
	}
	if s.needsMailing() {
		return []Command{Publish{s.Version()}}
	}
	if waiting := s.unaskedAgents(); len(waiting) > 0 {
		return s.plan(s.Round(), waiting)
	}
	if reason := s.stopReason(); reason != "" {
		return []Command{End{reason}}
	}
	return s.plan(s.Round()+1, s.agents())
}

func (s *State) collectAnswers(leg *Leg) []Command {
	var asks []Command
	spent, inFlight, short := s.Spent, false, false
	for c := range leg.Calls() {
		if c.Status == Begun {
			inFlight = true
			spent = spent.Plus(c.Reserved)
		}
	}
	for x, c := range leg.open() {
		after := spent.Plus(s.Additional(x, c))
		if !s.Settings.Affords(after) {
			short = true
			continue
		}
		spent = after
		asks = append(asks, Ask{Call: c, Exchange: x})
	}
	switch {
	case len(asks) > 0:
		return asks
	case inFlight:
		return nil
	case short && !s.hasQuorum(leg):
		return []Command{End{EndBudget}}
	case !s.hasQuorum(leg):
		if _, known := leg.RetryTime(); known {
			return []Command{End{EndLater}}
		}
		return []Command{End{EndQuorum}}
	}
	return []Command{Settle{leg.Round, leg.Leg}}
}

func (l *Leg) open() iter.Seq2[*Exchange, *Call] {
	return func(yield func(*Exchange, *Call) bool) {
		for c := range l.Calls() {
			if c.Status == Open && !yield(l.Of(c.Agent), c) {
				return
			}
		}
	}
}

func (s *State) hasQuorum(leg *Leg) bool {
	missing := leg.Missing()
	switch s.Settings.Quorum {
	case QuorumAll:
		return len(missing) == 0
	case QuorumRole, "":
		answered := make(map[string]bool)
		for i := range leg.Exchanges {
			if x := &leg.Exchanges[i]; x.Answer() != nil {
				answered[s.roleOf(x.Agent)] = true
			}
		}
		return !slices.ContainsFunc(missing, func(agent string) bool { return !answered[s.roleOf(agent)] })
	}
	n, _ := strconv.Atoi(s.Settings.Quorum)
	return len(leg.Kickoffs)-len(missing) >= min(n, len(leg.Kickoffs))
}

func (s *State) roleOf(agent string) string { return s.Opened.Party(agent).Role }

func (s *State) agents() []string {
	var names []string
	for _, a := range s.Opened.Agents {
		names = append(names, a.Name)
	}
	return names
}

func (s *State) unaskedAgents() []string {
	round := s.Round()
	if round == 0 {
		return nil
	}
	var asked []string
	for i := range s.Legs {
		if s.Legs[i].Round != round {
			continue
		}
		for _, k := range s.Legs[i].Kickoffs {
			asked = append(asked, k.Agent)
		}
	}
	return slices.DeleteFunc(s.agents(), func(a string) bool { return slices.Contains(asked, a) })
}

// plan begins a leg with the ready candidates, or with all if waiting would not help.
func (s *State) plan(round int, candidates []string) []Command {
	leg := 1
	if n := len(s.Legs); n > 0 && s.Legs[n-1].Round == round {
		leg = s.Legs[n-1].Leg + 1
	}
	ready := candidates
	if s.Settings.Flow == FlowStaged {
		ready = slices.DeleteFunc(slices.Clone(candidates), func(a string) bool { return !s.ready(a) })
		if len(ready) == 0 {
			ready = candidates
		}
	}
	return []Command{Plan{Round: round, Leg: leg, Agents: ready}}
}

// ready reports whether there are items for an agent's role, such as hypotheses to test or attack.
func (s *State) ready(agent string) bool {
	switch s.roleOf(agent) {
	case "test_designer", "adversarial_critic":
		active := s.Commits[len(s.Commits)-1].Active
		return active[artifact.HypothesisSlate.String()] > 0
	}
	return true
}

// stopReason returns the reason for which the session ends in this state, or "".
func (s *State) stopReason() string {
	switch {
	case s.skippedForBudget():
		return EndBudget
	case s.Round() >= s.Settings.Rounds:
		return EndRounds
	case s.Settings.QuietAfter > 0 && s.quietRounds() >= s.Settings.QuietAfter:
		return EndQuiet
	case s.Settings.WhenClean && s.Round() > s.ActiveRound && s.isClean():
		return EndClean
	case s.budgetExhausted():
		return EndBudget
	}
	return ""
}

// skippedForBudget reports whether the last leg skipped agents that the budget still does not allow.
func (s *State) skippedForBudget() bool {
	if len(s.Legs) == 0 {
		return false
	}
	for x, c := range s.Legs[len(s.Legs)-1].open() {
		if c.Turn == TurnAsk && !s.Affords(s.Additional(x, c)) {
			return true
		}
	}
	return false
}

// quietRounds counts the latest rounds since ActiveRound that changed nothing.
func (s *State) quietRounds() int {
	changed := make(map[int]bool)
	for i := 1; i < len(s.Commits); i++ {
		c := &s.Commits[i]
		if c.Source == ByRound && c.Version > s.Commits[i-1].Version {
			changed[c.Round] = true
		}
	}
	n := 0
	for round := s.Round(); round > s.ActiveRound && !changed[round]; round-- {
		n++
	}
	return n
}

func (s *State) isClean() bool {
	o := s.Commits[len(s.Commits)-1].Outcome
	return o.Errors == 0 && o.Warnings == 0 && o.Conflicts == 0
}
