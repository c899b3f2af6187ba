package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store"
)

// BudgetNeeded is the code of a loop with a budget whose sessions have none.
const BudgetNeeded fault.Code = "SESSION_BUDGET_NEEDED"

// planned is a plan with everything in it looked up: what a loop is opened with.
type planned struct {
	file   string
	plan   *loop.Plan
	config *Project
	opened loop.Opened
	blobs  [][]byte
	// scripts are those of scripted agents, by their hashes.
	scripts map[string]*rehearsal.Script
	// parties are those of all sessions, each once.
	parties []flow.Party
	// retry tells that sessions of the loop that failed are tried again.
	retry  bool
	faults faultyPlan
}

// readPlan reads a plan and looks up everything that it names. It says everything that
// is wrong, with the lines, before anything starts.
func (a *app) readPlan(ctx context.Context, file string, cfg *Project, open opener) (*planned, error) {
	data, err := a.readFile("the plan", file)
	if err != nil {
		return nil, err
	}
	plan, err := loop.Parse(data)
	if err != nil {
		return nil, inFile("read the plan", file, err)
	}
	p := &planned{file: file, plan: plan, config: cfg, opened: loop.Opened{Program: "brenner " + release}}
	p.opened.Plan, p.opened.File, p.opened.Deliver = p.blob(data), fromProject(cfg, file), readersOf(cfg)
	p.opened.Limits = plan.Limits
	p.opened.Limits.Until, p.opened.Limits.Stop = plan.StopAt(a.Now()), plan.StopWords()
	p.work(a)
	if err := p.bases(ctx, a, open); err != nil {
		return nil, err
	}
	if p.faults.any() {
		return nil, p.faults.err(file)
	}
	return p, nil
}

func (p *planned) blob(data []byte) string {
	p.blobs = append(p.blobs, data)
	return store.Hash(data)
}

// wrong takes what is wrong with a part of the plan.
func (p *planned) wrong(what string, err error) { p.faults.add(p.plan.Line(what), err) }

// work looks up what the plan is made of.
func (p *planned) work(a *app) {
	w := &p.opened.Work
	w.Models, w.Cells, w.Via, w.Follow, w.Rotate = p.plan.Models, p.plan.Cells(), p.plan.Via, p.plan.Follow, p.plan.Rotate
	w.Settings = p.settings()
	p.budgets()
	whole := true
	if p.plan.Script != "" {
		w.Script = p.script(a, "script", p.plan.Script)
		whole = w.Script != ""
	}
	for i := range p.plan.Questions {
		w.Questions = append(w.Questions, p.question(a, i))
	}
	for i := range p.plan.Rosters {
		r, err := p.roster(a, &p.plan.Rosters[i])
		if err != nil {
			p.wrong(fmt.Sprintf("rosters[%d]", i), err)
			whole = false
			continue
		}
		p.checkQuorum(i, len(r.Entries))
		w.Rosters = append(w.Rosters, loop.Roster{ID: p.plan.Rosters[i].ID, Roster: jsontext.Value(artifact.Canonical(r.Value()))})
	}
	w.Index()
	if whole {
		p.everybody()
	}
}

// settings are those of each session: the configuration's, and above them the
// plan's. Deadlines and prices are those of whoever runs the session.
func (p *planned) settings() flow.Settings {
	s, given := p.config.Session, &p.plan.Session
	s.Limits, s.Prices = flow.Times{}, nil
	for _, n := range []struct{ to, from *int }{{&s.Rounds, given.Rounds}, {&s.Reply, given.Reply}, {&s.QuietAfter, given.Quiet}, {&s.Budget, p.plan.Budget.Tokens}} {
		if n.from != nil {
			*n.to = *n.from
		}
	}
	for _, b := range []struct{ to, from *bool }{{&s.WhenClean, given.Clean}, {&s.Repair, given.Repair}} {
		if b.from != nil {
			*b.to = *b.from
		}
	}
	for _, t := range []struct {
		to   *string
		from string
	}{{&s.Flow, given.Flow}, {&s.Quorum, given.Quorum}} {
		if t.from != "" {
			*t.to = t.from
		}
	}
	if p.plan.Budget.USD != nil {
		s.BudgetUSD = *p.plan.Budget.USD
	}
	return s
}

