package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"brenner/agent"
	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
	"brenner/store/record"
)

func editor(st store.Store) *session.Editor {
	return &session.Editor{Store: st, Now: clock, As: "operator"}
}

// edit returns the deltas of a person who sets one field.
func edit(t *testing.T, place, text string) []byte {
	t.Helper()
	d, err := session.EditDelta(place, text, "a person says so")
	if err != nil {
		t.Fatal(err)
	}
	return session.DeltaFile(d)
}

func load(t *testing.T, st store.Store) *session.History {
	t.Helper()
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// verifyOK fails the test if the session does not verify.
func verifyOK(t *testing.T, st store.Store) {
	t.Helper()
	proof, err := session.Verify(t.Context(), st, thread, "")
	if err != nil || proof.Err() != nil {
		t.Fatal(err, proof.Err())
	}
}

// playBuiltIn runs the built-in session.
func playBuiltIn(t *testing.T, rounds int) (opentest.Store, *session.History) {
	t.Helper()
	st := opentest.New(t)
	if _, err := runner(st, &actors{script: builtInScript()}).Start(t.Context(), brief(rounds)); err != nil {
		t.Fatal(err)
	}
	return st, load(t, st)
}

func textOf(t *testing.T, h *session.History, version int, item, field string) string {
	t.Helper()
	a, err := h.Artifact(t.Context(), version)
	if err != nil {
		t.Fatal(err)
	}
	it, _, ok := a.Find(item)
	if !ok {
		t.Fatalf("version %d has no %s", version, item)
	}
	return it.Text(field)
}

// A person writes while a call is in flight: the answers of the round are merged into the newer
// version, and the commit is marked stale.
func TestWriteDuringRound(t *testing.T) {
	st := opentest.New(t)
	s := &actors{script: builtInScript()}
	r := runner(st, s)
	asked, proceed := make(chan struct{}), make(chan struct{})
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := s.agent(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			if c.Agent == "BlueLake" && c.Round == 2 {
				close(asked)
				<-proceed
			}
			return a.Ask(ctx, c)
		}), err
	}
	done := make(chan error)
	go func() {
		_, err := r.Start(t.Context(), brief(3))
		done <- err
	}()
	<-asked
	h, out, err := editor(st).Apply(t.Context(), thread, edit(t, "H2.claim", "a person's claim"))
	if err != nil || !out.Changed {
		t.Fatal(err, out.Report)
	}
	if h.State.Version() != 3 || len(h.Entries) != h.State.Head.Seq {
		t.Errorf("version %d, %d of %d entries", h.State.Version(), len(h.Entries), h.State.Head.Seq)
	}
	close(proceed)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	h = load(t, st)
	var got []string
	for _, c := range h.State.Commits {
		got = append(got, fmt.Sprintf("%s %d v%d %v", c.Source, c.Round, c.Version, c.Stale))
	}
	want := "brief 0 v1 false; round 1 v2 false; person 0 v3 false; round 2 v4 true; round 3 v5 false"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
	if text := textOf(t, h, 4, "H2", "claim"); text != "a person's claim" {
		t.Errorf("version 4 has the claim %q", text)
	}
	// The clock is fixed, and yet the next round is later than the person's change.
	if text := textOf(t, h, 5, "H2", "claim"); text == "a person's claim" {
		t.Error("an agent's change in the next round was not applied")
	}
	if base := h.State.Legs[2].Base; base != 4 {
		t.Errorf("round 3 was shown version %d", base)
	}
	records, err := st.Records(t.Context(), store.Query{ID: thread})
	if err != nil || len(records) != 5 || records[3].Status != record.NeedsRebase || records[4].Status != record.Draft {
		t.Errorf("%v, %+v", err, records)
	}
	verifyOK(t, st)
	if _, err := h.Replay(t.Context()); err != nil {
		t.Error(err)
	}
}

// hookedStore is a store that calls before ahead of each write.
type hookedStore struct {
	lockingStore
	before func(*store.Batch)
}

func (h hookedStore) Write(ctx context.Context, b store.Batch) error {
	h.before(&b)
	return h.lockingStore.Write(ctx, b)
}

