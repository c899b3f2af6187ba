package loopcmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/project"
	"brenner/session"
	"brenner/store/journal"
)

// grace is how long the calls in flight may still take after the first signal: service
// managers kill a process 10 s after SIGTERM, and replies have to be stored by then.
const grace = 5 * time.Second

type runOptions struct {
	project.LoopOptions
	dryRun bool
}

func loopRunCommand(a *ui.App) *cobra.Command {
	var opt runOptions
	c := ui.InProject(&cobra.Command{
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
	})
	c.Flags().StringVar(&opt.Key, "run", "", "run the plan once for this key")
	c.Flags().BoolVar(&opt.dryRun, "dry-run", false, "check the plan and print what it would do; send nothing, write nothing")
	c.Flags().BoolVar(&opt.GoOn, "go-on", false, "go on with the loop although it has ended: the limits are those of the plan now")
	c.Flags().BoolVar(&opt.Retry, "retry-failed", false, "go on with the loop, ended or not, and try its failed sessions again, and those that were skipped")
	return c
}

func loopRun(a *ui.App, c *cobra.Command, opt *runOptions, file string) error {
	if c.Flags().Changed("run") && opt.Key == "" {
		return ui.Usage(c, "--run needs a key, and got an empty one: without it the plan would be run anew each time", "such as --run $(date +%F); leave it out to begin anew")
	}
	p, err := a.Open()
	if err != nil {
		return err
	}
	data, err := a.ReadFile("the plan", file)
	if err != nil {
		return err
	}
	plan, err := p.ReadPlan(c.Context(), project.PlanInput{File: file, Data: data, DryRun: opt.dryRun})
	if err != nil {
		return err
	}
	if opt.dryRun {
		v, err := p.PreviewLoop(c.Context(), plan, opt.LoopOptions)
		return ui.Show(a, v, err, previewText)
	}
	opt.Doing, opt.Observe, opt.Learned = ui.Doing(c), loopProgress(a), a.Learned(true)
	job, err := p.Loop(c.Context(), plan, opt.LoopOptions)
	if err != nil {
		return err
	}
	defer job.Close()
	if job.HasEnded() {
		return hasEnded(c.Context(), a, job)
	}
	return runLoop(c.Context(), a, job)
}

// hasEnded says that a loop is not run, and makes up for what its end still owes.
func hasEnded(ctx context.Context, a *ui.App, job *project.LoopJob) error {
	owed, word := job.Owed(), " has ended already; nothing was run\n"
	if owed.Any() {
		word = " has ended already, and its report " + owedText(owed) + ": that is made up for; nothing was run\n"
	}
	if !a.Quiet {
		a.Say(ui.Clean(job.Name()) + word)
	}
	r, err := job.Run(ctx, nil)
	if err != nil {
		return err
	}
	if !owed.Any() {
		return ui.Show(a, r.LoopSummary, nil, summaryText)
	}
	return showResult(a, r)
}

func owedText(o project.OwedReport) string {
	if len(o.To) == 0 {
		return "was not written"
	}
	return "did not reach " + strings.Join(o.To, " and ")
}

// runLoop runs a loop, shows what happens while it does, and then what it came to.
func runLoop(ctx context.Context, a *ui.App, job *project.LoopJob) error {
	hard, drain, done := a.Interrupts.Gently(ctx, func() {
		a.Say("\nbrenner: waiting up to " + grace.String() + " for the calls under way; once more stops at once. Nothing is lost: the same command goes on\n")
	})
	defer done()
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	go func() { // the process ends soon after a signal, even if an agent takes its time
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
	signal.Ignore(syscall.SIGPIPE) // the loop goes on when the reader of its output is gone
	r, err := job.Run(ctx, drain)
	if err != nil {
		return err
	}
	return showResult(a, r)
}

// showResult prints where a loop stands after a run, and sets the exit code.
func showResult(a *ui.App, r *project.LoopResult) error {
	switch {
	case r.Interrupted:
		a.Exit = ui.ExitInterrupted
		if r.Phase == session.PhaseEnded {
			a.Say("brenner: interrupted before the report was delivered; the same command makes up for it\n")
		}
	case r.Undelivered != nil:
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(r.Undelivered))
	}
	r.Exit = &a.Exit
	return ui.Show(a, r.LoopSummary, nil, summaryText)
}

