package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"brenner/store/postgres/postgrestest"
)

// Every command of docs/teams.md about the store works as it is written, in its order, from an empty home directory. Only names are
// replaced: the host, the role, because the test server's administrator has its name, and the project that a file is
// copied to, because this one has sessions by then.
func TestTeamsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/teams.md")
	if err != nil {
		t.Fatal(err)
	}
	server := postgrestest.Start(t)
	t.Setenv("PGPASSWORD", server.Password)
	base := server.Address("postgres")
	postgrestest.Exec(t, base, "CREATE ROLE robin LOGIN PASSWORD 'planted'")
	host := fmt.Sprintf("127.0.0.1:%d", server.Port)
	names := strings.NewReplacer(
		"brenner@db.example", "sydney@"+host, `--to "$BRENNER_STORE"`, `--to "${BRENNER_STORE/cells/moved}"`, "db.example:5432", host, "db.example", "127.0.0.1", "PASSWORD", "planted",
		"--pwprompt brenner", "--pwprompt sydney", "--owner brenner", "--owner sydney", "--username brenner", "--username sydney", ":brenner:", ":sydney:",
	)
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	administrator := fmt.Sprintf("%s:*:%s:%s\n", host, postgrestest.User, server.Password)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".pgpass"), []byte(administrator), 0o600); err != nil {
		t.Fatal(err)
	}
	// The file that is copied to the database is that of a project which began on one machine.
	script := []string{"brenner session start --via rehearsal --question 'Why?' --rounds 2 --thread-id RS-20261118-alone -q"}
	store, _, found := strings.Cut(string(page), "\n## From one store to a fleet\n") // that section needs another program
	if !found {
		t.Fatal("the page has no section about fleets")
	}
	blocks := regexp.MustCompile("(?s)```(sh|sql)\n(.*?)```").FindAllStringSubmatch(store, -1)
	for _, block := range blocks {
		if text := names.Replace(block[2]); block[1] == "sh" {
			script = append(script, strings.Split(strings.TrimSpace(text), "\n")...)
		} else {
			script = append(script, "psql --quiet -v ON_ERROR_STOP=1 research --username sydney --host 127.0.0.1 <<'END'\n"+text+"END")
		}
	}
	if len(script) < 14 || !slices.ContainsFunc(script, func(s string) bool { return strings.HasPrefix(s, "pg_restore") }) {
		t.Fatalf("only these commands were found: %q", script)
	}
	script = append(script, `PGPASSWORD=planted brenner session note RS-20261118-cells "by the second user" --store "postgres://robin@`+host+`/research?project=cells"`)
	var text strings.Builder
	var exits []string
	for _, command := range script {
		exit := "0"
		if strings.HasPrefix(command, "brenner session ") && !strings.HasPrefix(command, "brenner session note") {
			exit = "5" // a conflict is open
		}
		exits = append(exits, exit)
		fmt.Fprintf(&text, "%s\ncode=$?; cat <<'END'\n$ %s\nEND\necho \"exit: $code\"\n", command, strings.ReplaceAll(command, "END", "end"))
	}
	c := exec.Command("bash", "-c", text.String())
	c.Dir = dir
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=atexit_sleep_ms=0", "LC_ALL=C.UTF-8",
		"PGHOST=127.0.0.1", fmt.Sprintf("PGPORT=%d", server.Port), "PGUSER=" + postgrestest.User,
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // passwords are read from the standard input, not from a terminal
	c.Stdin = strings.NewReader("planted\nplanted\n")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for _, exit := range regexp.MustCompile(`(?m)^exit: (\d+)$`).FindAllSubmatch(out, -1) {
		got = append(got, string(exit[1]))
	}
	if !slices.Equal(got, exits) {
		t.Errorf("exit codes %v, want %v\n%s", got, exits, out)
	}
}
