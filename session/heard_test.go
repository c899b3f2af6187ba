package session_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/opentest"
)

// faulty has every outcome of a reply, with and without a repair.
var faulty = strings.ReplaceAll(`schema: brenner.rehearsal/v1
question: q
agents:
  - role: hypothesis_generator
    rounds:
      - reply: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","ref":"one","payload":{"name":"One","claim":"first","third_alternative":"yes it is"}}
          ~~~

          ~~~delta
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H7","payload":{"claim":"lost"}}
          ~~~
        repair: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","ref":"one","payload":{"name":"One","claim":"first","third_alternative":true}}
          ~~~
      - limit: true
        reply: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Two","claim":"second"}}
          ~~~

          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Thr
        repair: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Three","claim":"third"}}
          ~~~
      - {reply: "All is well.", repair: "As I said."}
  - role: test_designer
    rounds:
      - {reply: "All is well.", repair: "NO CHANGES: nothing to test yet"}
      - reply: |
          ~~~delta
          {"operation":"EDIT","section":"discriminative_tests","payload":{"procedure":"p"}}
          ~~~
        repair: Sorry.
      - {limit: true, reply: "Let me think", repair: "Let me think again"}
  - role: adversarial_critic
    rounds:
      - reply: |
          ~~~delta
          {"operation" "ADD"}
          ~~~
        repair: I cannot.
      - fail: {code: AGENT_REFUSED, message: no}
        reply: ""
      - reply: "NO CHANGES: **all** stands"
`, "~~~", "```")

