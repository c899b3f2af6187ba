package mergecmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
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
			if !reply && isDeltaFile(args[0], text) {
				r, err = checkFile(a, c, args[0], text)
			} else {
				r.Reply = delta.Read(text, delta.Options{Strict: strict, Examples: workedExamples()})
			}
			if err != nil {
				return err
			}
			if !r.clean() {
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

func (c checked) clean() bool {
	for i := range c.Blocks {
		if len(c.Blocks[i].Problems) > 0 {
			return false
		}
	}
	return len(c.Problems) == 0
}

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

type checkDocument struct {
	Schema   string          `json:"schema"`
	Problems []delta.Located `json:"problems"`
	Blocks   []checkBlock    `json:"blocks"`
}

type checkBlock struct {
	Index    int             `json:"index"`
	Line     int             `json:"line"`
	OK       bool            `json:"ok"`
	Delta    jsontext.Value  `json:"delta"`
	Flags    []string        `json:"flags"`
	Changes  []string        `json:"changes"`
	Problems []delta.Located `json:"problems"`
}

func (c checked) Document() any {
	doc := checkDocument{Schema: "brenner.delta.check/v1", Problems: c.Problems}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		block := checkBlock{Index: b.Index, Line: b.Line, OK: b.OK, Delta: deltaJSON(b), Problems: b.Problems}
		for _, f := range b.Flags {
			block.Flags = append(block.Flags, f.Name)
			block.Changes = append(block.Changes, f.Text)
		}
		doc.Blocks = append(doc.Blocks, block)
	}
	return doc
}

// deltaJSON gives what a block says in the delta specification's form; null where
// it says nothing that could be read.
func deltaJSON(b *delta.Block) jsontext.Value {
	d := &b.Delta
	if d.Operation == "" && d.Section == "" && len(d.Payload) == 0 {
		return jsontext.Value("null")
	}
	var payload []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			payload = append(payload, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	entries := []artifact.Entry{
		{Key: "operation", Value: artifact.Text(d.Operation)},
		{Key: "section", Value: artifact.Text(d.Section)},
		{Key: "target_id", Value: artifact.Null{}},
		{Key: "payload", Value: artifact.MapOf(payload...)},
	}
	if d.Target != "" {
		entries[2].Value = artifact.Text(d.Target)
	}
	if d.Rationale != "" {
		entries = append(entries, artifact.Entry{Key: "rationale", Value: artifact.Text(d.Rationale)})
	}
	if len(d.Labels) > 0 {
		labels := make(artifact.List, len(d.Labels))
		for i, l := range d.Labels {
			labels[i] = artifact.Text(l)
		}
		entries = append(entries, artifact.Entry{Key: "labels", Value: labels})
	}
	return jsontext.Value(artifact.Canonical(artifact.MapOf(entries...)))
}
