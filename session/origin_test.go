package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store/opentest"
)

// crowded is a script in which agents write the same lists, maps, cells and fields, with conflicts
// and killed items and cells.
var crowded = strings.ReplaceAll(`schema: brenner.rehearsal/v1
question: q
agents:
  - role: hypothesis_generator
    rounds:
      - reply: |
          [1] begins with a bracket, but is not JSON.

          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","ref":"one","payload":{"name":"One","claim":"the first claim","anchors":["§1"]},"rationale":"why one"}
          ~~~

          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","ref":"two","payload":{"name":"Two","claim":"the second claim","third_alternative":true},"rationale":"why two"}
          ~~~

          ~~~delta
          {"operation":"ADD","section":"predictions_table","payload":{"condition":"it rains","predictions":{"one":"green","two":"red as one"}},"rationale":"to tell them apart"}
          ~~~

          ~~~delta
          {"operation":"ADD","section":"assumption_ledger","payload":{"name":"A","statement":"rain is wet","load":"all"}}
          ~~~
      - reply: |
          ~~~delta
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"the first claim, sharper","anchors":["§2"]},"rationale":"sharper"}
          ~~~

          ~~~delta
          {"operation":"EDIT","section":"predictions_table","target_id":"P1.H2","payload":{"prediction":"yellow"}}
          ~~~

          ~~~delta
          {"operation":"EDIT","section":"assumption_ledger","target_id":"A1","payload":{"load":"half"}}
          ~~~
  - role: test_designer
    rounds:
      - reply: |
          NO CHANGES: nothing yet, and a saying: every test
          is a question.
      - reply: |
          ~~~delta
          {"operation":"EDIT","section":"predictions_table","target_id":"P1","payload":{"predictions":{"H2":"blue"}},"rationale":"I saw it"}
          ~~~

          ~~~delta
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H2","payload":{"claim":"beyond my scope"}}
          ~~~

          ~~~delta
          {"operation":"EDIT","section":"assumption_ledger","target_id":"A1","payload":{"load":"none"}}
          ~~~
  - role: adversarial_critic
    rounds:
      - reply: |
          ~~~delta
          {"operation":"ADD","section":"nowhere","payload":{"attack":"repaired later"}}
          ~~~
        repair: |
          Here it is.

          ~~~delta
          {"operation":"ADD","section":"adversarial_critique","payload":{"name":"C","attack":"repaired now"}}
          ~~~
      - reply: |
          ~~~delta
          {"operation":"KILL","section":"predictions_table","target_id":"P1.H1","payload":{"reason":"says nothing"},"rationale":"empty"}
          ~~~

          ~~~delta
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"rain is wet anyway"}}
          ~~~
`, "~~~", "```")

func playCrowded(t testing.TB, rounds int) (opentest.Store, *audit.Origins, *session.History) {
	t.Helper()
	st := opentest.New(t)
	s, err := rehearsal.Parse([]byte(crowded))
	if err != nil {
		t.Fatal(err)
	}
	b := brief(rounds)
	b.Hypotheses = nil
	if _, err := runner(st, &actors{script: s}).Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	o, err := audit.OriginsOf(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return st, o, h
}

// formatOrigins returns one line for each origin.
func formatOrigins(all []audit.Origin) []string {
	var out []string
	for i := range all {
		o := &all[i]
		call := o.Source
		if o.Call != "" {
			call = strings.TrimPrefix(o.Call, thread+"/")
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %q %s %s %s:%d v%d %s",
			strings.TrimPrefix(o.Address.String(), thread), o.Fate, o.Text, o.Agent, o.Operation, call, o.Line, o.Version, o.Code)))
	}
	return out
}

