package postgres

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/postgres/postgrestest"
)

// Nothing in the environment replaces the host, port, database and user of an address, as given or by default.
func TestEnvironmentRedirectsNothing(t *testing.T) {
	services := filepath.Join(t.TempDir(), "services")
	if err := os.WriteFile(services, []byte("[other]\nhost=other.invalid\nport=1\ndbname=other\nuser=other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"PGHOST": "other.invalid", "PGPORT": "1", "PGDATABASE": "other", "PGUSER": "other", "PGSERVICE": "other", "PGSERVICEFILE": services,
	} {
		t.Setenv(key, value)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		host string
		port uint16
		user string
	}{
		"postgres://db.example/research?project=a":                {"db.example", 5432, me.Username},
		"postgres://db.example:/research?project=a":               {"db.example", 5432, me.Username},
		"postgres://ann@[::1]:5433/research?project=a":            {"::1", 5433, "ann"},
		"postgres://ann@/research?host=/run/x&project=a":          {"/run/x", 5432, "ann"},
		"postgres://ann@:5433/research?host=/run/x&project=a":     {"/run/x", 5433, "ann"},
		"postgres://ann@[::1]/research?sslmode=disable&project=a": {"::1", 5432, "ann"},
	} {
		c, err := parse(t, text).config()
		if err != nil {
			t.Fatal(err)
		}
		if to := c.ConnConfig; to.Host != want.host || to.Port != want.port || to.User != want.user || to.Database != "research" {
			t.Errorf("%s: connects to %s, port %d, database %s as %s", text, to.Host, to.Port, to.Database, to.User)
		}
		for _, also := range c.ConnConfig.Fallbacks {
			if also.Host != want.host || also.Port != want.port {
				t.Errorf("%s: also connects to %s, port %d", text, also.Host, also.Port)
			}
		}
	}
	openAt(t, postgrestest.Address(t), Options{})
}

// A variable of the environment that the driver refuses is named, not the address.
func TestBadEnvironment(t *testing.T) {
	const address = "postgres://ann@db.example/research?project=a"
	services := filepath.Join(t.TempDir(), "services")
	if err := os.WriteFile(services, []byte("[bad]\nsslmode=bogus\n[good]\nsslmode=require\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGSERVICEFILE", services)
	for _, test := range []struct{ variable, value, text string }{
		{"PGSERVICE", "zz", "PGSERVICE: not accepted: unable to find service: zz"},
		{"PGSERVICE", "bad", "PGSERVICE: not accepted: sslmode is invalid"},
		{"PGSSLMODE", "bogus", "PGSSLMODE: not accepted: sslmode is invalid"},
		{"PGCONNECT_TIMEOUT", "abc", "PGCONNECT_TIMEOUT: not accepted: strconv.ParseInt"},
		{"PGSSLROOTCERT", "/nonexistent", "PGSSLROOTCERT: not accepted: unable to read CA file: open /nonexistent"},
		{"PGSSLKEY", "/nonexistent", "PGSSLKEY: not accepted"},
		{"PGTARGETSESSIONATTRS", "bogus", "PGTARGETSESSIONATTRS: not accepted: unknown value"},
		{"PGMINPROTOCOLVERSION", "9", "PGMINPROTOCOLVERSION: not accepted"},
	} {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			_, err := ParseAddress(address)
			wantFault(t, err, store.BadAddress, test.text)
			if !strings.Contains(fault.HintOf(err), "unset "+test.variable) {
				t.Errorf("the hint is %q", fault.HintOf(err))
			}
		})
	}
	t.Setenv("PGSERVICE", "good")
	if c, err := parse(t, address).config(); err != nil || !requiresTLS(&c.ConnConfig.Config) {
		t.Errorf("a service adds what the address leaves open: %v", err)
	}
}

// A file of passwords that others can read is refused, unless the password comes from elsewhere.
func TestPassfileOfOthers(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".pgpass")
	if err := os.WriteFile(file, []byte("db.example:5432:*:ann:"+planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("PGPASSWORD", "")
	const address = "postgres://ann@db.example/research?project=a"
	for _, text := range []string{address, address + "&passfile=" + file} {
		_, err := parse(t, text).config()
		wantFault(t, err, store.Denied, "other users")
		if hint := fault.HintOf(err); !strings.Contains(hint, "chmod 600 "+file) {
			t.Errorf("the hint is %q", hint)
		}
	}
	if _, err := parse(t, strings.Replace(address, "ann", "ben", 1)).config(); err != nil { // whose password it does not have
		t.Error(err)
	}
	t.Setenv("PGPASSWORD", planted)
	if _, err := parse(t, address).config(); err != nil {
		t.Error(err)
	}
	t.Setenv("PGPASSWORD", "")
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := parse(t, address).config(); err != nil || c.ConnConfig.Password != planted {
		t.Errorf("the password is not read: %v", err)
	}
}

// A file that the driver takes without being asked is named.
func TestBadDefaultCertificate(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, ".postgresql"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".postgresql", "root.crt"), []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ParseAddress("postgres://ann@db.example/research?project=a")
	wantFault(t, err, store.BadAddress, "~/.postgresql: not accepted: unable to add CA")
}
