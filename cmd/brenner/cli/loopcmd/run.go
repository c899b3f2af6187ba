package loopcmd

import (
	"cmp"
	"context"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// grace is how long the calls under way may still take once a loop was told to go:
// whoever sends SIGTERM waits 10 s, and what they came to has to be stored by then.
const grace = 5 * time.Second

type loopOptions struct {
	project string
	key     string
	goOn    bool
	dryRun  bool
	retry   bool
}

func loopRunCommand(a *ui.App) *cobra.Command {
	var opt loopOptions
	c := &cobra.Command{
		Use:   "run PLAN.yaml",
		Short: "Run the sessions of a plan, or go on with them",
		Long: `Reads the plan, says everything that is wrong with it before anything starts, and runs its
sessions, several at once, until the plan is done or one of its stop rules holds. Then
the report is in .brenner/loops/NAME: Markdown, HTML and JSON.

What a session may spend is set aside before it begins, and no session begins whose share
does not fit into what is left of the budget of the whole. A run that was killed or interrupted goes on when the same command is
given again; no session that came to its end is run twice.

With --run KEY the loop is called by the plan's name and the key, and is run once: after
it has ended, the same command says so and does nothing. That is what a cron job gives:
--run $(date +%F). Without it, a plan that has ended begins anew, under the next number.
Either way, where the end of the last run still owes its report (it was killed before, or
somebody was not reached), the same command makes up for that and runs nothing.

The first signal (Ctrl-C, SIGTERM, SIGHUP) lets the calls under way end, for 5 seconds at most; the second one
stops at once. Neither loses anything.`,
		Example: `  brenner loop run night.yaml --dry-run
  brenner loop run night.yaml
  brenner loop run night.yaml --run $(date +%F)
  brenner loop run night.yaml --run 2026-11-15 --go-on
  brenner loop run night.yaml --run 2026-11-15 --retry-failed

Exit codes: 0 the plan is done, or a stop rule of it ended the loop; 1 it could not be
stored, or the report could not be delivered; 2 the plan, a file that it names or the
configuration is wrong, or no model is named; 4 a file wants what needs ` + "`brenner trust`" + `;
5 another process runs the loop; 75 the store is busy; 130 interrupted.`,
		Args: ui.Exactly("plan"),
		RunE: func(c *cobra.Command, args []string) error { return loopRun(a, c, &opt, args[0]) },
	}
	ui.AddProjectFlag(c, &opt.project)
	c.Flags().StringVar(&opt.key, "run", "", "run the plan once for this key")
	c.Flags().BoolVar(&opt.dryRun, "dry-run", false, "check the plan and print what it would do; send nothing, write nothing")
	c.Flags().BoolVar(&opt.goOn, "go-on", false, "go on with the loop although it has ended: the limits are those of the plan now")
	c.Flags().BoolVar(&opt.retry, "retry-failed", false, "go on with the loop, ended or not, and try its failed sessions again, and those that were skipped")
	return c
}

func loopRun(a *ui.App, c *cobra.Command, opt *loopOptions, file string) error {
	if c.Flags().Changed("run") && opt.key == "" {
		return ui.Usage(c, "--run needs a key, and got an empty one: without it the plan would be run anew each time", "such as --run $(date +%F); leave it out to begin anew")
	}
	opt.goOn = opt.goOn || opt.retry
	p, err := a.Open(opt.project, "", nil)
	if err != nil {
		return err
	}
	look := (*project.Project).OpenToRead
	if opt.dryRun {
		look = (*project.Project).OpenUnchanged
	}
	data, err := a.ReadFile("the plan", file)
	if err != nil {
		return err
	}
	plan, err := p.ReadPlan(c.Context(), file, data, look)
	if err != nil {
		return err
	}
	plan.Retry = opt.retry
	base, err := project.LoopName(plan, opt.key)
	if err != nil {
		return err
	}
	models, err := p.OpenModels(project.Traffic{}, plan.Parties, plan.Opened.Work.Settings.BudgetUSD)
	if err != nil {
		return err
	}
	defer models.Close()
	if opt.dryRun {
		if err := p.CheckDelivery(); err != nil {
			return err
		}
		return previewLoop(c.Context(), a, plan, base, opt)
	}
	models.Transport = project.Wider(plan.Opened.Limits.Concurrency)
	if c, ok := models.Counter.(*tokens.Counter); ok {
		models.Counter = tokens.Remember(c) // thousands of messages are the same but for a few lines
	}
	if err := models.OpenPost(c.Context(), plan.Parties, false); err != nil {
		return err
	}
	if err := p.CheckDelivery(); err != nil {
		return err
	}
	st, err := p.OpenStore(c.Context())
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	r := &runner.Runner{Store: st, Locks: st, Now: a.Now, Log: a.Log, Observe: loopProgress(a), Holder: a.Host().Holder(ui.Doing(c))}
	state, release, err := holdLoop(c.Context(), a, r, plan, base, opt)
	if err != nil {
		return err
	}
	defer release()
	if state != nil && state.Ended != "" && !opt.goOn {
		return hasEnded(c.Context(), a, p, st, state)
	}
	return runLoop(a, c, plan, models, st, r, state)
}

// holdLoop finds the loop that is meant and holds it. How it stands is looked at again
// then: whoever had it may have ended it meanwhile.
func holdLoop(ctx context.Context, a *ui.App, r *runner.Runner, p *project.Planned, base string, opt *loopOptions) (*loop.State, func(), error) {
	for {
		if _, err := p.Find(ctx, r.Store, base, opt.key, opt.goOn); err != nil {
			return nil, nil, err
		}
		name := p.Opened.Name
		release, err := r.Hold(name)
		if err != nil {
			return nil, nil, err
		}
		state, err := p.Find(ctx, r.Store, base, opt.key, opt.goOn)
		if err == nil && p.Opened.Name == name {
			return state, release, nil
		}
		release()
		if err != nil {
			return nil, nil, err
		}
	}
}

// hasEnded is what becomes of a loop that is not run: what its end still owes is made
// up for.
func hasEnded(ctx context.Context, a *ui.App, p *project.Project, st *sqlite.Store, state *loop.State) error {
	owed, word := p.OwedBy(state), " has ended already; nothing was run\n"
	if owed.Any() {
		word = " has ended already, and its report " + owed.String() + ": that is made up for; nothing was run\n"
	}
	if !a.Quiet {
		a.Say(ui.Clean(state.Opened.Name) + word)
	}
	if owed.Any() {
		return afterLoop(ctx, a, p, st, state, owed.To)
	}
	p.PublishMissing(ctx, st, state)
	s, err := summaryOf(p, ctx, st, state)
	if err != nil {
		return err
	}
	return a.Show(s)
}

// runLoop runs a loop, shows what happens while it does, and then what it came to.
func runLoop(a *ui.App, c *cobra.Command, p *project.Planned, m *project.Models, st *sqlite.Store, r *runner.Runner, state *loop.State) error {
	hard, drain, done := a.Interrupts.Gently(c.Context(), func() {
		a.Say("\nbrenner: waiting up to " + grace.String() + " for the calls under way; once more stops at once. Nothing is lost: the same command goes on\n")
	})
	defer done()
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	go func() { // whoever was told to go goes, even if an agent takes its time
		select {
		case <-drain:
			timer := time.NewTimer(grace)
			defer timer.Stop()
			select {
			case <-timer.C:
				cancel()
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}()
	collectLess()
	signal.Ignore(syscall.SIGPIPE) // whoever reads the output may go away; the loop goes on
	cast := &project.Cast{
		Models: m, Scripts: p.Scripts, Store: st, Holder: r.Holder, Records: m.Project.ProjectRecords(st),
		Timeout: cmp.Or(p.Plan.Session.Timeout, m.Project.Config.Timeouts.Session),
	}
	if p.Opened.Work.Script == "" {
		cast.Lessons = &project.LessonBook{Project: m.Project, Store: st, Counter: m.Counter, Tell: a.Learned(true)}
		cast.Lessons.CatchUp(ctx)
	}
	r.Sessions, r.Drain = cast.Session, drain
	r.Finished = func(ctx context.Context, h *session.History) error {
		if cast.Lessons != nil {
			cast.Lessons.Learn(ctx, h)
		}
		_, err := project.Publish(ctx, m.Project, h)
		return err
	}
	state, err := play(ctx, a, r, p, state)
	m.Sweep()
	if err != nil {
		return err
	}
	return afterLoop(ctx, a, p.Project, st, state, project.ReadersOf(p.Project))
}

// play starts a loop, or goes on with it under the plan's limits of now.
func play(ctx context.Context, a *ui.App, r *runner.Runner, p *project.Planned, state *loop.State) (*loop.State, error) {
	if state == nil {
		return r.Start(ctx, p.Opened, p.Blobs)
	}
	return r.Resume(ctx, state.Opened.Name, func(s *loop.State) loop.Resumed {
		limits := limits(p, s)
		if limits == s.Limits {
			return loop.Resumed{Retry: p.Retry}
		}
		return loop.Resumed{Limits: &limits, Retry: p.Retry}
	})
}

// limits are those under which a loop goes on.
func limits(p *project.Planned, s *loop.State) loop.Limits {
	limits := p.Opened.Limits
	switch {
	case s.Ended != "":
	case limits.Stop == s.Limits.Stop:
		limits.Until = s.Limits.Until // its hour does not move because it was killed
	case p.Plan.After > 0:
		limits.Until = p.Plan.StopAt(s.Began)
	}
	return limits
}

// afterLoop writes the report of a loop that has ended, sends it to some, and says how
// the loop stands. Whoever is told to go meanwhile goes: the same command makes up for
// what is missing.
func afterLoop(ctx context.Context, a *ui.App, p *project.Project, st *sqlite.Store, state *loop.State, to []string) error {
	var undelivered error
	if state.Ended != "" {
		p.PublishMissing(ctx, st, state)
		report, err := p.WriteReport(ctx, st, state)
		if err == nil {
			undelivered = p.Deliver(ctx, st, report, to)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		if state, err = runner.Load(context.WithoutCancel(ctx), st, state.Opened.Name); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil && state.Ended != "":
		a.Exit = ui.ExitInterrupted
		a.Say("brenner: interrupted before the report was delivered; the same command makes up for it\n")
	case state.Ended == "":
		a.Exit = ui.ExitInterrupted
	case undelivered != nil:
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(undelivered))
	}
	s, err := summaryOf(p, context.WithoutCancel(ctx), st, state)
	if err != nil {
		return err
	}
	s.Exit = &a.Exit
	return a.Show(s)
}

// loopProgress gives what is told of every event of a loop.
func loopProgress(a *ui.App) func(*journal.Entry, *loop.State) {
	if a.Quiet || a.JSON {
		return nil
	}
	return func(e *journal.Entry, s *loop.State) {
		if e.Kind == loop.KindOpened && s.Work.Script != "" {
			a.Say(ui.LoopRehearsalNote + "\n")
		}
		if line := loopLine(a, e, s); line != "" {
			a.Say(e.At.In(a.Now().Location()).Format(time.TimeOnly) + " " + line + "\n")
		}
	}
}