func compare(t *testing.T, what string, got []audit.Origin, want ...string) {
	t.Helper()
	if lines := formatOrigins(got); !slices.Equal(lines, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestBlame(t *testing.T) {
	_, o, _ := playCrowded(t, 2)
	for _, c := range []struct {
		item, field string
		want        []string
	}{
		{"H1", "", []string{
			`@v3#H1 stands "" BlueLake ADD r1.1/BlueLake/ask:3 v2`,
			`@v3#H1.name stands "One" BlueLake ADD r1.1/BlueLake/ask:3 v2`,
			`@v3#H1.claim stands "the first claim, sharper" BlueLake EDIT r2.1/BlueLake/ask:1 v3`,
			`@v3#H1.anchors stands "§1" BlueLake ADD r1.1/BlueLake/ask:3 v2`,
			`@v3#H1.anchors stands "§2" BlueLake EDIT r2.1/BlueLake/ask:1 v3`,
			`@v3#H1.killed stands "rain is wet anyway" GreenValley KILL r2.1/GreenValley/ask:5 v3`,
		}},
		{"H1", "killed", []string{`@v3#H1.killed stands "rain is wet anyway" GreenValley KILL r2.1/GreenValley/ask:5 v3`}},
		{"P1", "predictions", []string{
			`@v3#P1.predictions.H1 stands "green" BlueLake ADD r1.1/BlueLake/ask:11 v2`,
			`@v3#P1.predictions.H2 in_conflict "yellow" BlueLake EDIT r2.1/BlueLake/ask:5 v3`,
			`@v3#P1.predictions.H2 in_conflict "blue" PurpleMountain EDIT r2.1/PurpleMountain/ask:1 v3`,
			`@v3#P1.predictions.H1 stands "N/A: says nothing" GreenValley KILL r2.1/GreenValley/ask:1 v3`,
			`@v3#P1.predictions.H1 stands "N/A: H1 was killed: rain is wet anyway" GreenValley KILL r2.1/GreenValley/ask:5 v3`,
		}},
		{"P1", "H2", []string{
			`@v3#P1.predictions.H2 in_conflict "yellow" BlueLake EDIT r2.1/BlueLake/ask:5 v3`,
			`@v3#P1.predictions.H2 in_conflict "blue" PurpleMountain EDIT r2.1/PurpleMountain/ask:1 v3`,
		}},
		{"A1", "load", []string{
			`@v3#A1.load in_conflict "half" BlueLake EDIT r2.1/BlueLake/ask:9 v3`,
			`@v3#A1.load in_conflict "none" PurpleMountain EDIT r2.1/PurpleMountain/ask:9 v3`,
		}},
		{"A1", "status", []string{`@v3#A1.status stands "unchecked" BlueLake ADD r1.1/BlueLake/ask:15 v2`}},
		{"C1", "attack", []string{`@v3#C1.attack stands "repaired now" GreenValley ADD r1.1/GreenValley/repair:3 v2`}},
		{"RT", "statement", []string{`@v3#RT.statement stands "How does a cell of an early embryo know what to become?" operator EDIT brief:0 v1`}},
	} {
		got, err := o.Blame(t.Context(), c.item, c.field)
		if err != nil {
			t.Error(err)
		}
		compare(t, c.item+"."+c.field, got, c.want...)
	}
	for _, c := range [][2]string{{"H9", ""}, {"H2", "killed"}, {"H2", "clai"}, {"P1", "predictions.H9"}, {"", ""}} {
		if _, err := o.Blame(t.Context(), c[0], c[1]); fault.CodeOf(err) != audit.NotFound {
			t.Errorf("%s: %v", c, err)
		}
	}
	if err := o.Select(2); err != nil {
		t.Fatal(err)
	}
	got, err := o.Blame(t.Context(), "H1", "claim")
	if err != nil {
		t.Error(err)
	}
	compare(t, "version 2", got, `@v2#H1.claim stands "the first claim" BlueLake ADD r1.1/BlueLake/ask:3 v2`)
	if err := o.Select(9); fault.CodeOf(err) != session.NoVersion {
		t.Error(err)
	}
}

// The origin of a person's change has no call, but its place in the submitted text.
func TestBlameOfPersonsChange(t *testing.T) {
	st, _, _ := playCrowded(t, 1)
	reply := "I think:\n\n```delta\n{\"operation\":\"EDIT\",\"section\":\"hypothesis_slate\",\"target_id\":\"H1\",\"payload\":{\"anchors\":[],\"anchors_replace\":true,\"claim\":\"mine\"}}\n```\n"
	if _, out, err := editor(st).Apply(t.Context(), thread, []byte(reply)); err != nil || !out.Changed {
		t.Fatal(err, out.Report)
	}
	if _, _, err := editor(st).Apply(t.Context(), thread, edit(t, "H2.claim", "by hand")); err != nil {
		t.Fatal(err)
	}
	h := load(t, st)
	o, err := audit.OriginsOf(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"claim": `@v4#H1.claim stands "mine" operator EDIT person:3 v3`, "anchors": `@v4#H1.anchors stands "[]" operator EDIT person:3 v3`,
	} {
		got, err := o.Blame(t.Context(), "H1", field)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, field, got, want)
		if got[0].Deltas != h.State.Commits[2].Deltas || got[0].Reply != "" || got[0].Block != 1 {
			t.Errorf("%+v", got[0])
		}
	}
	got, err := o.Find(t.Context(), "the first claim")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "what a person replaced", got, `@v2#H1.claim replaced "the first claim" BlueLake ADD r1.1/BlueLake/ask:3 v2`)
	if got[0].ByAgent != "operator" {
		t.Errorf("replaced by %q", got[0].ByAgent)
	}
}

