package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/store"
	"brenner/store/postgres/postgrestest"
	storefile "brenner/store/sqlite"
)

// Every mistake with a database has a code, a hint and no password, and nothing is written to a local file instead.
func TestTeamRefuses(t *testing.T) {
	m := newTeam(t)
	base := m.server.Address("postgres")
	postgrestest.Exec(t, base, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", "CREATE ROLE reader LOGIN PASSWORD 'planted-secret'",
		"CREATE SCHEMA brenner_foreign", "CREATE TABLE brenner_foreign.meta (x int)")
	if err := os.WriteFile(filepath.Join(m.homes[0].dir, "only.yaml"), []byte("endpoints: {allowed: [db.example]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, code := m.run(0, "session", "start", "--via", "rehearsal", "--question", "Why?", "--rounds", "1", "--preset", "default-3-agent"); code < 0 || code == 2 {
		t.Fatalf("exit %d", code)
	}
	list, other := []string{"session", "list"}, filepath.Join(t.TempDir(), "backup")
	if out, code := m.run(0, "store", "copy", "--from", base+"&project=other", "--to", other); code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := m.run(1, "project", "init", "--question", "Why?", "--store", base+"&project=other"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if out, code := m.run(0, "store", "copy", "--from", base+"&project=other", "--to", other); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	postgrestest.Exec(t, base, `INSERT INTO brenner_other.holders VALUES ('session-x', '{"pid":7,"host":"elsewhere"}', 'x', 1, clock_timestamp() + interval '1 hour')`)
	busy := t.TempDir()
	file, err := storefile.Open(t.Context(), filepath.Join(busy, ".brenner"), storefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Hold("RS-20261115-busy", store.Holder{PID: 7, Doing: "session start"}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		address  string // of BRENNER_STORE; empty for the team's
		password string // empty for the right one
		args     []string
		code     string
	}{
		"wrong password":     {password: "planted-secret", args: list, code: "STORE_DENIED"},
		"no such database":   {address: m.server.Address("nowhere") + "&project=cells", args: list, code: "STORE_DENIED"},
		"no right to create": {address: strings.Replace(base, postgrestest.User+"@", "reader@", 1) + "&project=mine", password: "planted-secret", args: []string{"project", "init", "--question", "Why?"}, code: "STORE_DENIED"},
		"no right to read":   {address: strings.Replace(base, postgrestest.User+"@", "reader@", 1) + "&project=cells", password: "planted-secret", args: list, code: "STORE_DENIED"},
		"encoding":           {address: m.server.Address("latin") + "&project=cells", args: list, code: "STORE_UNSUPPORTED"},
		"another program":    {address: base + "&project=foreign", args: list, code: "STORE_UNSUPPORTED"},
		"password in flag":   {args: append(list, "--store", "postgres://u:planted-secret@h/r?project=a"), code: "CONFIG_INVALID_VALUE"},
		"password in query":  {address: base + "&project=a&password=planted-secret", args: list, code: "CONFIG_INVALID_VALUE"},
		"no project":         {address: base, args: list, code: "CONFIG_INVALID_VALUE"},
		"quoted project":     {address: base + "&project=a%22b", args: list, code: "CONFIG_INVALID_VALUE"},
		"unknown parameter":  {address: base + "&project=a&pasword=x", args: list, code: "STORE_ADDRESS"},
		"host not allowed":   {args: append(list, "--session-config", "only.yaml"), code: "USAGE"},
		"copy to itself":     {args: []string{"store", "copy", "--from", m.address, "--to", m.address}, code: "USAGE"},
		"copy with password": {args: []string{"store", "copy", "--from", ".", "--to", "postgres://u:planted-secret@h/r?project=a"}, code: "USAGE"},
		"copy from nothing":  {args: []string{"store", "copy", "--from", t.TempDir(), "--to", m.address}, code: "NO_STORE"},
		"copy while in use":  {args: []string{"store", "copy", "--from", base + "&project=other", "--to", other}, code: "HELD"},
		"copy a file in use": {args: []string{"store", "copy", "--from", busy, "--to", base + "&project=fresh"}, code: "HELD"},
		"copy into its use":  {args: []string{"store", "copy", "--from", other, "--to", busy}, code: "HELD"},
		"copy to a full one": {args: []string{"store", "copy", "--from", other, "--to", m.address}, code: "STORE_DIFFERS"},
	} {
		t.Run(name, func(t *testing.T) {
			h := *m.homes[0]
			if test.address != "" {
				h.env = append(h.env[:len(h.env):len(h.env)], "BRENNER_STORE="+test.address)
			}
			if test.password != "" {
				h.env = append(h.env[:len(h.env):len(h.env)], "PGPASSWORD="+test.password)
			}
			own := &team{t: t, server: m.server, homes: []*teamHome{&h}}
			out, code := own.run(0, append(test.args, "--json", "-v")...)
			var doc struct {
				Error struct{ Code, Hint string }
			}
			at := strings.Index(out, `{"schema":`) // behind the log
			if err := json.NewDecoder(strings.NewReader(out[max(0, at):])).Decode(&doc); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if doc.Error.Code != test.code || doc.Error.Hint == "" || code == 0 {
				t.Errorf("exit %d, want the code %s and a hint\n%s", code, test.code, out)
			}
			if strings.Contains(out, "planted-secret") || strings.Contains(out, m.server.Password) {
				t.Errorf("a password was printed\n%s", out)
			}
			if _, err := os.Stat(filepath.Join(h.dir, ".brenner", "brenner.db")); err == nil {
				t.Error("a local store was created")
			}
		})
	}
}

// What a server refuses or cannot do now has a code and a hint, and works once the server allows it.
func TestTeamServerRefuses(t *testing.T) {
	m := newTeam(t)
	const thread = "RS-20261115-open"
	if out, code := m.run(0, "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2", "--thread-id", thread); code < 0 || code == 2 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	env := m.homes[0].env
	check := func(what, address string, wanted string, args ...string) {
		t.Helper()
		m.homes[0].env = slices.Concat(env, []string{"BRENNER_STORE=" + address})
		out, code := m.run(0, append(args, "--json")...)
		var doc struct {
			Error struct{ Code, Hint string }
		}
		if err := json.NewDecoder(strings.NewReader(out[max(0, strings.Index(out, "{")):])).Decode(&doc); err != nil {
			t.Fatalf("%s: %v in %s", what, err, out)
		}
		if doc.Error.Code != wanted || (doc.Error.Hint == "") != (wanted == "") || (code == 0) != (wanted == "") {
			t.Errorf("%s: exit %d, want the code %q and a hint\n%s", what, code, wanted, out)
		}
	}
	list, note := []string{"session", "list"}, []string{"session", "note", thread, "A note"}

	encrypted := strings.Replace(m.address, "sslmode=disable", "sslmode=require", 1)
	check("a server without TLS", encrypted, "STORE_DENIED", list...)
	authority, err := m.server.RequireTLS()
	if err != nil {
		t.Fatal(err)
	}
	check("a server that requires TLS", m.address, "STORE_DENIED", list...)
	check("TLS", encrypted, "", note...)
	full := strings.Replace(strings.Replace(m.address, "127.0.0.1", "localhost", 1), "sslmode=disable", "sslmode=verify-full", 1)
	check("an unknown authority", full, "STORE_DENIED", list...)
	check("a known authority", full+"&sslrootcert="+authority, "", note...)
	check("a certificate for another host", strings.Replace(full, "localhost", "127.0.0.1", 1)+"&sslrootcert="+authority, "STORE_DENIED", list...)

	if err := m.server.BecomeReplica(); err != nil {
		t.Fatal(err)
	}
	check("writing to a replica", encrypted, "STORE_UNWRITABLE", note...)
	check("reading from a replica", encrypted, "", list...)
	m.homes[0].env = slices.Concat(env, []string{"BRENNER_STORE=" + encrypted})
	if out, code := m.run(0, "doctor", "--preset", "default-3-agent"); code != 1 || !strings.Contains(out, ", encrypted") || !strings.Contains(out, "a replica, in recovery") {
		t.Errorf("doctor: exit %d\n%s", code, out)
	}
	m.noPassword()
}

// A file that names a database needs trust.
func TestTeamFileNeedsTrust(t *testing.T) {
	m := newTeam(t)
	h := m.homes[0]
	h.env = append(h.env, "BRENNER_STORE=")
	if err := os.WriteFile(filepath.Join(h.dir, "brenner.yaml"), []byte("store: {address: '"+m.address+"'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"session", "list"}, 4, "untrusted file would store the project's texts in PostgreSQL at 127.0.0.1:"},
		{[]string{"trust", "--show"}, 0, "store the project's texts"},
		{[]string{"trust"}, 0, "is trusted"},
		{[]string{"session", "list"}, 0, "No sessions yet in PostgreSQL at"},
		{[]string{"config", "show", "--origin"}, 0, "brenner.yaml, line 1"},
	} {
		if out, code := m.run(0, step.args...); code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("%v: exit %d, want %d and %q\n%s", step.args, code, step.code, step.want, out)
		}
	}
}
