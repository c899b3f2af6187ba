package flow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Price is the price of a model's tokens, in billionths of a dollar.
type Price struct {
	Agent  string `json:"agent"`
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
}

// Prices are the prices of the agents whose models have one.
type Prices []Price

// Of returns the price of an agent's tokens in billionths of a dollar, or 0 if it is unknown.
func (p Prices) Of(agent string, input, output int) int64 {
	for _, one := range p {
		if one.Agent == agent {
			return add(times(one.Input, input), times(one.Output, output))
		}
	}
	return 0
}

// Unpriced lists what the parties without a price ask, each once. Scripted agents and mailboxes
// need none.
func (p Prices) Unpriced(parties []Party) []string {
	var all []string
	for i := range parties {
		one := &parties[i]
		asked := cmp.Or(one.Asked(), one.ModelID, one.Program)
		priced := slices.ContainsFunc(p, func(o Price) bool { return o.Agent == one.Name })
		if (one.Via == ViaOpenAI || one.Via == ViaProgram) && !priced && !slices.Contains(all, asked) {
			all = append(all, asked)
		}
	}
	return all
}

// AtLeast formats an amount that leaves out models without a price.
func AtLeast(amount string, unpriced int) string {
	switch {
	case unpriced == 1:
		return "at least " + amount + "; 1 model has no price"
	case unpriced > 1:
		return fmt.Sprintf("at least %s; %d models have no price", amount, unpriced)
	}
	return amount
}

// maxAmount exceeds any cost and is the largest integer that JSON carries exactly. Sums and products
// saturate there, and negative values count as 0, so that no invented number turns a cost into
// a gain.
const maxAmount = 1<<53 - 1

func clamp(n int64) int64 { return min(max(n, 0), maxAmount) }

func add(a, b int64) int64 { return clamp(clamp(a) + clamp(b)) }

// sum adds token counts; the largest int may be less than maxAmount.
func sum(a, b int) int { return tokens(add(int64(a), int64(b))) }

func tokens(n int64) int { return int(min(clamp(n), math.MaxInt)) }

func times(price int64, n int) int64 {
	if n <= 0 || price <= 0 {
		return 0
	}
	if price > maxAmount/int64(n) {
		return maxAmount
	}
	return price * int64(n)
}

// Cost is an actual or possible cost.
type Cost struct {
	Tokens int
	USD    int64 // in billionths
}

// Plus returns c + o.
func (c Cost) Plus(o Cost) Cost { return Cost{sum(c.Tokens, o.Tokens), add(c.USD, o.USD)} }

// Minus returns c - o, at least 0.
func (c Cost) Minus(o Cost) Cost {
	return Cost{tokens(clamp(int64(c.Tokens)) - clamp(int64(o.Tokens))), clamp(clamp(c.USD) - clamp(o.USD))}
}

// Times returns n times c.
func (c Cost) Times(n int) Cost { return Cost{tokens(times(int64(c.Tokens), n)), times(c.USD, n)} }

// Cost returns the cost of an agent's tokens.
func (p Prices) Cost(agent string, input, output int) Cost {
	return Cost{sum(input, output), p.Of(agent, input, output)}
}

// Spent returns the cost of an answer.
func (a *Answered) Spent() Cost { return Cost{sum(a.Input, a.Output), clamp(a.Cost)} }

// Reserve returns the cost to reserve for a call: its message and the longest reply. A repair
// sends the first message and reply again, with a list of problems.
func (s *State) Reserve(x *Exchange, c *Call) Cost {
	input := x.Tokens
	if c.Turn == TurnRepair {
		const problems = 500 // assumed length of the list
		input = sum(input+problems, x.Ask.Answered.Output)
	}
	return s.Settings.Prices.Cost(x.Agent, input, s.Settings.Reply)
}

// Within reports whether a cost is within a budget; 0 means no limit.
func (c Cost) Within(budget Cost) bool {
	return (budget.Tokens <= 0 || c.Tokens <= budget.Tokens) && (budget.USD <= 0 || c.USD <= budget.USD)
}

// Affords reports whether the budget allows a total cost.
func (s *Settings) Affords(c Cost) bool { return c.Within(Cost{s.Budget, s.BudgetUSD}) }

