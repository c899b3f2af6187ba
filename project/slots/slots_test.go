package slots_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/project/slots"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/postgres"
	"brenner/store/postgres/postgrestest"
)

const address = "https://models.example/v1"

// process returns the limits of a process on a machine.
func process(machine string, locks store.Locks) *slots.Endpoints {
	e := &slots.Endpoints{}
	e.Share(locks, func(doing string) store.Holder { return store.Holder{Host: machine, Doing: doing} })
	return e
}

// endpoint is an agent whose calls take some time, and counts them.
type endpoint struct {
	takes time.Duration

	mu                sync.Mutex
	now, most, served int
}

func (e *endpoint) Ask(ctx context.Context, _ agent.Call) (agent.Reply, error) {
	e.count(1)
	defer e.count(-1)
	select {
	case <-ctx.Done():
		return agent.Reply{}, ctx.Err()
	case <-time.After(e.takes):
		return agent.Reply{Text: "yes", Attempts: 1}, nil
	}
}

func (e *endpoint) count(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now += n
	e.most = max(e.most, e.now)
	if n < 0 {
		e.served++
	}
}

// want checks how many calls were served, and how many at once.
func (e *endpoint) want(t *testing.T, served, most int) {
	t.Helper()
	if e.served != served || e.most != most {
		t.Errorf("got %d calls, at most %d at once; want %d, at most %d at once", e.served, e.most, served, most)
	}
}

// askAll makes calls and waits for them.
func askAll(t *testing.T, calls int, agents ...agent.Agent) {
	t.Helper()
	var all sync.WaitGroup
	for range calls {
		for _, a := range agents {
			all.Go(func() {
				if reply, err := a.Ask(t.Context(), agent.Call{}); err != nil || reply.Text != "yes" {
					t.Errorf("got %+v, %v, want a reply", reply, err)
				}
			})
		}
	}
	all.Wait()
}

// checkReleased reports locks that are still held, after all calls.
func checkReleased(t *testing.T, locks *recorder, processes ...*slots.Endpoints) {
	t.Helper()
	for _, e := range processes {
		e.Wait()
	}
	for name := range locks.names() {
		if who, held, err := locks.HolderOf(name); held || err != nil {
			t.Errorf("%s is held by %s (%v), want it released", name, who, err)
		}
	}
}

// recorder remembers which names were locked.
type recorder struct {
	store.Locks
	mu  sync.Mutex
	all map[string]bool
}

func record(locks store.Locks) *recorder { return &recorder{Locks: locks, all: make(map[string]bool)} }

func (r *recorder) Hold(name string, who store.Holder) (store.Lease, error) {
	r.mu.Lock()
	r.all[name] = true
	r.mu.Unlock()
	return r.Locks.Hold(name, who)
}

func (r *recorder) names() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

func TestProcessesShareLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := record(memory.New())
		one, other := process("a", locks), process("b", locks)
		e := &endpoint{takes: time.Minute}
		begin := time.Now()
		askAll(t, 8, agent.Limit(e, one.At(address, 2)), agent.Limit(e, other.At("HTTPS://models.example:443/v1/", 2)))
		e.want(t, 16, 2)
		if took := time.Since(begin); took > 8*(time.Minute+2*time.Second) {
			t.Errorf("16 calls of a minute, two at once, took %s: slots were left unused", took)
		}
		checkReleased(t, locks, one, other)
		if got := len(locks.names()); got != 3 {
			t.Errorf("got the locks %v, want two slots and the head of the queue", locks.names())
		}
		for name := range locks.names() {
			if !slots.IsLock(name) {
				t.Errorf("%s is not recognised as a lock of slots", name)
			}
		}
	})
}

