package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/files"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

type showOptions struct {
	project string
	format  string
	out     string
}

func sessionShowCommand(a *ui.App) *cobra.Command {
	var opt showOptions
	c := &cobra.Command{
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
	}
	ui.AddProjectFlag(c, &opt.project)
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
	return a.WithSession(c, opt.project, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		part, err := audit.PartAt(ctx, h, src.Address)
		if err != nil {
			return err
		}
		shown := &shownPart{Part: part, json: inJSON}
		if opt.out != "" && opt.out != "-" {
			if err := files.Replace(opt.out, shown.bytes()); err != nil {
				return err
			}
			shown.written = opt.out
		}
		return a.Show(shown)
	})
}

// shownPart is an artifact, an item or a field in one of its two forms.
type shownPart struct {
	*audit.Part
	json    bool
	written string
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

// bytes returns what was asked for. JSON has no line's end, so that anybody can
// take its hash.
func (p *shownPart) bytes() []byte {
	switch {
	case p.json:
		return p.Canonical()
	case p.Conflict != nil:
		return candidatesText(p.Conflict)
	case p.Value != nil:
		return []byte(plainValue(p.Value))
	}
	return p.Markdown
}

func (p *shownPart) Print(a *ui.App) error {
	if p.written == "" {
		return a.Write(p.bytes())
	}
	if !a.Quiet {
		a.Say(fmt.Sprintf("%s, written to %s\n", p.Address, ui.Clean(p.written)))
	}
	return nil
}
