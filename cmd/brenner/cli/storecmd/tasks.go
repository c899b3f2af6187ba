package storecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/finding"
	"brenner/govern/policy"
	"brenner/project"
)

func storePinCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var t govern.TaskDraft
	var check bool
	c := &cobra.Command{
		Use:   "pin ID -m TASK --input ADDRESS…",
		Short: "Put a task spec with the exact versions of its inputs",
		Long: `Puts a task spec: what to do, for which role, and on exactly which versions. A record put with
--task ID is a result of it; if an input has changed by then, the result is marked
needs_rebase. --check reports which inputs of a task have changed, are stale or deprecated; pin
names those that are stale or deprecated from the start.`,
		Example: `  brenner store pin task-memo -m "Write the memo of fate." --for integrator --input lewis --input ross
  brenner store pin task-memo --check
  brenner store pin task-join -m "Merge the two branches." --input memo@v3 --input memo@v4

Exit codes: 0 put, or all inputs hold; 2 no such input; 5 with --check, an input has changed or
no longer holds; 75 the store is busy.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			t.ID = args[0]
			if check {
				if err := ui.Unused(c, "cannot be used with --check", "message", "for", "module", "cross-module", "input", "tag"); err != nil {
					return err
				}
				return checkTask(a, c, &f, t.ID)
			}
			return showRecords(a, c, &f, true, taskText, func(ctx context.Context, r *Records) (*govern.TaskState, error) {
				put, task, err := r.Pin(ctx, r.Actor, t)
				return govern.NewTaskState(&put.Record, &task, put.Moved), err
			})
		},
	}
	f.AddActor(c)
	c.Flags().StringVarP(&t.Task, "message", "m", "", "what to do")
	c.Flags().StringVar(&t.Role, "for", "", "the role that does it")
	c.Flags().StringVar(&t.Module, "module", "", "the module; defaults to that of the first input")
	c.Flags().BoolVar(&t.Cross, "cross-module", false, "put all modules in the scope of its context")
	c.Flags().StringArrayVar(&t.Inputs, "input", nil, "an input: the named version, or else the canonical or latest; repeatable")
	c.Flags().StringArrayVar(&t.Tags, "tag", nil, "a tag; repeatable")
	c.Flags().BoolVar(&check, "check", false, "report which inputs have changed or no longer hold")
	return c
}

func checkTask(a *ui.App, c *cobra.Command, f *RecordFlags, id string) error {
	return showRecords(a, c, f, false, taskText, func(ctx context.Context, r *Records) (*govern.TaskState, error) {
		one, task, moved, err := r.Task(ctx, id)
		if err == nil && len(moved) > 0 {
			a.Exit = ui.ExitPerson
		}
		return govern.NewTaskState(&one, &task, moved), err
	})
}

func taskText(a *ui.App, r *govern.TaskState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", nameOf(&r.Record), ui.Clean(ui.Clip(r.Task)))
	if !a.Quiet {
		for _, in := range r.Inputs {
			fmt.Fprintf(&b, "  %s@v%d (%s)\n", ui.Clean(in.ID), in.Version, ui.Clean(in.Type))
		}
		for _, m := range r.Moved {
			switch {
			case m.RestsOn != "":
				fmt.Fprintf(&b, "  %s@v%d is stale: it rests on %s, which is outdated\n", ui.Clean(m.ID), m.Version, ui.Clean(m.RestsOn))
			case m.Now == m.Version:
				fmt.Fprintf(&b, "  %s@v%d no longer holds\n", ui.Clean(m.ID), m.Version)
			default:
				fmt.Fprintf(&b, "  %s has changed: v%d is current\n", ui.Clean(m.ID), m.Now)
			}
		}
	}
	return b.String()
}

// HelperFlags select the agent for a job on the store: none, unless --model or --via is given.
// No paid model is used by default.
type HelperFlags struct {
	RecordFlags
	project.HelperOptions
}

func (f *HelperFlags) add(c *cobra.Command) {
	f.AddActor(c)
	c.Flags().StringVar(&f.Model, "model", "", "ask this model, by its name in agents.models of brenner.yaml or by its id; by default no agent is asked")
	c.Flags().StringVar(&f.Via, "via", "", "how to reach the agent: openai or program")
	c.Flags().StringVar(&f.Name, "agent", "Helper", "the agent's name in the records")
	c.Flags().StringVar(&f.Traffic.BaseURL, "base-url", "", "the URL of the model's endpoint ["+project.EnvBaseURL+"]")
	c.Flags().StringVar(&f.Traffic.Record, "record-tape", "", "record all traffic with the model in this file, without secrets")
	c.Flags().StringVar(&f.Traffic.Tape, "tape", "", "replay the traffic with the model from this file: no network, no cost")
}

// asks reports whether an agent is to be asked.
func (f *HelperFlags) asks() bool { return f.Model != "" || f.Via != "" }

// check rejects the flags of an agent that would not be asked. The mode that asks no agent, if
// any, is named in errors.
func (f *HelperFlags) check(c *cobra.Command, mode string) error {
	if f.asks() && mode != "" {
		return ui.Usage(c, "--model and --via have no effect "+mode, "")
	}
	if f.asks() {
		return nil
	}
	return ui.Unused(c, "needs --model", "agent", "base-url", "record-tape", "tape")
}

// Helper returns the agent, or nil if none is to be asked, and its cleanup.
func (f *HelperFlags) Helper(a *ui.App, c *cobra.Command, r *Records, role string) (*govern.Helper, func(), error) {
	if !f.asks() {
		return nil, func() {}, nil
	}
	p := r.Project
	if c.Flags().Changed("base-url") {
		changed, err := a.Open(config.Flag{Key: "agents.base_url", Name: "--base-url", Values: []string{f.Traffic.BaseURL}})
		if err != nil {
			return nil, nil, err
		}
		p = changed
	}
	return p.Helper(c.Context(), &f.HelperOptions, role)
}

func storeConsolidateCommand(a *ui.App) *cobra.Command {
	var f HelperFlags
	var module string
	var write bool
	c := &cobra.Command{
		Use:   "consolidate [--module MODULE]",
		Short: "Draft the memo of a module, or find redundant, unused or stale records",
		Long: `With --module, drafts the integrated memo of a module from its records (--module project: the
project's summary, from the memos and that module's records), as an unpromoted version. With
--model, an agent with the role integrator writes it; otherwise it is a list of the summaries.

Without --module, finds redundant, unused and stale records, and near copies. --write stores
the findings as a review, and deprecates exact duplicates that no record depends on. With --model,
a critic looks for more; its findings count like the others. --model needs --module or --write.`,
		Example: `  brenner store consolidate --module fate
  brenner store consolidate --module fate --model "Opus 4.5"
  brenner store consolidate --write

Exit codes: 0 done, or no findings; 1 findings; 2 no records for a memo, or the agent cannot be
reached; 4 not allowed; 75 the store is busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			mode := ""
			switch {
			case module != "" && write:
				return ui.Usage(c, "--write and --module are mutually exclusive", "")
			case module == "" && !write:
				mode = "without --module or --write"
			}
			if err := f.check(c, mode); err != nil {
				return err
			}
			if module != "" {
				return putByHelper(a, c, &f, func(ctx context.Context, r *Records, h *govern.Helper) (*govern.Written, error) {
					put, err := r.Consolidate(ctx, r.Actor, module, h)
					return govern.NewWritten(put), err
				})
			}
			checks := []string{finding.Duplicates, finding.Unused, finding.Summaries, finding.Links, finding.Stale, finding.Compression}
			return runChecks(a, c, &f, govern.CheckRun{Name: "consolidation", Checks: checks, Write: write, Tidy: write})
		},
	}
	f.add(c)
	c.Flags().StringVar(&module, "module", "", "draft the memo of this module")
	c.Flags().BoolVar(&write, "write", false, "store the findings as a review, and deprecate exact duplicates")
	return c
}

