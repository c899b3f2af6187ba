package cli

import (
	"cmp"
	"context"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/internal/tokens"
	"brenner/loop"
	"brenner/loop/runner"
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

func (a *app) loopRunCommand() *cobra.Command {
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
		Args: exactly("plan"),
		RunE: func(c *cobra.Command, args []string) error { return a.loopRun(c, &opt, args[0]) },
	}
	addProjectFlag(c, &opt.project)
	c.Flags().StringVar(&opt.key, "run", "", "run the plan once for this key")
	c.Flags().BoolVar(&opt.dryRun, "dry-run", false, "check the plan and print what it would do; send nothing, write nothing")
	c.Flags().BoolVar(&opt.goOn, "go-on", false, "go on with the loop although it has ended: the limits are those of the plan now")
	c.Flags().BoolVar(&opt.retry, "retry-failed", false, "go on with the loop, ended or not, and try its failed sessions again, and those that were skipped")
	return c
}

func (a *app) loopRun(c *cobra.Command, opt *loopOptions, file string) error {
	if c.Flags().Changed("run") && opt.key == "" {
		return usage(c, "--run needs a key, and got an empty one: without it the plan would be run anew each time", "such as --run $(date +%F); leave it out to begin anew")
	}
	opt.goOn = opt.goOn || opt.retry
	cfg, err := a.open(opt.project, "", nil)
	if err != nil {
		return err
	}
	look := (*Project).openToRead
	if opt.dryRun {
		look = (*Project).openUnchanged
	}
	p, err := a.readPlan(c.Context(), file, cfg, look)
	if err != nil {
		return err
	}
	p.retry = opt.retry
	base, err := loopName(p, opt.key)
	if err != nil {
		return err
	}
	models, err := cfg.models(traffic{}, p.parties, p.opened.Work.Settings.BudgetUSD)
	if err != nil {
		return err
	}
	defer models.close()
	if opt.dryRun {
		if err := cfg.checkDelivery(); err != nil {
			return err
		}
		return a.previewLoop(c.Context(), p, base, opt)
	}
	models.transport = wider(p.opened.Limits.Concurrency)
	if c, ok := models.counter.(*tokens.Counter); ok {
		models.counter = tokens.Remember(c) // thousands of messages are the same but for a few lines
	}
	if err := models.openPost(c.Context(), p.parties, false); err != nil {
		return err
	}
	if err := cfg.checkDelivery(); err != nil {
		return err
	}
	st, err := cfg.openStore(c.Context())
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	r := &runner.Runner{Store: st, Locks: st, Now: a.Now, Log: a.log, Observe: a.loopProgress(), Holder: a.host().holder(doing(c))}
	state, release, err := a.holdLoop(c.Context(), r, p, base, opt)
	if err != nil {
		return err
	}
	defer release()
	if state != nil && state.Ended != "" && !opt.goOn {
		return a.hasEnded(c.Context(), cfg, st, state)
	}
	return a.runLoop(c, p, models, st, r, state)
}

