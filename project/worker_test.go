package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project/storage"
	"brenner/session"
	"brenner/store/journal"
)

// teamPlan has sessions with a script of their own, an excerpt, and evidence.
const teamPlan = `schema: brenner.loop.plan/v1
via: rehearsal
script: sky.yaml
questions:
  - Why is the sky dark at night
  - {question: What is the moon, excerpt_file: moon.txt, evidence: [tides.txt], script: moon.yaml}
rosters: [{id: one, needs: telescope, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]
session: {rounds: 2, timeout: 1h}
`

var teamFiles = map[string]string{
	"moon.yaml": "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: A moon.}, {reply: Still a moon.}]\n",
	"moon.txt":  "The moon is round.", "tides.txt": "Tides come twice a day.",
}

// onDay is a clock that two runs of a loop share.
func onDay() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

func teamProject(t *testing.T) *Project {
	t.Helper()
	p := loopProject(t)
	p.Now = onDay
	for name, data := range teamFiles {
		if err := os.WriteFile(filepath.Join(p.Config.Project.Dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// elsewhere is the project on another machine: without its files, with another home, over the same store.
func elsewhere(t *testing.T, p *Project, settings string) *Project {
	t.Helper()
	dir := t.TempDir()
	if settings != "" {
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, err := Open(&Host{Environ: []string{"HOME=" + t.TempDir()}, Now: onDay}, config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.StateDir(), other.StateDir()); err != nil {
		t.Fatal(err)
	}
	return other
}

func openWorker(t *testing.T, p *Project) *Worker {
	t.Helper()
	w, err := p.Worker(t.Context(), WorkerOptions{Sessions: 2, Doing: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// atWorker is a place at a worker.
type atWorker struct {
	t    *testing.T
	w    *Worker
	loop string
	fail func(error)
}

func (a atWorker) Run(ctx context.Context, c loop.Run) error {
	err := a.w.Advance(context.WithoutCancel(ctx), ctx.Done(), a.loop, c.Thread)
	if err != nil && a.fail != nil {
		a.fail(err)
	}
	return err
}

// runTeam runs the plan and returns the entries of its sessions.
func runTeam(t *testing.T, p *Project, place func(*Placing) runner.Place) (*LoopResult, map[string][]journal.Entry) {
	t.Helper()
	plan, err := p.ReadPlan(t.Context(), PlanInput{File: filepath.Join(p.Config.Project.Dir, "night.yaml"), Data: []byte(teamPlan)})
	if err != nil {
		t.Fatal(err)
	}
	job, err := p.Loop(t.Context(), plan, LoopOptions{Key: "k", Place: place})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	r, err := job.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, sessionsOf(t, p, "night-k")
}

func withState(t *testing.T, p *Project, name string, do func(storage.Store, *loop.State)) {
	t.Helper()
	if err := p.withLoop(t.Context(), name, func(st storage.Store, s *loop.State) error { do(st, s); return nil }); err != nil {
		t.Fatal(err)
	}
}

func artifactsOf(t *testing.T, p *Project, name string) (all []string) {
	t.Helper()
	withState(t, p, name, func(_ storage.Store, s *loop.State) {
		for i := range s.Jobs {
			all = append(all, s.Jobs[i].Settled.Artifact)
		}
	})
	return all
}

func sessionsOf(t *testing.T, p *Project, name string) map[string][]journal.Entry {
	t.Helper()
	all := make(map[string][]journal.Entry)
	withState(t, p, name, func(st storage.Store, state *loop.State) {
		for i := range state.Jobs {
			entries, err := st.Entries(t.Context(), session.Prefix+state.Jobs[i].Thread, 0)
			if err != nil {
				t.Fatal(err)
			}
			all[state.Jobs[i].Thread] = entries
		}
	})
	return all
}

// filesIn lists the files below a directory that are not the store's.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if !strings.Contains(path, "brenner.db") {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Sessions that another machine runs have the artifacts of a loop on one machine. That machine has no file of the plan and
// writes none.
func TestWorkerAdvances(t *testing.T) {
	one := teamProject(t)
	alone, entries := runTeam(t, one, nil)
	two := teamProject(t)
	if _, err := two.OpenStore(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := elsewhere(t, two, "")
	w := openWorker(t, other)
	before := filesIn(t, other.Config.Project.Dir)
	var needs []string
	placed, others := runTeam(t, two, func(l *Placing) runner.Place {
		needs = append(needs, l.Loop+": "+l.Needs(&loop.Job{Cell: loop.Cell{Roster: "one"}}))
		return atWorker{t: t, w: w, loop: l.Loop}
	})
	if placed.Done != 2 || placed.Done != alone.Done || len(others) != 2 {
		t.Fatalf("got %+v, want 2 sessions as in %+v", placed.LoopSummary, alone.LoopSummary)
	}
	if got, want := artifactsOf(t, two, "night-k"), artifactsOf(t, one, "night-k"); !slices.Equal(got, want) || len(want) != 2 || want[0] == "" {
		t.Errorf("artifacts %v, want %v", got, want)
	}
	for thread, want := range entries {
		got := others[thread]
		if kinds(got) != kinds(want) {
			t.Errorf("%s: got %s, want %s", thread, kinds(got), kinds(want))
		}
	}
	if len(needs) != 1 || needs[0] != "night-k: telescope" {
		t.Errorf("got %v", needs)
	}
	if after := filesIn(t, other.Config.Project.Dir); !slices.Equal(before, after) {
		t.Errorf("the worker wrote files: had %v, has %v", before, after)
	}
}

// kinds lists the kinds of entries, without those of a run that ends and begins again.
func kinds(all []journal.Entry) string {
	var names []string
	for i := range all {
		if all[i].Kind != "session.resumed" {
			names = append(names, all[i].Kind)
		}
	}
	return strings.Join(names, " ")
}

// A machine with other settings, or without trust and keys, says so and asks no agent.
func TestWorkerRefuses(t *testing.T) {
	p := teamProject(t)
	drained := make(chan struct{})
	close(drained)
	plan, err := p.ReadPlan(t.Context(), PlanInput{File: filepath.Join(p.Config.Project.Dir, "night.yaml"), Data: []byte(teamPlan)})
	if err != nil {
		t.Fatal(err)
	}
	var places atomic.Int32
	started := func(l *Placing) runner.Place {
		return placeFunc(func(_ context.Context, c loop.Run) error {
			places.Add(1)
			w := openWorker(t, elsewhere(t, p, "priority: [BlueLake]\n"))
			if err := w.Advance(t.Context(), nil, l.Loop, c.Thread); fault.CodeOf(err) != runner.ConfigDiffers {
				t.Errorf("other settings: got %v, want %s", err, runner.ConfigDiffers)
			}
			w = openWorker(t, elsewhere(t, p, ""))
			w.pins.Prompts = "00000000"
			if err := w.Advance(t.Context(), nil, l.Loop, c.Thread); fault.CodeOf(err) != session.PromptsChanged {
				t.Errorf("other prompts: got %v, want %s", err, session.PromptsChanged)
			}
			return openWorker(t, elsewhere(t, p, "")).Advance(t.Context(), nil, l.Loop, c.Thread)
		})
	}
	job, err := p.Loop(t.Context(), plan, LoopOptions{Place: started})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	if r, err := job.Run(t.Context(), nil); err != nil || r.Done != 2 || places.Load() != 2 {
		t.Errorf("got %v and %d sessions", err, places.Load())
	}
}

type placeFunc func(context.Context, loop.Run) error

func (f placeFunc) Run(ctx context.Context, c loop.Run) error { return f(ctx, c) }

// A machine says which models and programs of its configuration it cannot use.
func TestLacks(t *testing.T) {
	p := loopProject(t)
	if all := p.Lacks(); len(all) > 0 {
		t.Errorf("without settings: got %v", all)
	}
	settings := "agents:\n  models:\n    - {model: large, via: openai, id: l, base_url: \"http://127.0.0.1:1/v1\", key_env: LARGE_KEY}\n" +
		"  programs:\n    - {program: probe, command: [./probe.sh]}\n"
	all := elsewhere(t, p, settings).Lacks()
	var codes []fault.Code
	for _, err := range all {
		codes = append(codes, fault.CodeOf(err))
	}
	if !slices.Equal(codes, []fault.Code{NoKey, trust.Untrusted}) {
		t.Errorf("got %v, want a key that is not set, and a program that is not trusted", all)
	}
}

// A loop is continued by its name, and begun for another key, on a machine that has no plan.
func TestStoredLoop(t *testing.T) {
	p := teamProject(t)
	plan, err := p.ReadPlan(t.Context(), PlanInput{File: filepath.Join(p.Config.Project.Dir, "night.yaml"), Data: []byte(teamPlan)})
	if err != nil {
		t.Fatal(err)
	}
	job, err := p.Loop(t.Context(), plan, LoopOptions{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	close(drained)
	if _, err := job.Run(t.Context(), drained); err != nil {
		t.Fatal(err)
	}
	job.Close()
	other := elsewhere(t, p, "")
	w := openWorker(t, other)
	before := filesIn(t, other.StateDir()+"/")
	for _, c := range []struct {
		key, loop string
		ended     bool
	}{{"", "night-k", false}, {"", "night-k", true}, {"next", "night-next", false}, {"next", "night-next", true}} {
		job, err := w.StoredLoop(t.Context(), "night-k", LoopOptions{Key: c.key, Place: func(l *Placing) runner.Place { return atWorker{t: t, w: w, loop: l.Loop} }})
		if err != nil {
			t.Fatal(err)
		}
		r, err := job.Run(t.Context(), nil)
		if err != nil || r.Done != 2 || r.Loop != c.loop || job.HasEnded() != c.ended {
			t.Errorf("%+v: got %v and %+v", c, err, r.LoopSummary)
		}
		job.Close()
	}
	if after := filesIn(t, other.StateDir()+"/"); !slices.Equal(before, after) {
		t.Errorf("the worker wrote files: had %v, has %v", before, after)
	}
	if got, want := kindsOf(t, p, "night-next"), kindsOf(t, p, "night-k"); !slices.Equal(got, want) {
		t.Errorf("got sessions %v, want %v", got, want)
	}
	if _, err := w.StoredLoop(t.Context(), "day", LoopOptions{}); fault.CodeOf(err) != runner.NoLoop {
		t.Errorf("an unknown loop: got %v", err)
	}
	if _, err := p.Fleet(); fault.CodeOf(err) != NotShared {
		t.Errorf("a file as the store of a fleet: got %v", err)
	}
}

func kindsOf(t *testing.T, p *Project, name string) []string {
	t.Helper()
	var all []string
	for _, entries := range sessionsOf(t, p, name) {
		all = append(all, kinds(entries))
	}
	slices.Sort(all)
	return all
}

// A loop that was submitted says so until it ends, and what continues it. A pause outlasts a machine.
func TestSubmittedLoop(t *testing.T) {
	p := teamProject(t)
	plan, err := p.ReadPlan(t.Context(), PlanInput{File: filepath.Join(p.Config.Project.Dir, "night.yaml"), Data: []byte(teamPlan)})
	if err != nil {
		t.Fatal(err)
	}
	var w *Worker
	at := loop.At{Place: "x", Submitted: true}
	drained := make(chan struct{})
	close(drained)
	run := func(job *LoopJob, err error, drain <-chan struct{}) {
		t.Helper()
		if err == nil {
			defer job.Close()
			_, err = job.Run(t.Context(), drain)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	onWorker := func(drain <-chan struct{}) {
		t.Helper()
		job, err := w.StoredLoop(t.Context(), "night-k", LoopOptions{At: at, Place: func(l *Placing) runner.Place { return atWorker{t: t, w: w, loop: l.Loop} }})
		run(job, err, drain)
	}
	check := func(phase, command string, paused bool) {
		t.Helper()
		s, err := p.LoopStatus(t.Context(), "night-k")
		if err != nil {
			t.Fatal(err)
		}
		if next := strings.Join(s.Next, "\n"); s.Phase != phase || s.Place != "x" || s.Paused != paused || strings.Contains(next, " --off") != paused || !strings.Contains(next, command) || strings.Contains(next, "brenner loop run") {
			t.Errorf("%s at %s, next:\n%s", s.Phase, s.Place, next)
		}
		withState(t, p, "night-k", func(_ storage.Store, s *loop.State) {
			if s.Paused != paused {
				t.Errorf("paused: %t", s.Paused)
			}
		})
	}
	job, err := p.Loop(t.Context(), plan, LoopOptions{Key: "k", At: at})
	run(job, err, drained)
	w = openWorker(t, elsewhere(t, p, ""))
	check(PhaseSubmitted, "brenner-x submit", false)
	if _, err := p.PauseLoop(t.Context(), "night-k"); err != nil {
		t.Fatal(err)
	}
	onWorker(drained)
	check(PhaseSubmitted, "brenner-x submit", true)
	job, err = p.Loop(t.Context(), plan, LoopOptions{Key: "k", At: at}) // submitted again, which ends the pause
	run(job, err, drained)
	check(PhaseSubmitted, "brenner-x submit", false)
	onWorker(nil)
	check(session.PhaseEnded, "brenner-x loop run", false)
}
