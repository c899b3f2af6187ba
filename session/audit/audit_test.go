package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// twoScript has two agents: each adds a hypothesis, and both write the same field.
const twoScript = "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n" +
	"  - name: A\n    rounds:\n      - reply: |\n" +
	"          ```delta\n          {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"Because.\"}, \"rationale\": \"r\"}\n          ```\n" +
	"          ```delta\n          {\"operation\": \"EDIT\", \"section\": \"research_thread\", \"target_id\": \"RT\", \"payload\": {\"statement\": \"One.\"}, \"rationale\": \"a\"}\n          ```\n" +
	"  - name: B\n    rounds:\n      - reply: |\n" +
	"          ```delta\n          {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"Perhaps.\"}, \"rationale\": \"r\"}\n          ```\n" +
	"          ```delta\n          {\"operation\": \"EDIT\", \"section\": \"research_thread\", \"target_id\": \"RT\", \"payload\": {\"statement\": \"Two.\"}, \"rationale\": \"b\"}\n          ```\n"

func TestSummaryOfEndedSession(t *testing.T) {
	st, h := play(t, tinyScript, "A")
	s, err := audit.Summarise(t.Context(), h, st, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Phase != session.PhaseEnded || s.Reason != flow.EndRounds || s.Round != 1 || s.Version != 2 || !s.Rehearsal {
		t.Errorf("phase %s, reason %s, round %d, version %d, rehearsal %t; want an ended rehearsal of 1 round with 2 versions", s.Phase, s.Reason, s.Round, s.Version, s.Rehearsal)
	}
	if len(s.Agents) != 1 || s.Agents[0].Answered != 1 || s.Agents[0].State != string(flow.Replied) {
		t.Errorf("agents %+v, want A with one answer", s.Agents)
	}
	if len(s.Versions) != 2 || s.Versions[1].Applied != 1 || s.Versions[1].Round != 1 {
		t.Errorf("versions %+v, want the second with the delta of round 1", s.Versions)
	}
	want := []string{"brenner session show " + tinyThread, "brenner blame " + tinyThread + " H1", "brenner session replay " + tinyThread}
	if !slices.Equal(s.Next, want) {
		t.Errorf("next %q, want %q", s.Next, want)
	}
}

// The summary says why an author was not asked to correct a delta.
func TestSummarySaysWhyNotCorrected(t *testing.T) {
	fence := func(delta string) string { return "          ```delta\n          " + delta + "\n          ```\n" }
	part := func(name string) string {
		text := "  - name: " + name + "\n    rounds:\n      - reply: |\n"
		for _, claim := range []string{"one", "two", "three", "four"} {
			text += fence(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"` + claim + " of " + name + `"}}`)
		}
		return text
	}
	st, h := play(t, "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n"+part("A")+part("B"), "A", "B")
	s, err := audit.Summarise(t.Context(), h, st, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.Rejected {
		got = append(got, r.Agent+" "+string(r.Code)+": "+r.Uncorrected)
	}
	const others = "B SECTION_LIMIT_EXCEEDED: not asked to correct it: without the deltas of the others it would have been taken"
	want := []string{others, others}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNextCommandsDependOnPhase(t *testing.T) {
	st, h := play(t, tinyScript, "A")
	lease, err := st.Hold(tinyThread, store.Holder{PID: 7, Host: "here", Since: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.Summarise(t.Context(), h, st, "")
	if err != nil || s.Phase != session.PhaseRunning || s.HeldBy == "" || s.Next[0] != "brenner session watch "+tinyThread {
		t.Errorf("held session: %s, held by %q, next %q, %v", s.Phase, s.HeldBy, s.Next, err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if s, err = audit.Summarise(t.Context(), h, nil, "x.jsonl"); err != nil || s.Next[1] != "brenner verify x.jsonl" {
		t.Errorf("export: next %q, %v", s.Next, err)
	}
}

func TestConflictsNameTheirCandidates(t *testing.T) {
	st, h := play(t, twoScript, "A", "B")
	s, err := audit.Summarise(t.Context(), h, st, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Conflicts) != 1 || s.Conflicts[0].Place != "RT.statement" || len(s.Conflicts[0].Candidates) != 2 {
		t.Fatalf("conflicts %+v, want RT.statement with two candidates", s.Conflicts)
	}
	if b := s.Conflicts[0].Candidates[1]; b.Agent != "B" || string(b.Value) != `"Two."` || b.Text != "Two." {
		t.Errorf("candidate %+v, want B with its value", b)
	}
	if want := "brenner session resolve " + tinyThread; s.Next[0] != want {
		t.Errorf("next %q, want %q", s.Next[0], want)
	}
	open, err := audit.OpenConflicts(t.Context(), h, "")
	if err != nil || len(open.Conflicts) != 1 {
		t.Fatalf("%+v, %v", open, err)
	}
	both := open.Conflicts[0].Candidates
	if both[0].Text != "One." || both[0].Rationale != "a" || both[1].Agent != "B" || string(both[1].Value) != `"Two."` {
		t.Errorf("candidates %+v", both)
	}
	if one, err := audit.OpenConflicts(t.Context(), h, "RT.statement"); err != nil || len(one.Conflicts) != 1 {
		t.Errorf("at RT.statement: %+v, %v; want its conflict", one, err)
	}
	if _, err := audit.OpenConflicts(t.Context(), h, "H1.claim"); err == nil {
		t.Error("H1.claim is not in conflict, but was listed")
	}
	part, err := audit.PartAt(t.Context(), h, session.Address{Thread: tinyThread, Item: "RT", Field: "statement"})
	if err != nil || len(part.Conflict) != 2 {
		t.Errorf("the field has the candidates %v, %v; want two", part, err)
	}
}

func TestWithoutRemovesItemsOfAgent(t *testing.T) {
	_, h := play(t, twoScript, "A", "B")
	w, err := audit.Without(t.Context(), h, "A")
	if err != nil {
		t.Fatal(err)
	}
	if want := []audit.GoneItem{{ID: "H1", Title: "Because"}}; !slices.Equal(w.Gone, want) {
		t.Errorf("gone %+v, want %+v", w.Gone, want)
	}
	if want := []audit.RenamedItem{{Was: "H2", Now: "H1"}}; !slices.Equal(w.Renamed, want) {
		t.Errorf("renamed %+v, want %+v", w.Renamed, want)
	}
	changed := func(c audit.ChangedField) bool {
		return c.Item == "RT" && c.Field == "statement" && string(c.To) == `"Two."`
	}
	if !slices.ContainsFunc(w.Changed, changed) {
		t.Errorf("changed %+v, want RT.statement without its conflict", w.Changed)
	}
	if string(w.Artifact) != string(w.After.JSON()) {
		t.Error("Artifact and After differ")
	}
}

func TestTraceFindsCallOfText(t *testing.T) {
	_, h := play(t, tinyScript, "A")
	found, err := audit.Find(t.Context(), h, 0, "because")
	if err != nil || len(found) == 0 || found[0].Item != "H1" || found[0].Fate != audit.FateStands {
		t.Fatalf("found %+v, %v; want H1 with fate stands", found, err)
	}
	calls := audit.ListCalls(h).Calls
	if len(calls) != 1 || calls[0].Call != found[0].Call {
		t.Fatalf("calls %+v, want the one of %s", calls, found[0].Call)
	}
	for _, q := range []audit.CallQuery{{ID: calls[0].Call, Reply: true}, {Agent: "A", Round: 1, Reply: true}} {
		c, err := audit.TraceCall(t.Context(), h, &q)
		if err != nil {
			t.Fatal(err)
		}
		if c.Call.Call != calls[0].Call || !c.Settled || c.Version != 2 || len(c.Deltas) != 1 || c.Out.Taken != 1 || c.In.Text != nil || !strings.Contains(*c.Out.Text, "Because.") {
			t.Errorf("%+v: %+v", q, c)
		}
	}
	_, err = audit.TraceCall(t.Context(), h, &audit.CallQuery{Agent: "A", Round: 1, Repair: true})
	if fault.CodeOf(err) != audit.NotFound || !strings.Contains(err.Error(), "has no repair") {
		t.Errorf("a repair that was not needed: %v", err)
	}
	blame, err := audit.BlameItem(t.Context(), h, session.Address{Thread: tinyThread, Item: "H1", Field: "claim"})
	if err != nil || len(blame.Origins) != 1 || blame.Origins[0].Agent != "A" || blame.Version != 2 {
		t.Errorf("blame %+v, %v; want A in version 2", blame, err)
	}
}

func TestPartAt(t *testing.T) {
	_, h := play(t, tinyScript, "A")
	whole, err := audit.PartAt(t.Context(), h, session.Address{Thread: tinyThread})
	if err != nil || whole.SHA256 != store.Hash(whole.Canonical()) || whole.Version != 2 {
		t.Errorf("the whole artifact: %+v, %v", whole, err)
	}
	claim, err := audit.PartAt(t.Context(), h, session.Address{Thread: tinyThread, Version: 2, Item: "H1", Field: "claim"})
	if err != nil || string(claim.Canonical()) != `"Because."` || claim.SHA256 != whole.SHA256 || claim.Address != tinyThread+"@v2#H1.claim" {
		t.Errorf("a field: %+v, %v", claim, err)
	}
	_, err = audit.PartAt(t.Context(), h, session.Address{Thread: tinyThread, Item: "H7"})
	if fault.CodeOf(err) != audit.NotFound || !strings.Contains(fault.HintOf(err), "H1") {
		t.Errorf("an unknown item: %v", err)
	}
}

func TestReplayEqualsCommits(t *testing.T) {
	_, h := play(t, tinyScript, "A")
	r, err := audit.ReplaySession(t.Context(), h)
	if err != nil || !r.Equal || len(r.Versions) != 2 || len(r.Faults) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if v := r.Versions[1]; !v.OK || v.SHA256 != v.Replayed || v.Round != 1 {
		t.Errorf("version 2: %+v", v)
	}
}

// An unreadable session has a row and does not hide others.
func TestListIncludesDamagedSessions(t *testing.T) {
	st, _ := play(t, tinyScript, "A")
	l, err := audit.ListSessions(t.Context(), st, st)
	if err != nil || len(l.Sessions) != 1 || l.Sessions[0].Phase != session.PhaseEnded || l.Damaged() {
		t.Fatalf("%+v, %v", l, err)
	}
	e, err := journal.Head{}.Next(session.Prefix+"RS-20261115-broken", time.Unix(0, 0), "briefed", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: e.Stream, Entries: []journal.Entry{e}}}}); err != nil {
		t.Fatal(err)
	}
	if l, err = audit.ListSessions(t.Context(), st, st); err != nil || len(l.Sessions) != 2 || !l.Damaged() {
		t.Fatalf("%+v, %v", l, err)
	}
	if last := l.Sessions[1]; last.Phase != session.PhaseDamaged || last.Code == "" || last.Problem == "" {
		t.Errorf("the broken session: %+v", last)
	}
	stuck := audit.NewStalemateList()
	if err := stuck.AddSessions(t.Context(), st, true); err != nil || len(stuck.Damaged) != 1 || stuck.Waits() {
		t.Errorf("stalemates %+v, %v; want one session that cannot be read", stuck, err)
	}
	all, err := audit.VerifyAll(t.Context(), st)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, p := range all {
		if broken := p.Thread != tinyThread; broken != (len(p.Faults) > 0) {
			t.Errorf("%s: faults %v", p.Thread, p.Faults)
		}
	}
}

// An ADD that lost its label is in the summary, whatever came after it.
func TestSummaryKeepsLabelsTaken(t *testing.T) {
	add := func(target, name string) string {
		return `{"operation": "ADD", "section": "hypothesis_slate", "target_id": "` + target + `", "payload": {"name": "` + name + `", "claim": "` + name + `"}, "rationale": "r"}`
	}
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - name: A\n    rounds:\n"
	for _, block := range []string{add("", "One"), add("H1", "Two"), add("", "Three"), add("H2", "Four"), add("", "Five")} {
		script += "      - reply: |\n          ```delta\n          " + block + "\n          ```\n"
	}
	st, h := playRounds(t, 5, script, "A")
	s, err := audit.Summarise(t.Context(), h, st, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, r := range s.LabelsTaken {
		got = append(got, r.Version)
		if r.Line != 1 || r.Operation != delta.Add {
			t.Errorf("version %d: line %d, operation %q; want line 1, ADD", r.Version, r.Line, r.Operation)
		}
	}
	if !slices.Equal(got, []int{3, 5}) {
		t.Errorf("labels were taken in versions %v, want 3 and 5", got)
	}
}
