package simulation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/project/slots"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// fleet is what a simulation runs.
type fleet struct {
	seed     uint64
	workers  int
	sessions int
	rounds   int
	tight    bool // the loop's budget does not suffice if calls are lost
	most     int  // faults
	outages  bool // the endpoint stays away for minutes, and the loop waits for it
	slots    int  // concurrent calls that the endpoint allows; 0 means any number
	alone    bool // each process limits only its own calls, in a broken program
	broken   func(*client)
	prepared func(*process, *runner.Session) // changes a prepared session, in a broken program
	hasty    bool                            // a place that is down fails sessions, in a broken program
	pins     func(worker int) loop.Pins
	told     bool // the trace is kept in words
}

// world is a fleet that runs.
type world struct {
	fleet
	*scheduler
	server *server
	engine *engine
	now    []*process // by worker
	faulty int        // faults so far
	lives  int

	answered map[string]bool // calls whose answers were acknowledged
	charged  map[string]int  // tokens that the endpoint has charged, by thread
	attempts map[attempt]int // tokens of the last attempt
	unstored map[attempt]int // tokens of those before it, which only the process knows until the call ends
	away     time.Time       // until then the endpoint does not answer
	inFlight map[*process]int
	states   map[string]*flow.State // of sessions, by thread
	loop     *loop.State
	over     chan struct{} // closed when the loop has ended
	late     bool          // it has not ended in time
	found    []violation

	writes   int
	ended    time.Duration        // when the loop ended
	orphans  map[string]time.Time // names whose holder was killed, and when
	takeover []time.Duration      // how long it took until another process held them
}

// name is that of the loop.
const name = "night"

// play runs a fleet to its end and returns it. It must be called in a bubble of virtual time.
func play(f fleet) *world {
	w := &world{
		fleet: f, scheduler: newScheduler(f.seed), server: &server{Store: memory.New(), table: make(map[string]holding)},
		answered: make(map[string]bool), charged: make(map[string]int), attempts: make(map[attempt]int), unstored: make(map[attempt]int), inFlight: make(map[*process]int), states: make(map[string]*flow.State), orphans: make(map[string]time.Time), over: make(chan struct{}), loop: &loop.State{},
	}
	if f.told {
		w.lines = &strings.Builder{}
	}
	w.engine = &engine{world: w, tasks: make(map[string]*task)}
	w.engine.start("")
	w.scheduler.faults = w.strike
	done := make(chan struct{})
	for i := range f.workers {
		w.now = append(w.now, nil)
		w.begin(i)
	}
	go func() {
		select {
		case <-w.over:
		case <-time.After(48 * time.Hour):
			w.late = true
		}
		close(done)
	}()
	w.run(done)
	for _, p := range w.now {
		p.end()
	}
	time.Sleep(time.Hour) // until all goroutines have seen that it is over
	return w
}

func (w *world) violate(invariant, format string, args ...any) {
	w.found = append(w.found, violation{invariant, fmt.Sprintf(format, args...)})
}

func (w *world) progress() string {
	return fmt.Sprintf("%d of %d sessions done, %d waiting, %d running", w.loop.Count(loop.Finished), w.sessions, w.loop.Count(loop.Waiting), w.loop.Count(loop.Running))
}

// begin begins another life of a worker.
func (w *world) begin(worker int) {
	w.lives++
	p := &process{worker: worker, life: w.lives, skew: noon + time.Duration(w.rng.IntN(7200)-3600)*time.Second, drain: make(chan struct{})}
	if w.outages { // they are waited for by the clock, which another machine may continue
		p.skew = noon
	}
	w.now[worker] = p
	ctx, cancel := context.WithCancel(context.Background())
	c := newClient(w, p)
	rng := rand.New(rand.NewPCG(w.seed, uint64(p.life)))
	p.endpoints = &slots.Endpoints{Pick: rng.IntN}
	if !w.alone {
		p.endpoints.Share(c, func(string) store.Holder { return store.Holder{Host: p.name()} })
	}
	if w.broken != nil {
		w.broken(c)
	}
	p.end = func() {
		cancel()
		w.release(p)
		go func() { _ = c.Close() }() // the goroutine that renews leases ends
	}
	for i := range 3 {
		go w.work(ctx, p, c, i)
	}
}

