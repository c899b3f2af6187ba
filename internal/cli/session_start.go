package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/fault"
	"brenner/flow"
	"brenner/journal"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/store"
	"brenner/tokens"
	"brenner/view"
)

type startOptions struct {
	roster   rosterFlags
	brief    briefFlags
	run      runFlags
	evidence []string
	via      []string
	model    []string
	script   string
	ifExists string
	dryRun   bool
}

func (a *app) sessionStartCommand() *cobra.Command {
	var opt startOptions
	c := &cobra.Command{
		Use:   "start",
		Short: "Run a research session: ask all agents, merge what they answer, round by round",
		Long: `Resolves the roster, composes a kickoff for each agent, asks all of them at once, reads
the deltas in their replies and merges them by rule into the next version of the
artifact; then the next round. Everything is in the project's store (.brenner) before it
counts: a session that was killed goes on with ` + "`brenner session resume`" + `, and nobody is
asked again for what was answered.

Ctrl-C once lets the calls under way end; twice stops at once. Neither loses anything.

With "via: rehearsal" scripted agents play a session: no key, no server, no cost. They
play their own question only, unless --via rehearsal or --script is given.`,
		Example: `  brenner session start --preset default-3-agent
  brenner session start --to BlueLake --role hypothesis_generator --to RedSky --role adversarial_critic --via rehearsal
  brenner session start --script mine.yaml --rounds 2 --json
  brenner session start --preset default-3-agent --dry-run

Exit codes: 0 done; 1 it could not be stored; 2 the roster, the brief or the
configuration is wrong; 3 done, but an agent did not answer; 5 done with an open conflict,
or the session is held by another process; 6 the budget is spent; 130 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.start(c, &opt) },
	}
	opt.roster.add(c)
	opt.brief.add(c)
	opt.run.add(c)
	f := c.Flags()
	f.StringArrayVar(&opt.evidence, "evidence", nil, "a file that every agent is given; cited as EV-001, EV-002, …; repeatable")
	f.StringArrayVar(&opt.via, "via", nil, "how agents are reached ("+strings.Join(config.Vias(), ", ")+"), for all, or NAME=KIND,…")
	f.StringArrayVar(&opt.model, "model", nil, "the model's id where it is asked, for all, or NAME=ID,…")
	f.StringVar(&opt.script, "script", "", "a rehearsal of your own: scripted agents from this file")
	f.StringVar(&opt.ifExists, "if-exists", "", "with a --thread-id that exists: resume, fail or new (beside it)")
	f.BoolVar(&opt.dryRun, "dry-run", false, "compose and print everything; send nothing, write nothing")
	return c
}

// runFlags are the flags of everything that runs sessions.
type runFlags struct {
	rounds, budget, timeout string
	flow, quorum            string
	jsonStream              bool
}

func (r *runFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.rounds, "rounds", "", "how many rounds; brenner.yaml's, or 3, if not given")
	f.StringVar(&r.flow, "flow", "", "parallel, or staged: who has nothing to work on yet waits")
	f.StringVar(&r.quorum, "quorum", "", "how many answers a round needs: role, all, or a number")
	f.StringVar(&r.timeout, "timeout", "", "how long one call may take, such as 10m")
	f.StringVar(&r.budget, "budget-tokens", "", "tokens for the whole session; 0 is no limit")
	f.BoolVar(&r.jsonStream, "json-stream", false, "print every event as a line of JSON as it happens, the result last")
}

// keys are the keys of the configuration that the flags set.
func (r *runFlags) keys(c *cobra.Command) []config.Flag {
	var flags []config.Flag
	for _, f := range []struct{ flag, key, value string }{
		{"rounds", "session.rounds", r.rounds},
		{"flow", "session.flow", r.flow},
		{"quorum", "session.quorum", r.quorum},
		{"timeout", "timeouts.call", r.timeout},
		{"budget-tokens", "budget.tokens", r.budget},
	} {
		if c.Flags().Changed(f.flag) {
			flags = append(flags, config.Flag{Key: f.key, Name: "--" + f.flag, Values: []string{f.value}})
		}
	}
	return flags
}

func (s *startOptions) keys(c *cobra.Command) []config.Flag {
	flags := s.run.keys(c)
	for _, v := range s.via {
		if !strings.Contains(v, "=") {
			flags = append(flags, config.Flag{Key: "via", Name: "--via", Values: []string{v}})
		}
	}
	return flags
}

func (a *app) start(c *cobra.Command, opt *startOptions) error {
	if !slices.Contains([]string{"", "resume", "fail", "new"}, opt.ifExists) {
		return usage(c, "--if-exists "+clean(opt.ifExists)+" is none of resume, fail, new", "")
	}
	k, err := a.compose(c, &opt.roster, &opt.brief, opt.keys(c)...)
	if err != nil {
		return err
	}
	if opt.dryRun {
		return a.show(dryRunResult(k))
	}
	parties, err := opt.parties(k.config, k.roster.Roster)
	if err != nil {
		return err
	}
	script, err := opt.rehearsalScript(a, c, k.config, parties)
	if err != nil {
		return err
	}
	b, err := a.briefOf(&k, opt, parties, script)
	if err != nil {
		return err
	}
	st, err := a.openStore(c.Context(), k.config)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	exists, err := a.name(c.Context(), st, &b, opt)
	if err != nil {
		return err
	}
	if exists {
		return a.resume(c, opt.roster.project, b.Thread, &opt.run)
	}
	job := a.job(c, k.config, st, script, parties, &opt.run)
	return job.run(b.Thread, func(ctx context.Context, r *session.Runner) (*session.Result, error) { return r.Start(ctx, b) })
}

// name settles what the session is called: another name where one exists and the
// user did not choose it, and otherwise what --if-exists says. It tells whether
// an existing session is meant.
func (a *app) name(ctx context.Context, st store.Store, b *session.Brief, opt *startOptions) (bool, error) {
	streams, err := st.Streams(ctx, session.Prefix+b.Thread)
	if err != nil {
		return false, err
	}
	taken := func(thread string) bool {
		return slices.ContainsFunc(streams, func(s store.Stream) bool { return s.Name == session.Prefix+thread })
	}
	if !taken(b.Thread) {
		return false, nil
	}
	switch {
	case opt.ifExists == "resume":
		return true, nil
	case opt.ifExists == "fail", opt.ifExists == "" && opt.brief.threadID != "":
		return false, nil // Start says so, with the lock held
	}
	base := b.Thread
	for n := 2; taken(b.Thread); n++ {
		suffix := "-" + strconv.Itoa(n)
		b.Thread = base[:min(len(base), maxThreadID-len(suffix))] + suffix
	}
	return false, kickoff.CheckThreadID(b.Thread)
}

// maxThreadID is the length of the longest thread id: RS-YYYYMMDD- and 40 more.
const maxThreadID = len("RS-20060102-") + 40

// briefOf gathers what a session is opened with.
func (a *app) briefOf(k *composed, opt *startOptions, parties []flow.Party, script *rehearsal.Script) (session.Brief, error) {
	cfg := k.config
	b := session.Brief{
		Thread: k.threadID, Operator: cfg.Operator, Program: "brenner " + release,
		Question: k.input.Question, Context: k.input.Context, Excerpt: k.input.Excerpt, Constraints: k.input.Constraints,
		Roster: k.roster.Roster, Agents: parties, Views: make(map[string]view.Spec), Settings: cfg.Session,
		Rules: merge.Rules{
			Unified: k.roster.Roster.Mode == roster.Unified, Scopes: cfg.Scopes, Limits: cfg.Limits,
			Priority: cfg.Priority, Authorities: cfg.Authorities,
		},
	}
	for _, h := range k.input.Hypotheses {
		b.Hypotheses = append(b.Hypotheses, h.Text)
	}
	for _, p := range parties {
		role := p.Role
		if b.Rules.Unified {
			role = view.Unified
		}
		b.Views[p.Name] = view.Default(role)
	}
	if script != nil {
		b.Script = script.Source()
	}
	for _, path := range opt.evidence {
		data, err := a.readFile("evidence", path)
		if err != nil {
			return b, err
		}
		b.Evidence = append(b.Evidence, session.File{Name: filepath.Base(path), Data: data})
	}
	return b, nil
}

// job is one run of a session from the command line.
type job struct {
	app    *app
	ctx    context.Context
	config *config.Config
	store  interface {
		store.Store
		store.Locks
	}
	runner *session.Runner
	stream bool
}

func (a *app) job(c *cobra.Command, cfg *config.Config, st interface {
	store.Store
	store.Locks
}, script *rehearsal.Script, parties []flow.Party, run *runFlags,
) *job {
	host, _ := os.Hostname() // only for people to read
	counter := tokens.New()
	counter.Warm()
	return &job{
		app: a, ctx: c.Context(), config: cfg, store: st, stream: run.jsonStream,
		runner: &session.Runner{
			Store: st, Locks: st, Now: a.Now, Log: a.log, Tokens: counter, Deadline: cfg.Timeouts.Session,
			Agent:  agents(cfg, registry(script), parties),
			Holder: store.Holder{PID: os.Getpid(), Host: host, Since: a.Now(), Doing: strings.TrimPrefix(c.CommandPath(), "brenner ")},
		},
	}
}

// run runs a session, shows what happens while it does, and then what it came to.
func (j *job) run(thread string, do func(context.Context, *session.Runner) (*session.Result, error)) error {
	a := j.app
	ctx, drain, done := a.Interrupts.gently(j.ctx, func() {
		a.say("\nbrenner: waiting for the calls under way; once more stops at once. Nothing is lost: `brenner session resume " + thread + "`\n")
	})
	defer done()
	progress := a.progress(j.stream)
	j.runner.Drain = drain
	j.runner.Observe = func(e *journal.Entry, s *flow.State) { progress.event(e, s) }
	res, err := do(ctx, j.runner)
	progress.end()
	if err != nil {
		return err
	}
	h, err := session.Load(context.WithoutCancel(ctx), j.store, thread)
	if err != nil {
		return err
	}
	summary, err := a.summarise(context.WithoutCancel(ctx), &source{store: j.store, locks: j.store, config: j.config}, h)
	if err != nil {
		return err
	}
	if err := j.publish(h, summary); err != nil {
		return err
	}
	a.exit = exitOf(res, summary)
	summary.Exit = &a.exit
	if j.stream {
		return a.printJSON(summary.document())
	}
	return a.show(summary)
}

// publish writes the artifact beside the store, for people: the store stays what counts.
func (j *job) publish(h *session.History, s *sessionSummary) error {
	files, err := publish(j.ctx, j.config, h)
	s.Artifact = files
	return err
}

// publish writes the newest version of an artifact into the project's folder.
func publish(ctx context.Context, cfg *config.Config, h *session.History) (string, error) {
	if h.State.Version() == 0 {
		return "", nil
	}
	a, err := h.Artifact(context.WithoutCancel(ctx), h.State.Version())
	if err != nil {
		return "", err
	}
	dir := filepath.Join(storeDir(cfg), "sessions", h.Thread)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", &fault.Error{Code: CannotWrite, Op: "make", Place: dir, Detail: reason(err), Hint: "the session itself is stored: `brenner session show " + h.Thread + "`"}
	}
	path := filepath.Join(dir, "artifact.md")
	if err := writeFile(filepath.Join(dir, "artifact.json"), append(a.JSON(), '\n')); err != nil {
		return "", err
	}
	return path, writeFile(path, a.Markdown())
}

// exitOf translates the end of a run.
func exitOf(res *session.Result, s *sessionSummary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ExitInterrupted
	case res.Reason == flow.EndBudget:
		return exitBudget
	case len(s.Conflicts) > 0:
		return exitPerson
	case len(res.Missing) > 0, res.Reason == flow.EndQuorum, res.Reason == flow.EndTime:
		return exitPartial
	}
	return 0
}
