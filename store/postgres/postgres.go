// Package postgres keeps a project's store in a schema of a PostgreSQL database, shared by any
// number of processes on any number of machines.
//
// It promises: a batch is on the server's disk when Write returns without an error; a commit whose
// answer was lost is resolved, not guessed; reads and writes wait for a server that restarts; data
// read by hash has that hash; no error contains a password. Locks are leases by the server's clock.
// It works through PgBouncer in transaction mode. It must not know what blobs, events and records mean.
package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/lease"
)

const (
	defaultWait = time.Minute
	// openWait bounds the wait for a server when a store is opened: the address may be wrong.
	openWait    = 10 * time.Second
	dialTimeout = 10 * time.Second
)

// Options configure Open; the zero value works.
type Options struct {
	// ReadOnly creates and changes nothing. Without a store, Open fails with NoStore. An older store
	// is refused, since other machines use it too: a command that writes upgrades it.
	ReadOnly bool
	// Wait is how long to wait for a server that does not answer; 0 means 60 s.
	Wait time.Duration
	// Leases are the times of locks; the zero value means 30 s, 5 s and 28 s.
	Leases lease.Times

	// steps replaces the migrations in tests.
	steps []string
	// dial, if not nil, changes how the driver connects, in tests.
	dial func(*pgconn.Config)
}

// Store is a store.Store, store.Locks, store.Walker and store.Prover in a database.
type Store struct {
	address  Address
	wait     time.Duration
	readOnly bool
	steps    []string
	// undurable says that the server acknowledged commits before they were on disk when the store was opened.
	undurable bool
	// requiresTLS says that no connection is made without TLS.
	requiresTLS bool
	pool        *pgxpool.Pool
	renewals    *pgxpool.Pool // one connection, so that leases do not wait for writes
	locks       *lease.Keeper

	mu     sync.Mutex
	closed bool
	uses   sync.WaitGroup
}

// Open opens the project's store, and creates it if missing and allowed.
func Open(ctx context.Context, a Address, o Options) (*Store, error) {
	s, err := connect(ctx, a, o)
	if err != nil {
		return nil, err
	}
	if err := s.patiently(ctx, "open the store", min(s.wait, openWait), s.prepare); err != nil {
		s.disconnect()
		return nil, err
	}
	return s, nil
}

// connect returns a store whose schema is not yet checked. Connections are opened when they are needed.
func connect(ctx context.Context, a Address, o Options) (*Store, error) {
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	if o.dial != nil {
		o.dial(&config.ConnConfig.Config)
	}
	s := &Store{address: a, wait: cmp.Or(o.Wait, defaultWait), readOnly: o.ReadOnly, steps: o.steps, requiresTLS: requiresTLS(&config.ConnConfig.Config)}
	if s.steps == nil {
		s.steps = migrations()
	}
	s.locks = lease.NewKeeper(holders{s}, o.Leases)
	if s.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, s.fault("open the store", err)
	}
	one := config.Copy()
	one.MaxConns = 1
	if s.renewals, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), one); err != nil {
		s.pool.Close()
		return nil, s.fault("open the store", err)
	}
	return s, nil
}

// requiresTLS reports whether every attempt to connect uses TLS.
func requiresTLS(c *pgconn.Config) bool {
	plain := func(f *pgconn.FallbackConfig) bool { return f.TLSConfig == nil }
	return c.TLSConfig != nil && !slices.ContainsFunc(c.Fallbacks, plain)
}

// Address returns where the store is.
func (s *Store) Address() Address { return s.address }

// Durable reports whether data that was written survives a crash of the server. It does unless the
// address says durable=no and the server makes use of it.
func (s *Store) Durable() bool { return !s.undurable }

// enter begins a use of the store. leave ends it.
func (s *Store) enter(ctx context.Context, op string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Op: op, Cause: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &fault.Error{Code: store.Closed, Op: op, Place: s.address.shown, Detail: "it is closed", Hint: "open it again"}
	}
	s.uses.Add(1)
	return s.uses.Done, nil
}

// Close closes the store after uses in flight. Leases end.
func (s *Store) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was {
		return nil
	}
	s.uses.Wait()
	err := s.locks.Close()
	s.disconnect()
	return err
}

func (s *Store) disconnect() {
	s.renewals.Close()
	s.pool.Close()
}

// sql returns a statement with the schema's name in place of ~.
func (s *Store) sql(text string) string { return strings.ReplaceAll(text, "~", s.address.schema()) }