// budgets refuses what cannot be kept: what a session may spend is set aside before
// it begins, so it has to be known.
func (p *planned) budgets() {
	l, s := &p.opened.Limits, &p.opened.Work.Settings
	switch {
	case l.Tokens > 0 && s.Budget == 0:
		p.wrong("budget.tokens", &fault.Error{Code: BudgetNeeded, Detail: "the loop has a budget, and its sessions have none", Hint: "write session_tokens: under budget:"})
	case l.Tokens > 0 && s.Budget > l.Tokens:
		p.wrong("budget.tokens", &fault.Error{
			Code: loop.InvalidValue, Detail: fmt.Sprintf("no session can begin: each may spend %d tokens, and all together %d", s.Budget, l.Tokens),
			Hint: "write session_tokens: under budget: (the configuration's budget.tokens holds otherwise)",
		})
	}
	switch {
	case l.USD > 0 && s.BudgetUSD == 0:
		p.wrong("budget.usd", &fault.Error{Code: BudgetNeeded, Detail: "the loop has a budget in dollars, and its sessions have none", Hint: "write session_usd: under budget:"})
	case l.USD > 0 && s.BudgetUSD > l.USD:
		p.wrong("budget.usd", &fault.Error{Code: loop.InvalidValue, Detail: "no session can begin: each may spend more dollars than all together", Hint: "write session_usd: under budget:"})
	}
}

// script reads a script of scripted agents, and gives its hash; "" where it is not known.
func (p *planned) script(a *app, what, name string) string {
	data, err := p.planFile(a, "the script", name)
	if err != nil {
		p.wrong(what, err)
		return ""
	}
	script, err := rehearsal.Parse(data)
	if err != nil {
		p.faults.other = append(p.faults.other, inFile("read the script", p.beside(name), err))
	}
	hash := p.blob(data)
	if p.scripts == nil {
		p.scripts = make(map[string]*rehearsal.Script)
	}
	p.scripts[hash] = script
	return hash
}

// question reads the files of a question.
func (p *planned) question(a *app, i int) loop.Question {
	in := &p.plan.Questions[i]
	q := loop.Question{ID: in.ID, Question: in.Question, Context: in.Context, Hypotheses: in.Hypotheses, Constraints: in.Constraints}
	read := func(what, name string) string {
		data, err := p.planFile(a, what, name)
		if err == nil {
			err = checkEvidence(what, name, data)
		}
		if err != nil {
			p.wrong(fmt.Sprintf("questions[%d]", i), err)
			return ""
		}
		return p.blob(data)
	}
	if in.Excerpt != "" {
		q.Excerpt = read("the excerpt", in.Excerpt)
	}
	for _, name := range in.Evidence {
		q.Evidence = append(q.Evidence, loop.Evidence{Name: filepath.Base(name), Hash: read("evidence", name)})
	}
	if in.Script != "" {
		q.Script = p.script(a, fmt.Sprintf("questions[%d].script", i), in.Script)
	}
	return q
}

// roster resolves one of the plan's rosters: the plan stands above everything, and
// the configuration fills in what it leaves open.
func (p *planned) roster(a *app, in *loop.PlanRoster) (roster.Roster, error) {
	origin := roster.Origin{Level: roster.Flags, Source: "the plan"}
	l := roster.Layer{Origin: origin, Preset: in.Preset, Mode: roster.Mode(in.Mode), Name: in.Name}
	for _, e := range in.Entries {
		l.Recipients = append(l.Recipients, e.Agent)
		l.Entries = append(l.Entries, roster.Entry{Agent: e.Agent, Role: roster.Role(e.Role), Program: e.Program, Model: e.Model, Notes: e.Notes})
	}
	res, err := roster.Resolve(p.config.RosterInput(l))
	if err != nil {
		// No flag was given: it is the plan that stands where flags do.
		var all fault.List
		for _, f := range faultsOf(err) {
			own := *f
			own.Place = strings.TrimPrefix(strings.TrimPrefix(f.Place, origin.String()), ", ")
			all = append(all, &own)
		}
		return res.Roster, all.Err()
	}
	for i := range res.Warnings {
		res.Warnings[i].Place = strings.Replace(res.Warnings[i].Place, origin.String(), origin.Source, 1)
	}
	p.config.Warn(res.Warnings)
	return res.Roster, nil
}

