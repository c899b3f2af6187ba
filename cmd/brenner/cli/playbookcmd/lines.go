package playbookcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookImportCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var domain string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Add bullets from lines of the form [id] helpful=N harmful=N :: text",
		Long: `Adds bullets from a file in the line form of other playbook tools, all or none; "-" is
standard input. Blank lines and headings (#) are passed over. A line that is there already is
passed over too, and one whose id or text stands for something else is refused, as is one that
says the same as another line, that stands in another domain than --domain, or that cannot be
read: then nothing is imported, and every such line is named.

The bullets keep their ids and counters and begin in SHADOW. Making their vectors takes some
ten to forty milliseconds for each.`,
		Example: `  brenner playbook import playbook.txt
  brenner playbook export -C ../other | brenner playbook import -

Exit codes: 0 imported; 1 it could not be stored; 2 the file or a line cannot be used, and nothing is
imported; 4 --as names no authority; 75 the store is busy, or the endpoint cannot be reached.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return playbookImport(a, c, &opt, args[0], domain) },
	}
	opt.add(c, "why, for the journal")
	c.Flags().StringVar(&domain, "domain", "", "the domain of the bullets; playbook.domain if not given")
	return c
}

func playbookImport(a *ui.App, c *cobra.Command, opt *actFlags, file, domain string) error {
	data, err := a.ReadFile("the bullets", file)
	if err != nil {
		return err
	}
	return withPlaybook(a, c, opt, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
		r, err := b.ImportLines(c.Context(), act, file, string(data), domain)
		return importView{r}, err
	})
}

// importView is what an import came to.
type importView struct{ *project.ImportedLines }

func (r importView) Print(a *ui.App) error {
	if a.Quiet {
		return nil
	}
	return a.Write(fmt.Appendf(nil, "%s: %s added, %d there before\n", ui.Clean(r.File), text.Count(r.Added, "bullet"), r.Already))
}

func playbookExportCommand(a *ui.App) *cobra.Command {
	var dir, domain, out string
	var all, force bool
	c := &cobra.Command{
		Use:   "export",
		Short: "Write the bullets as lines of the form [id] helpful=N harmful=N :: text",
		Long: `Writes the bullets, the oldest first, in the line form of other playbook tools. It has no
stages: so what is quarantined is left out, unless --all is given. What is exported can be
imported again, and gives the same lines; it has no domains either, so where domains share a
text, export each of them with --domain.`,
		Example: `  brenner playbook export > playbook.txt
  brenner playbook export --all --out everything.txt

Exit codes: 0 written, even if there are none; 1 it cannot be written, or the playbook is damaged; 2 the
file is there already.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				if err := ui.Unused(c, "needs --out", "force"); err != nil {
					return err
				}
			}
			return withBook(a, c, dir, (*project.Project).OpenPlaybook, func(b *project.Playbook) error {
				x := b.Lines(domain, all)
				if x.File = out; out == "" {
					return a.Show(linesView{x})
				}
				write := files.Create
				if force {
					write = files.Replace
				}
				return show(a, linesView{x}, write(out, x.Bytes()))
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "write to this file instead of standard output")
	f.StringVar(&domain, "domain", "", "only this domain")
	f.BoolVar(&all, "all", false, "what is quarantined too")
	f.BoolVar(&force, "force", false, "overwrite the file if it is there")
	return c
}

// linesView is bullets as lines.
type linesView struct{ *keeper.Lines }

func (x linesView) Print(a *ui.App) error {
	if x.File == "" {
		return a.Write(x.Bytes())
	}
	if !a.Quiet {
		a.Say(fmt.Sprintf("%s: %s\n", ui.Clean(x.File), text.Count(len(x.Lines.Lines), "bullet")))
	}
	return nil
}
