package sessioncmd

import (
	"context"
	"errors"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// job is one run of a session from the command line.
type job struct {
	app     *ui.App
	ctx     context.Context
	project *project.Project
	models  *project.Models
	store   interface {
		store.Store
		store.Locks
	}
	runner *session.Runner
	memory *project.LessonBook
	stream bool
	// progress begins to show what happens.
	progress func() progress
	// rehearsed tells a rehearsal: it learns nothing, and teaches nothing.
	rehearsed bool
}

func newJob(a *ui.App, c *cobra.Command, m *project.Models, st interface {
	store.Store
	store.Locks
}, script *rehearsal.Script, parties []flow.Party, run *runFlags,
) *job {
	r := m.Project.Runner(st, ui.Doing(c))
	r.Project = m.Project.ProjectRecords(st)
	r.Deadline, r.Allowance, r.Agent = m.Project.Config.Timeouts.Session, &m.Allow, m.Agents(script, parties)
	if slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail }) {
		r.Post = m.Post
	}
	lessons := &project.LessonBook{Project: m.Project, Store: st, Counter: m.Counter, Tell: a.Learned(false)}
	r.Memory = lessons
	return &job{
		app: a, ctx: c.Context(), project: m.Project, models: m, store: st, stream: run.jsonStream, memory: lessons, rehearsed: script != nil, runner: r,
		progress: func() progress { return run.progress(c, a) },
	}
}

// run runs a session, shows what happens while it does, and then what it came to.
func (j *job) run(do func(context.Context, *session.Runner) (thread string, res *session.Result, err error)) error {
	a := j.app
	ctx, drain, done := a.Interrupts.Gently(j.ctx, func() {
		a.Say("\nbrenner: waiting for the calls under way; once more stops at once. Nothing is lost: `brenner session resume` goes on\n")
	})
	defer done()
	// Whoever reads the output may go away; the session goes on.
	signal.Ignore(syscall.SIGPIPE)
	progress := j.progress()
	j.models.Progress = progress.tokens
	j.runner.Drain = drain
	j.runner.Observe = func(e *journal.Entry, s *flow.State) { progress.event(e, s) }
	if !j.rehearsed {
		j.memory.CatchUp(ctx)
	}
	thread, res, err := do(ctx, j.runner)
	progress.end()
	j.models.Sweep()
	if err != nil {
		return err
	}
	h, err := session.Load(context.WithoutCancel(ctx), j.store, thread)
	if err != nil {
		return err
	}
	j.memory.Learn(context.WithoutCancel(ctx), h)
	summary, err := summarise(context.WithoutCancel(ctx), a, &project.Source{Store: j.store, Locks: j.store, Project: j.project}, h)
	if err != nil {
		return err
	}
	unpublished := j.publish(h, summary)
	a.Exit = exitOf(res, summary)
	summary.Exit = &a.Exit
	if j.stream {
		return errors.Join(a.PrintJSON(summary), unpublished)
	}
	return errors.Join(a.Show(summary), unpublished)
}

// publish writes the artifact beside the store, for people: the store stays what counts.
func (j *job) publish(h *session.History, s *sessionSummary) error {
	files, err := project.Publish(j.ctx, j.project, h)
	s.Artifact = files
	return err
}

// exitOf translates the end of a run.
func exitOf(res *session.Result, s *sessionSummary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ui.ExitInterrupted
	case res.Reason == flow.EndBudget:
		return ui.ExitBudget
	case res.Reason == flow.EndLater:
		return ui.ExitLater
	case len(s.Conflicts) > 0, s.stuck():
		return ui.ExitPerson
	case len(res.Missing) > 0, res.Reason == flow.EndQuorum, res.Reason == flow.EndTime:
		return ui.ExitPartial
	}
	return 0
}
