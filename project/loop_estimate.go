package project

import (
	"context"

	"brenner/internal/tokens"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/store"
	"brenner/store/memory"
)

// estimateLoop estimates the sessions of a round, and multiplies by the rounds.
func (p *PinnedPlan) estimateLoop(ctx context.Context, models *Models, l *loop.Limits) (*LoopEstimate, error) {
	st, err := p.project.openForPreview(ctx)
	if err != nil {
		return nil, err
	}
	defer p.project.CloseStore(st)
	pinned := memory.New() // the plan's files; nothing of it is kept
	if err := pinned.Write(ctx, store.Batch{Blobs: p.blobs}); err != nil {
		return nil, err
	}
	counter := tokens.New()
	r := p.project.runner(st, p.project.holder(""), counter)
	r.Project, r.Common = p.project.sessionRecords(st), &session.Common{}
	r.Memory = &lessonBook{Project: p.project, Store: st, Counter: counter, readOnly: true}
	sessions := &loopSessions{models: models, scripts: p.scripts, store: pinned}
	w := &p.opened.Work
	out := &LoopEstimate{Sessions: []SessionEstimate{}, Notes: []string{}}
	made := make(map[loop.Cell]*Estimate) // cells with the same parts cost the same
	round, priced := flow.Cost{}, true
	for _, c := range w.Cells {
		kind := loop.Cell{Question: c.Question, Roster: c.Roster, Model: c.Model}
		e := made[kind]
		if e == nil {
			if e, err = p.estimateCell(ctx, r, sessions, &c); err != nil {
				return nil, err
			}
			made[kind], out.Notes = e, e.Notes
		}
		cost := preflight.Capped(e.Worst, w.Settings.Budget, w.Settings.BudgetUSD)
		s := SessionEstimate{Name: (&loop.Job{Cell: c}).Name(), Input: e.Input, Output: e.Output, Tokens: cost.Tokens}
		if e.USD != nil {
			usd := flow.Dollars(cost.USD)
			s.USD = &usd
		}
		priced = priced && e.USD != nil
		round = round.Plus(cost)
		out.Sessions = append(out.Sessions, s)
	}
	out.Sum(round, priced, l.Rounds, flow.Cost{Tokens: l.Tokens, USD: l.USD})
	return out, nil
}

// estimateCell estimates one session of a round.
func (p *PinnedPlan) estimateCell(ctx context.Context, r *session.Runner, sessions *loopSessions, c *loop.Cell) (*Estimate, error) {
	w := &p.opened.Work
	entries, err := w.RosterOf(c, 0)
	if err != nil {
		return nil, err
	}
	parties, err := p.project.loopParties(w, c, entries)
	if err != nil {
		return nil, err
	}
	q, _ := w.Question(c.Question)
	b, err := sessions.brief(ctx, w, &q, entries, parties)
	if err != nil {
		return nil, err
	}
	if script := p.scripts[w.ScriptOf(&q)]; script != nil {
		b.Script = script.Source()
	}
	b.Thread, b.Settings.Prices = threadID(p.project.Now(), q.Question), p.project.prices(parties)
	opening, err := r.Preview(ctx, &b)
	if err != nil {
		return nil, err
	}
	return p.project.estimator(&b, parties, r.Tokens).Estimate(opening), nil
}