func TestFind(t *testing.T) {
	_, o, _ := playCrowded(t, 2)
	for text, want := range map[string][]string{
		"the FIRST\n claim": {
			`@v3#H1.claim stands "the first claim, sharper" BlueLake EDIT r2.1/BlueLake/ask:1 v3`,
			`@v2#H1.claim replaced "the first claim" BlueLake ADD r1.1/BlueLake/ask:3 v2`,
		},
		"rain is wet": {
			`@v3#H1.killed stands "rain is wet anyway" GreenValley KILL r2.1/GreenValley/ask:5 v3`,
			`@v3#A1.statement stands "rain is wet" BlueLake ADD r1.1/BlueLake/ask:15 v2`,
		},
		"yellow": {`@v3#P1.predictions.H2 in_conflict "yellow" BlueLake EDIT r2.1/BlueLake/ask:5 v3`},
		"red as": {`@v2#P1.predictions.H2 replaced "red as one" BlueLake ADD r1.1/BlueLake/ask:11 v2`},
		// A delta that its author may not write leaves no stamp in the artifact.
		"beyond my scope": {`@v3#H2.claim not_taken "beyond my scope" PurpleMountain EDIT r2.1/PurpleMountain/ask:5 v3 WRITE_SCOPE`},
		"why two":         {`@v2#H2.rationale said "why two" BlueLake ADD r1.1/BlueLake/ask:7 v2`},
		"every test is a question": {
			` said "every test is a question." PurpleMountain  r1.1/PurpleMountain/ask:1 v0`,
		},
		"repaired later":           {`@v2.attack not_taken "repaired later" GreenValley ADD r1.1/GreenValley/ask:1 v2`},
		"how does a cell of an ea": {`@v3#RT.statement stands "How does a cell of an early embryo know what to become?" operator EDIT brief:0 v1`},
		"not in the session":       nil,
	} {
		got, err := o.Find(t.Context(), text)
		if err != nil {
			t.Error(err)
		}
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		compare(t, text, got, want...)
	}
	if _, err := o.Find(t.Context(), " \n"); fault.CodeOf(err) != session.NothingSaid {
		t.Error(err)
	}
}

func TestFromCall(t *testing.T) {
	_, o, h := playCrowded(t, 2)
	var all []string
	for _, c := range h.State.Calls() {
		got, err := o.FromCall(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		reading, err := h.Reading(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var what []string
		for i := range got {
			what = append(what, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", got[i].Line, got[i].Address.Item, got[i].Outcome, got[i].Code)))
		}
		all = append(all, fmt.Sprintf("%s (%d): %s", strings.TrimPrefix(c.ID, thread+"/"), len(reading.Blocks), strings.Join(what, ", ")))
	}
	want := []string{
		"r1.1/BlueLake/ask (4): 3 H1 applied, 7 H2 applied, 11 P1 applied, 15 A1 applied",
		"r1.1/PurpleMountain/ask (0): ",
		"r1.1/GreenValley/ask (1): 1  replaced",
		"r1.1/GreenValley/repair (1): 3 C1 applied",
		"r2.1/BlueLake/ask (3): 1 H1 applied, 5 P1.H2 conflicted, 9 A1 conflicted",
		"r2.1/PurpleMountain/ask (3): 1 P1 conflicted, 5 H2 rejected WRITE_SCOPE, 9 A1 conflicted",
		"r2.1/GreenValley/ask (2): 1 P1.H1 applied, 5 H1 applied",
	}
	if !slices.Equal(all, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
}

// Blame and find in fifty rounds with new items each.
func BenchmarkOriginsOfFiftyRounds(b *testing.B) {
	var script strings.Builder
	script.WriteString("schema: brenner.rehearsal/v1\nquestion: q\nagents:\n  - role: hypothesis_generator\n    rounds:\n")
	for round := range 50 {
		script.WriteString("      - reply: |\n")
		for i := range 4 {
			fmt.Fprintf(&script, "          ```delta\n          {\"operation\":\"ADD\",\"section\":\"assumption_ledger\",\"payload\":{\"name\":\"n\",\"statement\":\"statement %d of round %d\"},\"rationale\":\"r\"}\n          ```\n\n", i, round)
		}
	}
	s, err := rehearsal.Parse([]byte(script.String()))
	if err != nil {
		b.Fatal(err)
	}
	st := opentest.New(b)
	br := brief(50)
	br.Agents, br.Roster.Entries = br.Agents[:1], br.Roster.Entries[:1]
	if _, err := runner(st, &actors{script: s}).Start(b.Context(), br); err != nil {
		b.Fatal(err)
	}
	h, err := session.Load(b.Context(), st, thread)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o, err := audit.OriginsOf(b.Context(), h)
		if err != nil {
			b.Fatal(err)
		}
		if found, err := o.Find(b.Context(), "statement 3 of round 7"); err != nil || len(found) != 1 {
			b.Fatal(err, len(found))
		}
		if found, err := o.Find(b.Context(), "statement"); err != nil || len(found) != 200 {
			b.Fatal(err, len(found))
		}
	}
}
