package mergecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/merge/settle"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// ArtifactCommand returns the artifact commands.
func ArtifactCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "artifact",
		Short: "Render, lint or parse a research artifact",
		Long: `An artifact has two forms. Canonical JSON is complete: it records who wrote each field
and when. Markdown has all content but no provenance. Each command reads both; "-" is
standard input.`,
	}, renderCommand(a), parseCommand(a), lintCommand(a))
}

func renderCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "render FILE",
		Short: "Print an artifact as Markdown",
		Long:  "Prints an artifact as canonical Markdown: the same artifact yields the same bytes.",
		Example: `  brenner artifact render v2.json > v2.md

Exit codes: 0 printed; 2 invalid file.`,
		Args: ui.One,
		RunE: func(_ *cobra.Command, args []string) error {
			art, err := readArtifact(a, args[0])
			if err != nil {
				return err
			}
			if !a.JSON {
				return a.Write(art.Markdown())
			}
			return a.PrintJSON(rendered{"brenner.render/v1", string(art.Markdown())})
		},
	}
}

// readArtifact reads an artifact and prints the notes on its form.
func readArtifact(a *ui.App, path string) (artifact.Artifact, error) {
	doc, _, err := a.ReadArtifact("artifact", path)
	if err == nil && !a.Quiet {
		a.Say(NotesText(formNotes(&doc, path)))
	}
	return doc.Artifact, err
}

// rendered is an artifact as Markdown.
type rendered struct {
	Schema   string `json:"schema"`
	Markdown string `json:"markdown"`
}

func parseCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "parse FILE",
		Short: "Print an artifact as canonical JSON",
		Long: `Reads an artifact from Markdown or JSON and prints it as canonical JSON. An artifact read
from Markdown has no provenance; merging into it prints a warning.`,
		Example: `  brenner artifact parse v2.md > v2.json

Exit codes: 0 printed; 2 invalid file.`,
		Args: ui.One,
		RunE: func(_ *cobra.Command, args []string) error {
			art, err := readArtifact(a, args[0])
			if err != nil {
				return err
			}
			return ui.Show(a, jsontext.Value(art.JSON()), nil, func(_ *ui.App, v jsontext.Value) string { return string(v) + "\n" })
		},
	}
}

