package loopcmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
)

func loopStatusCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "status [NAME]",
		Short: "Show the status of a loop, or list all loops",
		Example: `  brenner loop status
  brenner loop status night --json

Exit codes: 0 shown; 1 the store or a loop is damaged; 2 no such loop.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.Open()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listLoops(c.Context(), a, p)
			}
			s, err := p.LoopStatus(c.Context(), args[0])
			return ui.Show(a, s, err, summaryText)
		},
	})
}

func listLoops(ctx context.Context, a *ui.App, p *project.Project) error {
	list, err := p.Loops(ctx)
	if err == nil && slices.ContainsFunc(list.Loops, func(r project.LoopRow) bool { return r.Phase == session.PhaseDamaged }) {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, list, err, listText)
}

func listText(a *ui.App, v *project.LoopList) string {
	l := v.Loops
	if a.Quiet {
		return ui.EachLine(l, func(r *project.LoopRow) string { return r.Loop })
	}
	if len(l) == 0 {
		a.Say("No loops yet. Start one with `brenner loop run PLAN.yaml`.\n")
		return ""
	}
	var problems strings.Builder
	rows := [][]string{{"LOOP", "PHASE", "ROUND", "DONE", "FAILED", "NOTHING", "OUT OF BUDGET", "TOKENS", "UPDATED"}}
	for i := range l {
		r := &l[i]
		phase := ui.Phase(r.Phase)
		if r.Reason != "" {
			phase = report.Ending(r.Reason)
		}
		if r.RetryAt != "" {
			phase += ", waiting until " + a.Clock(r.RetryAt)
		}
		if r.Phase == session.PhaseDamaged {
			rows = append(rows, []string{r.Loop, phase, "-", "-", "-", "-", "-", "-", ui.Seconds(r.Updated)})
			problems.WriteString("\n" + ui.Clean(r.Loop) + ": " + ui.Clean(r.Problem) + "\n")
			continue
		}
		rows = append(rows, []string{
			ui.Clean(r.Loop), phase, fmt.Sprintf("%d of %d", r.Round, r.Rounds), fmt.Sprintf("%d of %d", r.Done, r.Planned), fmt.Sprint(r.Failed), fmt.Sprint(r.Nothing),
			fmt.Sprint(r.Short), fmt.Sprint(r.Tokens), ui.Seconds(r.Updated),
		})
	}
	return a.Table(rows) + problems.String()
}

func summaryHeadline(s *project.LoopSummary) string {
	sessions := report.Counts{Planned: s.Planned, Done: s.Done, Failed: s.Failed, Skipped: s.Skipped, Nothing: s.Nothing, Short: s.Short}.String()
	switch s.Phase {
	case session.PhaseRunning, project.PhasePaused, project.PhaseStopping:
		return s.Phase + ", " + sessions + ", held by " + ui.Clean(s.HeldBy)
	case project.PhaseSubmitted:
		headline := "submitted to " + ui.Clean(s.Place)
		if s.Paused {
			headline += ", paused"
		}
		return headline + ", no machine runs it now, " + sessions
	case session.PhaseLeft:
		if s.Stopping {
			return "not running, stop requested, " + sessions
		}
		return "not running, incomplete, " + sessions
	}
	return report.Ending(s.Reason) + ", " + sessions
}

func summaryText(a *ui.App, s *project.LoopSummary) string {
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), summaryHeadline(s))
	if a.Quiet {
		return headline
	}
	var b strings.Builder
	if s.Rehearsal {
		b.WriteString(ui.RehearsalNote + "\n\n")
	}
	b.WriteString(headline + "\n" + ui.Columns(summaryFacts(a, s)))
	b.WriteString("\n" + a.Table(summaryRows(s)))
	summaryProblems(s, &b)
	summarySilent(s, &b)
	if undone := summaryUndone(s); undone != "" {
		b.WriteString("\nNot done: " + undone + "\n")
	}
	if len(s.NeedsPerson) > 0 {
		names, more := s.NeedsPerson, ""
		if n := len(names) - mostNames; n > 0 {
			names, more = names[:mostNames], fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(&b, "\nDecision needed: %s%s\n", ui.Clean(strings.Join(names, ", ")), more)
	}
	if s.Attention > 0 && s.Phase == session.PhaseEnded {
		fmt.Fprintf(&b, "\nNeeds a person: %s; see the report\n", text.Count(s.Attention, "item"))
	}
	for _, d := range s.Deliveries {
		if d.Code != "" {
			fmt.Fprintf(&b, "\nThe report did not reach %s: %s\n", ui.Clean(d.To), ui.Clean(d.Detail))
		}
	}
	return b.String() + a.NextText(s.Next)
}

func summaryFacts(a *ui.App, s *project.LoopSummary) [][]string {
	tokens := fmt.Sprintf("%d (no limit)", s.Tokens)
	if s.TokensLimit > 0 {
		tokens = fmt.Sprintf("%d (of %d)", s.Tokens, s.TokensLimit)
		if over := s.Tokens - s.TokensLimit; over > 0 {
			tokens = fmt.Sprintf("%d (of %d: %d over)", s.Tokens, s.TokensLimit, over)
		}
	}
	if s.Lost > 0 {
		tokens += fmt.Sprintf(", %d of them assumed for calls without a usable reply", s.Lost)
	}
	if s.ByHand > 0 {
		tokens += fmt.Sprintf(", and %d more in sessions resumed by hand", s.ByHand)
	}
	if s.Reserved > 0 {
		tokens += fmt.Sprintf(", %d reserved", s.Reserved)
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
		rows = append(rows, []string{"Cost", flow.AtLeast(fmt.Sprintf("%s (%s)", ui.Money(s.USD), limit), s.Unpriced)})
	}
	if s.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(s.Until)})
	}
	if o := s.Outage; o != nil {
		rows = append(rows, []string{"Outage", fmt.Sprintf("since %s, asked %s: %s", a.Clock(o.Since), text.Count(o.Tries, "time"), ui.Clean(string(o.Code)+" "+o.Detail))},
			[]string{"Waiting", outageWait(a, s)})
	} else if s.RetryAt != "" {
		why := "requested by a provider"
		if s.Backoff {
			why = "to retry a failed session"
		}
		if s.Phase == session.PhaseLeft {
			why += "; not running: a run before that waits too"
		}
		rows = append(rows, []string{"Waiting", "until " + a.Clock(s.RetryAt) + ": " + why})
	}
	if s.Cause != nil {
		rows = append(rows, []string{"Cause", causeText(s.Cause)})
	}
	if s.Report != "" {
		rows = append(rows, []string{"Report", ui.FromHere(s.Report)})
	}
	if s.NotDurable {
		rows = append(rows, ui.NotDurable())
	}
	return append(rows, []string{"Journal", fmt.Sprintf("%s, head %s", text.Plural(s.Entries, "entry", "entries"), s.Head)})
}

// outageWait says when a loop asks again in an outage.
func outageWait(a *ui.App, s *project.LoopSummary) string {
	switch {
	case s.Phase == project.PhasePaused:
		return "paused: it asks again when it is continued"
	case s.Phase != session.PhaseRunning:
		return "not running: it asks again when it is run again"
	case s.Outage.AsksAt == "":
		return "for a reply, at most until " + a.Clock(s.Outage.GivesUp)
	}
	return "until " + a.Clock(s.Outage.AsksAt) + " to ask again; at most until " + a.Clock(s.Outage.GivesUp)
}

// Limits of the text output.
const (
	mostJobs     = 40
	mostUnbegun  = 5 // sessions that have not started
	mostNames    = 3
	mostProblems = 10
)

// summaryProblems lists the problems of sessions below the table, where they would break
// its alignment.
func summaryProblems(s *project.LoopSummary, b *strings.Builder) {
	shown := 0
	for i := range s.Sessions {
		j := &s.Sessions[i]
		if j.Problem == "" {
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\nProblems:\n")
		}
		if shown <= mostProblems {
			fmt.Fprintf(b, "  %s: %s\n", ui.Clean(cmp.Or(j.Thread, j.Name)), ui.Clean(strings.TrimSpace(string(j.Code)+" "+j.Problem)))
		}
	}
	if shown > mostProblems {
		fmt.Fprintf(b, "  … and %d more; --json lists all\n", shown-mostProblems)
	}
}

func summaryRows(s *project.LoopSummary) [][]string {
	rows := [][]string{{"SESSION", "ROUND", "JOB", "STATUS", "VERSION", "TOKENS", "CONFLICTS"}}
	tasks := slices.ContainsFunc(s.Sessions, func(j project.LoopSession) bool { return j.Task != "" })
	if tasks {
		rows[0] = append(rows[0], "RECORDS")
	}
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
		row := []string{
			ui.OrDash(ui.Clean(j.Thread)), fmt.Sprint(j.Round), ui.Clean(j.Name), statusText(&j, s), fmt.Sprint(j.Version), fmt.Sprint(j.Tokens), fmt.Sprint(j.Conflicts),
		}
		switch {
		case j.Task != "":
			row[4], row[6] = "-", "-"
			row = append(row, recordsText(j.Records, j.Refused, j.Unread))
		case tasks:
			row = append(row, "-")
		}
		rows = append(rows, row)
	}
	if n := len(s.Sessions) - len(rows) + 1; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("… and %d more; --json lists all", n)})
	}
	return rows
}

// statusText describes what became of a session, for the table.
func statusText(j *project.LoopSession, s *project.LoopSummary) string {
	if s.Place != "" && j.Machine == "" && j.Status == string(loop.Running) {
		return "waits for a worker"
	}
	status := report.Status(loop.Status(j.Status), j.Thread != "", s.Phase == session.PhaseEnded, !j.Nothing && j.Silent > 0)
	switch {
	case j.Machine != "":
		status += fmt.Sprintf(" on %s, process %d", ui.Clean(j.Machine), j.Process)
	case j.Status != string(loop.Finished) && j.Status != string(loop.Cut):
	case j.Nothing:
		status += ", nothing"
	case j.Silent > 0:
		status += fmt.Sprintf(", %d silent", j.Silent)
	}
	return status
}

// summarySilent names the sessions in which only some agents contributed.
func summarySilent(s *project.LoopSummary, b *strings.Builder) {
	shown := 0
	for i := range s.Sessions {
		j := &s.Sessions[i]
		if ended := j.Status == string(loop.Finished) || j.Status == string(loop.Cut); !ended || j.Nothing || j.Silent == 0 {
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\nSilent agents:\n")
		}
		if shown <= mostProblems {
			fmt.Fprintf(b, "  %s: %s contributed nothing in any round; see `brenner trace list %s`\n", ui.Clean(j.Thread), silentText(j.Silent, j.Idle), ui.Clean(j.Thread))
		}
	}
	if shown > mostProblems {
		fmt.Fprintf(b, "  … and %d more; --json lists all\n", shown-mostProblems)
	}
}

// silentText names silent agents; loops of earlier versions have only their number.
func silentText(n int, names []string) string {
	if len(names) == 0 {
		return text.Count(n, "agent")
	}
	return text.Some(names)
}

// summaryUndone lists the sessions that an ended loop did not run.
func summaryUndone(s *project.LoopSummary) string {
	if s.Phase != session.PhaseEnded {
		return ""
	}
	var parts []string
	if s.Waiting > 0 {
		parts = append(parts, text.Count(s.Waiting, "session")+" of round "+fmt.Sprint(s.Round))
	}
	if s.NotOpened > 0 {
		parts = append(parts, text.Count(s.NotOpened, "session")+" of later rounds")
	}
	return strings.Join(parts, ", ")
}

func loopReportCommand(a *ui.App) *cobra.Command {
	var html, send bool
	c := ui.InProject(&cobra.Command{
		Use:   "report NAME",
		Short: "Print or send the report of a loop",
		Long: `Prints a report on the loop's sessions, ended or not: pending decisions, disagreements
