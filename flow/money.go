package flow

import "math"

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

// most is more than anything costs; sums and products stop there, so that no
// number that an endpoint invents can turn a cost into a gain.
const most = math.MaxInt64 / 4

func add(a, b int64) int64 { return min(most, a+b) } // neither is more than most

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

func (c Cost) plus(o Cost) Cost {
	return Cost{int(add(int64(c.Tokens), int64(o.Tokens))), add(c.USD, o.USD)}
}

// Reserve is what must be set aside before a call: its question, and the answer
// that it may have. A repair sends the first question and answer again, with a
// word about what could not be read.
func (s *State) Reserve(k Kickoff, c *Call) Cost {
	input, output := k.Tokens, s.Settings.Reply
	if c.Turn == TurnRepair {
		const word = 500
		input += word
		if ask := s.calls[CallID(s.Opened.Thread, c.Round, c.Leg, c.Agent, TurnAsk)]; ask != nil {
			input += ask.Answered.Output
		}
	}
	return Cost{input + output, s.Settings.Prices.Of(k.Agent, input, output)}
}

// affords tells whether so much may be spent in all.
func (s *Settings) affords(c Cost) bool {
	return (s.Budget <= 0 || c.Tokens <= s.Budget) && (s.BudgetUSD <= 0 || c.USD <= s.BudgetUSD)
}

// exhausted tells whether nothing is left to spend.
func (s *State) exhausted() bool {
	set := &s.Settings
	return set.Budget > 0 && s.Spent.Tokens >= set.Budget || set.BudgetUSD > 0 && s.Spent.USD >= set.BudgetUSD
}
