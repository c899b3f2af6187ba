package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/record"
	"brenner/store/storetest"
)

// newUser creates a database user without rights, and returns the address for it.
func newUser(t *testing.T, address string) (user, theirs string) {
	t.Helper()
	user = strings.Replace(postgrestest.Schema(address), "brenner_", "user_", 1)
	postgrestest.Exec(t, address, "CREATE ROLE "+user+" LOGIN PASSWORD '"+planted+"'")
	t.Cleanup(func() { postgrestest.Exec(t, address, "DROP OWNED BY "+user, "DROP ROLE "+user) })
	return user, strings.Replace(address, postgrestest.User+"@", user+"@", 1)
}

// askAs returns the health of a project as a user sees it.
func askAs(t *testing.T, address string) *Health {
	t.Helper()
	h, err := Ask(t.Context(), parse(t, address), Options{dial: func(c *pgconn.Config) { c.Password = planted }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The server is described before the project exists, with what the user lacks to create it.
func TestAskBeforeTheProject(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	user, theirs := newUser(t, address)
	h := askAs(t, theirs)
	if h.Version == "" || h.User != user || h.Encoding != "UTF8" || h.Latency <= 0 || h.Exists || h.CanCreate {
		t.Errorf("%+v", h)
	}
	wantFault(t, h.Refused, store.Denied, "no right CREATE on the database postgres")
	if hint := fault.HintOf(h.Refused); !strings.Contains(hint, `GRANT CREATE ON DATABASE "postgres" TO "`+user+`"`) {
		t.Error(hint)
	}
	// An administrator may create the schema for the user instead.
	postgrestest.Exec(t, address, "CREATE SCHEMA "+postgrestest.Schema(address)+" AUTHORIZATION "+user)
	if h := askAs(t, theirs); h.Refused != nil || h.Exists || !h.CanCreate {
		t.Errorf("%+v", h)
	}
	s, err := openWith(t.Context(), parse(t, theirs), planted, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The rights that Health asks for are enough to work, and each of them is needed.
func TestRights(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	owner := openAt(t, address, Options{})
	user, theirs := newUser(t, address)
	schema := postgrestest.Schema(address)
	postgrestest.Exec(t, address, "GRANT USAGE ON SCHEMA "+schema+" TO "+user, "GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+user)
	h := askAs(t, theirs)
	wantFault(t, h.Refused, store.Denied, "can read it, but not write: no right INSERT on 11 tables, UPDATE on 4 tables, DELETE on holders, tips")
	if h.CanCreate || !h.Exists {
		t.Errorf("%+v", h)
	}
	_, statements, _ := strings.Cut(fault.HintOf(h.Refused), "`")
	statements, _, _ = strings.Cut(statements, "`")
	postgrestest.Exec(t, address, strings.Split(statements, ";")...)
	if h := askAs(t, theirs); h.Refused != nil {
		t.Errorf("after %s: %v", statements, h.Refused)
	}
	columns := neededRights()
	tables, rights := columns[0].([]string), columns[1].([]string)
	for n := range len(tables) + 1 { // without the n-th; the last time with all
		change := []string{"REVOKE ALL ON ALL TABLES IN SCHEMA " + schema + " FROM " + user}
		for i := range tables {
			if i != n {
				change = append(change, "GRANT "+rights[i]+" ON "+schema+"."+tables[i]+" TO "+user)
			}
		}
		postgrestest.Exec(t, address, change...)
		missing, err := askAs(t, theirs).Missing, work(t, theirs, n)
		switch {
		case n == len(tables) && (len(missing) > 0 || err != nil):
			t.Errorf("with all rights: missing %q, %v", missing, err)
		case n < len(tables) && (len(missing) != 1 || missing[0] != rights[n]+" on "+tables[n] || fault.CodeOf(err) != store.Denied):
			t.Errorf("without %s on %s: missing %q, %v", rights[n], tables[n], missing, err)
		}
	}
	if err := owner.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// work does everything that a person does with a project, as a user.
func work(t *testing.T, address string, n int) error {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	s, err := openWith(ctx, parse(t, address), planted, Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	stream, id := fmt.Sprint("s", n), fmt.Sprint("r", n)
	lease, err := s.Hold(stream, store.Holder{})
	if err != nil {
		return err
	}
	entries := storetest.Chain(t, stream, journal.Head{}, 2)
	for i := range entries {
		var after journal.Head
		if i > 0 {
			after = entries[i-1].Head()
		}
		if err := s.Write(ctx, store.Batch{Blobs: [][]byte{[]byte(stream)}, Appends: []store.Append{{Stream: stream, After: after, Entries: entries[i : i+1]}}}); err != nil {
			return err
		}
	}
	first, second := storetest.Record(id, 1), storetest.Record(id, 2)
	first.Tags = []string{"tag"}
	second.Links = []record.Link{{ID: id, Version: 1, Relation: "cites"}}
	for _, one := range []record.Record{first, second} {
		if err := s.Write(ctx, store.Batch{Records: []record.Record{one}}); err != nil {
			return err
		}
	}
	mark := record.Mark{ID: id, Version: 2, Status: record.Canonical, By: "Sydney", Reason: "it holds", At: storetest.Instant(n)}
	if err := s.Write(ctx, store.Batch{Marks: []record.Mark{mark}}); err != nil {
		return err
	}
	if err := s.Verify(ctx); err != nil {
		return err
	}
	return lease.Release()
}
