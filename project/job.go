package project

import (
	"cmp"
	"context"
	"errors"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/govern/shown"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/kickoff"
	"brenner/project/storage"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Job is a prepared run of one session: every fault of its agents is reported before
// anything is sent or written. Close it when done.
type Job struct {
	Brief session.Brief // of a new session
	// History is the session to resume; nil for a new one.
	History *session.History

	closers
	project *Project
	models  *Models
	script  *rehearsal.Script
	parties []flow.Party
	ways    []flow.NewWay // of a resumed session
	ended   error         // why a resumed session asks no agent
	store   storage.Store
	start   *StartOptions
	resume  *ResumeOptions
	doing   string
	base    string // the name of a new session, without a number
}

// StartOptions configure a new session.
type StartOptions struct {
	Agents  AgentOptions
	Traffic Traffic
	// Script is the user's own rehearsal; nil plays the built-in one if agents are
	// scripted. AnyQuestion plays the built-in one for any question.
	Script      *rehearsal.Script
	AnyQuestion bool
	Module      string // whose records agents are shown; empty means the entire project
	Evidence    []session.File
	ServeMail   bool // serve the project's mail during the session
	Estimate    bool // estimate the cost in a preview
	// IfExists is what to do if the thread id exists: "resume", "fail" or "new". The
	// default is "fail" for an id that was Chosen, and "new" for a generated one.
	IfExists string
	Chosen   bool
	Doing    string // shown to other processes that find the session locked
}

// sessionPlan is how a new session is opened: its brief, and how its agents are reached.
type sessionPlan struct {
	brief   session.Brief
	parties []flow.Party
	all     []flow.Party // with the arbiter
	script  *rehearsal.Script
	noWay   error // there is no way to some agents
}

// plan returns how the session is opened. A run and a dry run share it. With the error that there
// is no way to an agent, it still returns the plan.
func (k *Composed) plan(o *StartOptions) (*sessionPlan, error) {
	if err := checkQuorum(k.Project.Config.Session.Quorum, len(k.Roster.Roster.Entries)); err != nil {
		return nil, err
	}
	p := k.Project
	parties, noWay := p.Parties(&o.Agents, k.Roster.Roster)
	if noWay != nil && fault.CodeOf(noWay) != NoWay {
		return nil, noWay
	}
	arbiter, err := p.arbiter(o.Agents.Scripted, parties)
	if err != nil {
		return nil, err
	}
	out := &sessionPlan{all: flow.WithArbiter(parties, arbiter), noWay: noWay}
	if err := o.Traffic.reach(out.all); err != nil {
		return nil, err
	}
	if out.parties = out.all[:len(parties)]; arbiter != nil {
		arbiter = &out.all[len(parties)]
	}
	parties = out.parties
	p.ConfigureKickoffs(parties)
	if out.script, err = p.rehearsalScript(o.Script, o.AnyQuestion, out.all); err != nil {
		return nil, err
	}
	if out.brief, err = k.Brief(o.Module, o.Evidence, parties, out.script); err != nil {
		return nil, err
	}
	out.brief.Arbiter, out.brief.Settings.Prices = arbiter, p.prices(out.all)
	if err := cmp.Or(CheckMailboxes(parties), out.brief.CheckNames()); err != nil {
		return nil, err
	}
	return out, noWay
}

// open returns the plan with access to its agents, or everything that prevents the session from
// starting. Nothing is sent or written. The doctor calls it, too.
func (k *Composed) open(o *StartOptions) (*sessionPlan, *Models, error) {
	plan, err := k.plan(o)
	if err != nil {
		return nil, nil, err
	}
	models, err := k.Project.OpenModels(o.Traffic, plan.all, k.Project.Config.Session.BudgetUSD)
	if err != nil {
		return nil, nil, err
	}
	var failed error
	for _, party := range plan.all {
		if party.Via != config.ViaMail { // needs a server
			_, err := models.Agents(plan.script, plan.parties)(party)
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		models.Close()
		return nil, nil, failed
	}
	return plan, models, nil
}

// Prepare prepares a new session. No message is sent, and nothing is written yet.
func (k *Composed) Prepare(ctx context.Context, o *StartOptions) (_ *Job, err error) {
	plan, models, err := k.open(o)
	if err != nil {
		return nil, err
	}
	models.ChooseKickoffs(ctx, plan.parties)
	has, err := k.Project.HasStore(ctx)
	if err == nil && (!has || anyVia(plan.parties, config.ViaMail)) { // the session, or a store, is made before its first messages
		_, err = k.preview(ctx, o, plan, anyName)
	}
	if err != nil {
		models.Close()
		return nil, err
	}
	models.pinVersions(ctx, plan.brief.Agents, plan.brief.Arbiter)
	j := &Job{Brief: plan.brief, project: k.Project, models: models, script: plan.script, parties: plan.parties, start: o, doing: o.Doing, base: k.ThreadID}
	j.onClose(models.Close)
	defer j.closeOn(&err)
	if err := models.PrepareMail(ctx, plan.parties, o.ServeMail, serveMailFlag); err != nil {
		return nil, err
	}
	return j, nil
}

// Open opens the store and chooses the name of a new session.
func (j *Job) Open(ctx context.Context) error {
	if err := j.openStore(ctx); err != nil {
		return err
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

// ResumeOptions configure a resumed session.
type ResumeOptions struct {
	// Traffic with a BaseURL sends the models' calls to another endpoint from now on, Model
	// (as in AgentOptions) to other models. Both are journaled.
	Traffic   Traffic
	Model     []string
	ServeMail bool
	// BudgetUSD is the new budget in money, if any.
	BudgetUSD *int64
	// Change modifies the settings; nil changes nothing. Current prices apply.
	Change func(*flow.Settings)
	Doing  string
}

// PrepareResume prepares a session to be resumed.
func (p *Project) PrepareResume(ctx context.Context, thread string, o *ResumeOptions) (_ *Job, err error) {
	if _, err := p.Find(ctx, thread); err != nil {
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
	state := j.History.State
	settings := state.Settings
	if o.Change != nil {
		o.Change(&settings)
	}
	j.ended = session.CheckResumable(state, settings)
	j.parties = flow.WithArbiter(state.Agents, state.Arbiter)
	j.ways, err = p.reroute(j.parties, o)
	if code := fault.CodeOf(err); j.ended != nil && (err == nil || code == NoAddress || code == trust.Untrusted) {
		return j, nil
	}
	if err := cmp.Or(checkVias(j.parties), err, checkQuorum(settings.Quorum, len(state.Agents)), shown.CheckResumed(ctx, p.Records(j.store), state)); err != nil {
		return nil, err
	}
	j.parties = flow.Rerouted(j.parties, j.ways)
	if j.script, err = pinnedScript(ctx, j.History); err != nil {
		return nil, err
	}
	budget := state.Settings.BudgetUSD
	if o.BudgetUSD != nil {
		budget = *o.BudgetUSD
	}
	if j.models, err = p.OpenModels(o.Traffic, j.parties, budget); err != nil {
		return nil, err
	}
	j.onClose(j.models.Close)
	p.warnOfAddresses(j.parties, o.Traffic)
	j.models.sizeContexts(ctx, j.parties, j.ways)
	j.parties = flow.Rerouted(j.parties, j.ways)
	changed := j.models.newVersions(ctx, j.parties)
	j.ways, j.parties = append(j.ways, changed...), flow.Rerouted(j.parties, changed)
	return j, j.models.PrepareMail(ctx, j.parties, o.ServeMail, serveMailFlag, mailURLFlag+" URL")
}

// Moves reports whether the flags of a resumed session change how its agents are reached.
func (j *Job) Moves() bool {
	mailed := j.project.Config.Origin("mail.base_url").Source == mailURLFlag
	return len(j.ways) > 0 && (j.resume.Traffic.BaseURL != "" || len(j.resume.Model) > 0 || mailed)
}

// Source returns where the job's session is read from.
func (j *Job) Source() *Source { return j.project.Source(j.store, "") }

// Watch holds callbacks for a running session; any of them may be nil.
type Watch struct {
	Event   func(*journal.Entry, *flow.State)
	Tokens  func(call string, output int) // output tokens received so far
	Learned func(thread string, learned []string)
	Ended   func() // called after the last event
	Drain   <-chan struct{}
}

// RunResult is the result of a run.
type RunResult struct {
	Result   *session.Result
	History  *session.History
	Artifact string // the published file, if any
	// Unpublished is why the file could not be written. The session is stored.
	Unpublished error
}

// Run runs the session; a new one must have been opened. Replies are stored, whatever
// happens to the run.
func (j *Job) Run(ctx context.Context, w Watch) (*RunResult, error) {
	if j.ended != nil {
		if j.History.State.Opened.Rehearsal == "" {
			lessons := j.project.Learner(j.store)
			lessons.Learned = w.Learned
			lessons.CatchUp(ctx)
		}
		return nil, j.ended
	}
	defer j.models.shareSlots(j.store)()
	r := j.models.runner(j.store, j.project.holder(j.doing), j.script, j.parties)
	r.Project, r.Deadline = j.project.sessionRecords(j.store), j.project.Config.Timeouts.Session
	lessons := j.project.Learner(j.store)
	lessons.Learned = w.Learned
	r.Memory, r.Drain, r.Observe, j.models.Progress = lessons, w.Drain, w.Event, w.Tokens
	if j.script == nil { // rehearsals do not use the playbook
		lessons.CatchUp(ctx)
	}
	thread, res, err := j.play(ctx, r)
	if w.Ended != nil {
		w.Ended()
	}
	j.project.sweepRuns()
	if fault.CodeOf(err) == session.NotOpen { // another process has ended it since it was loaded
		if h, loading := session.Load(ctx, j.store, thread); loading == nil {
			j.History = h
		}
	}
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	h, err := session.Load(ctx, j.store, thread)
	if err != nil {
		return nil, err
	}
	lessons.Learn(ctx, h)
	out := &RunResult{Result: res, History: h}
	out.Artifact, out.Unpublished = j.project.Publish(ctx, h)
	return out, nil
}

// play starts or resumes the session.
func (j *Job) play(ctx context.Context, r *session.Runner) (string, *session.Result, error) {
	if j.History != nil {
		r.Ways = func(s *flow.State) []flow.NewWay { return changedWays(s, j.ways) }
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
		// Another process may start one of the same name at the same time.
		taken := fault.CodeOf(err) == store.Held && !errors.Is(err, session.ErrOvertaken) || fault.CodeOf(err) == session.Exists
		if !taken || j.start.IfExists == "resume" || j.start.Chosen && j.start.IfExists != "new" || n > maxSameName {
			return j.Brief.Thread, res, err
		}
		j.Brief.Thread = kickoff.NumberedThreadID(j.base, n)
	}
}

// maxSameName is how many numbered names are tried before giving up.
const maxSameName = 1000
