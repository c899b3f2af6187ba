package sessioncmd

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// runJob runs a session, shows what happens while it does, and then what it came to.
func runJob(a *ui.App, c *cobra.Command, run *runFlags, j *project.Job) error {
	ctx, drain, done := a.Interrupts.Gently(c.Context(), func() {
		a.Say("\nbrenner: waiting for the calls under way; once more stops at once. Nothing is lost: `brenner session resume` goes on\n")
	})
	defer done()
	// Whoever reads the output may go away; the session goes on.
	signal.Ignore(syscall.SIGPIPE)
	progress := run.progress(c, a)
	ended, err := j.Run(ctx, project.Watch{
		Event: progress.event, Tokens: progress.tokens, Ended: progress.end, Learned: a.Learned(false), Drain: drain,
	})
	if err != nil {
		return err
	}
	summary, err := audit.Summarise(context.WithoutCancel(ctx), ended.History, j.Source().Locks, "")
	if err != nil {
		return err
	}
	summary.Artifact = ended.Artifact
	a.Exit = exitOf(ended.Result, summary)
	summary.Exit = &a.Exit
	if run.jsonStream {
		return errors.Join(a.PrintJSON(summary), ended.Unpublished)
	}
	return errors.Join(a.Show(summaryView{summary}), ended.Unpublished)
}

// exitOf translates the end of a run.
func exitOf(res *session.Result, s *audit.Summary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ui.ExitInterrupted
	case res.Reason == flow.EndBudget:
		return ui.ExitBudget
	case res.Reason == flow.EndLater:
		return ui.ExitLater
	case len(s.Conflicts) > 0, s.NeedsRuling():
		return ui.ExitPerson
	case len(res.Missing) > 0, res.Reason == flow.EndQuorum, res.Reason == flow.EndTime:
		return ui.ExitPartial
	}
	return 0
}
