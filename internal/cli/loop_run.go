package cli

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/config"
	"brenner/fault"
	"brenner/journal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
	"brenner/store/sqlite"
	"brenner/tokens"
)

// PlanChanged is the code of a plan that is not the one a loop was opened with.
const PlanChanged fault.Code = "PLAN_CHANGED"

// grace is how long the calls under way may still take once a loop was told to go:
// whoever sends SIGTERM waits 10 s, and what they came to has to be stored by then.
const grace = 5 * time.Second

type loopOptions struct {
	project string
	key     string
	goOn    bool
}

func (a *app) loopRunCommand() *cobra.Command {
	var opt loopOptions
	c := &cobra.Command{
		Use:   "run PLAN.yaml",
		Short: "Run the sessions of a plan, or go on with them",
		Long: `Reads the plan, says everything that is wrong with it before anything starts, and runs its
sessions, several at once, until the plan is done or one of its stop rules holds. Then
the report is in .brenner/loops/NAME: Markdown, HTML and JSON.

What a session may spend is set aside before it begins, so that the budget of the whole
is never passed. A run that was killed or interrupted goes on when the same command is
given again; no session that came to its end is run twice.

With --run KEY the loop is called by the plan's name and the key, and is run once: after
it has ended, the same command says so and does nothing. That is what a cron job gives:
--run $(date +%F). Without it, a plan that has ended begins anew, under the next number.

The first signal lets the calls under way end, for 5 seconds at most; the second one
stops at once. Neither loses anything.`,
		Example: `  brenner loop run night.yaml
  brenner loop run night.yaml --run $(date +%F)
  brenner loop run night.yaml --run 2026-11-15 --go-on

Exit codes: 0 the plan is done, or a stop rule of it ended the loop; 1 it could not be
stored, or the report could not be delivered; 2 the plan, a file that it names or the
configuration is wrong, or no model is named; 4 a file wants what needs ` + "`brenner trust`" + `;
5 another process runs the loop; 75 the store is busy; 130 interrupted.`,
		Args: exactly("plan"),
		RunE: func(c *cobra.Command, args []string) error { return a.loopRun(c, &opt, args[0]) },
	}
	addProjectFlag(c, &opt.project)
	c.Flags().StringVar(&opt.key, "run", "", "run the plan once for this key")
	c.Flags().BoolVar(&opt.goOn, "go-on", false, "go on with the loop although it has ended: the limits are those of the plan now")
	return c
}

func (a *app) loopRun(c *cobra.Command, opt *loopOptions, file string) error {
	cfg, err := a.loadConfig(opt.project, "", nil)
	if err != nil {
		return err
	}
	p, err := a.readPlan(file, cfg)
	if err != nil {
		return err
	}
	base, err := loopName(p, opt.key)
	if err != nil {
		return err
	}
	models, err := a.models(cfg, &runFlags{}, p.parties, p.opened.Work.Settings.BudgetUSD)
	if err != nil {
		return err
	}
	defer models.close()
	models.transport = wider(p.opened.Limits.Concurrency)
	if c, ok := models.counter.(*tokens.Counter); ok {
		models.counter = tokens.Remember(c) // thousands of messages are the same but for a few lines
	}
	if err := models.openPost(c, p.parties, false); err != nil {
		return err
	}
	if err := a.checkDelivery(cfg); err != nil {
		return err
	}
	st, err := a.openStore(c.Context(), cfg)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	if err := p.bases(c.Context(), st); err != nil {
		return err
	}
	state, err := a.findLoop(c.Context(), st, p, base, opt)
	if err != nil {
		return err
	}
	if state != nil && state.Ended != "" && !opt.goOn {
		if !a.quiet {
			a.say(clean(state.Opened.Name) + " has ended already; nothing was run\n")
		}
		if a.undelivered(cfg, state) {
			return a.afterLoop(c.Context(), cfg, st, state)
		}
		return a.show(a.loopSummary(cfg, st, state))
	}
	return a.runLoop(c, p, models, st, state)
}

// bases makes sure that the sessions of the store are there that others follow.
func (p *planned) bases(ctx context.Context, st store.Store) error {
	for i := range p.opened.Work.Cells {
		if after := p.opened.Work.Cells[i].After; artifact.IsThreadID(after) {
			if _, err := session.Load(ctx, st, after); err != nil {
				return p.at("sessions", err)
			}
		}
	}
	return nil
}

// loopName gives what a plan's loop is called.
func loopName(p *planned, key string) (string, error) {
	name := p.plan.Name
	if name == "" {
		name = slug(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p.file), ".yaml"), ".yml"))
	}
	if key != "" {
		name += "-" + slug(key)
	}
	if !loop.ValidName(name) || key != "" && slug(key) == "" {
		return "", &fault.Error{
			Code: UsageError, Detail: "a loop cannot be called " + fault.Shown(name),
			Hint: "name and key together have at most " + strconv.Itoa(loop.MaxName) + " of a-z, 0-9 and -; write name: into the plan, or give a shorter --run",
		}
	}
	return name, nil
}

