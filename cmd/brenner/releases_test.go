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

// releases has a directory for each release, and in it a project for each way to work;
// store/testdata/freeze/freeze.sh wrote them with the program of that release.
const releases = "../../store/testdata/releases"

// TestReleases opens the projects of earlier releases: what was proven then is proven
// now, and what was printed as data then is printed now.
func TestReleases(t *testing.T) {
	t.Parallel()
	projects, err := filepath.Glob(filepath.Join(releases, "*", "*", "frozen", "commands"))
	if err != nil || len(projects) == 0 {
		t.Fatalf("%d projects in %s: %v", len(projects), releases, err)
	}
	for _, commands := range projects {
		frozen := filepath.Dir(commands)
		name, err := filepath.Rel(releases, filepath.Dir(frozen))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			r := release{frozen: frozen, dir: thaw(t, frozen)}
			r.printsTheSame(t)
			r.mailIsThere(t)
			r.exportsTravel(t)
			r.goesOn(t)
		})
	}
}

// release is a project of an earlier release: the copy of it that is worked on, and what
// the program of then said about it.
type release struct{ frozen, dir string }

// thaw copies a project into a directory of its own.
func thaw(t *testing.T, frozen string) string {
	t.Helper()
	dir := t.TempDir()
	err := os.CopyFS(dir, os.DirFS(filepath.Join(frozen, "..", "project")))
	if err == nil {
		err = os.Rename(filepath.Join(dir, "state"), filepath.Join(dir, ".brenner"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs the program in a directory, and returns what it prints and its exit code.
func (r release) run(t *testing.T, dir string, args ...string) ([]byte, int) {
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

// does runs a command that must succeed.
func (r release) does(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, code := r.run(t, dir, args...)
	if code != 0 {
		t.Fatalf("brenner %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// printsTheSame runs the commands whose output was frozen.
func (r release) printsTheSame(t *testing.T) {
	for line := range strings.Lines(read(t, filepath.Join(r.frozen, "commands"))) {
		var file string
		var want int
		if _, err := fmt.Sscan(line, &file, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		args := strings.Fields(line)[2:]
		got, code := r.run(t, r.dir, args...)
		if code != want {
			t.Errorf("brenner %s: exit code %d, then it was %d\n%s", strings.Join(args, " "), code, want, got)
		}
		r.same(t, file, got)
	}
}

// same compares what is printed with a frozen file: artifacts and exports to the byte,
// other JSON by what it says.
func (r release) same(t *testing.T, file string, got []byte) {
	t.Helper()
	want := []byte(read(t, filepath.Join(r.frozen, file)))
	if bytes.Equal(got, want) {
		return
	}
	before, isData := data(want)
	if !isData {
		t.Errorf("%s: not the bytes that were frozen:\n%s", file, firstDifference(string(got), string(want)))
		return
	}
	now, isData := data(got)
	if !isData {
		t.Errorf("%s: not JSON: %s", file, got)
		return
	}
	for _, fault := range differences("", before, now, prose[fmt.Sprint(before["schema"])]) {
		t.Errorf("%s: %s", file, fault)
	}
}

// data returns a document that a command prints with --json: it names its schema. Artifacts
// and exports are not such documents; their bytes count.
func data(text []byte) (document map[string]any, ok bool) {
	err := json.Unmarshal(text, &document)
	return document, err == nil && document["schema"] != nil
}

// prose has the fields of documents that hold sentences for people: they may be reworded.
var prose = map[string][]string{
	"brenner.loop.report/v1":  {"what", "command"},
	"brenner.store.status/v1": {"reason"},
	"brenner.trace.list/v1":   {"detail", "hint"},
}

// exceptions are fields by which a proof says what it did not compare: findings of other
// lint rules, and reports in other words. A commit that changes rules or words on purpose
// takes the field out of this list, and says so.
var exceptions = []string{"other_lint", "reworded"}

// differences returns where a document says something else than before. Fields may have
// been added, except those that weaken a proof.
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
		for _, key := range exceptions {
			if _, there := before[key]; !there && now[key] != nil {
				all = append(all, fmt.Sprintf("%s.%s: %v, which was not said then", place, key, now[key]))
			}
		}
	case []any:
		now, _ := now.([]any)
		if len(now) != len(before) {
			return []string{fmt.Sprintf("%s: %d elements, then %d: %v", place, len(now), len(before), now)}
		}
		for i := range before {
			all = append(all, differences(fmt.Sprintf("%s[%d]", place, i), before[i], now[i], ignored)...)
		}
	default:
		if !reflect.DeepEqual(before, now) {
			all = append(all, fmt.Sprintf("%s: %v, then %v", place, now, before))
		}
	}
	return all
}

// firstDifference returns the first lines that differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n got: %.500s\nwant: %.500s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(a), len(b))
}

// mailIsThere reads the mailboxes of a project by a server.
func (r release) mailIsThere(t *testing.T) {
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
		t.Fatalf("%d messages, then %d: %v", len(got), len(frozen.Thread.Messages), err)
	}
	for i, want := range frozen.Thread.Messages {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("message %s of the thread:\n%s", want.ID, firstDifference(fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want)))
		}
	}
}

// exportsTravel proves each frozen export without a project, and takes it into a fresh one.
func (r release) exportsTravel(t *testing.T) {
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
		id := strings.TrimSuffix(filepath.Base(export), ".jsonl")
		proven(t, r.does(t, fresh, "verify", file, "--json"))
		r.same(t, id+".replay.json", r.does(t, fresh, "session", "replay", file, "--json"))
		r.does(t, fresh, "session", "import", file)
		for name, format := range map[string]string{".md": "markdown", ".json": "json"} {
			r.same(t, id+name, r.does(t, fresh, "session", "show", id, "--format", format))
		}
		r.same(t, id+".jsonl", r.does(t, fresh, "session", "export", id, "--out", "-", "-q"))
	}
	if len(exports) > 0 {
		proven(t, r.does(t, fresh, "verify", "--json"))
	}
}

// proven wants a verification to hold without a reservation.
func proven(t *testing.T, text []byte) {
	t.Helper()
	document, _ := data(text)
	if document["ok"] != true {
		t.Errorf("not proven: %s", text)
	}
	for _, field := range exceptions {
		if bytes.Contains(text, []byte(`"`+field+`":`)) {
			t.Errorf("proven with a reservation (%s): %s", field, text)
		}
	}
}

// goesOn finishes what was interrupted, asks nothing again that was answered, and leaves a
// note in every session.
func (r release) goesOn(t *testing.T) {
	for line := range strings.Lines(r.interrupted(t)) {
		r.does(t, r.dir, strings.Fields(line)...)
	}
	for _, s := range r.sessions(t) {
		if s.Phase != "ended" {
			t.Errorf("%s is %s", s.Thread, s.Phase)
		}
		r.asksNothingAgain(t, s.Thread)
		r.does(t, r.dir, "session", "note", s.Thread, "Look at the edge.")
	}
	proven(t, r.does(t, r.dir, "verify", "--json"))
}

// interrupted returns the commands that finish what was interrupted.
func (r release) interrupted(t *testing.T) string {
	t.Helper()
	commands, err := os.ReadFile(filepath.Join(r.frozen, "resume"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(commands)
}

type sessionRow struct {
	Thread string `json:"thread_id"`
	Phase  string
}

func (r release) sessions(t *testing.T) []sessionRow {
	t.Helper()
	var list struct{ Sessions []sessionRow }
	if err := json.Unmarshal(r.does(t, r.dir, "session", "list", "--json"), &list); err != nil {
		t.Fatal(err)
	}
	return list.Sessions
}

// asksNothingAgain compares the calls of a session that had been answered with the same
// calls now: when they began and ended, and how often they were tried.
func (r release) asksNothingAgain(t *testing.T, thread string) {
	t.Helper()
	file := filepath.Join(r.frozen, thread+".calls.json")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return // it began later
	}
	before := calls(t, []byte(read(t, file)))
	now := calls(t, r.does(t, r.dir, "trace", "list", thread, "--json"))
	for name, call := range before {
		switch {
		case call["status"] == "answered" && !reflect.DeepEqual(now[name], call):
			t.Errorf("%s had been answered:\n%v\nnow it is\n%v", name, call, now[name])
		case now[name]["status"] == "begun":
			t.Errorf("%s is not finished", name)
		}
	}
}

func calls(t *testing.T, text []byte) map[string]map[string]any {
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
