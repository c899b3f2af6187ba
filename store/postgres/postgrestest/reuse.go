package postgrestest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Emptied projects are listed in a table of the test binary's server.
const (
	takeEmptied = "DELETE FROM emptied WHERE project = (SELECT project FROM emptied LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING project"
	// empty deletes the rows of all tables but meta: TRUNCATE would write the files of each table again.
	empty = `DO $$ DECLARE one text; BEGIN
		FOR one IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'brenner_PROJECT' AND tablename <> 'meta' LOOP
			EXECUTE 'DELETE FROM ' || one;
		END LOOP;
		INSERT INTO emptied VALUES ('PROJECT');
	END $$`
)

// Reuse returns the name of a project that Empty has emptied, for one test only, or "".
func Reuse(t testing.TB) (project string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, Base())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, takeEmptied).Scan(&project); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	return project
}

// Empty empties a project for another test.
func Empty(t testing.TB, project string) {
	t.Helper()
	Exec(t, Base(), strings.ReplaceAll(empty, "PROJECT", project))
}
