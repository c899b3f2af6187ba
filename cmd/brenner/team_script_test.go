package main

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"brenner/store/postgres/postgrestest"
)

// Scripts with a database: STORE is the address of a project of their own, and `sql` runs statements as the
// administrator, in which SCHEMA is its schema. The password of the users who are created there is in SECRET.
func TestTeamScripts(t *testing.T) {
	server := postgrestest.Start(t)
	t.Setenv("PGPASSWORD", server.Password)
	base := server.Address("postgres")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/team",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fits": fits, "exit": exit,
			"sql": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) == 0 {
					ts.Fatalf("usage: sql STATEMENT…")
				}
				postgrestest.Exec(t, base, args...)
			},
			// as USER: the next commands use the store as this user of the database.
			"as": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: as USER")
				}
				u, err := url.Parse(ts.Getenv("STORE"))
				ts.Check(err)
				u.User = url.User(args[0])
				ts.Setenv("BRENNER_STORE", u.String())
				ts.Setenv("PGPASSWORD", ts.Getenv("SECRET"))
				if args[0] == postgrestest.User {
					ts.Setenv("PGPASSWORD", server.Password)
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			project := "s_" + strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			env.Setenv("STORE", base+"&project="+project)
			env.Setenv("BRENNER_STORE", base+"&project="+project)
			env.Setenv("PROJECT", project)
			env.Setenv("SCHEMA", "brenner_"+project)
			env.Setenv("PGPASSWORD", server.Password)
			env.Setenv("SECRET", "planted-secret")
			env.Setenv("BRENNER_TRUST_FILE", env.WorkDir+"/trusted.json")
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
	})
}
