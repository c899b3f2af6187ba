package project

import (
	"context"
	"path"
	"reflect"
	"sync"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project/slots"
	"brenner/project/storage"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/memory"
	"brenner/store"
)

// NotShared is the code of a store that other machines cannot open.
const NotShared fault.Code = "STORE_NOT_SHARED" // Several machines need a store in a database.

// Fleet names what the machines that run sessions of a project share.
type Fleet struct {
	Project string // the project's name in its database
	Prompts string // hash of the prompts and rules of this program
}

// Fleet returns what the machines that run sessions of this project share. It fails unless the store is in a database.
func (p *Project) Fleet() (Fleet, error) {
	name := p.storagePlace().Name()
	if name == "" {
		return Fleet{}, &fault.Error{
			Code: NotShared, Detail: "the store is a file on this machine: " + p.StorePlace(),
			Hint: "set BRENNER_STORE to a PostgreSQL database; `brenner store copy` moves the project there",
		}
	}
	return Fleet{Project: name, Prompts: p.fleetPins().Prompts}, nil
}

// Needs returns what the rosters of loops that have not ended need of machines.
func (p *Project) Needs(ctx context.Context) (all []string, err error) {
	err = p.withLoops(ctx, func(st storage.Store) (err error) {
		all, err = runner.Needs(ctx, st)
		return err
	})
	if fault.CodeOf(err) == runner.NoLoop {
		err = nil
	}
	return all, err
}

// WorkerOptions configure a worker.
type WorkerOptions struct {
	Sessions int    // at most, concurrently
	Doing    string // shown to other processes that want a session
	// Began, if not nil, is called when a session begins here.
	Began func(thread string)
}

// Worker runs sessions and loops that other processes have begun, from the store alone. It writes no files, except
// the spool of programs.
type Worker struct {
	closers
	project  *Project
	options  WorkerOptions
	store    storage.Opened
	pins     *loop.Pins
	slots    *slots.Endpoints
	lessons  *memory.Learner
	follower *runner.Follower

	mu    sync.Mutex
	loops map[string]*placedSessions // by name
}

// placedSessions prepares the sessions of a loop as one of its runs reaches the agents.
type placedSessions struct {
	run int
	*loopSessions
}

// Worker opens the store for sessions that other processes have begun.
func (p *Project) Worker(ctx context.Context, o WorkerOptions) (*Worker, error) {
	at, err := p.storage()
	if err != nil {
		return nil, err
	}
	st, err := at.Open(ctx, storage.ToWork)
	if err != nil {
		return nil, err
	}
	w := &Worker{
		project: p, options: o, store: st, pins: p.fleetPins(), slots: &slots.Endpoints{}, lessons: p.Learner(st),
		follower: &runner.Follower{Store: st}, loops: make(map[string]*placedSessions),
	}
	w.onClose(func() { p.CloseStore(st) })
	w.onClose(w.slots.Wait)
	if at.Shared() {
		w.slots.Share(st, p.holder)
	}
	return w, nil
}

// Lacks returns, for each model and program of the configuration, why this machine cannot use it.
func (p *Project) Lacks() []error {
	var all []error
	check := func(party *flow.Party) {
		_, err := p.OpenModels(Traffic{}, []flow.Party{*party}, 0)
		if party.Via == config.ViaProgram && err == nil {
			_, err = p.Program(party)
		}
		if err != nil {
			all = append(all, err)
		}
	}
	for i := range p.Config.Models {
		name := p.Config.Models[i].Model
		if party := p.Party(roster.Entry{Agent: name, Model: name}, AgentOverride{}); party.Via == config.ViaOpenAI {
			check(&party)
		}
	}
	for _, entry := range p.Config.Programs {
		check(&flow.Party{Name: entry.Program, Program: entry.Program, Via: config.ViaProgram})
	}
	return all
}

// Advance runs a session of a loop from its current state; see runner.Runner.Advance. When drain is closed, calls in
// flight finish and no others start; a session that is not at its end then fails with Drained.
func (w *Worker) Advance(ctx context.Context, drain <-chan struct{}, name, thread string) error {
	p := w.project
	r := &runner.Runner{
		Store: w.store, Locks: w.store, Now: p.Now, Log: p.Log, Holder: p.holder(w.options.Doing), Pins: w.pins, Follower: w.follower, Drain: drain, Began: w.options.Began,
		Sessions: func(ctx context.Context, work *loop.Work, job *loop.Job) (*runner.Session, error) {
			sessions, err := w.sessionsOf(ctx, name)
			if err != nil {
				return nil, err
			}
			return sessions.prepare(ctx, work, job)
		},
	}
	if err := r.Advance(ctx, name, thread); err != nil {
		return err
	}
	return w.checkDrained(ctx, drain, thread)
}

// checkDrained returns an error if a session was interrupted because drain is closed.
func (w *Worker) checkDrained(ctx context.Context, drain <-chan struct{}, thread string) error {
	select {
	case <-drain:
	default:
		return nil
	}
	h, err := session.Load(ctx, w.store, thread)
	if err == nil && (h.State.Ended == "" || h.State.Ended == flow.EndInterrupted) {
		err = &fault.Error{Code: Drained, Detail: "the worker was stopped while it ran " + thread}
	}
	return err
}

