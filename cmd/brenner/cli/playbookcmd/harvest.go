package playbookcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

func playbookHarvestCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "harvest [ID]",
		Short: "Learn from sessions that have ended, where that has not happened yet",
		Long: `A session teaches the playbook when it ends. Where that could not happen, because the
process was killed, or where people have ruled in the session since, the next
` + "`brenner session start`" + ` catches up on it; this command does so at once.

Nothing counts twice, however often it is called. With ID it learns from one session, also
from one that was imported: those never teach by themselves. A rehearsal teaches nothing.`,
		Example: `  brenner playbook harvest
  brenner playbook harvest RS-20261115-cell-fate

Exit codes: 0 done, even if there was nothing to learn; 1 it could not be stored, or a session is
damaged; 2 there is no such session, it has not ended, or it is a rehearsal; 75 the store is busy,
or the endpoint for embeddings cannot be reached.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return playbookHarvest(a, c, project, args) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func playbookHarvest(a *ui.App, c *cobra.Command, dir string, args []string) error {
	thread := ""
	if len(args) == 1 {
		var err error
		if thread, err = ui.StoredSession(c, args[0]); err != nil {
			return err
		}
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	res, err := p.HarvestPlaybook(c.Context(), thread)
	return show(a, harvestView{res}, err)
}

// harvestView is what the playbook has learned.
type harvestView struct{ *project.Harvest }

func (r harvestView) Print(a *ui.App) error {
	if a.Quiet {
		return nil
	}
	var b strings.Builder
	for i := range r.Sessions {
		s := &r.Sessions[i]
		text := project.LearnedText(s.Learned)
		if s.Nothing() {
			text = "nothing new"
		}
		if s.RolledBack != "" {
			text += "; " + ui.Clean(s.RolledBack)
		}
		b.WriteString(ui.Clean(s.Thread) + ": " + text + "\n")
	}
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing is due: the playbook has learned from every session that ended.\n")
	}
	return a.Write([]byte(b.String()))
}