// A process with many waiting calls, which takes the slot again as soon as it is free, does not keep out another one.
func TestBusyProcessLetsOthersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := record(memory.New())
		busy, other := process("a", locks), process("b", locks)
		e := &endpoint{takes: time.Second}
		var all sync.WaitGroup
		all.Go(func() { askAll(t, 50, agent.Limit(e, busy.At(address, 1))) })
		for range 5 {
			<-time.After(4 * time.Second)
			begin := time.Now()
			askAll(t, 1, agent.Limit(e, other.At(address, 1)))
			if waited := time.Since(begin) - e.takes; waited > 3*time.Second {
				t.Errorf("the call of another process waited %s, want at most two calls of a second", waited)
			}
		}
		all.Wait()
		e.want(t, 55, 1)
		checkReleased(t, locks, busy, other)
	})
}

// Each process obeys its own limit.
func TestDifferentLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := record(memory.New())
		small, large := process("a", locks), process("b", locks)
		few, many := &endpoint{takes: 10 * time.Second}, &endpoint{takes: 10 * time.Second}
		both := &endpoint{}
		through := func(e *endpoint) agent.Agent {
			return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
				both.count(1)
				defer both.count(-1)
				return e.Ask(ctx, c)
			})
		}
		askAll(t, 20, agent.Limit(through(few), small.At(address, 1)), agent.Limit(through(many), large.At(address, 4)))
		few.want(t, 20, 1)
		many.want(t, 20, 4)
		both.want(t, 40, 4)
		checkReleased(t, locks, small, large)
	})
}

// A waiting call ends at once when it is drained or its context ends, wherever it waits, and holds nothing.
func TestWaitEnds(t *testing.T) {
	for _, first := range []string{"slot", "head of the queue", "turn in the process"} {
		synctest.Test(t, func(t *testing.T) {
			locks := record(memory.New())
			holding, waiting, third := process("a", locks), process("b", locks), process("c", locks)
			e := &endpoint{takes: time.Hour}
			var all sync.WaitGroup
			ask := func(p *slots.Endpoints) { all.Go(func() { askAll(t, 1, agent.Limit(e, p.At(address, 1))) }) }
			ask(holding)
			synctest.Wait()
			switch first {
			case "head of the queue":
				ask(third)
			case "turn in the process":
				ask(waiting)
			}
			<-time.After(time.Minute)
			a := agent.Limit(e, waiting.At(address, 1))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			wantStop(t, first, a, ctx, nil, agent.TimedOut)
			drain := make(chan struct{})
			time.AfterFunc(time.Minute, func() { close(drain) })
			wantStop(t, first, a, t.Context(), drain, agent.Stopped)
			all.Wait()
			checkReleased(t, locks, holding, waiting, third)
		})
	}
}

// wantStop makes a call that must end unsent after a minute.
func wantStop(t *testing.T, waitsFor string, a agent.Agent, ctx context.Context, drain <-chan struct{}, code fault.Code) { //nolint:revive // t comes first
	t.Helper()
	begin := time.Now()
	_, err := a.Ask(ctx, agent.Call{Drain: drain})
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != code || f.Attempts != 0 || time.Since(begin) != time.Minute {
		t.Errorf("waiting for the %s: got %v after %s, want %s after 1m0s, without an attempt", waitsFor, err, time.Since(begin), code)
	}
}

// faulty are locks whose leases are lost, and that fail or do not answer.
type faulty struct {
	store.Locks
	lost  chan struct{}
	err   error
	delay time.Duration

	mu     sync.Mutex
	leases []store.Lease
}

type lease struct {
	store.Lease
	lost chan struct{}
}

func (l lease) Lost() <-chan struct{} { return l.lost }

func (f *faulty) Hold(name string, who store.Holder) (store.Lease, error) {
	<-time.After(f.delay)
	if f.err != nil {
		return nil, f.err
	}
	held, err := f.Locks.Hold(name, who)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leases = append(f.leases, held)
	return lease{held, f.lost}, nil
}

