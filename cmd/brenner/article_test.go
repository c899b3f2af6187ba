package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent/openai/openaitest"
	"brenner/store"
	storefile "brenner/store/sqlite"
)

// envArticleKills is the variable with the number of kills of TestReviewArticle.
const envArticleKills = "BRENNER_TEST_ARTICLE_KILLS"

// article runs examples/review-article with a stopped clock. A run can be killed: at a command of
// run.sh, at a call of an agent, or at a write of the loop.
type article struct {
	t       *testing.T
	example string
	bin     string // the program that run.sh starts
	base    string // a copy of the first run's directory before the loop
	env     []string
}

// killable is the program that run.sh starts, and killAgent the agent that the loop starts. $KILL says
// where to kill. Programs see few variables, so that the agent reads a file.
const (
	killable = `#!/bin/sh
case $KILL in
"command "*)
	echo >>"$COMMANDS"
	if [ "$(wc -l <"$COMMANDS")" -eq "${KILL#command }" ]; then
		kill -9 $PPID
		exit 137
	fi
	;;
esac
case "$1 $2 $KILL" in
"loop run ") [ -d "$BASE" ] || cp -R . "$BASE" ;;
"loop run call "*) echo $$ >loop.pid ;;
"loop run write "*) exec strace -f -qq -o /dev/null -e trace=pwrite64 -e "inject=pwrite64:signal=KILL:when=${KILL#write }" brenner-still "$@" ;;
esac
exec brenner-still "$@"
`
	killAgent = `#!/bin/sh
here=$(dirname -- "$0")
if [ -e "$here/kill-at" ]; then
	n=1
	until mkdir "$here/call-$n" 2>/dev/null; do
		n=$((n + 1))
	done
	if [ "$n" -eq "$(cat "$here/kill-at")" ]; then
		kill -9 "$(cat "$here/loop.pid")"
	fi
fi
exec sh "$here/scripted.sh"
`
)