// loopProgress returns what prints every event of a loop, or nil.
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

// collectLess lets twice as much garbage gather before it is collected, unless GOGC is
// set. A loop keeps little and drops much; collecting it took a tenth of the loop's time.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

func previewText(a *ui.App, v *project.LoopPreview) string {
	does := map[string]string{
		project.WouldBegin: "would begin", project.WouldGoOn: fmt.Sprintf("would go on, %d of %s done", v.Done, text.Count(v.Planned, "session")),
		project.WouldEnd:     "would end, since it was told to stop or its hour has passed; no session would begin",
		project.WouldDeliver: "has ended; only its report would be made up for", project.WouldNothing: "has ended; nothing would be run",
	}[v.Does]
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(v.Loop), does)
	if a.Quiet {
		return headline
	}
	var b strings.Builder
	if v.Rehearsal {
		b.WriteString(ui.LoopRehearsalNote + "\n\n")
	}
	b.WriteString("Dry run: nothing is sent, nothing is written.\n\n" + headline + "\n" + ui.Columns(previewFacts(a, v)) + "\n")
	rows := [][]string{{"SESSION OF A ROUND", "AFTER", "AGENTS"}}
	for i := range v.Sessions {
		if i == mostJobs {
			rows = append(rows, []string{fmt.Sprintf("… and %d more: --json has all of them", len(v.Sessions)-i)})
			break
		}
		s := &v.Sessions[i]
		var agents []string
		for _, one := range s.Agents {
			agents = append(agents, fmt.Sprintf("%s (%s)", one.Name, strings.TrimSpace(one.Via+" "+one.ModelID)))
		}
		rows = append(rows, []string{s.Name, ui.OrDash(s.After), strings.Join(agents, ", ")})
	}
	b.WriteString(ui.Columns(rows))
	return b.String()
}

func previewFacts(a *ui.App, v *project.LoopPreview) [][]string {
	rows := [][]string{
		{"Sessions", fmt.Sprintf("%d a round, %d at a time: %d in all", len(v.Sessions), v.Concurrency, v.Planned)},
		{"Rounds", fmt.Sprint(v.Rounds)},
	}
	atOnce := min(v.Concurrency, len(v.Sessions))
	if n := v.Share; n > 0 {
		rows = append(rows, []string{"Set aside", fmt.Sprintf("%d tokens for each session: %d at once, %d for all", n, n*atOnce, n*v.Planned)})
	}
	if usd := v.ShareUSD; usd > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("%s for each session: %s at once, %s for all", ui.Money(usd), ui.Money(usd*float64(atOnce)), ui.Money(usd*float64(v.Planned)))})
	}
	if v.TokensLimit > 0 {
		rows = append(rows, []string{"Budget", fmt.Sprintf("%d tokens%s", v.TokensLimit, previewReach(v, int64(v.TokensLimit), int64(v.Share)))})
	}
	if v.USDLimit > 0 {
		rows = append(rows, []string{"Budget", ui.Money(v.USDLimit) + previewReach(v, v.LimitNano, v.ShareNano)})
	}
	if v.Until != "" {
		rows = append(rows, []string{"Until", a.Clock(v.Until)})
	}
	return append(rows, []string{"Report", strings.Join(append([]string{"files"}, v.Deliver...), ", ")})
}

