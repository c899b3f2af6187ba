package baseurl_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/baseurl"
)

func TestParseDatabase(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://brenner@db.example/research?project=cells":           "PostgreSQL at db.example, database research, project cells",
		"postgresql://db.example:5433/research?project=cells&durable=no": "PostgreSQL at db.example:5433, database research, project cells",
		"postgres://db.example:5432/research?project=cells":              "PostgreSQL at db.example, database research, project cells",
		"postgres://[::1]/r?project=a_1":                                 "PostgreSQL at [::1], database r, project a_1",
		"postgres:///research?host=/run/postgresql&project=cells":        "PostgreSQL at /run/postgresql, database research, project cells",
		"postgres://:5433/r?host=/run&project=a":                         "PostgreSQL at /run:5433, database r, project a",
		"":                                                               "",
		"mysql://db.example/research?project=a":                          "",
		"postgres://db.example?project=a":                                "",
		"postgres://db.example/r":                                        "",
		"postgres://db.example/r?project=":                               "",
		"postgres://db.example/r?project=Cells":                          "",
		"postgres://db.example/r?project=a;b":                            "",
		"postgres://db.example/r?project=a%22b":                          "",
		"postgres://db.example/r/s?project=a":                            "",
		"postgres:///r?project=a":                                        "",
		"postgres:///r?host=relative&project=a":                          "",
		"postgres://h/r?host=/run&project=a":                             "",
		"postgres://u:pw@h/r?project=a":                                  "",
		"postgres://u:@h/r?project=a":                                    "",
		"postgres://h/r?project=a&password=x":                            "",
		"postgres://h/r?project=a&sslpassword=x":                         "",
		"postgres://h/r?project=a&project=b":                             "",
		"postgres://h/r?project=a#x":                                     "",
		"postgres://h/r?project=" + strings.Repeat("a", 41):              "",
	} {
		d, ok := baseurl.ParseDatabase(address)
		if ok != (want != "") || ok && d.String() != want {
			t.Errorf("%s: got %q, %v, want %q", address, d, ok, want)
		}
	}
}

// Each problem has a text of its own.
func TestDatabaseProblem(t *testing.T) {
	for address, want := range map[string]string{
		"host=h":                                 "does not begin",
		"postgres://h:x/r?project=a":             "not a valid URL",
		"postgres://h/r?project=a#x":             "#",
		"postgres://u:x@h/r?project=a":           "a password",
		"postgres://u%3Ax@h/r?project=a":         "a password",
		"postgres://h/r?project=a&Password=x":    "a password",
		"postgres://h/r?project=%zz":             "parameters",
		"postgres://h/r?project=a&project=b":     "twice",
		"postgres://h/r?project=a&user=x":        "user= belongs before the ?",
		"postgres://h/r?project=a&port=1":        "port= belongs",
		"postgres://h/r?project=a&dbname=x":      "dbname= belongs",
		"postgres://h/r?project=a&database=x":    "database= belongs",
		"postgres://h/r?project=a&hostaddr=x":    "hostaddr= belongs",
		"postgres://h/r?project=a&service=x":     "service= belongs",
		"postgres://h/r?project=a&servicefile=x": "servicefile= belongs",
		"postgres://h,i/r?project=a":             "several hosts",
		"postgres:///r?project=a&host=/run,i":    "several hosts",
		"postgres://h/r?project=a&host=i":        "host=",
		"postgres:///r?project=a":                "the host is missing",
		"postgres://h?project=a":                 "the database is missing",
		"postgres://h/r/s?project=a":             "the name of the database",
		"postgres://h/r":                         "project= is missing",
		"postgres://h/r?project=A":               "project= is not a name",
		"postgres://h/r?project=a":               "",
	} {
		if got := baseurl.DatabaseProblem(address); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestDatabaseIsLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"postgres://db.example/r?project=a":     false,
		"postgres://127.0.0.1:5433/r?project=a": true,
		"postgres://[::1]/r?project=a":          true,
		"postgres:///r?host=/run&project=a":     true,
	} {
		if d, _ := baseurl.ParseDatabase(address); baseurl.IsLocal(d.URL()) != want {
			t.Errorf("%s: not %v", address, want)
		}
	}
}

// No password passes.
func TestParseDatabaseRefusesPasswords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.StringMatching(`[A-Za-z0-9:@%+]{6,20}`).Draw(t, "password")
		for _, address := range []string{"postgres://me:" + password + "@host/r?project=a", "postgres://host/r?project=a&password=" + password} {
			if d, ok := baseurl.ParseDatabase(address); ok {
				t.Errorf("%s: accepted as %s", address, d)
			}
		}
	})
}
