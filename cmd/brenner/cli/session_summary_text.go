package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"brenner/config"
	"brenner/session/flow"
)

// These say what a rehearsal is, wherever one is seen.
const (
	rehearsalNote     = "Rehearsal: scripted agents play this session; nothing in it is anybody's work."
	loopRehearsalNote = "Rehearsal: scripted agents play these sessions; nothing in them is anybody's work."
)

func (s *sessionSummary) text(a *app) error {
	if a.quiet {
		line := s.Thread
		if s.Exit != nil && s.Artifact != "" { // of a run
			line = s.path()
		}
		return a.write([]byte(clean(line) + "\n"))
	}
	var b strings.Builder
	if s.Rehearsal {
		b.WriteString(rehearsalNote + "\n\n")
	}
	fmt.Fprintf(&b, "%s: %s\n", clean(s.Thread), s.headline())
	fmt.Fprintf(&b, "Question: %s\n\n", clean(s.Question))
	facts := s.facts()
	if s.Mail != nil {
		facts = append(facts, s.Mail.rows()...)
	}
	b.WriteString(columns(facts) + "\n")
	b.WriteString(s.agentTable() + "\n")
	b.WriteString(s.versionTable())
	s.problems(&b)
	b.WriteString("\nNext:\n")
	for _, next := range s.Next {
		b.WriteString("  " + clean(next) + "\n")
	}
	if s.Rehearsal {
		b.WriteString("For real agents: say in " + config.FileName + " how they are reached (via:, agents.models:), and give your question.\n")
	}
	return a.write([]byte(b.String()))
}

// path shows a file as the working directory sees it, where it is below that.
func (s *sessionSummary) path() string { return fromHere(s.Artifact) }

// fromHere gives a file as it is called from the working directory.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// headline says in one line where the session stands.
func (s *sessionSummary) headline() string {
	rounds := fmt.Sprintf("round %d of %d, version %d", s.Round, s.Rounds, s.Version)
	switch s.Phase {
	case phaseRunning:
		return "running, " + rounds + ", held by " + clean(s.HeldBy)
	case phaseLeft:
		return "left before its end, " + rounds
	}
	if s.Reason == flow.EndCompiled {
		rounds = fmt.Sprintf("version %d", s.Version)
	}
	line := endedBy(s.Reason) + ", " + rounds
	if s.Needs > 0 {
		line += fmt.Sprintf("; the next calls want %d tokens set aside", s.Needs)
		if s.NeedsUSD > 0 {
			line += " (" + money(s.NeedsUSD) + ")"
		}
	}
	if s.RetryAt != "" {
		line += "; go on after " + s.RetryAt
	}
	return line
}

// endedBy says why a session ended.
func endedBy(reason string) string {
	switch reason {
	case flow.EndRounds:
		return "done"
	case flow.EndQuiet:
		return "ended, since nothing new came"
	case flow.EndClean:
		return "ended, since nothing is left to mend"
	case flow.EndBudget:
		return "stopped, since the budget does not reach further"
	case flow.EndTime:
		return "stopped, since its time was up"
	case flow.EndLater:
		return "stopped, since too few agents answered, and they said when to return"
	case flow.EndQuorum:
		return "stopped, since too few agents answered"
	case flow.EndInterrupted:
		return "interrupted"
	case flow.EndCompiled:
		return "compiled from its thread"
	}
	return "ended (" + clean(reason) + ")"
}

func (s *sessionSummary) facts() [][]string {
	rows := [][]string{}
	if s.Artifact != "" {
		rows = append(rows, []string{"Artifact", s.path()})
	}
	budget := "no limit"
	if s.Budget > 0 {
		budget = "of " + strconv.Itoa(s.Budget)
	}
	return append(rows,
		[]string{"Journal", fmt.Sprintf("%s, head %s", plural(s.Entries, "entry", "entries"), s.Head)},
		[]string{"Seal", s.Seal},
		[]string{"Tokens", fmt.Sprintf("%d (%s)", s.Spent, budget)},
		[]string{"Cost", s.cost()},
	)
}