// previewReach says how far a budget reaches in the worst case.
func previewReach(v *project.LoopPreview, budget, share int64) string {
	if share <= 0 || budget/share >= int64(v.Planned) {
		return ""
	}
	return fmt.Sprintf(": if every session spends its share, %d of %d begin", budget/share, v.Planned)
}

// loopLine says in one line what an event of a loop was.
func loopLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	name := s.Opened.Name
	switch e.Kind {
	case loop.KindOpened:
		line := fmt.Sprintf("%s: %s a round, %s, %d at a time", name, text.Count(len(s.Work.Cells), "session"), text.Count(s.Limits.Rounds, "round"), s.Limits.Concurrency)
		if s.Limits.Until != "" {
			line += ", until " + a.Clock(s.Limits.Until)
		}
		return line
	case loop.KindResumed:
		return fmt.Sprintf("%s: going on, %d of %s done", name, s.Count(loop.Finished), text.Count(s.Planned(), "session"))
	case loop.KindRound:
		return fmt.Sprintf("round %d of %d: %s", s.Round, s.Limits.Rounds, text.Count(len(s.Work.Cells), "session"))
	case loop.KindBegan, loop.KindSettled:
		return jobLine(a, e, s)
	case loop.KindAdded:
		return fmt.Sprintf("%s: more work was added, %s a round", name, text.Count(len(s.Work.Cells), "session"))
	case loop.KindPaused:
		return name + ": paused; sessions under way go on"
	case loop.KindUnpaused:
		return name + ": no longer paused"
	case loop.KindStopping:
		return name + ": told to stop by " + ui.Clean(s.Stopping)
	case loop.KindLeft:
		return name + ": interrupted; the same command goes on"
	case loop.KindEnded:
		return name + ": " + report.Ending(s.Ended)
	}
	return ""
}

// jobLine says what happened to a session.
func jobLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	for i := len(s.Jobs) - 1; i >= 0; i-- {
		j := &s.Jobs[i]
		switch {
		case e.Kind == loop.KindBegan && j.Seq == e.Seq:
			line := fmt.Sprintf("%s: %s begins", ui.Clean(j.Thread), ui.Clean(j.Name()))
			if j.Attempts > 1 {
				line = fmt.Sprintf("%s: %s goes on, attempt %d", ui.Clean(j.Thread), ui.Clean(j.Name()), j.Attempts)
			}
			if j.Base != "" {
				line += " from what " + ui.Clean(j.Base) + " came to"
			}
			return line
		case e.Kind == loop.KindSettled && j.Seq == e.Seq:
			return settledLine(a, s, j)
		}
	}
	return ""
}

func settledLine(a *ui.App, s *loop.State, j *loop.Job) string {
	t, who := &j.Settled, ui.Clean(j.Thread)
	if who == "" {
		who = ui.Clean(j.Name())
	}
	switch t.Outcome {
	case loop.Done:
		line := fmt.Sprintf("%s: %s, version %d, %d tokens", who, ui.EndedBy(t.Reason), t.Version, t.Spent)
		if t.Conflicts > 0 {
			line += ", " + text.Count(t.Conflicts, "conflict")
		}
		if t.Stalemates > 0 {
			line += ", " + text.Count(t.Stalemates, "stalemate")
		}
		return line
	case loop.Short:
		return fmt.Sprintf("%s: short of budget, version %d, %d tokens: %s", who, t.Version, t.Spent, ui.Clean(t.Detail))
	case loop.Later:
		return fmt.Sprintf("%s: asked to return at %s; the loop waits, for a day at most", who, a.Clock(t.RetryAt))
	case loop.Interrupted:
		return who + ": left before its end"
	case loop.Skipped:
		return who + ": skipped, " + ui.Clean(t.Detail)
	}
	line := who + ": failed"
	if !j.Final() {
		line += ", and is tried again at " + a.Clock(artifact.FormatInstant(s.RetryAt(j)))
	}
	return line + ": " + ui.Clean(string(t.Code)+" "+t.Detail)
}
