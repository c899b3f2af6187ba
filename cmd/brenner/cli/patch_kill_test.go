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
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
)

// envRecord is the directory of a child process of the test that applies patches to a
// record and is killed.
const envRecord = "CLI_TEST_RECORD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envRecord); dir != "" {
		streams := ui.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr, Now: time.Now}
		if code := Run(context.Background(), recordPatch(dir), streams); code != 0 {
			panic(code)
		}
		return
	}
	m.Run()
}

func recordPatch(dir string) []string {
	return []string{"patch", "apply", filepath.Join(dir, "patches"), "--record", "memo", "-C", dir, "-m", "killed meanwhile", "-q"}
}

// Killed at any time, several patches of a record create all versions or none, the store
// verifies, and the same command then finishes.
func TestKilledPatchApplyIsAllOrNothing(t *testing.T) {
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
			t.Fatalf("only some patches were applied: %d bytes", len(latest))
		}
		if latest == texts[2] { // start again, with another version
			done++
			run(t, 0, "store", "put", filepath.Join(dir, "0"), "--id", "memo", "-m", "back", "-C", dir)
		}
	}
	run(t, 0, recordPatch(dir)...)
	if content(t, dir, "memo") != texts[2] {
		t.Error("not finished")
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