// work takes tasks from the engine until the process ends.
func (w *world) work(ctx context.Context, p *process, c *client, slot int) {
	for {
		if w.engine.reach(ctx, p, "poll %d", slot) != nil {
			return
		}
		if p.draining {
			return
		}
		t := w.engine.next()
		if t == nil {
			time.Sleep(3*time.Second + time.Duration(w.rng.IntN(4_000_000))*time.Microsecond)
			continue
		}
		w.deliver(ctx, p, c, t, t.on)
	}
}

// deliver runs a task, and tells the engine that it runs and how it ended.
func (w *world) deliver(ctx context.Context, p *process, c *client, t *task, run int) {
	p.tasks++
	ended, drain := make(chan struct{}), make(chan struct{})
	go func() {
		asked := p.drain
		for canceled := false; ; {
			select {
			case <-ended:
				return
			case <-asked:
				asked = nil
				if !canceled {
					canceled = true
					close(drain)
				}
				continue
			case <-time.After(odd(heartbeat / 3)):
			}
			if w.engine.reach(ctx, p, "beat %s %d", t.name, run) != nil {
				return
			}
			if t.on == run {
				t.beat = time.Now()
			}
			if t.canceled && !canceled {
				canceled = true
				close(drain)
			}
		}
	}()
	r := w.runner(p, c)
	var err error
	if t.name == "" {
		r.Place, r.Drain = &place{w, p}, p.drain
		err = w.runLoop(ctx, r)
	} else {
		r.Drain = drain
		err = r.Advance(ctx, name, t.name)
	}
	close(ended)
	if w.engine.reach(ctx, p, "end %s %d", t.name, run) != nil {
		return
	}
	p.tasks--
	if err == nil && t.name == "" && t.on == run && w.ended == 0 {
		w.ended = time.Since(epoch)
		close(w.over)
	}
	if err != nil {
		w.note("%s failed: %s %s", t.name, fault.CodeOf(err), err)
	}
	t.finish(run, err)
}

// runLoop starts the loop, or resumes it.
func (w *world) runLoop(ctx context.Context, r *runner.Runner) error {
	release, err := r.Hold(name)
	if err != nil {
		return err
	}
	defer release()
	state, err := runner.Load(ctx, r.Store, name)
	switch {
	case fault.CodeOf(err) == runner.NoLoop:
		state, err = r.Start(ctx, w.opened(), nil)
	case err != nil:
		return err
	case state.Ended != "":
		return nil
	default:
		state, err = r.Resume(ctx, name, nil)
	}
	if err == nil && state.Ended == "" {
		err = errors.New("the loop was left")
	}
	return err
}

// opened returns the opening of the loop.
func (f *fleet) opened() loop.Opened {
	work := looptest.Work(f.sessions, f.rounds)
	work.Settings.Budget, work.Settings.Reply = 100*sessionCost, 2_000
	work.Settings.Repair = !f.outages // a session continues without a repair that its endpoint does not answer
	limits := loop.Limits{Concurrency: max(3, f.workers), Tokens: f.sessions * work.Settings.Budget * 2}
	if f.tight {
		work.Settings.Budget = sessionCost * f.rounds * (2 + int(f.seed%5)) / 4
		limits.Tokens = f.sessions * work.Settings.Budget * 3 / 4
	}
	return looptest.NewOpened(work, limits)
}

// sessionCost is about what a round of a session costs, in tokens, if no call is lost.
const sessionCost = 20_000

// noon is the middle of a day, so that clocks that are wrong by less than an hour agree on the day.
const noon = 12 * time.Hour

