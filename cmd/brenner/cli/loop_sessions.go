package cli

import (
	"context"
	"net/http"
	"slices"
	"time"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// cast prepares the sessions of a loop: all of them share the store, the transport
// and the limits of endpoints; each has its own allowance and its own mail.
type cast struct {
	models *models
	// scripts are those of scripted agents, by their hashes.
	scripts map[string]*rehearsal.Script
	store   interface {
		store.Store
		store.Locks
	}
	holder  store.Holder
	timeout time.Duration  // of each session; 0 is no limit
	common  session.Common // of all of them
	records *projectRecords
	// lessons are what all of them are told and teach; nil for rehearsals.
	lessons *lessonBook
}

// loopPatience is how long a call of a loop may wait because its provider says so. A longer
// wait is the loop's: it is journaled and shown, and nobody else begins meanwhile.
const loopPatience = time.Minute

// fork gives one session its own way to models.
func (m *models) fork() *models {
	return &models{
		config: m.config, transport: m.transport, counter: m.counter, slots: m.slots, patience: loopPatience, offline: m.offline,
		post: m.config.postOffice("", m.counter.Count),
	}
}

// session prepares the session of a job.
func (c *cast) session(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
	cfg := c.models.config
	r, err := rosterOfCell(w, &j.Cell, j.Turn)
	if err != nil {
		return nil, err
	}
	parties, err := loopParties(cfg, w, &j.Cell, r)
	if err != nil {
		return nil, err
	}
	q, _ := w.Question(j.Cell.Question)
	script := c.scripts[w.ScriptOf(&q)]
	b, err := c.brief(ctx, w, &q, r, parties)
	if err != nil {
		return nil, err
	}
	if script != nil {
		b.Script = script.Source()
	}
	if b.Arbiter, err = arbiterParty(cfg, script != nil, parties); err != nil {
		return nil, err
	}
	b.Settings.Prices = prices(cfg, everyone(parties, b.Arbiter))
	own := c.models.fork()
	run := &session.Runner{
		Store: c.store, Locks: c.store, Now: c.models.config.Now, Log: c.models.config.Log, Tokens: own.counter, Allowance: &own.allow, Deadline: c.timeout,
		Agent: own.agents(script, everyone(parties, b.Arbiter)), Holder: c.holder, Project: c.records, Common: &c.common,
	}
	if slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail }) {
		run.Post = own.post
	}
	if c.lessons != nil {
		run.Memory = c.lessons
	}
	return &runner.Session{Brief: b, Runner: run, Change: func(s *flow.Settings) {
		s.Limits, s.Prices = b.Settings.Limits, b.Settings.Prices
	}}, nil
}

// brief is what a session about a question is opened with.
func (c *cast) brief(ctx context.Context, w *loop.Work, q *loop.Question, r roster.Roster, parties []flow.Party) (session.Brief, error) {
	cfg := c.models.config
	b := briefFor(cfg, r, parties)
	b.Question, b.Context, b.Hypotheses, b.Constraints, b.Settings = q.Question, q.Context, q.Hypotheses, q.Constraints, w.Settings
	b.Settings.Limits = cfg.Session.Limits
	b.Settings.Limits.Run = c.timeout.Milliseconds()
	if q.Excerpt != "" {
		data, err := c.store.Blob(ctx, q.Excerpt)
		if err != nil {
			return b, err
		}
		b.Excerpt = string(data)
	}
	for _, e := range q.Evidence {
		data, err := c.store.Blob(ctx, e.Hash)
		if err != nil {
			return b, err
		}
		b.Evidence = append(b.Evidence, session.File{Name: e.Name, Data: data})
	}
	return b, nil
}

// wider lets as many calls go to one endpoint at once as the sessions make: the
// usual transport closes all but two idle connections.
func wider(sessions int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 4 * sessions
	t.MaxIdleConns = max(t.MaxIdleConns, t.MaxIdleConnsPerHost)
	return t
}
