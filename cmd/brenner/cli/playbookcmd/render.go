package playbookcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/internal/tokens"
	"brenner/playbook/keeper"
	"brenner/session/memory"
)

func playbookRenderCommand(a *ui.App) *cobra.Command {
	var project string
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
			d, err := openToSearch(c.Context(), a, project)
			if err != nil {
				return err
			}
			defer d.close()
			if !c.Flags().Changed("tokens") {
				w.Tokens = d.project.Config.Playbook.Tokens
			}
			counter := tokens.New()
			w.Count, w.Line = counter.Count, memory.Line
			r, err := d.Choose(c.Context(), w)
			if err != nil {
				return err
			}
			used := 0
			if r.Text != "" {
				used = counter.Count(r.Text)
			}
			return a.Show(&renderedBullets{
				Schema: "brenner.playbook.render/v1", Text: r.Text, Bullets: append([]string{}, r.Taken...), Left: append([]string{}, r.Left...), Tokens: used, Budget: w.Tokens,
			})
		},
	}
	ui.AddProjectFlag(c, &project)
	f := c.Flags()
	f.StringVar(&w.About, "about", "", "the subject; without it the oldest come first")
	f.StringVar(&w.Role, "role", "", "for this role: bullets with a tag role:OTHER are left out")
	f.StringVar(&w.Session, "session", "", "for this session")
	f.StringVar(&w.Domain, "domain", "", "only this domain")
	f.IntVar(&w.Tokens, "tokens", 0, "the bound; playbook.tokens if not given")
	f.BoolVar(&w.All, "all", false, "of every stage but quarantine: what could be said, not what is")
	return c
}

// renderedBullets is the part of a prompt that holds bullets.
type renderedBullets struct {
	Schema  string   `json:"schema"`
	Text    string   `json:"text"`
	Bullets []string `json:"bullets"`
	Left    []string `json:"left"` // for which there was no room
	Tokens  int      `json:"tokens"`
	Budget  int      `json:"budget"`
}

func (r *renderedBullets) Print(a *ui.App) error {
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
