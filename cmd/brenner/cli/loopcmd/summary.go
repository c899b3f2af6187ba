package loopcmd

import (
	"cmp"
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/project"
	"brenner/session"
)

// summaryView prints where a loop stands: what run ends with, and what status shows.
type summaryView struct{ *project.LoopSummary }

func (s summaryView) headline() string {
	sessions := fmt.Sprintf("%d of %s done", s.Done, text.Count(s.Planned, "session"))
	if s.Failed > 0 {
		sessions += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Short > 0 {
		sessions += fmt.Sprintf(", %d short of budget", s.Short)
	}
	switch s.Phase {
	case session.PhaseRunning, project.PhasePaused, project.PhaseStopping:
		return s.Phase + ", " + sessions + ", held by " + ui.Clean(s.HeldBy)
	case session.PhaseLeft:
		if s.Stopping {
			return "left before its end and told to stop, " + sessions
		}
		return "left before its end, " + sessions
	}
	return report.Ending(s.Reason) + ", " + sessions
}

func (s summaryView) Print(a *ui.App) error {
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), s.headline())
	if a.Quiet {
		return a.Write([]byte(headline))
	}
	var b strings.Builder
	if s.Rehearsal {
		b.WriteString(ui.LoopRehearsalNote + "\n\n")
	}
	b.WriteString(headline + "\n" + ui.Columns(s.facts(a)))
	b.WriteString("\n" + ui.Columns(s.rows()))
	s.problems(&b)
	if left := s.undone(); left != "" {
		b.WriteString("\nLeft undone: " + left + "\n")
	}
	if len(s.NeedsPerson) > 0 {
		names, more := s.NeedsPerson, ""
		if n := len(names) - mostNames; n > 0 {
			names, more = names[:mostNames], fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(&b, "\nA person is needed: %s%s\n", ui.Clean(strings.Join(names, ", ")), more)
	}
	for _, d := range s.Deliveries {
		if d.Code != "" {
			fmt.Fprintf(&b, "\nThe report did not reach %s: %s\n", ui.Clean(d.To), ui.Clean(d.Detail))
		}
	}
	b.WriteString("\nNext:\n")
	for _, next := range s.Next {
		b.WriteString("  " + ui.Clean(next) + "\n")
	}
	return a.Write([]byte(b.String()))
}

func (s summaryView) facts(a *ui.App) [][]string {
	tokens := fmt.Sprintf("%d (no limit)", s.Tokens)
	if s.TokensLimit > 0 {
		tokens = fmt.Sprintf("%d (of %d)", s.Tokens, s.TokensLimit)
		if over := s.Tokens - s.TokensLimit; over > 0 {
			tokens = fmt.Sprintf("%d (of %d: %d over)", s.Tokens, s.TokensLimit, over)
		}
	}
	if s.Reserved > 0 {
		tokens += fmt.Sprintf(", %d set aside", s.Reserved)
	}
	rows := [][]string{
		{"Round", fmt.Sprintf("%d of %d", s.Round, s.Rounds)},
		{"Tokens", tokens},
	}
	if s.USD > 0 || s.USDLimit > 0 {
		limit := "no limit"
		if s.USDLimit > 0 {
			limit = "of " + ui.Money(s.USDLimit)
		}
		rows = append(rows, []string{"Cost", fmt.Sprintf("%s (%s)", ui.Money(s.USD), limit)})
	}
	if s.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(s.Until)})
	}
	if s.RetryAt != "" {
		why := "a provider said so"
		if s.Backoff {
			why = "then a failed session is tried again"
		}
		rows = append(rows, []string{"Waits", "until " + a.Clock(s.RetryAt) + ": " + why})
	}
	if s.Report != "" {
		rows = append(rows, []string{"Report", ui.FromHere(s.Report)})
	}
	return append(rows, []string{"Journal", fmt.Sprintf("%s, head %s", text.Plural(s.Entries, "entry", "entries"), s.Head)})
}

// How many sessions, and names of them, a person is shown.
const (
	mostJobs     = 40
	mostUnbegun  = 5 // of sessions of which there is nothing to say but that they wait
	mostNames    = 3
	mostProblems = 10
)

// problems says what went wrong with sessions; in the table it would push everything
// out of line.
func (s summaryView) problems(b *strings.Builder) {
	shown := 0
	for i := range s.Sessions {
		j := &s.Sessions[i]
		if j.Problem == "" {
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\nWhat went wrong:\n")
		}
		if shown <= mostProblems {
			fmt.Fprintf(b, "  %s: %s\n", ui.Clean(cmp.Or(j.Thread, j.Name)), ui.Clean(strings.TrimSpace(string(j.Code)+" "+j.Problem)))
		}
	}
	if shown > mostProblems {
		fmt.Fprintf(b, "  … and %d more: --json has all of them\n", shown-mostProblems)
	}
}

func (s summaryView) rows() [][]string {
	rows := [][]string{{"SESSION", "ROUND", "WHAT", "STATUS", "VERSION", "TOKENS", "CONFLICTS"}}
	unbegun := 0
	for _, j := range s.Sessions {
		if j.Thread == "" && j.Status == string(loop.Waiting) {
			if unbegun++; unbegun > mostUnbegun {
				continue
			}
		}
		if len(rows) > mostJobs {
			break
		}
		rows = append(rows, []string{
			ui.OrDash(ui.Clean(j.Thread)), fmt.Sprint(j.Round), ui.Clean(j.Name), j.Status, fmt.Sprint(j.Version), fmt.Sprint(j.Tokens), fmt.Sprint(j.Conflicts),
		})
	}
	if n := len(s.Sessions) - len(rows) + 1; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("… and %d more: --json has all of them", n)})
	}
	return rows
}

// undone says what a loop that has ended left undone.
func (s summaryView) undone() string {
	if s.Phase != session.PhaseEnded {
		return ""
	}
	var parts []string
	if s.Waiting > 0 {
		parts = append(parts, text.Count(s.Waiting, "session")+" of round "+fmt.Sprint(s.Round))
	}
	if s.Short > 0 {
		parts = append(parts, text.Count(s.Short, "session")+" short of budget")
	}
	if s.NotOpened > 0 {
		parts = append(parts, text.Count(s.NotOpened, "session")+" of later rounds")
	}
	return strings.Join(parts, ", ")
}
