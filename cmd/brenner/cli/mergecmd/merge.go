// Package mergecmd implements the commands that need no store: merge, artifact and delta.
package mergecmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/merge"
	"brenner/merge/settle"
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
	strict      bool
	anyAgent    bool
}

// Command returns the merge command.
func Command(a *ui.App) *cobra.Command {
	var opt mergeOptions
	c := ui.InProject(&cobra.Command{
		Use:   "merge --base FILE --deltas FILE…",
		Short: "Merge deltas into an artifact by rule",
		Long: `Merges deltas into an artifact and reports the outcome of each.

The base is an artifact in canonical JSON or Markdown. Deltas are a JSON array, JSON
Lines, or agents' Markdown replies, given as NAME=reply.md or NAME@TIME=reply.md; replies
without a time share one fixed time. "-" is standard input. The result has the format of
the base unless --format is set. It goes to standard output, the report to standard error.

If the metadata of the base has a roster, only its agents and authorities may contribute,
within their roles' scopes; --roster replaces it, --any-agent ignores it. The result does
not carry the seal of the session that made the base.

The order of files and deltas never matters. Priority, authorities, scopes and limits can
be set in brenner.yaml; flags override it.`,
		Example: `  brenner merge --base examples/cell-fate/base.json --deltas examples/cell-fate/deltas.json
  brenner merge --base v1.json --deltas BlueLake=reply1.md --deltas RedSky=reply2.md --out v2.json
  brenner merge --base v1.json --deltas d.jsonl --priority BlueLake,RedSky --json

Exit codes: 0 merged, even with rejections or conflicts; 1 writing the result failed;
2 invalid file or flag, nothing written; 3 with --strict: a delta or a field was rejected
or is in conflict.`,
		RunE: func(c *cobra.Command, args []string) error {
			opt.deltas = append(opt.deltas, args...)
			return runMerge(a, c, opt)
		},
	})
	f := c.Flags()
	f.StringVar(&opt.base, "base", "", "artifact to merge into (required)")
	f.StringArrayVar(&opt.deltas, "deltas", nil, "file of deltas, or NAME[@TIME]=reply.md; repeatable (required)")
	f.StringVar(&opt.roster, "roster", "", ui.RosterUsage+"; only its agents may contribute, within their roles' scopes")
	f.BoolVar(&opt.anyAgent, "any-agent", false, "accept deltas of any agent, even if the base's metadata has a roster")
	f.StringSliceVar(&opt.priority, "priority", nil, "agents by priority, highest first, or roster for the order of the roster; decides between writes at the same time")
	f.StringSliceVar(&opt.authorities, "authority", nil, "person or arbiter that may edit anything; repeatable")
	f.StringVar(&opt.scopes, "scopes", "", "scopes of a roster's roles: default or strict (only what the role is for)")
	f.StringVar(&opt.format, "format", "", "output format: json or markdown (default: from the extension of --out, else the base's)")
	f.StringVarP(&opt.out, "out", "o", "", "output file (default: standard output)")
	f.BoolVar(&opt.strict, "strict", false, "repair nothing in replies, and exit with 3 on a rejection or a conflict")
	return c
}

func runMerge(a *ui.App, c *cobra.Command, opt mergeOptions) error {
	if err := opt.check(c); err != nil {
		return err
	}
	doc, raw, err := a.ReadArtifact("base", opt.base)
	if err != nil {
		return err
	}
	if err := opt.checkBase(c, &doc.Artifact.Metadata); err != nil {
		return err
	}
	in := settle.ByHand{Base: doc.Artifact, Strict: opt.strict, Anyone: opt.anyAgent}
	p, err := openToMerge(a, c, opt, &in)
	if err != nil {
		return err
	}
	if in.Deltas, in.Replies, err = readDeltas(a, opt.deltas); err != nil {
		return err
	}
	r := p.Merge(&in, a.JSON)
	r.Reading = append(formNotes(&doc, opt.base), r.Reading...)
	form := func() []byte { return append(r.JSON, '\n') }
	if opt.markdown(raw) {
		form = r.Artifact.Markdown
	}
	written, err := ui.WriteOut(opt.out, form)
	if err == nil && opt.strict && !r.Report.Clean() {
		a.Exit = ui.ExitPartial
	}
	return ui.Show(a, r, err, func(a *ui.App, r *project.Merged) string {
		if !a.Quiet {
			report := NotesText(r.Reading) + ReportText(&r.Report)
			if written != "" {
				report += "; written to " + ui.Clean(written)
			}
			a.Say(report + "\n")
		}
		if written != "" {
			return ""
		}
		return string(form())
	})
}

