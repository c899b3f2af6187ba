package cli

import (
	"bytes"
	"fmt"
	"io"
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

// presses is a terminal on which one key after the other is pressed.
type presses []string

func (p *presses) Read(data []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(data, (*p)[0])
	if (*p)[0] = (*p)[0][n:]; (*p)[0] == "" {
		*p = (*p)[1:]
	}
	return n, nil
}

// terminalRun runs a command on a terminal where these keys, separated by blanks, are pressed.
func terminalRun(t *testing.T, dir, keys string, env []string, args ...string) (code int, out, screen string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	pressed := presses(strings.Fields(keys))
	for i := range pressed {
		pressed[i] = strings.NewReplacer("ENTER", "\n", "ESC", "\x1b").Replace(pressed[i])
	}
	code = Run(t.Context(), append(args, "-C", dir), ui.Streams{
		In: &pressed, InTTY: true, Out: &stdout, Err: &stderr, ErrTTY: true, Environ: env, Now: time.Now,
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
	code, out, screen := terminalRun(t, dir, "x y 2 Q", nil, "session", "resolve", walked, "--why", "it holds")
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
	code, out, screen = terminalRun(t, dir, "e ENTER e mineENTER", nil, "session", "resolve", walked)
	if code != 0 || !strings.Contains(out, "1 resolved, 0 open: version 4") || !strings.Contains(screen, `resolved to "mine": version 4`) {
		t.Errorf("own value: exit %d: %s%s", code, out, screen)
	}
	if code, out, _ = terminalRun(t, dir, "", nil, "session", "resolve", walked); code != 0 || !strings.Contains(out, "no conflicts in version 4") {
		t.Errorf("nothing left: exit %d: %s", code, out)
	}
}

// What is wrong is said before the first question, and about each key that means nothing.
func TestResolveSaysWhatIsWrong(t *testing.T) {
	dir := conflicted(t)
	code, out, screen := terminalRun(t, dir, "1", nil, "session", "resolve", walked, "--as", "Mallory")
	if code != 4 || strings.Contains(screen, "Take 1") || !strings.Contains(screen, "Mallory is not an authority") {
		t.Errorf("exit %d: %s%s", code, out, screen)
	}
	_, out, screen = terminalRun(t, dir, "9 x q", nil, "session", "resolve", walked)
	if want := "quit: \n\"9\" is not a choice. Take 1 to 2, e another value, s skip, q quit: \n\"x\" is not a choice: "; !strings.Contains(screen, want) {
		t.Errorf("the screen lacks %q:\n%s%s", want, screen, out)
	}
}

// A conflict that another process has resolved meanwhile does not count as resolved here.
func TestResolvedMeanwhile(t *testing.T) {
	dir := conflicted(t)
	pressed := false
	in := readFunc(func(data []byte) (int, error) {
		if !pressed {
			pressed = true
			if code, out, screen := terminalRun(t, dir, "1 q", nil, "session", "resolve", walked); code != ui.ExitPerson {
				t.Errorf("exit %d: %s%s", code, out, screen)
			}
		}
		return copy(data, "1"), nil
	})
	var out, screen bytes.Buffer
	code := Run(t.Context(), []string{"session", "resolve", walked, "-C", dir}, ui.Streams{In: in, InTTY: true, Out: &out, Err: &screen, ErrTTY: true, Now: time.Now})
	if code != 0 || !strings.Contains(out.String(), ": 1 resolved, 1 elsewhere, 0 open: version 4") {
		t.Errorf("exit %d: %s%s", code, out.String(), screen.String())
	}
}

func TestResolveOpensTheEditor(t *testing.T) {
	dir := conflicted(t)
	code, out, screen := terminalRun(t, dir, "e 1", []string{"EDITOR=printf edited >", "PATH=" + os.Getenv("PATH")}, "session", "resolve", walked)
	if code != 0 || !strings.Contains(screen, `resolved to "edited": version 3`) || !strings.Contains(out, "2 resolved, 0 open: version 4") {
		t.Errorf("exit %d: %s%s", code, out, screen)
	}
	code, out, screen = terminalRun(t, conflicted(t), "e q", []string{"EDITOR=true", "PATH=" + os.Getenv("PATH")}, "session", "resolve", walked)
	if code != ui.ExitPerson || !strings.Contains(screen, "nothing decided") || !strings.Contains(out, "0 resolved, 2 open") {
		t.Errorf("an editor that changes nothing: exit %d: %s%s", code, out, screen)
	}
	if code, out, screen = terminalRun(t, conflicted(t), "e q", []string{"EDITOR=false"}, "session", "resolve", walked); code != ui.ExitPerson || !strings.Contains(screen, "hint: set EDITOR") {
		t.Errorf("an editor that fails: exit %d: %s%s", code, out, screen)
	}
}

// Only a key that was pressed for the prompt decides: not the digits in what other keys send, in
// mouse reports or in pasted text, and nothing that was typed ahead.
func TestResolveIgnoresEscapeSequences(t *testing.T) {
	dir := conflicted(t)
	for _, keys := range []string{
		"ESC[1~", "ESC[2~", "ESC[15~", "ESC[1;2A", "ESC[A", "ESCOP", "ESCO 1", "ESC[ 1 ~", "ESC [1~", "ESC1", "ESC[[1", "ESC[<0;1;2M", "ESC[M!12", "ESC[M !12",
		"ESC]11;rgb:1/2/1\a", "ESC]11;1ESC\\", "ESC[200~121ESC[201~", "ESC[200~1 2 1ESC [201~", "ESC[200~1", "x12", "é1",
	} {
		if code, out, screen := terminalRun(t, dir, keys, nil, "session", "resolve", walked); code != ui.ExitPerson || !strings.Contains(out, "0 resolved, 2 open") {
			t.Fatalf("%q decides: exit %d: %s%s", keys, code, out, screen)
		}
	}
	_, out, screen := terminalRun(t, dir, "x y ESC[1~ ESC 21 q", nil, "session", "resolve", walked)
	if !strings.Contains(out, "1 resolved, 1 open") || !strings.Contains(screen, "the value from B") || strings.Count(screen, "Take 1 to 2") != 3 {
		t.Errorf("typed ahead: %s%s", out, screen)
	}
}

// A signal at the prompt leaves the terminal as it was.
func TestSignalRestoresTheTerminal(t *testing.T) {
	interrupts, raw, atSignal := &ui.Interrupts{}, false, true
	in := readFunc(func([]byte) (int, error) {
		if interrupts.Signal() {
			t.Error("the program continues")
		}
		atSignal = raw
		return 0, io.EOF
	})
	Run(t.Context(), []string{"session", "resolve", walked, "-C", conflicted(t)}, ui.Streams{
		In: in, InTTY: true, Out: io.Discard, Err: io.Discard, ErrTTY: true, Now: time.Now, Interrupts: interrupts,
		Raw: func() (func(), error) { raw = true; return func() { raw = false }, nil },
	})
	if atSignal {
		t.Error("the terminal is still raw")
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(data []byte) (int, error) { return f(data) }

// With more candidates than digits, a number is typed.
func TestResolveTakesNumbers(t *testing.T) {
	dir := t.TempDir()
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n"
	args := []string{"session", "start", "--script", filepath.Join(dir, "script.yaml"), "--rounds", "1", "--thread-id", walked}
	for i := range 12 {
		script += fmt.Sprintf("  - name: A%02d\n    rounds:\n      - reply: |\n          ```delta\n          {\"operation\":\"EDIT\",\"section\":\"research_thread\",\"target_id\":\"RT\",\"payload\":{\"statement\":\"Value %d.\"},\"rationale\":\"because\"}\n          ```\n", i+1, i+1)
		args = append(args, "--to", fmt.Sprintf("A%02d", i+1), "--role", "hypothesis_generator")
	}
	for file, text := range map[string]string{"brenner.yaml": "question: Why?\n", "script.yaml": script} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, screen := terminalRun(t, dir, "", nil, args...); code != ui.ExitPerson {
		t.Fatalf("exit %d: %s%s", code, out, screen)
	}
	if code, out, screen := terminalRun(t, dir, "13ENTER ESC[1~ENTER 12ENTER", nil, "session", "resolve", walked); code != 0 || !strings.Contains(screen, "the value from A12") {
		t.Errorf("exit %d: %s%s", code, out, screen)
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
		if code != ui.ExitPerson || table == "" || !strings.Contains(table, "\x1b[32manswered\x1b[0m") {
			t.Fatalf("%d columns, exit %d: %s", width, code, out.String())
		}
		for line := range strings.Lines("AGENT" + table) {
			if n := len([]rune(regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))); n >= width {
				t.Errorf("%d columns: a line has %d: %s", width, n, line)
			}
		}
	}
}
