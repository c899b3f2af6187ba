package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// openPTY returns both ends of a new terminal: what a person sees and types, and what a program has.
func openPTY(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// expect reads from a terminal until a text is shown, and returns what was read.
func expect(t *testing.T, person *os.File, text string) string {
	t.Helper()
	var seen strings.Builder
	var data [1024]byte
	for !strings.Contains(seen.String(), text) {
		n, err := person.Read(data[:])
		if err != nil {
			t.Fatalf("no %q, but %q: %v", text, seen.String(), err)
		}
		seen.Write(data[:n])
	}
	return seen.String()
}

// Whatever key, signal or editor ends the walk through conflicts, the terminal is as it was before.
func TestResolveRestoresTheTerminal(t *testing.T) {
	dir := t.TempDir()
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n"
	for _, name := range []string{"A", "B"} {
		script += fmt.Sprintf("  - name: %s\n    rounds:\n      - reply: |\n          ```delta\n          {\"operation\":\"EDIT\",\"section\":\"research_thread\",\"target_id\":\"RT\",\"payload\":{\"statement\":\"Value of %s.\"},\"rationale\":\"r\"}\n          ```\n", name, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "script.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	start := exec.Command("brenner", "session", "start", "--to", "A", "--role", "hypothesis_generator", "--to", "B", "--role", "hypothesis_generator",
		"--script", "script.yaml", "--rounds", "1", "--thread-id", "RS-20261115-walked")
	start.Dir = dir
	if out, _ := start.CombinedOutput(); start.ProcessState.ExitCode() != 5 {
		t.Fatalf("%s", out)
	}
	const prompt = "q quit: "
	for _, c := range []struct {
		keys, shown string // typed one after the other; shown after each
		signal      syscall.Signal
		code        int
	}{
		{keys: "q", code: 5},
		{keys: "x\x04", shown: "\r\n\"x\" is not a choice. Take 1", code: 5}, // on a line of its own
		{keys: "\x03", code: 130},
		{keys: "eq", shown: "signal: killed", code: 5}, // an editor that leaves the terminal raw
		{signal: syscall.SIGTERM, code: 130},
	} {
		person, program := openPTY(t)
		before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		p := exec.Command("brenner", "session", "resolve", "latest")
		p.Dir, p.Stdin, p.Stdout, p.Stderr = dir, program, program, program
		p.Env = append(os.Environ(), "TERM=xterm", `EDITOR=stty raw -echo; kill -9 $$`)
		p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		expect(t, person, prompt)
		for i, key := range c.keys {
			_, _ = person.WriteString(string(key))
			if i < len(c.keys)-1 {
				if seen := expect(t, person, prompt); !strings.Contains("\r\n"+seen, c.shown) {
					t.Errorf("%q: shown %q", c.keys, seen)
				}
			}
		}
		if c.signal != 0 {
			_ = p.Process.Signal(c.signal)
		}
		_ = p.Wait()
		after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
		if err != nil || *after != *before || p.ProcessState.ExitCode() != c.code {
			t.Errorf("%q, signal %d: exit %d, terminal %v, then %v (%v)", c.keys, c.signal, p.ProcessState.ExitCode(), before, after, err)
		}
	}
}
