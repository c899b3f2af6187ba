package postgres

import (
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/lease"
	"brenner/store/postgres/postgrestest"
)

// testClock is moved by tests. Each timer is started once per round of renewals.
type testClock struct {
	mu     sync.Mutex
	now    time.Time
	timers chan chan time.Time
}

func newClock() *testClock {
	return &testClock{now: time.Now(), timers: make(chan chan time.Time, 16)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) After(time.Duration) <-chan time.Time {
	timer := make(chan time.Time, 1)
	c.timers <- timer
	return timer
}

// pass moves the clock, lets the renewals of one round happen and returns the timer of the next one.
func (c *testClock) pass(timer chan time.Time, d time.Duration) chan time.Time {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.mu.Unlock()
	timer <- c.now
	return <-c.timers
}

func isLost(l store.Lease) bool {
	select {
	case <-l.Lost():
		return true
	default:
		return false
	}
}

// take holds a name as soon as it is free.
func take(t *testing.T, s *Store, name string) store.Lease {
	t.Helper()
	for t.Context().Err() == nil {
		l, err := s.Hold(name, store.Holder{PID: 2})
		if fault.CodeOf(err) == store.Held {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	t.Fatal(t.Context().Err())
	return nil
}

// A process that stops renewing loses its lease: another one takes it, and both know.
func TestLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	clock := newClock()
	one := openAt(t, address, Options{Leases: lease.Times{Term: 200 * time.Millisecond, Clock: clock}})
	other := openAt(t, address, Options{})
	lease, err := one.Hold("a", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	timer := <-clock.timers
	taken := take(t, other, "a") // the clock of the first stands still
	if isLost(lease) {
		t.Error("lost before the process can know")
	}
	clock.now = clock.now.Add(time.Second)
	timer <- clock.now
	<-lease.Lost()
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
	if who, held, err := one.HolderOf("a"); err != nil || !held || who.PID != 2 {
		t.Errorf("%v, %v, %v", who, held, err)
	}
	if err := taken.Release(); err != nil || isLost(taken) {
		t.Error(err)
	}
}

// Renewals keep a lease, also over a short absence of the server. A long one loses it.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	proxy := postgrestest.NewProxy(t, address)
	clock := newClock()
	one := openAt(t, proxy.Through(address), Options{Leases: lease.Times{Clock: clock}})
	other := openAt(t, address, Options{})
	lease, err := one.Hold("a", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	timer := <-clock.timers
	for range 5 {
		timer = clock.pass(timer, 10*time.Second)
	}
	if isLost(lease) {
		t.Fatal("lost, although it was renewed")
	}
	table := postgrestest.Schema(address) + ".holders"
	postgrestest.Exec(t, address, "ALTER TABLE "+table+" RENAME TO away") // renewals fail
	timer = clock.pass(timer, 10*time.Second)
	timer = clock.pass(timer, 17*time.Second)
	if isLost(lease) {
		t.Fatal("lost after 27 seconds without the server")
	}
	postgrestest.Exec(t, address, "ALTER TABLE "+strings.Replace(table, "holders", "away", 1)+" RENAME TO holders")
	timer = clock.pass(timer, 0)
	timer = clock.pass(timer, 27*time.Second)
	if isLost(lease) {
		t.Fatal("lost, although the server was back in time")
	}
	proxy.Close()
	timer = clock.pass(timer, 10*time.Second)
	timer = clock.pass(timer, 17*time.Second)
	if _, err := other.Hold("a", store.Holder{PID: 2}); fault.CodeOf(err) != store.Held || !strings.Contains(fault.HintOf(err), "within 30s") {
		t.Errorf("taken over within the term: %v", err)
	}
	clock.now = clock.now.Add(time.Second)
	timer <- clock.now
	<-lease.Lost()
}

// Another program that removes the row takes the lease away.
func TestRemovedLeaseIsLost(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	clock := newClock()
	s := openAt(t, address, Options{Leases: lease.Times{Clock: clock}})
	gone, err := s.Hold("a", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Hold("b", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	postgrestest.Exec(t, address, "DELETE FROM "+postgrestest.Schema(address)+".holders WHERE name = 'a'")
	clock.pass(<-clock.timers, 10*time.Second)
	if !isLost(gone) || isLost(kept) {
		t.Errorf("lost: %t, %t", isLost(gone), isLost(kept))
	}
}

// Closing a store ends its leases.
func TestCloseEndsLeases(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	one, other := openAt(t, address, Options{}), openAt(t, address, Options{})
	lease, err := one.Hold("a", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if !isLost(lease) || lease.Release() != nil {
		t.Error("the lease of a closed store is held")
	}
	if _, held, err := other.HolderOf("a"); held || err != nil {
		t.Error(held, err)
	}
}

// The clocks of server and process may differ by an hour: leases and reads do not care, and Health shows it.
func TestClockOfTheServer(t *testing.T) {
	t.Parallel()
	clock := newClock()
	clock.now = clock.now.Add(-time.Hour)
	address := postgrestest.Address(t)
	s, other := openAt(t, address, Options{Leases: lease.Times{Clock: clock}}), openAt(t, address, Options{})
	h, err := s.Health(t.Context())
	if err != nil || h.Skew < 59*time.Minute || h.Skew > 61*time.Minute {
		t.Errorf("%+v, %v", h, err)
	}
	lease, err := s.Hold("a", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Hold("a", store.Holder{PID: 2}); fault.CodeOf(err) != store.Held {
		t.Error(err)
	}
	clock.pass(<-clock.timers, 10*time.Second)
	if isLost(lease) {
		t.Error("lost")
	}
}
