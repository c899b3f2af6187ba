package simulation

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// check checks what must hold at the end.
func (w *world) check(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	if w.late {
		w.violate("liveness", "the loop has not ended after two days: %s", w.progress())
		return
	}
	_, faults, err := runner.Verify(ctx, w.server, name)
	if err != nil || len(faults) > 0 {
		w.violate("fold", "verify: %v, %v", err, faults)
	}
	if stored, err := runner.Load(ctx, w.server, name); err != nil || !reflect.DeepEqual(stored, w.loop) {
		w.violate("fold", "the loop's state differs from its journal: %v", err)
	}
	if w.tight {
		return // sessions may end without money
	}
	want := undisturbed(t, &w.fleet)
	for i := range w.loop.Jobs {
		j := &w.loop.Jobs[i]
		if j.Status != loop.Finished {
			w.violate("ends once", "%s is %s: %s %s", j.Thread, j.Status, j.Settled.Code, j.Settled.Detail)
			continue
		}
		if n := endings(t, w.server, j.Thread); n != 1 {
			w.violate("ends once", "%s has ended %d times", j.Thread, n)
		}
		if got := result(t, w.server, j.Thread); got != want[i] {
			w.violate("same bytes", "the artifact of %s differs from that of the undisturbed run: %s", j.Thread, difference(got, want[i]))
		}
	}
}

// endings counts how often the journal of a session says that its rounds are done.
func endings(t *testing.T, st store.Store, thread string) int {
	t.Helper()
	entries, err := st.Entries(context.Background(), session.Prefix+thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range entries {
		if e := &entries[i]; e.Kind == flow.KindEnded {
			if body, err := journal.Decode[flow.Ended](e, ""); err == nil && body.Reason == flow.EndRounds {
				n++
			}
		}
	}
	return n
}

// difference shows where two texts begin to differ.
func difference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	around := func(text string) string { return text[min(max(at-60, 0), len(text)):min(at+100, len(text))] }
	return fmt.Sprintf("got %q, want %q", around(got), around(want))
}

// varying are instants, and what is made from them: identifiers, names and hashes.
var varying = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{8}-night|[0-9a-f]{64}`)

// result returns a session's artifact without what varies.
func result(t *testing.T, st store.Store, thread string) string {
	t.Helper()
	h, err := session.Load(context.Background(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Artifact(context.Background(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	return varying.ReplaceAllString(string(a.JSON()), "…")
}

var baselines sync.Map // of results, by sessions and rounds

// undisturbed returns what the sessions come to in one process, without an engine and without faults.
func undisturbed(t *testing.T, f *fleet) []string {
	t.Helper()
	key := fmt.Sprint(f.sessions, f.rounds, f.outages)
	if all, ok := baselines.Load(key); ok {
		return all.([]string) //nolint:forcetypeassert // nothing else is stored
	}
	st := memory.New()
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return script }, Real: f.outages}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
	s, err := r.Start(context.Background(), (&fleet{sessions: f.sessions, rounds: f.rounds, outages: f.outages}).opened(), nil)
	if err != nil || s.Count(loop.Finished) != f.sessions {
		t.Fatalf("the undisturbed run: %v, %d of %d sessions done", err, s.Count(loop.Finished), f.sessions)
	}
	var all []string
	for i := range s.Jobs {
		all = append(all, result(t, st, s.Jobs[i].Thread))
	}
	baselines.Store(key, all)
	return all
}

// report fails a test that has found violations, with the command that plays the seed again.
func (w *world) report(t *testing.T) {
	t.Helper()
	if len(w.found) == 0 {
		return
	}
	var all []string
	for _, v := range w.found[:min(len(w.found), 5)] {
		all = append(all, v.String())
	}
	t.Errorf("seed %d: %s\nafter %d steps; play it again: %s", w.seed, strings.Join(all, "\n"), w.steps, command(w.seed))
}
