package sessioncmd

import (
	"context"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
)

func sessionStatusCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "status [ID|FILE]",
		Short: "Show where a session stands: who answered, what is missing, what is in conflict",
		Long: `Shows where a session stands: its phase, who answered, what every version came to, what
was rejected and what waits for a person; for agents with mailboxes also what the thread
tells: who acknowledged, who answered, who is silent. A thread that another tool began is
shown as far as its mail tells. Without an argument it shows the session in which
something happened last.`,
		Example: `  brenner session status
  brenner session status RS-20261115-cell-fate --json

Exit codes: 0 shown; 1 the store is damaged; 2 there is no such session; 3 shown, and some
answer is missing for good; 5 shown, and the session has ended with an open conflict or
stalemate: it waits for a person.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return newestStatus(a, c, dir)
			}
			err := a.WithSession(c, dir, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				if err := ui.WholeSession(c, src.Address); err != nil {
					return err
				}
				return showStatus(ctx, a, src, h)
			})
			if unknownHere(err) {
				return foreignStatus(a, c, dir, args[0], err)
			}
			return err
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

func newestStatus(a *ui.App, c *cobra.Command, dir string) error {
	ctx := c.Context()
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return err
	}
	if len(streams) == 0 {
		return ui.Usage(c, "there is no session yet", "`brenner session start` begins one")
	}
	h, err := session.Load(ctx, st, session.ThreadOf(&streams[0]))
	if err != nil {
		return err
	}
	return showStatus(ctx, a, &project.Source{Store: st, Locks: st, Project: p}, h)
}

// showStatus shows where a session stands, and exits with what that asks for.
func showStatus(ctx context.Context, a *ui.App, src *project.Source, h *session.History) error {
	s, err := src.Status(ctx, h)
	if err != nil {
		return err
	}
	switch {
	case s.Phase == session.PhaseEnded && (len(s.Conflicts) > 0 || s.NeedsRuling()):
		a.Exit = ui.ExitPerson
	case s.Phase == session.PhaseEnded && len(s.Missing) > 0:
		a.Exit = ui.ExitPartial
	}
	return a.Show(summaryView{s})
}
