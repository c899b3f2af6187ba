package session_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/opentest"
)

// stubborn has an agent that sends the same blocks about a text twice, and a judge.
const stubborn = `schema: brenner.rehearsal/v1
question: q
agents:
  - name: BlueLake
    rounds:
      - reply: PATCH again
      - reply: PATCH again
      - reply: "<think>PATCH good</think>NO CHANGES: it stands"
  - name: RedSky
    rounds:
      - reply: PATCH good
      - reply: 'NO CHANGES: it stands'
  - name: Judge
    rounds:
      - reply: 'NO CHANGES: it stands'
      - reply: |
          {"ruling_for":"neither","root_cause":"Another text.","reasoning":["It is."],"confidence":1,
           "rejected":[{"hypothesis":"BlueLake","why":"w"},{"hypothesis":"the rules","why":"w"}]}
`

// oneText is a project with one text that agents are shown and may change.
type oneText []byte

func (oneText) RecordsFor(context.Context, string, string, string) (session.ShownRecords, error) {
	return session.ShownRecords{Text: "the text", View: "v", Records: []flow.RecordRef{{ID: "memo", Version: 1, Type: "integrated_memo", Form: "full"}}, Patchable: []string{"memo@v1"}}, nil
}

func (oneText) StaleRecords(context.Context, string, []flow.RecordRef) ([]flow.MovedRecord, store.Append, error) {
	return nil, store.Append{Stream: "nothing moves here"}, nil
}

func (t oneText) Patch(_ context.Context, p *session.PatchInput) ([]session.PatchOutcome, error) {
	if !bytes.HasPrefix(p.Text, []byte("PATCH")) {
		return nil, nil
	}
	one := session.PatchOutcome{Patch: flow.Patch{Record: "memo@v1", Text: store.Hash(t), Code: "ANCHOR_NOT_FOUND", Message: "no"}, BlocksText: string(p.Text)}
	if bytes.Contains(p.Text, []byte("good")) {
		one.Code, one.Made, one.Status = "", "memo@v2", "draft"
	}
	return []session.PatchOutcome{one}, nil
}

func (oneText) BriefText(context.Context, flow.RecordRef) (string, error) { return "", nil }

func (oneText) CheckPatches(_ context.Context, p *session.PatchInput) ([]settle.Defect, int, error) {
	switch string(p.Text) {
	case "PATCH good":
		return nil, 1, nil
	case "PATCH again":
		return []settle.Defect{{Line: 1, Section: settle.TextPatch, Target: "memo@v1", Code: "ANCHOR_NOT_FOUND", Message: "no"}}, 0, nil
	}
	return nil, 0, nil
}

// patchingRunner returns a runner whose agents are shown one text. Good blocks make a version of it.
func patchingRunner(t *testing.T, st lockingStore) *session.Runner {
	t.Helper()
	r := runner(st, &actors{script: parse(t, stubborn)})
	text := []byte("the text\n")
	if err := st.Write(t.Context(), store.Batch{Blobs: [][]byte{text}}); err != nil {
		t.Fatal(err)
	}
	r.Project = oneText(text)
	return r
}

func stubbornSession(t *testing.T) *session.History {
	t.Helper()
	st := opentest.New(t)
	if _, err := patchingRunner(t, st).Start(t.Context(), quarrelBrief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The same blocks refused twice are a stalemate, and their author is sent the ruling.
func TestRepeatedPatchesAreRuledOn(t *testing.T) {
	h := stubbornSession(t)
	if len(h.State.Patches) != 3 || len(h.State.Stalemates) != 1 {
		t.Fatalf("%+v, %+v", h.State.Patches, h.State.Stalemates)
	}
	s := h.State.Stalemates[0]
	if s.Kind != stalemate.Retry || s.Place != "memo@v1" || s.State != stalemate.Applied || s.Waits() {
		t.Errorf("%+v", s)
	}
	r, err := h.Request(t.Context(), s.ID)
	if err != nil || r.Sendable() != nil || len(r.Evidence) != 7 {
		t.Errorf("%+v, %v", r.Evidence, err)
	}
	if leg := h.State.Legs[0]; leg.Of("RedSky").Repair.Status != flow.NotNeeded || leg.Of("BlueLake").Repair.Status != flow.Replied {
		t.Errorf("only the author of blocks that do not apply is asked for deltas: %+v", leg)
	}
	if o := h.State.Outcomes(); o[0].Count(flow.Contributed) != 0 || o[1].Rounds[0].Outcome != flow.Contributed {
		t.Errorf("%+v", o)
	}
	last := h.State.Legs[2].Kickoffs[0]
	body, err := h.Store.Blob(t.Context(), last.Body)
	if err != nil || !strings.Contains(string(body), "ruled: Ruling of Judge in "+s.ID) {
		t.Errorf("%s, %v", body, err)
	}
	if first, err := h.Store.Blob(t.Context(), h.State.Legs[0].Kickoffs[0].Body); err != nil || !strings.Contains(string(first), "You may change these texts: memo@v1.") {
		t.Errorf("%s, %v", first, err)
	}
	if p, err := session.Verify(t.Context(), h.Store, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v, %v", err, p.Err())
	}
}

// Killed after any write, a resumed session journals patches once.
func TestPatchesSurviveEveryKill(t *testing.T) {
	h := stubbornSession(t)
	for n := 1; n < len(h.Entries); n++ {
		st := storeWithPrefix(t, h, n)
		if _, err := patchingRunner(t, st).Resume(t.Context(), thread, nil); err != nil {
			t.Fatalf("prefix %d: %v", n, err)
		}
		got, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.State.Patches) != 3 || len(got.State.Stalemates) != 1 || got.State.Stalemates[0].State != stalemate.Applied {
			t.Errorf("prefix %d: %+v, %+v", n, got.State.Patches, got.State.Stalemates)
		}
	}
}

func (oneText) Write(context.Context, *session.WriteInput) ([]session.PatchOutcome, error) {
	return nil, nil
}

func (oneText) Mistakes(context.Context, *session.WriteInput) ([]settle.Defect, error) {
	return nil, nil
}
