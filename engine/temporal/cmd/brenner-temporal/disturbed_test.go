package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/store/postgres/postgrestest"
)

// envKills is the variable with the number of kills of TestOnServerKills.
const envKills = "BRENNER_TEST_ENGINE_KILLS"

const (
	perLoop = 8
	atOnce  = 3
)

// Workers are killed at random calls. Every session has the bytes of an undisturbed run, and no answered call is asked again.
func TestOnServerKills(t *testing.T) {
	wanted := number(envKills, 5)
	f := newFleet(t)
	workers := []*machine{f.machine().work("--at-once", strconv.Itoa(atOnce)), f.machine().work("--at-once", strconv.Itoa(atOnce))}
	random := rand.New(rand.NewPCG(1, 2))
	user := f.machine()
	kills := 0
	for n := 1; kills < wanted && !t.Failed(); n++ {
		name := "night" + strconv.Itoa(n)
		due := make(chan *machine, 1)
		again := func() { f.when(1+random.IntN(10), func() { due <- workers[random.IntN(len(workers))] }) }
		again()
		user.start("", "loop", "run", user.plan(name, perLoop, 2*atOnce), "--run", "k", "--place", "temporal", "-v")
		for running := true; running; {
			select {
			case w := <-due:
				w.signal(syscall.SIGKILL)
				w.wait()
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
	}
	calls, requests, repeated := f.counts()
	t.Logf("%d kills: %d calls, %d requests, %d calls in flight asked again", kills, calls, requests, repeated)
	if repeated > kills*atOnce*3 {
		t.Errorf("%d calls asked again, which is more than were in flight", repeated)
	}
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
