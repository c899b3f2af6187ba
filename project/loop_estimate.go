package project

import (
	"context"
	"slices"

	"brenner/config"
	"brenner/govern/shown"
	"brenner/kickoff"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/store"
	"brenner/store/memory"
)

// estimateLoop estimates the sessions of a round, and multiplies by the rounds. With asks, the models
// are asked first. It returns an error if a first message is too large.
func (p *PinnedPlan) estimateLoop(ctx context.Context, models *Models, pins *loopPins, l *loop.Limits, asks bool) (*LoopEstimate, error) {
	st, err := p.project.openForPreview(ctx)
	if err != nil {
		return nil, err
	}
	defer p.project.CloseStore(st)
	pinned := memory.New() // the plan's files; nothing of it is kept
	if err := pinned.Write(ctx, store.Batch{Blobs: p.blobs}); err != nil {
		return nil, err
	}
	r := p.project.runner(st, p.project.holder(""))
	records := p.project.sessionRecords(st)
	r.Project, r.Common = records, &session.Common{}
	lessons := p.project.Learner(st)
	lessons.ReadOnly, r.Memory = true, lessons
	sessions := &loopSessions{models: models, pins: pins, scripts: p.scripts, store: pinned}
	w := &p.opened.Work
	out := &LoopEstimate{Sessions: []SessionEstimate{}, Notes: []string{}}
	made := make(map[loop.Cell]*Estimate) // cells with the same parts cost the same
	round, once, priced := flow.Cost{}, flow.Cost{}, true
	for _, c := range w.Cells {
		kind := loop.Cell{Question: c.Question, Roster: c.Roster, Model: c.Model, Task: c.Task}
		e := made[kind]
		if e == nil {
			if e, err = p.estimateCell(ctx, r, records, sessions, &c); err != nil {
				return nil, err
			}
			made[kind], out.Notes = e, e.Notes
		}
		set := w.Settings
		set.Prices = e.Prices
		cost := preflight.Capped(e.Worst, &set)
		if !e.Covered {
			out.Cut++
		}
		priced = priced && e.USD != nil
		if c.Task != "" {
			once = once.Plus(cost)
		} else {
			round = round.Plus(cost)
		}
		out.Sessions = append(out.Sessions, preflight.NewSessionEstimate((&loop.Job{Cell: c}).Name(), e.Input, e.Output, cost, e.USD != nil))
	}
	budget, asked := flow.Cost{Tokens: l.Tokens, USD: l.USD}, flow.Cost{}
	if asks {
		asked = p.estimatePreflight(models, out, budget)
		priced = priced && (out.Preflight == nil || out.Preflight.USD != nil)
	}
	out.Sum(asked.Plus(once), round, priced, l.Rounds, budget)
	if slices.ContainsFunc(w.Tasks, func(t loop.Task) bool { return len(t.Results) > 0 }) {
		out.Notes = append(slices.Clip(out.Notes), "the results of other tasks, which a task is shown, are not counted")
	}
	return out, nil
}

// estimatePreflight adds what asking the models first costs at most.
func (p *PinnedPlan) estimatePreflight(models *Models, out *LoopEstimate, budget flow.Cost) flow.Cost {
	probes, parties := models.probesOf(p.parties)
	reply := p.opened.Work.Settings.Reply
	models.fit(probes, parties, reply, budget)
	input, output := preflight.Most(p.project.Tokens.Count, reply)
	most, n, priced := flow.Cost{}, 0, true
	for i := range probes {
		if probes[i].Status == "" && probes[i].Via != config.ViaProgram {
			prices := p.project.prices(parties[i : i+1])
			most, n, priced = most.Plus(prices.Cost(parties[i].Name, input, output)), n+1, priced && len(prices) > 0
		}
	}
	if n > 0 {
		e := preflight.NewSessionEstimate("preflight", n*input, n*output, most, priced)
		out.Preflight = &e
	}
	return most
}

// estimateCell estimates one session of a round.
func (p *PinnedPlan) estimateCell(ctx context.Context, r *session.Runner, records *shown.Records, sessions *loopSessions, c *loop.Cell) (*Estimate, error) {
	w := &p.opened.Work
	entries, err := w.RosterOf(c, 0)
	if err != nil {
		return nil, err
	}
	parties, err := p.project.loopParties(w, c, entries)
	if err != nil {
		return nil, err
	}
	sessions.pins.pin(c, parties)
	q, _ := w.Question(c.Question)
	var b session.Brief
	if c.Task != "" {
		b, err = p.previewTask(ctx, records, sessions, c, entries, parties)
	} else {
		b, err = sessions.brief(ctx, w, &q, entries, parties)
	}
	if err != nil {
		return nil, err
	}
	if script := p.scripts[w.ScriptOf(&q)]; script != nil {
		b.Script = script.Source()
	}
	b.Thread, b.Settings.Prices = kickoff.NewThreadID(p.project.Now(), b.Question), p.project.prices(parties)
	opening, err := r.Preview(ctx, &b, true)
	if err != nil {
		return nil, err
	}
	return p.project.estimator(&b, parties).Estimate(opening), nil
}
