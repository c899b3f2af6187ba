package loopcmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
)

type previewView struct{ *project.LoopPreview }

func (v previewView) Print(a *ui.App) error {
	does := map[string]string{
		project.WouldBegin: "would begin", project.WouldGoOn: fmt.Sprintf("would go on, %d of %s done", v.Done, text.Count(v.Planned, "session")),
		project.WouldEnd:     "would end, since it was told to stop or its hour has passed; no session would begin",
		project.WouldDeliver: "has ended; only its report would be made up for", project.WouldNothing: "has ended; nothing would be run",
	}[v.Does]
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(v.Loop), does)
	if a.Quiet {
		return a.Write([]byte(headline))
	}
	var b strings.Builder
	if v.Rehearsal {
		b.WriteString(ui.LoopRehearsalNote + "\n\n")
	}
	b.WriteString("Dry run: nothing is sent, nothing is written.\n\n" + headline + "\n" + ui.Columns(v.facts(a)) + "\n")
	rows := [][]string{{"SESSION OF A ROUND", "AFTER", "AGENTS"}}
	for i := range v.Sessions {
		if i == mostJobs {
			rows = append(rows, []string{fmt.Sprintf("… and %d more: --json has all of them", len(v.Sessions)-i)})
			break
		}
		s := &v.Sessions[i]
		var agents []string
		for _, one := range s.Agents {
			agents = append(agents, fmt.Sprintf("%s (%s)", one.Name, strings.TrimSpace(one.Via+" "+one.ModelID)))
		}
		rows = append(rows, []string{s.Name, ui.OrDash(s.After), strings.Join(agents, ", ")})
	}
	b.WriteString(ui.Columns(rows))
	return a.Write([]byte(b.String()))
}

func (v previewView) facts(a *ui.App) [][]string {
	rows := [][]string{
		{"Sessions", fmt.Sprintf("%d a round, %d at a time: %d in all", len(v.Sessions), v.Concurrency, v.Planned)},
		{"Rounds", fmt.Sprint(v.Rounds)},
	}
	atOnce := min(v.Concurrency, len(v.Sessions))
	if n := v.Share; n > 0 {
		rows = append(rows, []string{"Set aside", fmt.Sprintf("%d tokens for each session: %d at once, %d for all", n, n*atOnce, n*v.Planned)})
	}
	if usd := v.ShareUSD; usd > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("%s for each session: %s at once, %s for all", ui.Money(usd), ui.Money(usd*float64(atOnce)), ui.Money(usd*float64(v.Planned)))})
	}
	if v.TokensLimit > 0 {
		rows = append(rows, []string{"Budget", fmt.Sprintf("%d tokens%s", v.TokensLimit, v.reach(int64(v.TokensLimit), int64(v.Share)))})
	}
	if v.USDLimit > 0 {
		rows = append(rows, []string{"Budget", ui.Money(v.USDLimit) + v.reach(v.LimitNano, v.ShareNano)})
	}
	if v.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(v.Until)})
	}
	return append(rows, []string{"Report", strings.Join(append([]string{"files"}, v.Deliver...), ", ")})
}

// reach says how far a budget reaches in the worst case.
func (v previewView) reach(budget, share int64) string {
	if share <= 0 || budget/share >= int64(v.Planned) {
		return ""
	}
	return fmt.Sprintf(": if every session spends its share, %d of %d begin", budget/share, v.Planned)
}
