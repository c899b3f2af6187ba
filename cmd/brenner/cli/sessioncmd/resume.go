package sessioncmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
)

func sessionResumeCommand(a *ui.App) *cobra.Command {
	var project string
	var run runFlags
	c := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a session after a crash, an interrupt or a timeout",
		Long: `Goes on with a session where its journal ends. Nobody is asked again for what was
answered; calls that failed, or that were never heard of again, are made once more.
Who takes part, how they are reached, the rules and the script of a rehearsal are those
that the session was opened with.

Of the settings only those change that are given here as flags, and the deadlines, which
are those of the flags and of brenner.yaml as it is now. Every change is journaled.

A session that has ended is no fault: it says so, and shows where the session stands.`,
		Example: `  brenner session resume RS-20261115-cell-fate
  brenner session resume RS-20261115-cell-fate --rounds 5 --budget-tokens 1000000
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 done, or there was nothing left to do; 1 it could not be stored; 2 there is
no such session, or an agent cannot be reached; 3 done, but an agent did not answer;
4 a file wants what needs ` + "`brenner trust`" + `; 5 it has an open conflict or stalemate, or another process
holds the session; 6 the budget does not reach further; 75 too few answered, and they said when
to return; 130 interrupted.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return resume(a, c, project, args[0], &run) },
	}
	ui.AddProjectFlag(c, &project)
	run.add(c)
	return c
}

func resume(a *ui.App, c *cobra.Command, dir, arg string, run *runFlags) error {
	if err := run.checkWatch(c, a); err != nil {
		return err
	}
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return err
	}
	p, err := a.Open(dir, "", run.keys(c))
	if err != nil {
		return err
	}
	o := &project.ResumeOptions{
		Traffic: run.traffic, ServeMail: run.serveMail, Doing: ui.Doing(c),
		Change: p.Config.ChangeByFlags,
	}
	if c.Flags().Changed("budget-usd") {
		o.BudgetUSD = &p.Config.Session.BudgetUSD
	}
	j, err := p.PrepareResume(c.Context(), thread, o)
	if err != nil {
		return err
	}
	defer j.Close()
	err = runJob(a, c, run, j)
	if fault.CodeOf(err) != session.NotOpen {
		return err
	}
	return nothingToResume(a, c, j, err)
}

// nothingToResume shows a session that has come to its end: for whoever resumes
// all sessions each night that is as it should be.
func nothingToResume(a *ui.App, c *cobra.Command, j *project.Job, why error) error {
	if !a.Quiet {
		a.Say(ui.Clean(why.Error()) + "; " + ui.Clean(fault.HintOf(why)) + "\n")
	}
	return showStatus(c.Context(), a, j.Source(), j.History)
}