// holdLoop finds the loop that is meant and holds it. How it stands is looked at again
// then: whoever had it may have ended it meanwhile.
func (a *app) holdLoop(ctx context.Context, r *runner.Runner, p *planned, base string, opt *loopOptions) (*loop.State, func(), error) {
	for {
		if _, err := a.findLoop(ctx, r.Store, p, base, opt); err != nil {
			return nil, nil, err
		}
		name := p.opened.Name
		release, err := r.Hold(name)
		if err != nil {
			return nil, nil, err
		}
		state, err := a.findLoop(ctx, r.Store, p, base, opt)
		if err == nil && p.opened.Name == name {
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
func (a *app) hasEnded(ctx context.Context, cfg *Project, st *sqlite.Store, state *loop.State) error {
	owed, word := cfg.owedBy(state), " has ended already; nothing was run\n"
	if owed.any() {
		word = " has ended already, and its report " + owed.String() + ": that is made up for; nothing was run\n"
	}
	if !a.quiet {
		a.say(clean(state.Opened.Name) + word)
	}
	if owed.any() {
		return a.afterLoop(ctx, cfg, st, state, owed.to)
	}
	cfg.publishMissing(ctx, st, state)
	s, err := cfg.summaryOf(ctx, st, state)
	if err != nil {
		return err
	}
	return a.show(s)
}

// runLoop runs a loop, shows what happens while it does, and then what it came to.
func (a *app) runLoop(c *cobra.Command, p *planned, m *models, st *sqlite.Store, r *runner.Runner, state *loop.State) error {
	hard, drain, done := a.Interrupts.gently(c.Context(), func() {
		a.say("\nbrenner: waiting up to " + grace.String() + " for the calls under way; once more stops at once. Nothing is lost: the same command goes on\n")
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
	cast := &cast{
		models: m, scripts: p.scripts, store: st, holder: r.Holder, records: m.config.projectRecords(st),
		timeout: cmp.Or(p.plan.Session.Timeout, m.config.Timeouts.Session),
	}
	if p.opened.Work.Script == "" {
		cast.lessons = &lessonBook{config: m.config, store: st, counter: m.counter, tell: a.learned(true)}
		cast.lessons.catchUp(ctx)
	}
	r.Sessions, r.Drain = cast.session, drain
	r.Finished = func(ctx context.Context, h *session.History) error {
		if cast.lessons != nil {
			cast.lessons.learn(ctx, h)
		}
		_, err := publish(ctx, m.config, h)
		return err
	}
	state, err := a.play(ctx, r, p, state)
	m.sweep()
	if err != nil {
		return err
	}
	return a.afterLoop(ctx, p.config, st, state, readersOf(p.config))
}

// play starts a loop, or goes on with it under the plan's limits of now.
func (a *app) play(ctx context.Context, r *runner.Runner, p *planned, state *loop.State) (*loop.State, error) {
	if state == nil {
		return r.Start(ctx, p.opened, p.blobs)
	}
	return r.Resume(ctx, state.Opened.Name, func(s *loop.State) loop.Resumed {
		limits := p.limits(s)
		if limits == s.Limits {
			return loop.Resumed{Retry: p.retry}
		}
		return loop.Resumed{Limits: &limits, Retry: p.retry}
	})
}

// limits are those under which a loop goes on.
func (p *planned) limits(s *loop.State) loop.Limits {
	limits := p.opened.Limits
	switch {
	case s.Ended != "":
	case limits.Stop == s.Limits.Stop:
		limits.Until = s.Limits.Until // its hour does not move because it was killed
	case p.plan.After > 0:
		limits.Until = p.plan.StopAt(s.Began)
	}
	return limits
}

// afterLoop writes the report of a loop that has ended, sends it to some, and says how
// the loop stands. Whoever is told to go meanwhile goes: the same command makes up for
// what is missing.
func (a *app) afterLoop(ctx context.Context, cfg *Project, st *sqlite.Store, state *loop.State, to []string) error {
	var undelivered error
	if state.Ended != "" {
		cfg.publishMissing(ctx, st, state)
		report, err := cfg.writeReport(ctx, st, state)
		if err == nil {
			undelivered = cfg.deliver(ctx, st, report, to)
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
		a.exit = ExitInterrupted
		a.say("brenner: interrupted before the report was delivered; the same command makes up for it\n")
	case state.Ended == "":
		a.exit = ExitInterrupted
	case undelivered != nil:
		a.exit = exitFailed
		a.sayFaults(faultsOf(undelivered))
	}
	s, err := cfg.summaryOf(context.WithoutCancel(ctx), st, state)
	if err != nil {
		return err
	}
	s.Exit = &a.exit
	return a.show(s)
}

// loopProgress gives what is told of every event of a loop.
func (a *app) loopProgress() func(*journal.Entry, *loop.State) {
	if a.quiet || a.json {
		return nil
	}
	return func(e *journal.Entry, s *loop.State) {
		if e.Kind == loop.KindOpened && s.Work.Script != "" {
			a.say(loopRehearsalNote + "\n")
		}
		if line := a.loopLine(e, s); line != "" {
			a.say(e.At.In(a.Now().Location()).Format(time.TimeOnly) + " " + line + "\n")
		}
	}
}