// putByHelper runs a job of the integrator, or of the program, and prints what it put.
func putByHelper(a *ui.App, c *cobra.Command, f *HelperFlags, do func(context.Context, *Records, *govern.Helper) (*govern.Written, error)) error {
	return showRecords(a, c, &f.RecordFlags, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
		h, done, err := f.Helper(a, c, r, policy.Integrator)
		if err != nil {
			return nil, err
		}
		defer done()
		return do(ctx, r, h)
	})
}

func storeCheckCommand(a *ui.App) *cobra.Command {
	var f HelperFlags
	var fix bool
	c := &cobra.Command{
		Use:   "check [CHECK…]",
		Short: "Check records: alignment with the brief, assumptions, links, summaries",
		Long: `Runs the named checks, or all of them: ` + strings.Join(finding.Names(), ", ") + `.

Without --model, the checks are mechanical: core records that mention what the brief lists under
"Out of scope" or that are older than the brief; assumptions that are equal but for a negation, or
differ in their status; links to missing or deprecated versions; records that rest on what no
longer holds; stale summaries; copies and near copies. With --model, a critic is asked about
alignment, assumptions and duplicates: one question each, or several (at most 6) if the texts do
not fit into one. Its findings count like the others; an answer that cannot be read is a finding,
too. A note says what was shown only as a summary.

The findings are put as a review, unless --dry-run is given. --mend applies only to the check
summaries, and replaces stale ones: written by the model, or extracted from the text.`,
		Example: `  brenner store check
  brenner store check alignment assumptions --model "Opus 4.5"
  brenner store check summaries --mend

Exit codes: 0 no findings; 1 findings, an answer that cannot be read, or a brief whose summary
--mend cannot replace; 2 no such check, or the
agent cannot be reached; 75 the store is busy.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			mode := ""
			args, err := govern.KnownChecks(args)
			if err != nil {
				return err
			}
			switch {
			case fix && f.Dry:
				return ui.Usage(c, "--mend and --dry-run are mutually exclusive", "omit --mend to list stale summaries")
			case fix && (len(args) != 1 || args[0] != finding.Summaries):
				return ui.Usage(c, "--mend requires `brenner store check summaries`", "")
			case f.Dry:
				mode = "with --dry-run"
			case !fix && len(args) > 0 && len(finding.Asked(args)) == 0:
				mode = "on " + strings.Join(args, ", ") + ": no model can help with that"
			}
			if err := f.check(c, mode); err != nil {
				return err
			}
			if fix {
				return putByHelper(a, c, &f, func(ctx context.Context, r *Records, h *govern.Helper) (*govern.Written, error) {
					made, left, err := r.FixSummaries(ctx, r.Actor, h)
					if err == nil && len(left) > 0 {
						a.Exit = ui.ExitFailed
					}
					return govern.NewMended(made, left), err
				})
			}
			run := govern.CheckRun{Name: "all", Checks: args, Write: !f.Dry}
			if len(args) == 0 {
				run.Checks = finding.Names()
			} else {
				run.Name = strings.Join(args, "-")
			}
			return runChecks(a, c, &f, run)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.Dry, "dry-run", false, "only print the findings")
	c.Flags().BoolVar(&fix, "mend", false, "replace stale summaries")
	return c
}

func runChecks(a *ui.App, c *cobra.Command, f *HelperFlags, run govern.CheckRun) error {
	return showRecords(a, c, &f.RecordFlags, run.Write, checkText, func(ctx context.Context, r *Records) (*govern.CheckResult, error) {
		run.Helper = func() (*govern.Helper, func(), error) { return f.Helper(a, c, r, policy.Critic) }
		res, err := r.RunChecks(ctx, r.Actor, run)
		switch {
		case err == nil && len(res.Findings) > 0:
			a.Exit = ui.ExitFailed
		case err != nil && res != nil && a.JSON:
			a.Partial = res
		case err != nil && res != nil:
			return nil, errors.Join(err, a.WriteText(checkText(a, res)))
		}
		return res, err
	})
}

func findingText(a *ui.App, f *govern.FindingRow) string {
	about := f.Ref
	if about != "" {
		about += ": "
	}
	if f.By != "" && about != "" {
		about = strings.Join(f.Records, ", ") + ": "
	}
	out := fmt.Sprintf("%s: %s%s\n", f.Check, ui.Clean(about), ui.Clean(f.Detail))
	if !a.Quiet && f.By != "" {
		out += fmt.Sprintf("  by: %s\n", ui.Clean(f.By))
	}
	if !a.Quiet && f.Fix != "" {
		out += fmt.Sprintf("  fix: %s\n", ui.Clean(f.Fix))
	}
	return out
}

func checkText(a *ui.App, r *govern.CheckResult) string {
	var b strings.Builder
	for i := range r.Findings {
		b.WriteString(findingText(a, &r.Findings[i]))
	}
	for _, ref := range r.Deprecated {
		fmt.Fprintf(&b, "deprecated: %s\n", ui.Clean(ref))
	}
	if !a.Quiet {
		for _, u := range r.NotCounted {
			place := ui.Clean(u.Call)
			if u.Line > 0 {
				place = fmt.Sprintf("%s, line %d", place, u.Line)
			}
			fmt.Fprintf(&b, "not counted: %s: %s\n", place, ui.Clean(u.Reason))
		}
		for _, note := range r.Notes {
			fmt.Fprintf(&b, "note: %s\n", ui.Clean(note))
		}
		switch {
		case len(r.Findings) == 0 && len(r.Notes) > 0:
			b.WriteString("No findings in what was examined.\n")
		case len(r.Findings) == 0:
			b.WriteString("No findings.\n")
		}
		if r.Review != "" {
			fmt.Fprintf(&b, "Stored as %s.\n", ui.Clean(r.Review))
		}
	}
	return b.String()
}
