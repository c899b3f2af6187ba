package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
)

// exportEnding is how the files of exports are called.
const exportEnding = ".brenner.jsonl"

type exportOptions struct {
	project string
	out     string
	force   bool
}

func (a *app) sessionExportCommand() *cobra.Command {
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
		Args: oneSession,
		RunE: func(c *cobra.Command, args []string) error {
			if opt.out == "-" && a.json {
				return usage(c, "--out - and --json both want standard output", "give --out a file")
			}
			return a.withSession(c, opt.project, args[0], func(ctx context.Context, src *source, h *session.History) error {
				if err := wholeSession(c, src.address); err != nil {
					return err
				}
				return a.export(ctx, h, &opt)
			})
		},
	}
	addProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVarP(&opt.out, "out", "o", "", `the file; ID`+exportEnding+` in the working directory if not given, "-" is standard output`)
	f.BoolVar(&opt.force, "force", false, "overwrite the file if it is there")
	return c
}

func (a *app) export(ctx context.Context, h *session.History, opt *exportOptions) error {
	var data bytes.Buffer
	if err := h.Export(ctx, &data); err != nil {
		return err
	}
	x := &exported{
		Schema: "brenner.session.export/v1", Thread: h.Thread, File: opt.out, Head: h.State.Head.Hash, Seal: h.State.Seal(),
		SHA256: store.Hash(data.Bytes()), Bytes: data.Len(), Entries: len(h.Entries), Blobs: len(h.References()), Versions: h.State.Version(),
	}
	if x.File == "" {
		x.File = h.Thread + exportEnding
	}
	var err error
	switch {
	case x.File == "-":
		err = a.write(data.Bytes())
	case opt.force:
		err = writeFile(x.File, data.Bytes())
	default:
		if err = createFile(x.File, data.Bytes()); fault.CodeOf(err) == AlreadyExists {
			err = &fault.Error{
				Code: AlreadyExists, Op: "export " + h.Thread, Place: x.File, Detail: "it is there already, and was not touched",
				Hint: "--force overwrites it; --out names another file",
			}
		}
	}
	if err != nil {
		return err
	}
	return a.show(x)
}

// exported is a file that was written.
type exported struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	SHA256   string `json:"sha256"` // of the file
	Bytes    int    `json:"bytes"`
	Entries  int    `json:"entries"`
	Blobs    int    `json:"blobs"`
	Versions int    `json:"versions"`
}

func (x *exported) text(a *app) error {
	if x.File == "-" {
		if !a.quiet {
			a.say(x.facts())
		}
		return nil
	}
	if a.quiet {
		return a.write([]byte(clean(x.File) + "\n"))
	}
	return a.write([]byte(x.facts()))
}

func (x *exported) facts() string {
	return columns([][]string{
		{"Session", clean(x.Thread)},
		{"File", fmt.Sprintf("%s, %d bytes", clean(x.File), x.Bytes)},
		{"Holds", fmt.Sprintf("%s, %s, %s", plural(x.Entries, "entry", "entries"), count(x.Blobs, "blob"), count(x.Versions, "version"))},
		{"Head", x.Head},
		{"Seal", x.Seal},
		{"SHA-256", x.SHA256},
	})
}

func (x *exported) document() any { return x }
