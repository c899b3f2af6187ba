package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
)

const twoConflicts = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - name: A
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"statement":"One.","context":"Left."},"rationale":"a first look"}
          ` + "```" + `
  - name: B
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"statement":"Two.","context":"Right."},"rationale":"another look"}
          ` + "```" + `
`

// terminalRun runs a command on a terminal where these keys are pressed.
func terminalRun(t *testing.T, dir, keys string, env []string, args ...string) (code int, out, screen string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), append(args, "-C", dir), ui.Streams{
		In: strings.NewReader(keys), InTTY: true, Out: &stdout, Err: &stderr, ErrTTY: true, Environ: env, Now: time.Now,
	})
	return code, stdout.String(), stderr.String()
}

func conflicted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{"brenner.yaml": "question: Why?\n", "script.yaml": twoConflicts} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, screen := terminalRun(t, dir, "", nil, "session", "start", "--to", "A", "--role", "hypothesis_generator", "--to", "B", "--role", "hypothesis_generator",
		"--script", filepath.Join(dir, "script.yaml"), "--rounds", "1", "--thread-id", walked)
	if code != ui.ExitPerson || !strings.Contains(out, `B: "Right."`) {
		t.Fatalf("exit %d: %s%s", code, out, screen)
	}
	return dir
}

const walked = "RS-20261115-walked"

// Each key decides one conflict, and each decision is journaled before the next question.
func TestResolveWalksThroughConflicts(t *testing.T) {
	dir := conflicted(t)
	code, out, screen := terminalRun(t, dir, "x2q", nil, "session", "resolve", walked, "--why", "it holds")
	if code != ui.ExitPerson || !strings.Contains(out, "1 resolved, 1 open: version 3") {
		t.Fatalf("exit %d: %s%s", code, out, screen)
	}
	for _, want := range []string{"1 of 2: RT.", "2 of 2: RT.", "  1  A (", "why: a first look", "Take 1 to 2", "resolved to the value from B: version 3"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen lacks %q:\n%s", want, screen)
		}
	}
	if code, out, screen = terminalRun(t, dir, "s", nil, "session", "resolve", walked); code != ui.ExitPerson || !strings.Contains(out, "0 resolved, 1 open") {
		t.Errorf("skipped: exit %d: %s%s", code, out, screen)
	}
	if code, out, screen = terminalRun(t, dir, "\x03", nil, "session", "resolve", walked); code != ui.ExitInterrupted {
		t.Errorf("Ctrl-C: exit %d: %s%s", code, out, screen)
	}
	code, out, screen = terminalRun(t, dir, "e \nemine\n", nil, "session", "resolve", walked)
	if code != 0 || !strings.Contains(out, "1 resolved, 0 open: version 4") || !strings.Contains(screen, `resolved to "mine": version 4`) {
		t.Errorf("own value: exit %d: %s%s", code, out, screen)
	}
	if code, out, _ = terminalRun(t, dir, "", nil, "session", "resolve", walked); code != 0 || !strings.Contains(out, "no conflicts in version 4") {
		t.Errorf("nothing left: exit %d: %s", code, out)
	}
}

func TestResolveOpensTheEditor(t *testing.T) {
	dir := conflicted(t)
	code, out, screen := terminalRun(t, dir, "e1", []string{"EDITOR=printf edited >", "PATH=" + os.Getenv("PATH")}, "session", "resolve", walked)
	if code != 0 || !strings.Contains(screen, `resolved to "edited": version 3`) || !strings.Contains(out, "2 resolved, 0 open: version 4") {
		t.Errorf("exit %d: %s%s", code, out, screen)
	}
	if code, out, screen = terminalRun(t, conflicted(t), "eq", []string{"EDITOR=false"}, "session", "resolve", walked); code != ui.ExitPerson || !strings.Contains(screen, "hint: set EDITOR") {
		t.Errorf("an editor that fails: exit %d: %s%s", code, out, screen)
	}
}

// The tables of a summary fit a narrow terminal, and words about a state have colours there.
func TestSummaryFitsANarrowTerminal(t *testing.T) {
	dir := conflicted(t)
	for _, width := range []int{60, 90, 200} {
		var out bytes.Buffer
		code := Run(t.Context(), []string{"session", "status", walked, "-C", dir}, ui.Streams{
			In: strings.NewReader(""), Out: &out, OutTTY: true, Err: &bytes.Buffer{}, Width: func() int { return width }, Now: time.Now,
		})
		_, table, _ := strings.Cut(out.String(), "\nAGENT")
		table, _, _ = strings.Cut(table, "\nConflicts:")
		if code != ui.ExitPerson || table == "" || width == 200 && !strings.Contains(table, "\x1b[32manswered\x1b[0m") {
			t.Fatalf("%d columns, exit %d: %s", width, code, out.String())
		}
		for line := range strings.Lines("AGENT" + table) {
			if n := len([]rune(regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))); n >= width {
				t.Errorf("%d columns: a line has %d: %s", width, n, line)
			}
		}
	}
}
