package mergecmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/merge"
	"brenner/project"
)

type mergeOptions struct {
	base        string
	deltas      []string
	roster      string
	priority    []string
	authorities []string
	scopes      string
	format      string
	out         string
	project     string
	strict      bool
}

// Command returns the merge command.
func Command(a *ui.App) *cobra.Command {
	var opt mergeOptions
	c := &cobra.Command{
		Use:     "merge --base FILE --deltas FILE…",
		GroupID: ui.Everyday,
		Short:   "Merge deltas into an artifact, by rule",
		Long: `Merges deltas into an artifact and says what became of each of them.

The base is an artifact in canonical JSON or Markdown. Deltas come as a JSON array,
as JSON Lines, or as Markdown replies of agents, written NAME=reply.md or
NAME@TIME=reply.md; replies without a time share one fixed instant. "-" is standard
input. The result has the form of the base unless --format says otherwise, and goes
to standard output; the report goes to standard error.

The order of the files and of the deltas in them never matters. Priority, authorities,
scopes and limits may stand in the project's brenner.yaml; flags are stronger.`,
		Example: `  brenner merge --base examples/cell-fate/base.json --deltas examples/cell-fate/deltas.json
  brenner merge --base v1.json --deltas BlueLake=reply1.md --deltas RedSky=reply2.md --out v2.json
  brenner merge --base v1.json --deltas d.jsonl --priority BlueLake,RedSky --json

Exit codes: 0 merged, whatever was rejected or is in conflict; 1 the result could not
be written; 2 a file or a flag cannot be used, and nothing is written; 3 with --strict,
when a delta or a field was rejected or is in conflict.`,
		RunE: func(c *cobra.Command, args []string) error {
			opt.deltas = append(opt.deltas, args...)
			return runMerge(a, c, opt)
		},
	}
	f := c.Flags()
	f.StringVar(&opt.base, "base", "", "the artifact to merge into (required)")
	f.StringArrayVar(&opt.deltas, "deltas", nil, "a file of deltas, or NAME[@TIME]=reply.md; repeatable (required)")
	f.StringVar(&opt.roster, "roster", "", ui.RosterUsage+": only its agents may contribute, within their roles' scopes")
	f.StringSliceVar(&opt.priority, "priority", nil, "agents, highest first; decides between writes of one instant")
	f.StringSliceVar(&opt.authorities, "authority", nil, "a person or arbiter who may edit anything; repeatable")
	f.StringVar(&opt.scopes, "scopes", "", "with a roster: default (everybody may add) or strict")
	ui.AddProjectFlag(c, &opt.project)
	f.StringVar(&opt.format, "format", "", "json or markdown; the ending of --out or the form of the base if not given")
	f.StringVarP(&opt.out, "out", "o", "", "write the artifact to this file instead")
	f.BoolVar(&opt.strict, "strict", false, "forgive nothing in replies, and exit with 3 when anything was rejected or is in conflict")
	return c
}

func runMerge(a *ui.App, c *cobra.Command, opt mergeOptions) error {
	if err := opt.check(c); err != nil {
		return err
	}
	base, raw, err := a.ReadArtifact("base", opt.base)
	if err != nil {
		return err
	}
	if r := base.Metadata.Rules; r != "" && r != merge.Version {
		return &fault.Error{
			Code: ui.UnknownRules, Op: "read base", Place: opt.base,
			Detail: fmt.Sprintf("it was made by the rules %s; this program knows %s", r, merge.Version),
			Hint:   "use the version of brenner that made it",
		}
	}
	in := project.MergeInput{Base: base, Strict: opt.strict}
	p, err := openToMerge(a, c, opt, &in)
	if err != nil {
		return err
	}
	if in.Deltas, in.Replies, err = readDeltas(a, opt.deltas); err != nil {
		return err
	}
	r := &mergedView{Merged: p.Merge(&in), markdown: opt.markdown(raw)}
	if opt.out != "" && opt.out != "-" {
		if err := files.Replace(opt.out, r.bytes()); err != nil {
			return err
		}
		r.written = opt.out
	}
	if opt.strict && !r.Report.Clean() {
		a.Exit = ui.ExitPartial
	}
	return a.Show(r)
}

func (o *mergeOptions) check(c *cobra.Command) error {
	switch {
	case o.base == "":
		return ui.Usage(c, "--base is missing: the artifact to merge into", `a new one is {"metadata":{"session_id":"RS-20251230-name"},"sections":{}}`)
	case len(o.deltas) == 0:
		return ui.Usage(c, "--deltas is missing: what to merge", "")
	case !slices.Contains([]string{"", "json", "markdown", "md"}, o.format):
		return ui.Usage(c, fmt.Sprintf("--format %q is neither json nor markdown", o.format), "")
	case o.scopes == "strict" && o.roster == "":
		return ui.Usage(c, "--scopes strict needs a --roster: without one no scope applies", "")
	}
	return nil
}

// markdown tells the form of the result: as asked for, as the ending of the file
// says, or as the base has it.
func (o *mergeOptions) markdown(base []byte) bool {
	switch {
	case o.format != "":
		return o.format != "json"
	case strings.HasSuffix(o.out, ".md"), strings.HasSuffix(o.out, ".json"):
		return strings.HasSuffix(o.out, ".md")
	}
	return !artifact.IsJSON(base)
}

// openToMerge opens the project with what the flags say of it, and reads the roster.
func openToMerge(a *ui.App, c *cobra.Command, opt mergeOptions, in *project.MergeInput) (*project.Project, error) {
	var flags []config.Flag
	for _, f := range []config.Flag{
		{Key: "priority", Name: "--priority", Values: opt.priority},
		{Key: "authorities", Name: "--authority", Values: opt.authorities},
		{Key: "scopes.mode", Name: "--scopes", Values: []string{opt.scopes}},
	} {
		if c.Flags().Changed(strings.TrimPrefix(f.Name, "--")) {
			flags = append(flags, f)
		}
	}
	p, err := a.Open(opt.project, "", flags)
	if err != nil || opt.roster == "" {
		return p, err
	}
	r, err := a.ReadRoster(opt.roster)
	in.Roster = &r
	return p, err
}

// mergedView is a merged artifact, in the form that was asked for.
type mergedView struct {
	*project.Merged
	markdown bool
	written  string // the file that holds the artifact, if not standard output
}

func (r *mergedView) bytes() []byte {
	if r.markdown {
		return r.Artifact.Markdown()
	}
	return append(r.Artifact.JSON(), '\n')
}

func (r *mergedView) Print(a *ui.App) error {
	report := NotesText(r.Reading) + ReportText(&r.Report)
	if r.written != "" {
		report += "; written to " + ui.Clean(r.written)
	}
	if !a.Quiet {
		a.Say(report + "\n")
	}
	if r.written != "" {
		return nil
	}
	return a.Write(r.bytes())
}
