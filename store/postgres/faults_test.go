package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/record"
	"brenner/store/storetest"
)

// openOn opens a store on a server of the test's own, with its password.
func openOn(t *testing.T, server *postgrestest.Server) *Store {
	t.Helper()
	s, err := openWith(t.Context(), parse(t, server.Address("postgres")+"&project=own"), server.Password, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// openWith opens a store with another password than that of the environment.
func openWith(ctx context.Context, a Address, password string, o Options) (*Store, error) {
	o.dial = func(c *pgconn.Config) { c.Password = password }
	return Open(ctx, a, o)
}

const planted = "planted-secret-31415"

// wantFault requires an error with a code and a hint, in one line and without the password.
func wantFault(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	if fault.CodeOf(err) != code || fault.HintOf(err) == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v (%s), want %s with a hint and %q", err, fault.CodeOf(err), code, text)
		return
	}
	var f *fault.Error
	for e := err; e != nil; e = errors.Unwrap(e) {
		all := fmt.Sprintf("%v %+v %#v", e, e, e)
		if errors.As(e, &f) {
			all += f.Hint
		}
		if strings.Contains(all, planted) || strings.Contains(err.Error(), "\n") {
			t.Errorf("it contains the password or several lines: %s", all)
		}
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	const good = "postgres://brenner@db.example:5433/research?project=cells&sslmode=require"
	a := parse(t, good)
	if a.Project() != "cells" || a.schema() != `"brenner_cells"` || a.String() != "postgres://brenner@db.example:5433/research?project=cells&sslmode=require" {
		t.Errorf("%s: %+v", a, a)
	}
	for text, want := range map[string]string{
		"":                            "does not begin with",
		"host=db password=" + planted: "does not begin with",
		"mysql://brenner@db/research?project=cells":                     "does not begin with",
		"postgres://u:" + planted + "@db/research?project=cells":        "a password",
		"postgres://u%3A" + planted + "@db/research?project=cells":      "a password",
		"postgres://u:@db/research?project=cells":                       "a password",
		"postgres://db/research?project=cells&password=" + planted:      "a password",
		"postgres://db/research?project=cells&sslpassword=" + planted:   "a password",
		"postgres://db/research?project=cells&PASSWORD=" + planted:      "a password",
		"postgres://u:" + planted + "@db:port/research?project=cells":   "not a valid URL",
		"postgres://db/research":                                        "project= is missing",
		"postgres://db/research?project=":                               "project= is missing",
		"postgres://db/research?project=Cells":                          "project= is missing",
		`postgres://db/research?project=a"b`:                            "project= is missing",
		"postgres://db/research?project=" + strings.Repeat("a", 41):     "project= is missing",
		"postgres://db/research?project=cells&durable=maybe":            "durable=",
		"postgres://db/research?project=cells&connections=0":            "connections=",
		"postgres://db/research?project=cells&search_path=x":            `unknown parameter`,
		"postgres://db/research?project=cells&sslmode=sometimes":        "sslmode=: not accepted: sslmode is invalid",
		"postgres://db/research?project=cells&sslrootcert=/nonexistent": "sslrootcert=: not accepted: unable to read CA file: open /nonexistent",
		"postgres://db/research?project=cells&sslcert=/nonexistent":     "sslcert=: not accepted",
		"postgres://db/research?project=cells&connect_timeout=soon":     "connect_timeout=: not accepted",
		"postgres://db/research?project=cells&require_auth=x&sslmode=x": "require_auth=: not accepted",
		"postgres://db/research?project=cells#" + planted:               "#",
		"postgres://db/research?project=%zz":                            "parameters",
		"postgres://db/research?project=cells&options=-c%20x":           "unknown parameter",
		"postgres://db/research?project=cells&dbname=other":             "dbname=",
		"postgres://db/research?project=cells&port=1":                   "port=",
		"postgres://db/research?project=cells&user=other":               "user=",
		"postgres://db,other/research?project=cells":                    "several hosts",
		"postgres:///research?project=cells&host=/run,other":            "several hosts",
		"postgres:///research?project=cells&host=/run&host=other":       "twice",
	} {
		_, err := ParseAddress(text)
		wantFault(t, err, store.BadAddress, want)
	}
}

func TestRefusedConnections(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	base, _, _ := strings.Cut(address, "&project")
	short := Options{Wait: time.Second}
	name := postgrestest.Schema(address)
	postgrestest.Exec(t, address, "CREATE ROLE "+name+"_user LOGIN PASSWORD '"+planted+"'", "CREATE DATABASE "+name+"_latin ENCODING LATIN1 TEMPLATE template0",
		"CREATE ROLE "+name+"_lax LOGIN SUPERUSER PASSWORD '"+planted+"'", "ALTER ROLE "+name+"_lax SET synchronous_commit = off")
	t.Cleanup(func() {
		postgrestest.Exec(t, address, "DROP DATABASE "+name+"_latin", "DROP ROLE "+name+"_user", "DROP ROLE "+name+"_lax")
	})
	for _, test := range []struct {
		change, to, password string
		want                 fault.Code
		text                 string
	}{
		{"", "", planted, store.Denied, "refused the login"},
		{"/postgres?", "/missing?", "", store.Denied, "no such database"},
		{postgrestest.User + "@", name + "_user@", planted, store.Denied, "lacks a right"},
		{"/postgres?", "/" + name + "_latin?", "", store.Unsupported, "LATIN1"},
		{postgrestest.User + "@", name + "_lax@", planted, store.Unsupported, "synchronous_commit is off"},
		{base[strings.Index(base, "127"):strings.Index(base, "/postgres?")], "127.0.0.1:1", "", store.Unreachable, "does not answer"},
		{"127.0.0.1", "missing.invalid", "", store.Unreachable, "cannot be reached"},
		{"sslmode=disable", "sslmode=require", "", store.Denied, "has no TLS"},
	} {
		a := parse(t, strings.Replace(address, test.change, test.to, 1))
		var err error
		if test.password != "" {
			_, err = openWith(t.Context(), a, test.password, short)
		} else {
			_, err = Open(t.Context(), a, short)
		}
		wantFault(t, err, test.want, test.text)
	}
	lax := parse(t, strings.Replace(address, postgrestest.User+"@", name+"_lax@", 1)+"&durable=no")
	s, err := openWith(t.Context(), lax, planted, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Durable() {
		t.Error("a store that may lose data says that it does not")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	postgrestest.Exec(t, address, "DROP SCHEMA "+name+" CASCADE")
}

func TestNoStore(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	_, err := Open(t.Context(), parse(t, address), Options{ReadOnly: true})
	wantFault(t, err, store.NoStore, "no store yet")
	s := openAt(t, address, Options{})
	r := openAt(t, address, Options{ReadOnly: true})
	wantFault(t, r.Write(t.Context(), store.Batch{}), store.Unwritable, "reading only")
	if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}); err != nil {
		t.Error(err)
	}
	if _, err := r.Blob(t.Context(), store.Hash([]byte{1})); err != nil {
		t.Error(err)
	}
}

func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		make string
		text string
	}{
		{"CREATE TABLE ~.things (a int)", "another program"},
		{"CREATE TABLE ~.meta (a int)", "another program"},
		{"CREATE TABLE ~.meta (program text, version int); INSERT INTO ~.meta VALUES ('x', 1)", "another program"},
		{"CREATE TABLE ~.meta (program text, version int); INSERT INTO ~.meta VALUES ('brenner', 999)", "a newer brenner"},
	} {
		address := postgrestest.Address(t)
		schema := postgrestest.Schema(address)
		postgrestest.Exec(t, address, "CREATE SCHEMA "+schema)
		for s := range strings.SplitSeq(test.make, ";") {
			postgrestest.Exec(t, address, strings.ReplaceAll(s, "~", schema))
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			_, err := Open(t.Context(), parse(t, address), o)
			wantFault(t, err, store.Unsupported, test.text)
		}
	}
	// An empty schema, made by an administrator, is used.
	address := postgrestest.Address(t)
	postgrestest.Exec(t, address, "CREATE SCHEMA "+postgrestest.Schema(address))
	openAt(t, address, Options{})
}