// checkQuorum refuses more answers than a roster has agents.
func (p *planned) checkQuorum(i, agents int) {
	at := fmt.Sprintf("rosters[%d]", i)
	if p.plan.Session.Quorum != "" {
		at = "session.quorum"
	}
	if detail, hint := unreachable(p.opened.Work.Settings.Quorum, "the roster "+p.plan.Rosters[i].ID, agents); detail != "" {
		p.wrong(at, &fault.Error{Code: loop.InvalidValue, Detail: detail, Hint: hint})
	}
}

// everybody checks how each agent of each session is reached.
func (p *planned) everybody() {
	w := &p.opened.Work
	seen := make(map[string]bool)
	for i := range w.Cells {
		c := &w.Cells[i]
		kind := c.Roster + "\n" + c.Model
		if seen[kind] {
			continue
		}
		seen[kind] = true
		r, err := rosterOfCell(w, c, 0)
		if err != nil {
			p.faults.other = append(p.faults.other, err)
			continue
		}
		parties, err := loopParties(p.config, w, c, r)
		if err != nil {
			at := fmt.Sprintf("rosters[%d]", slices.IndexFunc(w.Rosters, func(r loop.Roster) bool { return r.ID == c.Roster }))
			if m := slices.IndexFunc(w.Models, func(m loop.PlanModel) bool { return m.ID == c.Model }); m >= 0 {
				at = fmt.Sprintf("models[%d]", m)
			}
			p.wrong(at, err)
			continue
		}
		arbiter, err := arbiterParty(p.config, w.Script != "", parties)
		if err != nil {
			p.faults.other = append(p.faults.other, err)
			continue
		}
		p.parties = append(p.parties, everyone(parties, arbiter)...)
	}
}

// rosterOfCell gives who takes part in a session, with the model of the plan's list
// and roles as far rotated.
func rosterOfCell(w *loop.Work, c *loop.Cell, turn int) (roster.Roster, error) {
	pinned, _ := w.Roster(c.Roster)
	v, err := artifact.ParseValue(pinned.Roster, artifact.MaxDepth)
	if err != nil {
		return roster.Roster{}, err
	}
	r, _, err := roster.FromValue(v)
	if err != nil {
		return r, err
	}
	if m, _ := w.Model(c.Model); m.Model != "" {
		for i := range r.Entries {
			r.Entries[i].Model = m.Model
		}
	}
	return loop.Rotated(r, turn), nil
}

// loopParties says how each agent is reached. A loop never rehearses by itself:
// nobody watches it, and scripted answers would pass for real ones.
func loopParties(cfg *Project, w *loop.Work, c *loop.Cell, r roster.Roster) ([]flow.Party, error) {
	m, _ := w.Model(c.Model)
	var parties []flow.Party
	var missing []string
	for _, e := range r.Entries {
		reach := cfg.Reach(e.Model)
		p := flow.Party{Name: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model, Via: reach.Via, ModelID: reach.ID}
		if w.Via != "" {
			p.Via = w.Via
		}
		if m.Via != "" {
			p.Via = m.Via
		}
		if m.ModelID != "" {
			p.ModelID = m.ModelID
		}
		if p.Via == config.ViaOpenAI {
			p.Seed = reach.Seed
			if c.Seed != nil {
				p.Seed = c.Seed
			}
		}
		if p.Via == "" || p.Via == config.ViaRehearsal && w.Script == "" {
			missing = append(missing, e.Agent)
		}
		parties = append(parties, p)
	}
	if len(missing) > 0 && m.ID != "" {
		return nil, noWayTo(cfg, &m)
	}
	if len(missing) > 0 {
		return nil, &fault.Error{
			Code: NoWay, Detail: "nothing says which model answers for " + strings.Join(missing, ", ") + "; a loop plays no rehearsal by itself",
			Hint: "name models: in the plan, or in the roster with agents.models: in " + config.FileName + "; for a test write via: rehearsal and a script: into the plan",
		}
	}
	return parties, checkVias(parties)
}

// noWayTo says of a model that nothing says how it is reached.
func noWayTo(cfg *Project, m *loop.PlanModel) error {
	hint := "write via: and model_id: for it in the plan, or name it under agents.models: in " + config.FileName
	var known []string
	for i := range cfg.Models {
		known = append(known, cfg.Models[i].Model)
	}
	if len(known) > 0 {
		hint += " (there are " + strings.Join(known, ", ") + ")"
	}
	return &fault.Error{
		Code: NoWay, Detail: "nothing says how the model " + fault.Shown(cmp.Or(m.Model, m.ModelID)) + " is reached; a loop plays no rehearsal by itself", Hint: hint,
	}
}