func (o *mergeOptions) check(c *cobra.Command) error {
	switch {
	case o.base == "":
		return ui.Usage(c, "--base is required: the artifact to merge into", `an empty artifact is {"metadata":{"session_id":"RS-20251230-name"},"sections":{}}`)
	case len(o.deltas) == 0:
		return ui.Usage(c, "--deltas is required", "")
	case !slices.Contains([]string{"", "json", "markdown", "md"}, o.format):
		return ui.Usage(c, fmt.Sprintf("--format: %q is not json or markdown", o.format), "")
	case o.anyAgent && o.roster != "":
		return ui.Usage(c, "--any-agent cannot be combined with --roster", "")
	}
	return nil
}

// markdown reports whether the result is Markdown: by --format, the extension of --out, or
// the format of the base.
func (o *mergeOptions) markdown(base []byte) bool {
	switch {
	case o.format != "":
		return o.format != "json"
	case strings.HasSuffix(o.out, ".md"), strings.HasSuffix(o.out, ".json"):
		return strings.HasSuffix(o.out, ".md")
	}
	return !artifact.IsJSON(base)
}

// checkBase refuses a base of unknown rules, and flags that need a roster if there is none.
func (o *mergeOptions) checkBase(c *cobra.Command, base *artifact.Metadata) error {
	noRoster := o.roster == "" && (base.Roster == nil || o.anyAgent)
	switch {
	case base.Rules != "" && !merge.IsVersion(base.Rules):
		return &fault.Error{
			Code: ui.UnknownRules, Op: "read base", Place: o.base,
			Detail: fmt.Sprintf("made by rules %s; this version of brenner has %s", base.Rules, strings.Join(merge.Versions(), ", ")),
			Hint:   "use the version of brenner that made it",
		}
	case noRoster && o.scopes == "strict":
		return ui.Usage(c, "--scopes strict requires --roster, or a roster in the metadata of the base", "")
	case noRoster && config.RosterOrder(o.priority):
		return ui.Usage(c, "--priority roster requires --roster, or a roster in the metadata of the base", "or list the agents: --priority BlueLake,RedSky")
	}
	return nil
}

// openToMerge opens the project, overridden by the flags, and reads the roster.
func openToMerge(a *ui.App, c *cobra.Command, opt mergeOptions, in *settle.ByHand) (*project.Project, error) {
	p, err := a.Open(ui.ChangedKeys(c,
		config.Flag{Key: "priority", Name: "--priority", Values: opt.priority},
		config.Flag{Key: "authorities", Name: "--authority", Values: opt.authorities},
		config.Flag{Key: "scopes.mode", Name: "--scopes", Values: []string{opt.scopes}},
	)...)
	if err != nil || opt.roster == "" {
		return p, err
	}
	r, err := a.ReadRoster(opt.roster)
	in.Roster = &r
	return p, err
}

// readDeltas reads all files of --deltas. One unreadable file is an error, before anything
// is merged.
func readDeltas(a *ui.App, specs []string) (batch []delta.Delta, replies []settle.Reply, err error) {
	for _, spec := range specs {
		name, path, isReply := strings.Cut(spec, "=")
		if isReply {
			r, err := readReply(a, name, path)
			if err != nil {
				return nil, nil, err
			}
			replies = append(replies, r)
			continue
		}
		data, err := a.ReadFile("deltas", spec)
		if err != nil {
			return nil, nil, err
		}
		a.CollectLater(data)
		deltas, err := settle.ReadFile(spec, data, "did you mean --base?")
		if err != nil {
			return nil, nil, err
		}
		if batch == nil {
			batch = deltas // many, and usually all
			continue
		}
		batch = append(batch, deltas...)
	}
	return batch, replies, nil
}