// An older schema is upgraded by who writes, not by who reads; processes with an older program stop writing.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	old := openAt(t, address, Options{})
	newer := append(migrations(), "ALTER TABLE ~.records ADD COLUMN extra text NOT NULL DEFAULT ''")
	_, err := Open(t.Context(), parse(t, address), Options{ReadOnly: true, steps: newer})
	wantFault(t, err, store.Unsupported, "older schema 1")
	openAt(t, address, Options{steps: newer})
	wantFault(t, old.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}), store.Unsupported, "upgraded the store")
	bad := append(slices.Clone(newer[:2]), "CREATE TABLE ~.more (a int); SELECT 1/0")
	_, err = Open(t.Context(), parse(t, address), Options{steps: bad})
	if err == nil {
		t.Error("a failed upgrade succeeds")
	}
	openAt(t, address, Options{steps: newer}) // nothing of it remains
}

// Several processes create the schema at the same time.
func TestCreatedByMany(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	a := parse(t, address)
	ctx := context.WithoutCancel(t.Context())
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			s, err := Open(ctx, a, Options{})
			if err == nil {
				err = s.Write(ctx, store.Batch{Blobs: [][]byte{{byte(n)}}})
			}
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := openAt(t, address, Options{}).Verify(ctx); err != nil {
		t.Error(err)
	}
}

