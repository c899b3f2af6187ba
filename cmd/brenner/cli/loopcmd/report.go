package loopcmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/loop/report"
)

func loopReportCommand(a *ui.App) *cobra.Command {
	var project string
	var html, send bool
	c := &cobra.Command{
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
			p, err := a.Open(project, "", nil)
			if err != nil {
				return err
			}
			if send {
				return sendReport(c.Context(), a, p, args[0])
			}
			r, err := p.LoopReport(c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.Show(&reportResult{r, html})
		},
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().BoolVar(&html, "html", false, "one HTML file that needs nothing else")
	c.Flags().BoolVar(&send, "send", false, "send it to those that report: names and whom it has not reached")
	return c
}

type reportResult struct {
	*report.Report
	html bool
}

func (r *reportResult) Document() any { return r.Report }

func (r *reportResult) Print(a *ui.App) error {
	if !r.html {
		return a.Write(r.Markdown())
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	return a.Write(page)
}
