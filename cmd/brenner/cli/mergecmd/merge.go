package mergecmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/merge"
	"brenner/roster"
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
	rules, err := mergeRules(a, c, opt)
	if err != nil {
		return err
	}
	batch, notes, err := readDeltas(a, opt.deltas, base, opt.strict)
	if err != nil {
		return err
	}
	out, report := merge.Merge(base, batch, rules)
	a.Log.Debug().Int("deltas", len(batch)).Int("applied", report.Applied).Int("version", report.Version).Msg("merged")
	warnPriority(a, rules, batch)
	r := &mergeResult{artifact: out, report: report, markdown: opt.markdown(raw), notes: notes}
	if opt.out != "" && opt.out != "-" {
		if err := files.Replace(opt.out, r.bytes()); err != nil {
			return err
		}
		r.written = opt.out
	}
	if opt.strict && !report.Clean() {
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

// warnPriority names those of the priority list who contribute nothing: a name
// that is misspelt there would change who wins without a word.
func warnPriority(a *ui.App, rules merge.Rules, batch []delta.Delta) {
	for _, name := range rules.Priority {
		known := slices.ContainsFunc(rules.Agents, func(g merge.Agent) bool { return g.Name == name }) ||
			slices.ContainsFunc(batch, func(d delta.Delta) bool { return d.Agent == name })
		if !known && len(batch) > 0 {
			a.Log.Warn().Str("agent", name).Msg("the priority list names an agent that has no delta here")
		}
	}
}

// mergeRules makes the kernel's rules from the flags and the configuration.
func mergeRules(a *ui.App, c *cobra.Command, opt mergeOptions) (merge.Rules, error) {
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
	if err != nil {
		return merge.Rules{}, err
	}
	rules := merge.Rules{Priority: p.Config.Priority, Authorities: p.Config.Authorities, Limits: p.Config.Limits, Scopes: p.Config.Scopes}
	if opt.roster == "" {
		return rules, nil
	}
	r, err := a.ReadRoster(opt.roster)
	if err != nil {
		return rules, err
	}
	for _, e := range r.Entries {
		rules.Agents = append(rules.Agents, merge.Agent{
			Name: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model,
		})
	}
	rules.Roster = r.Value()
	rules.Unified = r.Mode == roster.Unified
	return rules, nil
}

// mergeResult is a merged artifact and what became of the deltas.
type mergeResult struct {
	artifact artifact.Artifact
	report   merge.Report
	markdown bool
	notes    []delta.Note
	written  string // the file that holds the artifact, if not standard output
}

func (r *mergeResult) bytes() []byte {
	if r.markdown {
		return r.artifact.Markdown()
	}
	return append(r.artifact.JSON(), '\n')
}

func (r *mergeResult) Print(a *ui.App) error {
	report := NotesText(r.notes) + ReportText(&r.report)
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

func (r *mergeResult) Document() any {
	return struct {
		Schema   string         `json:"schema"`
		Artifact jsontext.Value `json:"artifact"`
		Report   merge.Report   `json:"report"`
		Reading  []delta.Note   `json:"reading"`
	}{"brenner.merge/v1", jsontext.Value(r.artifact.JSON()), r.report, r.notes}
}
