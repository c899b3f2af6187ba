package flow

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
			return one.Input*int64(input) + one.Output*int64(output)
		}
	}
	return 0
}

// Cost is what something costs, or may cost.
type Cost struct {
	Tokens int
	USD    int64 // in billionths
}

func (c Cost) plus(o Cost) Cost { return Cost{c.Tokens + o.Tokens, c.USD + o.USD} }

// Reserve is what must be set aside before a call: its question, and the answer
// that it may have. A repair sends the first question and answer again.
func (s *State) Reserve(k Kickoff, turn string) Cost {
	input, output := k.Tokens, s.Settings.Reply
	if turn == TurnRepair {
		input += s.Settings.Reply
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
