package storecmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store/record"
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
			return WithRecords(a, c, &f, true, func(ctx context.Context, r *Records) error {
				put, task, err := r.Pin(ctx, r.Who, t)
				if err != nil {
					return err
				}
				return a.Show(taskDocument(&put.Record, &task, nil))
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
	return WithRecords(a, c, f, false, func(ctx context.Context, r *Records) error {
		one, task, moved, err := r.Task(ctx, id)
		if err != nil {
			return err
		}
		if len(moved) > 0 {
			a.Exit = ui.ExitPerson
		}
		return a.Show(taskDocument(&one, &task, moved))
	})
}

// taskResult is a task spec.
type taskResult struct {
	Schema string          `json:"schema"`
	Record recordDocument  `json:"record"`
	Task   string          `json:"task"`
	Role   string          `json:"role"`
	Cross  bool            `json:"cross_module"`
	Inputs []inputDocument `json:"inputs"`
	Moved  []movedRecord   `json:"moved_inputs"`
}

type inputDocument struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
}

func taskDocument(r *record.Record, t *govern.Task, moved []govern.Moved) *taskResult {
	res := &taskResult{Schema: "brenner.store.task/v1", Record: documentOf(r, 0), Task: t.Task, Role: t.Role, Cross: t.Cross, Inputs: []inputDocument{}, Moved: movedRecords(moved)}
	for _, in := range t.Inputs {
		res.Inputs = append(res.Inputs, inputDocument{in.ID, in.Version, in.Type})
	}
	return res
}

func (r *taskResult) Print(a *ui.App) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Record.ref(), ui.Clean(ui.Clip(r.Task)))
	if !a.Quiet {
		for _, in := range r.Inputs {
			fmt.Fprintf(&b, "  %s@v%d (%s)\n", ui.Clean(in.ID), in.Version, ui.Clean(in.Type))
		}
		for _, m := range r.Moved {
			fmt.Fprintf(&b, "  %s has moved: v%d stands now\n", ui.Clean(m.ID), m.Now)
		}
	}
	return a.Write([]byte(b.String()))
}

// HelperFlags say whom to ask for a job on the store: nobody, unless a model or a
// way is named. Nothing paid is picked by guess.
type HelperFlags struct {
	RecordFlags
	Model, Via, Name string
	Traffic          project.Traffic
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

// asks tells whether somebody is to be asked.
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

// Helper makes the agent, or nil where nobody is to be asked.
func (f *HelperFlags) Helper(a *ui.App, c *cobra.Command, r *Records, role string) (*govern.Helper, func(), error) {
	if !f.asks() {
		return nil, func() {}, nil
	}
	p := r.project
	if c.Flags().Changed("base-url") {
		given, err := a.Open(f.Project, "", []config.Flag{{Key: "agents.base_url", Name: "--base-url", Values: []string{f.Traffic.BaseURL}}})
		if err != nil {
			return nil, nil, err
		}
		p = given
	}
	own := *p.Config
	p = &project.Project{Host: p.Host, Config: &own}
	p.Config.Models = slices.Clone(p.Config.Models)
	for i := range p.Config.Models {
		p.Config.Models[i].Structured = "" // the answer is a text, no deltas
	}
	party := p.Party(roster.Entry{Agent: f.Name, Role: roster.Role(role), Program: f.Model, Model: f.Model}, project.Way{Via: f.Via})
	party.ModelID, party.Seed = cmp.Or(party.ModelID, f.Model), nil
	if party.Via != config.ViaOpenAI && party.Via != config.ViaProgram {
		return nil, nil, &fault.Error{
			Code: project.NoWay, Detail: "nothing says how to reach " + fault.Shown(f.Model), Hint: "give --via openai or --via program; a rehearsal plays sessions only",
		}
	}
	m, err := p.OpenModels(f.Traffic, []flow.Party{party}, 0)
	if err != nil {
		return nil, nil, err
	}
	made, err := m.Agents(nil, []flow.Party{party})(party)
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	return &govern.Helper{Agent: made, Name: f.Name, Model: f.Model}, m.Close, nil
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
				return integrate(a, c, &f, module)
			}
			checks := []string{govern.CheckDuplicates, govern.CheckUnused, govern.CheckSummaries, govern.CheckLinks, govern.CheckCompression}
			return runChecks(a, c, &f, checkOptions{name: "consolidation", checks: checks, write: write, tidy: write})
		},
	}
	f.add(c)
	c.Flags().StringVar(&module, "module", "", "draft the memo of this module")
	c.Flags().BoolVar(&write, "write", false, "keep the findings as a review, and deprecate exact repetitions")
	return c
}