func lintCommand(a *ui.App) *cobra.Command {
	var rules bool
	c := ui.InProject(&cobra.Command{
		Use:   "lint FILE|ID",
		Short: "Check an artifact against the protocol's rules",
		Long: `Checks an artifact against the protocol's rules. Errors make it invalid; warnings and
infos do not. Line numbers refer to the Markdown file; for JSON, to the output of
"brenner artifact render". ID is a session, or latest.

Of a file that another tool wrote, the known variants are read, and other fields and texts
are kept verbatim; a note names each. All lines that cannot be read are listed.`,
		Example: `  brenner artifact lint v2.md
  brenner artifact lint RS-20261115-cell-fate
  brenner artifact lint --rules

Exit codes: 0 valid; 1 invalid; 2 unreadable file, or no such session.`,
		Args: func(c *cobra.Command, args []string) error {
			if rules {
				return cobra.NoArgs(c, args)
			}
			return ui.One(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if rules {
				return ui.Show(a, ruleList{"brenner.lint.rules/v1", lint.Rules()}, nil, rulesText)
			}
			return lintArtifact(a, c, args[0])
		},
	})
	ui.SessionArg(a, 0, c)
	c.Flags().BoolVar(&rules, "rules", false, "list the rules")
	return c
}

func lintArtifact(a *ui.App, c *cobra.Command, path string) error {
	thread := ""
	if address, err := session.ParseAddress(path); err == nil && artifact.IsThreadID(address.Thread) {
		if _, _, isFile := project.ExportFile(path); !isFile {
			thread = address.Thread
		}
	}
	data, open, err := artifactToLint(a, c, path, thread != "")
	if err != nil {
		return err
	}
	v, err := lint.Judge(data)
	if err != nil {
		if v != nil && !a.JSON {
			_ = a.WriteText(findingsText(a, v, path)) // on what could be read
		} else if v != nil {
			a.Partial = v
		}
		return fault.InFile("read artifact", path, err)
	}
	if !v.Valid {
		a.Exit = ui.ExitFailed
	}
	decidable(v, open)
	return ui.Show(a, v, nil, func(a *ui.App, v *lint.Verdict) string { return verdictText(a, v, path) + lintNext(a, v, thread) })
}

// decidable adds the values to the findings about open conflicts of a session, and the command that
// decides them. What lint itself says is frozen: journals have it.
func decidable(v *lint.Verdict, open *audit.ConflictList) {
	for i := range v.Findings {
		f := &v.Findings[i]
		for _, c := range open.Conflicts {
			if f.ID != "ES-005" || !strings.HasPrefix(f.Message, strings.Replace(c.Place, ".", "'s ", 1)+" is in CONFLICT") {
				continue
			}
			var values []string
			for _, one := range c.Candidates {
				values = append(values, one.Agent+": "+ui.Quoted(one.Text))
			}
			f.Message += ": " + strings.Join(values, ", ")
			f.Fix = "`brenner session resolve " + open.Thread + "`"
		}
	}
}

// artifactToLint reads an artifact from a file, or a session's with the conflicts of its newest version.
func artifactToLint(a *ui.App, c *cobra.Command, path string, stored bool) (data []byte, open *audit.ConflictList, err error) {
	open = &audit.ConflictList{}
	if !stored {
		data, err = a.ReadFile("artifact", path)
		return data, open, err
	}
	err = a.WithSession(c, path, func(ctx context.Context, src *project.Source, h *session.History) error {
		if src.Address.Item != "" {
			return ui.WholeSession(c, src.Address)
		}
		part, err := audit.PartAt(ctx, h, src.Address)
		if err != nil {
			return err
		}
		data = part.Canonical()
		if v := src.Address.Version; v == 0 || v == h.State.Version() {
			open, err = audit.OpenConflicts(ctx, h, "")
		}
		return err
	})
	return data, open, err
}

// lintNext names the commands that fix an invalid artifact of a session.
func lintNext(a *ui.App, v *lint.Verdict, thread string) string {
	if v.Valid || a.Quiet {
		return ""
	}
	if thread == "" {
		return a.NextText([]string{"brenner artifact lint --rules"})
	}
	return a.NextText([]string{"brenner session apply " + thread + " --set ITEM.FIELD=TEXT", "brenner session note " + thread + ` "…"`})
}

// verdictText formats the findings of lint and their number.
func verdictText(a *ui.App, l *lint.Verdict, path string) string {
	if a.Quiet {
		return findingsText(a, l, path)
	}
	counts := map[lint.Severity]int{}
	for _, f := range l.Findings {
		counts[f.Severity]++
	}
	verdict := "valid"
	if !l.Valid {
		verdict = "invalid"
	}
	return findingsText(a, l, path) + fmt.Sprintf("%s: %s, %s, %s\n", verdict, text.Count(counts[lint.Error], "error"),
		text.Count(counts[lint.Warning], "warning"), text.Count(counts[lint.Info], "info"))
}

// findingsText formats the notes on a file's form and the findings of lint.
func findingsText(a *ui.App, l *lint.Verdict, path string) string {
	var b strings.Builder
	for _, n := range l.Notes {
		fmt.Fprintf(&b, "%s:%d: note %s: %s\n", ui.Clean(path), n.Line, n.Kind, ui.Clean(noteText(n.Item, n.Message)))
	}
	for _, f := range l.Findings {
		fmt.Fprintf(&b, "%s:%d: %s %s: %s: %s\n", ui.Clean(path), f.Line, f.Severity, f.ID, ui.Clean(f.Item), ui.Clean(f.Message))
		if !a.Quiet {
			fmt.Fprintf(&b, "    fix: %s\n", ui.Clean(f.Fix))
		}
	}
	return b.String()
}

// ruleList is the list of all lint rules.
type ruleList struct {
	Schema string      `json:"schema"`
	Rules  []lint.Rule `json:"rules"`
}

func rulesText(_ *ui.App, r ruleList) string {
	var b strings.Builder
	for _, rule := range r.Rules {
		fmt.Fprintf(&b, "%-8s %-8s %s\n", rule.ID, rule.Severity, rule.Title)
	}
	return b.String()
}

// DeltaCommand returns the delta commands.
func DeltaCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "delta",
		Short: "Inspect the deltas in an agent's reply",
	}, deltaCheckCommand(a))
}

