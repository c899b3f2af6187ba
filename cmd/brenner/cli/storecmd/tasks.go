package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/project"
)

func storePinCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var t govern.TaskDraft
	var check bool
	c := &cobra.Command{
		Use:   "pin ID -m TASK --input ADDRESS…",
		Short: "Write down a task with the exact versions of its inputs",
		Long: `Puts a task spec: what is to be done, by which role, and on exactly which versions. Whatever
is put with --task ID is a result of it; if an input has moved by then, the result is
marked needs_rebase. --check says whether the inputs of a task are still what they were.`,
		Example: `  brenner store pin task-memo -m "Write the memo of fate." --for integrator --input lewis --input ross
  brenner store pin task-memo --check
  brenner store pin task-join -m "Join the two ways." --input memo@v3 --input memo@v4

Exit codes: 0 put, or nothing moved; 2 an input is not there; 5 with --check, an input has moved;
75 the store is busy.`,
		Args: oneOf("an id for the task"),
		RunE: func(c *cobra.Command, args []string) error {
			t.ID = args[0]
			if check {
				if err := ui.Unused(c, "does not go with --check", "message", "for", "module", "cross-module", "input", "tag"); err != nil {
					return err
				}
				return checkTask(a, c, &f, t.ID)
			}
			return showRecords(a, c, &f, true, taskText, func(ctx context.Context, r *Records) (*govern.TaskState, error) {
				put, task, err := r.Pin(ctx, r.Who, t)
				return govern.NewTaskState(&put.Record, &task, nil), err
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&t.Task, "message", "m", "", "what is to be done")
	c.Flags().StringVar(&t.Role, "for", "", "the role that is to do it")
	c.Flags().StringVar(&t.Module, "module", "", "its module; that of its first input if not given")
	c.Flags().BoolVar(&t.Cross, "cross-module", false, "it is about the whole project: its context may have all modules")
	c.Flags().StringArrayVar(&t.Inputs, "input", nil, "a version that it is given; the one that stands where none is named; repeatable")
	c.Flags().StringArrayVar(&t.Tags, "tag", nil, "a tag; repeatable")
	c.Flags().BoolVar(&check, "check", false, "say whether its inputs have moved")
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
			fmt.Fprintf(&b, "  %s has moved: v%d stands now\n", ui.Clean(m.ID), m.Now)
		}
	}
	return b.String()
}

// HelperFlags say which agent to ask for a job on the store: none, unless a model or a
// way is named. Nothing paid is picked by guess.
type HelperFlags struct {
	RecordFlags
	project.HelperOptions
}

func (f *HelperFlags) add(c *cobra.Command) {
	f.AddWho(c)
	c.Flags().StringVar(&f.Model, "model", "", "ask this model, as agents.models of brenner.yaml names it, or by its id; without one nobody is asked")
	c.Flags().StringVar(&f.Via, "via", "", "how it is reached: openai or program")
	c.Flags().StringVar(&f.Name, "agent", "Helper", "the agent's name in the records")
	c.Flags().StringVar(&f.Traffic.BaseURL, "base-url", "", "the address of the model's endpoint ["+project.EnvBaseURL+"]")
	c.Flags().StringVar(&f.Traffic.Record, "record-tape", "", "write all traffic with the model to this file, without secrets")
	c.Flags().StringVar(&f.Traffic.Tape, "tape", "", "play the traffic with the model from this file: no network, no cost")
}

// asks reports whether an agent is to be asked.
func (f *HelperFlags) asks() bool { return f.Model != "" || f.Via != "" }

// check refuses flags about a helper where nobody is asked, for whatever reason.
func (f *HelperFlags) check(c *cobra.Command, unasked string) error {
	if f.asks() && unasked != "" {
		return ui.Usage(c, "--model and --via ask an agent, and "+unasked, "")
	}
	if f.asks() {
		return nil
	}
	return ui.Unused(c, "needs --model", "agent", "base-url", "record-tape", "tape")
}

// Helper makes the agent, or nil where none is to be asked.
func (f *HelperFlags) Helper(a *ui.App, c *cobra.Command, r *Records, role string) (*govern.Helper, func(), error) {
	if !f.asks() {
		return nil, func() {}, nil
	}
	p := r.Project
	if c.Flags().Changed("base-url") {
		given, err := a.Open(config.Flag{Key: "agents.base_url", Name: "--base-url", Values: []string{f.Traffic.BaseURL}})
		if err != nil {
			return nil, nil, err
		}
		p = given
	}
	return p.Helper(&f.HelperOptions, role)
}

