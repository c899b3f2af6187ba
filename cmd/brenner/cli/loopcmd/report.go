package loopcmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/loop/report"
	"brenner/project"
)

func loopReportCommand(a *ui.App) *cobra.Command {
	var html, send bool
	c := ui.InProject(&cobra.Command{
		Use:   "report NAME",
		Short: "Print what a loop came to, ended or not: Markdown, HTML or JSON",
		Long: `Reads the loop's sessions and prints the report: what needs a person, where the hypotheses of
each question disagree, tests by score, what was learned, what was spent, what failed and
what was left undone. With --send the report of a loop that has ended goes to the mailbox
and the webhook of the configuration instead, as far as it has not reached them.`,
		Example: `  brenner loop report night
  brenner loop report night --html > night.html
  brenner loop report night --json
  brenner loop report night --send

Exit codes: 0 printed, or sent; 1 the store is damaged, or somebody was not reached; 2 there
is no such loop, or nothing to send; 4 a file wants what needs ` + "`brenner trust`" + `.`,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case html && a.JSON:
				return ui.Usage(c, "--html and --json are two forms of one report", "leave one of them out")
			case html && send:
				return ui.Usage(c, "--send sends, and prints no page", "leave --html out")
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
	c.Flags().BoolVar(&html, "html", false, "one HTML file that needs nothing else")
	c.Flags().BoolVar(&send, "send", false, "send it to those that report: names and whom it has not reached")
	return c
}

// sendReport sends the report of a loop that has ended to the readers whom it has not
// reached.
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
		b.WriteString(ui.Clean(r.Loop) + ": the report has reached everybody already; nothing was sent\n")
	}
	for _, d := range r.Deliveries {
		if slices.Contains(r.To, d.To) && d.Code == "" {
			b.WriteString(ui.Clean(r.Loop) + ": the report was sent to " + ui.Clean(d.To) + "\n")
		}
	}
	return b.String()
}
