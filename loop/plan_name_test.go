package loop_test

import (
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
)

func TestLoopName(t *testing.T) {
	for _, c := range []struct{ name, file, key, want, fails string }{
		{name: "night", file: "x.yaml", want: "night"},
		{name: "night", file: "x.yaml", key: "2026-11-15", want: "night-2026-11-15"},
		{file: "Night of THE owls.yml", want: "night-of-the-owls"},
		{file: "-", fails: `invalid loop name: ""`},
		{file: "night.yaml", key: "Nov 15", fails: "--run: not a valid key: Nov 15"},
		{file: "night.yaml", key: "a-key-that-is-too-long-for-a-name", fails: "invalid loop name: night-a-key-that-is-too-long-for-a-name"},
	} {
		p := &loop.Plan{Name: c.name, Limits: loop.Limits{Rounds: 1}, Questions: make([]loop.PlanQuestion, 1), Rosters: make([]loop.PlanRoster, 1)}
		got, err := p.LoopName(c.file, c.key)
		if got != c.want || (err != nil) != (c.fails != "") {
			t.Errorf("%+v: %q, %v", c, got, err)
			continue
		}
		if err != nil && (fault.CodeOf(err) != fault.Usage || err.Error() != c.fails) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A resumed loop keeps its stop time, unless it had ended or the plan changed.
func TestLimitsOnResume(t *testing.T) {
	const began, later = "2026-11-15T23:30:00Z", "2026-11-16T01:30:00Z" // 90 minutes after each
	p, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nquestions: [a]\nrosters: [b]\nstop: {after: 90m}\n"))
	if err != nil {
		t.Fatal(err)
	}
	first, now := p.LimitsFrom(start), p.LimitsFrom(start.Add(2*time.Hour))
	changed := first
	changed.Stop, changed.Until = "at 07:00", "2026-11-16T07:00:00Z"
	if first.Until != began || first.Stop != "after 1h30m0s" || now.Until != later {
		t.Fatalf("the limits are %+v and %+v", first, now)
	}
	for name, c := range map[string]struct {
		state loop.State
		want  string
	}{
		"left":    {loop.State{Began: start, Limits: first}, began},
		"ended":   {loop.State{Began: start, Limits: first, Ended: loop.EndTime}, later},
		"changed": {loop.State{Began: start, Limits: changed}, began},
	} {
		if got := p.LimitsOnResume(&c.state, now); got.Until != c.want {
			t.Errorf("%s: until %s, want %s", name, got.Until, c.want)
		}
	}
}
