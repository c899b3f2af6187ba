package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
)

// sqlite FILE STATEMENTS: runs SQL statements on a store file, to damage it.
func sqlite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE STATEMENTS")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1]) //nolint:noctx // a script has no context
	ts.Check(err)
	ts.Check(db.Close())
}
