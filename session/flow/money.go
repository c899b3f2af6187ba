package flow

import (
	"fmt"
	"math"
	"strconv"
)

// Price is what the tokens of an agent's model cost, in billionths of a dollar.
type Price struct {
	Agent  string `json:"agent"`
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
}

// Prices are those of the agents whose models have one.
type Prices []Price

// Of gives what tokens of an agent cost.
func (p Prices) Of(agent string, input, output int) int64 {
	for _, one := range p {
		if one.Agent == agent {
			return add(times(one.Input, input), times(one.Output, output))
		}
	}
	return 0
}

// most is more than anything costs, and the largest number that JSON carries exactly.
// Sums and products stop there, and what is below zero counts as nothing: no number
// that anybody invents can turn a cost into a gain.
const most = 1<<53 - 1

func within(n int64) int64 { return min(max(n, 0), most) }

func add(a, b int64) int64 { return within(within(a) + within(b)) }

// sum adds tokens, tokens counts them: an int may be smaller than most.
func sum(a, b int) int { return tokens(add(int64(a), int64(b))) }

func tokens(n int64) int { return int(min(within(n), math.MaxInt)) }

func times(price int64, n int) int64 {
	if n <= 0 || price <= 0 {
		return 0
	}
	if price > most/int64(n) {
		return most
	}
	return price * int64(n)
}

// Cost is what something costs, or may cost.
type Cost struct {
	Tokens int
	USD    int64 // in billionths
}

// Plus gives what both cost together.
func (c Cost) Plus(o Cost) Cost { return Cost{sum(c.Tokens, o.Tokens), add(c.USD, o.USD)} }

// Minus gives what is left of a cost without another: never less than nothing.
func (c Cost) Minus(o Cost) Cost {
	return Cost{tokens(within(int64(c.Tokens)) - within(int64(o.Tokens))), within(within(c.USD) - within(o.USD))}
}

// Times gives what it costs to do something so often.
func (c Cost) Times(n int) Cost { return Cost{tokens(times(int64(c.Tokens), n)), times(c.USD, n)} }

// Cost gives what tokens of an agent come to.
func (p Prices) Cost(agent string, input, output int) Cost {
	return Cost{sum(input, output), p.Of(agent, input, output)}
}

// Spent is what an answer has cost.
func (a *Answered) Spent() Cost { return Cost{sum(a.Input, a.Output), within(a.Cost)} }

// Reserve is what must be set aside before a call: its question, and the answer
// that it may have. A repair sends the first question and answer again, with a
// word about what could not be read.
func (s *State) Reserve(k Kickoff, c *Call) Cost {
	input, output := k.Tokens, s.Settings.Reply
	if c.Turn == TurnRepair {
		const word = 500
		input += word
		if ask := s.calls[CallID(s.Opened.Thread, c.Round, c.Leg, c.Agent, TurnAsk)]; ask != nil {
			input = sum(input, ask.Answered.Output)
		}
	}
	return s.Settings.Prices.Cost(k.Agent, input, output)
}

// Within tells whether a cost is within a budget, of which nothing is no limit.
func (c Cost) Within(budget Cost) bool {
	return (budget.Tokens <= 0 || c.Tokens <= budget.Tokens) && (budget.USD <= 0 || c.USD <= budget.USD)
}

// Affords tells whether so much may be spent in all.
func (s *Settings) Affords(c Cost) bool { return c.Within(Cost{s.Budget, s.BudgetUSD}) }

// Enough gives a budget under which a session goes on that its budget has ended: twice what
// it had, or more where that is not enough for the calls that it could not make. What is no
// limit, or was not the one that was reached, is left out.
func (s *Settings) Enough(spent, wanting Cost) Cost {
	had, next := Cost{s.Budget, s.BudgetUSD}, spent.Plus(wanting)
	double, enough := had.Times(2), next.Plus(wanting)
	either := next.Within(had) // which of them was reached is not known
	var out Cost
	if had.Tokens > 0 && (either || next.Tokens > had.Tokens) {
		out.Tokens = max(double.Tokens, enough.Tokens)
	}
	if had.USD > 0 && (either || next.USD > had.USD) {
		out.USD = max(double.USD, enough.USD)
	}
	return out
}

// Flags are those by which people give a session such a budget.
func (c Cost) Flags() string {
	text := ""
	if c.Tokens > 0 {
		text += fmt.Sprintf(" --budget-tokens %d", c.Tokens)
	}
	if c.USD > 0 {
		text += " --budget-usd " + strconv.FormatFloat(float64(c.USD)/1e9, 'f', -1, 64)
	}
	return text
}

// Wanting adds up what the calls of the last leg want that the budget did not allow. Where
// it was settled without them, nobody will be asked to mend anything any more.
func (s *State) Wanting() Cost {
	var all Cost
	if s.Ended != EndBudget || len(s.Legs) == 0 {
		return all
	}
	leg := &s.Legs[len(s.Legs)-1]
	for i, c := range leg.Calls {
		if c.Status == Open && (c.Turn == TurnAsk || s.OpenLeg() != nil) {
			all = all.Plus(s.Reserve(leg.Kickoffs[i/2], c))
		}
	}
	return all
}

// UnderWay is what was set aside for calls that have begun and did not end.
func (s *State) UnderWay() Cost {
	var all Cost
	if leg := s.OpenLeg(); leg != nil {
		for _, c := range leg.Calls {
			if c.Status == Begun {
				all = all.Plus(c.Reserved)
			}
		}
	}
	for i := range s.Rulings {
		if c := &s.Rulings[i]; c.Status == Begun {
			all = all.Plus(c.Reserved)
		}
	}
	return all
}

// exhausted tells whether nothing is left to spend.
func (s *State) exhausted() bool {
	set := &s.Settings
	return set.Budget > 0 && s.Spent.Tokens >= set.Budget || set.BudgetUSD > 0 && s.Spent.USD >= set.BudgetUSD
}
