package session_test

import (
	"bytes"
	"testing"

	"brenner/session"
	"brenner/session/flow"
	"brenner/store/opentest"
)

func TestBuiltInSession(t *testing.T) {
	ctx := t.Context()
	st := opentest.New(t)
	s := &actors{script: builtInScript()}
	res, err := runner(st, s).Start(ctx, brief(3))
	if err != nil {
		t.Fatal(err)
	}
	if res.Reason != flow.EndRounds || len(res.Missing) > 0 {
		t.Errorf("ended with %s, missing %v", res.Reason, res.Missing)
	}
	h, err := session.Load(ctx, st, thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range h.State.Commits {
		t.Logf("%s %d: version %d, %+v, %v", c.Source, c.Round, c.Version, c.Outcome, c.Active)
	}
	last := h.State.Commits[len(h.State.Commits)-1]
	if last.Outcome.Conflicts != 0 || last.Outcome.Errors != 0 {
		t.Errorf("%+v", last.Outcome)
	}
	if n := s.asked.Load(); n != 10 {
		t.Errorf("%d calls; want nine and a repair", n)
	}
	proof, err := session.Verify(ctx, st, thread, last.Seal)
	if err != nil || proof.Err() != nil {
		t.Fatal(err, proof.Err())
	}
	a, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", a.Markdown())
	// An agent is sent the outcomes of its rejected deltas.
	for _, k := range h.State.Legs[2].Kickoffs {
		body, err := st.Blob(ctx, k.Body)
		if err != nil {
			t.Fatal(err)
		}
		if k.Agent == "PurpleMountain" && !(bytes.Contains(body, []byte("rejected")) && bytes.Contains(body, []byte("WRITE_SCOPE"))) {
			t.Errorf("%s was not sent the outcome of its delta:\n%s", k.Agent, body)
		}
	}
	var file bytes.Buffer
	if err := h.Export(ctx, &file); err != nil {
		t.Fatal(err)
	}
	x, err := session.ReadExport(file.Bytes())
	if err != nil || len(x.Faults) > 0 {
		t.Fatal(err, x.Faults)
	}
}