func kinds(b *store.Batch) (all []string) {
	for _, a := range b.Appends {
		for _, e := range a.Entries {
			all = append(all, e.Kind)
		}
	}
	return all
}

// A person writes before a settled round and the next plan are stored: both are made again, and the
// agents are shown the person's change.
func TestWriteBetweenRounds(t *testing.T) {
	st := opentest.New(t)
	var batches []string
	once := false
	before := func(b *store.Batch) {
		all := strings.Join(kinds(b), " ")
		batches = append(batches, all)
		if once || !strings.Contains(all, flow.KindPlanned) || !strings.Contains(all, flow.KindCommitted) || len(batches) < 3 {
			return
		}
		once = true
		if _, _, err := editor(st).Apply(t.Context(), thread, edit(t, "RT.context", "between two rounds")); err != nil {
			t.Error(err)
		}
		if _, err := editor(st).Note(t.Context(), thread, "mind the gap"); err != nil {
			t.Error(err)
		}
	}
	r := runner(hookedStore{st, before}, &actors{script: builtInScript()})
	var seen []string
	r.Observe = func(e *journal.Entry, s *flow.State) {
		seen = append(seen, fmt.Sprintf("%d %s", e.Seq, e.Kind))
		if s.Head != e.Head() {
			t.Errorf("entry %d is shown with the state after entry %d", e.Seq, s.Head.Seq)
		}
	}
	if _, err := r.Start(t.Context(), brief(2)); err != nil {
		t.Fatal(err)
	}
	if !once {
		t.Fatalf("no round was settled and the next one planned in one batch: %q", batches)
	}
	h := load(t, st)
	for i, e := range h.Entries {
		if want := fmt.Sprintf("%d %s", e.Seq, e.Kind); i >= len(seen) || seen[i] != want {
			t.Fatalf("observed %q; want %q next", seen, want)
		}
	}
	leg := h.State.Legs[1]
	if leg.Base != 3 || h.State.Commits[3].Stale || !h.State.Commits[2].Stale || h.State.Commits[1].Source != flow.ByPerson {
		t.Errorf("round 2 was shown version %d; commits: %+v", leg.Base, h.State.Commits)
	}
	for _, k := range leg.Kickoffs {
		body, err := st.Blob(t.Context(), k.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"between two rounds", "mind the gap"} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s was not shown %q", k.Agent, want)
			}
		}
	}
	verifyOK(t, st)
}

