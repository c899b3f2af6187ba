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
	project string
	out     string
	force   bool
}

func sessionExportCommand(a *ui.App) *cobra.Command {
	var opt exportOptions
	c := &cobra.Command{
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
			return a.WithSession(c, opt.project, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				if err := ui.WholeSession(c, src.Address); err != nil {
					return err
				}
				return export(ctx, a, h, &opt)
			})
		},
	}
	ui.AddProjectFlag(c, &opt.project)
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
	if err != nil {
		return err
	}
	return a.Show(exported{x})
}

// exported is a file that was written, for people.
type exported struct{ *audit.Export }

func (x exported) Print(a *ui.App) error {
	if x.File == "-" {
		if !a.Quiet {
			a.Say(x.facts())
		}
		return nil
	}
	if a.Quiet {
		return a.Write([]byte(ui.Clean(x.File) + "\n"))
	}
	return a.Write([]byte(x.facts()))
}

func (x exported) facts() string {
	return ui.Columns([][]string{
		{"Session", ui.Clean(x.Thread)},
		{"File", fmt.Sprintf("%s, %d bytes", ui.Clean(x.File), x.Bytes)},
		{"Holds", fmt.Sprintf("%s, %s, %s", text.Plural(x.Entries, "entry", "entries"), text.Count(x.Blobs, "blob"), text.Count(x.Versions, "version"))},
		{"Head", x.Head},
		{"Seal", x.Seal},
		{"SHA-256", x.SHA256},
	})
}
