package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/store"
)

// Leases are the times of locks. The zero value means 30 s, 5 s and 28 s.
type Leases struct {
	// Term is after how long without renewal another process may take a lock, by the server's clock.
	Term time.Duration
	// Renew is how often the locks of a process are renewed.
	Renew time.Duration
	// Lost is after how long without renewal a process counts its locks as lost, by its own clock. It is a little
	// shorter than Term: until then, a renewal keeps a lock that no other process could take.
	Lost time.Duration

	// clock replaces the process's clock in tests.
	clock clock
}

// clock is a monotonic clock.
type clock interface {
	Now() time.Time
	// After returns a channel that receives after a duration.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// locks are the leases of a process. One goroutine renews all of them while there are any.
type locks struct {
	store *Store
	times Leases
	owner string // names this use of the store

	mu      sync.Mutex
	next    int64
	held    map[int64]*lease
	running bool
	stop    chan struct{} // closed by close
	ended   sync.WaitGroup
}

func (l *locks) init(s *Store, t Leases) {
	l.store, l.owner, l.held, l.stop = s, rand.Text(), map[int64]*lease{}, make(chan struct{})
	t.Term, t.Renew, t.Lost = cmp.Or(t.Term, 30*time.Second), cmp.Or(t.Renew, 5*time.Second), cmp.Or(t.Lost, 28*time.Second)
	if t.clock == nil {
		t.clock = systemClock{}
	}
	l.times = t
}

// lease is a row of the table holders.
type lease struct {
	locks   *locks
	name    string
	mark    int64
	renewed time.Time // when the last successful renewal was sent
	lost    chan struct{}
	gone    bool // lost is closed
}

// Hold implements store.Locks.
func (s *Store) Hold(name string, who store.Holder) (store.Lease, error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	op := "lock " + fault.Shown(name)
	ctx := context.Background()
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	l, err := s.locks.take(ctx, op, name, who)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// until is the end of a term that begins now, by the server's clock.
const until = "clock_timestamp() + $1::bigint * interval '1 millisecond'"

// take inserts a row, or takes over one whose term has ended.
func (l *locks) take(ctx context.Context, op, name string, who store.Holder) (*lease, error) {
	text, err := json.Marshal(who)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.next++
	mark := l.next
	l.mu.Unlock()
	var began time.Time
	var got bool
	var holder store.Holder
	err = l.store.patiently(ctx, op, l.store.wait, func(ctx context.Context) error {
		began = l.times.clock.Now()
		// After a lost answer, the row may already be there.
		tag, err := l.store.pool.Exec(ctx, l.store.sql(`INSERT INTO ~.holders AS h (name, who, owner, mark, until) VALUES ($2, $3, $4, $5, `+until+`)
			ON CONFLICT (name) DO UPDATE SET who = excluded.who, owner = excluded.owner, mark = excluded.mark, until = excluded.until
			WHERE h.until <= clock_timestamp() OR h.owner = $4 AND h.mark = $5`),
			l.times.Term.Milliseconds(), name, string(text), l.owner, mark)
		if got = err == nil && tag.RowsAffected() == 1; got || err != nil {
			return err
		}
		holder, _, err = l.holder(ctx, name)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !got:
		err := store.HeldError(name, holder)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			f.Hint = fmt.Sprintf("wait for that process to end, or end it; if it died, its lock ends within %s: run the command again", l.times.Term)
		}
		return nil, err
	}
	return l.keep(name, mark, began), nil
}

func (l *locks) keep(name string, mark int64, began time.Time) *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := &lease{locks: l, name: name, mark: mark, renewed: began, lost: make(chan struct{})}
	l.held[mark] = one
	if !l.running {
		l.running = true
		l.ended.Go(l.renewAll)
	}
	return one
}

// HolderOf implements store.Locks.
func (s *Store) HolderOf(name string) (who store.Holder, held bool, err error) {
	if err := store.CheckLockName(name); err != nil {
		return who, false, err
	}
	op := "look at the lock " + fault.Shown(name)
	ctx := context.Background()
	leave, err := s.enter(ctx, op)
	if err != nil {
		return who, false, err
	}
	defer leave()
	err = s.patiently(ctx, op, s.wait, func(ctx context.Context) error {
		who, held, err = s.locks.holder(ctx, name)
		return err
	})
	return who, held, err
}

func (l *locks) holder(ctx context.Context, name string) (who store.Holder, held bool, err error) {
	rows, err := l.store.pool.Query(ctx, l.store.sql("SELECT who FROM ~.holders WHERE name = $1 AND until > clock_timestamp()"), name)
	if err != nil {
		return who, false, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(found) == 0 {
		return who, false, err
	}
	_ = json.Unmarshal([]byte(found[0]), &who) // an unknown holder is one, too
	return who, true, nil
}

// renewAll renews the leases until there are none, or the store is closed.
func (l *locks) renewAll() {
	wake := l.times.clock.After(l.times.Renew)
	for {
		select {
		case <-l.stop:
			return
		case <-wake:
		}
		failed := l.renew()
		l.mu.Lock()
		if len(l.held) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		next := l.times.Renew
		if failed {
			next = min(time.Second, l.times.Renew/4, l.left(l.times.clock.Now()))
		}
		l.mu.Unlock()
		wake = l.times.clock.After(next)
	}
}

// left returns how long it is until a lease is lost without renewal.
func (l *locks) left(now time.Time) time.Duration {
	left := l.times.Lost
	for _, one := range l.held {
		left = min(left, l.times.Lost-now.Sub(one.renewed))
	}
	return left
}

// renew renews the leases and tells those that are lost. It reports whether the server did not answer.
func (l *locks) renew() (failed bool) {
	l.mu.Lock()
	began := l.times.clock.Now()
	l.expire(began)
	limit := min(2*l.times.Renew, l.left(began)) // to tell in time that a lease is lost
	var marks []int64
	for mark := range l.held {
		marks = append(marks, mark)
	}
	l.mu.Unlock()
	if len(marks) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var renewed []int64
	rows, err := l.store.renewals.Query(ctx, l.store.sql("UPDATE ~.holders SET until = "+until+" WHERE owner = $2 AND mark = ANY($3::bigint[]) RETURNING mark"),
		l.times.Term.Milliseconds(), l.owner, marks)
	if err == nil {
		renewed, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		kept := make(map[int64]bool, len(renewed))
		for _, mark := range renewed {
			kept[mark] = true
		}
		for _, mark := range marks {
			one, ok := l.held[mark]
			switch {
			case !ok: // released meanwhile
			case kept[mark]:
				one.renewed = began
			default: // another process has taken it over
				l.lose(one)
			}
		}
	}
	l.expire(l.times.clock.Now())
	return err != nil
}

// expire tells the leases that could not be renewed for too long.
func (l *locks) expire(now time.Time) {
	for _, one := range l.held {
		if now.Sub(one.renewed) >= l.times.Lost {
			l.lose(one)
		}
	}
}

func (l *locks) lose(one *lease) {
	delete(l.held, one.mark)
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
	l.locks.mu.Lock()
	_, held := l.locks.held[l.mark]
	delete(l.locks.held, l.mark)
	l.locks.mu.Unlock()
	s := l.locks.store
	op := "release the lock " + fault.Shown(l.name)
	ctx := context.Background()
	if !held {
		return nil
	}
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil // closing the store has released it
	}
	defer leave()
	return s.patiently(ctx, op, s.wait, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql("DELETE FROM ~.holders WHERE name = $1 AND owner = $2 AND mark = $3"), l.name, l.locks.owner, l.mark)
		return err
	})
}

// close ends all leases. It does not wait for a server that does not answer: they end by themselves.
func (l *locks) close() error {
	close(l.stop)
	l.ended.Wait()
	l.mu.Lock()
	marks := len(l.held)
	for _, one := range l.held {
		l.lose(one)
	}
	l.mu.Unlock()
	if marks == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(l.times.Renew, dialTimeout))
	defer cancel()
	_, err := l.store.pool.Exec(ctx, l.store.sql("DELETE FROM ~.holders WHERE owner = $1"), l.owner)
	return l.store.fault("release the locks", err)
}
