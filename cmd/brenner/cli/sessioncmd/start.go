package sessioncmd

import (
	"context"
	"errors"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/project"
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
	played   *rehearsal.Script // what script names
	module   string
	ifExists string
	dryRun   bool
}

func sessionStartCommand(a *ui.App) *cobra.Command {
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
configuration is wrong; 3 done, but an agent did not answer; 4 a file wants what needs
` + "`brenner trust`" + `, or the mail server does not take the token; 5 done with an open conflict
or stalemate, or the session is held by another process; 6 the budget does not reach
further; 75 too few answered, and they said when to return, or the mail server cannot be
reached; 130 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return start(a, c, &opt) },
	}
	opt.roster.Add(c)
	opt.brief.add(c)
	opt.run.add(c)
	f := c.Flags()
	f.StringArrayVar(&opt.evidence, "evidence", nil, "a file that every agent is given; cited as EV-001, EV-002, …; repeatable")
	f.StringArrayVar(&opt.via, "via", nil, "how agents are reached ("+strings.Join(config.Vias(), ", ")+"), for all, or NAME=KIND,…")
	f.StringArrayVar(&opt.model, "model", nil, "the model's id where it is asked, for all, or NAME=ID,…")
	f.StringVar(&opt.script, "script", "", "a rehearsal of your own: scripted agents from this file")
	f.StringVar(&opt.module, "module", "", "the part of the project that it belongs to: its records are shown to the agents; the whole project if not given")
	opt.arbiterFlag(c)
	f.StringVar(&opt.ifExists, "if-exists", "", "with a --thread-id that exists: resume, fail or new (beside it)")
	f.BoolVar(&opt.dryRun, "dry-run", false, "compose and print everything; send nothing, write nothing")
	return c
}

// runFlags are the flags of everything that runs sessions.
type runFlags struct {
	traffic                      project.Traffic
	jsonStream, serveMail, watch bool
}

func (r *runFlags) add(c *cobra.Command) {
	f := c.Flags()
	for _, o := range config.RunFlags() {
		f.String(o.Name, "", o.Usage)
	}
	f.StringVar(&r.traffic.BaseURL, "base-url", "", "the address of the models' endpoint ["+project.EnvBaseURL+"]")
	f.StringVar(&r.traffic.Record, "record-tape", "", "write all traffic with models to this file, without secrets")
	f.StringVar(&r.traffic.Tape, "tape", "", "play the traffic with models from this file: no network, no cost")
	f.BoolVar(&r.serveMail, "serve-mail", false, "serve the project's mail while the session runs, for agents via mail")
	f.BoolVar(&r.jsonStream, "json-stream", false, "print every event as a line of JSON as it happens, the result last")
	f.BoolVar(&r.watch, "watch", false, "show on standard error what happens, with --json too; on unless --json or --quiet is given, and --watch=false turns it off")
}

// checkWatch refuses --watch where nothing is to be seen, or where it is seen otherwise.
func (r *runFlags) checkWatch(c *cobra.Command, a *ui.App) error {
	for _, o := range []struct {
		given bool
		name  string
	}{{a.Quiet && r.watch, "--quiet"}, {r.jsonStream, "--json-stream: every event is printed"}} {
		if o.given {
			if err := ui.Unused(c, "does not go with "+o.name, "watch"); err != nil {
				return err
			}
		}
	}
	return nil
}

// progress is how a run is shown: as --watch says, or as suits the other flags.
func (r *runFlags) progress(c *cobra.Command, a *ui.App) project.Watch {
	switch {
	case !c.Flags().Changed("watch"):
		return progressFor(a, r.jsonStream)
	case r.watch:
		return forPeople(a)
	}
	return project.Watch{}
}

