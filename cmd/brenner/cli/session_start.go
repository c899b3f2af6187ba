package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
)

type startOptions struct {
	roster   rosterFlags
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
configuration is wrong; 3 done, but an agent did not answer; 4 a file wants what needs
` + "`brenner trust`" + `, or the mail server does not take the token; 5 done with an open conflict
or stalemate, or the session is held by another process; 6 the budget does not reach
further; 75 too few answered, and they said when to return, or the mail server cannot be
reached; 130 interrupted.`,
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
	f.StringVar(&opt.module, "module", "", "the part of the project that it belongs to: its records are shown to the agents; the whole project if not given")
	opt.arbiterFlag(c)
	f.StringVar(&opt.ifExists, "if-exists", "", "with a --thread-id that exists: resume, fail or new (beside it)")
	f.BoolVar(&opt.dryRun, "dry-run", false, "compose and print everything; send nothing, write nothing")
	return c
}

// runFlags are the flags of everything that runs sessions.
type runFlags struct {
	rounds, budget, usd, timeout string
	flow, quorum                 string
	traffic                      traffic
	jsonStream, serveMail, watch bool
}

func (r *runFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.rounds, "rounds", "", "how many rounds; brenner.yaml's, or 3, if not given")
	f.StringVar(&r.flow, "flow", "", "parallel, or staged: who has nothing to work on yet waits")
	f.StringVar(&r.quorum, "quorum", "", "how many answers a round needs: role, all, or a number")
	f.StringVar(&r.timeout, "timeout", "", "how long one call may take, such as 10m")
	f.StringVar(&r.budget, "budget-tokens", "", "tokens for the whole session; 0 is no limit")
	f.StringVar(&r.usd, "budget-usd", "", "dollars for the whole session; every model then needs a price")
	f.StringVar(&r.traffic.baseURL, "base-url", "", "the address of the models' endpoint ["+envBaseURL+"]")
	f.StringVar(&r.traffic.record, "record-tape", "", "write all traffic with models to this file, without secrets")
	f.StringVar(&r.traffic.tape, "tape", "", "play the traffic with models from this file: no network, no cost")
	f.BoolVar(&r.serveMail, "serve-mail", false, "serve the project's mail while the session runs, for agents via mail")
	f.BoolVar(&r.jsonStream, "json-stream", false, "print every event as a line of JSON as it happens, the result last")
	f.BoolVar(&r.watch, "watch", false, "show on standard error what happens, with --json too; on unless --json or --quiet is given, and --watch=false turns it off")
}

// checkWatch refuses --watch where nothing is to be seen, or where it is seen otherwise.
func (r *runFlags) checkWatch(c *cobra.Command, a *app) error {
	for _, o := range []struct {
		given bool
		name  string
	}{{a.quiet && r.watch, "--quiet"}, {r.jsonStream, "--json-stream: every event is printed"}} {
		if o.given {
			if err := unused(c, "does not go with "+o.name, "watch"); err != nil {
				return err
			}
		}
	}
	return nil
}

// progress is how a run is shown: as --watch says, or as suits the other flags.
func (r *runFlags) progress(c *cobra.Command, a *app) progress {
	switch {
	case !c.Flags().Changed("watch"):
		return a.progress(r.jsonStream)
	case r.watch:
		return a.forPeople()
	}
	return noProgress{}
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
		{"budget-usd", "budget.usd", r.usd},
		{"base-url", "agents.base_url", r.traffic.baseURL},
	} {
		if c.Flags().Changed(f.flag) {
			flags = append(flags, config.Flag{Key: f.key, Name: "--" + f.flag, Values: []string{f.value}})
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
func (s *startOptions) ways() *ways {
	return &ways{via: s.via, model: s.model, scripted: s.script != ""}
}

// unreachable says what is wrong with a number of answers that can never come from a roster;
// it is "" where they can.
func unreachable(quorum, roster string, agents int) (detail, hint string) {
	if n, err := strconv.Atoi(quorum); err == nil && n > agents {
		return fmt.Sprintf("a quorum of %d answers can never be reached: %s has %s", n, roster, count(agents, "agent")), "all means everybody"
	}
	return "", ""
}

func (a *app) start(c *cobra.Command, opt *startOptions) error {
	if !slices.Contains([]string{"", "resume", "fail", "new"}, opt.ifExists) {
		return usage(c, "--if-exists "+clean(opt.ifExists)+" is none of resume, fail, new", "")
	}
	if err := opt.run.checkWatch(c, a); err != nil {
		return err
	}
	if opt.dryRun {
		if err := unused(c, "does not go with --dry-run: nothing runs", "watch"); err != nil {
			return err
		}
	}
	if err := opt.readScript(a, c); err != nil {
		return err
	}
	k, err := a.compose(c, &opt.roster, &opt.brief, opt.keys(c)...)
	if err != nil {
		return err
	}
	if detail, hint := unreachable(k.config.Session.Quorum, "the roster", len(k.roster.Roster.Entries)); detail != "" {
		return usage(c, detail, hint)
	}
	if opt.dryRun {
		if err := a.showRecords(c.Context(), &k, opt.module); err != nil {
			return err
		}
		return a.show(dryRunResult(k))
	}
	parties, err := k.config.parties(opt.ways(), k.roster.Roster)
	if err != nil {
		return err
	}
	arbiter, err := arbiterParty(k.config, opt.script != "", parties)
	if err != nil {
		return err
	}
	script, err := k.config.rehearsalScript(opt.played, c.Flags().Changed("via"), everyone(parties, arbiter))
	if err != nil {
		return err
	}
	models, err := k.config.models(opt.run.traffic, everyone(parties, arbiter), k.config.Session.BudgetUSD)
	if err != nil {
		return err
	}
	defer models.close()
	b, err := a.briefOf(&k, opt.module, opt.evidence, parties, script)
	if err != nil {
		return err
	}
	if err := models.openPost(c.Context(), parties, opt.run.serveMail); err != nil {
		return err
	}
	b.Arbiter, b.Settings.Prices = arbiter, prices(k.config, everyone(parties, arbiter))
	return a.begin(c, opt, &k, b, models, script)
}

// begin opens the store and runs the session, under the name that it gets there.
func (a *app) begin(c *cobra.Command, opt *startOptions, k *composed, b session.Brief, models *models, script *rehearsal.Script) error {
	if b.Arbiter != nil { // one that cannot be made leaves no trace
		if _, err := models.agents(script, b.Agents)(*b.Arbiter); err != nil {
			return err
		}
	}
	st, err := k.config.openStore(c.Context())
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	exists, err := a.name(c.Context(), st, &b, opt)
	if err != nil {
		return err
	}
	if exists {
		if err := opt.sameSession(c, st, &b); err != nil {
			return err
		}
		models.close() // it is run with its own parties, and has a tape and a mail server of its own
		return a.resume(c, opt.roster.project, b.Thread, &opt.run)
	}
	job := a.job(c, models, st, script, b.Agents, &opt.run)
	return job.run(func(ctx context.Context, r *session.Runner) (string, *session.Result, error) {
		for n := 2; ; n++ {
			res, err := r.Start(ctx, b)
			// Somebody else may begin one of the same name at the same moment.
			taken := fault.CodeOf(err) == store.Held || fault.CodeOf(err) == session.Exists
			if !taken || opt.brief.threadID != "" && opt.ifExists != "new" || n > mostOfAName {
				return b.Thread, res, err
			}
			b.Thread = numbered(k.threadID, n)
		}
	})
}

// mostOfAName is how many sessions of one name are tried before it is given up.
const mostOfAName = 1000