func newArticle(t *testing.T) *article {
	t.Helper()
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "review-article"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	a := &article{t: t, example: example, bin: filepath.Join(home, "killable"), base: filepath.Join(home, "base")}
	a.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0", "BRENNER=" + a.bin, "BASE=" + a.base}
	if err := os.WriteFile(a.bin, []byte(killable), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return a
}

// prepare returns a directory for a run, a copy of the base if there is one. Its agent kills the loop at
// the n-th call; 0 for none.
func (a *article) prepare(n int, base bool) string {
	a.t.Helper()
	dir := a.t.TempDir()
	if base {
		if err := os.CopyFS(dir, os.DirFS(a.base)); err != nil {
			a.t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(a.example, "project", "agent.sh"))
	if err != nil {
		a.t.Fatal(err)
	}
	files := map[string]string{"scripted.sh": string(script), "agent.sh": killAgent}
	if n > 0 {
		files["kill-at"] = strconv.Itoa(n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return dir
}

// run runs the example in dir and returns its output and exit code, -1 if it was killed.
func (a *article) run(dir, kill string, flags ...string) (string, int) {
	a.t.Helper()
	c := exec.Command("sh", append([]string{filepath.Join(a.example, "run.sh"), dir}, flags...)...)
	c.Env = append(slices.Clone(a.env), "KILL="+kill, "COMMANDS="+filepath.Join(dir, "commands"))
	c.WaitDelay = time.Minute // what a killed loop has started ends by itself
	out, _ := c.CombinedOutput()
	return string(out), c.ProcessState.ExitCode()
}

// command runs a command in the project of a run.
func (a *article) command(dir string, args ...string) string {
	a.t.Helper()
	c := exec.Command("brenner-still", args...)
	c.Dir, c.Env = dir, a.env
	out, err := c.CombinedOutput()
	if err != nil {
		a.t.Errorf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// open opens the store of a run.
func (a *article) open(dir string) *storefile.Store {
	a.t.Helper()
	st, err := storefile.Open(a.t.Context(), filepath.Join(dir, ".brenner"), storefile.Options{})
	if err != nil {
		a.t.Fatal(err)
	}
	return st
}

// state returns everything that must not depend on kills: all records and their marks,
// the refused attempts, the snapshot and the lineage.
func (a *article) state(dir string) string {
	a.t.Helper()
	st := a.open(dir)
	defer func() { _ = st.Close() }()
	records, err := st.Records(a.t.Context(), store.Query{})
	if err != nil {
		a.t.Fatal(err)
	}
	var b strings.Builder
	for i := range records {
		fmt.Fprintf(&b, "%+v\n", records[i]) // with the hash of its content
	}
	marks, err := st.Marks(a.t.Context(), "")
	if err != nil {
		a.t.Fatal(err)
	}
	lines := make([]string, len(marks)) // those of different records are in any order
	for i := range marks {
		lines[i] = fmt.Sprintf("%+v", marks[i])
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
	refused, err := st.Entries(a.t.Context(), "refusals", 0)
	if err != nil {
		a.t.Fatal(err)
	}
	for i := range refused {
		fmt.Fprintf(&b, "%s\n", refused[i].Body)
	}
	for _, name := range []string{"snapshot.md", "lineage.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			a.t.Error(err)
		}
		b.Write(text)
	}
	return b.String()
}

// answered returns the calls whose replies are stored, as in the log of the agents.
func (a *article) answered(dir string) []string {
	a.t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".brenner", "brenner.db")); err != nil {
		return nil // killed before there was one
	}
	st := a.open(dir)
	defer func() { _ = st.Close() }()
	streams, err := st.Streams(a.t.Context(), "session/")
	if err != nil {
		a.t.Fatal(err)
	}
	var calls []string
	for _, s := range streams {
		entries, err := st.Entries(a.t.Context(), s.Name, 0)
		if err != nil {
			a.t.Fatal(err)
		}
		task := ""
		for i := range entries {
			var body struct{ Task, Call string }
			if err := json.Unmarshal(entries[i].Body, &body); err != nil {
				a.t.Fatal(err)
			}
			switch entries[i].Kind {
			case "session.opened":
				task, _, _ = strings.Cut(strings.TrimPrefix(body.Task, "task-review-article-"), "@")
			case "call.answered":
				if strings.HasSuffix(body.Call, "/repair") {
					calls = append(calls, task+"-repair")
				} else {
					calls = append(calls, task)
				}
			}
		}
	}
	return calls
}

// asked counts how often each call was made.
func (a *article) asked(dir string) map[string]int {
	a.t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, "calls.log"))
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	count := make(map[string]int)
	for line := range strings.Lines(string(log)) {
		if call, ok := strings.CutSuffix(strings.TrimSpace(line), ": asked"); ok {
			count[call]++
		}
	}
	return count
}

// The calls of the example.
func articleCalls() []string {
	return []string{
		"integrate", "read-digges", "read-halley", "read-kelvin", "read-kepler", "read-kepler-repair", "read-olbers", "read-poe", "review", "review-repair", "revise", "write",
	}
}

// The example leads from a brief to a snapshot with a promoted section, whose lineage has every
// source, note, memo and review, with their authors. Killed at any time, it is continued by the same
// command: the result has the same bytes, and no call whose reply was stored is made again.
func TestReviewArticle(t *testing.T) {
	a := newArticle(t)
	dir := a.prepare(0, false)
	out, code := a.run(dir, "")
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	a.checkOutput(dir, out)
	a.checkLineage(dir)
	a.checkPicture(dir)
	a.command(dir, "verify")
	want := a.state(dir)
	if out, code := a.run(dir, ""); code != 0 || a.state(dir) != want {
		t.Errorf("run again: exit %d\n%s", code, out)
	}
	calls := a.asked(dir)
	for _, call := range articleCalls() {
		if calls[call] != 1 || len(calls) != len(articleCalls()) {
			t.Errorf("%s was asked %d times, of %v", call, calls[call], calls)
		}
	}

	wanted := 3
	if n, err := strconv.Atoi(os.Getenv(envArticleKills)); err == nil {
		wanted = n
	}
	places := []string{"call", "write", "command"}
	if _, err := exec.LookPath("strace"); err != nil {
		places = []string{"call", "command"}
	}
	kills := make(map[string]int)
	for i, done := 0, 0; done < wanted && !t.Failed(); i++ {
		if i == 3*wanted {
			t.Fatalf("only %v were killed", kills)
		}
		at := places[i%len(places)]
		n := map[string]int{"call": 1 + (6+i)%12, "write": 25 + 15*i%300, "command": 1 + 7*i%34}[at]
		if a.killAndContinue(at, n, want, at != "command" || i < len(places)) {
			kills[at]++
			done++
		}
	}
	t.Logf("killed and continued: %v", kills)
}

// With flags, a model does the same tasks. The same command runs a task again that put no record.
func TestReviewArticleByModel(t *testing.T) {
	a := newArticle(t)
	var willing atomic.Bool // to write a note about Poe
	task := regexp.MustCompile("(?m)^The task `task-review-article-([a-z-]+)@v")
	models := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		var all strings.Builder
		for _, m := range r.Messages {
			all.WriteString(m.Content + "\n")
		}
		found := task.FindStringSubmatch(all.String())
		if found == nil { // the preflight
			return behave(r, r.N)
		}
		name := found[1]
		if len(r.Messages) > 2 {
			name += "-repair"
		}
		if !willing.Load() && strings.HasPrefix(name, "read-poe") {
			return openaitest.Answer{Text: "I have read it."}
		}
		text, err := os.ReadFile(filepath.Join(a.example, "project", "replies", name+".md"))
		if err != nil {
			t.Error(err)
		}
		return openaitest.Answer{Text: string(text)}
	})
	dir := a.prepare(0, false)
	flags := []string{"--via", "openai", "--model", "good", "--base-url", models.BaseURL()}
	if out, code := a.run(dir, "", flags...); code != 3 || !strings.Contains(out, "run.sh: not all tasks are done") {
		t.Fatalf("a task without a record: exit %d\n%s", code, out)
	}
	willing.Store(true)
	asked := models.Asked()
	out, code := a.run(dir, "", flags...)
	if n := models.Asked() - asked; n != 6 { // read-poe, integrate, write, review with its repair, revise
		t.Errorf("the second run asked %d times\n%s", n, out)
	}
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	a.checkOutput(dir, out)
	if calls := a.asked(dir); len(calls) > 0 {
		t.Errorf("the script was asked: %v", calls)
	}
	out, code = a.run(dir, "")
	if code != 2 || !strings.Contains(out, "has another plan; use the flags that it was started with") {
		t.Errorf("without the flags: exit %d\n%s", code, out)
	}
}

