package sessioncmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// exportEnding is how the files of exports are called.
const exportEnding = ".brenner.jsonl"

type exportOptions struct {
	out   string
	force bool
}

func sessionExportCommand(a *ui.App) *cobra.Command {
	var opt exportOptions
	c := ui.InProject(&cobra.Command{
		Use:   "export ID",
		Short: "Write everything about a session into one file that proves itself",
		Long: `Writes one file with everything that a reviewer needs: the journal, every message and
every reply, every version. ` + "`brenner verify FILE`" + ` proves it without this project, and every
command that only reads takes it in the place of a session.

The head that is printed is what to keep apart from the file: with it, verify also shows
a journal whose end was cut off, or that was made anew from its beginning.`,
		Example: `  brenner session export RS-20261115-cell-fate
  brenner session export RS-20261115-cell-fate --out review/cell-fate.jsonl --force
  brenner session export RS-20261115-cell-fate --out - | gzip > cell-fate.jsonl.gz

Exit codes: 0 written; 1 it cannot be written, or the store is damaged; 2 there is no such
session, or the file is there already.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			if opt.out == "-" && a.JSON {
				return ui.Usage(c, "--out - and --json both want standard output", "give --out a file")
			}
			return a.WithWhole(c, args[0], func(ctx context.Context, _ *project.Source, h *session.History) error {
				return export(ctx, a, h, &opt)
			})
		},
	})
	f := c.Flags()
	f.StringVarP(&opt.out, "out", "o", "", `the file; ID`+exportEnding+` in the working directory if not given, "-" is standard output`)
	f.BoolVar(&opt.force, "force", false, "overwrite the file if it is there")
	return c
}

func export(ctx context.Context, a *ui.App, h *session.History, opt *exportOptions) error {
	x, err := audit.ExportSession(ctx, h)
	if err != nil {
		return err
	}
	if x.File = opt.out; x.File == "" {
		x.File = h.Thread + exportEnding
	}
	switch {
	case x.File == "-":
		err = a.Write(x.Data)
	case opt.force:
		err = files.Replace(x.File, x.Data)
	default:
		if err = files.Create(x.File, x.Data); fault.CodeOf(err) == files.AlreadyExists {
			err = &fault.Error{
				Code: files.AlreadyExists, Op: "export " + h.Thread, Place: x.File, Detail: "it is there already, and was not touched",
				Hint: "--force overwrites it; --out names another file",
			}
		}
	}
	return ui.Show(a, x, err, exportedText)
}

func exportedText(a *ui.App, x *audit.Export) string {
	if x.File == "-" {
		if !a.Quiet {
			a.Say(exportedFacts(x))
		}
		return ""
	}
	if a.Quiet {
		return ui.Clean(x.File) + "\n"
	}
	return exportedFacts(x)
}

func exportedFacts(x *audit.Export) string {
	return ui.Columns([][]string{
		{"Session", ui.Clean(x.Thread)},
		{"File", fmt.Sprintf("%s, %d bytes", ui.Clean(x.File), x.Bytes)},
		{"Holds", fmt.Sprintf("%s, %s, %s", text.Plural(x.Entries, "entry", "entries"), text.Count(x.Blobs, "blob"), text.Count(x.Versions, "version"))},
		{"Head", x.Head},
		{"Seal", x.Seal},
		{"SHA-256", x.SHA256},
	})
}

func sessionImportCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
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
		RunE: func(c *cobra.Command, args []string) error { return importSession(a, c, args[0]) },
	})
}

func importSession(a *ui.App, c *cobra.Command, file string) error {
	ctx := c.Context()
	data, err := a.ReadExact("the export", file)
	if err != nil {
		return err
	}
	x, err := project.ProvenExport(ctx, file, data)
	if err != nil {
		return err
	}
	p, err := a.Open()
	if err != nil {
		return err
	}
	res, err := p.Import(ctx, file, x, ui.Doing(c))
	return ui.Show(a, res, err, importedText)
}

func importedText(a *ui.App, i *project.Imported) string {
	what := fmt.Sprintf("imported, %s", text.Plural(i.New, "new entry", "new entries"))
	switch {
	case i.New == 0 && i.Ahead:
		what = "already here, and further on than the export"
	case i.New == 0:
		what = "already here"
	}
	if a.Quiet {
		return ui.Clean(i.Thread) + "\n"
	}
	return fmt.Sprintf("%s: %s\n%s", ui.Clean(i.Thread), what, ui.Columns([][]string{
		{"Holds", text.Plural(i.Entries, "entry", "entries") + ", " + text.Count(i.Versions, "version")}, {"Head", i.Head}, {"Seal", i.Seal},
	}))
}
