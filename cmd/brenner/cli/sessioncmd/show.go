package sessioncmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
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
		Use:   "show [ID[@vN]|FILE] [ITEM[.FIELD]]",
		Short: "Print a session's artifact, or a version, item or field of it",
		Long: `Prints a session's artifact as Markdown, or as canonical JSON with --format json. Without
ID, it is the newest session. Of a task, the records are printed that its agent put. Append @v3 for a version. The item (H2), field (H2.claim) or
prediction (P1.predictions.H2) may also be part of the address (RS-…@v5#H2.claim). A field in CONFLICT is printed with one candidate per line. FILE is an export.

JSON is printed without a trailing newline, so that the SHA-256 of an entire artifact is
the one that ` + "`brenner session replay`" + ` prints.`,
		Example: `  brenner session show RS-20261115-cell-fate
  brenner session show H1.claim
  brenner session show RS-20261115-cell-fate@v2 H1.claim
  brenner session show cell-fate.brenner.jsonl --format json --out v4.json

Exit codes: 0 printed; 1 the store or the export is damaged; 2 no such session, version,
item or field.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error {
			address, err := withItem(c, args)
			if err != nil {
				return err
			}
			return showArtifact(a, c, address, &opt)
		},
	})
	addFormatFlag(c, &opt.format)
	c.Flags().StringVarP(&opt.out, "out", "o", "", "output file (default: standard output)")
	return c
}

// withItem returns an address of a session and an item, which may be a separate argument.
func withItem(c *cobra.Command, args []string) (string, error) {
	switch {
	case len(args) == 1:
		return args[0], nil
	case strings.Contains(args[0], "#"):
		return "", ui.Usage(c, "duplicate item: "+ui.Clean(args[0])+" and "+ui.Clean(args[1]), "")
	}
	return args[0] + "#" + args[1], nil
}

func addFormatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "", "output format: markdown or json (default: from the extension of --out, else markdown)")
}

// asJSON reports whether the output format is JSON.
func asJSON(c *cobra.Command, format, out string) (bool, error) {
	switch format {
	case "json":
		return true, nil
	case "markdown", "md":
		return false, nil
	case "":
		return strings.HasSuffix(out, ".json"), nil
	}
	return false, ui.Usage(c, "--format: "+ui.Clean(format)+" is not json or markdown", "")
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
				return a.JSONText(partBytes(part, inJSON), inJSON)
			}
			if !a.Quiet {
				a.Say(fmt.Sprintf("%s, written to %s\n", part.Address, ui.Clean(written)))
			}
			return ""
		})
	})
}

// candidatesText formats one candidate per line, as resolve does.
func candidatesText(conflict artifact.Conflict) []byte {
	var b []byte
	for _, c := range conflict {
		value := strings.TrimSuffix(plainValue(artifact.Canonical(c.Value)), "\n")
		b = fmt.Appendf(b, "%s (%s): %s\n", ui.Clean(c.Agent), ui.Clean(c.Delta), ui.Clean(value))
	}
	return b
}

// plainValue returns a string with its lines and tabs, and other values as JSON, made
// safe for a terminal. For exact bytes there is --format json.
func plainValue(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ui.Clean(string(value)) + "\n"
	}
	return ui.CleanText(text) + "\n"
}

// partBytes formats an artifact, an item or a field. JSON has no trailing newline, so
// that its hash can be checked.
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
		Use:   "replay [ID|FILE]",
		Short: "Rebuild a session from its journal and compare every version",
		Long: `Rebuilds every version offline from the replies in the journal, starting with an empty
artifact, and compares each with the committed version byte for byte.

With --without, prints the artifact as it would be without the contributions of one agent
or person, and the differences on standard error. References to an item still mean the
same item, even if its id changes.`,
		Example: `  brenner session replay RS-20261115-cell-fate
  brenner session replay cell-fate.brenner.jsonl --without GreenValley > without.md

Exit codes: 0 identical, or the artifact was printed; 1 a version differs; 2 no such
session or agent.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return replay(a, c, args[0], &opt) },
	})
	addFormatFlag(c, &opt.format)
	c.Flags().StringVar(&opt.without, "without", "", "agent or person whose contributions to leave out")
	return c
}

func replay(a *ui.App, c *cobra.Command, arg string, opt *replayOptions) error {
	inJSON, err := asJSON(c, opt.format, "")
	if err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("without") && opt.without == "":
		return ui.Usage(c, "--without: empty name", "")
	case opt.format != "" && opt.without == "":
		return ui.Usage(c, "--format requires --without", "")
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
		text = a.Table(rows)
	}
	for _, f := range r.Faults {
		text += string(f.Code) + ": " + ui.Clean(f.Message) + "\n" + ui.HintLine(f)
	}
	for _, v := range r.Versions {
		if v.Lint != "" && !a.Quiet {
			text += fmt.Sprintf("version %d: findings of %s not compared, this version of brenner has %s\n", v.Version, ui.Clean(v.Lint), lint.Version)
		}
		if v.Reworded && !a.Quiet {
			text += fmt.Sprintf("version %d: its report is worded differently by this version of brenner\n", v.Version)
		}
	}
	if r.Equal && !a.Quiet {
		text += ui.Clean(r.Thread) + ": all versions identical\n"
	}
	return text
}

// withoutText formats the counterfactual artifact; the differences go to standard error.
func withoutText(a *ui.App, w *audit.Counterfactual, inJSON bool) string {
	if !a.Quiet {
		a.Say(withoutDifferences(w))
	}
	if inJSON {
		return a.JSONText(w.Artifact, true) + "\n"
	}
	return string(w.After.Markdown())
}