// A call whose lease is lost returns its reply. Another process may use the slot meanwhile, but this one does not
// exceed its own limit.
func TestLostLeaseKeepsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := memory.New()
		losing := &faulty{Locks: locks, lost: make(chan struct{})}
		one, other := process("a", losing), process("b", locks)
		e, mine := &endpoint{takes: time.Minute}, &endpoint{takes: time.Minute}
		time.AfterFunc(30*time.Second, func() {
			losing.mu.Lock()
			defer losing.mu.Unlock()
			for _, l := range losing.leases { // another process may take them
				_ = l.Release()
			}
			close(losing.lost)
		})
		var all sync.WaitGroup
		all.Go(func() { askAll(t, 2, agent.Limit(mine, one.At(address, 1))) })
		<-time.After(31 * time.Second)
		begin := time.Now()
		askAll(t, 1, agent.Limit(e, other.At(address, 1)))
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("the call of the other process took %s, want 1m0s without a wait", took)
		}
		all.Wait()
		mine.want(t, 2, 1)
		e.want(t, 1, 1)
	})
}

// A store that fails or does not answer: the call is not sent, and the wait ends with its context.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locks := record(memory.New())
		denied := &fault.Error{Code: "STORE_DENIED", Detail: "no right"}
		failing := &faulty{Locks: locks, err: denied}
		e, p := &endpoint{}, process("a", failing)
		a := agent.Limit(e, p.At(address, 1))
		_, err := a.Ask(t.Context(), agent.Call{})
		var f *agent.Failure
		if !errors.As(err, &f) || f.Code != agent.Unavailable || !f.Retry || f.Attempts != 0 || !errors.Is(err, denied) {
			t.Errorf("got %v, want %s that may be retried, because of the store", err, agent.Unavailable)
		}
		failing.err, failing.delay = nil, time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wantStop(t, "store", a, ctx, nil, agent.TimedOut)
		p.Wait()
		if failing.delay = 0; e.served != 0 {
			t.Errorf("%d calls were sent, want 0", e.served)
		}
		askAll(t, 1, a)
		checkReleased(t, locks, p)
	})
}

// An address on the machine is another endpoint on each machine, and the same one for all processes of a machine.
func TestLocalEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const local = "http://localhost:11434/v1"
		locks := record(memory.New())
		here, too, there := process("a", locks), process("a", locks), process("b", locks)
		mine, theirs := &endpoint{takes: time.Minute}, &endpoint{takes: time.Minute}
		askAll(t, 3, agent.Limit(mine, here.At(local, 1)), agent.Limit(mine, too.At(local, 1)), agent.Limit(theirs, there.At(local, 1)))
		mine.want(t, 6, 1)
		theirs.want(t, 3, 1)
		if got := len(locks.names()); got != 4 {
			t.Errorf("got the locks %v, want two for each machine", locks.names())
		}
		checkReleased(t, locks, here, too, there)
	})
}

// Without a shared store the limit is that of the process.
func TestLimitOfProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other := &slots.Endpoints{}, &slots.Endpoints{}
		e := &endpoint{takes: time.Minute}
		askAll(t, 4, agent.Limit(e, one.At(address, 2)), agent.Limit(e, one.At(address+"/", 2)), agent.Limit(e, other.At(address, 2)))
		e.want(t, 12, 4)
		one.Wait()
	})
}

// Two stores on one server share a limit, and hold nothing in the end.
func TestPostgres(t *testing.T) {
	t.Parallel()
	at, err := postgres.ParseAddress(postgrestest.Address(t))
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{takes: 50 * time.Millisecond}
	var processes []*slots.Endpoints
	var agents []agent.Agent
	var st *postgres.Store
	for i := range 2 {
		opened, err := postgres.Open(t.Context(), at, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		st = opened
		p := process(strconv.Itoa(i), opened)
		processes, agents = append(processes, p), append(agents, agent.Limit(e, p.At(address, 2)))
	}
	askAll(t, 4, agents...)
	e.want(t, 8, 2)
	for _, p := range processes {
		p.Wait()
	}
	held, err := st.Holders(t.Context())
	if err != nil || len(held) > 0 {
		t.Errorf("got the holders %v, %v, want none", held, err)
	}
}
