package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brenner/mail"
)

// releases has a directory for each release, with one project per use case;
// store/testdata/freeze/freeze.sh wrote them with the program of that release.
const releases = "../../store/testdata/releases"

// TestReleases opens the projects of earlier releases: every proof still holds, and every
// command prints the same data.
func TestReleases(t *testing.T) {
	t.Parallel()
	projects, err := filepath.Glob(filepath.Join(releases, "*", "*"))
	if err != nil || len(projects) == 0 {
		t.Fatalf("%d projects in %s: %v", len(projects), releases, err)
	}
	for _, project := range projects {
		name, err := filepath.Rel(releases, project)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			r := release{frozen: filepath.Join(project, "frozen"), dir: thaw(t, filepath.Join(project, "project"))}
			succeed(t, r.dir, "session", "list") // upgrades the store
			r.checkOutput(t)
			r.checkMail(t)
			r.checkExports(t)
			r.checkResume(t)
		})
	}
}

// release is a project of an earlier release.
type release struct {
	frozen string // what its program printed
	dir    string // a copy of the project
}

// thaw copies a project into a directory of its own.
func thaw(t *testing.T, project string) string {
	t.Helper()
	dir := t.TempDir()
	err := os.CopyFS(dir, os.DirFS(project))
	if err == nil {
		err = os.Rename(filepath.Join(dir, "state"), filepath.Join(dir, ".brenner"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// execute runs the program in a directory, and returns its output and its exit code.
func execute(t *testing.T, dir string, args ...string) ([]byte, int) {
	t.Helper()
	c := exec.Command("brenner", args...)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if len(exit.Stderr) > 0 {
			t.Logf("brenner %s: %s", strings.Join(args, " "), exit.Stderr)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return out, c.ProcessState.ExitCode()
}

// succeed runs the program in a directory, and returns its output. The exit code must be 0.
func succeed(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, code := execute(t, dir, args...)
	if code != 0 {
		t.Fatalf("brenner %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// checkOutput runs the commands whose output was frozen.
func (r release) checkOutput(t *testing.T) {
	for line := range strings.Lines(read(t, filepath.Join(r.frozen, "commands"))) {
		var file string
		var want int
		if _, err := fmt.Sscan(line, &file, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		args := strings.Fields(line)[2:]
		got, code := execute(t, r.dir, args...)
		if code != want {
			t.Errorf("brenner %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, got)
		}
		r.compare(t, file, got)
	}
}

// compare compares output with a frozen file: artifacts and exports byte by byte, documents
// field by field.
func (r release) compare(t *testing.T, file string, got []byte) {
	t.Helper()
	want := []byte(read(t, filepath.Join(r.frozen, file)))
	if bytes.Equal(got, want) {
		return
	}
	before, ok := parseDocument(want)
	if !ok {
		t.Errorf("%s: the bytes differ:\n%s", file, firstDifference(string(got), string(want)))
		return
	}
	now, ok := parseDocument(got)
	if !ok {
		t.Errorf("%s: not a JSON document: %s", file, got)
		return
	}
	for _, fault := range differences("", before, now, prose[fmt.Sprint(before["schema"])]) {
		t.Errorf("%s: %s", file, fault)
	}
}

// parseDocument parses a document that a command prints with --json: it names its schema.
// Artifacts and exports are not such documents.
func parseDocument(text []byte) (document map[string]any, ok bool) {
	err := json.Unmarshal(text, &document)
	return document, err == nil && document["schema"] != nil
}

// prose lists the fields of documents that hold sentences: they may be reworded.
var prose = map[string][]string{
	"brenner.loop.report/v1":  {"what", "command"},
	"brenner.store.status/v1": {"reason"},
	"brenner.trace.list/v1":   {"detail", "hint"},
}

// reservations are the fields in which a proof reports what it did not compare: findings of
// other lint rules, and reports with a different wording. A commit that changes rules or
// wording on purpose removes the field from this list, and says why.
var reservations = []string{"other_lint", "reworded"}

// differences returns the places where a document differs from an earlier one. New fields
// are allowed, except reservations.
func differences(place string, before, now any, ignored []string) (all []string) {
	switch before := before.(type) {
	case map[string]any:
		now, _ := now.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(before)) {
			if slices.Contains(ignored, key) {
				continue
			}
			if _, there := now[key]; !there {
				all = append(all, place+"."+key+" is missing")
				continue
			}
			all = append(all, differences(place+"."+key, before[key], now[key], ignored)...)
		}
		for _, key := range reservations {
			if _, there := before[key]; !there && now[key] != nil {
				all = append(all, fmt.Sprintf("%s.%s: %v, want no such field", place, key, now[key]))
			}
		}
	case []any:
		now, _ := now.([]any)
		if strings.HasSuffix(place, ".needs_person") && len(now) > len(before) {
			now = now[:len(before)] // since 0066 it also lists failures, idle agents and lint errors
		}
		if len(now) != len(before) {
			return []string{fmt.Sprintf("%s: %d elements, want %d: %v", place, len(now), len(before), now)}
		}
		for i := range before {
			all = append(all, differences(fmt.Sprintf("%s[%d]", place, i), before[i], now[i], ignored)...)
		}
	default:
		if !reflect.DeepEqual(before, now) {
			all = append(all, fmt.Sprintf("%s: %v, want %v", place, now, before))
		}
	}
	return all
}

// firstDifference returns the first line that differs, of both texts.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n got: %.500s\nwant: %.500s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// checkMail serves the mailboxes of the project, and reads the frozen thread.
func (r release) checkMail(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(r.frozen, "mail.json"))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	var frozen struct {
		Project string
		Thread  struct{ Messages []mail.Message }
	}
	if err == nil {
		err = json.Unmarshal(text, &frozen)
	}
	if err != nil || len(frozen.Thread.Messages) == 0 {
		t.Fatalf("%d messages: %v", len(frozen.Thread.Messages), err)
	}
	server, err := startMail(r.dir, []string{"HOME=" + r.dir, "GORACE=atexit_sleep_ms=0"}, "--addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	}()
	token := strings.TrimSpace(read(t, filepath.Join(r.dir, ".brenner", "mail-operator.token")))
	client, err := mail.New(mail.Options{URL: server.base + mail.DefaultPath, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Thread(t.Context(), mail.ThreadQuery{Project: frozen.Project, Thread: frozen.Thread.Messages[0].Thread, Receipts: true})
	if err != nil || len(got) != len(frozen.Thread.Messages) {
		t.Fatalf("%d messages, want %d: %v", len(got), len(frozen.Thread.Messages), err)
	}
	for i, want := range frozen.Thread.Messages {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("message %s of the thread:\n%s", want.ID, firstDifference(fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want)))
		}
	}
}

// checkExports proves each frozen export without its project, and imports it into a fresh one.
func (r release) checkExports(t *testing.T) {
	exports, err := filepath.Glob(filepath.Join(r.frozen, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	if err := os.WriteFile(filepath.Join(fresh, "brenner.yaml"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, export := range exports {
		file, err := filepath.Abs(export)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(export)
		checkProof(t, succeed(t, fresh, "verify", file, "--json"))
		succeed(t, fresh, "session", "import", file)
		r.compare(t, name, succeed(t, fresh, "session", "export", strings.TrimSuffix(name, ".jsonl"), "--out", "-", "-q"))
	}
	if len(exports) > 0 {
		checkProof(t, succeed(t, fresh, "verify", "--json"))
	}
}

// checkProof checks that a verification succeeded without reservations.
func checkProof(t *testing.T, text []byte) {
	t.Helper()
	document, _ := parseDocument(text)
	if document["ok"] != true {
		t.Errorf("not proven: %s", text)
	}
	for _, field := range reservations {
		if bytes.Contains(text, []byte(`"`+field+`":`)) {
			t.Errorf("proven with a reservation (%s): %s", field, text)
		}
	}
}

// checkResume finishes what was interrupted, and adds a note to every session.
func (r release) checkResume(t *testing.T) {
	resume, err := os.ReadFile(filepath.Join(r.frozen, "resume"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(resume)) {
		succeed(t, r.dir, strings.Fields(line)...)
	}
	var list struct {
		Sessions []struct {
			Thread string `json:"thread_id"`
			Phase  string
		}
	}
	if err := json.Unmarshal(succeed(t, r.dir, "session", "list", "--json"), &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		if s.Phase != "ended" {
			t.Errorf("%s is %s", s.Thread, s.Phase)
		}
		if len(resume) > 0 {
			r.checkCalls(t, s.Thread)
		}
		succeed(t, r.dir, "session", "note", s.Thread, "Look at the edge.")
	}
	checkProof(t, succeed(t, r.dir, "verify", "--json"))
}

// checkCalls checks that the answered calls of a session were not made again: when they
// began and ended, and how often they were tried. The other calls must have ended.
func (r release) checkCalls(t *testing.T, thread string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(r.frozen, thread+".calls.json"))
	if errors.Is(err, os.ErrNotExist) {
		return // the session began later
	}
	if err != nil {
		t.Fatal(err)
	}
	now := callsByName(t, succeed(t, r.dir, "trace", "list", thread, "--json"))
	for name, call := range callsByName(t, before) {
		if call["status"] == "answered" {
			for _, fault := range differences(name, call, now[name], prose["brenner.trace.list/v1"]) {
				t.Errorf("call repeated: %s", fault)
			}
		} else if now[name]["status"] == "begun" {
			t.Errorf("%s is not finished", name)
		}
	}
}

// callsByName returns the calls of a trace list.
func callsByName(t *testing.T, text []byte) map[string]map[string]any {
	t.Helper()
	var list struct{ Calls []map[string]any }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]any)
	for _, call := range list.Calls {
		all[fmt.Sprint(call["call"])] = call
	}
	return all
}