func integrate(a *ui.App, c *cobra.Command, f *HelperFlags, module string) error {
	return WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *Records) error {
		h, done, err := f.Helper(a, c, r, policy.Integrator)
		if err != nil {
			return err
		}
		defer done()
		put, err := r.Consolidate(ctx, r.Who, module, h)
		if err != nil {
			return err
		}
		return a.Show(putDocument([]govern.Put{put}))
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
				return mendSummaries(a, c, &f)
			}
			opt := checkOptions{name: "all", checks: args, write: !f.Dry}
			if len(args) == 0 {
				opt.checks = govern.Checks()
			} else {
				opt.name = strings.Join(args, "-")
			}
			return runChecks(a, c, &f, opt)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.Dry, "dry-run", false, "put no review")
	c.Flags().BoolVar(&mend, "mend", false, "make new summaries for those that are stale")
	return c
}

type checkOptions struct {
	name   string
	checks []string
	write  bool
	tidy   bool // deprecate exact repetitions
}

func runChecks(a *ui.App, c *cobra.Command, f *HelperFlags, opt checkOptions) error {
	return WithRecords(a, c, &f.RecordFlags, opt.write, func(ctx context.Context, r *Records) error {
		found, err := r.Check(ctx, r.Who, opt.checks...)
		if err != nil {
			return err
		}
		res := &checkResult{Schema: "brenner.store.check/v1", Findings: []findingDocument{}, Deprecated: []string{}}
		for _, x := range found {
			res.Findings = append(res.Findings, findingDocument{x.Check, nameOf(x.Ref), nameOf(x.Other), x.Says(), x.Fix})
		}
		if opt.write {
			h, done, err := f.Helper(a, c, r, policy.Critic)
			if err != nil {
				return err
			}
			defer done()
			put, err := r.Review(ctx, r.Who, opt.name, found, h)
			if err != nil {
				return err
			}
			if put != nil {
				res.Review = put.Record.Ref().String()
			}
		}
		if opt.tidy {
			if res.Deprecated, err = tidy(ctx, r, found); err != nil {
				return err
			}
		}
		if len(found) > 0 {
			a.Exit = ui.ExitFailed
		}
		return a.Show(res)
	})
}

// tidy deprecates what repeats another record and is not used.
func tidy(ctx context.Context, r *Records, found []govern.Finding) ([]string, error) {
	done := []string{}
	for _, x := range found {
		if x.Check != govern.CheckDuplicates {
			continue
		}
		_, err := r.Deprecate(ctx, r.Who, x.Ref.String(), "it says what "+x.Other.String()+" says", false)
		switch {
		case fault.CodeOf(err) == govern.StillUsed:
			continue
		case err != nil:
			return done, err
		}
		done = append(done, x.Ref.String())
	}
	return done, nil
}

func mendSummaries(a *ui.App, c *cobra.Command, f *HelperFlags) error {
	return WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *Records) error {
		h, done, err := f.Helper(a, c, r, policy.Integrator)
		if err != nil {
			return err
		}
		defer done()
		found, err := r.Check(ctx, r.Who, govern.CheckSummaries)
		if err != nil {
			return err
		}
		var all []govern.Put
		for _, x := range found {
			one, _, err := r.Find(ctx, x.Ref.String())
			if err != nil {
				return err
			}
			if !one.StaleSummary() && !h.There() {
				continue // the program's own would be the same again
			}
			put, err := r.Summarise(ctx, r.Who, one.Ref().String(), h)
			switch {
			case fault.CodeOf(err) == govern.NothingNew: // the agent cannot be shown it, and the program's own stands
				continue
			case err != nil:
				return err
			}
			all = append(all, put)
		}
		return a.Show(putDocument(all))
	})
}

// checkResult is what checks found.
type checkResult struct {
	Schema     string            `json:"schema"`
	Findings   []findingDocument `json:"findings"`
	Review     string            `json:"review"` // where they are kept; empty where they are not, or were before
	Deprecated []string          `json:"deprecated"`
}

type findingDocument struct {
	Check  string `json:"check"`
	Ref    string `json:"record"`
	Other  string `json:"other"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

func (r *checkResult) Print(a *ui.App) error {
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
	return a.Write([]byte(b.String()))
}
