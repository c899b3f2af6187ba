package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The commands of docs/teams.md bring up two workers from a clone and run examples/night on them, as they are written. Only the addresses are
// replaced, and the directory of the program that is built.
func TestOnServerTeamsPage(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "teams.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## From one store to a fleet\n")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	const build, settings, commands = 0, 1, 2
	if len(blocks) != 3 {
		t.Fatalf("the section has %d blocks of commands, want 3", len(blocks))
	}
	terminals := make([]*machine, 3)
	all := strings.Split(strings.TrimSpace(blocks[commands][1]), "\n")
	if len(all) != len(terminals) {
		t.Fatalf("the section has %d commands, want %d: %q", len(all), len(terminals), all)
	}
	first := f.machine()
	c := exec.Command("bash", "-c", strings.ReplaceAll(blocks[build][1], "$PWD", first.dir))
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"examples", "brenner.yaml"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(first.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	exports := strings.NewReplacer(
		"postgres://brenner@db.example/research?project=cells", f.address(), "temporal.example:7233", f.engine.Address,
	).Replace(blocks[settings][1])
	for i, command := range all {
		terminals[i] = &machine{f: f, program: "bash", dir: first.dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(first.dir), "PGPASSWORD=" + f.postgres.Password}}
		await := "working, "
		if i == 2 {
			await = ""
		}
		terminals[i].start(await, "-c", exports+command)
	}
	user := terminals[2]
	if code := user.wait(); code != 0 || !strings.Contains(user.out.String(), "3 of 3 sessions done") {
		t.Errorf("exit %d\n%s\n%s\n%s", code, user.out, terminals[0].out, terminals[1].out)
	}
	f.artifacts("night")
	for _, w := range terminals[:2] {
		_ = syscall.Kill(-w.command.Process.Pid, syscall.SIGTERM)
		if code := w.wait(); code != 0 {
			t.Errorf("exit %d\n%s", code, w.out)
		}
	}
}
