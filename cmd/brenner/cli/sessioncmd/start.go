package sessioncmd

import (
	"cmp"
	"context"
	"errors"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/store"
)

type startOptions struct {
	roster   RosterFlags
	brief    briefFlags
	run      runFlags
	evidence []string
	via      []string
	model    []string
	script   string
	arbiter  string
	played   *rehearsal.Script // read from the file script
	module   string
	ifExists string
	dryRun   bool
	estimate bool
}

func sessionStartCommand(a *ui.App) *cobra.Command {
	var opt startOptions
	c := &cobra.Command{
		Use:   "start",
		Short: "Run a research session",
		Long: `Resolves the roster, composes a kickoff for each agent, asks all agents concurrently, and
merges the deltas in their replies by rule into the next version of the artifact, round
by round. Every step is stored in .brenner first: after a crash,
` + "`brenner session resume`" + ` continues without repeating answered calls.

Press Ctrl-C once to wait for the calls in flight, twice to stop immediately. No reply is
lost.

With "via: rehearsal", scripted agents play the session without keys, server or cost. They
answer only their own question unless --via rehearsal or --script is set.`,
		Example: `  brenner session start --preset default-3-agent
  brenner session start --to BlueLake --role hypothesis_generator --to RedSky --role adversarial_critic --via rehearsal
  brenner session start --script mine.yaml --rounds 2 --json
  brenner session start --preset default-3-agent --dry-run
  brenner session start --preset default-3-agent --estimate --budget-usd 2

Exit codes: 0 done, and every agent contributed or wrote NO CHANGES in some round; 1 no
agent did, and the artifact did not change, or storing failed; 2 invalid roster, brief or
configuration; 3 done, but some agent did neither in any round, or too few replied in
time; 4 ` + "`brenner trust`" + ` required, or the mail server rejected the token; 5 done with an
open conflict or stalemate, or another process has the session locked; 6 budget
exhausted; 75 too few replies, retry later, or the mail server is unreachable; 130
interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return start(a, c, &opt) },
	}
	opt.addSetup(c)
	opt.brief.add(c)
	opt.run.add(c)
	f := c.Flags()
	f.StringArrayVar(&opt.evidence, "evidence", nil, "file shown to every agent, cited as EV-001, EV-002, …; repeatable")
	f.StringVar(&opt.module, "module", "", "module whose records are shown to the agents (default: the entire project)")
	f.String("domain", "", "domain of the playbook whose lessons the agents are shown, and which learns (default: playbook.domain)")
	f.StringVar(&opt.ifExists, "if-exists", "", "if --thread-id exists: resume, fail or new (start another)")
	f.BoolVar(&opt.dryRun, "dry-run", false, "print the messages without sending any or writing anything")
	f.BoolVar(&opt.estimate, "estimate", false, "print what the session costs at most, in tokens and dollars, without sending a message or writing anything")
	return c
}

// addSetup declares the flags that decide which agents take part and how they are reached.
func (s *startOptions) addSetup(c *cobra.Command) {
	s.roster.Add(c)
	f := c.Flags()
	f.StringArrayVar(&s.via, "via", nil, "transport ("+strings.Join(config.Vias(), ", ")+") for all agents, or NAME=KIND,…")
	f.StringArrayVar(&s.model, "model", nil, "provider's model id for all agents, or NAME=ID,…")
	f.StringVar(&s.script, "script", "", "rehearsal script to play instead of the built-in one")
	s.arbiterFlag(c)
	s.run.addSettings(c)
}

// runFlags are the flags of commands that run a session.
type runFlags struct {
	traffic                      project.Traffic
	jsonStream, serveMail, watch bool
}

// addSettings declares the flags that set keys of the configuration.
func (r *runFlags) addSettings(c *cobra.Command) {
	for _, o := range config.RunFlags() {
		c.Flags().String(o.Name, "", o.Usage)
	}
	c.Flags().StringVar(&r.traffic.BaseURL, "base-url", "", "model endpoint URL, or NAME=URL,… ["+project.EnvBaseURL+"]")
}

func (r *runFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.traffic.Record, "record-tape", "", "file to record all model traffic to, without secrets")
	f.StringVar(&r.traffic.Tape, "tape", "", "file to replay model traffic from, without network or cost")
	f.BoolVar(&r.serveMail, "serve-mail", false, "serve the project's mail while the session runs")
	f.BoolVar(&r.jsonStream, "json-stream", false, "print each event as a line of JSON, then the result")
	f.BoolVar(&r.watch, "watch", false, "show progress on standard error (default: on, unless --json or --quiet is set)")
}

// checkWatch rejects --watch together with flags that contradict it.
func (r *runFlags) checkWatch(c *cobra.Command, a *ui.App) error {
	for _, o := range []struct {
		given bool
		name  string
	}{{a.Quiet && r.watch, "--quiet"}, {r.jsonStream, "--json-stream"}} {
		if o.given {
			if err := ui.Unused(c, "cannot be combined with "+o.name, "watch"); err != nil {
				return err
			}
		}
	}
	return nil
}

// progress returns how to show a run: as --watch says, or by the other flags.
func (r *runFlags) progress(c *cobra.Command, a *ui.App) project.Watch {
	switch {
	case !c.Flags().Changed("watch"):
		return progressFor(a, r.jsonStream)
	case r.watch:
		return textProgress(a)
	}
	return project.Watch{}
}

// keys returns the configuration keys that the flags set.
func (r *runFlags) keys(c *cobra.Command) []config.Flag {
	var flags []config.Flag
	for _, f := range append(config.RunFlags(), config.RunFlag{Key: "agents.base_url", Name: "base-url"}) {
		if o := c.Flags().Lookup(f.Name); o != nil && o.Changed && !(f.Name == "base-url" && r.traffic.Names()) {
			flags = append(flags, config.Flag{Key: f.Key, Name: "--" + f.Name, Values: []string{o.Value.String()}})
		}
	}
	return flags
}

func (s *startOptions) keys(c *cobra.Command) []config.Flag {
	flags := s.run.keys(c)
	if c.Flags().Changed("arbiter") {
		flags = append(flags, config.Flag{Key: "session.arbiter", Name: "--arbiter", Values: []string{s.arbiter}})
	}
	if d := c.Flags().Lookup("domain"); d != nil && d.Changed {
		flags = append(flags, config.Flag{Key: "playbook.domain", Name: "--domain", Values: []string{d.Value.String()}})
	}
	for _, v := range s.via {
		if !strings.Contains(v, "=") {
			flags = append(flags, config.Flag{Key: "via", Name: "--via", Values: []string{v}})
		}
	}
	if s.played != nil && !c.Flags().Changed("question") {
		flags = append(flags, config.Flag{Key: "question", Name: "--script", Values: []string{s.played.Question()}})
		if !c.Flags().Changed("context") { // the project's context belongs to the project's question
			flags = append(flags, config.Flag{Key: "context", Name: "--script", Values: []string{""}})
		}
	}
	return flags
}

// agents returns the transports that the flags set.
func (s *startOptions) agents() *project.AgentOptions {
	return &project.AgentOptions{Via: s.via, Model: s.model, Scripted: s.script != ""}
}

func start(a *ui.App, c *cobra.Command, opt *startOptions) error {
	if !slices.Contains([]string{"", "resume", "fail", "new"}, opt.ifExists) {
		return ui.Usage(c, "--if-exists: "+ui.Clean(opt.ifExists)+" is not resume, fail or new", "")
	}
	if err := opt.run.checkWatch(c, a); err != nil {
		return err
	}
	opt.dryRun = opt.dryRun || opt.estimate
	if opt.dryRun {
		if err := ui.Unused(c, "cannot be combined with --dry-run", "watch"); err != nil {
			return err
		}
	}
	if err := opt.readScript(a, c); err != nil {
		return err
	}
	if found, err := opt.resumeExisting(a, c, opt.brief.threadID, nil); found {
		return err
	}
	k, err := compose(a, c, &opt.roster, &opt.brief, opt.keys(c)...)
	if err != nil {
		return err
	}
	if opt.brief.threadID == "" {
		if found, err := opt.resumeExisting(a, c, k.ThreadID, &k); found {
			return err
		}
	}
	o := &project.StartOptions{
		Agents: *opt.agents(), Traffic: opt.run.traffic, Script: opt.played, AnyQuestion: c.Flags().Changed("via"), Module: opt.module,
		ServeMail: opt.run.serveMail, IfExists: opt.ifExists, Chosen: opt.brief.threadID != "", Doing: ui.Doing(c),
		Estimate: opt.estimate,
	}
	if o.Evidence, err = evidence(a, opt.evidence); err != nil {
		return err
	}
	if opt.dryRun {
		v, err := k.Preview(c.Context(), o)
		return ui.Show(a, v, err, dryRunText)
	}
	j, err := k.Prepare(c.Context(), o)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.Open(c.Context()); err != nil {
		return err
	}
	return runJob(a, c, &opt.run, j)
}

// evidence reads the files to show to every agent.
func evidence(a *ui.App, paths []string) ([]session.File, error) {
	var all []session.File
	for _, path := range paths {
		data, err := a.ReadFile("evidence", path)
		if err == nil {
			err = project.CheckEvidence("evidence", path, data)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, session.File{Name: filepath.Base(path), Data: data})
	}
	return all, nil
}

// resumeExisting resumes the session with an id if --if-exists says so and there is one; it needs
// neither question nor roster. K is the composed session, if there is one already.
func (s *startOptions) resumeExisting(a *ui.App, c *cobra.Command, thread string, k *project.Composed) (found bool, err error) {
	if s.ifExists != "resume" || thread == "" {
		return false, nil
	}
	p, err := a.OpenWith(s.roster.SessionConfig)
	if err != nil {
		return true, err
	}
	opened, err := p.Look(c.Context(), thread)
	switch code := fault.CodeOf(err); {
	case code == store.NoStore, code == session.NoSession:
		return false, nil
	case err != nil:
		return true, err
	case s.dryRun:
		return true, ui.Usage(c, "session "+thread+" already exists; a dry run shows new sessions only",
			"`brenner session status "+thread+"` shows it; omit --if-exists resume to preview another one")
	}
	differs, err := s.differs(a, c, p, k, opened)
	switch {
	case err != nil:
		return true, err
	case differs != "":
		return true, ui.Usage(c, "session "+thread+" already exists and "+ui.Clean(differs), "`brenner session resume "+thread+"` continues it; --if-exists new starts another")
	}
	return true, resume(a, c, thread, &s.run, s.model)
}

// differs returns what flags say otherwise than an existing session, or "": resuming would silently
// ignore them.
func (s *startOptions) differs(a *ui.App, c *cobra.Command, p *project.Project, k *project.Composed, o *flow.Opened) (string, error) {
	given := func(names ...string) bool { return slices.ContainsFunc(names, c.Flags().Changed) }
	asks, names := given("question"), given("to", "role", "agent-role", "roster", "preset", "unified", "roster-mode")
	var err error
	if k == nil {
		k = &project.Composed{}
		if asks {
			k.Input.Question, err = a.Inline("--question", s.brief.question)
		}
		if names && err == nil {
			var above []roster.Layer
			if above, err = s.roster.layers(a, c); err == nil {
				k.Roster, err = p.Resolve(above)
			}
		}
	}
	switch {
	case err != nil:
		return "", err
	case asks && project.PlainText(k.Input.Question) != project.PlainText(o.Question):
		return "has a different question: " + o.Question, nil
	case names && !o.HasRoster(k.Roster.Roster):
		return "has a different roster", nil
	case s.played != nil && store.Hash(s.played.Source()) != o.Rehearsal:
		return "has a different script", nil
	case given("evidence", "hypotheses", "constraints", "excerpt-file", "context"):
		return "already has a brief", nil
	case given("module") && s.module != o.Module:
		return "has a different module: " + cmp.Or(o.Module, "the entire project"), nil
	case given("domain") && o.Domain != "" && c.Flags().Lookup("domain").Value.String() != o.Domain:
		return "has lessons of another domain: " + o.Domain, nil
	}
	return "", nil
}

// readScript reads the file of --script. Its question is the session's unless --question
// is set.
func (s *startOptions) readScript(a *ui.App, c *cobra.Command) error {
	if s.script == "" {
		return nil
	}
	for _, via := range s.via {
		if !strings.Contains(via, "=") && via != config.ViaRehearsal {
			return ui.Usage(c, "--script and --via "+ui.Clean(via)+" cannot be combined", "pass --via NAME="+ui.Clean(via)+" for single agents")
		}
	}
	data, err := a.ReadFile("the script", s.script)
	if err != nil {
		return err
	}
	s.played, err = rehearsal.Parse(data)
	return fault.InFile("read the script", s.script, err)
}

// arbiterFlag declares --arbiter.
func (s *startOptions) arbiterFlag(c *cobra.Command) {
	c.Flags().StringVar(&s.arbiter, "arbiter", "", "arbiter of stalemates: NAME, NAME=KIND, NAME=KIND:MODEL or NAME=program:PROGRAM; not an agent of the roster; empty for a person")
}

// runJob runs a session, shows its progress, and then its summary.
func runJob(a *ui.App, c *cobra.Command, run *runFlags, j *project.Job) error {
	ended, summary, err := playJob(a, c, run, j)
	if err != nil {
		return err
	}
	a.Exit = exitCode(ended.Result, summary)
	summary.Exit = &a.Exit
	if run.jsonStream {
		return errors.Join(a.PrintJSON(summary), ended.Unpublished)
	}
	return errors.Join(ui.Show(a, summary, nil, summaryText), ended.Unpublished)
}

// playJob runs a session and shows its progress. It returns the summary.
func playJob(a *ui.App, c *cobra.Command, run *runFlags, j *project.Job) (*project.RunResult, *audit.Summary, error) {
	ctx, drain, done := a.Interrupts.Gently(c.Context(), func() {
		a.Say("\nbrenner: waiting for the calls in flight; interrupt again to stop immediately. The summary shows how to resume\n")
	})
	defer done()
	// The session continues if the reader of its output goes away.
	signal.Ignore(syscall.SIGPIPE)
	watch := run.progress(c, a)
	watch.Learned, watch.Drain = a.Learned(false), drain
	ended, err := j.Run(ctx, watch)
	if err != nil {
		return nil, nil, err
	}
	summary, err := audit.Summarise(context.WithoutCancel(ctx), ended.History, j.Source().Locks, "")
	if err != nil {
		return nil, nil, err
	}
	j.Source().Project.ConfirmNext(summary, ended.History.State)
	j.Source().Project.NextOfMail(context.WithoutCancel(ctx), ended.History, summary)
	summary.Artifact = ended.Artifact
	return ended, summary, nil
}

// exitCode returns the exit code for the result of a run.
func exitCode(res *session.Result, s *audit.Summary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ui.ExitInterrupted
	case res.Reason == flow.EndBudget:
		return ui.ExitBudget
	case res.Reason == flow.EndLater:
		return ui.ExitLater
	}
	return verdictCode(s)
}

// verdictCode returns the exit code for what a session came to.
func verdictCode(s *audit.Summary) int {
	switch {
	case s.Verdict == flow.Nothing:
		return ui.ExitFailed
	case len(s.Conflicts) > 0, s.NeedsRuling():
		return ui.ExitPerson
	case s.Verdict == flow.Partial:
		return ui.ExitPartial
	}
	return 0
}

func sessionResumeCommand(a *ui.App) *cobra.Command {
	var run runFlags
	var model []string
	c := ui.InProject(&cobra.Command{
		Use:   "resume ID",
		Short: "Resume a session after a crash, an interrupt or a timeout",
		Long: `Resumes a session at the end of its journal. Answered calls are not repeated; calls that
failed or were lost are made again. Roster, transports, addresses, models, rules and
rehearsal script are those of the start of the session.

Only settings given as flags change, and the deadlines, which are also read from the
current brenner.yaml. --base-url and --model change where the models are and which ones are
asked, --mail-url changes the mail server. Every change is journaled.

Resuming a session that has ended is not an error: its status is shown.`,
		Example: `  brenner session resume RS-20261115-cell-fate
  brenner session resume RS-20261115-cell-fate --rounds 5 --budget-tokens 1000000
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes, judged over the whole session: 0 every agent contributed or wrote NO CHANGES
in some round; 1 no agent did, and the artifact did not change, or storing failed; 2 no
such session, or an agent is unreachable; 3 some agent did neither in any round, or too
few replied in time; 4 ` + "`brenner trust`" + ` required; 5 open conflict or stalemate, or another
process has the session locked; 6 budget exhausted; 75 too few replies, retry later;
130 interrupted.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return resume(a, c, args[0], &run, model) },
	})
	run.addSettings(c)
	run.add(c)
	c.Flags().String("mail-url", "", "another mail server URL from now on")
	c.Flags().StringArrayVar(&model, "model", nil, "another model id for all agents from now on, or NAME=ID,…")
	return c
}

