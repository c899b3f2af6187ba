package tryout

import (
	"fmt"
	"strconv"
	"sync"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/session"
	"brenner/session/flow"
)

// checkBudget refuses calls that may cost more than the configured budget.
func (t *tryout) checkBudget() error {
	worst := t.report.Estimate.worst
	if worst.Within(t.budget) {
		return nil
	}
	need, much := flow.Cost{}, ""
	if t.budget.USD > 0 && worst.USD > t.budget.USD {
		need.USD = worst.USD
		much = "cost $" + strconv.FormatFloat(flow.Dollars(worst.USD), 'f', -1, 64)
	}
	if t.budget.Tokens > 0 && worst.Tokens > t.budget.Tokens {
		need.Tokens = worst.Tokens
		much = fmt.Sprintf("need %d tokens", worst.Tokens)
	}
	return &fault.Error{
		Code: fault.Usage, Detail: fmt.Sprintf("%s may %s, more than the budget", text.Count(t.report.Estimate.Calls, "call"), much),
		Hint: "try fewer models or roles, or raise the budget:" + need.Flags() + "; --dry-run shows the estimate",
	}
}

// retries permits retries while all calls, and the attempts that failed, stay within the budget.
type retries struct {
	mu     sync.Mutex
	budget flow.Cost
	worst  flow.Cost            // of all calls, with one attempt each
	failed map[string]flow.Cost // what failed attempts cost at most, by call
}

// allow reports whether the current call of a trial may be tried again after a failure.
func (r *retries) allow(one *trial, f *agent.Failure) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	turn := one.calls.turn
	r.failed[one.calls.name+"/"+turn] = session.FailureCost(one.party.Name, f, one.most[turn], one.brief.Settings.Prices)
	all := r.worst
	for _, cost := range r.failed {
		all = all.Plus(cost)
	}
	return all.Within(r.budget)
}
