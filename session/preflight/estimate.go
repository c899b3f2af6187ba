package preflight

import (
	"cmp"
	"fmt"
	"slices"

	"brenner/kickoff"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
)

// Estimate is what a session costs at most: round 1 as composed, later rounds at their limits, every
// reply at its limit, and a repair of every reply.
type Estimate struct {
	Rounds    int             `json:"rounds"`
	Reply     int             `json:"reply_tokens"` // limit of each reply; 0 means none
	Agents    []AgentEstimate `json:"agents"`
	Input     int             `json:"input_tokens"`
	Output    int             `json:"output_tokens"`
	USD       *float64        `json:"usd"` // null if a price is unknown
	Budget    int             `json:"tokens_budget"`
	BudgetUSD float64         `json:"usd_budget"`
	// Covered reports whether the budget is known to cover the worst case; true without a budget. Short
	// is the first round that it may not cover, or 0.
	Covered bool     `json:"covered"`
	Short   int      `json:"short_in_round"`
	Notes   []string `json:"notes"` // what the figures assume

	// Worst is the total cost, by these prices.
	Worst  flow.Cost   `json:"-"`
	Prices flow.Prices `json:"-"`
}

// AgentEstimate is what one agent costs at most.
type AgentEstimate struct {
	Agent  string          `json:"agent"`
	Parts  []PartEstimate  `json:"parts"` // of the message of round 1; empty if it is not known yet
	Rounds []RoundEstimate `json:"rounds"`
}

// PartEstimate is the size of a part of a message.
type PartEstimate struct {
	Name    string `json:"name"`
	Tokens  int    `json:"tokens"`
	Percent int    `json:"percent"`
}

// RoundEstimate is what one agent costs at most in one round.
type RoundEstimate struct {
	Round       int      `json:"round"`
	Input       int      `json:"input_tokens"`
	Exact       bool     `json:"exact"` // the message is known
	RepairInput int      `json:"repair_input_tokens"`
	Output      int      `json:"output_tokens"` // of reply and repair
	USD         *float64 `json:"usd"`
}

// Estimator makes estimates.
type Estimator struct {
	Settings flow.Settings
	Count    func(string) int // of tokens
	Lessons  int              // limit of lessons in a message
	Parties  []flow.Party
	Free     func(*flow.Party) bool // the agent costs nothing
}

// Estimate returns what a session costs at most.
func (e *Estimator) Estimate(o *session.Opening) *Estimate {
	s := &e.Settings
	out := &Estimate{
		Rounds: s.Rounds, Reply: s.Reply, Agents: []AgentEstimate{}, Budget: s.Budget, BudgetUSD: flow.Dollars(s.BudgetUSD), Covered: true, Notes: e.notes(), Prices: s.Prices,
	}
	rounds := make([]flow.Cost, s.Rounds)
	priced := true
	for _, p := range e.Parties {
		a := AgentEstimate{Agent: p.Name, Parts: []PartEstimate{}}
		sent := slices.IndexFunc(o.Messages, func(m kickoff.Message) bool { return m.To == p.Name })
		if sent >= 0 {
			a.Parts = e.parts(o.Messages[sent].Body)
		}
		for n := range rounds {
			tokens, exact := e.bound(o.Bounds[p.Name]), false
			if n == 0 && sent >= 0 {
				tokens, exact = o.Tokens[sent], true
			}
			r, cost := e.round(&p, n+1, tokens, o.Repairs[p.Name])
			r.Exact = exact
			rounds[n] = rounds[n].Plus(cost)
			out.Input, out.Output = out.Input+r.Input+r.RepairInput, out.Output+r.Output
			priced = priced && r.USD != nil
			a.Rounds = append(a.Rounds, r)
		}
		out.Agents = append(out.Agents, a)
	}
	for n, cost := range rounds {
		out.Worst = out.Worst.Plus(cost)
		if out.Short == 0 && !s.Affords(out.Worst) {
			out.Short = n + 1
		}
	}
	limited := s.Budget > 0 || s.BudgetUSD > 0
	out.Covered = !limited || out.Short == 0 && s.Reply > 0 && (priced || s.BudgetUSD == 0)
	if !priced && s.BudgetUSD > 0 {
		out.Notes = append(out.Notes, "a price is unknown, so nothing can be said about the budget in dollars")
	}
	if priced {
		usd := flow.Dollars(out.Worst.USD)
		out.USD = &usd
	}
	return out
}