// What each agent came to in each round is journaled, and verified.
func TestOutcomesAreJournaled(t *testing.T) {
	st := opentest.New(t)
	b := brief(3)
	b.Settings.Quorum = "1"
	res, err := runner(st, &actors{script: parse(t, faulty)}).Start(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range res.State.Outcomes() {
		for _, r := range o.Rounds {
			got = append(got, fmt.Sprintf("%d %s %s %q %d/%d/%d/%d %t", r.Round, o.Agent, r.Outcome, r.Reason, r.Applied, r.Rejected, r.Fields, r.Unreadable, r.Cut))
		}
	}
	want := `1 BlueLake contributed "" 1/1/0/0 false
2 BlueLake contributed "" 2/0/0/0 true
3 BlueLake prose_only "" 0/0/0/0 false
1 PurpleMountain no_changes "nothing to test yet" 0/0/0/0 false
2 PurpleMountain refused "" 0/1/0/0 false
3 PurpleMountain cut "" 0/0/0/0 true
1 GreenValley unreadable "" 0/0/0/1 false
2 GreenValley failed "" 0/0/0/0 false
3 GreenValley no_changes "**all** stands" 0/0/0/0 false`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if len(res.State.Idle()) > 0 || res.State.CameToNothing() || !res.State.Moved() {
		t.Errorf("idle: %v, came to nothing: %t", res.State.Idle(), res.State.CameToNothing())
	}
	proof, err := session.Verify(t.Context(), st, thread, "")
	if err != nil || len(proof.Faults) > 0 {
		t.Errorf("%v %+v", err, proof)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Without(t.Context(), "GreenValley"); err != nil {
		t.Error(err)
	}
	a, err := h.Artifact(t.Context(), h.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range a.Sections[1] {
		names = append(names, fmt.Sprint(it.Text("name"), " ", it.ThirdAlternative()))
	}
	if got := strings.Join(names, ", "); got != "One true, Two false, Three false" {
		t.Error(got)
	}
}

// The request names every defect with its place, and what would be right.
func TestRepairRequestNamesDefects(t *testing.T) {
	st := opentest.New(t)
	if _, err := runner(st, &actors{script: parse(t, faulty)}).Start(t.Context(), brief(2)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	for id, parts := range map[string][]string{
		"/r1.1/BlueLake/repair": {
			"- block 1, line 1 (ADD hypothesis_slate): the field third_alternative was refused: it is neither true nor false (INVALID_FIELD)\n  What to do: third_alternative takes: true or false\n",
			"- block 2, line 5 (EDIT hypothesis_slate H7): there is no H7 in hypothesis_slate (INVALID_TARGET)\n  What to do: write the target_id one (new in your reply)\n",
			"Blocks that are not named here stand", "NO CHANGES: reason\n",
		},
		"/r1.1/PurpleMountain/repair": {"- line 1, column 1: the reply holds no delta (NO_DELTAS)\n  What to do: write each change as one JSON object in a fence"},
		"/r1.1/GreenValley/repair":    {"- block 1, line 2, column 14 (ADD): ", "(INVALID_JSON)"},
	} {
		c, ok := h.State.Call(thread + id)
		if !ok {
			t.Fatalf("no call %s", id)
		}
		text, err := st.Blob(t.Context(), c.Prompt)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: no %q in\n%s", id, part, text)
			}
		}
	}
}

// imported returns a store with a session of an earlier program.
func imported(t *testing.T, name string) (opentest.Store, *session.ExportFile) {
	t.Helper()
	data, err := os.ReadFile("../cmd/brenner/testdata/older/" + name)
	if err != nil {
		t.Fatal(err)
	}
	x, err := session.ReadExport(data)
	if err != nil {
		t.Fatal(err)
	}
	st := opentest.New(t)
	if _, err := session.Import(t.Context(), st, x); err != nil {
		t.Fatal(err)
	}
	return st, x
}

// Sessions of protocol 1 ask for repairs of unreadable blocks only, drop cut replies, and journal no
// outcomes.
func TestFirstProtocolIsKept(t *testing.T) {
	st, x := imported(t, "session.jsonl")
	s := &actors{script: parse(t, `{schema: brenner.rehearsal/v1, question: q, agents: [{role: hypothesis_generator, rounds: [
		{reply: "x"}, {reply: "All is well."}, {reply: "NO CHANGES: fine"}, {limit: true, reply: "half"}]}]}`)}
	res, err := runner(st, s).Resume(t.Context(), x.Thread, func(set *flow.Settings) { set.Rounds, set.QuietAfter = 4, 0 })
	if err != nil {
		t.Fatal(err)
	}
	last := res.State.Calls()[len(res.State.Calls())-1]
	if s.asked.Load() != 3 || res.Reason != flow.EndQuorum || last.Failed.Code != agent.Cut {
		t.Errorf("%d calls, ended with %s, %+v", s.asked.Load(), res.Reason, last.Failed)
	}
	for i := range res.State.Legs {
		if k := &res.State.Legs[i].Kickoffs[0]; k.Template != "hypothesis_generator/1" {
			t.Errorf("round %d has the template %s", i+1, k.Template)
		}
	}
	for _, o := range res.State.Outcomes() {
		if len(o.Rounds) > 0 {
			t.Errorf("%+v", o)
		}
	}
	proof, err := session.Verify(t.Context(), st, x.Thread, "")
	if err != nil || len(proof.Faults) > 0 {
		t.Errorf("%v %+v", err, proof)
	}
}

// Sessions of protocol 2 keep their outcomes, their requests for corrections and their kickoffs.
func TestSecondProtocolIsKept(t *testing.T) {
	st, x := imported(t, "second.jsonl")
	prove := func() {
		t.Helper()
		proof, err := session.Verify(t.Context(), st, x.Thread, "")
		if err != nil || len(proof.Faults) > 0 {
			t.Errorf("%v %+v", err, proof)
		}
	}
	prove()
	s := &actors{script: parse(t, strings.ReplaceAll(`schema: brenner.rehearsal/v1
question: q
agents:
  - role: hypothesis_generator
    rounds:
      - {reply: x}
      - {reply: x}
      - {reply: x}
      - {reply: "All is well.", repair: "As I said."}
      - reply: |
          ~~~delta
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H2","payload":{"claim":"sharper"}}
          ~~~
        repair: no one asks
      - reply: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"no claim"}}
          ~~~
        repair: I cannot.
`, "~~~", "```"))}
	res, err := runner(st, s).Resume(t.Context(), x.Thread, func(set *flow.Settings) { set.Rounds, set.QuietAfter = 6, 0 })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range res.State.Outcomes()[0].Rounds {
		got = append(got, r.Outcome)
	}
	if text := strings.Join(got, " "); text != "contributed contributed unreadable prose_only refused unreadable" || s.asked.Load() != 5 {
		t.Errorf("%d calls: %s", s.asked.Load(), text)
	}
	if text := kickoffOf(t, st, res.State, 5); strings.Contains(text, "prose only") {
		t.Errorf("the kickoff has what protocol 2 does not say:\n%s", text)
	}
	prove()
}

// The next kickoff tells an agent that nothing of its reply was taken, or that it was cut.
func TestNextKickoffTellsOfTheLastReply(t *testing.T) {
	for name, c := range map[string]struct{ round, want string }{
		"prose":           {`{reply: "All is well.", repair: "As I said."}`, "was prose only, with neither a delta nor a line NO CHANGES: nothing of it was taken."},
		"unreadable":      {`{reply: "~~~delta\n{oops\n~~~", repair: "No."}`, "could not be read: nothing of it was taken."},
		"cut":             {`{limit: true, reply: "Let me think", repair: "No."}`, "was cut off at its token limit before its first complete delta: nothing of it was taken, so be brief."},
		"cut in a delta":  {`{limit: true, reply: "~~~delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c", repair: "No."}`, "was cut off at its token limit before its first complete delta: nothing of it was taken, so be brief."},
		"cut at once":     {`{limit: true, reply: "", repair: "No."}`, "was cut off at its token limit before its first complete delta: nothing of it was taken, so be brief."},
		"unreadable, too": {`{reply: "~~~delta\n{oops\n~~~", repair: "~~~delta\n{worse\n~~~"}`, "could not be read: nothing of it was taken."},
		"repeated":        {`{reply: "~~~delta\n{\"operation\":\"EDIT\",\"section\":\"research_thread\",\"target_id\":\"RT\",\"payload\":{\"statement\":\"QUESTION\"}}\n~~~\n"}`, "changed nothing: what was applied of it is what was there before."},
		"no reason":       {`{reply: "NO CHANGES: reason", repair: "NO CHANGES"}`, "was prose only, with neither a delta nor a line NO CHANGES: nothing of it was taken."},
		"cut later":       {`{limit: true, reply: "~~~delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c\"}}\n~~~\n", repair: "No."}`, "was cut off at its token limit, so be brief: of a cut text only complete deltas are taken."},
		"corrected":       {`{reply: "All is well.", repair: "NO CHANGES: fine"}`, ""},
		"nothing to tell": {`{reply: "NO CHANGES: fine"}`, ""},
	} {
		st := opentest.New(t)
		script := parse(t, `{schema: brenner.rehearsal/v1, question: q, agents: [{role: hypothesis_generator, rounds: [`+strings.NewReplacer("~~~", "```", "QUESTION", brief(2).Question).Replace(c.round)+`]}, {role: test_designer, rounds: []}, {role: adversarial_critic, rounds: []}]}`)
		b := brief(2)
		b.Settings.QuietAfter = 0
		res, err := runner(st, &actors{script: script}).Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		text := kickoffOf(t, st, res.State, 2)
		if has := strings.Contains(text, "Your reply of round 1 "); has != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, text)
		}
		if proof, err := session.Verify(t.Context(), st, thread, ""); err != nil || len(proof.Faults) > 0 {
			t.Errorf("%s: %v %+v", name, err, proof)
		}
	}
}

// kickoffOf returns the first kickoff of a round.
func kickoffOf(t *testing.T, st opentest.Store, state *flow.State, round int) string {
	t.Helper()
	body, err := st.Blob(t.Context(), state.Leg(round, 1).Kickoffs[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
