package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// BudgetNeeded is the code of a loop with a budget whose sessions have none.
const BudgetNeeded fault.Code = "SESSION_BUDGET_NEEDED" // The loop has a budget, and its sessions have none to reserve.

// PinnedPlan is a plan with all its references resolved, ready to open a loop.
type PinnedPlan struct {
	project *Project
	file    string
	plan    *loop.Plan
	opened  loop.Opened // without name and key
	blobs   [][]byte
	scripts map[string]*rehearsal.Script // of scripted agents, by their hashes
	parties []flow.Party                 // parties of all sessions
	reached map[[2]string][]flow.Party   // by roster and model
	specs   map[string]govern.Task       // of tasks that are not pinned, by id, without inputs that do not exist yet
	faults  planFaults
}

// PlanInput is a plan to read.
type PlanInput struct {
	File string // files it names are relative to it; "-" is standard input
	Data []byte
	// DryRun leaves the store unchanged. Otherwise an older store is upgraded.
	DryRun bool
	// BaseURL is the flag's value.
	BaseURL string
}

// ReadPlan reads a plan and looks up everything it names. It reports every mistake with its
// line, before anything starts.
func (p *Project) ReadPlan(ctx context.Context, in PlanInput) (*PinnedPlan, error) {
	plan, err := loop.Parse(in.Data)
	if err != nil {
		return nil, fault.InFile("read the plan", in.File, err)
	}
	l := &PinnedPlan{project: p, file: in.File, plan: plan}
	l.opened = loop.Opened{
		Program: thisProgram(), Plan: l.blob(in.Data), File: p.fromProject(in.File), Limits: plan.LimitsFrom(p.Now()), Deliver: p.reportReaders(),
	}
	if err := l.tasks(ctx, in.DryRun); err != nil {
		return nil, err
	}
	l.work()
	if err := l.bases(ctx, in.DryRun); err != nil {
		return nil, err
	}
	if l.faults.any() {
		return nil, l.faults.err(in.File)
	}
	err = l.nameAddresses(Traffic{BaseURL: in.BaseURL})
	return l, err
}

// fromProject returns the path of a file relative to the project's directory if it is below
// that: a loop may be resumed from another working directory. Other files have their
// absolute path, standard input has none.
func (p *Project) fromProject(file string) string {
	path, err := filepath.Abs(file)
	if file == "-" || err != nil {
		return ""
	}
	if within, err := filepath.Rel(p.Config.Project.Dir, path); err == nil && filepath.IsLocal(within) {
		return filepath.ToSlash(within)
	}
	return path
}

func (p *PinnedPlan) blob(data []byte) string {
	p.blobs = append(p.blobs, data)
	return store.Hash(data)
}

// wrong records a fault of a part of the plan.
func (p *PinnedPlan) wrong(what string, err error) { p.faults.add(p.plan.Line(what), err) }

// work looks up the contents of the plan.
func (p *PinnedPlan) work() {
	w := &p.opened.Work
	w.Models, w.Cells, w.Via, w.Follow, w.Rotate = p.plan.Models, p.plan.Cells(), p.plan.Via, p.plan.Follow, p.plan.Rotate
	w.Settings = p.settings()
	p.budgets()
	whole := true
	if p.plan.Script != "" {
		w.Script = p.script("script", p.plan.Script)
		whole = w.Script != ""
	}
	for i := range p.plan.Questions {
		w.Questions = append(w.Questions, p.question(i))
	}
	for i := range p.plan.Rosters {
		r, err := p.roster(&p.plan.Rosters[i])
		if err != nil {
			p.wrong(fmt.Sprintf("rosters[%d]", i), err)
			whole = false
			continue
		}
		p.checkQuorum(i, len(r.Entries))
		w.Rosters = append(w.Rosters, loop.Roster{ID: p.plan.Rosters[i].ID, Needs: p.plan.Rosters[i].Needs, Roster: jsontext.Value(artifact.Canonical(r.Value()))})
	}
	p.taskRosters()
	w.Index()
	if whole {
		p.checkParties()
	}
}

