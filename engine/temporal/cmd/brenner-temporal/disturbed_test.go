package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"brenner/loop"
	"brenner/session"
	"brenner/store/postgres/postgrestest"
)

// envKills is the variable with the number of kills of TestOnServerKills.
const envKills = "BRENNER_TEST_ENGINE_KILLS"

const (
	perLoop = 8
	atOnce  = 3

	eventsOfSession = 11 // in its history
)

// Workers are killed at random calls. Every session has the bytes of an undisturbed run, and no answered call is asked again.
func TestOnServerKills(t *testing.T) {
	t.Parallel()
	wanted := number(envKills, 5)
	f := newFleet(t)
	workers := []*machine{f.machine().work("--at-once", strconv.Itoa(atOnce)), f.machine().work("--at-once", strconv.Itoa(atOnce))}
	random := rand.New(rand.NewPCG(1, 2))
	user, c := f.machine(), f.dial()
	kills, most := 0, 0
	var times takeovers
	for n := 1; kills < wanted && !t.Failed(); n++ {
		name := "night" + strconv.Itoa(n)
		due := make(chan *machine, 1)
		again := func() { f.when(1+random.IntN(10), func() { due <- workers[random.IntN(len(workers))] }) }
		again()
		user.start("", "loop", "run", user.plan(name, perLoop, 2*atOnce), "--run", "k", "--place", "temporal", "-v")
		for running := true; running; {
			select {
			case w := <-due:
				f.kill(w, &times)
				kills++
				w.work("--at-once", strconv.Itoa(atOnce))
				if kills < wanted {
					again()
				}
			case <-user.ended:
				running = false
			}
		}
		if code := user.wait(); code != 0 {
			t.Fatalf("exit %d\n%s\n%s\n%s", code, user.out, workers[0].out, workers[1].out)
		}
		f.check(name+"-k", f.alone(name, perLoop))
		for _, job := range f.state(name + "-k").Jobs {
			events, _ := f.history(c, f.project+"/"+job.Thread)
			most = max(most, events)
		}
	}
	calls, requests, repeated := f.counts()
	t.Logf("%d kills: %d calls, %d requests, %d calls in flight asked again; at most %d events in the history of a session", kills, calls, requests, repeated, most)
	t.Log(times.String())
	if len(times.all) == 0 {
		t.Error("no session of a killed worker was taken over")
	}
	if limit := 2 * eventsOfSession; most > limit { // an answer to a worker that is gone is two events more
		t.Errorf("the history of a session has %d events, want at most %d", most, limit)
	}
	if repeated > kills*atOnce*3 {
		t.Errorf("%d calls asked again, which is more than were in flight", repeated)
	}
}

// takeovers are the times from the kill of a worker to the next entry of each of its sessions, which another worker writes.
type takeovers struct {
	mu  sync.Mutex
	all []time.Duration
}

func (o *takeovers) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.all) == 0 {
		return "nothing was taken over"
	}
	slices.Sort(o.all)
	const unit = 100 * time.Millisecond
	return fmt.Sprintf("%d sessions taken over after %v to %v, median %v", len(o.all), o.all[0].Round(unit), o.all[len(o.all)-1].Round(unit), o.all[len(o.all)/2].Round(unit))
}

