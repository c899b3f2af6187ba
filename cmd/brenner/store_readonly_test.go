//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// readOnlyProject is a project that its user cannot write to. Modes do not apply to root, so
// a test by root runs the program as another user.
type readOnlyProject struct {
	t        *testing.T
	dir, exe string
	user     *syscall.SysProcAttr
}

const nobody = 65534

func newReadOnlyProject(t *testing.T) *readOnlyProject {
	t.Helper()
	top, err := os.MkdirTemp("/tmp", "brenner-readonly-*") //nolint:usetesting // t.TempDir may be inside a private directory
	if err != nil {
		t.Fatal(err)
	}
	p := &readOnlyProject{t: t, dir: filepath.Join(top, "project"), exe: filepath.Join(top, "brenner")}
	t.Cleanup(func() {
		p.modes(0o755, 0o644)
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	from, err := exec.LookPath("brenner")
	if err == nil {
		from, err = filepath.EvalSymlinks(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(p.exe, program, 0o755)
	}
	if err == nil {
		err = os.Mkdir(p.dir, 0o755)
	}
	if err == nil {
		err = os.Chmod(top, 0o755)
	}
	if err == nil && os.Geteuid() == 0 {
		p.user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		err = os.Chown(p.dir, nobody, nobody)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// modes sets the modes of the project's directories and files.
func (p *readOnlyProject) modes(dir, file fs.FileMode) {
	var all []string
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
			return os.Chmod(path, 0o755)
		}
		if err != nil {
			return err
		}
		return os.Chmod(path, file)
	})
	for _, path := range all {
		if err == nil {
			err = os.Chmod(path, dir)
		}
	}
	if err != nil {
		p.t.Error(err)
	}
}

func (p *readOnlyProject) run(args ...string) (string, int) {
	c := exec.Command(p.exe, args...)
	c.Dir, c.SysProcAttr = p.dir, p.user
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GORACE=atexit_sleep_ms=0"}
	out, _ := c.CombinedOutput()
	return string(out), c.ProcessState.ExitCode()
}

// What only reads works in a directory that cannot be written.
func TestReadOnlyProject(t *testing.T) {
	const thread = "RS-20261115-sky"
	p := newReadOnlyProject(t)
	start := []string{"session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--thread-id", thread, "-q"}
	if out, code := p.run(start...); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	p.modes(0o555, 0o444)
	for _, args := range []string{
		"verify", "verify " + thread, "session list", "session status", "session show " + thread, "session replay " + thread,
		"session export " + thread + " --out -", "blame " + thread + " H1", "trace list " + thread, "trace find cell", "stalemate list",
	} {
		if out, code := p.run(strings.Fields(args)...); code != 0 || strings.Contains(out, "brenner: warning:") {
			t.Errorf("%s: exit %d\n%s", args, code, out)
		}
	}
	if out, code := p.run("session", "note", thread, "a note"); code != 1 || !strings.Contains(out, "permission denied") {
		t.Errorf("session note: exit %d\n%s", code, out)
	}

	// Missing artifact files do not fail a command; the status does not name them.
	p.modes(0o755, 0o644)
	if err := os.RemoveAll(filepath.Join(p.dir, ".brenner", "sessions")); err != nil {
		t.Fatal(err)
	}
	p.modes(0o555, 0o444)
	out, code := p.run("session", "status", thread)
	if code != 0 || strings.Count(out, "cannot write the artifact file") != 1 || strings.Contains(out, "Artifact ") {
		t.Errorf("exit %d\n%s", code, out)
	}

	// Changes in a WAL cannot be left out.
	p.modes(0o755, 0o644)
	if err := os.WriteFile(filepath.Join(p.dir, ".brenner", "brenner.db-wal"), []byte("changes"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.modes(0o555, 0o444)
	if out, code := p.run("verify"); code != 1 || !strings.Contains(out, "brenner.db-wal has changes that are not in the file yet") || !strings.Contains(out, "copy the project to a place that can be written") {
		t.Errorf("verify: exit %d\n%s", code, out)
	}
}
