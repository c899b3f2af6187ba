package postgres

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/lease"
)

// holders is the table of leases.
type holders struct{ store *Store }

// Hold implements store.Locks.
func (s *Store) Hold(name string, who store.Holder) (store.Lease, error) {
	return s.locks.Hold(name, who)
}

// HeldError returns the error for a name that another process holds.
func (s *Store) HeldError(name string, holder store.Holder) error {
	return s.locks.HeldError(name, holder)
}

// HolderOf implements store.Locks.
func (s *Store) HolderOf(name string) (store.Holder, bool, error) { return s.locks.HolderOf(name) }

// use runs a statement, and waits for a server that does not answer.
func (h holders) use(ctx context.Context, op string, do func(context.Context) error) error {
	leave, err := h.store.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	return h.store.patiently(ctx, op, h.store.wait, do)
}

// until is the end of a term that begins now, by the server's clock.
const until = "clock_timestamp() + $1::bigint * interval '1 millisecond'"

// Take implements lease.Table.
func (h holders) Take(ctx context.Context, name string, who store.Holder, k lease.Key, term time.Duration, sending func()) (got bool, err error) {
	text, err := json.Marshal(who)
	if err != nil {
		return false, err
	}
	err = h.use(ctx, "lock "+fault.Shown(name), func(ctx context.Context) error {
		sending()
		// After a lost answer, the row may already be there.
		tag, err := h.store.pool.Exec(ctx, h.store.sql(`INSERT INTO ~.holders AS h (name, who, owner, mark, until) VALUES ($2, $3, $4, $5, `+until+`)
			ON CONFLICT (name) DO UPDATE SET who = excluded.who, owner = excluded.owner, mark = excluded.mark, until = excluded.until
			WHERE h.until <= clock_timestamp() OR h.owner = $4 AND h.mark = $5`),
			term.Milliseconds(), name, string(text), k.Owner, k.Mark)
		got = err == nil && tag.RowsAffected() == 1
		return err
	})
	return got, err
}

// Holder implements lease.Table.
func (h holders) Holder(ctx context.Context, name string) (who store.Holder, held bool, err error) {
	err = h.use(ctx, "look at the lock "+fault.Shown(name), func(ctx context.Context) error {
		rows, err := h.store.pool.Query(ctx, h.store.sql("SELECT who FROM ~.holders WHERE name = $1 AND until > clock_timestamp()"), name)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if held = len(found) > 0; held {
			_ = json.Unmarshal([]byte(found[0]), &who) // an unknown holder is one, too
		}
		return err
	})
	return who, held, err
}

// Renew implements lease.Table.
func (h holders) Renew(ctx context.Context, owner string, marks []int64, term time.Duration) ([]int64, error) {
	rows, err := h.store.renewals.Query(ctx, h.store.sql("UPDATE ~.holders SET until = "+until+" WHERE owner = $2 AND mark = ANY($3::bigint[]) RETURNING mark"),
		term.Milliseconds(), owner, marks)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// Release implements lease.Table.
func (h holders) Release(ctx context.Context, name string, k lease.Key) error {
	return h.use(ctx, "release the lock "+fault.Shown(name), func(ctx context.Context) error {
		_, err := h.store.pool.Exec(ctx, h.store.sql("DELETE FROM ~.holders WHERE name = $1 AND owner = $2 AND mark = $3"), name, k.Owner, k.Mark)
		return err
	})
}

// ReleaseAll implements lease.Table. It also works while the store is being closed.
func (h holders) ReleaseAll(ctx context.Context, owner string) error {
	_, err := h.store.pool.Exec(ctx, h.store.sql("DELETE FROM ~.holders WHERE owner = $1"), owner)
	return h.store.fault("release the locks", err)
}
