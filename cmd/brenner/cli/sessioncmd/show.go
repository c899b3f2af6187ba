package sessioncmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

type showOptions struct {
	format string
	out    string
}

func sessionShowCommand(a *ui.App) *cobra.Command {
	var opt showOptions
	c := ui.InProject(&cobra.Command{
		Use:   "show ID[@vN][#ITEM[.FIELD]]|FILE",
		Short: "Print the artifact of a session, a version of it, an item or a field",
		Long: `Prints the artifact of a session as Markdown, or as canonical JSON with --format json. An
address names less: @v3 a version, #H2 an item, #H2.claim a field, #P1.predictions.H2 a
cell. Of a field in CONFLICT every candidate has a line. In the place of a session the file
of an export can be given.

JSON is printed to the byte, without a line's end: the SHA-256 of a whole artifact is the
one that ` + "`brenner session replay`" + ` names.`,
		Example: `  brenner session show RS-20261115-cell-fate
  brenner session show RS-20261115-cell-fate@v2#H1.claim
  brenner session show cell-fate.brenner.jsonl --format json --out v4.json

Exit codes: 0 printed; 1 the store or the export is damaged; 2 there is no such session,
version, item or field.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return showArtifact(a, c, args[0], &opt) },
	})
	addFormatFlag(c, &opt.format)
	c.Flags().StringVarP(&opt.out, "out", "o", "", "write it to this file instead")
	return c
}

func addFormatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "", "markdown or json; the ending of --out, or markdown, if not given")
}

// asJSON reports which of the two forms is wanted.
func asJSON(c *cobra.Command, format, out string) (bool, error) {
	switch format {
	case "json":
		return true, nil
	case "markdown", "md":
		return false, nil
	case "":
		return strings.HasSuffix(out, ".json"), nil
	}
	return false, ui.Usage(c, "--format "+ui.Clean(format)+" is neither json nor markdown", "")
}

func showArtifact(a *ui.App, c *cobra.Command, arg string, opt *showOptions) error {
	inJSON, err := asJSON(c, opt.format, opt.out)
	if err != nil {
		return err
	}
	return a.WithSession(c, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		part, err := audit.PartAt(ctx, h, src.Address)
		if err != nil {
			return err
		}
		written, err := ui.WriteOut(opt.out, func() []byte { return partBytes(part, inJSON) })
		return ui.Show(a, part, err, func(a *ui.App, part *audit.Part) string {
			if written == "" {
				return string(partBytes(part, inJSON))
			}
			if !a.Quiet {
				a.Say(fmt.Sprintf("%s, written to %s\n", part.Address, ui.Clean(written)))
			}
			return ""
		})
	})
}

// candidatesText gives each candidate its line, as resolve lists them.
func candidatesText(conflict artifact.Conflict) []byte {
	var b []byte
	for _, c := range conflict {
		value := strings.TrimSuffix(plainValue(artifact.Canonical(c.Value)), "\n")
		b = fmt.Appendf(b, "%s (%s): %s\n", ui.Clean(c.Agent), ui.Clean(c.Delta), ui.Clean(value))
	}
	return b
}

// plainValue returns a text as it is, with its lines and tabs, and other values as JSON;
// what could deceive a terminal is only named. Exact bytes are what --format json is for.
func plainValue(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ui.Clean(string(value)) + "\n"
	}
	return ui.CleanText(text) + "\n"
}

// partBytes returns an artifact, an item or a field in one of its two forms. JSON has no
// line's end, so that anybody can take its hash.
func partBytes(p *audit.Part, inJSON bool) []byte {
	switch {
	case inJSON:
		return p.Canonical()
	case p.Conflict != nil:
		return candidatesText(p.Conflict)
	case p.Value != nil:
		return []byte(plainValue(p.Value))
	}
	return p.Markdown
}

type replayOptions struct {
	without string
	format  string
}

func sessionReplayCommand(a *ui.App) *cobra.Command {
	var opt replayOptions
	c := ui.InProject(&cobra.Command{
		Use:   "replay ID|FILE",
		Short: "Settle a session again from its journal, and prove the same bytes",
		Long: `Settles everything again, from the empty artifact on, offline and from the replies that
the journal names, and compares each version with the one that was committed, byte by
byte.

With --without it shows what the artifact would be had one agent, or one person, never
answered: the artifact on standard output, what that changes on standard error. Whoever
meant an item by its id means the same item then, whatever its id is.`,
		Example: `  brenner session replay RS-20261115-cell-fate
  brenner session replay cell-fate.brenner.jsonl --without GreenValley > without.md

Exit codes: 0 the same bytes, or the artifact is printed; 1 a version differs; 2 there is
no such session or agent.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return replay(a, c, args[0], &opt) },
	})
	addFormatFlag(c, &opt.format)
	c.Flags().StringVar(&opt.without, "without", "", "leave out what this agent or person contributed")
	return c
}