// keys are the keys of the configuration that the flags set.
func (r *runFlags) keys(c *cobra.Command) []config.Flag {
	var flags []config.Flag
	for _, f := range append(config.RunFlags(), config.RunFlag{Key: "agents.base_url", Name: "base-url"}) {
		if o := c.Flags().Lookup(f.Name); o.Changed {
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
	for _, v := range s.via {
		if !strings.Contains(v, "=") {
			flags = append(flags, config.Flag{Key: "via", Name: "--via", Values: []string{v}})
		}
	}
	if s.played != nil && !c.Flags().Changed("question") {
		flags = append(flags, config.Flag{Key: "question", Name: "--script", Values: []string{s.played.Question()}})
		if !c.Flags().Changed("context") { // the project's belongs to the project's question
			flags = append(flags, config.Flag{Key: "context", Name: "--script", Values: []string{""}})
		}
	}
	return flags
}

// ways are how the flags say that agents are reached.
func (s *startOptions) agents() *project.AgentOptions {
	return &project.AgentOptions{Via: s.via, Model: s.model, Scripted: s.script != ""}
}

func start(a *ui.App, c *cobra.Command, opt *startOptions) error {
	if !slices.Contains([]string{"", "resume", "fail", "new"}, opt.ifExists) {
		return ui.Usage(c, "--if-exists "+ui.Clean(opt.ifExists)+" is none of resume, fail, new", "")
	}
	if err := opt.run.checkWatch(c, a); err != nil {
		return err
	}
	if opt.dryRun {
		if err := ui.Unused(c, "does not go with --dry-run: nothing runs", "watch"); err != nil {
			return err
		}
	}
	if err := opt.readScript(a, c); err != nil {
		return err
	}
	k, err := compose(a, c, &opt.roster, &opt.brief, opt.keys(c)...)
	if err != nil {
		return err
	}
	if err := k.CheckQuorum(); err != nil {
		return err
	}
	if opt.dryRun {
		if err := k.ShowRecords(c.Context(), opt.module); err != nil {
			return err
		}
		doc := composedDocument{"brenner.session.plan/v1", true, k.ThreadID, k.Question, k.Roster, k.Messages}
		return ui.Show(a, doc, nil, func(*ui.App, composedDocument) string { return dryRunText(&k) })
	}
	evidence, err := evidence(a, opt.evidence)
	if err != nil {
		return err
	}
	j, err := k.Prepare(c.Context(), &project.StartOptions{
		Agents: *opt.agents(), Traffic: opt.run.traffic, Script: opt.played, AnyQuestion: c.Flags().Changed("via"), Module: opt.module, Evidence: evidence,
		ServeMail: opt.run.serveMail, IfExists: opt.ifExists, Chosen: opt.brief.threadID != "", Doing: ui.Doing(c),
	})
	if err != nil {
		return err
	}
	defer j.Close()
	exists, err := j.Open(c.Context())
	if err != nil {
		return err
	}
	if exists {
		if err := opt.sameSession(c, j.Source().Store, &j.Brief); err != nil {
			return err
		}
		j.Close() // it is run with its own parties, and has a tape and a mail server of its own
		return resume(a, c, j.Brief.Thread, &opt.run)
	}
	return runJob(a, c, &opt.run, j)
}

// evidence reads the files that every agent is given.
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

// sameSession refuses to go on with a session under another roster or question
// than it was opened with: what was asked for would silently not happen.
func (s *startOptions) sameSession(c *cobra.Command, st store.Store, b *session.Brief) error {
	h, err := session.Load(c.Context(), st, b.Thread)
	if err != nil {
		return err
	}
	o := &h.State.Opened
	given := func(names ...string) bool { return slices.ContainsFunc(names, c.Flags().Changed) }
	var differs string
	switch {
	case given("question") && project.PlainText(b.Question) != project.PlainText(o.Question):
		differs = "asks another question: " + o.Question
	case given("to", "role", "agent-role", "roster", "preset", "unified", "roster-mode") && string(artifact.Canonical(b.Roster.Value())) != string(o.Roster):
		differs = "has another roster"
	case given("script") && store.Hash(b.Script) != o.Rehearsal:
		differs = "plays another script"
	case given("evidence", "hypotheses", "constraints", "excerpt-file", "context"):
		differs = "has its brief already"
	default:
		return nil
	}
	return ui.Usage(c, b.Thread+" exists and "+ui.Clean(differs), "`brenner session resume "+b.Thread+"` goes on with it as it is; --if-exists new begins another one")
}

// readScript reads the user's own script. Its question is the session's, unless
// another one is given.
func (s *startOptions) readScript(a *ui.App, c *cobra.Command) error {
	if s.script == "" {
		return nil
	}
	for _, via := range s.via {
		if !strings.Contains(via, "=") && via != config.ViaRehearsal {
			return ui.Usage(c, "--script plays scripted agents, and --via "+ui.Clean(via)+" wants real ones", "--via NAME="+ui.Clean(via)+" reaches single agents for real")
		}
	}
	data, err := a.ReadFile("the script", s.script)
	if err != nil {
		return err
	}
	s.played, err = rehearsal.Parse(data)
	return fault.InFile("read the script", s.script, err)
}

// arbiterFlag adds the flag that names who is asked when a session is stuck.
func (s *startOptions) arbiterFlag(c *cobra.Command) {
	c.Flags().StringVar(&s.arbiter, "arbiter", "", "who rules when the session is stuck: NAME, NAME=KIND, NAME=KIND:MODEL or NAME=program:PROGRAM; no agent of the roster; empty: a person")
}

// runJob runs a session, shows what happens while it does, and then what it came to.
func runJob(a *ui.App, c *cobra.Command, run *runFlags, j *project.Job) error {
	ctx, drain, done := a.Interrupts.Gently(c.Context(), func() {
		a.Say("\nbrenner: waiting for the calls under way; once more stops at once. Nothing is lost: `brenner session resume` goes on\n")
	})
	defer done()
	// Whoever reads the output may go away; the session goes on.
	signal.Ignore(syscall.SIGPIPE)
	watch := run.progress(c, a)
	watch.Learned, watch.Drain = a.Learned(false), drain
	ended, err := j.Run(ctx, watch)
	if err != nil {
		return err
	}
	summary, err := audit.Summarise(context.WithoutCancel(ctx), ended.History, j.Source().Locks, "")
	if err != nil {
		return err
	}
	summary.Artifact = ended.Artifact
	a.Exit = exitOf(ended.Result, summary)
	summary.Exit = &a.Exit
	if run.jsonStream {
		return errors.Join(a.PrintJSON(summary), ended.Unpublished)
	}
	return errors.Join(ui.Show(a, summary, nil, summaryText), ended.Unpublished)
}

// exitOf translates the end of a run.
func exitOf(res *session.Result, s *audit.Summary) int {
	switch {
	case res.Reason == flow.EndInterrupted:
		return ui.ExitInterrupted
	case res.Reason == flow.EndBudget:
		return ui.ExitBudget
	case res.Reason == flow.EndLater:
		return ui.ExitLater
	case len(s.Conflicts) > 0, s.NeedsRuling():
		return ui.ExitPerson
	case len(res.Missing) > 0, res.Reason == flow.EndQuorum, res.Reason == flow.EndTime:
		return ui.ExitPartial
	}
	return 0
}

func sessionResumeCommand(a *ui.App) *cobra.Command {
	var run runFlags
	c := ui.InProject(&cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a session after a crash, an interrupt or a timeout",
		Long: `Goes on with a session where its journal ends. Nobody is asked again for what was
answered; calls that failed, or that were never heard of again, are made once more.
Who takes part, how they are reached, the rules and the script of a rehearsal are those
that the session was opened with.

Of the settings only those change that are given here as flags, and the deadlines, which
are those of the flags and of brenner.yaml as it is now. Every change is journaled.

A session that has ended is no fault: it says so, and shows where the session stands.`,
		Example: `  brenner session resume RS-20261115-cell-fate
  brenner session resume RS-20261115-cell-fate --rounds 5 --budget-tokens 1000000
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 done, or there was nothing left to do; 1 it could not be stored; 2 there is
no such session, or an agent cannot be reached; 3 done, but an agent did not answer;
4 a file wants what needs ` + "`brenner trust`" + `; 5 it has an open conflict or stalemate, or another process
holds the session; 6 the budget does not reach further; 75 too few answered, and they said when
to return; 130 interrupted.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return resume(a, c, args[0], &run) },
	})
	run.add(c)
	return c
}

func resume(a *ui.App, c *cobra.Command, arg string, run *runFlags) error {
	if err := run.checkWatch(c, a); err != nil {
		return err
	}
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return err
	}
	p, err := a.Open(run.keys(c)...)
	if err != nil {
		return err
	}
	o := &project.ResumeOptions{
		Traffic: run.traffic, ServeMail: run.serveMail, Doing: ui.Doing(c),
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

// nothingToResume shows a session that has come to its end: for whoever resumes
// all sessions each night that is as it should be.
func nothingToResume(a *ui.App, c *cobra.Command, j *project.Job, why error) error {
	if !a.Quiet {
		a.Say(ui.Clean(why.Error()) + "; " + ui.Clean(fault.HintOf(why)) + "\n")
	}
	return showStatus(c.Context(), a, j.Source(), j.History)
}
