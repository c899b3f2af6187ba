package sessioncmd

import (
	"fmt"
	"strconv"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// estimateText formats what a session costs at most.
func estimateText(e *project.Estimate) string {
	rows := [][]string{{"AGENT", "ROUND", "TOKENS IN", "REPAIR IN", "TOKENS OUT", "USD"}}
	for _, a := range e.Agents {
		for i := 0; i < len(a.Rounds); {
			last := i
			for last+1 < len(a.Rounds) && sameCost(&a.Rounds[i], &a.Rounds[last+1]) {
				last++
			}
			r := &a.Rounds[i]
			rounds, most := strconv.Itoa(r.Round), "at most "
			if last > i {
				rounds = fmt.Sprintf("%d to %d, each", r.Round, a.Rounds[last].Round)
			}
			if r.Exact {
				most = ""
			}
			rows = append(rows, []string{ui.Clean(a.Agent), rounds, most + strconv.Itoa(r.Input), strconv.Itoa(r.RepairInput), strconv.Itoa(r.Output), Dollars(r.USD)})
			i = last + 1
		}
	}
	rows = append(rows, []string{"total", "", strconv.Itoa(e.Input), "", strconv.Itoa(e.Output), Dollars(e.USD)})
	var b strings.Builder
	b.WriteString("Estimate, worst case:\n\n" + ui.Columns(rows) + "\nMessage of round 1:\n\n" + partsText(e) + "\n" + BudgetText(e.Budget, e.BudgetUSD, e.Covered, e.Short) + "\n")
	for _, n := range e.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

func sameCost(a, b *project.RoundEstimate) bool {
	return a.Exact == b.Exact && a.Input == b.Input && a.RepairInput == b.RepairInput && a.Output == b.Output
}

// partsText formats the shares of each part of the messages.
func partsText(e *project.Estimate) string {
	var rows [][]string
	for _, a := range e.Agents {
		if len(a.Parts) == 0 {
			continue
		}
		if rows == nil {
			head := []string{"AGENT"}
			for _, p := range a.Parts {
				head = append(head, strings.ToUpper(p.Name))
			}
			rows = append(rows, head)
		}
		row := []string{ui.Clean(a.Agent)}
		for _, p := range a.Parts {
			row = append(row, fmt.Sprintf("%d (%d %%)", p.Tokens, p.Percent))
		}
		rows = append(rows, row)
	}
	return ui.Columns(rows)
}

// BudgetText says whether a budget covers a plan; short is the first round that it may not cover.
func BudgetText(tokens int, usd float64, covered bool, short int) string {
	var limits []string
	if tokens > 0 {
		limits = append(limits, strconv.Itoa(tokens)+" tokens")
	}
	if usd > 0 {
		limits = append(limits, fmt.Sprintf("$%g", usd))
	}
	budget := "budget of " + strings.Join(limits, " and ")
	switch {
	case len(limits) == 0:
		return "no budget is set"
	case covered:
		return budget + ": covers the plan"
	case short > 0:
		return fmt.Sprintf("%s: does not cover the worst case; it may end in round %d", budget, short)
	}
	return budget + ": may not cover the plan"
}

// Dollars formats an amount that may be unknown.
func Dollars(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.4f", *usd)
}
