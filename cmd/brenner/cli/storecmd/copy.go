package storecmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project/storage"
)

func storeCopyCommand(a *ui.App) *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use:   "copy --from ADDRESS|DIR --to ADDRESS|DIR",
		Short: "Copy a whole store to a database or to a file",
		Long: `Copies everything in a store: sessions, loops, the playbook and all records. Each place is the
address of a database, or the directory of a project, whose store is .brenner/brenner.db.

The target must be empty, or contain a part of the source: an interrupted copy continues. In the
end both are compared. A store in which a session or a loop runs is refused, and so is one that
another process writes to meanwhile: the copy is the source at one moment. Mail, published artifact
files and reports stay where they are.`,
		Example: `  brenner store copy --from . --to "postgres://brenner@db.example/research?project=cells"
  brenner store copy --from "postgres://brenner@db.example/research?project=cells" --to backup

Exit codes: 0 copied and compared; 1 the source is damaged; 2 the target has other content, or a place does not exist;
5 a process uses a store; 75 a server does not answer.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if from == "" || to == "" {
				return ui.Usage(c, "--from and --to are required", "pass the address of a database, or the directory of a project")
			}
			p, err := a.Open()
			if err != nil {
				return err
			}
			r, err := p.CopyStore(c.Context(), from, to)
			return ui.Show(a, r, err, copiedText)
		},
	}
	ui.InProject(c)
	c.Flags().StringVar(&from, "from", "", "the store to copy")
	c.Flags().StringVar(&to, "to", "", "where to copy it")
	return c
}

func copiedText(a *ui.App, r *storage.Copied) string {
	one := fmt.Sprintf("copied %s, %s, %s and %s from %s to %s; both are equal\n",
		text.Plural(r.Streams, "journal", "journals"), text.Plural(r.Entries, "entry", "entries"), text.Count(r.Blobs, "text"), text.Count(r.Records, "record version"),
		ui.Clean(r.From), ui.Clean(r.To))
	if r.New == 0 && !a.Quiet {
		one += "nothing was new\n"
	}
	return one
}