func (a *article) checkOutput(dir, out string) {
	a.t.Helper()
	snapshot, err := os.ReadFile(filepath.Join(dir, "snapshot.md"))
	if err != nil {
		a.t.Fatal(err)
	}
	for text, wanted := range map[string][]string{
		out: {
			"Snapshot  " + dir + "/snapshot.md", "Lineage   " + dir + "/lineage.html", "section-answers@v2 is canonical",
			"promote  manuscript_section  section-answers  Writer may not promote records", "write    manuscript_section  section-answers",
		},
		string(snapshot): {
			"## Manuscript\n\n### section-answers\n", "John Herschel objected in 1848", "perhaps the light of the background has not reached us yet",
			"Source: section-answers@v2, rests on review-answers@v1 (draft)", "Source: memo-night-sky@v1\n", "(paper_note, note-kepler@v1)",
		},
	} {
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				a.t.Errorf("%q is not in:\n%s", want, text)
			}
		}
	}
}

func (a *article) checkLineage(dir string) {
	a.t.Helper()
	var doc struct {
		Nodes []struct {
			ID                          string
			Version                     int
			Type, Status, Creator, Role string
		}
	}
	text := a.command(dir, "store", "lineage", "section-answers", "--json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		a.t.Fatal(err)
	}
	got := make(map[string]string)
	for _, n := range doc.Nodes {
		got[fmt.Sprintf("%s@v%d", n.ID, n.Version)] = strings.TrimSpace(n.Type + ", " + n.Status + ", " + n.Creator + " " + n.Role)
	}
	want := map[string]string{
		"section-answers@v2": "manuscript_section, canonical, Writer writer", "section-answers@v1": "manuscript_section, draft, Writer writer",
		"review-answers@v1": "review, draft, Critic adversarial_critic", "memo-night-sky@v1": "integrated_memo, canonical, Integrator integrator",
		"project-brief@v1": "project_brief, canonical, operator",
	}
	for author, year := range map[string]string{"digges": "1576", "kepler": "1610", "halley": "1721", "olbers": "1823", "poe": "1848", "kelvin": "1901"} {
		want["note-"+author+"@v1"] = "paper_note, canonical, Reader reader"
		want[author+"-"+year+"@v1"] = "source, canonical, operator"
	}
	page, err := os.ReadFile(filepath.Join(dir, "lineage.html"))
	if err != nil {
		a.t.Fatal(err)
	}
	for ref, what := range want {
		if got[ref] != what {
			a.t.Errorf("%s is %q in the lineage, want %q", ref, got[ref], what)
		}
		if !strings.Contains(string(page), `<td class="id">`+ref+`</td>`) || !strings.Contains(string(page), `>`+ref+`</text>`) {
			a.t.Errorf("%s is not in the drawing and the table of the lineage", ref)
		}
	}
}

// checkPicture checks that the picture of the README is the lineage.
func (a *article) checkPicture(dir string) {
	a.t.Helper()
	file := filepath.Join(a.example, "lineage.svg")
	got := a.command(dir, "store", "lineage", "section-answers", "--format", "svg")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // a page
			a.t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		a.t.Errorf("%v; %s is not the lineage; fix it with `go test ./cmd/brenner -run TestReviewArticle -update`: %s", err, file, firstDifference(got, string(want)))
	}
}

// killAndContinue kills a run at the n-th command, call or write, and reports whether it was killed. The
// run begins with the base, or with nothing.
func (a *article) killAndContinue(at string, n int, want string, base bool) bool {
	a.t.Helper()
	call := 0
	if at == "call" {
		call = n
	}
	dir := a.prepare(call, base)
	kill := at + " " + strconv.Itoa(n)
	out, code := a.run(dir, kill)
	if code == 0 {
		return false
	}
	stored, before := a.answered(dir), a.asked(dir)
	if err := os.RemoveAll(filepath.Join(dir, "kill-at")); err != nil {
		a.t.Fatal(err)
	}
	again, code := a.run(dir, "")
	if code != 0 {
		a.t.Errorf("%s: exit %d\n%s\nbefore that:\n%s", kill, code, again, out)
		return true
	}
	after := a.asked(dir)
	for _, call := range stored {
		if after[call] != before[call] {
			a.t.Errorf("%s: %s was asked again, though its reply was stored", kill, call)
		}
	}
	for _, call := range articleCalls() {
		if after[call] < 1 || after[call] > 2 {
			a.t.Errorf("%s: %s was asked %d times", kill, call, after[call])
		}
	}
	if got := a.state(dir); got != want {
		a.t.Errorf("%s: other bytes; the first difference:\n%s", kill, firstDifference(got, want))
	}
	a.command(dir, "verify")
	return true
}
