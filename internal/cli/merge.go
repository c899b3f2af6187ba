package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/config"
	"brenner/fault"
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

func (a *app) mergeCommand() *cobra.Command {
	var opt mergeOptions
	c := &cobra.Command{
		Use:     "merge --base FILE --deltas FILE…",
		GroupID: everyday,
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

Exit codes: 0 merged, whatever was rejected or is in conflict; 2 a file or a flag
cannot be used, and nothing is written; 3 with --strict, when something was
rejected or is in conflict.`,
		RunE: func(c *cobra.Command, args []string) error {
			opt.deltas = append(opt.deltas, args...)
			return a.merge(c, opt)
		},
	}
	f := c.Flags()
	f.StringVar(&opt.base, "base", "", "the artifact to merge into (required)")
	f.StringArrayVar(&opt.deltas, "deltas", nil, "a file of deltas, or NAME[@TIME]=reply.md; repeatable (required)")
	f.StringVar(&opt.roster, "roster", "", "a roster as JSON: only its agents may contribute, within their roles' scopes")
	f.StringSliceVar(&opt.priority, "priority", nil, "agents, highest first; decides between writes of one instant")
	f.StringSliceVar(&opt.authorities, "authority", nil, "a person or arbiter who may edit anything; repeatable")
	f.StringVar(&opt.scopes, "scopes", "", "with a roster: default (everybody may add) or strict")
	addProjectFlag(c, &opt.project)
	f.StringVar(&opt.format, "format", "", "json or markdown; the form of the base if not given")
	f.StringVarP(&opt.out, "out", "o", "", "write the artifact to this file instead")
	f.BoolVar(&opt.strict, "strict", false, "exit with 3 when a delta was rejected or a field is in conflict")
	return c
}

func (a *app) merge(c *cobra.Command, opt mergeOptions) error {
	if err := opt.check(c); err != nil {
		return err
	}
	base, raw, err := a.readArtifact("base", opt.base)
	if err != nil {
		return err
	}
	if r := base.Metadata.Rules; r != "" && r != merge.Version {
		return &fault.Error{
			Code: UnknownRules, Op: "read base", Place: opt.base,
			Detail: fmt.Sprintf("it was made by the rules %s; this program knows %s", r, merge.Version),
			Hint:   "use the version of brenner that made it",
		}
	}
	rules, err := a.mergeRules(c, opt)
	if err != nil {
		return err
	}
	batch, err := a.readDeltas(opt.deltas, base)
	if err != nil {
		return err
	}
	out, report := merge.Merge(base, batch, rules)
	a.log.Debug().Int("deltas", len(batch)).Int("applied", report.Applied).Int("version", report.Version).Msg("merged")
	r := &mergeResult{artifact: out, report: report, markdown: opt.format == "markdown"}
	if opt.format == "" {
		r.markdown = !artifact.IsJSON(raw)
	}
	if opt.out != "" {
		if err := writeFile(opt.out, r.bytes()); err != nil {
			return err
		}
		r.written = opt.out
	}
	if opt.strict && !report.Clean() {
		a.exit = exitPartial
	}
	return a.show(r)
}

func (o *mergeOptions) check(c *cobra.Command) error {
	switch {
	case o.base == "":
		return usage(c, "--base is missing: the artifact to merge into", `a new one is {"metadata":{"session_id":"RS-20251230-name"},"sections":{}}`)
	case len(o.deltas) == 0:
		return usage(c, "--deltas is missing: what to merge", "")
	case o.format != "" && o.format != "json" && o.format != "markdown":
		return usage(c, fmt.Sprintf("--format %q is neither json nor markdown", o.format), "")
	case o.scopes == "strict" && o.roster == "":
		return usage(c, "--scopes strict needs a --roster: without one no scope applies", "")
	}
	stdin := 0
	for _, path := range append([]string{o.base, o.roster}, o.deltas...) {
		if path == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usage(c, `standard input ("-") can only be read once`, "")
	}
	return nil
}

// mergeRules makes the kernel's rules from the flags and the configuration.
func (a *app) mergeRules(c *cobra.Command, opt mergeOptions) (merge.Rules, error) {
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
	cfg, err := a.loadConfig(opt.project, "", flags)
	if err != nil {
		return merge.Rules{}, err
	}
	rules := merge.Rules{Priority: cfg.Priority, Authorities: cfg.Authorities, Limits: cfg.Limits, Scopes: cfg.Scopes}
	if opt.roster == "" {
		return rules, nil
	}
	r, err := a.readRoster(opt.roster)
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
	written  string // the file that holds the artifact, if not standard output
}

func (r *mergeResult) bytes() []byte {
	if r.markdown {
		return r.artifact.Markdown()
	}
	return append(r.artifact.JSON(), '\n')
}

func (r *mergeResult) text(a *app) error {
	report := reportText(&r.report)
	if r.written != "" {
		report += "; written to " + clean(r.written)
	}
	if !a.quiet {
		a.say(report + "\n")
	}
	if r.written != "" {
		return nil
	}
	return a.write(r.bytes())
}

func (r *mergeResult) document() any {
	return struct {
		Schema   string         `json:"schema"`
		Artifact jsontext.Value `json:"artifact"`
		Report   merge.Report   `json:"report"`
	}{"brenner.merge/v1", jsontext.Value(r.artifact.JSON()), r.report}
}