// The codes of what a server can answer to a write.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]fault.Code{
		"53100": store.Full, "53200": store.Busy, "42501": store.Denied, "57014": store.Busy, "40001": store.Busy, "40P01": store.Busy, "54000": store.TooLarge,
		"58030": store.Unwritable, "XX001": store.Damaged, "25006": store.Unwritable,
	} {
		address := postgrestest.Address(t)
		schema := postgrestest.Schema(address)
		s := openAt(t, address, Options{})
		postgrestest.Exec(t, address, "CREATE FUNCTION "+schema+".refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '"+state+"'; END $$",
			"CREATE TRIGGER refuse BEFORE INSERT ON "+schema+".blobs EXECUTE FUNCTION "+schema+".refuse()")
		wantFault(t, s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}), want, "refused (SQLSTATE "+state+")")
		postgrestest.Exec(t, address, "DROP TRIGGER refuse ON "+schema+".blobs")
		if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}); err != nil {
			t.Error(err)
		}
		postgrestest.Exec(t, address, "DROP TABLE "+schema+".blobs")
		wantFault(t, s.Write(t.Context(), store.Batch{Blobs: [][]byte{{2}}}), store.Damaged, "changed by another program")
		_, err := s.Blob(t.Context(), store.Hash([]byte{1}))
		wantFault(t, err, store.Damaged, "changed by another program")
	}
}

func TestReplicaAndFullServer(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, "max_connections=8", "superuser_reserved_connections=0")
	address := server.Address("postgres") + "&project=own"
	s := openOn(t, server)
	if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}); err != nil {
		t.Fatal(err)
	}
	var many []*Store
	var err error
	for range 12 {
		var one *Store
		if one, err = openWith(t.Context(), parse(t, address), server.Password, Options{Wait: time.Second}); err != nil {
			break
		}
		many = append(many, one)
	}
	wantFault(t, err, store.Busy, "all connections")
	for _, one := range many {
		_ = one.Close()
	}
	if err := server.BecomeReplica(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blob(t.Context(), store.Hash([]byte{1})); err != nil {
		t.Error(err)
	}
	wantFault(t, s.Write(t.Context(), store.Batch{Blobs: [][]byte{{2}}}), store.Unwritable, "read-only")
	h, err := s.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, h.Refused, store.Unwritable, "replica")
	_, err = s.Hold("a", store.Holder{})
	wantFault(t, err, store.Unwritable, "replica")
}

func TestLargeBatches(t *testing.T) {
	t.Parallel()
	s := openAt(t, postgrestest.Address(t), Options{})
	entries := storetest.Chain(t, "s", journal.Head{}, 10_000)
	large := make([]byte, 20<<20)
	if err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "s", Entries: entries}}, Blobs: [][]byte{large, {1}}}); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := s.Walk(t.Context(), "s", 0, func(l *journal.Line) error {
		if n++; l.Seq != n || string(l.Hash) != entries[n-1].Hash {
			return fmt.Errorf("entry %d", l.Seq)
		}
		return nil
	})
	if err != nil || n != len(entries) {
		t.Error(n, err)
	}
	if got, err := s.Blob(t.Context(), store.Hash(large)); err != nil || len(got) != len(large) {
		t.Error(len(got), err)
	}
	wantFault(t, s.Write(t.Context(), store.Batch{Blobs: [][]byte{make([]byte, store.MaxBlob+1)}}), store.TooLarge, "more than the maximum")
	long := storetest.Record("long", 1)
	for n := range 4000 {
		long.ID += fmt.Sprint(n)
	}
	wantFault(t, s.Write(t.Context(), store.Batch{Records: []record.Record{long}}), store.TooLarge, "longer than the database can store")
}
