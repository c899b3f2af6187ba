package sessioncmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
)

func sessionImportCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Take the session of an export into this project",
		Long: `Proves an export as verify does, and takes its session into the project's store, whole or
not at all. Where the session is here already, and the export has more of it, it is
continued; where it went another way, nothing is touched.`,
		Example: `  brenner session import RS-20261115-cell-fate.brenner.jsonl
  brenner session import -C ../review cell-fate.jsonl

Exit codes: 0 imported, or it is here already; 1 the export was changed, or it cannot be
stored; 2 the file cannot be read, or is no export; 5 there is another session of this
name here, or another process holds it.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return importSession(a, c, project, args[0]) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func importSession(a *ui.App, c *cobra.Command, dir, file string) error {
	ctx := c.Context()
	data, err := a.ReadExact("the export", file)
	if err != nil {
		return err
	}
	x, err := project.ProvenExport(ctx, file, data)
	if err != nil {
		return err
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	res, err := p.Import(ctx, file, x, ui.Doing(c))
	if err != nil {
		return err
	}
	return a.Show(imported{res})
}

// imported is a session that was taken in, for people.
type imported struct{ *project.Imported }

func (i imported) Print(a *ui.App) error {
	what := fmt.Sprintf("imported, %s", text.Plural(i.New, "new entry", "new entries"))
	switch {
	case i.New == 0 && i.Ahead:
		what = "already here, and further on than the export"
	case i.New == 0:
		what = "already here"
	}
	if a.Quiet {
		return a.Write([]byte(ui.Clean(i.Thread) + "\n"))
	}
	return a.Write([]byte(fmt.Sprintf("%s: %s\n%s", ui.Clean(i.Thread), what, ui.Columns([][]string{
		{"Holds", text.Plural(i.Entries, "entry", "entries") + ", " + text.Count(i.Versions, "version")}, {"Head", i.Head}, {"Seal", i.Seal},
	}))))
}
