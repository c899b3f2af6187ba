// Package tryout asks models the kickoff of each role once, and reports what became of their
// replies. Each reply is that of a session of one round in memory: the code of sessions composes,
// asks, reads, repairs, merges and lints. Nothing is stored.
package tryout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/artifact/delta"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/store/memory"
)

// Options are what to try.
type Options struct {
	Models []string // ids at an endpoint, or names under agents.models
	Roles  []string // none means all but Unified
	// Input has the excerpt, the hypotheses and the constraints of the brief. Question and context
	// are those of the configuration; without a question, a sample is asked.
	Input      kickoff.Input
	Traffic    project.Traffic
	Structured string // how replies are requested; empty means as configured
	Kickoff    string // their form: auto, short or full; empty means as configured
	Repair     bool   // ask once more for what can be corrected
	Keep       string // directory for the replies; empty keeps none
	// Drain, when closed, stops new calls; calls in flight may end.
	Drain <-chan struct{}
	// Asking, if not nil, is called before the first call, and Ended after each row is complete.
	Asking func(*Estimate)
	Ended  func(*Row)
}

// Unified is the word for the prompt without roles.
const Unified = "unified"

// thread is that of every kickoff, so that equal prompts have equal bytes.
const thread = "RS-00000000-prompts-try"

// agents returns the names of the agents, in the order of the roles. A section that no role of a roster
// owns is open to all: so all roles are in it, and one agent is asked.
func agents() []string { return []string{"BlueLake", "GreenValley", "RedSky"} }

// Roles returns what can be tried.
func Roles() []string {
	var all []string
	for _, r := range roster.AllRoles() {
		all = append(all, string(r))
	}
	return append(all, Unified)
}

// Structures returns the ways to request replies.
func Structures() []string { return []string{openai.Fences, openai.Schema, openai.Auto} }

// Kickoffs returns the forms of kickoffs.
func Kickoffs() []string {
	return []string{config.KickoffAuto, config.KickoffShort, config.KickoffFull}
}

// tryout is a tryout in progress.
type tryout struct {
	Options
	project *project.Project // with the settings of a tryout
	budget  flow.Cost        // of all calls
	models  *project.Models
	retries *retries
	common  session.Common
	trials  []*trial
	report  *Report
}

// trial is one model in one role.
type trial struct {
	brief session.Brief
	party flow.Party
	row   *Row
	calls recorder
	lint  *Lint                // of the brief
	most  map[string]flow.Cost // of one attempt, by turn
}

// Plan returns what Run would ask, and what that costs at most. No message is sent, and nothing is written.
func Plan(ctx context.Context, p *project.Project, o *Options) (*Report, error) {
	unwritten := *o
	unwritten.Traffic = o.Traffic.Unwritten()
	t, err := prepare(ctx, p, &unwritten)
	if err != nil {
		return nil, err
	}
	defer t.models.Close()
	t.report.DryRun = true
	return t.report, nil
}

