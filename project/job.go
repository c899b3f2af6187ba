package project

import (
	"context"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Job is a run of one session, prepared: whatever could be wrong with its agents is known
// before anything is sent or written. Close it in the end.
type Job struct {
	Brief session.Brief // of a session that is to start
	// History is the session that is to go on; nil for one that is to start.
	History *session.History

	closing
	project *Project
	models  *Models
	script  *rehearsal.Script
	parties []flow.Party
	store   lockStore
	start   *StartOptions
	resume  *ResumeOptions
	doing   string
	base    string // the name of a session that is to start, before a number
}

// StartOptions say how a session is started.
type StartOptions struct {
	Ways    Ways
	Traffic Traffic
	// Script is a rehearsal of the user's own; nil plays the built-in one, where agents
	// are scripted. ByHand plays that one to any question.
	Script    *rehearsal.Script
	ByHand    bool
	Module    string // whose records agents are shown; empty: those of the whole project
	Evidence  []session.File
	ServeMail bool // serve the mail of the project meanwhile
	// IfExists says what becomes of a thread id that is taken: "resume", "fail" or "new".
	// Empty is "fail" for one that was Chosen, and "new" for one that was made.
	IfExists string
	Chosen   bool
	Doing    string // what the process does, for others that find the session locked
}

// Prepare makes a job of a session that is to start. Nothing is sent or written yet.
func (k *Composed) Prepare(ctx context.Context, o *StartOptions) (_ *Job, err error) {
	if err := k.CheckQuorum(); err != nil {
		return nil, err
	}
	p := k.Project
	parties, err := p.Parties(&o.Ways, k.Roster.Roster)
	if err != nil {
		return nil, err
	}
	arbiter, err := p.arbiter(o.Ways.Scripted, parties)
	if err != nil {
		return nil, err
	}
	all := flow.WithArbiter(parties, arbiter)
	script, err := p.rehearsalScript(o.Script, o.ByHand, all)
	if err != nil {
		return nil, err
	}
	models, err := p.OpenModels(o.Traffic, all, p.Config.Session.BudgetUSD)
	if err != nil {
		return nil, err
	}
	j := &Job{project: p, models: models, script: script, parties: parties, start: o, doing: o.Doing, base: k.ThreadID}
	j.onClose(models.Close)
	defer j.closeOn(&err)
	b, err := k.Brief(o.Module, o.Evidence, parties, script)
	if err != nil {
		return nil, err
	}
	if err := models.OpenPost(ctx, parties, o.ServeMail); err != nil {
		return nil, err
	}
	b.Arbiter, b.Settings.Prices = arbiter, p.prices(all)
	if arbiter != nil { // one that cannot be made leaves no trace
		if _, err := models.Agents(script, parties)(*arbiter); err != nil {
			return nil, err
		}
	}
	j.Brief = b
	return j, nil
}

// Open opens the store and settles the name of a session that is to start. It reports
// whether that is an existing session, which is then to be resumed.
func (j *Job) Open(ctx context.Context) (exists bool, err error) {
	if err := j.openStore(ctx); err != nil {
		return false, err
	}
	return nameSession(ctx, j.store, &j.Brief, j.start.IfExists, j.start.Chosen)
}

func (j *Job) openStore(ctx context.Context) error {
	st, err := j.project.OpenStore(ctx)
	if err != nil {
		return err
	}
	j.store = st
	j.onClose(func() { j.project.CloseStore(st) })
	return nil
}

// ResumeOptions say how a session goes on.
type ResumeOptions struct {
	Traffic   Traffic
	ServeMail bool
	// BudgetUSD is the new budget in money, if it changes.
	BudgetUSD *int64
	// Change sets what changes of the settings; nil changes nothing. Prices are those of now.
	Change func(*flow.Settings)
	Doing  string
}

// PrepareResume makes a job of a session that is to go on.
func (p *Project) PrepareResume(ctx context.Context, thread string, o *ResumeOptions) (_ *Job, err error) {
	if err := p.MustHave(ctx, thread); err != nil {
		return nil, err
	}
	j := &Job{project: p, resume: o, doing: o.Doing}
	defer j.closeOn(&err)
	if err := j.openStore(ctx); err != nil {
		return nil, err
	}
	if j.History, err = session.Load(ctx, j.store, thread); err != nil {
		return nil, err
	}
	opened := &j.History.State.Opened
	j.parties = flow.WithArbiter(opened.Agents, opened.Arbiter)
	if err := checkVias(j.parties); err != nil {
		return nil, err
	}
	if j.script, err = pinnedScript(ctx, j.History); err != nil {
		return nil, err
	}
	budget := j.History.State.Settings.BudgetUSD
	if o.BudgetUSD != nil {
		budget = *o.BudgetUSD
	}
	if j.models, err = p.OpenModels(o.Traffic, j.parties, budget); err != nil {
		return nil, err
	}
	j.onClose(j.models.Close)
	return j, j.models.OpenPost(ctx, j.parties, o.ServeMail)
}

// Source returns where the session of a job is read.
func (j *Job) Source() *Source { return &Source{Store: j.store, Locks: j.store, Project: j.project} }

// Watch is told what happens while a session runs; any of it may be nil.
type Watch struct {
	Event   func(*journal.Entry, *flow.State)
	Tokens  func(call string, output int) // so much of an answer has come
	Learned func(thread string, learned []string)
	Ended   func() // the last event has been told
	Drain   <-chan struct{}
}

// Ended is what a run came to.
type Ended struct {
	Result   *session.Result
	History  *session.History
	Artifact string // the file for people; empty where there is none
	// Unpublished is why that file could not be written. The session is stored.
	Unpublished error
}

// Run runs the session; one that is to start must have been opened. What is answered is
// stored, whatever happens to the run.
func (j *Job) Run(ctx context.Context, w Watch) (*Ended, error) {
	r := j.models.runner(j.store, j.project.holder(j.doing), j.script, j.parties)
	r.Project, r.Deadline = j.project.sessionRecords(j.store), j.project.Config.Timeouts.Session
	lessons := &lessonBook{Project: j.project, Store: j.store, Counter: j.models.Counter, Tell: w.Learned}
	r.Memory, r.Drain, r.Observe, j.models.Progress = lessons, w.Drain, w.Event, w.Tokens
	if j.script == nil { // a rehearsal learns nothing, and teaches nothing
		lessons.catchUp(ctx)
	}
	thread, res, err := j.play(ctx, r)
	if w.Ended != nil {
		w.Ended()
	}
	j.models.Sweep()
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	h, err := session.Load(ctx, j.store, thread)
	if err != nil {
		return nil, err
	}
	lessons.learn(ctx, h)
	out := &Ended{Result: res, History: h}
	out.Artifact, out.Unpublished = j.project.Publish(ctx, h)
	return out, nil
}

// play starts the session, or goes on with it.
func (j *Job) play(ctx context.Context, r *session.Runner) (string, *session.Result, error) {
	if j.History != nil {
		res, err := r.Resume(ctx, j.History.Thread, func(s *flow.Settings) {
			if j.resume.Change != nil {
				j.resume.Change(s)
			}
			s.Prices = j.project.prices(j.parties)
		})
		return j.History.Thread, res, err
	}
	for n := 2; ; n++ {
		res, err := r.Start(ctx, j.Brief)
		// Another process may begin one of the same name at the same moment.
		taken := fault.CodeOf(err) == store.Held || fault.CodeOf(err) == session.Exists
		if !taken || j.start.Chosen && j.start.IfExists != "new" || n > mostOfAName {
			return j.Brief.Thread, res, err
		}
		j.Brief.Thread = numbered(j.base, n)
	}
}

// mostOfAName is how many sessions of one name are tried before giving up.
const mostOfAName = 1000
