package flow_test

import (
	"testing"

	"brenner/session/flow"
	"brenner/session/stalemate"
)

// planThree adds a round with messages of different lengths.
func (tl *journalBuilder) planThree() *journalBuilder {
	return tl.add(flow.KindPlanned, flow.Planned{Round: 1, Leg: 1, At: "2026-01-01T01:01:00Z", Base: 1, Kickoffs: []flow.Kickoff{
		{Agent: "A1", Body: "k", Tokens: 100}, {Agent: "A2", Body: "k", Tokens: 200}, {Agent: "A3", Body: "k", Tokens: 300},
	}})
}

// The shortfall of a session that exhausted its budget is the cost of the calls that it could not
// make.
func TestShortfall(t *testing.T) {
	all := settings()
	all.Quorum, all.Budget = flow.QuorumAll, 320
	all.Prices = flow.Prices{{Agent: "A3", Input: 2, Output: 10}}
	asked := func(s flow.Settings) *journalBuilder { // A1 needs a repair, and A3 was not asked
		return newJournal(t, s, generator, critic, designer).planThree().answer(1, 1, "A1", flow.TurnAsk, 1).answer(1, 1, "A2", flow.TurnAsk, 0)
	}
	third := flow.Cost{Tokens: 300 + 50, USD: 2*300 + 10*50}
	repair := flow.Cost{Tokens: 100 + 500 + 10 + 50}
	one := all
	one.Quorum = "1"
	ended := flow.Ended{Reason: flow.EndBudget}
	for name, c := range map[string]struct {
		journal *journalBuilder
		want    flow.Cost
	}{
		"an open round":               {asked(all).add(flow.KindEnded, ended), third.Plus(repair)},
		"settled without them":        {asked(one).commit(1, 1, 2, 1).add(flow.KindEnded, ended), third},
		"no agent was asked":          {newJournal(t, all, generator).add(flow.KindEnded, ended), flow.Cost{}},
		"it has not ended":            {asked(all), flow.Cost{}},
		"it ended for another reason": {asked(all).add(flow.KindEnded, flow.Ended{Reason: flow.EndInterrupted}), flow.Cost{}},
		"it was resumed":              {asked(all).add(flow.KindEnded, ended).add(flow.KindResumed, flow.Resumed{}), flow.Cost{}},
	} {
		if got := c.journal.state().Shortfall(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// A budget is suggested only if that of the session does not cover what comes next.
func TestEnoughBudget(t *testing.T) {
	round := func(budget int, ended string) *flow.State {
		set := settings()
		set.Budget = budget
		j := newJournal(t, set, generator, critic, designer).planThree()
		for _, a := range []string{"A1", "A2", "A3"} {
			j.answer(1, 1, a, flow.TurnAsk, 0)
		}
		return j.commit(1, 1, 2, 1).add(flow.KindEnded, flow.Ended{Reason: ended}).state()
	}
	spent := round(0, flow.EndRounds).Spent.Tokens
	var next int // the calls of another round
	for _, c := range round(0, flow.EndRounds).Legs[0].Kickoffs {
		next += c.Tokens + settings().Reply
	}
	for name, c := range map[string]struct {
		state *flow.State
		want  int
	}{
		"no limit":             {round(0, flow.EndRounds), 0},
		"it covers a round":    {round(spent+next, flow.EndRounds), 0},
		"it does not":          {round(spent+next-1, flow.EndRounds), max(2*(spent+next-1), spent+2*next)},
		"it was exhausted":     {round(spent, flow.EndBudget), max(2*spent, spent+2*next)},
		"exhausted, then more": {round(spent+next, flow.EndBudget), max(2*(spent+next), spent+2*next)},
	} {
		if got := c.state.EnoughBudget(); got.Tokens != c.want {
			t.Errorf("%s: got %+v, want %d", name, got, c.want)
		}
	}
}

// The reservations of calls in flight, which may have been answered.
func TestInFlight(t *testing.T) {
	asking := newJournal(t, settings(), generator, critic, designer).planThree()
	asking.add(flow.KindBegan, flow.Began{Call: asking.call(1, 1, "A1", flow.TurnAsk), Agent: "A1", Round: 1, Leg: 1, Turn: flow.TurnAsk, Reserved: 150, ReservedUSD: 7}).
		begin(1, 1, "A2", flow.TurnAsk).answer(1, 1, "A3", flow.TurnAsk, 0)
	both := func() *journalBuilder { return stuckJournal(t).plan(1, 1, "A1").begin(1, 1, "A1", flow.TurnAsk) }
	for name, c := range map[string]struct {
		journal *journalBuilder
		want    flow.Cost
	}{
		"nothing":                   {newJournal(t, settings(), generator), flow.Cost{}},
		"a round":                   {asking, flow.Cost{Tokens: 300, USD: 7}},
		"an arbiter":                {stuckJournal(t), flow.Cost{Tokens: 70}},
		"an arbiter that has ruled": {stuckJournal(t).stalemate(stalemate.Ruled, verdict), flow.Cost{}},
		"both":                      {both(), flow.Cost{Tokens: 220}},
		"resumed":                   {both().add(flow.KindResumed, flow.Resumed{}), flow.Cost{}},
	} {
		if got := c.journal.state().InFlight(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
