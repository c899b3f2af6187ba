package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
)

// eventful has a temporary failure, a permanent one, and a repair.
const eventful = `schema: brenner.rehearsal/v1
question: q
agents:
  - role: hypothesis_generator
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"One","claim":"first"}}
          ` + "```" + `
        fail: {code: AGENT_UNAVAILABLE, message: not yet, times: 1, retry: true, after: 1ms}
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"first, sharper"}}
          ` + "```" + `
  - role: test_designer
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"ADD","section":"nowhere","payload":{"procedure":"x"}}
          ` + "```" + `
        repair: |
          ` + "```delta" + `
          {"operation":"ADD","section":"discriminative_tests","payload":{"name":"T","procedure":"do it","expected_outcomes":{"H1":"yes"}}}
          ` + "```" + `
  - role: adversarial_critic
    rounds:
      - reply: 'NO CHANGES: there is nothing to attack yet'
      - reply: |
          ` + "```delta" + `
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"too vague"}}
          ` + "```" + `
`

// journals returns the journals of sessions of several kinds.
func journals(t *testing.T) map[string]*session.History {
	t.Helper()
	staged := brief(3)
	staged.Settings.Flow = flow.FlowStaged
	staged.Hypotheses = nil
	poor := brief(3)
	poor.Settings.Budget = 9000
	patient := brief(3)
	patient.Settings.Quorum = "1"
	all := make(map[string]*session.History)
	for name, c := range map[string]struct {
		script *rehearsal.Script
		brief  session.Brief
	}{
		"built-in": {builtInScript(), brief(3)},
		"eventful": {parse(t, eventful), brief(2)},
		"staged":   {parse(t, eventful), staged},
		"quiet":    {parse(t, eventful), withQuietEnd(brief(9))},
		"poor":     {builtInScript(), poor},
		"faulty":   {parse(t, faulty), patient},
	} {
		st := opentest.New(t)
		if _, err := runner(st, &actors{script: c.script}).Start(t.Context(), c.brief); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = h
	}
	return all
}

func withQuietEnd(b session.Brief) session.Brief {
	b.Settings.QuietAfter = 1
	return b
}

// At every prefix of a journal, Next commands what the next entry records.
func TestNextLeadsToNextEntry(t *testing.T) {
	ends := make(map[string]string)
	for name, h := range journals(t) {
		for n := 1; n < len(h.Entries); n++ {
			state, err := flow.Fold(h.Entries[:n])
			if err != nil {
				t.Fatalf("%s, prefix %d: %v", name, n, err)
			}
			if next := &h.Entries[n]; !leadsTo(t, state, next) {
				t.Errorf("%s, prefix %d: %+v does not lead to %s %s", name, n, flow.Next(state), next.Kind, next.Body)
			}
		}
		ends[name] = h.State.Ended
	}
	want := map[string]string{
		"built-in": flow.EndRounds, "eventful": flow.EndRounds, "staged": flow.EndRounds, "quiet": flow.EndQuiet, "poor": flow.EndBudget,
		"faulty": flow.EndRounds,
	}
	for name, reason := range want {
		if ends[name] != reason {
			t.Errorf("%s ended with %s, want %s", name, ends[name], reason)
		}
	}
}

// leadsTo reports whether an entry is the outcome of a command of the state.
func leadsTo(t *testing.T, s *flow.State, e *journal.Entry) bool {
	t.Helper()
	if e.Kind == flow.KindAnswered || e.Kind == flow.KindFailed {
		return slices.ContainsFunc(s.Calls(), func(c *flow.Call) bool { return c.Status == flow.Begun })
	}
	return slices.ContainsFunc(flow.Next(s), func(c flow.Command) bool {
		switch c := c.(type) {
		case flow.Brief:
			return e.Kind == flow.KindCommitted
		case flow.Settle:
			return e.Kind == flow.KindCommitted
		case flow.Plan:
			return e.Kind == flow.KindPlanned && contains(e, fmt.Sprintf(`"round":%d`, c.Round))
		case flow.Ask:
			return e.Kind == flow.KindBegan && contains(e, c.Call.ID)
		case flow.End:
			return e.Kind == flow.KindEnded && contains(e, c.Reason)
		}
		return false
	})
}

func contains(e *journal.Entry, part string) bool { return strings.Contains(string(e.Body), part) }

// Resumed from any prefix of its journal, a session has the artifact of an uninterrupted run and
// makes no answered call again.
func TestResumeFromEveryPrefix(t *testing.T) {
	for name, h := range journals(t) {
		if name == "poor" {
			continue // the reservations of killed calls count as spent, so that it ends earlier
		}
		want := finalArtifact(t, h)
		script := parse(t, eventful)
		switch name {
		case "built-in":
			script = builtInScript()
		case "faulty":
			script = parse(t, faulty)
		}
		for n := 1; n < len(h.Entries); n++ {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { // a test of its own, to close its store
				t.Parallel()
				resumeFrom(t, h, n, script, want)
			})
		}
	}
}

// resumeFrom resumes a session that was killed after its n-th entry.
func resumeFrom(t *testing.T, h *session.History, n int, script *rehearsal.Script, want string) {
	t.Helper()
	st := storeWithPrefix(t, h, n)
	left, err := flow.Fold(h.Entries[:n])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner(st, &actors{script: script}).Resume(t.Context(), thread, nil); err != nil {
		t.Fatal(err)
	}
	got, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	if finalArtifact(t, got) != want {
		t.Error("another artifact")
	}
	for _, c := range left.Calls() {
		again, _ := got.State.Call(c.ID)
		if c.Status == flow.Replied && again.Began != c.Began {
			t.Errorf("%s was asked again", c.ID)
		}
	}
	if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v %v", err, p.Err())
	}
}

func finalArtifact(t *testing.T, h *session.History) string {
	t.Helper()
	a, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	return string(a.JSON())
}

// storeWithPrefix returns a store in which a session was killed after its n-th entry.
func storeWithPrefix(t *testing.T, h *session.History, n int) opentest.Store {
	t.Helper()
	st := opentest.New(t)
	batch := store.Batch{Appends: []store.Append{{Stream: session.Prefix + thread, Entries: h.Entries[:n]}}}
	for _, ref := range h.References() {
		data, err := h.Store.Blob(context.Background(), ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		batch.Blobs = append(batch.Blobs, data)
	}
	left, err := flow.Fold(h.Entries[:n])
	if err != nil {
		t.Fatal(err)
	}
	records, err := h.Store.Records(context.Background(), store.Query{ID: thread})
	if err != nil {
		t.Fatal(err)
	}
	side, _, err := session.SideRecords(h.Entries[:n])
	if err != nil {
		t.Fatal(err)
	}
	batch.Records = append(batch.Records, side...)
	for _, r := range records {
		if r.Version <= left.Version() {
			batch.Records = append(batch.Records, r)
		}
	}
	if err := st.Write(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	return st
}