func deltaCheckCommand(a *ui.App) *cobra.Command {
	var strict, reply bool
	var agent string
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Check how each delta in a reply or file is read",
		Long: `Reads the deltas in an agent's reply and reports for each block whether it was accepted
unchanged, repaired, refused, or ignored as a quotation, an example or a comment. "-" is
standard input.

A file of deltas (JSON or JSON Lines) is read as by ` + "`brenner merge --deltas FILE`" + `, and a row
is refused if a merge would reject it whatever the base. With --reply, JSON is read as an
agent's reply, as by --deltas NAME=FILE.`,
		Example: `  brenner delta check reply.md
  brenner delta check --strict reply.md
  brenner delta check deltas.json

Exit codes: 0 all deltas were read, or the reply says NO CHANGES; 1 some deltas or fields
were refused, or none found; 2 unreadable file.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := a.ReadFile("reply", args[0])
			if err != nil {
				return err
			}
			var r delta.Reply
			if !reply && settle.IsDeltaFile(args[0], text) {
				if err := ui.Unused(c, "requires a reply, not a file of deltas", "strict"); err != nil {
					return err
				}
				r, err = settle.CheckFile(args[0], text)
			} else {
				r = delta.Read(text, delta.Options{Author: agent, Strict: strict, NoChanges: true, Examples: project.WorkedExamples()})
			}
			if err != nil {
				return err
			}
			settle.CheckFields(&r, text)
			if !r.Clean() {
				a.Exit = ui.ExitFailed
			}
			return ui.Show(a, r.Report(), nil, func(a *ui.App, _ *delta.CheckReport) string { return checkedText(a, &r, args[0]) })
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "accept only exact JSON in delta fences, without repairing, normalising or reading prose")
	c.Flags().StringVar(&agent, "agent", "", "the `NAME` of the agent that wrote the reply, so that its signature is known")
	c.Flags().BoolVar(&reply, "reply", false, "read FILE as an agent's reply, even if it is JSON")
	return c
}

// checkedText formats how a reply was read.
func checkedText(a *ui.App, c *delta.Reply, path string) string {
	var out strings.Builder
	counts := map[string]int{}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		fate := blockFate(b)
		counts[fate]++
		what := strings.TrimSpace(fate + " " + blockSummary(b))
		fmt.Fprintf(&out, "%s:%d: %s\n", ui.Clean(path), b.Line, what)
		for _, f := range b.Flags {
			fmt.Fprintf(&out, "    %s: %s\n", f.Name, ui.Clean(f.Text))
		}
		writeProblems(&out, path, b.Problems, a.Quiet)
	}
	writeProblems(&out, path, c.Problems, a.Quiet)
	if !a.Quiet {
		if c.NoChanges != nil {
			fmt.Fprintf(&out, "%s:%d: no changes: %s\n", ui.Clean(path), c.NoChanges.Line, ui.OrDash(c.NoChanges.Reason))
		}
		fmt.Fprintf(&out, "%d read%s, %d refused, %d ignored\n", counts["read"], refusedFields(c), counts["refused"], counts["ignored"])
	}
	return out.String()
}

// refusedFields counts the refused fields of blocks that were read.
func refusedFields(c *delta.Reply) string {
	n := 0
	for i := range c.Blocks {
		if b := &c.Blocks[i]; b.OK {
			n += len(b.Problems)
		}
	}
	if n == 0 {
		return ""
	}
	return ", " + text.Count(n, "field") + " refused"
}

func blockFate(b *delta.Block) string {
	switch {
	case b.OK:
		return "read"
	case b.Skipped():
		return "ignored"
	}
	return "refused"
}

func blockSummary(b *delta.Block) string {
	words := []string{b.Delta.Operation, b.Delta.Section, b.Delta.Target}
	if len(b.Delta.Labels) > 0 {
		words = append(words, "("+strings.Join(b.Delta.Labels, ", ")+")")
	}
	if name := b.Delta.Payload.Text("name"); name != "" {
		words = append(words, fmt.Sprintf("%q", name))
	}
	return ui.Clean(strings.Join(strings.Fields(strings.Join(words, " ")), " "))
}

func writeProblems(out *strings.Builder, path string, problems []delta.Located, quiet bool) {
	for _, p := range problems {
		fmt.Fprintf(out, "%s:%d:%d: %s: %s\n", ui.Clean(path), p.Line, p.Column, p.Code, ui.Clean(p.Message))
		if !quiet && p.Hint != "" {
			fmt.Fprintf(out, "    fix: %s\n", ui.Clean(p.Hint))
		}
	}
}
