package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// taskFlags are the flags of store run.
type taskFlags struct {
	run    runFlags
	agent  project.TaskOptions
	again  bool
	dryRun bool
}

// RunTaskCommand returns the command that runs a task of the store.
func RunTaskCommand(a *ui.App) *cobra.Command {
	var f taskFlags
	c := ui.InProject(&cobra.Command{
		Use:   "run TASK",
		Short: "Ask an agent to do a task, and put the records of its reply",
		Long: `Asks an agent of the task's role. It is shown the task, its inputs in full as far as they fit, and
what else its role may see. It replies with records, which are put as drafts with their links;
nothing is promoted. What its role may not write, link or promote is refused, and listed here and in
` + "`brenner store log --refused`" + `. Once, it may correct what is wrong.

A run is a session of one agent and one round: every step is stored first, and the same command
continues after a crash. A task that has run is not run again without --again; what it made is shown.
A run that has not ended is continued, with --again, too.`,
		Example: `  brenner store pin read-lewis -m "Write a note about lewis." --for reader --input lewis
  brenner store run read-lewis --via openai --base-url http://localhost:11434/v1 --model llama3.1
  brenner store run read-lewis --dry-run

Exit codes: 0 records were put, or the agent wrote NO CHANGES; 1 nothing came of it: no reply, no
record was put, or storing failed; 2 no such task, or it cannot be run; 3 records were put, but the
run's time was up before its end; 4 ` + "`brenner trust`" + ` required; 5 another process runs it; 6 budget
exhausted; 75 no reply, and the model named a time to retry; 130 interrupted.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return runTask(a, c, &f, args[0]) },
	})
	fl := c.Flags()
	fl.StringVar(&f.agent.Via, "via", "", "how to reach the agent: openai or program (default: as configured)")
	fl.StringVar(&f.agent.Model, "model", "", "the model, by its name in agents.models of brenner.yaml or by its id; or the program")
	fl.StringVar(&f.agent.Agent, "agent", "", "the agent's name in the records (default: that of the role)")
	for _, o := range taskSettings() {
		fl.String(o.Name, "", o.Usage)
	}
	fl.StringVar(&f.run.traffic.BaseURL, "base-url", "", "model endpoint URL ["+project.EnvBaseURL+"]")
	fl.StringVar(&f.run.traffic.Record, "record-tape", "", "file to record all model traffic to, without secrets")
	fl.StringVar(&f.run.traffic.Tape, "tape", "", "file to replay model traffic from, without network or cost")
	fl.BoolVar(&f.again, "again", false, "run a task whose last run has ended once more, in a session of its own")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the message without sending it or writing anything")
	fl.BoolVar(&f.run.jsonStream, "json-stream", false, "print each event as a line of JSON, then the result")
	fl.BoolVar(&f.run.watch, "watch", false, "show progress on standard error (default: on, unless --json or --quiet is set)")
	return c
}

// taskSettings returns the flags of sessions that apply to one agent and one round.
func taskSettings() []config.RunFlag {
	return slices.DeleteFunc(config.RunFlags(), func(o config.RunFlag) bool { return slices.Contains([]string{"rounds", "flow", "quorum"}, o.Name) })
}

func runTask(a *ui.App, c *cobra.Command, f *taskFlags, task string) error {
	if err := f.run.checkWatch(c, a); err != nil {
		return err
	}
	keys := f.run.keys(c)
	if f.agent.Via != "" {
		keys = append(keys, config.Flag{Key: "via", Name: "--via", Values: []string{f.agent.Via}})
	}
	p, err := a.Open(keys...)
	if err != nil {
		return err
	}
	t, err := p.ComposeTask(c.Context(), task, &f.agent)
	if err != nil {
		return err
	}
	if t.Blocked != nil && (f.again || f.dryRun) {
		return t.Blocked
	}
	said := t.Moved
	if t.Last() == nil || f.again || f.dryRun {
		said = slices.Concat(t.Moved, t.Older)
	}
	for _, m := range said {
		p.Log.Warn().Str("task", t.Ref.String()).Msg(m)
	}
	o := t.Start(f.run.traffic, ui.Doing(c))
	if f.dryRun {
		return f.preview(a, c, p, t, o)
	}
	if h := t.Last(); h != nil && (!f.again || !session.TaskEnded(h.State)) {
		return f.continueTask(a, c, p, t, h)
	}
	j, err := t.Prepare(c.Context(), o)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := t.OpenNew(c.Context(), j); err != nil {
		return err
	}
	return f.play(a, c, t, j)
}

// preview shows the message of a new run, and says if none would begin.
func (f *taskFlags) preview(a *ui.App, c *cobra.Command, p *project.Project, t *project.ComposedTask, o *project.StartOptions) error {
	if err := ui.Unused(c, "cannot be combined with --dry-run", "watch", "json-stream"); err != nil {
		return err
	}
	if h := t.Last(); h != nil && !session.TaskEnded(h.State) {
		p.Log.Warn().Msg("the run " + h.Thread + " has not ended: without --dry-run, it is continued, and this message is not sent")
	} else if h != nil && !f.again {
		p.Log.Warn().Msg("the task has run, in " + h.Thread + ": --again is required to run it once more")
	}
	v, err := t.Preview(c.Context(), o)
	return ui.Show(a, v, err, dryRunText)
}

// continueTask resumes a run of the task or, if it has ended, shows what it made.
func (f *taskFlags) continueTask(a *ui.App, c *cobra.Command, p *project.Project, t *project.ComposedTask, h *session.History) error {
	agent := h.State.Agents[0]
	if f.agent.Agent != "" && f.agent.Agent != agent.Name {
		hint := "omit --agent to continue it; --again begins another run when it has ended"
		if session.TaskEnded(h.State) {
			hint = "omit --agent to see what it made, or pass --again to begin another run"
		}
		return ui.Usage(c, fmt.Sprintf("%s was begun with the agent %s, in %s", t.Ref, ui.Clean(agent.Name), h.Thread), hint)
	}
	model, err := t.OtherModel(&agent, &f.agent)
	if ended := session.TaskEnded(h.State); ended && (err != nil || len(model) > 0) {
		p.Log.Warn().Msg("--via and --model have no effect: the task has run; --again runs it once more")
		model = nil
	} else if err != nil {
		return err
	}
	o := &project.ResumeOptions{Traffic: f.run.traffic, Model: model, Doing: ui.Doing(c), Change: p.Config.ChangeByFlags}
	if c.Flags().Changed("budget-usd") {
		o.BudgetUSD = &p.Config.Session.BudgetUSD
	}
	j, err := p.PrepareResume(c.Context(), h.Thread, o)
	if err != nil {
		return err
	}
	defer j.Close()
	err = f.play(a, c, t, j)
	if fault.CodeOf(err) != session.NotOpen {
		return err
	}
	summary, err := audit.Summarise(c.Context(), j.History, j.Source().Locks, "")
	if err != nil {
		return err
	}
	a.Exit = verdictCode(summary)
	return f.show(c.Context(), a, t, j.History, summary, true)
}

// play runs the session of a task, and shows what it made.
func (f *taskFlags) play(a *ui.App, c *cobra.Command, t *project.ComposedTask, j *project.Job) error {
	ended, summary, err := playJob(a, c, &f.run, j)
	if err != nil {
		return err
	}
	a.Exit = exitCode(ended.Result, summary)
	ctx := context.WithoutCancel(c.Context())
	if err := t.Recheck(ctx, j); err != nil {
		return err
	}
	return errors.Join(f.show(ctx, a, t, ended.History, summary, false), ended.Unpublished)
}

func (f *taskFlags) show(ctx context.Context, a *ui.App, t *project.ComposedTask, h *session.History, s *audit.Summary, earlier bool) error {
	r, err := audit.NewTaskRun(ctx, h, s, t.Inputs())
	if err != nil {
		return err
	}
	if r.Elsewhere() {
		a.Exit = ui.ExitFailed
	}
	r.Earlier, r.Moved, r.Exit = earlier, t.Moved, a.Exit
	if f.run.jsonStream {
		return a.PrintJSON(r)
	}
	if a.Quiet && len(r.Put) == 0 {
		a.Say("brenner: " + ui.Clean(r.Task) + ", in " + ui.Clean(s.Thread) + ": no record was put" + ui.Clean(r.Why()) + "\n")
	}
	return ui.Show(a, r, nil, taskRunText)
}

func taskRunText(a *ui.App, r *audit.TaskRun) string {
	var b strings.Builder
	if a.Quiet {
		for i := range r.Put {
			if !r.Put[i].Elsewhere {
				b.WriteString(ui.Clean(r.Put[i].Record) + "\n")
			}
		}
		return b.String()
	}
	s := r.Session
	ended := ui.Ended(s.Task, s.Reason, string(s.Verdict))
	if s.RetryAt != "" {
		ended += ": " + s.RetryAt
	}
	fmt.Fprintf(&b, "%s: %s\n", ui.Clean(r.Task), ui.Clean(ui.Clip(r.Text)))
	switch {
	case r.Elsewhere():
		fmt.Fprintf(&b, "The task has run elsewhere, in %s, and not all that it made is in this store. --again runs it here.\n", ui.Clean(s.Thread))
	case r.Earlier:
		fmt.Fprintf(&b, "The task has run before, in %s; no agent was asked. --again runs it once more.\n", ui.Clean(s.Thread))
	default:
		fmt.Fprintf(&b, "%s (%s), in %s: %s\n", ui.Clean(r.Agent), ui.Clean(r.Role), ui.Clean(s.Thread), ended)
	}
	b.WriteString(taskInputsText(r) + "\n")
	for i := range r.Put {
		one := &r.Put[i]
		if one.Elsewhere {
			fmt.Fprintf(&b, "%s: not in this store\n", ui.Clean(one.Record))
			continue
		}
		fmt.Fprintf(&b, "%s: %s, %s\n  %s\n", ui.Clean(one.Record), ui.Clean(one.Type), ui.Clean(one.Status), ui.Clean(ui.Clip(one.Summary)))
		if one.Message != "" {
			b.WriteString("  " + ui.Clean(one.Message) + "\n")
		}
	}
	switch {
	case r.NoChanges:
		b.WriteString(strings.TrimSuffix("NO CHANGES: "+ui.Clean(r.Reason), ": ") + "\n")
	case len(r.Put) == 0:
		b.WriteString("No record was put" + ui.Clean(r.Why()) + ".\n")
	}
	var refused []string
	for i := range r.Refused {
		refused = append(refused, "  "+patchResult(&r.Refused[i].PatchResult)+"\n")
	}
	b.WriteString(titled("Refused", refused) + summaryDeltas("Not read as records", s.Rejected) + summaryIgnored(s))
	summaryRemarks(s, &b)
	summaryMissing(s, &b)
	b.WriteString(taskFailures(r))
	summaryHints(s, &b)
	b.WriteString("\n" + ui.Columns(summaryFacts(s)))
	return b.String() + a.NextText(r.Next)
}

// taskFailures says which calls failed, unless that is why no record was put.
func taskFailures(r *audit.TaskRun) string {
	var lines []string
	for i := range r.Session.Agents {
		g := &r.Session.Agents[i]
		if g.Problem != "" && (len(r.Put) > 0 || !strings.Contains(r.Why(), g.Problem)) {
			lines = append(lines, "  "+ui.Clean(g.Name+": "+string(g.Code)+", "+g.Problem)+"\n")
		}
	}
	return titled("Failed", lines)
}

// taskInputsText says which inputs the agent was shown in full, and which it was not.
func taskInputsText(r *audit.TaskRun) string {
	forms := make(map[string][]string)
	for _, in := range r.Inputs {
		forms[in.Form] = append(forms[in.Form], ui.Clean(in.Record))
	}
	var b strings.Builder
	for _, one := range []struct{ form, words string }{
		{"full", "shown in full"}, {"summary", "only the summary fits"}, {"", "not shown"},
	} {
		if len(forms[one.form]) > 0 && len(r.Session.Agents) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", one.words, strings.Join(forms[one.form], ", "))
		}
	}
	for _, m := range r.Moved {
		fmt.Fprintf(&b, "  %s\n", ui.Clean(m))
	}
	return b.String()
}

// taskLine names the task of a session that runs one, before its question.
func taskLine(task, question string) string {
	if task == "" {
		return question
	}
	return "(task " + task + ") " + question
}
