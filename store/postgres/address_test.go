package postgres

import (
	"os"
	"os/user"
	"path/filepath"
	"testing"

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