func resume(a *ui.App, c *cobra.Command, arg string, run *runFlags, model []string) error {
	if err := run.checkWatch(c, a); err != nil {
		return err
	}
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return err
	}
	p, err := a.Open(append(run.keys(c), ui.MailURL(c)...)...)
	if err != nil {
		return err
	}
	o := &project.ResumeOptions{
		Traffic: run.traffic, Model: model, ServeMail: run.serveMail, Doing: ui.Doing(c),
		Change: p.Config.ChangeByFlags,
	}
	if c.Flags().Changed("budget-usd") {
		o.BudgetUSD = &p.Config.Session.BudgetUSD
	}
	j, err := p.PrepareResume(c.Context(), thread, o)
	if err != nil {
		return err
	}
	defer j.Close()
	err = runJob(a, c, run, j)
	if fault.CodeOf(err) != session.NotOpen {
		return err
	}
	return nothingToResume(a, c, j, err)
}

// nothingToResume shows a session that has ended. It is not an error, so that all
// sessions can be resumed from a cron job.
func nothingToResume(a *ui.App, c *cobra.Command, j *project.Job, why error) error {
	if !a.Quiet {
		a.Say(ui.Clean(why.Error()) + "; " + ui.Clean(fault.HintOf(why)) + "\n")
	}
	for _, name := range []string{"base-url", "model", "mail-url"} {
		if c.Flags().Changed(name) && j.Moves() {
			j.Source().Project.Log.Warn().Msg("--" + name + " has no effect: the session has ended, and no agent is asked")
		}
	}
	err := showStatus(c.Context(), a, j.Source(), j.History)
	if j.History.State.Verdict() == flow.Nothing {
		a.Exit = ui.ExitFailed
	}
	return err
}
