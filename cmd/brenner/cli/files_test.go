package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
	"brenner/session"
	"brenner/store"
	"brenner/store/sqlite"
)

// Artifact files are left to the process that runs the session, and end with the newest
// version even if a slower process writes an older one.
func TestArtifactFilesOfConcurrentProcesses(t *testing.T) {
	const thread = "RS-20261115-cells"
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := Run(t.Context(), append(args, "-C", dir), ui.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Now: time.Now}); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, out.String())
		}
		return out.String()
	}
	run("session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "1", "--thread-id", thread)
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, ".brenner"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	old, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, ".brenner", "sessions", thread, "artifact.md")

	lease, err := st.Hold(thread, store.Holder{PID: os.Getpid(), Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if got := run("session", "status", thread); !strings.Contains(got, "\nArtifact ") {
		t.Errorf("the current file is not named: %s", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := run("session", "status", thread); strings.Contains(got, "\nArtifact ") {
		t.Errorf("a missing file is named: %s", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("written while another process runs the session")
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}

	run("session", "resume", thread, "--rounds", "3")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(&project.Host{Now: time.Now}, config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Publish(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has %d bytes, want %d of the newest version: %v", len(got), len(want), err)
	}
}