// SufficientBudget returns a budget with which a session that exhausted its budget can continue:
// twice the old one, or more if the pending calls need it. Limits that are unset or were not
// reached are omitted.
func (s *Settings) SufficientBudget(spent, pending Cost) Cost {
	had, next := Cost{s.Budget, s.BudgetUSD}, spent.Plus(pending)
	double, enough := had.Times(2), next.Plus(pending)
	either := next.Within(had) // it is unknown which limit was reached
	var out Cost
	if had.Tokens > 0 && (either || next.Tokens > had.Tokens) {
		out.Tokens = max(double.Tokens, enough.Tokens)
	}
	if had.USD > 0 && (either || next.USD > had.USD) {
		out.USD = max(double.USD, enough.USD)
	}
	return out
}

// Flags returns the command-line flags that set such a budget.
func (c Cost) Flags() string {
	text := ""
	if c.Tokens > 0 {
		text += fmt.Sprintf(" --budget-tokens %d", c.Tokens)
	}
	if c.USD > 0 {
		text += " --budget-usd " + strconv.FormatFloat(Dollars(c.USD), 'f', -1, 64)
	}
	return text
}

// Shortfall sums up the costs of the last leg's calls that the budget did not allow. Repairs
// count only while the leg is open.
func (s *State) Shortfall() Cost {
	var all Cost
	if s.Ended != EndBudget || len(s.Legs) == 0 {
		return all
	}
	for x, c := range s.Legs[len(s.Legs)-1].open() {
		if c.Turn == TurnAsk || s.OpenLeg() != nil {
			all = all.Plus(s.Additional(x, c))
		}
	}
	return all
}

// EnoughBudget returns a budget with which the session can continue, or zero if its own covers another
// round. See SufficientBudget.
func (s *State) EnoughBudget() Cost {
	pending := s.Shortfall()
	if pending == (Cost{}) {
		pending = s.anotherRound()
	}
	if s.Ended != EndBudget && s.Affords(pending) {
		return Cost{}
	}
	return s.Settings.SufficientBudget(s.Spent, pending)
}

// anotherRound returns the cost to reserve for asking every agent again, as in its last round.
func (s *State) anotherRound() Cost {
	var all Cost
	for _, p := range s.Opened.Agents {
		for i := len(s.Legs) - 1; i >= 0; i-- {
			if x := s.Legs[i].Of(p.Name); x != nil {
				all = all.Plus(s.Reserve(x, &x.Ask))
				break
			}
		}
	}
	return all
}

// again returns what a call was taken to cost that is the same message when it begins again: at the same mail server.
func (s *State) again(c *Call, once bool) Cost {
	now := s.party(c.Agent)
	if !once || !c.Once || c.By == nil || now == nil || mailOf(c.By) != mailOf(now) {
		return Cost{}
	}
	return c.Lost
}

func mailOf(p *Party) string {
	if p.Way == nil {
		return ""
	}
	return p.Way.Mail
}

// Additional returns what a call may cost beyond what is spent.
func (s *State) Additional(x *Exchange, c *Call) Cost {
	return s.Reserve(x, c).Minus(s.again(c, c.Once))
}

// InFlight returns the reservations of calls in flight.
func (s *State) InFlight() Cost {
	var all Cost
	if leg := s.OpenLeg(); leg != nil {
		for c := range leg.Calls() {
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

// Unanswered returns the part of the cost that calls without a reply may have caused, those in
// flight included.
func (s *State) Unanswered() Cost {
	all := s.InFlight()
	for i := range s.Legs {
		for c := range s.Legs[i].Calls() {
			all = all.Plus(c.Lost)
		}
	}
	for i := range s.Rulings {
		all = all.Plus(s.Rulings[i].Lost)
	}
	return all
}

func (s *State) budgetExhausted() bool {
	set := &s.Settings
	return set.Budget > 0 && s.Spent.Tokens >= set.Budget || set.BudgetUSD > 0 && s.Spent.USD >= set.BudgetUSD
}

// MaxDollars bounds an amount of dollars.
const MaxDollars = 1_000_000

// ParseDollars parses an amount of dollars with at most nine decimals, as billionths. It is
// exact: no floats are involved.
func ParseDollars(text string) (nano int64, ok bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 9 || whole == "" || len(whole) > 7 {
		return 0, false
	}
	digits := whole + part + strings.Repeat("0", 9-len(part))
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	nano, err := strconv.ParseInt(digits, 10, 64)
	return nano, err == nil && nano <= MaxDollars*1_000_000_000
}

// Dollars converts billionths of a dollar to dollars.
func Dollars(nano int64) float64 { return float64(nano) / 1e9 }
