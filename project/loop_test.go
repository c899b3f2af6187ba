package project

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
)

const nightPlan = `schema: brenner.loop.plan/v1
via: rehearsal
script: sky.yaml
questions: [Why is the sky dark at night]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]
session: {rounds: 1}
`

// loopProject is a project with a script for scripted agents.
func loopProject(t *testing.T) *Project {
	t.Helper()
	dir := t.TempDir()
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n"
	if err := os.WriteFile(filepath.Join(dir, "sky.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(&Host{Environ: []string{"HOME=" + t.TempDir()}, Now: time.Now}, config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readNight(t *testing.T, p *Project) *PinnedPlan {
	t.Helper()
	plan, err := p.ReadPlan(t.Context(), PlanInput{File: filepath.Join(p.Config.Project.Dir, "night.yaml"), Data: []byte(nightPlan)})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// A loop can be previewed, run, steered and reported through the package's functions.
func TestLoop(t *testing.T) {
	p := loopProject(t)
	plan := readNight(t, p)
	does := func(want string, o LoopOptions) {
		t.Helper()
		v, err := p.PreviewLoop(t.Context(), plan, o)
		if err != nil || v.Loop != "night-k" || v.Does != want || len(v.Sessions) != 1 || v.Sessions[0].Agents[0].Name != "BlueLake" {
			t.Fatalf("got preview %+v, %v; want %s", v, err, want)
		}
	}
	run := func(o LoopOptions, drain <-chan struct{}) (*LoopJob, *LoopResult) {
		t.Helper()
		job, err := p.Loop(t.Context(), plan, o)
		if err != nil {
			t.Fatal(err)
		}
		defer job.Close()
		if _, err := p.Loop(t.Context(), plan, o); fault.CodeOf(err) != store.Held {
			t.Errorf("a second process got the lock: %v", err)
		}
		r, err := job.Run(t.Context(), drain)
		if err != nil {
			t.Fatal(err)
		}
		return job, r
	}
	var kinds []string
	once := LoopOptions{Key: "k", Doing: "test", Observe: func(e *journal.Entry, _ *loop.State) { kinds = append(kinds, e.Kind) }}
	does(WouldBegin, once)

	drained := make(chan struct{})
	close(drained)
	if _, r := run(once, drained); !r.Interrupted || r.Phase != session.PhaseLeft || r.Done != 0 {
		t.Errorf("drained: got %+v", r.LoopSummary)
	}
	does(WouldGoOn, once)
	if job, r := run(once, nil); job.HasEnded() || r.Interrupted || r.Reason != loop.EndRounds || r.Done != 1 || r.Loop != "night-k" {
		t.Errorf("got %+v", r.LoopSummary)
	}
	if len(kinds) == 0 || kinds[0] != loop.KindOpened || kinds[len(kinds)-1] != loop.KindEnded {
		t.Errorf("got events %v", kinds)
	}
	does(WouldNothing, once)

	// The same key runs no session, but rewrites a missing report.
	status, err := p.LoopStatus(t.Context(), "night-k")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(status.Report); err != nil {
		t.Fatal(err)
	}
	kinds = nil
	does(WouldDeliver, once)
	if job, r := run(once, nil); !job.HasEnded() || len(kinds) > 0 || r.Report != status.Report || r.Head != status.Head {
		t.Errorf("got events %v, loop %+v", kinds, r.LoopSummary)
	}
	does(WouldGoOn, LoopOptions{Key: "k", Retry: true})

	list, err := p.Loops(t.Context())
	if err != nil || len(list.Loops) != 1 || list.Loops[0].Loop != "night-k" || list.Loops[0].Done != 1 {
		t.Errorf("list: got %+v, %v", list, err)
	}
	report, err := p.LoopReport(t.Context(), "night-k")
	if err != nil || report.Done != 1 {
		t.Errorf("report: got %+v, %v", report, err)
	}
}

// Requests to a loop are journaled, and shown in its summary.
func TestSteerLoop(t *testing.T) {
	p := loopProject(t)
	if _, err := p.StopLoop(t.Context(), "night"); fault.CodeOf(err) != runner.NoLoop {
		t.Errorf("without a store: got %v", err)
	}
	if _, err := os.Stat(p.StateDir()); err == nil {
		t.Error("a request to a missing loop created a store")
	}
	job, err := p.Loop(t.Context(), readNight(t, p), LoopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	close(drained)
	if _, err := job.Run(t.Context(), drained); err != nil {
		t.Fatal(err)
	}
	job.Close()
	for _, c := range []struct {
		do       func() (*SteeredLoop, error)
		event    string
		sessions int
	}{
		{func() (*SteeredLoop, error) { return p.PauseLoop(t.Context(), "night") }, loop.KindPaused, 1},
		{func() (*SteeredLoop, error) { return p.UnpauseLoop(t.Context(), "night") }, loop.KindUnpaused, 1},
		{func() (*SteeredLoop, error) {
			return p.AddToLoop(t.Context(), "night", loop.Addition{Question: "What else?"})
		}, loop.KindAdded, 2},
		{func() (*SteeredLoop, error) { return p.StopLoop(t.Context(), "night") }, loop.KindStopping, 2},
	} {
		s, err := c.do()
		if err != nil || s.Event != c.event || s.Phase != session.PhaseLeft || s.Sessions != c.sessions {
			t.Errorf("%s: got %+v, %v", c.event, s, err)
		}
	}
	_, err = p.AddToLoop(t.Context(), "night", loop.Addition{Question: "What else?", After: "RS-20261115-night-0009"})
	if fault.CodeOf(err) != session.NoSession {
		t.Errorf("question after an unknown session: got %v", err)
	}
	if _, err := p.SendReport(t.Context(), "night"); fault.CodeOf(err) != fault.Usage {
		t.Errorf("report without a reader: got %v", err)
	}
	s, err := p.LoopStatus(t.Context(), "night")
	if err != nil || !s.Stopping || s.Next[0] != s.ResumeCommand+"   # ends it" {
		t.Errorf("summary: got %+v, %v", s, err)
	}
}

func TestLoopResult(t *testing.T) {
	done, empty := LoopSession{Status: string(loop.Finished)}, LoopSession{Status: string(loop.Finished), Nothing: true}
	short, failed := LoopSession{Status: string(loop.Cut)}, LoopSession{Status: string(loop.Broken)}
	for _, c := range []struct {
		want     string
		sessions []LoopSession
	}{
		{LoopFine, []LoopSession{done, done}},
		{LoopPartly, []LoopSession{done, failed}},
		{LoopPartly, []LoopSession{done, empty}},
		{LoopPartly, []LoopSession{done, short}},
		{LoopPartly, []LoopSession{short, short}},
		{LoopFailed, []LoopSession{failed, empty}},
	} {
		s := &runner.Summary{Sessions: c.sessions}
		for _, one := range c.sessions {
			if one.Status == short.Status {
				s.Short++
			}
		}
		if got := s.Result(); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.sessions, got, c.want)
		}
	}
}