// slug makes a part of a name out of any text.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// findLoop settles what the loop is called, and gives the one that there is; nil
// where a new one begins.
func (a *app) findLoop(ctx context.Context, st store.Store, p *planned, base string, opt *loopOptions) (*loop.State, error) {
	streams, err := runner.List(ctx, st)
	if err != nil {
		return nil, err
	}
	there := func(name string) bool {
		return slices.ContainsFunc(streams, func(s store.Stream) bool { return runner.NameOf(&s) == name })
	}
	name := base
	for n := 2; ; n++ {
		next := base + "-" + strconv.Itoa(n)
		p.opened.Name = name
		if !there(name) {
			if opt.goOn {
				return nil, &fault.Error{Code: runner.NoLoop, Detail: "there is no loop " + name + " to go on with", Hint: "leave --go-on out"}
			}
			return nil, nil
		}
		state, err := runner.Load(ctx, st, name)
		if err != nil {
			return nil, err
		}
		last := state.Ended == "" || opt.key != "" || opt.goOn && !there(next)
		if last {
			if state.Ended != "" && !opt.goOn {
				return state, p.samePlan(state)
			}
			return state, p.sameWork(state)
		}
		if name = next; !loop.ValidName(name) {
			return nil, &fault.Error{Code: UsageError, Detail: "a loop cannot be called " + name, Hint: "give the plan a shorter name:"}
		}
	}
}

// sameWork refuses to go on with another plan than the loop was opened with: what
// is asked for would silently not happen. Limits may change.
func (p *planned) sameWork(s *loop.State) error {
	was, err := journal.Encode(s.Opened.Work)
	if err != nil {
		return err
	}
	is, err := journal.Encode(p.opened.Work)
	if err != nil || string(is) == string(was) {
		return err
	}
	return p.changed(s)
}

// samePlan is the same for a loop that has ended, and to which nothing happens any
// more: there the file decides, whatever the configuration says by now.
func (p *planned) samePlan(s *loop.State) error {
	if s.Opened.Plan == p.opened.Plan {
		return nil
	}
	return p.sameWork(s)
}

func (p *planned) changed(s *loop.State) error {
	return &fault.Error{
		Code: PlanChanged, Place: p.file, Detail: "the loop " + s.Opened.Name + " was begun with another plan: its questions, rosters, models, sessions or their settings differ",
		Hint: "rounds, concurrency, the whole budget, stop: and failed: may change; for other work choose another name: or --run, or `brenner loop add`",
	}
}

// runLoop runs a loop, shows what happens while it does, and then what it came to.
func (a *app) runLoop(c *cobra.Command, p *planned, m *models, st *sqlite.Store, state *loop.State) error {
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
	signal.Ignore(syscall.SIGPIPE) // whoever reads the output may go away; the loop goes on
	host, _ := os.Hostname()       // only for people to read
	holder := store.Holder{PID: os.Getpid(), Host: host, Since: a.Now(), Doing: strings.TrimPrefix(c.CommandPath(), "brenner ")}
	cast := &cast{app: a, models: m, script: p.script, store: st, holder: holder, records: a.projectRecords(m.config, st)}
	cast.share(p.parties)
	if p.script == nil {
		cast.lessons = &lessonBook{app: a, config: m.config, store: st, counter: m.counter}
		cast.lessons.catchUp(ctx)
	}
	r := &runner.Runner{
		Store: st, Locks: st, Now: a.Now, Log: a.log, Sessions: cast.session, Drain: drain, Holder: holder,
		Observe: a.loopProgress(),
		Finished: func(ctx context.Context, h *session.History) error {
			if cast.lessons != nil {
				cast.lessons.learn(ctx, h)
			}
			_, err := publish(ctx, m.config, h)
			return err
		},
	}
	state, err := a.play(ctx, r, p, state)
	m.sweep()
	if err != nil {
		return err
	}
	return a.afterLoop(ctx, p.config, st, state)
}

// play starts a loop, or goes on with it under the plan's limits of now.
func (a *app) play(ctx context.Context, r *runner.Runner, p *planned, state *loop.State) (*loop.State, error) {
	if state == nil {
		return r.Start(ctx, p.opened, p.blobs)
	}
	return r.Resume(ctx, state.Opened.Name, func(s *loop.State) *loop.Limits {
		limits := p.opened.Limits
		if s.Ended == "" && s.Limits.Until != "" && limits.Until != "" {
			limits.Until = s.Limits.Until // its hour does not move because it was killed
		}
		if limits == s.Limits {
			return nil
		}
		return &limits
	})
}

// afterLoop writes and delivers the report of a loop that has ended, and says how
// the loop stands. Whoever is told to go meanwhile goes: the same command makes up for
// what is missing.
func (a *app) afterLoop(ctx context.Context, cfg *config.Config, st *sqlite.Store, state *loop.State) error {
	var undelivered error
	if state.Ended != "" {
		report, err := a.writeReport(ctx, cfg, st, state)
		if err == nil {
			undelivered = a.deliver(ctx, cfg, st, report)
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
		a.say("brenner: " + clean(undelivered.Error()) + "\n")
	}
	s := a.loopSummary(cfg, st, state)
	s.Exit = &a.exit
	return a.show(s)
}

// loopProgress gives what is told of every event of a loop.
func (a *app) loopProgress() func(*journal.Entry, *loop.State) {
	if a.quiet || a.json {
		return nil
	}
	return func(e *journal.Entry, s *loop.State) {
		if line := loopLine(e, s); line != "" {
			a.say(line + "\n")
		}
	}
}
