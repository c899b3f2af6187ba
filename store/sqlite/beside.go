package sqlite

import (
	"context"
	"database/sql"
	"time"
)

// What stands here is for other files that a project keeps beside its store, so
// that they are as durable and say the same when something is wrong.

// Pool gives connections to a file that is opened in a mode of SQLite's ("ro",
// "rwc"), with everything set that decides about durability.
func Pool(file, mode string, limit int) (*sql.DB, error) { return openPool(file, mode, limit) }

// Waiting repeats do while others are busy, for as long as the limit and the
// context allow.
func Waiting(ctx context.Context, limit time.Duration, do func() error) error {
	return waiting(ctx, limit, do)
}

// Transaction waits for the file's write lock and does something whole or not at
// all. What has begun runs to its end, and is taken back if the context ended.
func Transaction(ctx context.Context, conn *sql.Conn, wait time.Duration, do func(ctx context.Context) error) error {
	return inTransaction(ctx, conn, wait, do)
}