// runner returns the runner of a process.
func (w *world) runner(p *process, c *client) *runner.Runner {
	now, pins := &clock{w, p}, loop.Pins{}
	if w.pins != nil {
		pins = w.pins(p.worker)
	}
	g := &looptest.Preparer{
		Store: c, Now: now.Now, Tries: 4, Script: func(*loop.Job) *rehearsal.Script { return script }, Real: w.outages,
		Around: func(a agent.Agent) agent.Agent {
			if a = w.agent(p, a); w.slots == 0 {
				return a
			}
			limited := agent.Limit(a, p.endpoints.At("https://models.example/v1", w.slots))
			return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
				w.await(p, "queue %s", c.ID)
				reply, err := limited.Ask(ctx, c)
				w.await(p, "leave %s", c.ID) // calls that leave the queue at one instant, because the lease is lost, do so one after the other
				return reply, err
			})
		},
	}
	sessions := g.Session
	return &runner.Runner{
		Store: c, Locks: c, Now: now.Now, Poll: odd(10 * time.Second), Holder: store.Holder{Host: p.name()}, Pins: &pins,
		Sessions: func(ctx context.Context, work *loop.Work, j *loop.Job) (*runner.Session, error) {
			if sum := sha256.Sum256([]byte(fmt.Sprint(w.seed, j.Thread, p.life))); sum[0]%4 == 0 && w.most > 0 { // meanwhile, another worker may run it
				time.Sleep(odd(time.Duration(sum[1]) * time.Second / 2))
			}
			s, err := sessions(ctx, work, j)
			if err == nil && w.prepared != nil {
				w.prepared(p, s)
			}
			return s, err
		},
	}
}

// odd returns a duration that is not a multiple of another one here. If two timers of a goroutine ended at one
// instant, chance would decide which of them it sees first.
func odd(d time.Duration) time.Duration { return d + d/977 + 13*time.Nanosecond }

var script = looptest.FastScript()

// agent wraps an agent: its calls take time, and some of them fail at first.
func (w *world) agent(p *process, inner agent.Agent) agent.Agent {
	return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		killed := &agent.Failure{Code: agent.Unavailable, Detail: "killed"}
		if !w.await(p, "ask %s", c.ID) {
			return agent.Reply{}, killed
		}
		w.checkCall(p, &c)
		w.inFlight[p]++
		reply, err := inner.Ask(ctx, c)
		sum := sha256.Sum256([]byte(fmt.Sprint(w.seed, c.ID, p.life)))
		var failed *agent.Failure
		if failing := "failed " + c.ID; w.away.After(time.Now()) || sum[3]%16 == 0 && w.most > 0 && c.Before == 0 && !w.answered[failing] {
			w.answered[failing] = true
			failed = &agent.Failure{Code: agent.Unavailable, Detail: "the endpoint does not answer", Retry: true}
			if sum[4]%2 == 0 {
				failed.Code = agent.TimedOut
			}
		}
		if failed == nil || failed.Code == agent.TimedOut { // it has worked
			w.charge(p, &c, reply.Usage)
		}
		time.Sleep(odd(time.Duration(1+int(sum[0])%40)*time.Second + time.Duration(sum[1])*time.Millisecond + time.Duration(sum[2])*time.Microsecond))
		if !w.await(p, "reply %s", c.ID) {
			return agent.Reply{}, killed
		}
		w.inFlight[p]--
		if failed != nil {
			return agent.Reply{}, failed
		}
		return reply, err
	})
}

// charge counts what a call costs at its endpoint, whether or not its reply arrives, and checks the budgets: what the
// journals say is spent must cover it. A process that is lost takes with it what attempts cost that its call repeated.
func (w *world) charge(p *process, c *agent.Call, used agent.Usage) {
	this := attempt{p, c.Thread, c.ID}
	w.unstored[this] += w.attempts[this]
	w.attempts[this] = used.Input + used.Output
	w.charged[c.Thread] += used.Input + used.Output
	if limit, n := w.states[c.Thread].Settings.Budget, w.charged[c.Thread]-w.lostWith(p, c.Thread); limit > 0 && n > limit {
		w.violate("budget", "%s was charged %d of %d tokens", c.Thread, n, limit)
	}
	n := -w.lostWith(p, "")
	for _, one := range w.charged {
		n += one
	}
	if limit := w.loop.Limits.Tokens; n > limit {
		w.violate("budget", "the loop was charged %d of %d tokens", n, limit)
	}
}

// attempt names the attempts of a process at a call.
type attempt struct {
	by           *process
	thread, call string
}

// lostWith returns what processes other than p may have taken with them, of a thread or of all.
func (w *world) lostWith(p *process, thread string) (n int) {
	for a, tokens := range w.unstored {
		if a.by != p && (thread == "" || a.thread == thread) {
			n += tokens
		}
	}
	return n
}

