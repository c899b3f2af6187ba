package project

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"brenner/agent/rehearsal"
	"brenner/artifact/delta"
	"brenner/govern/shown"
	"brenner/internal/modelhttp"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/merge"
	"brenner/project/storage"
	"brenner/prompts"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/memory"
	"brenner/session/preflight"
	"brenner/store"
	"brenner/store/journal"
)

// LoopOptions configure the run of a loop.
type LoopOptions struct {
	Key   string // the plan runs once for each key; without one, a plan that has ended starts again
	GoOn  bool   // resume a loop although it has ended
	Retry bool   // resume, and retry failed and skipped sessions
	Doing string // shown to other processes that want the loop
	// BaseURL is the flag's value: other addresses for the agents of a loop that exists.
	BaseURL string
	// Observe, if not nil, is called with every entry of the loop's journal, in order, and
	// the state after it. It must not keep the state.
	Observe func(*journal.Entry, *loop.State)
	// Learned, if not nil, is called with what the playbook learned from a session.
	Learned  func(thread string, learned []string)
	Estimate bool // estimate the cost in a preview
	// NoPreflight starts a new loop without asking its models first. Asking, if not nil, is called
	// with the number of models and programs before that, and Preflight with their replies.
	NoPreflight bool
	Asking      func(int)
	Preflight   func([]ModelProbe)
	// Place, if not nil, returns where the sessions run; otherwise they run in this process.
	Place func(*Placing) runner.Place
	At    loop.At // the name of that place, and whether it runs the loop
}

func (o *LoopOptions) resumes() bool { return o.GoOn || o.Retry }

// LoopJob is a loop locked by this process.
type LoopJob struct {
	closers
	project *Project
	plan    *PinnedPlan
	pins    loopPins
	options LoopOptions
	models  *Models
	store   storage.Store
	runner  *runner.Runner
	name    string
	state   *loop.State // the stored state; nil for a new loop
	// elsewhere says that another machine requested the loop: its files are not written here.
	elsewhere bool
}

// LoopResult is the result of running a loop.
type LoopResult struct {
	*LoopSummary
	// Interrupted reports whether the loop stopped before its end, or before its report was
	// delivered.
	Interrupted bool `json:"-"`
	// Undelivered names the readers that the report did not reach.
	Undelivered error `json:"-"`
}

// Loop finds the loop of a plan, or a name for a new one, and locks it until the job is
// closed. No message is sent and no session starts before Run.
func (p *Project) Loop(ctx context.Context, plan *PinnedPlan, o LoopOptions) (job *LoopJob, err error) {
	search, err := plan.search(&o)
	if err != nil {
		return nil, err
	}
	j := &LoopJob{project: p, plan: plan, options: o}
	defer j.closeOn(&err)
	_, known, err := p.peekLoop(ctx, search)
	if err != nil {
		return nil, err
	}
	if j.pins, err = plan.pins(known, &o); err != nil {
		return nil, err
	}
	if j.models, err = plan.openModels(&j.pins, &o); err != nil {
		return nil, err
	}
	j.onClose(j.models.Close)
	p.warnOfAddresses(j.pins.parties(), Traffic{BaseURL: o.BaseURL})
	p.warnOfMail(j.pins.parties())
	j.models.Transport = modelhttp.WideTransport(plan.opened.Limits.Concurrency)
	if err := j.models.PrepareMail(ctx, plan.parties, false, mailURLFlag+" URL"); err != nil {
		return nil, err
	}
	if err := p.checkDelivery(); err != nil {
		return nil, err
	}
	if known == nil { // messages that are too large
		j.models.chooseLoopKickoffs(ctx, &j.pins)
		if _, err := plan.estimateLoop(ctx, j.models, &j.pins, &plan.opened.Limits, false); err != nil {
			return nil, err
		}
	}
	if j.store, err = p.OpenStore(ctx); err != nil {
		return nil, err
	}
	j.onClose(func() { p.CloseStore(j.store) })
	j.runner = p.loopRunner(j.store, &o)
	var release func()
	if j.name, j.state, release, err = j.runner.FindAndHold(ctx, search); err != nil {
		return nil, err
	}
	j.onClose(release)
	j.pins, err = plan.pins(j.state, &o) // with the lock
	return j, err
}

func (p *Project) loopRunner(st storage.Store, o *LoopOptions) *runner.Runner {
	return &runner.Runner{Store: st, Locks: st, Now: p.Now, Log: p.Log, Observe: o.Observe, Holder: p.holder(o.Doing), Pins: p.fleetPins(), At: o.At}
}

// fleetPins returns what this machine has of what must be equal on all machines that run sessions of a loop.
func (p *Project) fleetPins() *loop.Pins {
	const short = 8
	program := strings.Join([]string{prompts.Fingerprint(), merge.Version, string(delta.NewestReader), loop.Rules}, " ")
	return &loop.Pins{Config: p.Config.ResultsHash(), Prompts: store.Hash([]byte(program))[:short]}
}