// settings returns the settings of each session: the configuration's, overridden by the
// plan's. Deadlines and prices are set when the session runs.
func (p *PinnedPlan) settings() flow.Settings {
	s, given := p.project.Config.Session, &p.plan.Session
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

// budgets rejects budgets that cannot be kept: a session's budget is reserved before it
// starts, so it must be known.
func (p *PinnedPlan) budgets() {
	l, s := &p.opened.Limits, &p.opened.Work.Settings
	switch {
	case l.Tokens > 0 && s.Budget == 0:
		p.wrong("budget.tokens", &fault.Error{Code: BudgetNeeded, Detail: "the loop has a budget, but its sessions have none", Hint: "set session_tokens: under budget:"})
	case l.Tokens > 0 && s.Budget > l.Tokens:
		p.wrong("budget.tokens", &fault.Error{
			Code: loop.InvalidValue, Detail: fmt.Sprintf("no session can start: each may spend %d tokens, all together %d", s.Budget, l.Tokens),
			Hint: "set session_tokens: under budget: (default: budget.tokens of the configuration)",
		})
	}
	switch {
	case l.USD > 0 && s.BudgetUSD == 0:
		p.wrong("budget.usd", &fault.Error{Code: BudgetNeeded, Detail: "the loop has a budget in dollars, but its sessions have none", Hint: "set session_usd: under budget:"})
	case l.USD > 0 && s.BudgetUSD > l.USD:
		p.wrong("budget.usd", &fault.Error{Code: loop.InvalidValue, Detail: "no session can start: each may spend more dollars than all together", Hint: "set session_usd: under budget:"})
	}
}

// script reads a script of scripted agents, and returns its hash, or "" on failure.
func (p *PinnedPlan) script(what, name string) string {
	data, err := p.planFile("the script", name)
	if err != nil {
		p.wrong(what, err)
		return ""
	}
	script, err := rehearsal.Parse(data)
	if err != nil {
		p.faults.other = append(p.faults.other, fault.InFile("read the script", p.planPath(name), err))
	}
	hash := p.blob(data)
	if p.scripts == nil {
		p.scripts = make(map[string]*rehearsal.Script)
	}
	p.scripts[hash] = script
	return hash
}

// question reads the files of a question.
func (p *PinnedPlan) question(i int) loop.Question {
	in := &p.plan.Questions[i]
	q := loop.Question{ID: in.ID, Question: in.Question, Context: in.Context, Hypotheses: in.Hypotheses, Constraints: in.Constraints}
	read := func(what, name string) string {
		data, err := p.planFile(what, name)
		if err == nil {
			err = CheckEvidence(what, name, data)
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
		q.Script = p.script(fmt.Sprintf("questions[%d].script", i), in.Script)
	}
	return q
}

// roster resolves one of the plan's rosters: the plan overrides everything, and the
// configuration supplies the rest.
func (p *PinnedPlan) roster(in *loop.PlanRoster) (roster.Roster, error) {
	origin := roster.Origin{Level: roster.Flags, Source: "the plan"}
	l := roster.Layer{Origin: origin, Preset: in.Preset, Mode: roster.Mode(in.Mode), Name: in.Name}
	for _, e := range in.Entries {
		l.Recipients = append(l.Recipients, e.Agent)
		l.Entries = append(l.Entries, roster.Entry{Agent: e.Agent, Role: roster.Role(e.Role), Program: e.Program, Model: e.Model, Notes: e.Notes})
	}
	res, err := roster.Resolve(p.project.Config.RosterInput(l))
	if err != nil {
		// The plan takes the place of flags.
		var all fault.List
		for _, f := range fault.Distinct(err) {
			own := *f
			own.Place = strings.TrimPrefix(strings.TrimPrefix(f.Place, origin.String()), ", ")
			all = append(all, &own)
		}
		return res.Roster, all.Err()
	}
	for i := range res.Warnings {
		res.Warnings[i].Place = strings.Replace(res.Warnings[i].Place, origin.String(), origin.Source, 1)
	}
	p.project.Warn(res.Warnings)
	return res.Roster, nil
}

// checkQuorum rejects a quorum larger than the roster.
func (p *PinnedPlan) checkQuorum(i, agents int) {
	at := fmt.Sprintf("rosters[%d]", i)
	if p.plan.Session.Quorum != "" {
		at = "session.quorum"
	}
	if detail, hint := unreachable(p.opened.Work.Settings.Quorum, "the roster "+p.plan.Rosters[i].ID, agents); detail != "" {
		p.wrong(at, &fault.Error{Code: loop.InvalidValue, Detail: detail, Hint: hint})
	}
}

// checkParties checks how each agent of each session is reached.
func (p *PinnedPlan) checkParties() {
	w := &p.opened.Work
	p.reached = make(map[[2]string][]flow.Party)
	for i := range w.Cells {
		c := &w.Cells[i]
		kind := [2]string{c.Roster, c.Model}
		_, seen := p.reached[kind]
		if t, _ := w.Task(c.Task); seen || c.Task != "" && t.Role == "" { // the task spec was not found
			continue
		}
		p.reached[kind] = nil
		r, err := w.RosterOf(c, 0)
		if err != nil {
			p.faults.other = append(p.faults.other, err)
			continue
		}
		parties, err := p.project.loopParties(w, c, r)
		if err != nil {
			at := fmt.Sprintf("rosters[%d]", slices.IndexFunc(w.Rosters, func(r loop.Roster) bool { return r.ID == c.Roster }))
			if c.Task != "" {
				at = fmt.Sprintf("tasks[%d]", i-len(w.Cells)+len(w.Tasks))
			}
			if m := slices.IndexFunc(w.Models, func(m loop.PlanModel) bool { return m.ID == c.Model }); m >= 0 {
				at = fmt.Sprintf("models[%d]", m)
			}
			p.wrong(at, err)
			continue
		}
		p.reached[kind] = parties
		var arbiter *flow.Party // a task has none
		if c.Task == "" {
			arbiter, err = p.project.arbiter(w.Script != "", parties)
		}
		if err != nil {
			p.faults.other = append(p.faults.other, err)
			continue
		}
		p.parties = append(p.parties, flow.WithArbiter(parties, arbiter)...)
		if pinned, ok := loop.Pin(c, parties, arbiter); ok {
			p.opened.Ways = append(p.opened.Ways, pinned)
		}
	}
}

// loopParties returns how each agent is reached. A loop never rehearses by default: it runs
// unattended, and scripted replies would pass for real ones.
func (p *Project) loopParties(w *loop.Work, c *loop.Cell, r roster.Roster) ([]flow.Party, error) {
	m, _ := w.Model(c.Model)
	o := AgentOverride{Via: cmp.Or(m.Via, w.Via), ModelID: m.ModelID, Seed: c.Seed}
	var parties []flow.Party
	var missing []string
	for _, e := range r.Entries {
		party := p.Party(e, o)
		if party.Via == "" || party.Via == config.ViaRehearsal && w.Script == "" {
			missing = append(missing, e.Agent)
		}
		parties = append(parties, party)
	}
	if len(missing) > 0 && m.ID != "" {
		return nil, p.noWayTo(&m)
	}
	if len(missing) > 0 {
		return nil, &fault.Error{
			Code: NoWay, Detail: "no model for " + strings.Join(missing, ", ") + "; a loop does not rehearse by default",
			Hint: "list models: in the plan, or in the roster with agents.models: in " + config.FileName + "; for a test, set via: rehearsal and script: in the plan",
		}
	}
	if c.Task != "" && anyVia(parties, config.ViaMail) {
		return nil, &fault.Error{Code: NoWay, Detail: "a task cannot be done via mail", Hint: "use via: openai or program"}
	}
	return parties, checkVias(parties)
}

// noWayTo returns the error for a model that cannot be reached.
func (p *Project) noWayTo(m *loop.PlanModel) error {
	hint := "set its via: and model_id: in the plan, or list it under agents.models: in " + config.FileName
	var known []string
	for i := range p.Config.Models {
		known = append(known, p.Config.Models[i].Model)
	}
	if len(known) > 0 {
		hint += " (known: " + strings.Join(known, ", ") + ")"
	}
	return &fault.Error{
		Code: NoWay, Detail: "no way to reach the model " + fault.Shown(cmp.Or(m.Model, m.ModelID)) + "; a loop does not rehearse by default", Hint: hint,
	}
}

// planFaults collects the faults of a plan, to report all of them together.
type planFaults struct {
	lines fault.List // in the plan itself
	other []error    // in files that it names, and in the configuration
}

// add records a fault in a line of the plan.
func (f *planFaults) add(line int, err error) {
	if err == nil {
		return
	}
	for _, one := range fault.Distinct(err) {
		at := *one
		at.File, at.Line, at.Column, at.Place = "", line, 0, one.Where()
		f.lines = append(f.lines, &at)
	}
}

func (f *planFaults) any() bool { return len(f.lines)+len(f.other) > 0 }

// err returns all faults, in the order of the plan's lines.
func (f *planFaults) err(file string) error {
	loop.SortByLine(f.lines)
	return errors.Join(append([]error{fault.InFile("read the plan", file, f.lines.Err())}, f.other...)...)
}

// bases checks that every stored session that the plan follows exists. It does not create
// a store.
func (p *PinnedPlan) bases(ctx context.Context, dryRun bool) error {
	first := make(map[string]int) // by session: the first cell that follows it
	var order []string
	for i := range p.opened.Work.Cells {
		after := p.opened.Work.Cells[i].After
		if _, known := first[after]; !known && artifact.IsThreadID(after) {
			first[after], order = i, append(order, after)
		}
	}
	if len(order) == 0 {
		return nil
	}
	st, err := p.project.openPlan(ctx, dryRun)
	switch {
	case fault.CodeOf(err) == store.NoStore:
		for _, thread := range order {
			p.faults.add(p.plan.SessionLine(first[thread]), &fault.Error{
				Code: session.NoSession, Detail: "no session " + thread, Hint: "this project has no sessions yet",
			})
		}
		return nil
	case err != nil:
		return err
	}
	defer p.project.CloseStore(st)
	for _, thread := range order {
		src := p.project.Source(st, thread)
		if dryRun {
			src.Project = nil // leaves the artifact files
		}
		_, err := src.Load(ctx)
		p.faults.add(p.plan.SessionLine(first[thread]), err)
	}
	return nil
}
