package project

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

// loopSessions prepares the sessions of a loop. All of them share the store, the transport
// and the limits of endpoints; each has its own allowance and its own mail.
type loopSessions struct {
	models  *Models
	scripts map[string]*rehearsal.Script // of scripted agents, by their hashes
	store   lockStore
	holder  store.Holder
	timeout time.Duration  // of each session; 0 is no limit
	common  session.Common // of all of them
	records session.Project
	lessons *lessonBook // what all of them are told and teach; nil for rehearsals
}

// loopPatience is how long a call of a loop may wait because its provider says so. A longer
// wait is the loop's: it is journaled and shown, and no other session begins meanwhile.
const loopPatience = time.Minute

// fork returns the way to models of one session.
func (m *Models) fork() *Models {
	return &Models{
		Project: m.Project, Transport: m.Transport, Counter: m.Counter, slots: m.slots, patience: loopPatience, offline: m.offline,
		Post: m.Project.postOffice("", m.Counter.Count),
	}
}

// prepare returns the session of a job, ready to run.
func (c *loopSessions) prepare(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
	p := c.models.Project
	r, err := w.RosterOf(&j.Cell, j.Turn)
	if err != nil {
		return nil, err
	}
	parties, err := p.loopParties(w, &j.Cell, r)
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
	if b.Arbiter, err = p.arbiter(script != nil, parties); err != nil {
		return nil, err
	}
	b.Settings.Prices = p.prices(flow.Everyone(parties, b.Arbiter))
	own := c.models.fork()
	run := &session.Runner{
		Store: c.store, Locks: c.store, Now: p.Now, Log: p.Log, Tokens: own.Counter, Allowance: &own.Allow, Deadline: c.timeout,
		Agent: own.Agents(script, flow.Everyone(parties, b.Arbiter)), Holder: c.holder, Project: c.records, Common: &c.common,
	}
	if slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaMail }) {
		run.Post = own.Post
	}
	if c.lessons != nil {
		run.Memory = c.lessons
	}
	return &runner.Session{Brief: b, Runner: run, Change: func(s *flow.Settings) {
		s.Limits, s.Prices = b.Settings.Limits, b.Settings.Prices
	}}, nil
}

// brief is what a session about a question is opened with.
func (c *loopSessions) brief(ctx context.Context, w *loop.Work, q *loop.Question, r roster.Roster, parties []flow.Party) (session.Brief, error) {
	p := c.models.Project
	b := p.briefFor(r, parties)
	b.Question, b.Context, b.Hypotheses, b.Constraints, b.Settings = q.Question, q.Context, q.Hypotheses, q.Constraints, w.Settings
	b.Settings.Limits = p.Config.Session.Limits
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

// wideTransport returns a transport that keeps as many connections to one endpoint as so
// many sessions use: the default one closes all but two idle connections.
func wideTransport(sessions int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 4 * sessions
	t.MaxIdleConns = max(t.MaxIdleConns, t.MaxIdleConnsPerHost)
	return t
}