// kill kills a worker and notes when its sessions continue.
func (f *fleet) kill(w *machine, o *takeovers) {
	f.t.Helper()
	w.signal(syscall.SIGKILL)
	begin := time.Now()
	w.wait()
	held, err := f.open().Holders(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, h := range held {
		if h.By.PID != w.command.Process.Pid {
			continue
		}
		before, err := f.open().Entries(f.t.Context(), session.Prefix+h.Name, 0)
		if err != nil {
			f.t.Fatal(err)
		}
		f.all.Go(func() {
			for f.t.Context().Err() == nil {
				if now, err := f.open().Entries(f.t.Context(), session.Prefix+h.Name, 0); err == nil && len(now) > len(before) {
					o.mu.Lock()
					o.all = append(o.all, time.Since(begin))
					o.mu.Unlock()
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
}

// When a worker is killed, a loop stays within a tight budget at each entry of its journal, and ends by it, as without an engine. The calls
// that were in flight are charged, so that it may be for fewer sessions.
func TestOnServerTightBudget(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	const tokens, ofCall = 250_000, 4050
	tight := fmt.Sprintf("budget: {session_tokens: 90000, tokens: %d}", tokens)
	workers := []*machine{f.machine().work(), f.machine().work()}
	user := f.machine()
	due := make(chan struct{})
	f.when(8, func() { close(due) })
	user.start("", "loop", "run", user.plan("night", perLoop, perLoop, tight), "--run", "k", "--place", "temporal", "-v")
	<-due
	workers[0].signal(syscall.SIGKILL)
	code := user.wait()
	_, requests, repeated := f.counts()
	f.count(false)
	alone := f.apart()
	m := alone.machine()
	if out, want := m.run("loop", "run", m.plan("night", perLoop, perLoop, tight), "--run", "k"); code != want {
		t.Fatalf("exit %d, want %d\n%s\n%s", code, want, user.out, out)
	}
	got, want := f.state("night-k"), alone.state("night-k")
	t.Logf("%d sessions of %d, %d tokens; %d requests, %d asked again", got.Count(loop.Finished), want.Count(loop.Finished), got.Spent.Tokens, requests, repeated)
	if got.Ended != want.Ended || got.Count(loop.Finished) == 0 || got.Count(loop.Finished) > want.Count(loop.Finished) || want.Count(loop.Finished) == perLoop {
		t.Errorf("ended by %q, with %d sessions; want %q, %d", got.Ended, got.Count(loop.Finished), want.Ended, want.Count(loop.Finished))
	}
	if requests*ofCall > tokens {
		t.Errorf("%d requests cost more than the budget of %d tokens", requests, tokens)
	}
	entries, err := f.open().Entries(t.Context(), loop.Prefix+"night-k", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		s, err := loop.Fold(entries[:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if n := s.Spent.Tokens + s.Reserved.Tokens; n > tokens {
			t.Errorf("after entry %d, %d tokens are spent or reserved, of %d", i+1, n, tokens)
		}
	}
}

// Ten workers write one store: it has no fault, and the bytes of an undisturbed run.
func TestOnServerTenWorkers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	const many = 10
	workers := make([]*machine, many)
	for i := range workers {
		workers[i] = f.machine().work("--at-once", "1")
	}
	user := f.machine()
	if out, code := user.run("loop", "run", user.plan("night", 3*many, many), "--run", "k", "--place", "temporal"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	f.mustNotRepeat()
	f.check("night-k", f.alone("night", 3*many))
}

// disturbed runs a loop while something happens at a call, and checks its results.
func disturbed(t *testing.T, f *fleet, name string, at int, happens func(workers []*machine)) {
	t.Helper()
	through := []*machine{f.machine().work("--at-once", strconv.Itoa(atOnce)), f.machine().work("--at-once", strconv.Itoa(atOnce))}
	user := f.machine()
	due := make(chan struct{})
	f.when(at, func() { close(due) })
	user.start("", "loop", "run", user.plan(name, perLoop, 2*atOnce), "--run", "k", "--place", "temporal", "-v")
	<-due
	happens(through)
	if code := user.wait(); code != 0 {
		t.Fatalf("exit %d\n%s\n%s\n%s", code, user.out, through[0].out, through[1].out)
	}
	for _, w := range through {
		w.signal(syscall.SIGTERM)
		if code := w.wait(); code != 0 {
			t.Errorf("a worker that was stopped: exit %d\n%s", code, w.out)
		}
	}
	before, requests, repeated := f.counts()
	f.check(name+"-k", f.alone(name, perLoop))
	t.Logf("%s: %d calls, %d requests, %d asked again", name, before, requests, repeated)
}

func (f *fleet) mustNotRepeat() {
	f.t.Helper()
	if _, _, repeated := f.counts(); repeated > 0 {
		f.t.Errorf("%d calls were asked again, want 0", repeated)
	}
}

// While the engine is away, sessions that run end, and no call is made twice.
func TestOnServerEngineRestarts(t *testing.T) {
	f := newFleet(t)
	disturbed(t, f, "engine", 5, func([]*machine) {
		f.engine.Kill()
		time.Sleep(2 * beat)
		if err := f.engine.Run(); err != nil {
			t.Error(err)
		}
	})
	f.mustNotRepeat()
}

// The database of brenner and of the engine restarts.
func TestOnServerDatabaseRestarts(t *testing.T) {
	f := newFleet(t)
	disturbed(t, f, "database", 5, func([]*machine) {
		f.postgres.Crash()
		if err := f.postgres.Run(); err != nil {
			t.Error(err)
		}
	})
	f.mustNotRepeat()
}

// A worker that is stopped for longer than its heartbeats may be missing continues its sessions.
func TestOnServerWorkerStopsAndContinues(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	disturbed(t, f, "pause", 5, func(workers []*machine) {
		workers[0].signal(syscall.SIGSTOP)
		time.Sleep(3 * beat)
		workers[0].signal(syscall.SIGCONT)
	})
	f.mustNotRepeat()
}

// A worker that is stopped by its service manager lets its calls finish; the other one continues its sessions.
func TestOnServerWorkerDrains(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	disturbed(t, f, "drain", 5, func(workers []*machine) {
		workers[0].signal(syscall.SIGTERM)
		if code := workers[0].wait(); code != 0 {
			t.Errorf("exit %d\n%s", code, workers[0].out)
		}
	})
	f.mustNotRepeat()
}

// A worker that reaches neither the engine nor the database stops, and its sessions run elsewhere.
func TestOnServerWorkerIsCutOff(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	database, engine := postgrestest.NewProxy(t, f.address()), postgrestest.NewProxy(t, "@"+f.engine.Address+"/")
	cut := f.machine("BRENNER_STORE="+database.Through(f.address()), "BRENNER_ENGINE_TEMPORAL_ADDRESS=127.0.0.1:"+strconv.Itoa(engine.Port))
	cut.work("--at-once", strconv.Itoa(atOnce))
	disturbed(t, f, "cut", 8, func([]*machine) {
		for _, p := range []*postgrestest.Proxy{database, engine} {
			p.Do(postgrestest.Stall)
		}
	})
	for _, p := range []*postgrestest.Proxy{database, engine} {
		p.Do(postgrestest.None)
		p.Cut()
	}
	cut.signal(syscall.SIGTERM)
	cut.wait()
	if strings.Contains(cut.out.String(), "panic") {
		t.Error(cut.out)
	}
}
