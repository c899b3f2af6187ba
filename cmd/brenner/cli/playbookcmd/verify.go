package playbookcmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/playbook/keeper"
)

func playbookVerifyCommand(a *ui.App) *cobra.Command {
	var project, head string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Prove the playbook: follow its journal, and replay every entry of it",
		Long: `Reads the whole journal, follows its chain of hashes, replays what it says, and looks at
every vector. An entry that was edited, dropped, swapped or put in between is named.

That the end of a journal was cut off shows in nothing but a hash that somebody kept:
--head takes one.`,
		Example: `  brenner playbook verify
  brenner playbook verify --head 6f1c…

Exit codes: 0 it is whole; 1 it is not; 2 the configuration or the store cannot be used.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookVerify(a, c, project, head) },
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().StringVar(&head, "head", "", "the hash of an entry that has to be there")
	return c
}

func playbookVerify(a *ui.App, c *cobra.Command, project, head string) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	proved, err := p.ProvePlaybook(c.Context(), head)
	if err != nil {
		return err
	}
	if !proved.OK() {
		a.Exit = ui.ExitFailed
	}
	return a.Show(&playbookProof{Schema: "brenner.playbook.verify/v1", Whole: proved.OK(), Proof: proved, Problems: fault.Details(proved.Found...)})
}

// ProofSize returns how much a playbook holds, in words.
func ProofSize(p *keeper.Proof) string {
	return text.Plural(p.Entries, "entry", "entries") + ", " + text.Count(p.Bullets, "bullet") + ", " + text.Count(p.Vectors, "vector")
}

// playbookProof is what verifying a playbook came to.
type playbookProof struct {
	Schema string `json:"schema"`
	Whole  bool   `json:"whole"`
	*keeper.Proof
	Problems []fault.Detail `json:"problems"`
}

func (v *playbookProof) Print(a *ui.App) error {
	if !v.Whole {
		var text string
		for _, p := range v.Problems {
			text += "NOT WHOLE: " + ui.Clean(p.Message) + "\n"
			if p.Hint != "" && !a.Quiet {
				text += "  hint: " + ui.Clean(p.Hint) + "\n"
			}
		}
		return a.Write([]byte(text))
	}
	if a.Quiet {
		return nil
	}
	return a.Write([]byte(ui.Columns([][]string{
		{"Whole", ProofSize(v.Proof)},
		{"Head", ui.OrDash(v.Head)},
	})))
}