// withoutDifferences summarises the differences.
func withoutDifferences(w *audit.Counterfactual) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s without %s: version %d instead of %d; %s missing, %s, %s by others now rejected\n", ui.Clean(w.Thread), ui.Clean(w.Without),
		w.Version, w.WasVersion, text.Count(len(w.Gone), "item"), text.Plural(len(w.Changed), "field differs", "fields differ"), text.Count(len(w.Rejected), "delta"))
	for _, g := range w.Gone {
		fmt.Fprintf(&b, "  missing: %s (%s)\n", ui.Clean(g.ID), ui.Cut(ui.Clean(g.Title)))
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

// exportExt is the file extension of exports.
const exportExt = ".brenner.jsonl"

type exportOptions struct {
	out   string
	html  string
	force bool
}

func sessionExportCommand(a *ui.App) *cobra.Command {
	var opt exportOptions
	c := ui.InProject(&cobra.Command{
		Use:   "export [ID]",
		Short: "Export a session to one self-contained file",
		Long: `Writes one file with everything a reviewer needs: the journal, and every message, reply
and version. ` + "`brenner verify FILE`" + ` verifies it without this project, and every read-only
command accepts it in place of a session.

With --html, the file is a page for a browser, for a reviewer without brenner. It shows the
artifact with the author of each field and the journal, works offline, and verifies itself.

Keep the printed head separately: with it, verify also detects a truncated or completely
rewritten journal.`,
		Example: `  brenner session export RS-20261115-cell-fate
  brenner session export RS-20261115-cell-fate --out review/cell-fate.jsonl --force
  brenner session export RS-20261115-cell-fate --out - | gzip > cell-fate.jsonl.gz
  brenner session export RS-20261115-cell-fate --html cell-fate.html

Exit codes: 0 written; 1 writing failed, or the store is damaged; 2 no such session, or
the file already exists.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range []string{"out", "html"} {
				switch file := c.Flag(name).Value.String(); {
				case file == "-" && a.JSON:
					return ui.Usage(c, "--"+name+" - and --json cannot be combined", "pass a file to --"+name)
				case file == "" && c.Flags().Changed(name):
					return ui.Usage(c, "--"+name+": empty name", "pass a file, or - for standard output")
				}
			}
			if opt.out != "" && opt.html != "" {
				return ui.Usage(c, "--out and --html cannot be combined", "export twice for both files")
			}
			return a.WithWhole(c, args[0], func(ctx context.Context, _ *project.Source, h *session.History) error {
				return export(ctx, a, h, &opt)
			})
		},
	})
	f := c.Flags()
	f.StringVarP(&opt.out, "out", "o", "", `output file, "-" for standard output (default: ID`+exportExt+` in the working directory)`)
	f.StringVar(&opt.html, "html", "", `write a page that verifies itself in a browser to this file; "-" for standard output`)
	f.BoolVar(&opt.force, "force", false, "overwrite an existing file")
	return c
}

func export(ctx context.Context, a *ui.App, h *session.History, opt *exportOptions) error {
	write := audit.ExportSession
	if opt.html != "" {
		write = audit.ExportPage
	}
	x, err := write(ctx, h)
	if err != nil {
		return err
	}
	x.File = cmp.Or(opt.html, opt.out, h.Thread+exportExt)
	switch {
	case x.File == "-":
		err = a.Write(x.Data)
	case opt.force:
		err = files.Replace(x.File, x.Data)
	default:
		if err = files.Create(x.File, x.Data); fault.CodeOf(err) == files.AlreadyExists {
			hint := "pass --force to overwrite it, or name another file"
			if info, statErr := os.Stat(x.File); statErr == nil && info.IsDir() {
				hint = "it is a directory: name a file in it"
			}
			err = &fault.Error{
				Code: files.AlreadyExists, Op: "export " + h.Thread, Place: x.File, Detail: "already exists; not overwritten",
				Hint: hint,
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
		{"Contents", fmt.Sprintf("%s, %s, %s", text.Plural(x.Entries, "entry", "entries"), text.Count(x.Blobs, "blob"), text.Count(x.Versions, "version"))},
		{"Head", x.Head},
		{"Seal", x.Seal},
		{"SHA-256", x.SHA256},
	})
}

func sessionImportCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "import FILE",
		Short: "Import a session from an export",
		Long: `Verifies an export and adds its session to the project's store, all or nothing. A session
that already exists is extended if the export is ahead of it; if the two have diverged,
nothing is changed.`,
		Example: `  brenner session import RS-20261115-cell-fate.brenner.jsonl
  brenner session import -C ../review cell-fate.jsonl

Exit codes: 0 imported, or already imported; 1 the export was tampered with, or storing
failed; 2 the file is unreadable or not an export; 5 a different session with this id
exists, or another process has it locked.`,
		Args: ui.One,
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
		what = "already imported; the project is ahead of the export"
	case i.New == 0:
		what = "already imported"
	}
	if a.Quiet {
		return ui.Clean(i.Thread) + "\n"
	}
	return fmt.Sprintf("%s: %s\n%s", ui.Clean(i.Thread), what, ui.Columns([][]string{
		{"Contents", text.Plural(i.Entries, "entry", "entries") + ", " + text.Count(i.Versions, "version")}, {"Head", i.Head}, {"Seal", i.Seal},
	}))
}
