package project

import (
	"context"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session/flow"
	"brenner/store"
)

// LoopPreview is what running a plan would do.
type LoopPreview struct {
	Schema      string           `json:"schema"`
	DryRun      bool             `json:"dry_run"`
	Loop        string           `json:"loop"`
	Does        string           `json:"does"`
	Rehearsal   bool             `json:"rehearsal"`
	Rounds      int              `json:"rounds"`
	Planned     int              `json:"planned"` // sessions in all rounds
	Done        int              `json:"done"`    // of those, already done
	Concurrency int              `json:"concurrency"`
	Share       int              `json:"session_tokens"` // reserved for each; 0 means no limit
	ShareUSD    float64          `json:"session_usd"`
	TokensLimit int              `json:"tokens_budget"`
	USDLimit    float64          `json:"usd_budget"`
	Until       string           `json:"until"`
	Deliver     []string         `json:"report_to"`
	Sessions    []PreviewSession `json:"sessions"` // of one round

	Estimate *LoopEstimate `json:"estimate,omitempty"` // if asked for

	ShareNano int64 `json:"-"` // ShareUSD in billionths of a dollar
	LimitNano int64 `json:"-"` // USDLimit in billionths of a dollar
}

// PreviewSession is a session of every round.
type PreviewSession struct {
	Name     string         `json:"name"`
	Question string         `json:"question"`
	Roster   string         `json:"roster"`
	Model    string         `json:"model"`
	Seed     *int           `json:"seed"` // null means none
	After    string         `json:"after"`
	Agents   []PreviewAgent `json:"agents"`
	// Task is what a task says. Inputs are its inputs, without the records of the tasks in Results.
	Task    string   `json:"task,omitempty"`
	Inputs  []string `json:"inputs,omitempty"`
	Results []string `json:"results,omitempty"`
}

// PreviewAgent is an agent of a session.
type PreviewAgent struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Via     string `json:"via"`
	ModelID string `json:"model_id"`
}

// What running a plan would do with its loop.
const (
	WouldBegin   = "begin"
	WouldGoOn    = "go_on"
	WouldEnd     = "end"
	WouldDeliver = "make_up" // only the pending report
	WouldNothing = "nothing"
)

// PreviewLoop returns what running a plan would do. It sends no message, and writes nothing.
func (p *Project) PreviewLoop(ctx context.Context, plan *PinnedPlan, o LoopOptions) (*LoopPreview, error) {
	search, err := plan.search(&o)
	if err != nil {
		return nil, err
	}
	name, state, err := p.peekLoop(ctx, search)
	if err != nil {
		return nil, err
	}
	pins, err := plan.pins(state, &o)
	if err != nil {
		return nil, err
	}
	models, err := plan.openModels(&pins, &o)
	if err != nil {
		return nil, err
	}
	defer models.Close()
	if err := p.checkDelivery(); err != nil {
		return nil, err
	}
	if state == nil {
		models.chooseLoopKickoffs(ctx, &pins)
	}
	w, l := &plan.opened.Work, plan.opened.Limits
	if state != nil {
		l = plan.plan.LimitsOnResume(state, l)
	}
	v := &LoopPreview{
		Schema: "brenner.loop.preview/v1", DryRun: true, Loop: name, Does: WouldBegin, Rehearsal: w.Script != "",
		Rounds: l.Rounds, Planned: l.Rounds*(len(w.Cells)-len(w.Tasks)) + len(w.Tasks), Concurrency: l.Concurrency,
		Share: w.Settings.Budget, ShareUSD: flow.Dollars(w.Settings.BudgetUSD), TokensLimit: l.Tokens, USDLimit: flow.Dollars(l.USD),
		Until: l.Until, Deliver: append([]string{}, p.reportReaders()...),
		ShareNano: w.Settings.BudgetUSD, LimitNano: l.USD, Sessions: plan.previewSessions(),
	}
	if state != nil {
		v.Done, v.Does = state.Count(loop.Finished), p.wouldDo(state, &o, l.Until)
	}
	if state != nil && !o.Estimate {
		return v, nil
	}
	e, err := plan.estimateLoop(ctx, models, &pins, &l, state == nil && !o.NoPreflight)
	if o.Estimate {
		v.Estimate = e
	}
	return v, err
}

// wouldDo returns what would happen to an existing loop.
func (p *Project) wouldDo(s *loop.State, o *LoopOptions, stopAt string) string {
	until, err := artifact.ParseInstant(stopAt)
	ended := s.Ended != "" && !s.StoppedEarly() && !o.resumes()
	switch {
	case ended && p.pendingReport(s).Any():
		return WouldDeliver
	case ended:
		return WouldNothing
	case s.Ended == "" && s.Stopping != "", err == nil && !p.Now().Before(until):
		return WouldEnd
	}
	return WouldGoOn
}

// FindLoop finds the loop that a plan would continue; the state is nil if there is none. It fails with store.Held, and returns
// the loop, if a process runs it.
func (p *Project) FindLoop(ctx context.Context, plan *PinnedPlan, key string) (name string, s *loop.State, err error) {
	search, err := plan.search(&LoopOptions{Key: key})
	if err != nil {
		return "", nil, err
	}
	return p.peekLoop(ctx, search)
}

// peekLoop finds the plan's loop, without creating a store.
func (p *Project) peekLoop(ctx context.Context, search *runner.Search) (string, *loop.State, error) {
	st, err := p.OpenUnchanged(ctx)
	switch {
	case fault.CodeOf(err) == store.NoStore && search.Continue:
		return "", nil, search.NothingToContinue()
	case fault.CodeOf(err) == store.NoStore:
		return search.Name, nil, nil
	case err != nil:
		return "", nil, err
	}
	defer p.CloseStore(st)
	name, state, err := search.Find(ctx, st)
	if err != nil || state == nil {
		return name, nil, err
	}
	holder, held, err := st.HolderOf(runner.Lock(name))
	if err == nil && held {
		err = store.HeldBy(st, runner.Lock(name), holder) // the same error as for a run
	}
	return name, state, err
}

// previewSessions returns the sessions of a round, with the agents of each.
func (p *PinnedPlan) previewSessions() []PreviewSession {
	all := make([]PreviewSession, 0, len(p.opened.Work.Cells))
	for _, c := range p.opened.Work.Cells {
		s := PreviewSession{Name: (&loop.Job{Cell: c}).Name(), Question: c.Question, Roster: c.Roster, Model: c.Model, Seed: c.Seed, After: c.After}
		if t, ok := p.opened.Work.Task(c.Task); ok {
			s.Task, s.Inputs, s.Results, s.After = t.Text, t.Inputs, t.Results, strings.Join(slices.Concat(t.Results, t.After), ", ")
		}
		for _, one := range p.reached[[2]string{c.Roster, c.Model}] {
			s.Agents = append(s.Agents, PreviewAgent{one.Name, one.Role, one.Via, one.ModelID})
		}
		all = append(all, s)
	}
	return all
}
