package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// job is one run of a session from the command line.
type job struct {
	app    *app
	ctx    context.Context
	config *Project
	models *models
	store  interface {
		store.Store
		store.Locks
	}
	runner *session.Runner
	memory *lessonBook
	stream bool
	// progress begins to show what happens.
	progress func() progress
	// rehearsed tells a rehearsal: it learns nothing, and teaches nothing.
	rehearsed bool
}

func (a *app) job(c *cobra.Command, m *models, st interface {
	store.Store
	store.Locks
}, script *rehearsal.Script, parties []flow.Party, run *runFlags,
) *job {
	r := m.config.runner(st, doing(c))
	r.Project = m.config.projectRecords(st)
	r.Deadline, r.Allowance, r.Agent = m.config.Timeouts.Session, &m.allow, m.agents(script, parties)
	if slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail }) {
		r.Post = m.post
	}
	lessons := &lessonBook{config: m.config, store: st, counter: m.counter, tell: a.learned(false)}
	r.Memory = lessons
	return &job{
		app: a, ctx: c.Context(), config: m.config, models: m, store: st, stream: run.jsonStream, memory: lessons, rehearsed: script != nil, runner: r,
		progress: func() progress { return run.progress(c, a) },
	}
}

// lockStore is a store with its locks.
type lockStore interface {
	store.Store
	store.Locks
}

// runner returns what everything that writes to sessions needs.
func (p *Project) runner(st lockStore, doing string) *session.Runner {
	return &session.Runner{Store: st, Locks: st, Now: p.Now, Log: p.Log, Tokens: tokens.New(), Holder: p.holder(doing)}
}

// run runs a session, shows what happens while it does, and then what it came to.
func (j *job) run(do func(context.Context, *session.Runner) (thread string, res *session.Result, err error)) error {
	a := j.app
	ctx, drain, done := a.Interrupts.gently(j.ctx, func() {
		a.say("\nbrenner: waiting for the calls under way; once more stops at once. Nothing is lost: `brenner session resume` goes on\n")
	})
	defer done()
	// Whoever reads the output may go away; the session goes on.
	signal.Ignore(syscall.SIGPIPE)
	progress := j.progress()
	j.models.progress = progress.tokens
	j.runner.Drain = drain
	j.runner.Observe = func(e *journal.Entry, s *flow.State) { progress.event(e, s) }
	if !j.rehearsed {
		j.memory.catchUp(ctx)
	}
	thread, res, err := do(ctx, j.runner)
	progress.end()
	j.models.sweep()
	if err != nil {
		return err
	}
	h, err := session.Load(context.WithoutCancel(ctx), j.store, thread)
	if err != nil {
		return err
	}
	j.memory.learn(context.WithoutCancel(ctx), h)
	summary, err := a.summarise(context.WithoutCancel(ctx), &source{store: j.store, locks: j.store, config: j.config}, h)
	if err != nil {
		return err
	}
	unpublished := j.publish(h, summary)
	a.exit = exitOf(res, summary)
	summary.Exit = &a.exit
	if j.stream {
		return errors.Join(a.printJSON(summary.document()), unpublished)
	}
	return errors.Join(a.show(summary), unpublished)
}

// publish writes the artifact beside the store, for people: the store stays what counts.
func (j *job) publish(h *session.History, s *sessionSummary) error {
	files, err := publish(j.ctx, j.config, h)
	s.Artifact = files
	return err
}

// publish writes the newest version of an artifact into the project's folder.
func publish(ctx context.Context, cfg *Project, h *session.History) (string, error) {
	if h.State.Version() == 0 {
		return "", nil
	}
	a, err := h.Artifact(context.WithoutCancel(ctx), h.State.Version())
	if err != nil {
		return "", err
	}
	dir := publishedDir(cfg, h.Thread)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", &fault.Error{Code: CannotWrite, Op: "make", Place: dir, Detail: reason(err), Hint: "the session itself is stored: `brenner session show " + h.Thread + "`"}
	}
	path := filepath.Join(dir, "artifact.md")
	if err := writeFile(filepath.Join(dir, "artifact.json"), a.JSON()); err != nil {
		return "", err
	}
	return path, writeFile(path, a.Markdown())
}

// publishedDir is where the artifact of a session is, for people.
func publishedDir(cfg *Project, thread string) string {
	return filepath.Join(storeDir(cfg), "sessions", thread)
}

// exitOf translates the end of a run.
func exitOf(res *session.Result, s *sessionSummary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ExitInterrupted
	case res.Reason == flow.EndBudget:
		return exitBudget
	case res.Reason == flow.EndLater:
		return exitLater
	case len(s.Conflicts) > 0, s.stuck():
		return exitPerson
	case len(res.Missing) > 0, res.Reason == flow.EndQuorum, res.Reason == flow.EndTime:
		return exitPartial
	}
	return 0
}

// learned returns what tells people what sessions taught, or nil where nobody wants to
// know. Of several that run at once each is named.
func (a *app) learned(several bool) func(thread string, learned []string) {
	if a.quiet || a.json {
		return nil
	}
	return func(thread string, learned []string) {
		word := "Playbook: "
		if several {
			word = a.Now().Format(time.TimeOnly) + " " + thread + ": the playbook: "
		}
		a.say(word + strings.Join(learned, "; ") + "\n")
	}
}
