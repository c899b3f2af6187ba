package playbookcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookRenderCommand(a *ui.App) *cobra.Command {
	var dir string
	var w keeper.Wish
	c := &cobra.Command{
		Use:   "render",
		Short: "Print the bullets that a prompt would get, within its bound of tokens",
		Long: `Prints what a session puts into a prompt: bullets in PROD, and for a share of the sessions
(playbook.staging_share, by the session's id) those in STAGING, line for line as they stand
under Memory in its messages; those most about the subject first. Bullets are taken whole; those for which there is no room are named.`,
		Example: `  brenner playbook render --about "How does a cell know what to become?" --role test_designer
  brenner playbook render --tokens 200 --session RS-20261115-cells
  brenner playbook render --all

Exit codes: 0 printed, even if there is nothing; 1 the playbook is damaged; 2 a flag is wrong; 75 the
endpoint for embeddings cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if w.Tokens < 0 {
				return ui.Usage(c, "--tokens cannot be below 0", "")
			}
			var bound *int
			if c.Flags().Changed("tokens") {
				bound = &w.Tokens
			}
			return withBook(a, c, dir, (*project.Project).SearchPlaybook, func(b *project.Playbook) error {
				r, err := b.Render(c.Context(), w, bound)
				return show(a, renderView{r}, err)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	f := c.Flags()
	f.StringVar(&w.About, "about", "", "the subject; without it the oldest come first")
	f.StringVar(&w.Role, "role", "", "for this role: bullets with a tag role:OTHER are left out")
	f.StringVar(&w.Session, "session", "", "for this session")
	f.StringVar(&w.Domain, "domain", "", "only this domain")
	f.IntVar(&w.Tokens, "tokens", 0, "the bound; playbook.tokens if not given")
	f.BoolVar(&w.All, "all", false, "of every stage but quarantine: what could be said, not what is")
	return c
}

// renderView is the part of a prompt that holds bullets.
type renderView struct{ *project.RenderedLessons }

func (r renderView) Print(a *ui.App) error {
	if err := a.Write([]byte(r.Text)); err != nil || a.Quiet {
		return err
	}
	switch {
	case len(r.Left) > 0:
		a.Say("No room in " + text.Count(r.Budget, "token") + " for " + strings.Join(r.Left, ", ") + ".\n")
	case r.Text == "":
		a.Say("No bullet reaches this prompt.\n")
	}
	return nil
}
