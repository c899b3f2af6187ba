// Package lease keeps locks that end by themselves: rows of a table that a process renews, and that another
// process may take over once a row's term has ended by the table's clock.
//
// It promises that a process counts a lock as lost before another process can take it, however the table
// fails to answer. It must not know where the table is.
package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/store"
)

// Times are the times of locks. The zero value means 30 s, 5 s and 28 s, by the system's clock.
type Times struct {
	// Term is after how long without renewal another process may take a lock, by the table's clock.
	Term time.Duration
	// Renew is how often the locks of a process are renewed.
	Renew time.Duration
	// Lost is after how long without renewal a process counts its locks as lost, by its own clock. It is a little
	// shorter than Term: until then, a renewal keeps a lock that no other process could take.
	Lost time.Duration
	// Clock is the process's clock; nil means the system's.
	Clock Clock
}

// Clock is a monotonic clock.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives after a duration.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Key names a row: a use of the table, and a lock among those of this use.
type Key struct {
	Owner string
	Mark  int64
}

// Table keeps the rows. Take, Holder and Release wait for a table that does not answer; Renew and ReleaseAll do not.
type Table interface {
	// Take inserts a row, or takes over one whose term has ended. It reports false if another row has the name.
	// A row with the key is the caller's own, from an attempt whose answer was lost. sending is called before
	// each attempt.
	Take(ctx context.Context, name string, who store.Holder, k Key, term time.Duration, sending func()) (bool, error)
	// Holder returns the holder of a name whose term has not ended.
	Holder(ctx context.Context, name string) (store.Holder, bool, error)
	// Renew begins new terms for rows, and returns the marks of those that still exist.
	Renew(ctx context.Context, owner string, marks []int64, term time.Duration) ([]int64, error)
	// Release removes a row.
	Release(ctx context.Context, name string, k Key) error
	// ReleaseAll removes all rows of an owner.
	ReleaseAll(ctx context.Context, owner string) error
}

// Keeper is a store.Locks: the locks of a process. One goroutine renews all of them while there are any.
type Keeper struct {
	table Table
	times Times
	owner string

	mu      sync.Mutex
	next    int64
	held    map[int64]*lease
	running bool
	stop    chan struct{} // closed by Close
	ended   sync.WaitGroup
}

// NewKeeper returns a keeper without locks.
func NewKeeper(table Table, t Times) *Keeper {
	t.Term, t.Renew, t.Lost = cmp.Or(t.Term, 30*time.Second), cmp.Or(t.Renew, 5*time.Second), cmp.Or(t.Lost, 28*time.Second)
	if t.Clock == nil {
		t.Clock = systemClock{}
	}
	return &Keeper{table: table, times: t, owner: rand.Text(), held: make(map[int64]*lease), stop: make(chan struct{})}
}

// Now returns the time of the keeper's clock.
func (k *Keeper) Now() time.Time { return k.times.Clock.Now() }

// lease is a row of the table.
type lease struct {
	keeper  *Keeper
	name    string
	mark    int64
	renewed time.Time // when the last successful renewal was sent
	lost    chan struct{}
	gone    bool // lost is closed
}

// Hold implements store.Locks.
func (k *Keeper) Hold(name string, who store.Holder) (store.Lease, error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	ctx := context.Background()
	k.mu.Lock()
	k.next++
	mark := k.next
	k.mu.Unlock()
	var began time.Time
	got, err := k.table.Take(ctx, name, who, Key{k.owner, mark}, k.times.Term, func() { began = k.Now() })
	if err != nil {
		return nil, err
	}
	if got {
		return k.keep(name, mark, began), nil
	}
	holder, _, err := k.table.Holder(ctx, name)
	if err != nil {
		return nil, err
	}
	return nil, k.HeldError(name, holder)
}

// HeldError returns the error for a name that another process holds.
func (k *Keeper) HeldError(name string, holder store.Holder) error {
	err := store.HeldError(name, holder)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.Hint = fmt.Sprintf("wait for that process to end, or end it; if it died, its lock ends within %s: run the command again", k.times.Term)
	}
	return err
}

func (k *Keeper) keep(name string, mark int64, began time.Time) *lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := &lease{keeper: k, name: name, mark: mark, renewed: began, lost: make(chan struct{})}
	k.held[mark] = one
	if !k.running {
		k.running = true
		k.ended.Go(k.renewAll)
	}
	return one
}

// HolderOf implements store.Locks.
func (k *Keeper) HolderOf(name string) (who store.Holder, held bool, err error) {
	if err := store.CheckLockName(name); err != nil {
		return who, false, err
	}
	return k.table.Holder(context.Background(), name)
}

// renewAll renews the leases until there are none, or the keeper is closed.
func (k *Keeper) renewAll() {
	wake := k.times.Clock.After(k.times.Renew)
	for {
		select {
		case <-k.stop:
			return
		case <-wake:
		}
		failed := k.renew()
		now := k.Now()
		k.mu.Lock()
		if len(k.held) == 0 {
			k.running = false
			k.mu.Unlock()
			return
		}
		next := k.times.Renew
		if failed {
			next = min(time.Second, k.times.Renew/4, k.left(now))
		}
		k.mu.Unlock()
		wake = k.times.Clock.After(next)
	}
}

// left returns how long it is until a lease is lost without renewal.
func (k *Keeper) left(now time.Time) time.Duration {
	left := k.times.Lost
	for _, one := range k.held {
		left = min(left, k.times.Lost-now.Sub(one.renewed))
	}
	return left
}

// renew renews the leases and tells those that are lost. It reports whether the table did not answer.
func (k *Keeper) renew() (failed bool) {
	began := k.Now()
	k.mu.Lock()
	k.expire(began)
	limit := min(2*k.times.Renew, k.left(began)) // to tell in time that a lease is lost
	marks := slices.Sorted(maps.Keys(k.held))
	k.mu.Unlock()
	if len(marks) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	renewed, err := k.table.Renew(ctx, k.owner, marks, k.times.Term)
	now := k.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		for _, mark := range marks {
			one, ok := k.held[mark]
			switch {
			case !ok: // released meanwhile
			case slices.Contains(renewed, mark):
				one.renewed = began
			default: // another process has taken it over
				k.lose(one)
			}
		}
	}
	k.expire(now)
	return err != nil
}

// expire tells the leases that could not be renewed for too long.
func (k *Keeper) expire(now time.Time) {
	for _, one := range k.held {
		if now.Sub(one.renewed) >= k.times.Lost {
			k.lose(one)
		}
	}
}

func (k *Keeper) lose(one *lease) {
	delete(k.held, one.mark)
	if !one.gone {
		one.gone = true
		close(one.lost)
	}
}

// Lost implements store.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements store.Lease. A lease that was lost may belong to another process: its row has
// another owner then.
func (l *lease) Release() error {
	k := l.keeper
	k.mu.Lock()
	_, held := k.held[l.mark]
	delete(k.held, l.mark)
	k.mu.Unlock()
	if !held {
		return nil
	}
	err := k.table.Release(context.Background(), l.name, Key{k.owner, l.mark})
	if fault.CodeOf(err) == store.Closed {
		return nil // closing the store has released it
	}
	return err
}

// Close ends all leases. It does not wait for a table that does not answer: they end by themselves.
func (k *Keeper) Close() error {
	close(k.stop)
	k.ended.Wait()
	k.mu.Lock()
	held := len(k.held)
	for _, one := range k.held {
		k.lose(one)
	}
	k.mu.Unlock()
	if held == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.times.Renew)
	defer cancel()
	return k.table.ReleaseAll(ctx, k.owner)
}
