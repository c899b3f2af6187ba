package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"brenner/session"
)

func (a *app) sessionStatusCommand() *cobra.Command {
	var project string
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
				return a.newestStatus(c, project)
			}
			err := a.withSession(c, project, args[0], func(ctx context.Context, src *source, h *session.History) error {
				if err := wholeSession(c, src.address); err != nil {
					return err
				}
				return a.showStatus(ctx, src, h)
			})
			if unknownHere(err) {
				return a.foreignStatus(c, project, args[0], err)
			}
			return err
		},
	}
	addProjectFlag(c, &project)
	return c
}

func (a *app) newestStatus(c *cobra.Command, project string) error {
	ctx := c.Context()
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return err
	}
	st, err := cfg.openToRead(ctx)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	streams, err := sessionStreams(ctx, st)
	if err != nil {
		return err
	}
	if len(streams) == 0 {
		return usage(c, "there is no session yet", "`brenner session start` begins one")
	}
	h, err := session.Load(ctx, st, threadOf(&streams[0]))
	if err != nil {
		return err
	}
	return a.showStatus(ctx, &source{store: st, locks: st, config: cfg}, h)
}

// showStatus shows where a session stands, and exits with what that asks for.
func (a *app) showStatus(ctx context.Context, src *source, h *session.History) error {
	s, err := a.summarise(ctx, src, h)
	if err != nil {
		return err
	}
	if src.file == "" && src.config != nil {
		path := filepath.Join(publishedDir(src.config, h.Thread), "artifact.md")
		if _, err := os.Stat(path); err == nil {
			s.Artifact = path
		}
	}
	a.addThread(ctx, src, h, s)
	switch {
	case s.Phase == phaseEnded && (len(s.Conflicts) > 0 || s.stuck()):
		a.exit = exitPerson
	case s.Phase == phaseEnded && len(s.Missing) > 0:
		a.exit = exitPartial
	}
	return a.show(s)
}