// search returns how to find the loop of the plan.
func (p *PinnedPlan) search(o *LoopOptions) (*runner.Search, error) {
	name, err := p.plan.LoopName(filepath.Base(p.file), o.Key)
	if err != nil {
		return nil, err
	}
	return &runner.Search{
		Name: name, Key: o.Key, Continue: o.resumes(), Plan: &p.opened, File: p.file, Sessions: p.plan.Count(),
		Owed: func(s *loop.State) bool { return p.project.pendingReport(s).Any() },
	}, nil
}

// Name returns the name of the loop.
func (j *LoopJob) Name() string { return j.name }

// HasEnded reports whether the loop has ended and is not resumed: Run then runs no session,
// and only delivers a pending report.
func (j *LoopJob) HasEnded() bool {
	return j.state != nil && j.state.Ended != "" && !j.state.StoppedEarly() && !j.options.resumes()
}

// Pending returns what is still to be done about the loop's report.
func (j *LoopJob) Pending() PendingReport {
	if j.state == nil || j.state.Ended == "" {
		return PendingReport{}
	}
	pending := j.project.pendingReport(j.state)
	pending.Files = pending.Files && !j.elsewhere
	return pending
}

// Run runs the loop to its end, writes its report and delivers it. When drain is closed,
// calls in flight finish and nothing else starts; a nil channel is never closed. When the
// context ends, they are cancelled. Either way nothing is lost and the loop can be resumed.
func (j *LoopJob) Run(ctx context.Context, drain <-chan struct{}) (*LoopResult, error) {
	if j.HasEnded() {
		return j.deliverPending(ctx)
	}
	p, m := j.project, j.models
	defer m.shareSlots(j.store)()
	sessions := j.plan.sessions(m, &j.pins, j.store, j.runner.Holder, j.name)
	sessions.records = p.sessionRecords(j.store)
	if j.plan.opened.Work.Script == "" {
		sessions.lessons = p.Learner(j.store)
		sessions.lessons.Learned = j.options.Learned
		sessions.lessons.CatchUp(ctx)
	}
	j.runner.Sessions, j.runner.Drain = sessions.prepare, drain
	if j.options.Place != nil {
		j.runner.Place = j.options.Place(&Placing{Loop: j.name, Work: &j.plan.opened.Work})
	}
	j.runner.Finished = func(ctx context.Context, h *session.History) (err error) {
		if sessions.lessons != nil {
			sessions.lessons.Learn(ctx, h)
		}
		if !j.elsewhere {
			_, err = p.Publish(ctx, h)
		}
		return err
	}
	state, err := j.play(ctx)
	p.sweepRuns()
	if err != nil {
		return nil, err
	}
	return j.finish(ctx, state, p.reportReaders())
}

// play starts the loop, or resumes it under the plan's current limits.
func (j *LoopJob) play(ctx context.Context) (*loop.State, error) {
	if j.state == nil {
		opened := j.plan.opened
		opened.Name, opened.Key = j.name, j.options.Key
		var err error
		if opened.Preflight, err = j.preflight(ctx); err != nil {
			return nil, err
		}
		j.noteRun(1)
		return j.runner.Start(ctx, opened, j.plan.blobs)
	}
	j.noteRun(j.state.Runs + 1)
	return j.runner.Resume(ctx, j.name, func(s *loop.State) loop.Resumed {
		r := loop.Resumed{Retry: j.options.Retry, Repeat: j.options.Retry && len(s.Work.Tasks) > 0}
		if limits := j.plan.plan.LimitsOnResume(s, j.plan.opened.Limits); limits != s.Limits {
			r.Limits = &limits
		}
		if j.pins.changed {
			r.Ways = j.pins.reached
		}
		return r
	})
}

// noteRun notes that a run begins on this machine: in a team's store, others do not write its report.
func (j *LoopJob) noteRun(number int) {
	if j.project.Config.StoreAddress != "" && !j.elsewhere {
		j.project.reportDir(j.name).NoteRun(number)
	}
}

// preflight asks the models of a new loop before its first session. It returns an error if none can
// be asked and waiting would not help, or if it was interrupted; no loop is stored then.
func (j *LoopJob) preflight(ctx context.Context) (*loop.Preflight, error) {
	if j.options.NoPreflight {
		return nil, nil
	}
	probes, asked := j.models.probesOf(j.plan.parties)
	if len(probes) == 0 {
		return nil, nil
	}
	limits, reply := &j.plan.opened.Limits, j.plan.opened.Work.Settings.Reply
	n := j.models.fit(probes, asked, reply, flow.Cost{Tokens: limits.Tokens, USD: limits.USD})
	if j.options.Asking != nil {
		j.options.Asking(n)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-j.runner.Drain: // nothing is lost
			cancel()
		case <-ctx.Done():
		}
	}()
	j.models.askAll(ctx, probes, asked, reply, false)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if j.options.Preflight != nil {
		j.options.Preflight(probes)
	}
	if err := preflight.Check(probes); err != nil {
		return nil, err
	}
	out := &loop.Preflight{}
	spent := flow.Cost{}
	for i := range probes {
		r := &probes[i]
		spent = spent.Plus(r.Cost)
		out.LostTokens += r.Lost
		out.Probes = append(out.Probes, loop.Probe{Name: r.Name(), Status: r.Status, Code: r.Code, Found: r.Summary()})
	}
	out.Spent, out.SpentUSD = spent.Tokens, spent.USD
	return out, nil
}

