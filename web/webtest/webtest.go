// Package webtest makes projects with the sessions that the tests of pages need.
package webtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/kickoff"
	"brenner/project"
	"brenner/roster"
)

// The sessions of the projects.
const (
	Conflict = "RS-20261115-cell-fate" // two rounds of the built-in rehearsal, with an open conflict
	Stuck    = "RS-20261115-stuck"     // two agents disagree about H1.claim
	Long     = "RS-20261115-long"      // 50 rounds and 500 items
	Hostile  = "RS-20261115-hostile"   // its texts try to act
)

// Attacks are texts that must stay texts.
func Attacks() []string {
	return []string{
		`<script>document.title='owned'</script>`, `<img src=x onerror="document.title='owned'">`,
		`[click](javascript:document.title='owned')`, `![pixel](https://evil.example.com/pixel.png)`, `<svg onload="document.title='owned'">`,
		`</textarea></title><script src=https://evil.example.com/x.js></script>`, `<https://example.org/fine>`, `<javascript:alert(1)>`,
	}
}

// Bidi are characters that would reorder or hide text.
const Bidi = "safe\u202etxet\u202c\u200b\U000e0041"

// Empty returns a project without sessions. Its clock stands still.
func Empty(t testing.TB) *project.Project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "embryo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Init(dir, config.Starter{}); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	host := &project.Host{Environ: []string{"HOME=" + t.TempDir()}, Now: func() time.Time { return at }, Log: zerolog.Nop()}
	p, err := project.Open(host, config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// WithConflict returns a project with the session Conflict.
func WithConflict(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	Play(t, p, Conflict, "Which signal tells a cell what to become?", 2, nil)
	return p
}

// WithAttacks returns a project with the session Hostile.
func WithAttacks(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	var b strings.Builder
	b.WriteString("schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds:\n      - reply: |\n")
	text := strings.Join(append(Attacks(), Bidi), "\n\n")
	delta := `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":` + quoted(text) + `,"claim":` + quoted(text) + `,"anchors":["inference"]},"rationale":` + quoted(text) + `}`
	for _, line := range append([]string{"```delta", delta, "```", "", strings.Repeat("x", 1<<20), ""}, strings.Split(text, "\n")...) {
		b.WriteString("          " + line + "\n")
	}
	for _, role := range []string{"test_designer", "adversarial_critic"} {
		b.WriteString("  - role: " + role + "\n    rounds: [{reply: Nothing.}]\n")
	}
	script, err := rehearsal.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	Play(t, p, Hostile, "Why <script>document.title='owned'</script>?", 1, script)
	return p
}

// WithStalemate returns a project with the session Stuck.
func WithStalemate(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	edit := func(claim, why string) string {
		return "      - reply: |\n          ```delta\n          {\"operation\": \"EDIT\", \"section\": \"hypothesis_slate\", \"target_id\": \"H1\", \"payload\": {\"claim\": \"" + claim + "\"}, \"rationale\": \"" + why + "\"}\n          ```\n"
	}
	add := strings.NewReplacer("EDIT", "ADD", `"target_id": "H1", `, "").Replace(edit("Light is absorbed.", "the oldest answer"))
	const nothing = "      - reply: I have nothing to add.\n"
	script, err := rehearsal.Parse([]byte("schema: brenner.rehearsal/v1\nquestion: Why is the sky dark at night?\nagents:\n" +
		"  - name: BlueLake\n    rounds:\n" + add + edit("Dust absorbs the light.", "dust is seen") + nothing +
		"  - name: RedSky\n    rounds:\n" + nothing + edit("The universe has an age.", "dust would glow") + nothing))
	if err != nil {
		t.Fatal(err)
	}
	play(t, p, Stuck, "Why is the sky dark at night?", 3, script, roster.Layer{Entries: []roster.Entry{
		{Agent: "BlueLake", Role: roster.HypothesisGenerator}, {Agent: "RedSky", Role: roster.HypothesisGenerator},
	}})
	return p
}

// WithManyRounds returns a project with the session Long: 50 rounds and 500 items.
func WithManyRounds(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	const rounds, each = 50, 10
	var b strings.Builder
	b.WriteString("schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - name: BlueLake\n    rounds:\n")
	for r := range rounds {
		b.WriteString("      - reply: |\n")
		for i := range each {
			fmt.Fprintf(&b, "          ```delta\n          {\"operation\": \"ADD\", \"section\": \"assumption_ledger\", \"payload\": {\"name\": \"Assumption %d of round %d\", \"statement\": \"Signal %d crosses %d cells before fates are fixed, which takes less than an hour.\", \"load\": \"The graded signal falls without it.\"}, \"rationale\": \"measured\"}\n          ```\n", i, r, r, i)
		}
	}
	script, err := rehearsal.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	p.Config.Session.Budget = 0
	play(t, p, Long, "Why?", rounds, script, roster.Layer{Entries: []roster.Entry{{Agent: "BlueLake", Role: roster.HypothesisGenerator}}})
	return p
}

// WithLoop returns a project with the loop night-k, interrupted before its first session.
func WithLoop(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	write := func(name, text string) string {
		path := filepath.Join(p.Config.Project.Dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("sky.yaml", "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n")
	night := "schema: brenner.loop.plan/v1\nvia: rehearsal\nscript: sky.yaml\nquestions: [Why is the sky dark at night]\n" +
		"rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\nsession: {rounds: 1}\n"
	drained := make(chan struct{})
	close(drained)
	runLoop(t, p, write("night.yaml", night), drained)
	return p
}

// WithNight returns a project in which the plan of a directory, night.yaml, has run to its end.
func WithNight(t testing.TB, dir string) *project.Project {
	t.Helper()
	p := Empty(t)
	if err := os.CopyFS(p.Config.Project.Dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	runLoop(t, p, filepath.Join(p.Config.Project.Dir, "night.yaml"), nil)
	return p
}

// WithFailures returns a project with the loop broken-k, whose sessions failed before they opened.
func WithFailures(t testing.TB) *project.Project {
	t.Helper()
	p := Empty(t)
	dir := p.Config.Project.Dir
	settings := []byte("agents: {programs: [{program: codex-cli, command: [sh, -c, exit 3]}, {program: claude-code, command: [sh, -c, exit 3]}, {program: gemini-cli, command: [sh, -c, exit 3]}]}\n")
	plan := []byte("schema: brenner.loop.plan/v1\nvia: program\nquestions: [Why do cells age]\nrosters: [default-3-agent]\nsession: {rounds: 1}\nfailed: {then: go_on}\n")
	file := filepath.Join(dir, "broken.yaml")
	for path, data := range map[string][]byte{file: plan, filepath.Join(dir, "brenner.yaml"): settings} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return trustedLoop(t, p, file)
}

// trustedLoop trusts the configuration of a project, opens it again and runs the plan of a file.
func trustedLoop(t testing.TB, p *project.Project, file string) *project.Project {
	t.Helper()
	p, err := project.Open(p.Host, config.Options{Dir: p.Config.Project.Dir})
	if err == nil {
		_, err = p.Trust(false, project.TrustFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	runLoop(t, p, file, nil)
	return p
}

func runLoop(t testing.TB, p *project.Project, file string, drained <-chan struct{}) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.ReadPlan(t.Context(), project.PlanInput{File: file, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	job, err := p.Loop(t.Context(), plan, project.LoopOptions{Key: "k", Doing: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	if _, err := job.Run(t.Context(), drained); err != nil {
		t.Fatal(err)
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Play runs a session with scripted agents; a nil script is the built-in one.
func Play(t testing.TB, p *project.Project, thread, question string, rounds int, script *rehearsal.Script) {
	t.Helper()
	play(t, p, thread, question, rounds, script, roster.Layer{Preset: "default-3-agent"})
}

func play(t testing.TB, p *project.Project, thread, question string, rounds int, script *rehearsal.Script, agents roster.Layer) {
	t.Helper()
	p.Config.Question, p.Config.Session.Rounds = question, rounds
	agents.Origin = roster.Origin{Level: roster.Flags, Source: "test"}
	res, err := p.Resolve([]roster.Layer{agents})
	if err != nil {
		t.Fatal(err)
	}
	composed, err := p.Compose(kickoff.Input{ThreadID: thread, Roster: res.Roster}, res)
	if err != nil {
		t.Fatal(err)
	}
	j, err := composed.Prepare(t.Context(), &project.StartOptions{Agents: project.AgentOptions{Scripted: true}, Script: script, AnyQuestion: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Run(t.Context(), project.Watch{}); err != nil {
		t.Fatal(err)
	}
}
