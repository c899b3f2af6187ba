package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"brenner/internal/fault"
	"brenner/store"
)

// identity is what a file says of itself.
type identity struct {
	application int
	version     int
	objects     int // tables, indexes and the like
}

// empty is a file that nobody has put anything into.
func (i identity) empty() bool { return i == identity{} }

// querier is a connection, or several.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readIdentity(ctx context.Context, q querier) (i identity, err error) {
	err = q.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&i.application, &i.version, &i.objects)
	return i, err
}

// checkIdentity refuses a file that is none of ours, or of a later time.
func (s *Store) checkIdentity(i identity, newest int) error {
	switch {
	case i.empty():
		return nil
	case i.application != applicationID:
		return &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.file, Detail: "this is an SQLite file of another program",
			Hint: "move it elsewhere; it was not changed",
		}
	case i.version > newest:
		return &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.file,
			Detail: fmt.Sprintf("the store has version %d, and this program knows versions up to %d", i.version, newest),
			Hint:   "use the newer brenner that made it; the file was not changed",
		}
	}
	return nil
}

// errOlder is the cause where a store of an older program was only to be read.
var errOlder = errors.New("an older program made it")

// checkReadable looks whether a store that is only read can be.
func (s *Store) checkReadable(ctx context.Context, newest int) error {
	var i identity
	err := Waiting(ctx, s.wait, func() (err error) {
		i, err = readIdentity(ctx, s.reader.db)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.checkIdentity(i, newest); err != nil {
		return err
	}
	switch {
	case i.empty():
		return s.noStore()
	case i.version < newest:
		return &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.file,
			Detail: fmt.Sprintf("the store has the older version %d, and reading it needs version %d", i.version, newest),
			Hint:   "`brenner session list` upgrades it, and keeps a copy",
			Cause:  errOlder,
		}
	}
	return nil
}