// sessionsOf returns what prepares the sessions of a loop. Keys, programs and trust that this machine lacks are an error
// before any agent is asked.
func (w *Worker) sessionsOf(ctx context.Context, name string) (*loopSessions, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	have := w.loops[name]
	var made *placedSessions
	err := w.follower.Look(ctx, name, func(s *loop.State) error {
		if have != nil && have.run == s.Runs {
			made = have
			return nil
		}
		plan, err := w.project.storedPlan(ctx, w.store, s)
		if err != nil {
			return err
		}
		pins := &loopPins{reached: s.Ways, changed: !reflect.DeepEqual(s.Ways, s.Opened.Ways)}
		models, err := w.modelsOf(ctx, plan, pins)
		if err != nil {
			return err
		}
		models.slots = w.slots
		made = &placedSessions{s.Runs, plan.sessions(models, pins, w.store, w.project.holder(w.options.Doing), name)}
		if made.records = w.project.sessionRecords(w.store); plan.opened.Work.Script == "" {
			made.lessons = w.lessons
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(w.loops) >= mostLoops {
		clear(w.loops)
	}
	w.loops[name] = made
	return made.loopSessions, nil
}

// mostLoops is the number of loops from which on a worker prepares them again.
const mostLoops = 16

// modelsOf opens the models of a loop.
func (w *Worker) modelsOf(ctx context.Context, plan *PinnedPlan, pins *loopPins) (*Models, error) {
	models, err := plan.openModels(pins, &LoopOptions{})
	if err != nil {
		return nil, err
	}
	models.Transport = modelhttp.WideTransport(w.options.Sessions)
	err = models.PrepareMail(ctx, pins.parties(), false, mailURLFlag+" URL")
	return models, err
}

// storedPlan returns the plan of a loop as its journal has it, without the plan's file.
func (p *Project) storedPlan(ctx context.Context, st store.Store, s *loop.State) (*PinnedPlan, error) {
	data, err := st.Blob(ctx, s.Opened.Plan)
	if err != nil {
		return nil, err
	}
	plan, err := loop.Parse(data)
	if err != nil {
		return nil, fault.InFile("read the plan of loop "+s.Opened.Name, s.Opened.File, err)
	}
	l := &PinnedPlan{project: p, file: path.Base(s.Opened.File), plan: plan, opened: s.Opened, scripts: make(map[string]*rehearsal.Script)}
	l.opened.Work, l.opened.Limits = s.Work, s.Limits
	work := &l.opened.Work
	for i := range work.Questions {
		hash := work.ScriptOf(&work.Questions[i])
		if hash == "" || l.scripts[hash] != nil {
			continue
		}
		if data, err = st.Blob(ctx, hash); err == nil {
			l.scripts[hash], err = rehearsal.Parse(data)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// StoredLoop returns the loop of a name, locked by this process until the job is closed, from the store alone. With a key, it
// is the loop for that key of the same plan, which is new if there is none yet.
func (w *Worker) StoredLoop(ctx context.Context, name string, o LoopOptions) (job *LoopJob, err error) {
	p := w.project
	from, err := runner.Load(ctx, w.store, name)
	if err != nil {
		return nil, err
	}
	plan, err := p.storedPlan(ctx, w.store, from)
	if err != nil {
		return nil, err
	}
	j := &LoopJob{project: p, plan: plan, options: o, store: w.store, name: name, elsewhere: true}
	defer j.closeOn(&err)
	j.runner = p.loopRunner(w.store, &o)
	var release func()
	if o.Key == "" || o.Key == from.Opened.Key {
		if release, err = j.runner.Hold(name); err == nil {
			j.onClose(release)
			j.state, err = runner.Load(ctx, w.store, name)
		}
	} else if err = plan.renew(ctx, w.store, from); err == nil {
		var search *runner.Search
		if search, err = plan.search(&o); err == nil {
			j.name, j.state, release, err = j.runner.FindAndHold(ctx, search)
		}
		if err == nil {
			j.onClose(release)
		}
	}
	if err != nil {
		return nil, err
	}
	if j.pins, err = plan.pins(j.state, &o); err != nil {
		return nil, err
	}
	plan.parties = j.pins.parties()
	if j.models, err = w.modelsOf(ctx, plan, &j.pins); err != nil {
		return nil, err
	}
	j.onClose(j.models.Close)
	return j, p.checkDelivery()
}

// renew makes the plan of a loop that of another loop, which begins now.
func (p *PinnedPlan) renew(ctx context.Context, st store.Store, from *loop.State) error {
	o := &p.opened
	o.Program, o.Limits, o.Deliver, o.Preflight, o.Work, o.Ways = thisProgram(), p.plan.LimitsFrom(p.project.Now()), p.project.reportReaders(), nil, from.Opened.Work, from.Opened.Ways
	hashes := []string{o.Plan}
	for hash := range p.scripts {
		hashes = append(hashes, hash)
	}
	for i := range o.Work.Questions {
		q := &o.Work.Questions[i]
		hashes = append(hashes, q.Excerpt)
		for _, e := range q.Evidence {
			hashes = append(hashes, e.Hash)
		}
	}
	for _, hash := range hashes {
		if hash == "" {
			continue
		}
		data, err := st.Blob(ctx, hash)
		if err != nil {
			return err
		}
		p.blobs = append(p.blobs, data)
	}
	return nil
}

// Placing is a loop whose sessions run at a place.
type Placing struct {
	Loop string
	// Work is that of the loop when its run began. What is added later has the same rosters.
	Work *loop.Work
}

// Needs returns what the roster of a job needs of a machine; empty means nothing.
func (l *Placing) Needs(j *loop.Job) string {
	r, _ := l.Work.Roster(j.Cell.Roster)
	return r.Needs
}