// settled reports whether a process lives and had no fault that can cost it its leases for a while.
func (p *process) settled() bool {
	return !p.dead && time.Since(p.woken) > 2*time.Minute && time.Since(p.apart) > 2*time.Minute
}

// checkCall checks what must hold when a call is sent.
func (w *world) checkCall(p *process, c *agent.Call) {
	holds, calls := w.server.holder(c.Thread) == p, 1
	for other, n := range w.inFlight {
		if other.settled() {
			calls += n
		}
	}
	if w.slots > 0 && calls > w.slots && p.settled() {
		w.violate("endpoint", "%d calls in flight to an endpoint that allows %d", calls, w.slots)
	}
	if w.answered[c.ID] && holds {
		w.violate("asked again", "%s asks %s, which was answered", p.name(), c.ID)
	}
	if !holds && time.Since(p.woken) > time.Minute {
		w.violate("without a lease", "%s asks %s and does not hold the session", p.name(), c.ID)
	}
}

// store stores a batch, and follows what it says.
func (w *world) store(_ *client, b store.Batch) error {
	if err := w.server.Write(context.Background(), b); err != nil {
		return err
	}
	w.promise(&b)
	w.writes++
	for _, a := range b.Appends {
		for i := range a.Entries {
			w.follow(&a.Entries[i])
		}
	}
	return nil
}

// promise notes the answers of a batch that was acknowledged.
func (w *world) promise(b *store.Batch) {
	for _, a := range b.Appends {
		for i := range a.Entries {
			if e := &a.Entries[i]; e.Kind == flow.KindAnswered {
				body, err := journal.Decode[flow.Answered](e, "")
				if err == nil {
					w.answered[body.Call] = true
				}
			}
		}
	}
}

// follow checks the budgets after each entry.
func (w *world) follow(e *journal.Entry) {
	if thread, ok := strings.CutPrefix(e.Stream, session.Prefix); ok {
		s := w.states[thread]
		if s == nil {
			s = &flow.State{}
			w.states[thread] = s
		}
		if err := s.Apply(e); err != nil {
			w.violate("journal", "%v", err)
		}
		if e.Kind == flow.KindResumed && !slices.ContainsFunc(w.loop.Jobs, func(j loop.Job) bool { return j.Thread == thread && j.Status == loop.Running }) {
			w.violate("not waited for", "%s is resumed, and the loop has reserved nothing for it", thread)
		}
		if spent := s.Spent.Plus(s.InFlight()); s.Settings.Budget > 0 && spent.Tokens > s.Settings.Budget {
			w.violate("budget", "%s spent %d of %d tokens", thread, spent.Tokens, s.Settings.Budget)
		}
	}
	if e.Stream == loop.Prefix+name {
		if err := w.loop.Apply(e); err != nil {
			w.violate("journal", "%v", err)
		}
	}
	spent := 0
	for _, s := range w.states {
		spent += s.Spent.Plus(s.InFlight()).Tokens
	}
	if limit := w.loop.Limits.Tokens; limit > 0 && spent > limit {
		w.violate("budget", "the sessions spent %d of the loop's %d tokens", spent, limit)
	}
}

// figures describes a fleet that has run.
func (w *world) figures() string {
	slices.Sort(w.takeover)
	text := fmt.Sprintf("%d workers, %d sessions of %d rounds, %d faults: %s of virtual time, %d steps, %d writes (%.1f a second), %d entries of the loop",
		w.workers, w.sessions, w.rounds, w.faulty, w.ended.Round(time.Second), w.steps, w.writes, float64(w.writes)/w.ended.Seconds(), w.loop.Head.Seq)
	if n := len(w.takeover); n > 0 {
		text += fmt.Sprintf("; %d leases of killed processes taken over after %s (median), %s at most", n, w.takeover[n/2].Round(time.Second), w.takeover[n-1].Round(time.Second))
	}
	return text
}

// simulate plays a fleet in virtual time and checks its end.
func simulate(t *testing.T, f fleet) (w *world) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w = play(f)
		w.check(t)
	})
	return w
}
