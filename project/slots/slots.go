// Package slots limits the calls in flight to endpoints: those of this process or, by leases in a store, those of
// all processes and machines that share it.
//
// It promises that a process never exceeds its own limit, and that processes with equal limits do not exceed it
// together while they can renew their leases. It must not know what a call is about.
package slots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/store"
)

// Endpoints are the limits of endpoints, by address. They are made on demand: a resumed session may use other
// endpoints than the current configuration. The zero value limits this process.
type Endpoints struct {
	// Pick returns a number below n, by which processes do not ask in step; nil picks at random.
	Pick func(n int) int

	mu     sync.Mutex
	of     map[string]agent.Limiter
	shared []*agent.SharedSlots
	locks  store.Locks // nil if the limits are those of this process
	holder func(doing string) store.Holder
}

// Share keeps slots made from now on in a store, which other processes and machines may use, too. holder describes
// this process to them.
func (e *Endpoints) Share(locks store.Locks, holder func(doing string) store.Holder) {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.of)
	e.locks, e.holder = locks, holder
}

// At returns the limit of an endpoint to n calls, at least 1.
func (e *Endpoints) At(address string, n int) agent.Limiter {
	address = baseurl.Normal(address)
	e.mu.Lock()
	defer e.mu.Unlock()
	if have, ok := e.of[address]; ok {
		return have
	}
	var made agent.Limiter = agent.NewSlots(n)
	if e.locks != nil {
		shared := agent.NewSharedSlots(n, newQueue(e, address, n).take)
		e.shared, made = append(e.shared, shared), shared
	}
	if e.of == nil {
		e.of = make(map[string]agent.Limiter)
	}
	e.of[address] = made
	return made
}

// Wait waits until the slots of calls that have ended are released. No call may begin meanwhile.
func (e *Endpoints) Wait() {
	e.mu.Lock()
	shared := e.shared
	e.mu.Unlock()
	for _, one := range shared {
		one.Wait()
	}
}

// prefix begins the names of all locks of this package.
const prefix = "slot-"

// IsLock reports whether a lock of a store is one of this package.
func IsLock(name string) bool { return strings.HasPrefix(name, prefix) }

// queue takes the slots of one endpoint in a store, where each is a lock. Processes wait for a slot one at a time,
// as holders of another lock. Otherwise a process with many calls, which takes a slot again as soon as it has
// released it, would keep out those that only look now and then.
type queue struct {
	locks   store.Locks
	holder  func(doing string) store.Holder
	address string // as shown to people
	head    string // the lock of the first process in the queue
	slots   []string
	pick    func(n int) int

	mu  sync.Mutex
	own map[string]bool // slots that this process holds
}

func newQueue(e *Endpoints, address string, n int) *queue {
	key, pick := address, e.Pick
	if pick == nil {
		pick = rand.IntN
	}
	if baseurl.IsLocal(address) { // another endpoint on each machine
		key += " on " + e.holder("").Host
	}
	sum := sha256.Sum256([]byte(key))
	name := prefix + hex.EncodeToString(sum[:8]) + "-"
	q := &queue{locks: e.locks, holder: e.holder, address: baseurl.Shown(address), head: name + "next", own: make(map[string]bool), pick: pick}
	for i := range n {
		q.slots = append(q.slots, name+strconv.Itoa(i))
	}
	return q
}

// take is an agent.Take. It is called for one call at a time.
//
// Nothing watches the lease of a call in flight. If the store cannot be reached for 28 s, the lease is lost and
// another process may take the slot, so that the limit may be exceeded until the call ends. To cancel it would
// save nothing: its reply is paid for, and the session keeps it.
func (q *queue) take(ctx context.Context) (release func(), err error) {
	_, head, err := q.hold(ctx, "waiting call to ", func() []string { return []string{q.head} })
	if err != nil {
		return nil, err
	}
	name, lease, err := q.hold(ctx, "call to ", q.free)
	end(head)
	if err != nil {
		return nil, err
	}
	q.mark(name, true)
	return func() {
		end(lease)
		q.mark(name, false)
	}, nil
}

// end releases a lease. If that fails, the lease ends by itself, because it is no longer renewed.
func end(lease store.Lease) { _ = lease.Release() }

func (q *queue) mark(name string, own bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.own[name] = own
}

// free returns the slots that this process does not hold, beginning with any one.
func (q *queue) free() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []string
	first := q.pick(len(q.slots))
	for i := range q.slots {
		if name := q.slots[(first+i)%len(q.slots)]; !q.own[name] {
			all = append(all, name)
		}
	}
	return all
}

// hold locks one of several names as soon as it can, or fails when ctx ends or the store fails.
func (q *queue) hold(ctx context.Context, doing string, names func() []string) (string, store.Lease, error) {
	for {
		for _, name := range names() {
			if ctx.Err() != nil {
				return "", nil, ctx.Err()
			}
			lease, err := q.locks.Hold(name, q.holder(doing+q.address))
			if err == nil {
				return name, lease, nil
			}
			if fault.CodeOf(err) != store.Held {
				return "", nil, err
			}
		}
		q.pause(ctx)
	}
}

// pollEvery is about how often to ask for a slot while all are held. One call of each process asks.
const pollEvery = 250 * time.Millisecond

// pause waits about pollEvery, or until ctx ends. Processes must not ask in step.
func (q *queue) pause(ctx context.Context) {
	timer := time.NewTimer(pollEvery/2 + time.Duration(q.pick(int(pollEvery))))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