// cost says what the session cost, as far as its models have prices.
func (s *sessionSummary) cost() string {
	switch {
	case s.BudgetUSD > 0:
		return fmt.Sprintf("%s (of %s)", money(s.SpentUSD), money(s.BudgetUSD))
	case s.SpentUSD > 0:
		return money(s.SpentUSD)
	case s.Rehearsal:
		return "nothing: it is a rehearsal"
	}
	return "not known: no model has a price"
}

// money shows dollars; what costs nothing, or has no price, is a dash.
func money(usd float64) string {
	switch {
	case usd == 0:
		return "-"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (s *sessionSummary) agentTable() string {
	rows := [][]string{{"AGENT", "ROLE", "VIA", "ANSWERED", "FAILED", "TOKENS", "COST", "LAST ROUND"}}
	for _, g := range s.Agents {
		state := g.State
		if g.Letters > 0 {
			state += ", " + count(g.Letters, "letter")
		}
		if g.Problem != "" {
			state += ": " + clean(string(g.Code)+", "+g.Problem)
		}
		rows = append(rows, []string{
			clean(g.Name), orDash(g.Role), clean(g.Via), strconv.Itoa(g.Answered), strconv.Itoa(g.Failed), strconv.Itoa(g.Tokens), money(g.USD), state,
		})
	}
	return columns(rows)
}

func (s *sessionSummary) versionTable() string {
	rows := [][]string{{"VERSION", "FROM", "APPLIED", "REJECTED", "CONFLICTS", "LINT"}}
	for _, v := range s.Versions {
		from := v.From
		switch {
		case v.Round > 0:
			from = "round " + strconv.Itoa(v.Round)
		case v.From == flow.ByPerson:
			from = "by " + clean(v.Author)
		case v.From == flow.ByThread:
			from = "letters"
		case v.Author != "":
			from += " by " + clean(v.Author)
		}
		rows = append(rows, []string{
			strconv.Itoa(v.Version), from, strconv.Itoa(v.Applied), strconv.Itoa(v.Rejected), strconv.Itoa(v.Conflicts),
			count(v.Errors, "error") + ", " + count(v.Warnings, "warning"),
		})
	}
	return columns(rows)
}

// moved names the records that changed while agents worked with what they were before.
func (s *sessionSummary) moved(b *strings.Builder) {
	title := "\nChanged in the project while agents worked with it:\n"
	for _, v := range s.Versions {
		for _, m := range v.Moved {
			fmt.Fprintf(b, "%s  version %d: %s\n", title, v.Version, clean(m.String()))
			title = ""
		}
	}
}

// problems names what was not taken, and what waits for a person.
func (s *sessionSummary) problems(b *strings.Builder) {
	const most = 10
	if len(s.Rejected) > 0 {
		b.WriteString("\nRejected:\n")
		for i, r := range s.Rejected {
			if i == most {
				fmt.Fprintf(b, "  and %d more: --json has all of them\n", len(s.Rejected)-most)
				break
			}
			fmt.Fprintf(b, "  version %d, %s, %s: %s %s\n", r.Version, clean(r.Agent), orDash(r.Target), clean(string(r.Code)), clean(r.Message))
		}
	}
	if len(s.Conflicts) > 0 {
		b.WriteString("\nIn conflict:\n")
		for _, c := range s.Conflicts {
			var by []string
			for _, one := range c.Candidates {
				by = append(by, clean(one.Agent)+" ("+clean(one.Delta)+")")
			}
			fmt.Fprintf(b, "  %s: %s\n", clean(c.Place), strings.Join(by, " or "))
		}
	}
	s.moved(b)
	s.patches(b)
	s.stalemates(b)
	if len(s.Missing) > 0 {
		var who []string
		for _, m := range s.Missing {
			who = append(who, fmt.Sprintf("%s (round %d)", clean(m.Agent), m.Round))
		}
		label := "Without an answer"
		if s.Phase == phaseRunning {
			label = "Not answered yet"
		}
		fmt.Fprintf(b, "\n%s: %s\n", label, strings.Join(who, ", "))
	}
	if s.Unmailed != nil {
		b.WriteString("\n" + unmailedLine(s.Unmailed) + "\n")
	}
}
