package loopcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/project"
	"brenner/session"
)

// grace is how long the calls in flight may take after the first signal: service managers
// kill a process 10 s after SIGTERM, and replies must be stored by then.
const grace = 5 * time.Second

type runOptions struct {
	project.LoopOptions
	dryRun bool
	strict bool
	place  string
}

func loopRunCommand(a *ui.App) *cobra.Command {
	var opt runOptions
	c := ui.InProject(&cobra.Command{
		Use:   "run PLAN.yaml",
		Short: "Run or resume a plan",
		Long: `Validates the plan, then runs its sessions concurrently until the plan is done or one of
its stop rules applies. The report is written to .brenner/loops/NAME as Markdown, HTML
and JSON. To resume a killed or interrupted run, repeat the command; no finished session
runs twice.

Each session's share of the budget is reserved before it starts, and no session starts
whose share exceeds the remaining budget.

Before the first session of a new loop, each model is asked a short question and for one
delta, and each program for its version. If no model can be asked and waiting would not
help, nothing else is run.

With --run KEY, the loop is named after the plan and the key and runs only once: after it
has ended, the same command does nothing. Use it in cron jobs: --run $(date +%F). Without
--run, a plan that has ended starts again under the next number. If the report of the last
run was not written or delivered, the command delivers it and runs nothing; a team's report
is written on the machine of the last run.

If the first sessions all fail for one lasting cause (rejected key, no access, no such
model or host), the loop stops early; repeat the command when the cause is removed. An
endpoint that refuses connections, does not respond or has server errors is asked again
for ten minutes, with growing pauses, before that counts as lasting.

The first signal (Ctrl-C, SIGTERM, SIGHUP) waits up to 5 seconds for the calls in flight;
the second stops immediately. No reply is lost.`,
		Example: `  brenner loop run night.yaml --dry-run
  brenner loop run night.yaml
  brenner loop run night.yaml --run $(date +%F)
  brenner loop run night.yaml --run 2026-11-15 --go-on
  brenner loop run night.yaml --run 2026-11-15 --retry-failed

Exit codes: 0 done, or ended by a stop rule; 1 every session failed or contributed
nothing, or storing or delivering the report failed; 2 invalid plan, file or
configuration, or no model; 3 some sessions failed, contributed nothing or ran out of
their budget; 4 ` + "`brenner trust`" + ` required; 5 another process runs the loop, or, with --strict, a decision is needed;
75 the store is busy; 130 interrupted. If several apply, the first of 130, 1, 5, 3.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return loopRun(a, c, &opt, args[0]) },
	})
	c.SetFlagErrorFunc(noModelFlags)
	c.Flags().StringVar(&opt.Key, "run", "", "key for which to run the plan only once")
	c.Flags().StringVar(&opt.BaseURL, "base-url", "", "model endpoint URL, or NAME=URL,…; a loop that exists continues there ["+project.EnvBaseURL+"]")
	c.Flags().String("mail-url", "", "mail server URL; a loop that exists continues there")
	c.Flags().BoolVar(&opt.dryRun, "dry-run", false, "validate the plan and print what it would do, without sending a message or writing anything")
	c.Flags().BoolVar(&opt.strict, "strict", false, "exit with 5 if a conflict or stalemate is open")
	c.Flags().BoolVar(&opt.GoOn, "go-on", false, "continue a loop that has ended, with the limits of the current plan")
	c.Flags().BoolVar(&opt.Estimate, "estimate", false, "like --dry-run, and print what the loop costs at most")
	c.Flags().BoolVar(&opt.NoPreflight, "no-preflight", false, "do not ask each model before the first session")
	c.Flags().BoolVar(&opt.Retry, "retry-failed", false, "continue the loop, ended or not, and retry failed and skipped sessions, and tasks without records")
	if len(a.Places) > 0 {
		c.Flags().StringVar(&opt.place, "place", "", "where sessions run: "+strings.Join(placeNames(a), ", ")+" (default: this process)")
	}
	return c
}

func placeNames(a *ui.App) []string {
	var all []string
	for i := range a.Places {
		all = append(all, a.Places[i].Name)
	}
	return all
}

// openPlace opens the place that the flag names, if any.
func openPlace(ctx context.Context, a *ui.App, p *project.Project, opt *runOptions, c *cobra.Command) (end func(), err error) {
	if opt.place == "" {
		return func() {}, nil
	}
	i := slices.Index(placeNames(a), opt.place)
	if i < 0 {
		return nil, ui.Usage(c, "--place: unknown place "+fault.Shown(opt.place), "places: "+strings.Join(placeNames(a), ", "))
	}
	opt.At.Place = opt.place
	opt.Place, end, err = a.Places[i].Open(ctx, a, p)
	return end, err
}

// noModelFlags says where a plan names its models, to users who pass the flags of other commands.
func noModelFlags(c *cobra.Command, err error) error {
	for _, flag := range []string{"--via", "--model"} {
		if err.Error() == "unknown flag: "+flag {
			return ui.Usage(c, err.Error(), "the plan names its models: write `via: openai` and `models: [{model_id: ID}]` into it")
		}
	}
	return c.Root().FlagErrorFunc()(c, err)
}

func loopRun(a *ui.App, c *cobra.Command, opt *runOptions, file string) error {
	if c.Flags().Changed("run") && opt.Key == "" {
		return ui.Usage(c, "--run: empty key", "for example: --run $(date +%F); omit --run to start again")
	}
	opt.dryRun = opt.dryRun || opt.Estimate
	var flags []config.Flag
	if opt.BaseURL != "" && !(project.Traffic{BaseURL: opt.BaseURL}).Names() {
		flags = append(flags, config.Flag{Key: "agents.base_url", Name: "--base-url", Values: []string{opt.BaseURL}})
	}
	p, err := a.Open(append(flags, ui.MailURL(c)...)...)
	if err != nil {
		return err
	}
	data, err := a.ReadFile("the plan", file)
	if err != nil {
		return err
	}
	plan, err := p.ReadPlan(c.Context(), project.PlanInput{File: file, Data: data, DryRun: opt.dryRun, BaseURL: opt.BaseURL})
	if err != nil {
		return err
	}
	if opt.dryRun {
		v, err := p.PreviewLoop(c.Context(), plan, opt.LoopOptions)
		return ui.Show(a, v, err, previewText)
	}
	opt.Doing, opt.Observe, opt.Learned, opt.Preflight = ui.Doing(c), loopProgress(a), a.Learned(true), preflightProgress(a)
	if opt.Preflight != nil {
		opt.Asking = func(n int) { a.Say("preflight: asking " + text.Count(n, "model") + "\n") }
	}
	end, err := openPlace(c.Context(), a, p, opt, c)
	if err != nil {
		return err
	}
	defer end()
	job, err := p.Loop(c.Context(), plan, opt.LoopOptions)
	if err != nil {
		return err
	}
	defer job.Close()
	if job.HasEnded() {
		return finishEnded(c.Context(), a, job, opt.strict)
	}
	return runLoop(c.Context(), a, job, opt.strict)
}

// finishEnded reports that a loop has already ended, and delivers its report if that is
// still pending.
func finishEnded(ctx context.Context, a *ui.App, job *project.LoopJob, strict bool) error {
	pending, note := job.Pending(), " has already ended; nothing run\n"
	if pending.Any() {
		note = " has already ended, but its report " + pendingText(pending) + "; delivering it now, nothing run\n"
	}
	if !a.Quiet {
		a.Say(ui.Clean(job.Name()) + note)
	}
	r, err := job.Run(ctx, nil)
	if err != nil {
		return err
	}
	return showResult(a, r, strict)
}

func pendingText(o project.PendingReport) string {
	if len(o.To) == 0 {
		return "was not written"
	}
	return "did not reach " + strings.Join(o.To, " and ")
}

// runLoop runs a loop, shows its progress, and then its summary.
func runLoop(ctx context.Context, a *ui.App, job *project.LoopJob, strict bool) error {
	hard, drain, done := a.Interrupts.Gently(ctx, func() {
		a.Say("\nbrenner: waiting up to " + grace.String() + " for the calls in flight; interrupt again to stop immediately. Repeat the command to resume\n")
	})
	defer done()
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	go func() { // bounds the wait for calls in flight
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
	relaxGC()
	signal.Ignore(syscall.SIGPIPE) // the loop continues if the reader of its output goes away
	r, err := job.Run(ctx, drain)
	switch {
	case errors.Is(err, context.Canceled):
		return &fault.Error{Code: ui.Interrupted, Detail: "interrupted", Hint: "repeat the command to continue"}
	case err != nil:
		return err
	}
	return showResult(a, r, strict)
}

// showResult prints the summary of a run and sets the exit code.
func showResult(a *ui.App, r *project.LoopResult, strict bool) error {
	a.Exit = exitOf(r.LoopSummary, strict)
	switch {
	case r.Interrupted:
		a.Exit = ui.ExitInterrupted
		if r.Phase == session.PhaseEnded {
			a.Say("brenner: interrupted before the report was delivered; repeat the command to deliver it\n")
		}
	case r.Undelivered != nil:
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(r.Undelivered))
	}
	r.Exit = &a.Exit
	return ui.Show(a, r.LoopSummary, nil, summaryText)
}

// exitOf returns the exit code for the sessions of a loop.
func exitOf(s *project.LoopSummary, strict bool) int {
	result := s.Result()
	switch {
	case result == project.LoopFailed:
		return ui.ExitFailed
	case strict && len(s.NeedsPerson) > 0:
		return ui.ExitPerson
	case result == project.LoopPartly:
		return ui.ExitPartial
	}
	return 0
}

// relaxGC raises GOGC to 130 unless it is set. A loop keeps little memory and drops much: with 100,
// collecting it takes a tenth of the loop's time; with 200, a loop takes 10 MB more.
func relaxGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(130)
	}
}

func previewText(a *ui.App, v *project.LoopPreview) string {
	does := map[string]string{
		project.WouldBegin: "would start", project.WouldGoOn: fmt.Sprintf("would resume, %d of %s done", v.Done, text.Count(v.Planned, "session")),
		project.WouldEnd:     "would end: stop requested or past its end time; no session would start",
		project.WouldDeliver: "has ended; only its report would be delivered", project.WouldNothing: "has ended; nothing would run",
	}[v.Does]
	headline := fmt.Sprintf("%s: %s\n", ui.Clean(v.Loop), does)
	if a.Quiet {
		return headline
	}
	var b strings.Builder
	if v.Rehearsal {
		b.WriteString(ui.RehearsalNote + "\n\n")
	}
	b.WriteString("Dry run: no message is sent, nothing is written.\n\n" + headline + "\n" + ui.Columns(previewFacts(a, v)) + "\n")
	rows := [][]string{{"SESSION", "AFTER", "AGENTS"}}
	for i := range v.Sessions {
		if i == mostJobs {
			rows = append(rows, []string{fmt.Sprintf("… and %d more; --json lists all", len(v.Sessions)-i)})
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
	if v.Estimate != nil {
		b.WriteString("\n" + loopEstimateText(v))
	}
	return b.String()
}

// loopEstimateText formats what a loop costs at most.
func loopEstimateText(v *project.LoopPreview) string {
	e := v.Estimate
	rows := [][]string{{"SESSION", "TOKENS IN", "TOKENS OUT", "AT MOST", "USD"}}
	for i := range e.Sessions {
		if i == mostJobs {
			rows = append(rows, []string{fmt.Sprintf("… and %d more; --json lists all", len(e.Sessions)-i)})
			break
		}
		s := &e.Sessions[i]
		rows = append(rows, []string{s.Name, strconv.Itoa(s.Input), strconv.Itoa(s.Output), strconv.Itoa(s.Tokens), sessioncmd.Dollars(s.USD)})
	}
	if s := e.Preflight; s != nil {
		rows = append(rows, []string{s.Name, strconv.Itoa(s.Input), strconv.Itoa(s.Output), strconv.Itoa(s.Tokens), sessioncmd.Dollars(s.USD)})
	}
	rows = append(rows, []string{"all rounds", "", "", strconv.Itoa(e.Tokens), sessioncmd.Dollars(e.USD)})
	out := "Estimate, worst case; a session stops at its own budget:\n\n" + ui.Columns(rows) + "\n"
	if e.Cut > 0 {
		out += "budget of each session: does not cover the worst case; " + text.Plural(e.Cut, "session", "sessions") + " of a round may stop before the end\n"
	}
	if e.Cut == 0 || v.TokensLimit > 0 || v.USDLimit > 0 {
		out += sessioncmd.BudgetText(v.TokensLimit, v.USDLimit, e.Covered || e.Cut > 0 && e.Short == 0, e.Short) + "\n"
	}
	for _, n := range e.Notes {
		out += "note: " + n + "\n"
	}
	return out
}

func previewFacts(a *ui.App, v *project.LoopPreview) [][]string {
	rows := [][]string{
		{"Sessions", fmt.Sprintf("%d per round, %d concurrently, %d in total", len(v.Sessions), v.Concurrency, v.Planned)},
		{"Rounds", fmt.Sprint(v.Rounds)},
	}
	concurrent := min(v.Concurrency, len(v.Sessions))
	if n := v.Share; n > 0 {
		rows = append(rows, []string{"Reserved", fmt.Sprintf("%d tokens per session: %d concurrently, %d in total", n, n*concurrent, n*v.Planned)})
	}
	if usd := v.ShareUSD; usd > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("%s per session: %s concurrently, %s in total", ui.Money(usd), ui.Money(usd*float64(concurrent)), ui.Money(usd*float64(v.Planned)))})
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

// previewReach describes how many sessions a budget covers in the worst case.
func previewReach(v *project.LoopPreview, budget, share int64) string {
	if share <= 0 || budget/share >= int64(v.Planned) {
		return ""
	}
	return fmt.Sprintf(": if every session spends its share, %d of %d start", budget/share, v.Planned)
}

// waitText says until when a resumed loop waits, and why.
func waitText(a *ui.App, now time.Time, s *loop.State) string {
	until, provider := s.WaitsUntil(now)
	if until.IsZero() {
		return ""
	}
	text := "; waiting until " + a.Clock(artifact.FormatInstant(until))
	off := "; `brenner loop pause " + s.Opened.Name + " --off` ends the wait"
	switch all := s.Outages(); {
	case provider:
		return text + ", requested by a provider" + off
	case len(all) > 0:
		return text + " to ask again: " + causeText(&loop.Cause{Code: all[0].Code, Detail: all[0].Detail}) + off
	}
	return text + " to retry a failed session"
}

func causeText(c *loop.Cause) string {
	return ui.Clean(strings.TrimSpace(string(c.Code) + " " + c.Detail))
}
