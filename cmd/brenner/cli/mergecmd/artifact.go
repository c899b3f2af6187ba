package mergecmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// ArtifactCommand returns the artifact commands.
func ArtifactCommand(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "artifact",
		GroupID: ui.Everyday,
		Short:   "Render, lint or parse a research artifact",
		Long: `An artifact has two forms. Canonical JSON is complete: it says of every field who
wrote it and when. Markdown is for people and carries all content, but not those
stamps. Each command here reads both; "-" is standard input.`,
	}
	c.AddCommand(renderCommand(a), parseCommand(a), lintCommand(a))
	ui.Group(c)
	return c
}

func renderCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "render FILE",
		Short: "Print an artifact as Markdown",
		Long:  "Prints an artifact as canonical Markdown: one artifact, one byte string.",
		Example: `  brenner artifact render v2.json > v2.md

Exit codes: 0 printed; 2 the file cannot be used.`,
		Args: ui.OneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			art, _, err := a.ReadArtifact("artifact", args[0])
			if err != nil {
				return err
			}
			return a.Show(rendered(art.Markdown()))
		},
	}
}

// rendered is an artifact as Markdown.
type rendered []byte

func (r rendered) Print(a *ui.App) error { return a.Write(r) }

func (r rendered) Document() any {
	return struct {
		Schema   string `json:"schema"`
		Markdown string `json:"markdown"`
	}{"brenner.render/v1", string(r)}
}

func parseCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "parse FILE",
		Short: "Print an artifact as canonical JSON",
		Long: `Reads an artifact, from Markdown or JSON, and prints it as canonical JSON. What was
read from Markdown has no provenance: a merge into it warns of that.`,
		Example: `  brenner artifact parse v2.md > v2.json

Exit codes: 0 printed; 2 the file cannot be used.`,
		Args: ui.OneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			art, _, err := a.ReadArtifact("artifact", args[0])
			if err != nil {
				return err
			}
			return a.Show(parsed(art.JSON()))
		},
	}
}

// parsed is an artifact as canonical JSON, which is its own document.
type parsed []byte

func (p parsed) Print(a *ui.App) error { return a.Write(append(p, '\n')) }

func (p parsed) Document() any { return jsontext.Value(p) }

func lintCommand(a *ui.App) *cobra.Command {
	var rules bool
	c := &cobra.Command{
		Use:   "lint FILE",
		Short: "Check an artifact against the rules of the protocol",
		Long: `Checks an artifact against the rules of the protocol. Errors make it invalid;
warnings and infos do not. Lines are those of the Markdown file; for JSON, those of
the file that "brenner artifact render" makes of it.`,
		Example: `  brenner artifact lint v2.md
  brenner artifact lint --rules

Exit codes: 0 valid; 1 invalid; 2 the file cannot be used.`,
		Args: func(c *cobra.Command, args []string) error {
			if rules {
				return cobra.NoArgs(c, args)
			}
			return ui.OneFile(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if rules {
				return a.Show(ruleList(lint.Rules()))
			}
			return lintArtifact(a, args[0])
		},
	}
	c.Flags().BoolVar(&rules, "rules", false, "list the rules instead")
	return c
}

func lintArtifact(a *ui.App, path string) error {
	data, err := a.ReadFile("artifact", path)
	if err != nil {
		return err
	}
	v, err := lint.Judge(data)
	if err != nil {
		return fault.InFile("read artifact", path, err)
	}
	if !v.Valid {
		a.Exit = ui.ExitFailed
	}
	return a.Show(verdictView{v, path})
}

// verdictView is what lint found in a file.
type verdictView struct {
	*lint.Verdict
	path string
}

func (l verdictView) Print(a *ui.App) error {
	var b strings.Builder
	counts := map[lint.Severity]int{}
	for _, f := range l.Findings {
		counts[f.Severity]++
		fmt.Fprintf(&b, "%s:%d: %s %s: %s: %s\n", ui.Clean(l.path), f.Line, f.Severity, f.ID, ui.Clean(f.Item), ui.Clean(f.Message))
		if !a.Quiet {
			fmt.Fprintf(&b, "    fix: %s\n", ui.Clean(f.Fix))
		}
	}
	verdict := "valid"
	if !l.Valid {
		verdict = "invalid"
	}
	if !a.Quiet {
		fmt.Fprintf(&b, "%s: %s, %s, %s\n", verdict, text.Count(counts[lint.Error], "error"),
			text.Count(counts[lint.Warning], "warning"), text.Count(counts[lint.Info], "info"))
	}
	return a.Write([]byte(b.String()))
}

// ruleList is all rules of lint.
type ruleList []lint.Rule

func (r ruleList) Print(a *ui.App) error {
	var b strings.Builder
	for _, rule := range r {
		fmt.Fprintf(&b, "%-8s %-8s %s\n", rule.ID, rule.Severity, rule.Title)
	}
	return a.Write([]byte(b.String()))
}

func (r ruleList) Document() any {
	return struct {
		Schema string      `json:"schema"`
		Rules  []lint.Rule `json:"rules"`
	}{"brenner.lint.rules/v1", r}
}