between hypotheses, tests by score, lessons, costs, failures and sessions not run. The
default format is Markdown.

With --send, sends the report of an ended loop to the configured mailbox and webhook,
unless they already have it.`,
		Example: `  brenner loop report night
  brenner loop report night --html > night.html
  brenner loop report night --json
  brenner loop report night --send

Exit codes: 0 printed or sent; 1 the store is damaged, or a delivery failed; 2 no such
loop, or nothing to send; 4 ` + "`brenner trust`" + ` required.`,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case html && a.JSON:
				return ui.Usage(c, "--html and --json cannot be combined", "")
			case html && send:
				return ui.Usage(c, "--html and --send cannot be combined", "")
			}
			p, err := a.Open()
			if err != nil {
				return err
			}
			if send {
				return sendReport(c.Context(), a, p, args[0])
			}
			r, err := p.LoopReport(c.Context(), args[0])
			if err == nil && html {
				page, err := r.HTML()
				if err != nil {
					return err
				}
				return a.Write(page)
			}
			return ui.Show(a, r, err, func(_ *ui.App, r *report.Report) string { return string(r.Markdown()) })
		},
	})
	c.Flags().BoolVar(&html, "html", false, "print one self-contained HTML file")
	c.Flags().BoolVar(&send, "send", false, "send the report to the recipients under report: that lack it")
	return c
}

// sendReport sends the report of an ended loop to the recipients that lack it.
func sendReport(ctx context.Context, a *ui.App, p *project.Project, name string) error {
	sent, err := p.SendReport(ctx, name)
	if err != nil {
		return err
	}
	if sent.Undelivered != nil {
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(sent.Undelivered))
	}
	sent.Exit = &a.Exit
	return ui.Show(a, sent, nil, sentText)
}

func sentText(_ *ui.App, r *project.SentReport) string {
	var b strings.Builder
	if len(r.To) == 0 {
		b.WriteString(ui.Clean(r.Loop) + ": report already delivered; nothing sent\n")
	}
	for _, d := range r.Deliveries {
		if slices.Contains(r.To, d.To) && d.Code == "" {
			b.WriteString(ui.Clean(r.Loop) + ": report sent to " + ui.Clean(d.To) + "\n")
		}
	}
	return b.String()
}