func storeConsolidateCommand(a *ui.App) *cobra.Command {
	var f HelperFlags
	var module string
	var write bool
	c := &cobra.Command{
		Use:   "consolidate [--module MODULE]",
		Short: "Draft the memo of a module, or find what is redundant, unused or out of date",
		Long: `With --module it drafts the integrated memo of a module from what stands in it (--module
project: the project's summary, from the memos and that module's records), as a new version that nobody has promoted.
With --model an agent of the role integrator writes it; without one the program lists the
summaries, and says that nobody weighed them.

Without --module it looks for what is redundant, unused or out of date. --write keeps the
findings as a review, and deprecates records that repeat another one word for word and that
nothing rests on.`,
		Example: `  brenner store consolidate --module fate
  brenner store consolidate --module fate --model "Opus 4.5"
  brenner store consolidate --write

Exit codes: 0 done, or nothing found; 1 something was found; 2 there is nothing to make a memo
from, or the agent cannot be reached; 4 not allowed; 75 the store is busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			unasked := ""
			switch {
			case module != "" && write:
				return ui.Usage(c, "--write keeps findings, and --module drafts a memo, which is always kept", "")
			case module == "" && !write:
				unasked = "without --module or --write nobody is"
			}
			if err := f.check(c, unasked); err != nil {
				return err
			}
			if module != "" {
				return putByHelper(a, c, &f, func(ctx context.Context, r *Records, h *govern.Helper) ([]govern.Put, error) {
					put, err := r.Consolidate(ctx, r.Who, module, h)
					return []govern.Put{put}, err
				})
			}
			checks := []string{govern.CheckDuplicates, govern.CheckUnused, govern.CheckSummaries, govern.CheckLinks, govern.CheckCompression}
			return runChecks(a, c, &f, govern.CheckRun{Name: "consolidation", Checks: checks, Write: write, Tidy: write})
		},
	}
	f.add(c)
	c.Flags().StringVar(&module, "module", "", "draft the memo of this module")
	c.Flags().BoolVar(&write, "write", false, "keep the findings as a review, and deprecate exact repetitions")
	return c
}

// putByHelper shows the versions that are put with the help of an integrator, or without.
func putByHelper(a *ui.App, c *cobra.Command, f *HelperFlags, do func(context.Context, *Records, *govern.Helper) ([]govern.Put, error)) error {
	return showRecords(a, c, &f.RecordFlags, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
		h, done, err := f.Helper(a, c, r, policy.Integrator)
		if err != nil {
			return nil, err
		}
		defer done()
		put, err := do(ctx, r, h)
		return govern.NewWritten(put...), err
	})
}

func storeCheckCommand(a *ui.App) *cobra.Command {
	var f HelperFlags
	var mend bool
	c := &cobra.Command{
		Use:   "check [CHECK…]",
		Short: "Check records: against the brief, assumption against assumption, links, summaries",
		Long: `Runs the checks that are named, or all of them: ` + strings.Join(govern.Checks(), ", ") + `.

Without --model it does what needs no understanding: core records against what the brief puts
out of scope (a list under "Out of scope") and older than it; lines "Assumes: …" and "Assumes
not: …", and the status of the same assumption in different modules; links to what is gone;
summaries of earlier versions. With --model the critic says more, through the same door.

What was found is put as a review, unless --dry-run is given. --mend goes with the check of
summaries alone, and makes new ones: by the model, or from the text.`,
		Example: `  brenner store check
  brenner store check alignment assumptions --model "Opus 4.5"
  brenner store check summaries --mend

Exit codes: 0 nothing found; 1 something was found; 2 there is no such check, or the agent cannot
be reached; 75 the store is busy.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			unasked := ""
			switch {
			case mend && f.Dry:
				return ui.Usage(c, "--mend and --dry-run contradict each other", "without --mend the check says which summaries are stale")
			case mend && (len(args) != 1 || args[0] != govern.CheckSummaries):
				return ui.Usage(c, "--mend goes with `brenner store check summaries`", "")
			case f.Dry:
				unasked = "with --dry-run nobody is"
			}
			if err := f.check(c, unasked); err != nil {
				return err
			}
			if mend {
				return putByHelper(a, c, &f, func(ctx context.Context, r *Records, h *govern.Helper) ([]govern.Put, error) {
					return r.MendSummaries(ctx, r.Who, h)
				})
			}
			run := govern.CheckRun{Name: "all", Checks: args, Write: !f.Dry}
			if len(args) == 0 {
				run.Checks = govern.Checks()
			} else {
				run.Name = strings.Join(args, "-")
			}
			return runChecks(a, c, &f, run)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.Dry, "dry-run", false, "put no review")
	c.Flags().BoolVar(&mend, "mend", false, "make new summaries for those that are stale")
	return c
}

func runChecks(a *ui.App, c *cobra.Command, f *HelperFlags, run govern.CheckRun) error {
	return showRecords(a, c, &f.RecordFlags, run.Write, checkText, func(ctx context.Context, r *Records) (*govern.CheckResult, error) {
		run.Helper = func() (*govern.Helper, func(), error) { return f.Helper(a, c, r, policy.Critic) }
		res, err := r.RunChecks(ctx, r.Who, run)
		if err == nil && len(res.Findings) > 0 {
			a.Exit = ui.ExitFailed
		}
		return res, err
	})
}

func checkText(a *ui.App, r *govern.CheckResult) string {
	var b strings.Builder
	for _, f := range r.Findings {
		about := f.Ref
		if about != "" {
			about += ": "
		}
		fmt.Fprintf(&b, "%s: %s%s\n", f.Check, ui.Clean(about), ui.Clean(f.Detail))
		if !a.Quiet && f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", ui.Clean(f.Fix))
		}
	}
	for _, ref := range r.Deprecated {
		fmt.Fprintf(&b, "deprecated: %s\n", ui.Clean(ref))
	}
	if !a.Quiet {
		if len(r.Findings) == 0 {
			b.WriteString("Nothing found.\n")
		}
		if r.Review != "" {
			fmt.Fprintf(&b, "Kept as %s.\n", ui.Clean(r.Review))
		}
	}
	return b.String()
}
