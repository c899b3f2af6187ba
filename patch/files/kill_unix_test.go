//go:build unix

package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	fileio "brenner/internal/files"
)

// A child process applies patches and is killed at one step of writing a file.
const (
	envDir = "PATCH_TEST_DIR" // set in children only
	envDie = "PATCH_TEST_DIE" // the step, from 1
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		applyAndDie(dir, os.Getenv(envDie))
		return
	}
	m.Run()
}

func applyAndDie(dir, step string) {
	at, err := strconv.Atoi(step)
	if err != nil {
		panic(err)
	}
	r, err := Apply(&Request{Patches: []string{filepath.Join(dir, "patches")}, Root: dir, Disk: &killingDisk{at: at}})
	if err != nil {
		panic(err)
	}
	if !r.OK {
		panic(r.Patches)
	}
}

// killingDisk is a file system that kills the process at one step.
type killingDisk struct {
	fileio.RealDisk
	at, steps int
}

func (d *killingDisk) step() {
	if d.steps++; d.steps == d.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (d *killingDisk) CreateTemp(dir, pattern string, mode os.FileMode) (fileio.TempFile, error) {
	d.step()
	f, err := d.RealDisk.CreateTemp(dir, pattern, mode)
	d.step()
	return killingFile{f, d}, err
}

func (d *killingDisk) Rename(from, to string) error {
	d.step()
	err := d.RealDisk.Rename(from, to)
	d.step()
	return err
}

type killingFile struct {
	fileio.TempFile
	disk *killingDisk
}

// Write also dies with half of the bytes written.
func (f killingFile) Write(data []byte) (int, error) {
	half := len(data) / 2
	n, err := f.TempFile.Write(data[:half])
	f.disk.step()
	if err != nil {
		return n, err
	}
	m, err := f.TempFile.Write(data[half:])
	f.disk.step()
	return n + m, err
}

func (f killingFile) Sync() error {
	f.disk.step()
	err := f.TempFile.Sync()
	f.disk.step()
	return err
}

// Killed at any step, Apply leaves each file old or new. With SkipApplied, the next run does
// the rest and removes leftovers.
func TestApplyKilledAtEveryStep(t *testing.T) {
	before := strings.Repeat("alpha\r\nbeta\r\ngamma\r\n", 1000) + "last\r\n"
	after := strings.Replace(before, "last", "changed", 1)
	names := []string{"a.txt", "b.txt"}
	killedAt := 0
	for step := 1; ; step++ {
		dir := t.TempDir()
		patches := filepath.Join(dir, "patches")
		for _, name := range names {
			put(t, filepath.Join(dir, name), before)
			makePatch(t, filepath.Join(patches, name+".json"), name, before, after)
		}
		if !diesAt(t, dir, step) {
			break
		}
		killedAt = step
		for _, name := range names {
			if got := content(t, filepath.Join(dir, name)); got != before && got != after {
				t.Fatalf("step %d: %s is neither old nor new: %d bytes", step, name, len(got))
			}
		}
		if r := apply(t, &Request{Patches: []string{patches}, Root: dir, SkipApplied: true}); !r.OK {
			t.Fatalf("step %d: %+v", step, r.Patches)
		}
		for _, name := range names {
			if content(t, filepath.Join(dir, name)) != after {
				t.Fatalf("step %d: %s was not finished", step, name)
			}
		}
		checkNoTempFiles(t, dir)
	}
	if killedAt < 16 {
		t.Errorf("only %d steps for two files", killedAt)
	}
}

// diesAt applies the patches of a directory in a child, and reports whether the child
// reached the step and died.
func diesAt(t *testing.T, dir string, step int) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), envDir+"="+dir, envDie+"="+strconv.Itoa(step))
	cmd.Stderr = os.Stderr
	err = cmd.Run()
	if err == nil {
		return false
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child failed: %v", err)
	}
	return true
}
