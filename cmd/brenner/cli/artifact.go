package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/lint"
)

func (a *app) artifactCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "artifact",
		GroupID: everyday,
		Short:   "Render, lint or parse a research artifact",
		Long: `An artifact has two forms. Canonical JSON is complete: it says of every field who
wrote it and when. Markdown is for people and carries all content, but not those
stamps. Each command here reads both; "-" is standard input.`,
	}
	c.AddCommand(a.renderCommand(), a.parseCommand(), a.lintCommand())
	group(c)
	return c
}

func (a *app) renderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "render FILE",
		Short: "Print an artifact as Markdown",
		Long:  "Prints an artifact as canonical Markdown: one artifact, one byte string.",
		Example: `  brenner artifact render v2.json > v2.md

Exit codes: 0 printed; 2 the file cannot be used.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			art, _, err := a.readArtifact("artifact", args[0])
			if err != nil {
				return err
			}
			return a.show(rendered(art.Markdown()))
		},
	}
}

// rendered is an artifact as Markdown.
type rendered []byte

func (r rendered) text(a *app) error { return a.write(r) }

func (r rendered) document() any {
	return struct {
		Schema   string `json:"schema"`
		Markdown string `json:"markdown"`
	}{"brenner.render/v1", string(r)}
}

func (a *app) parseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "parse FILE",
		Short: "Print an artifact as canonical JSON",
		Long: `Reads an artifact, from Markdown or JSON, and prints it as canonical JSON. What was
read from Markdown has no provenance: a merge into it warns of that.`,
		Example: `  brenner artifact parse v2.md > v2.json

Exit codes: 0 printed; 2 the file cannot be used.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			art, _, err := a.readArtifact("artifact", args[0])
			if err != nil {
				return err
			}
			return a.show(parsed(art.JSON()))
		},
	}
}

// parsed is an artifact as canonical JSON, which is its own document.
type parsed []byte

func (p parsed) text(a *app) error { return a.write(append(p, '\n')) }
func (p parsed) document() any     { return jsontext.Value(p) }

func (a *app) lintCommand() *cobra.Command {
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
			return oneFile(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if rules {
				return a.show(ruleList(lint.Rules()))
			}
			return a.lint(args[0])
		},
	}
	c.Flags().BoolVar(&rules, "rules", false, "list the rules instead")
	return c
}

func (a *app) lint(path string) error {
	data, err := a.readFile("artifact", path)
	if err != nil {
		return err
	}
	doc, err := artifact.Read(data)
	if err == nil {
		err = lint.Unreadable(doc)
	}
	if err != nil {
		return inFile("read artifact", path, err)
	}
	r := linted{path: path, Result: lint.Check(doc)}
	if !r.Valid() {
		a.exit = exitFailed
	}
	return a.show(r)
}

// linted is what lint found in a file.
type linted struct {
	lint.Result
	path string
}

func (l linted) text(a *app) error {
	var b strings.Builder
	counts := map[lint.Severity]int{}
	for _, f := range l.Findings {
		counts[f.Severity]++
		fmt.Fprintf(&b, "%s:%d: %s %s: %s: %s\n", clean(l.path), f.Line, f.Severity, f.ID, clean(f.Item), clean(f.Message))
		if !a.quiet {
			fmt.Fprintf(&b, "    fix: %s\n", clean(f.Fix))
		}
	}
	verdict := "valid"
	if !l.Valid() {
		verdict = "invalid"
	}
	if !a.quiet {
		fmt.Fprintf(&b, "%s: %s, %s, %s\n", verdict, count(counts[lint.Error], "error"),
			count(counts[lint.Warning], "warning"), count(counts[lint.Info], "info"))
	}
	return a.write([]byte(b.String()))
}

func (l linted) document() any {
	return struct {
		Schema   string         `json:"schema"`
		Valid    bool           `json:"valid"`
		Findings []lint.Finding `json:"findings"`
	}{"brenner.lint/v1", l.Valid(), l.Findings}
}

// ruleList is all rules of lint.
type ruleList []lint.Rule

func (r ruleList) text(a *app) error {
	var b strings.Builder
	for _, rule := range r {
		fmt.Fprintf(&b, "%-8s %-8s %s\n", rule.ID, rule.Severity, rule.Title)
	}
	return a.write([]byte(b.String()))
}

func (r ruleList) document() any {
	return struct {
		Schema string      `json:"schema"`
		Rules  []lint.Rule `json:"rules"`
	}{"brenner.lint.rules/v1", r}
}

func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(c, fmt.Sprintf("one file is needed, %d given", len(args)), "")
	}
	return nil
}
