package runner_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
)

// forgedStore is a store with a rewritten loop journal.
type forgedStore struct {
	store.Store
	stream  string
	entries []journal.Entry
}

func (f *forgedStore) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	if stream != f.stream {
		return f.Store.Entries(ctx, stream, after)
	}
	return f.entries[after:], nil
}

// forge changes the last entry of a kind and recomputes the hash chain.
func forge(t *testing.T, st store.Store, name, kind string, change map[string]any) store.Store {
	t.Helper()
	f := &forgedStore{Store: st, stream: loop.Prefix + name}
	entries, err := st.Entries(t.Context(), f.stream, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for i := range entries {
		if entries[i].Kind == kind {
			last = i
		}
	}
	head := journal.Head{}
	for i, e := range entries {
		data := e.Body
		if i == last {
			var body map[string]any
			if err := json.Unmarshal(data, &body); err != nil {
				t.Fatal(err)
			}
			for key, value := range change {
				body[key] = value
			}
			if data, err = journal.Encode(body); err != nil {
				t.Fatal(err)
			}
		}
		e, err := head.Next(f.stream, e.At, e.Kind, data)
		if err != nil {
			t.Fatal(err)
		}
		head, f.entries = e.Head(), append(f.entries, e)
	}
	return f
}

// Verify compares a loop's journal with its sessions and its rules, so a rewritten journal
// is detected.
func TestVerifyDetectsForgedJournals(t *testing.T) {
	st := opentest.New(t)
	if _, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(2, 2), loop.Limits{Quiet: 9}), nil); err != nil {
		t.Fatal(err)
	}
	verify := func(st store.Store) []error {
		_, found, err := runner.Verify(t.Context(), st, "night")
		if err != nil {
			found = append(found, err)
		}
		return found
	}
	if found := verify(forge(t, st, "night", loop.KindSettled, nil)); len(found) > 0 {
		t.Fatal(found)
	}
	for _, c := range []struct {
		kind   string
		change map[string]any
		want   string
	}{
		{loop.KindSettled, map[string]any{"tokens": 1}, "tokens"},
		{loop.KindSettled, map[string]any{"tokens": 1_000_000_000}, "not 1000000000"},
		{loop.KindSettled, map[string]any{"nano_usd": 7}, "nano_usd 0, not 7"},
		{loop.KindSettled, map[string]any{"conflicts": 9}, "conflicts"},
		{loop.KindSettled, map[string]any{"stalemates": 3}, "stalemates 0, not 3"},
		{loop.KindSettled, map[string]any{"lint_errors": 99, "lint_warnings": 99}, "lint_warnings"},
		{loop.KindSettled, map[string]any{"tests": 99}, "tests"},
		{loop.KindSettled, map[string]any{"missing": 5}, "missing 0, not 5"},
		{loop.KindSettled, map[string]any{"round": 77}, "round 2, not 77"},
		{loop.KindSettled, map[string]any{"version": 0}, "version"},
		{loop.KindSettled, map[string]any{"version": 2}, "version"},
		{loop.KindSettled, map[string]any{"artifact": strings.Repeat("0", 64)}, "artifact"},
		{loop.KindSettled, map[string]any{"reason": "budget"}, "reason rounds, not budget"},
		{loop.KindSettled, map[string]any{"outcome": "failed"}, "outcome done, not failed"},
		{loop.KindSettled, map[string]any{"outcome": "failed", "code": "X", "detail": "lies"}, "code nothing, not X"},
		{loop.KindSettled, map[string]any{"outcome": "failed", "reason": "quorum", "code": "X", "detail": "lies"}, "reason"},
		{loop.KindSettled, map[string]any{"detail": "lies"}, "detail nothing, not lies"},
		{loop.KindSettled, map[string]any{"says": []string{"0000000000000000"}}, "other claims for version"},
		{loop.KindBegan, map[string]any{"reserved_tokens": 1}, "does not follow from the entries before it"},
		{loop.KindEnded, map[string]any{"reason": "budget"}, "does not follow from the entries before it"},
	} {
		found := verify(forge(t, st, "night", c.kind, c.change))
		if len(found) == 0 || !strings.Contains(found[0].Error(), c.want) {
			t.Errorf("%s with %v: %v", c.kind, c.change, found)
		}
	}
}

// The detail of a session short of its budget is compared.
func TestVerifyDetectsForgedDetails(t *testing.T) {
	st, w := opentest.New(t), looptest.Work(1, 1)
	w.Settings.Budget = 1
	if _, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(w, loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	for detail, proves := range map[string]bool{"its budget of 1 tokens does not reach for one call": true, "all rounds were done": false, "": false} {
		s, found, err := runner.Verify(t.Context(), forge(t, st, "night", loop.KindSettled, map[string]any{"detail": detail}), "night")
		if err != nil || s.Jobs[0].Settled.Outcome != loop.Short || (len(found) == 0) != proves {
			t.Errorf("detail %q: error %v, faults %v; want proof: %v", detail, err, found, proves)
		}
	}
}

// Verify accepts a session that failed before anything was stored and ran later, and one
// that ended before the killed run could record it.
func TestVerifyAcceptsUnrecordedOutcomes(t *testing.T) {
	st := opentest.New(t)
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return looptest.FastScript() }}
	first := true
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: func(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
		if first {
			first = false
			return failingSession(ctx, w, j)
		}
		return g.Session(ctx, w, j)
	}}
	if _, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{Retry: 1}), nil); err != nil {
		t.Fatal(err)
	}
	checkProven(t, st)

	// The killed run did not journal the session's end; the session's journal has it.
	killed := opentest.New(t)
	h, err := session.Load(t.Context(), st, threadID(1))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := st.Entries(t.Context(), loop.Prefix+"night", 0)
	if err != nil {
		t.Fatal(err)
	}
	began := 0
	for i := range entries {
		if entries[i].Kind == loop.KindBegan {
			began = i + 1
		}
	}
	if err := killed.Write(t.Context(), store.Batch{Appends: []store.Append{
		{Stream: loop.Prefix + "night", Entries: entries[:began]}, {Stream: session.Prefix + h.Thread, Entries: h.Entries},
	}}); err != nil {
		t.Fatal(err)
	}
	s, err := loopRunner(killed, looptest.FastScript()).Resume(t.Context(), "night", nil)
	if err != nil || s.Count(loop.Finished) != 1 {
		t.Fatal(err, s.Jobs)
	}
	checkProven(t, killed)
}
