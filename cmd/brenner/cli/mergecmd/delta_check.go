package mergecmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/merge/settle"
	"brenner/project"
)

// DeltaCommand returns the delta commands.
func DeltaCommand(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "delta",
		GroupID: ui.Other,
		Short:   "See what the reader makes of an agent's reply",
	}
	c.AddCommand(deltaCheckCommand(a))
	ui.Group(c)
	return c
}

func deltaCheckCommand(a *ui.App) *cobra.Command {
	var strict, reply bool
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Read a reply, or a file of deltas, and say what became of each block",
		Long: `Reads the deltas in an agent's reply and says of each block what became of it: taken
as it is, mended, refused, or only shown (a quotation, an example, a comment). "-" is
standard input.

A file of deltas, in JSON or JSON Lines, is read as ` + "`brenner merge --deltas FILE`" + ` reads it, and a
row is refused where a merge would reject it, whatever the base. --reply reads JSON as an
agent's reply, too, as --deltas NAME=FILE does.`,
		Example: `  brenner delta check reply.md
  brenner delta check --strict reply.md
  brenner delta check deltas.json

Exit codes: 0 everything that was meant could be read; 1 something was refused, or
there is no delta at all; 2 the file cannot be read.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := a.ReadFile("reply", args[0])
			if err != nil {
				return err
			}
			r := checked{path: args[0]}
			if !reply && settle.IsDeltaFile(args[0], text) {
				if err := ui.Unused(c, "is for replies: in a file of deltas nothing is mended anyway", "strict"); err != nil {
					return err
				}
				r.Reply, err = settle.CheckFile(args[0], text)
			} else {
				r.Reply = delta.Read(text, delta.Options{Strict: strict, Examples: project.WorkedExamples()})
			}
			if err != nil {
				return err
			}
			if !r.Clean() {
				a.Exit = ui.ExitFailed
			}
			return a.Show(r)
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "take only exact JSON in delta fences: nothing is repaired, normalised or read from prose")
	c.Flags().BoolVar(&reply, "reply", false, "it is an agent's reply, though all of it is JSON")
	return c
}

// checked is what the reader made of a reply.
type checked struct {
	delta.Reply
	path string
}

func (c checked) Document() any { return c.Report() }

func (c checked) Print(a *ui.App) error {
	var out strings.Builder
	counts := map[string]int{}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		fate := blockFate(b)
		counts[fate]++
		what := strings.TrimSpace(fate + " " + blockSummary(b))
		fmt.Fprintf(&out, "%s:%d: %s\n", ui.Clean(c.path), b.Line, what)
		for _, f := range b.Flags {
			fmt.Fprintf(&out, "    %s: %s\n", f.Name, ui.Clean(f.Text))
		}
		writeProblems(&out, c.path, b.Problems, a.Quiet)
	}
	writeProblems(&out, c.path, c.Problems, a.Quiet)
	if !a.Quiet {
		fmt.Fprintf(&out, "%d read, %d refused, %d only shown\n", counts["read"], counts["refused"], counts["shown"])
	}
	return a.Write([]byte(out.String()))
}

func blockFate(b *delta.Block) string {
	switch {
	case b.OK:
		return "read"
	case b.Skipped():
		return "shown"
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