// Run asks all models at once, within the limits of their endpoints. A failed call is a row of the
// report. An error beside a report is about files.
func Run(ctx context.Context, p *project.Project, o *Options) (*Report, error) {
	t, err := prepare(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer t.models.Close()
	if err := t.checkBudget(); err != nil {
		return nil, err
	}
	if err := t.prepareKeep(); err != nil {
		return nil, err
	}
	failures := t.askAll(ctx)
	t.report.total()
	for _, one := range t.trials {
		t.report.Brief = cmp.Or(t.report.Brief, one.lint)
		failures = append(failures, one.calls.unkept)
	}
	return t.report, errors.Join(failures...)
}

// askAll runs all trials at the same time.
func (t *tryout) askAll(ctx context.Context) []error {
	if t.Asking != nil {
		t.Asking(&t.report.Estimate)
	}
	failures := make([]error, len(t.trials))
	var ended sync.Mutex
	var wait sync.WaitGroup
	for i, one := range t.trials {
		wait.Go(func() {
			failures[i] = t.run(ctx, one)
			ended.Lock()
			defer ended.Unlock()
			if t.Ended != nil {
				t.Ended(one.row)
			}
		})
	}
	wait.Wait()
	return failures
}

// prepare checks everything and composes the kickoffs. No message is sent.
func prepare(ctx context.Context, p *project.Project, o *Options) (*tryout, error) {
	own := *p.Config
	t := &tryout{
		Options: *o, project: &project.Project{Host: p.Host, Config: &own},
		budget: flow.Cost{Tokens: own.Session.Budget, USD: own.Session.BudgetUSD},
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	t.report = &Report{Schema: "brenner.prompts.try/v1", Rows: []*Row{}, Repair: o.Repair}
	t.configure()
	if err := t.compose(); err != nil {
		return nil, err
	}
	if err := t.checkKeep(); err != nil {
		return nil, err
	}
	var asked []flow.Party
	for i := 0; i < len(t.trials); i += len(t.trials) / len(t.Models) { // one of each model
		party := t.trials[i].party
		party.Name = t.trials[i].row.Model // in errors
		asked = append(asked, party)
	}
	var err error
	if t.models, err = t.project.OpenModels(o.Traffic, asked, t.budget.USD); err != nil {
		return nil, err
	}
	t.chooseKickoffs(ctx)
	if err := t.estimate(ctx); err != nil {
		t.models.Close()
		return nil, err
	}
	return t, nil
}

// check rejects what cannot be tried.
func (t *tryout) check() error {
	if len(t.Models) == 0 {
		return &fault.Error{
			Code: openai.NoModel, Detail: "no model to try",
			Hint: "pass --model ID: the id of a model at the endpoint, or its name under agents.models: in " + config.FileName,
		}
	}
	for _, f := range []struct {
		flag   string
		values []string
		known  []string // nil allows all
	}{
		{"--model", t.Models, nil},
		{"--role", t.Roles, Roles()},
		{"--structured", []string{cmp.Or(t.Structured, openai.Auto)}, Structures()},
		{"--kickoff", []string{cmp.Or(t.Kickoff, config.KickoffAuto)}, Kickoffs()},
	} {
		for i, v := range f.values {
			wrong := &fault.Error{Code: fault.Usage, Place: f.flag}
			switch {
			case v == "":
				wrong.Detail, wrong.Hint = "empty value", "separate several values by commas"
			case slices.Contains(f.values[:i], v):
				wrong.Detail, wrong.Hint = fault.Shown(v)+" is named twice", "each is asked once"
			case f.known != nil && !slices.Contains(f.known, v):
				wrong.Detail, wrong.Hint = "unknown value "+fault.Shown(v), cmp.Or(text.Suggest(v, f.known), "use one of "+strings.Join(f.known, ", "))
			default:
				continue
			}
			return wrong
		}
	}
	return nil
}

// configure sets one round, and the sample if there is no question.
func (t *tryout) configure() {
	c := t.project.Config
	s := &c.Session
	s.Rounds, s.Repair, s.Flow, s.Quorum = 1, t.Repair, flow.FlowParallel, flow.QuorumRole
	s.Budget, s.BudgetUSD = 0, 0 // they are for all calls together; see checkBudget and retries
	if c.Models = slices.Clone(c.Models); t.Kickoff != "" {
		for i := range c.Models {
			c.Models[i].Kickoff = t.Kickoff
		}
	}
	if delta.Blank(c.Question) {
		t.report.Sample = true
		c.Question = sampleQuestion
		c.Context = cmp.Or(c.Context, sampleContext)
		if len(t.Input.Hypotheses) == 0 {
			t.Input.Hypotheses = sampleHypotheses()
		}
	}
	t.report.Question = c.Question
}

// compose makes the trials.
func (t *tryout) compose() error {
	roles := t.Roles
	if len(roles) == 0 {
		roles = Roles()[:len(roster.AllRoles())]
	}
	for _, model := range t.Models {
		for _, role := range roles {
			one, err := t.trial(model, role)
			if err != nil {
				return err
			}
			one.calls.name = fmt.Sprintf("%02d-%s-%s", len(t.trials)+1, fileName(model), role)
			t.trials = append(t.trials, one)
			t.report.Rows = append(t.report.Rows, one.row)
		}
	}
	return nil
}

// trial composes the brief for a model in a role.
func (t *tryout) trial(model, role string) (*trial, error) {
	r, asked := rosterFor(model, role)
	in := t.Input
	in.ThreadID, in.Roster = thread, r
	p := t.project
	k, err := p.Compose(in, roster.Resolution{Roster: r})
	if err != nil {
		return nil, err
	}
	var parties []flow.Party
	for _, e := range r.Entries {
		party := p.Party(e, project.AgentOverride{Via: config.ViaOpenAI, ModelID: cmp.Or(p.Config.Reach(model).ID, model)})
		if t.Structured != "" {
			party.Way.Structured = t.Structured
		}
		parties = append(parties, party)
	}
	p.ConfigureKickoffs(parties) // no endpoint is asked: others are full
	one := &trial{party: parties[asked]}
	one.row = newRow(model, role, &one.party)
	one.brief, err = k.Brief("", nil, parties, nil)
	return one, err
}

// rosterFor returns the roster for a role, and the index of the agent that is asked.
func rosterFor(model, role string) (r roster.Roster, asked int) {
	r.Mode = roster.RoleSeparated
	if role == Unified {
		r.Mode = roster.Unified
	}
	for i, own := range roster.AllRoles() {
		r.Entries = append(r.Entries, roster.Entry{Agent: agents()[i], Role: own, Model: model})
		if string(own) == role {
			asked = i
		}
	}
	return r, asked
}

// runner returns a runner for a trial, with a store of its own.
func (t *tryout) runner(one *trial) *session.Runner {
	st := memory.New()
	p := t.project
	return &session.Runner{
		Store: st, Locks: st, Now: p.Now, Log: p.Log, Tokens: &p.Tokens, Common: &t.common, Drain: t.Drain,
		Agent: t.agents(one), Deadline: p.Config.Timeouts.Session,
	}
}

// agents returns a function that makes the agents of a trial. Those that are not asked have nothing to change.
func (t *tryout) agents(one *trial) func(flow.Party) (agent.Agent, error) {
	return func(p flow.Party) (agent.Agent, error) {
		if p.Name == one.party.Name {
			again := func(_ string, f *agent.Failure) bool { return t.retries.allow(one, f) }
			made, err := t.models.AgentsWithin(nil, []flow.Party{p}, again)(p)
			return one.calls.recorded(made), err
		}
		return agent.Func(func(context.Context, agent.Call) (agent.Reply, error) {
			return agent.Reply{Text: "NO CHANGES: not asked", Attempts: 1}, nil
		}), nil
	}
}

// chooseKickoffs sets the forms of the kickoffs: as told, or as a session would choose them.
func (t *tryout) chooseKickoffs(ctx context.Context) {
	asked := make([]flow.Party, len(t.trials))
	for i, one := range t.trials {
		asked[i] = one.party
		if t.Kickoff == config.KickoffShort {
			one.party.Way.Kickoff = flow.KickoffShort
		}
	}
	if t.Kickoff == "" || t.Kickoff == config.KickoffAuto {
		t.models.ChooseKickoffs(ctx, asked) // in their ways
	}
	for _, one := range t.trials {
		one.row.Kickoff, one.row.Context = config.KickoffFull, one.party.Way.Context
		if one.party.Way.Short() {
			one.row.Kickoff = config.KickoffShort
		}
	}
}

// estimate composes the kickoffs, and sets what all calls cost at most.
func (t *tryout) estimate(ctx context.Context) error {
	most := &t.report.Estimate
	priced := true
	for _, one := range t.trials {
		opening, err := t.runner(one).Preview(ctx, &one.brief, true)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(opening.Messages, func(m kickoff.Message) bool { return m.To == one.party.Name })
		m := &opening.Messages[at] // without stages, every agent has one
		one.row.Template, one.row.TemplateHash, one.row.Sent = m.Template, m.TemplateHash, opening.Tokens[at]
		e := preflight.Estimator{
			Settings: one.brief.Settings, Count: t.project.Tokens.Count, Parties: []flow.Party{one.party}, Free: func(*flow.Party) bool { return false },
		}
		cost := e.Estimate(opening)
		round, prices := &cost.Agents[0].Rounds[0], one.brief.Settings.Prices
		one.most = map[string]flow.Cost{
			flow.TurnAsk:    prices.Cost(one.party.Name, round.Input, cost.Reply),
			flow.TurnRepair: prices.Cost(one.party.Name, round.RepairInput, cost.Reply),
		}
		if most.Calls++; t.Repair {
			most.Calls++
		}
		most.Input, most.Output, most.worst = most.Input+cost.Input, most.Output+cost.Output, most.worst.Plus(cost.Worst)
		priced = priced && cost.USD != nil
	}
	if priced {
		usd := flow.Dollars(most.worst.USD)
		most.USD = &usd
	}
	most.Reply, most.Budget, most.BudgetUSD = t.project.Config.Session.Reply, t.budget.Tokens, flow.Dollars(t.budget.USD)
	most.Covered = most.worst.Within(t.budget)
	t.retries = &retries{budget: t.budget, worst: most.worst, failed: make(map[string]flow.Cost)}
	return nil
}

// run asks one model in one role. A failed call is no error.
func (t *tryout) run(ctx context.Context, one *trial) error {
	r := t.runner(one)
	one.calls.id = fmt.Sprintf("try/%d/%s/", t.project.Now().UnixNano(), one.calls.name)
	res, err := r.Start(ctx, one.brief)
	if err != nil {
		one.row.fail(err)
		return nil
	}
	return one.judge(context.WithoutCancel(ctx), res.History(r.Store))
}
