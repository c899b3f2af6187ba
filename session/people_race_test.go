package session_test

import (
	"context"
	"slices"
	"testing"

	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/opentest"
)

// The last round is stored together with the end of the session. If a person writes right before,
// the answers are merged after the person's change, and the result matches the store.
func TestWriteBeforeTheEnd(t *testing.T) {
	for name, write := range map[string]func(*session.Editor) error{
		"a note": func(d *session.Editor) error { _, err := d.Note(t.Context(), thread, "wait"); return err },
		"a change": func(d *session.Editor) error {
			_, _, err := d.Apply(t.Context(), thread, edit(t, "RT.context", "at the last moment"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := opentest.New(t)
			once := false
			r := runner(hookedStore{st, func(b *store.Batch) {
				if !once && slices.Contains(kinds(b), flow.KindEnded) {
					once = true
					if err := write(editor(st)); err != nil {
						t.Error(err)
					}
				}
			}}, &actors{script: builtInScript()})
			res, err := r.Start(t.Context(), brief(1))
			if err != nil || !once || res.Reason != flow.EndRounds {
				t.Fatalf("%v, %v, %+v", err, once, res)
			}
			h := load(t, st)
			if n := len(h.State.Commits); h.State.OpenLeg() != nil || h.State.Commits[n-1].Source != flow.ByRound {
				t.Errorf("the answers were not merged: %+v", h.State.Commits)
			}
			want, err := h.Artifact(t.Context(), h.State.Version())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := res.History(st).Artifact(t.Context(), h.State.Version()); err != nil || string(got.JSON()) != string(want.JSON()) {
				t.Errorf("the result differs from the stored artifact: %v", err)
			}
			verifyOK(t, st)
		})
	}
}

// A run is cancelled while it holds drafts and a person writes: replies are kept, the run ends, and
// a resumed run makes the drafts again.
func TestWriteDuringCancellation(t *testing.T) {
	st := opentest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	once := false
	r := runner(hookedStore{st, func(b *store.Batch) {
		if all := kinds(b); !once && all[0] == flow.KindCommitted && slices.Contains(all, flow.KindPlanned) {
			once = true
			cancel()
			if _, err := editor(st).Note(t.Context(), thread, "wait"); err != nil {
				t.Error(err)
			}
		}
	}}, &actors{script: builtInScript()})
	res, err := r.Start(ctx, brief(2))
	if err != nil || !once || res.Reason != flow.EndInterrupted {
		t.Fatalf("%v, %v, %+v", err, once, res)
	}
	r = runner(st, &actors{script: builtInScript()})
	if res, err = r.Resume(t.Context(), thread, nil); err != nil || res.Reason != flow.EndRounds || len(res.Missing) > 0 {
		t.Errorf("%v, %+v", err, res)
	}
	verifyOK(t, st)
}