// deliverPending writes and sends the pending report of a loop that has ended.
func (j *LoopJob) deliverPending(ctx context.Context) (*LoopResult, error) {
	if pending := j.Pending(); pending.Any() {
		return j.finish(ctx, j.state, pending.To)
	}
	if !j.elsewhere {
		j.project.followLoop(ctx, j.store, j.state)
	}
	s, err := j.project.refreshedSummary(ctx, j.store, nil, j.state)
	if err != nil {
		return nil, err
	}
	return &LoopResult{LoopSummary: s}, nil
}

// finish writes the report of a loop that has ended, sends it to some readers, and returns
// the loop's status. It can be interrupted: the next run does the rest.
func (j *LoopJob) finish(ctx context.Context, state *loop.State, to []string) (*LoopResult, error) {
	p, kept := j.project, context.WithoutCancel(ctx)
	r := &LoopResult{Interrupted: state.Ended == ""}
	if state.Ended != "" {
		report, err := j.report(ctx, state)
		if err == nil {
			if said := report.OtherModels(); said != "" {
				p.Log.Warn().Msg(said)
			}
			r.Undelivered = p.deliver(ctx, j.store, report, to)
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if state, err = runner.Load(kept, j.store, j.name); err != nil {
			return nil, err
		}
		r.Interrupted = ctx.Err() != nil
	}
	var err error
	r.LoopSummary, err = p.refreshedSummary(kept, j.store, nil, state)
	return r, err
}

// report returns the report of a loop that has ended. Its files are written on the machine that requested the loop.
func (j *LoopJob) report(ctx context.Context, state *loop.State) (*report.Report, error) {
	if j.elsewhere {
		return j.project.gatherReport(ctx, j.store, state, "")
	}
	j.project.followLoop(ctx, j.store, state)
	return j.project.writeReport(ctx, j.store, state)
}

// sessions returns what prepares the sessions of the plan's loop.
func (p *PinnedPlan) sessions(m *Models, pins *loopPins, st storage.Store, holder store.Holder, name string) *loopSessions {
	return &loopSessions{
		models: m, pins: pins, scripts: p.scripts, store: st, holder: holder, loop: name,
		timeout: cmp.Or(p.plan.Session.Timeout, p.project.Config.Timeouts.Session),
	}
}

// loopSessions prepares the sessions of a loop. All of them share the store, the transport
// and the limits of endpoints; each has its own allowance and its own mail.
type loopSessions struct {
	models  *Models
	pins    *loopPins
	scripts map[string]*rehearsal.Script // of scripted agents, by their hashes
	store   storage.Store
	holder  store.Holder
	timeout time.Duration  // for each session; 0 means no limit
	common  session.Common // shared by all sessions
	records *shown.Records
	loop    string          // its name
	lessons *memory.Learner // shared by all sessions; nil for rehearsals
}

// loopPatience is the longest wait of a single call that a provider may ask for. A longer
// wait is up to the loop: it is journaled and shown, and no session starts meanwhile.
const loopPatience = time.Minute

// fork returns a copy for one session.
func (m *Models) fork() *Models {
	return &Models{
		Project: m.Project, Transport: m.Transport, slots: m.slots, patience: loopPatience, offline: m.offline, named: m.named, versions: m.versions, contexts: m.contexts,
		Mail: m.Project.sessionMail(m.mailbox), mailbox: m.mailbox,
	}
}

// prepare prepares the session of a job.
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
	arbiter, err := c.pins.reach(p, &j.Cell, parties, script != nil)
	if err != nil {
		return nil, err
	}
	if c.pins.find(&j.Cell) == nil { // it was added since the loop began
		c.models.ChooseKickoffs(ctx, parties)
	}
	c.models.pinVersions(ctx, parties, arbiter)
	b, err := c.briefOf(ctx, w, j, r, parties)
	if err != nil {
		return nil, err
	}
	if script != nil {
		b.Script = script.Source()
	}
	if j.Cell.Task != "" {
		arbiter = nil
	}
	all := flow.WithArbiter(parties, arbiter)
	b.Arbiter, b.Settings.Prices = arbiter, p.prices(all)
	own := c.models.fork()
	run := own.runner(c.store, c.holder, script, all)
	run.Ways = c.pins.ways(ctx, own, all)
	run.Deadline, run.Project, run.Common = c.timeout, c.records, &c.common
	if c.lessons != nil {
		run.Memory = c.lessons
	}
	s := &runner.Session{Brief: b, Runner: run, Change: func(s *flow.Settings) {
		s.Limits, s.Prices = b.Settings.Limits, b.Settings.Prices
	}}
	if b.Task != nil {
		s.Lock = taskLock(b.Task)
	}
	return s, nil
}

// brief returns the opening of a session about a question.
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
