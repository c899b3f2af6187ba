package flow_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"brenner/session/flow"
)

// numbers generates numbers that an agent may report: small ones, and those at every edge.
func numbers() *rapid.Generator[int64] {
	edges := []int64{math.MinInt64, -1_000_000, -1, 0, 1, 1 << 52, 1<<53 - 1, 1 << 53, math.MaxInt64 / 4, math.MaxInt64 - 1, math.MaxInt64}
	return rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64(), rapid.Int64Range(-10, 1_000_000))
}

func costs() *rapid.Generator[flow.Cost] {
	return rapid.Custom(func(t *rapid.T) flow.Cost {
		return flow.Cost{Tokens: int(numbers().Draw(t, "tokens")), USD: numbers().Draw(t, "usd")}
	})
}

// For any reported numbers, a sum is never less than its parts, never below zero, and exact in a
// journal.
func TestCostsNeverDecrease(t *testing.T) {
	const most = 1<<53 - 1
	sane := func(t *rapid.T, c flow.Cost) {
		if c.Tokens < 0 || c.USD < 0 || int64(c.Tokens) > most || c.USD > most {
			t.Fatalf("%+v", c)
		}
	}
	atLeast := func(t *rapid.T, c, part flow.Cost) {
		if int64(c.Tokens) < min(int64(part.Tokens), most) || c.USD < min(part.USD, most) {
			t.Fatalf("%+v is less than its part %+v", c, part)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := costs().Draw(t, "a"), costs().Draw(t, "b")
		sum := a.Plus(b)
		sane(t, sum)
		atLeast(t, sum, a)
		atLeast(t, sum, b)
		if sum != b.Plus(a) {
			t.Fatalf("%+v and %+v", sum, b.Plus(a))
		}
		sane(t, a.Minus(b))
		if left := sum.Minus(b); int64(sum.Tokens) < most && sum.USD < most && left != a.Plus(flow.Cost{}) {
			t.Fatalf("got %+v, want %+v", left, a)
		}

		n := int(numbers().Draw(t, "times"))
		sane(t, a.Times(n))
		if n > 0 {
			atLeast(t, a.Times(n), a)
		}

		prices := flow.Prices{{Agent: "A", Input: numbers().Draw(t, "input price"), Output: numbers().Draw(t, "output price")}}
		input, output := int(numbers().Draw(t, "input")), int(numbers().Draw(t, "output"))
		cost := prices.Cost("A", input, output)
		sane(t, cost)
		atLeast(t, cost, flow.Cost{Tokens: input})
		atLeast(t, cost, flow.Cost{Tokens: output})
		answer := flow.Answered{Input: input, Output: output, Cost: prices.Of("A", input, output)}
		if answer.Spent() != cost {
			t.Fatalf("%+v, not %+v", answer.Spent(), cost)
		}

		set := flow.Settings{Budget: 1_000_000_000, BudgetUSD: 1_000_000_000_000_000}
		if set.Affords(sum) && (int64(a.Tokens) > 1_000_000_000 || b.USD > 1_000_000_000_000_000) {
			t.Fatalf("%+v is within the budget", sum)
		}
	})
}

func TestSmallCostsAreExact(t *testing.T) {
	a, b := flow.Cost{Tokens: 500, USD: 70}, flow.Cost{Tokens: 30, USD: 7}
	if got := a.Plus(b); got != (flow.Cost{Tokens: 530, USD: 77}) {
		t.Error(got)
	}
	if got := a.Minus(b); got != (flow.Cost{Tokens: 470, USD: 63}) {
		t.Error(got)
	}
	if got := b.Minus(a); got != (flow.Cost{}) {
		t.Error(got)
	}
	if got := b.Times(3); got != (flow.Cost{Tokens: 90, USD: 21}) {
		t.Error(got)
	}
	if got := (flow.Prices{{Agent: "A", Input: 3, Output: 15}}).Cost("A", 100, 10); got != (flow.Cost{Tokens: 110, USD: 450}) {
		t.Error(got)
	}
}

// A sufficient budget raises only the limits that were reached.
func TestSufficientBudget(t *testing.T) {
	for _, c := range []struct {
		had, spent, wanting flow.Cost
		want                string
	}{
		{flow.Cost{Tokens: 100}, flow.Cost{Tokens: 90}, flow.Cost{Tokens: 20}, " --budget-tokens 200"},
		{flow.Cost{Tokens: 100}, flow.Cost{Tokens: 90}, flow.Cost{Tokens: 200}, " --budget-tokens 490"},
		{flow.Cost{USD: 500_000_000}, flow.Cost{Tokens: 90, USD: 400_000_000}, flow.Cost{Tokens: 9, USD: 200_000_000}, " --budget-usd 1"},
		{flow.Cost{Tokens: 100, USD: 9}, flow.Cost{Tokens: 90, USD: 1}, flow.Cost{Tokens: 20, USD: 1}, " --budget-tokens 200"},
		{flow.Cost{Tokens: 100, USD: 250_000_000}, flow.Cost{Tokens: 1, USD: 1}, flow.Cost{Tokens: 1, USD: 300_000_000}, " --budget-usd 0.600000001"},
		{flow.Cost{Tokens: 100, USD: 500_000_000}, flow.Cost{Tokens: 90, USD: 1}, flow.Cost{}, " --budget-tokens 200 --budget-usd 1"},
		{flow.Cost{}, flow.Cost{Tokens: 90}, flow.Cost{Tokens: 20}, ""},
	} {
		s := flow.Settings{Budget: c.had.Tokens, BudgetUSD: c.had.USD}
		if got := s.SufficientBudget(c.spent, c.wanting).Flags(); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}