func replay(a *ui.App, c *cobra.Command, arg string, opt *replayOptions) error {
	inJSON, err := asJSON(c, opt.format, "")
	if err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("without") && opt.without == "":
		return ui.Usage(c, "--without names nobody", "")
	case opt.format != "" && opt.without == "":
		return ui.Usage(c, "--format is for the artifact that --without prints", "")
	}
	return a.WithWhole(c, arg, func(ctx context.Context, _ *project.Source, h *session.History) error {
		if opt.without != "" {
			res, err := audit.Without(ctx, h, opt.without)
			return ui.Show(a, res, err, func(a *ui.App, w *audit.Counterfactual) string { return withoutText(a, w, inJSON) })
		}
		r, err := audit.ReplaySession(ctx, h)
		if err == nil && !r.Equal {
			a.Exit = ui.ExitFailed
		}
		return ui.Show(a, r, err, replayText)
	})
}

func replayText(a *ui.App, r *audit.Replay) string {
	rows := [][]string{{"VERSION", "FROM", "REPLAYED", "SHA-256"}}
	for _, v := range r.Versions {
		result, hash := "ok", v.SHA256
		if !v.OK {
			result, hash = "differs", v.SHA256+", now "+v.Replayed
		}
		rows = append(rows, []string{strconv.Itoa(v.Version), versionFrom(v.From, v.Round, v.Author), result, hash})
	}
	text := ""
	if !a.Quiet {
		text = ui.Columns(rows)
	}
	for _, f := range r.Faults {
		text += string(f.Code) + ": " + ui.Clean(f.Message) + "\n"
	}
	for _, v := range r.Versions {
		if v.Lint != "" && !a.Quiet {
			text += fmt.Sprintf("version %d: its findings are of %s and were not compared: this program has %s\n", v.Version, ui.Clean(v.Lint), lint.Version)
		}
		if v.Reworded && !a.Quiet {
			text += fmt.Sprintf("version %d: its report says the same in other words than this program's\n", v.Version)
		}
	}
	if r.Equal && !a.Quiet {
		text += ui.Clean(r.Thread) + ": every version follows from the journal, to the byte\n"
	}
	return text
}

// withoutText is an artifact as it would be; how it differs goes to standard error.
func withoutText(a *ui.App, w *audit.Counterfactual, inJSON bool) string {
	if !a.Quiet {
		a.Say(withoutAccount(w))
	}
	if inJSON {
		return string(w.Artifact) + "\n"
	}
	return string(w.After.Markdown())
}

// withoutAccount says in short what differs.
func withoutAccount(w *audit.Counterfactual) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s without %s: version %d instead of %d; %s gone, %s, %s of others now rejected\n", ui.Clean(w.Thread), ui.Clean(w.Without),
		w.Version, w.WasVersion, text.Count(len(w.Gone), "item"), text.Plural(len(w.Changed), "field differs", "fields differ"), text.Count(len(w.Rejected), "delta"))
	for _, g := range w.Gone {
		fmt.Fprintf(&b, "  gone: %s (%s)\n", ui.Clean(g.ID), ui.Cut(ui.Clean(g.Title)))
	}
	for _, r := range w.Renamed {
		fmt.Fprintf(&b, "  %s is now %s\n", ui.Clean(r.Was), ui.Clean(r.Now))
	}
	for _, c := range w.Changed {
		fmt.Fprintf(&b, "  differs: %s.%s: %s, was %s\n", ui.Clean(c.Item), ui.Clean(c.Field), ui.Cut(ui.Clean(string(c.To))), ui.Cut(ui.Clean(string(c.From))))
	}
	for _, r := range w.Rejected {
		fmt.Fprintf(&b, "  now rejected: %s, %s: %s %s\n", ui.Clean(r.Agent), ui.OrDash(r.Target), r.Code, ui.Clean(r.Message))
	}
	return b.String()
}

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