// Concurrent changes of several people are ordered, and none is lost.
func TestConcurrentWritesAreAllKept(t *testing.T) {
	st, before := playBuiltIn(t, 1)
	const people = 8
	var group sync.WaitGroup
	for i := range people {
		group.Go(func() {
			text := fmt.Sprintf(`{"operation":"ADD","section":"anomaly_register","payload":{"name":"n","observation":"seen by %d"}}`, i)
			if _, _, err := editor(st).Apply(t.Context(), thread, []byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	h := load(t, st)
	if got := h.State.Version() - before.State.Version(); got != people {
		t.Errorf("%d versions from %d writers", got, people)
	}
	a, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil || len(a.Items(artifact.AnomalyRegister)) != people {
		t.Errorf("%v, %d items", err, len(a.Items(artifact.AnomalyRegister)))
	}
	verifyOK(t, st)
}

// A session that stopped before its brief was merged accepts no deltas: version 1 is the brief.
func TestDeltasRequireMergedBrief(t *testing.T) {
	whole, h := playBuiltIn(t, 1)
	st := opentest.New(t)
	b := store.Batch{Appends: []store.Append{{Stream: session.Prefix + thread, Entries: h.Entries[:1]}}}
	for _, ref := range h.References() {
		if data, err := whole.Blob(t.Context(), ref.Hash); err == nil {
			b.Blobs = append(b.Blobs, data)
		}
	}
	var err error
	if b.Records, _, err = session.SideRecords(h.Entries[:1]); err != nil {
		t.Fatal(err)
	}
	if err := st.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, _, err := editor(st).Apply(t.Context(), thread, edit(t, "RT.statement", "another question")); fault.CodeOf(err) != session.NoVersion {
		t.Error(err)
	}
	if _, err := editor(st).Note(t.Context(), thread, "an early note"); err != nil {
		t.Error(err)
	}
	if _, err := runner(st, &actors{script: builtInScript()}).Resume(t.Context(), thread, nil); err != nil {
		t.Fatal(err)
	}
	if got := load(t, st).State.Commits[0].Source; got != flow.ByBrief {
		t.Errorf("version 1 has the source %s", got)
	}
	verifyOK(t, st)
}

func TestApplyRefuses(t *testing.T) {
	st, h := playBuiltIn(t, 1)
	for name, c := range map[string]struct {
		as, text string
		want     fault.Code
	}{
		"no deltas of a stranger": {"Mallory", `[]`, delta.NoDeltas},
		"a stranger":              {"Mallory", string(edit(t, "H1.claim", "x")), session.NotAllowed},
		"an agent":                {"BlueLake", string(edit(t, "H1.claim", "x")), session.NotAllowed},
		"no name":                 {"", string(edit(t, "H1.claim", "x")), session.NotAllowed},
		"no deltas":               {"operator", `[]`, delta.NoDeltas},
		"other JSON":              {"operator", `{"metadata":{}}`, delta.NoDeltas},
		"numbers":                 {"operator", `[1,2]`, delta.NoDeltas},
		"broken JSON":             {"operator", `[{"operation":`, artifact.InvalidJSON},
		"prose":                   {"operator", "I agree.", delta.NoDeltas},
	} {
		t.Run(name, func(t *testing.T) {
			d := editor(st)
			d.As = c.as
			if _, _, err := d.Apply(t.Context(), thread, []byte(c.text)); fault.CodeOf(err) != c.want {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
	if got := load(t, st).State.Head; got != h.State.Head {
		t.Error("a refused change was journaled")
	}
	d := editor(st)
	d.As, d.Authorities = "Sydney", []string{"Sydney"}
	if _, out, err := d.Apply(t.Context(), thread, edit(t, "H1.claim", "x")); err != nil || !out.Changed {
		t.Error("a new authority cannot edit an older session:", err)
	}
	verifyOK(t, st)
}

func TestResolve(t *testing.T) {
	st, h := playBuiltIn(t, 2)
	now, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	if got := session.Conflicts(&now); len(got) != 1 || got[0] != "A1.status" {
		t.Fatal(got)
	}
	conflict, err := session.ConflictAt(&now, "A1.status")
	if err != nil {
		t.Fatal(err)
	}
	for take, want := range map[string]fault.Code{
		"": session.NoCandidate, "d-": session.NoCandidate, "PurpleMountain": session.NoCandidate,
		"BlueLake": "", conflict[1].Delta: "", conflict[1].Delta[:12]: "",
	} {
		if _, err := session.Candidate(conflict, "A1.status", take); fault.CodeOf(err) != want {
			t.Errorf("%q: %v", take, err)
		}
	}
	for place, want := range map[string]fault.Code{
		"A1": session.BadAddress, "A1.load": session.NoConflict, "H99.claim": session.NoConflict, "x.y": session.BadAddress,
	} {
		if _, _, err := editor(st).Resolve(t.Context(), thread, place, "BlueLake", ""); fault.CodeOf(err) != want {
			t.Errorf("%s: %v", place, err)
		}
	}
	h, out, err := editor(st).Resolve(t.Context(), thread, "A1.status", conflict[1].Delta[:12], "")
	if err != nil || len(out.Report.Conflicts) != 0 {
		t.Fatal(err, out.Report)
	}
	if got := textOf(t, h, h.State.Version(), "A1", "status"); got != "falsified" {
		t.Errorf("A1.status is %q", got)
	}
	if why := out.Deltas[0].Rationale; !strings.Contains(why, "GreenValley") {
		t.Errorf("the rationale is %q", why)
	}
	verifyOK(t, st)
}

// Cells conflict like fields. A conflict in a killed item needs no decision.
func TestResolveCells(t *testing.T) {
	st := opentest.New(t)
	if _, err := runner(st, &actors{script: parse(t, crowded)}).Start(t.Context(), brief(2)); err != nil {
		t.Fatal(err)
	}
	h := load(t, st)
	now, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(session.Conflicts(&now), " "); got != "P1.predictions.H2 A1.load" {
		t.Fatal(got)
	}
	_, out, err := editor(st).Resolve(t.Context(), thread, "P1.H2", "PurpleMountain", "")
	if err != nil || len(out.Report.Conflicts) != 1 {
		t.Fatal(err, out.Report)
	}
	kill, err := session.KillDelta("A1", "not needed")
	if err != nil {
		t.Fatal(err)
	}
	if h, _, err = editor(st).Apply(t.Context(), thread, session.DeltaFile(kill)); err != nil {
		t.Fatal(err)
	}
	now, err = h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := now.Items(artifact.PredictionsTable)[0].Map("predictions").Get("H2"); v != artifact.Text("blue") {
		t.Errorf("the cell is %v", v)
	}
	if got := session.Conflicts(&now); len(got) != 0 {
		t.Error(got)
	}
	if _, err := session.ConflictAt(&now, "A1.load"); fault.CodeOf(err) != session.NoConflict || !strings.Contains(err.Error(), "killed by operator") {
		t.Error(err)
	}
	verifyOK(t, st)
}

// An edit by hand sets a field of any kind to exactly the given value.
func TestEditDelta(t *testing.T) {
	st, _ := playBuiltIn(t, 2)
	for place, text := range map[string]string{
		"H2.claim": "x", "H3.third_alternative": "true", "T1.score.cost": "3", "T1.status": "blocked",
		"H2.anchors": `["§1","§2"]`, "H2.labels": "one", "P1.H2": "short for a cell", "P1.predictions.H3": "a cell",
		"RT.context": "other", "T1.expected_outcomes": `{"H2":"only this"}`, "T1.last_run": `{"at":"noon"}`,
	} {
		_, out, err := editor(st).Apply(t.Context(), thread, edit(t, place, text))
		if err != nil || !out.Report.Clean() && len(out.Report.Conflicts) == 0 {
			t.Errorf("%s: %v, %+v", place, err, out.Report.Deltas)
		}
	}
	h := load(t, st)
	now, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	it, _, _ := now.Find("H2")
	if got := strings.Join(it.Texts("anchors"), " "); got != "§1 §2" {
		t.Errorf("the list was not replaced: %s", got)
	}
	if it, _, _ = now.Find("T1"); len(it.Map("expected_outcomes")) != 1 {
		t.Errorf("the map was not replaced: %v", it.Map("expected_outcomes"))
	}
	for place, text := range map[string]string{
		"H2": "x", "claim": "x", "H2.": "x", "H2.clam": "x", "H2.claim.x": "x", "H3.third_alternative": "perhaps", "T1.score.cost": "much",
		"T1.score": "3", "T1.score.beauty": "3", "A1.status": "well", "H2.references": "§3", "H2.killed": "true", "H2.anchors": "[",
	} {
		if _, err := session.EditDelta(place, text, ""); err == nil {
			t.Errorf("%s=%s was accepted", place, text)
		}
	}
	for _, place := range []string{"", "H2.claim", "Q1", "H2.H3", "P1.condition"} {
		if _, err := session.KillDelta(place, "because"); err == nil {
			t.Errorf("%q can be killed", place)
		}
	}
	if _, err := session.KillDelta("H2", " "); fault.CodeOf(err) != session.NothingSaid {
		t.Error(err)
	}
	verifyOK(t, st)
}

// A decision for a version that is no longer the newest changes nothing.
func TestDecisionForOlderVersion(t *testing.T) {
	st, h := playBuiltIn(t, 1)
	ed := editor(st)
	ed.Version = h.State.Version()
	if _, _, err := ed.Apply(t.Context(), thread, edit(t, "H1.claim", "First.")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ed.Apply(t.Context(), thread, edit(t, "H1.claim", "Second.")); fault.CodeOf(err) != session.VersionMoved {
		t.Errorf("the second one: got %v, want %s", err, session.VersionMoved)
	}
	if got, want := load(t, st).State.Version(), ed.Version+1; got != want {
		t.Errorf("the session is at version %d, want %d", got, want)
	}
}
