package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/files"
)

// A child of the test is a process that applies patches and is killed at one step of
// writing a file.
const (
	envPatchDir = "CLI_TEST_PATCH_DIR" // set in children only
	envPatchDie = "CLI_TEST_PATCH_DIE" // at which step, from 1; 0: never
	envRecord   = "CLI_TEST_RECORD"    // the same with a record, killed from outside
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envPatchDir); dir != "" {
		applyAndDie(dir, os.Getenv(envPatchDie))
		return
	}
	if dir := os.Getenv(envRecord); dir != "" {
		streams := ui.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr, Now: time.Now}
		if code := Run(context.Background(), recordPatch(dir), streams); code != 0 {
			panic(code)
		}
		return
	}
	m.Run()
}

func applyAndDie(dir, step string) {
	at, err := strconv.Atoi(step)
	if err != nil {
		panic(err)
	}
	streams := ui.Streams{In: strings.NewReader(""), Out: io.Discard, Err: os.Stderr, Now: time.Now}
	a := &ui.App{Streams: streams, Log: zerolog.Nop(), Disk: &mortalDisk{at: at}}
	root := root(a)
	root.SetArgs([]string{"patch", "apply", filepath.Join(dir, "patches"), "--root", dir, "--quiet"})
	if err := root.Execute(); err != nil || a.Exit != 0 {
		panic(fmt.Sprint(err, a.Exit))
	}
}

// mortalDisk is a file system on which a process dies at a certain step.
type mortalDisk struct {
	files.RealDisk
	at, steps int
}

func (d *mortalDisk) step() {
	if d.steps++; d.steps == d.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (d *mortalDisk) CreateTemp(dir, pattern string, mode os.FileMode) (files.TempFile, error) {
	d.step()
	f, err := d.RealDisk.CreateTemp(dir, pattern, mode)
	d.step()
	return mortalFile{f, d}, err
}

func (d *mortalDisk) Rename(from, to string) error {
	d.step()
	err := d.RealDisk.Rename(from, to)
	d.step()
	return err
}

type mortalFile struct {
	files.TempFile
	disk *mortalDisk
}

// Write dies with half of the bytes written, too.
func (f mortalFile) Write(data []byte) (int, error) {
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

func (f mortalFile) Sync() error {
	f.disk.step()
	err := f.TempFile.Sync()
	f.disk.step()
	return err
}

// Killed at every step of the writing, apply leaves each file as it was or as it
// becomes, and goes on with --skip-applied.
func TestKilledWithinApply(t *testing.T) {
	old := strings.Repeat("alpha\r\nbeta\r\ngamma\r\n", 1000) + "last\r\n"
	want := strings.Replace(old, "last", "changed", 1)
	killedAt := 0
	for step := 1; ; step++ {
		dir := t.TempDir()
		for _, name := range []string{"a.txt", "b.txt"} {
			put(t, filepath.Join(dir, name), old)
			put(t, filepath.Join(dir, "want.txt"), want)
			out := filepath.Join(dir, "patches", name+".json")
			if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
				t.Fatal(err)
			}
			run(t, 0, "patch", "make", filepath.Join(dir, name), filepath.Join(dir, "want.txt"), "--path", name, "-o", out)
		}
		if !diesAt(t, dir, step) {
			break
		}
		killedAt = step
		for _, name := range []string{"a.txt", "b.txt"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(data); got != old && got != want {
				t.Fatalf("step %d: %s is neither old nor new: %d bytes", step, name, len(got))
			}
		}
		run(t, 0, "patch", "apply", filepath.Join(dir, "patches"), "--root", dir, "--skip-applied")
		for _, name := range []string{"a.txt", "b.txt"} {
			if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
				t.Fatalf("step %d: %s was not finished: %v", step, name, err)
			}
		}
		swept(t, dir, step)
	}
	if killedAt < 16 {
		t.Errorf("two files have only %d steps", killedAt)
	}
}

// swept looks that nothing of what a killed process left stays beside a file that was
// patched afterwards.
func swept(t *testing.T, dir string, step int) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("step %d: %v, %v", step, left, err)
	}
}

func recordPatch(dir string) []string {
	return []string{"patch", "apply", filepath.Join(dir, "patches"), "--record", "memo", "-C", dir, "-m", "killed meanwhile", "-q"}
}

// Killed at any time, a row of patches of a record has made all of its versions or
// none, what the store says is proven, and the same command then does the rest.
func TestKilledWithinApplyToARecord(t *testing.T) {
	const kills = 12
	old := strings.Repeat("alpha\r\nbeta\r\n", 2000)
	texts := []string{old, old + "one\r\n", old + "one\r\ntwo\r\n"}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "patches"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		put(t, filepath.Join(dir, fmt.Sprint(i)), text)
	}
	for i := 1; i < len(texts); i++ {
		run(t, 0, "patch", "make", filepath.Join(dir, fmt.Sprint(i-1)), filepath.Join(dir, fmt.Sprint(i)), "-o", filepath.Join(dir, "patches", fmt.Sprint(i)+".json"))
	}
	run(t, 0, "store", "put", filepath.Join(dir, "0"), "--id", "memo", "--type", "paper_note", "--module", "m", "-C", dir)
	done := 0
	for range kills {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envRecord+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // killed, or done
		run(t, 0, "verify", "-C", dir)
		latest := content(t, dir, "memo")
		if latest != texts[0] && latest != texts[2] {
			t.Fatalf("half of the row is there: %d bytes", len(latest))
		}
		if latest == texts[2] { // begin again, with another version
			done++
			run(t, 0, "store", "put", filepath.Join(dir, "0"), "--id", "memo", "-m", "back", "-C", dir)
		}
	}
	run(t, 0, recordPatch(dir)...)
	if content(t, dir, "memo") != texts[2] {
		t.Error("it was not finished")
	}
	t.Logf("%d of %d came before the kill", done, kills)
}

func content(t *testing.T, dir, id string) string {
	t.Helper()
	var out bytes.Buffer
	streams := ui.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard, Now: time.Now}
	if got := Run(t.Context(), []string{"store", "show", id + "@latest", "--content", "-C", dir}, streams); got != 0 {
		t.Fatalf("%d: %s", got, out.String())
	}
	return out.String()
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, want int, args ...string) {
	t.Helper()
	var out bytes.Buffer
	streams := ui.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Now: time.Now}
	if got := Run(t.Context(), args, streams); got != want {
		t.Fatalf("%v: %d\n%s", args, got, out.String())
	}
}

func diesAt(t *testing.T, dir string, step int) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), envPatchDir+"="+dir, envPatchDie+"="+strconv.Itoa(step))
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