// bound returns the tokens of a later message at most.
func (e *Estimator) bound(fixed int) int { return min(fixed+e.Lessons, e.limit()) }

// limit returns the tokens of a call at most.
func (e *Estimator) limit() int {
	if e.Settings.Context <= 0 {
		return view.DefaultCallTokens
	}
	return e.Settings.Context
}

// round returns the cost of a round, by the rule that reserves the budget for calls. What a repair
// really adds may be more: at most so many tokens.
func (e *Estimator) round(p *flow.Party, n, tokens, added int) (RoundEstimate, flow.Cost) {
	s := &e.Settings
	state := &flow.State{Settings: *s}
	x := &flow.Exchange{Kickoff: &flow.Kickoff{Agent: p.Name, Tokens: tokens}}
	x.Ask.Answered.Output = s.Reply
	cost := state.Reserve(x, &flow.Call{Turn: flow.TurnAsk})
	r := RoundEstimate{Round: n, Input: tokens, Output: s.Reply}
	if s.Repair {
		r.RepairInput = max(state.Reserve(x, &flow.Call{Turn: flow.TurnRepair}).Tokens-s.Reply, min(tokens+added, e.limit()))
		cost, r.Output = cost.Plus(s.Prices.Cost(p.Name, r.RepairInput, s.Reply)), 2*s.Reply
	}
	if e.Free(p) || slices.ContainsFunc(s.Prices, func(o flow.Price) bool { return o.Agent == p.Name }) {
		usd := flow.Dollars(cost.USD)
		r.USD = &usd
	}
	return r, cost
}

// parts returns the sizes of a message's parts. Together they are the message's tokens.
func (e *Estimator) parts(body string) []PartEstimate {
	sizes := make(map[string]int)
	before, at := 0, 0
	for _, p := range kickoff.Parts(body) {
		at += len(p.Text)
		tokens := e.Count(body[:at])
		sizes[p.Name] += tokens - before
		before = tokens
	}
	var out []PartEstimate
	for _, name := range kickoff.PartNames() {
		out = append(out, PartEstimate{Name: name, Tokens: sizes[name]})
	}
	return withPercents(out, before)
}

// withPercents sets the parts' percentages of a total, by the largest remainder: together they are 100.
func withPercents(parts []PartEstimate, total int) []PartEstimate {
	if total <= 0 {
		return parts
	}
	left, order := 100, make([]*PartEstimate, 0, len(parts))
	for i := range parts {
		parts[i].Percent = 100 * parts[i].Tokens / total
		left, order = left-parts[i].Percent, append(order, &parts[i])
	}
	slices.SortStableFunc(order, func(a, b *PartEstimate) int { return cmp.Compare(100*b.Tokens%total, 100*a.Tokens%total) })
	for _, p := range order[:min(max(left, 0), len(order))] {
		p.Percent++
	}
	return parts
}

func (e *Estimator) notes() []string {
	notes := []string{fmt.Sprintf("worst case: every reply has %d tokens; later messages have a view and lessons at their limits", e.Settings.Reply)}
	if e.Settings.Repair {
		notes[0] += "; every reply needs a repair"
	}
	if e.Settings.Reply <= 0 {
		notes[0] = "replies have no limit (budget.reply_tokens), so the worst case is unknown; the figures are without replies"
	}
	if slices.ContainsFunc(e.Parties, func(p flow.Party) bool { return p.Via == flow.ViaProgram }) {
		notes = append(notes, "programs add their own prompts and tool calls, which are not included")
	}
	return append(notes, "rulings of an arbiter and retries of failed calls are not included")
}