// readReply reads NAME[@TIME]=FILE.
func readReply(a *ui.App, name, path string) (settle.Reply, error) {
	r := settle.Reply{Agent: name, At: settle.Undated(), File: path}
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		instant, err := artifact.ParseInstant(name[at+1:])
		if err != nil {
			return r, &fault.Error{
				Code: fault.Usage, Op: "read --deltas " + name + "=" + path, Place: name[at+1:], Cause: err,
				Hint: "write NAME@2025-12-30T12:00:00Z=reply.md",
			}
		}
		r.Agent, r.At = name[:at], instant
	}
	if r.Agent == "" {
		return r, &fault.Error{
			Code: fault.Usage, Detail: "--deltas: " + name + "=" + path + " has no agent name",
			Hint: "write NAME=reply.md",
		}
	}
	var err error
	r.Text, err = a.ReadFile("reply", path)
	return r, err
}

// ReportText formats the report of a merge: a line per delta and rejected field, warnings,
// conflicts, and totals.
func ReportText(r *merge.Report) string {
	var rows [][]string
	for i := range r.Deltas {
		rows = appendRows(rows, &r.Deltas[i])
	}
	var b strings.Builder
	b.WriteString(ui.Columns(rows))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning  %s: %s\n", warning.Code, ui.Clean(warning.Message))
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict %s.%s\n", c.Item, ui.Clean(c.Field))
		for _, candidate := range c.Candidates {
			fmt.Fprintf(&b, "           %s (%s): %s\n", ui.Clean(candidate.Agent), ui.Clean(candidate.Delta),
				ui.Clean(string(artifact.Canonical(candidate.Value))))
		}
	}
	b.WriteString(totals(r))
	return b.String()
}

// NotesText formats the notes on reading replies.
func NotesText(notes []delta.Note) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "note     %s:%d: %s: %s\n", ui.Clean(n.File), n.Line, n.What, ui.Clean(n.Text))
	}
	return b.String()
}

// formNotes returns the notes on the form of a file that another tool wrote.
func formNotes(doc *artifact.Document, path string) []delta.Note {
	var notes []delta.Note
	for _, p := range append(doc.Notes(), doc.Unkept...) {
		notes = append(notes, delta.Note{File: path, Line: p.Line, What: string(p.Kind), Text: noteText(p.Item, p.Message)})
	}
	return notes
}

// noteText returns a note that may be about an item.
func noteText(item, message string) string { return strings.TrimPrefix(item+": "+message, ": ") }

func appendRows(rows [][]string, row *merge.Row) [][]string {
	what := ui.Clean(row.Message)
	switch {
	case row.Code != "":
		what = string(row.Code) + ": " + what
	case what == "":
		what = written(row)
	}
	target := row.TargetID
	if target == "" {
		target = "-"
	}
	rows = append(rows, []string{row.Disposition.String(), row.DeltaID, row.Agent, target, what})
	for _, f := range row.Fields {
		if f.Outcome == merge.FieldApplied || f.Outcome == merge.FieldUnchanged {
			continue
		}
		detail := f.Outcome.String()
		if code := f.Code(); code != "" {
			detail += " " + string(code)
		}
		if f.Message != "" {
			detail += ": " + ui.Clean(f.Message)
		}
		rows = append(rows, []string{"", "", "", "." + f.Field, detail})
	}
	return rows
}

// written lists the fields that a delta changed.
func written(row *merge.Row) string {
	var names []string
	for _, f := range row.Fields {
		if f.Outcome == merge.FieldApplied {
			names = append(names, ui.Clean(f.Field))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "wrote " + strings.Join(names, ", ")
}

// totals is the last line of the report.
func totals(r *merge.Report) string {
	counts := map[merge.Disposition]int{}
	for i := range r.Deltas {
		counts[r.Deltas[i].Disposition]++
	}
	parts := []string{fmt.Sprintf("version %d", r.Version)}
	for _, d := range []merge.Disposition{
		merge.Applied, merge.Conflicted, merge.Superseded, merge.Skipped, merge.Duplicate, merge.Rejected,
	} {
		if n := counts[d]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d))
		}
	}
	if len(r.Deltas) == 0 {
		parts = append(parts, "no deltas")
	}
	if n := r.LabelsTaken(); n > 0 {
		parts = append(parts, text.Count(n, "ADD")+" without the id carried ("+string(merge.LabelTaken)+")")
	}
	return strings.Join(parts, ", ")
}
