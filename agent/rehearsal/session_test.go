package rehearsal_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/config"
	"brenner/merge"
	"brenner/roster"
)

// stage plays a script like a session, without a session's machinery.
type stage struct {
	t        *testing.T
	rules    merge.Rules
	agents   []agent.Agent
	artifact artifact.Artifact
	instant  time.Time
	repaired int
}

// newStage makes version 1 from the brief and names a preset's agents.
func newStage(t *testing.T, s *rehearsal.Script, presetID string, names ...string) *stage {
	t.Helper()
	preset, err := roster.FindPreset(roster.BuiltIn(), presetID)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		names = preset.PlaceholderNames
	}
	begin := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	st := &stage{t: t, rules: merge.Rules{Scopes: merge.DefaultScopes(), Authorities: []string{"operator"}}, instant: begin}
	for i, e := range preset.Entries {
		a, err := s.Agent(agent.Setup{Entry: roster.Entry{Agent: names[i], Role: e.Role, Program: e.Program, Model: e.Model}})
		if err != nil {
			t.Fatal(err)
		}
		st.agents = append(st.agents, agent.Once(agent.Guard(a)))
		st.rules.Agents = append(st.rules.Agents, roster.Entry{Agent: names[i], Role: e.Role, Program: e.Program, Model: e.Model})
	}
	st.artifact.Metadata = artifact.Metadata{
		SessionID: "RS-20261115-cell-fate", CreatedAt: artifact.FormatInstant(begin), Status: "active",
	}
	example := configured(t)
	brief := fmt.Sprintf(`[{"delta_id": "d-brief", "timestamp": %q, "agent": "operator", "operation": "EDIT", "target_id": "RT",
		"section": "research_thread", "payload": {"statement": %q, "context": %q}, "rationale": "the brief"}]`,
		artifact.FormatInstant(begin), example.Question, example.Context)
	deltas, err := delta.ReadFile([]byte(brief))
	if err != nil {
		t.Fatal(err)
	}
	st.merge(deltas)
	return st
}

// configured returns the configuration of a fresh clone.
func configured(t *testing.T) *config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Dir: "../.."})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (st *stage) merge(batch []delta.Delta) merge.Report {
	var report merge.Report
	st.artifact, report = merge.Merge(st.artifact, batch, st.rules)
	return report
}

// round asks every agent, with a repair turn for replies that cannot be read.
func (st *stage) round(n int) merge.Report {
	st.t.Helper()
	st.instant = st.instant.Add(time.Hour)
	var batch []delta.Delta
	for i, a := range st.agents {
		who := st.rules.Agents[i]
		c := agent.Call{
			ID: fmt.Sprintf("r%d/%s/ask", n, who.Agent), Agent: who.Agent, Round: n,
			Turns: []agent.Turn{{Text: "KICKOFF"}},
		}
		read, text := st.ask(a, c, delta.Options{})
		batch = append(batch, read.Stamped(st.envelope(who.Agent, c.ID, 2*i+1))...)
		if slices.ContainsFunc(read.Blocks, func(b delta.Block) bool { return len(b.Problems) > 0 }) {
			st.repaired++
			c.ID += "/repair"
			c.Turns = append(c.Turns, agent.Turn{Own: true, Text: text}, agent.Turn{Text: "please repair it"})
			read, _ = st.ask(a, c, delta.Options{Repair: true})
			batch = append(batch, read.Stamped(st.envelope(who.Agent, c.ID, 2*i+2))...)
		}
	}
	return st.merge(batch)
}

func (st *stage) envelope(agent, id string, message int) delta.Envelope {
	return delta.Envelope{Agent: agent, At: st.instant, MessageID: id, Message: message, Shown: st.artifact.Metadata.Version}
}

func (st *stage) ask(a agent.Agent, c agent.Call, opt delta.Options) (delta.Reply, string) {
	st.t.Helper()
	reply, err := a.Ask(st.t.Context(), c)
	if err != nil {
		st.t.Fatal(err)
	}
	read := delta.Read([]byte(reply.Text), opt)
	for _, b := range read.Blocks {
		if b.OK && len(b.Flags) > 0 {
			st.t.Errorf("%s, line %d: the reader had to repair it: %v", c.ID, b.Line, b.Flags)
		}
	}
	return read, reply.Text
}

// refused counts the rejected deltas by code.
func refused(report merge.Report) map[string]int {
	codes := map[string]int{}
	for _, row := range report.Deltas {
		if row.Disposition == merge.Rejected {
			codes[string(row.Code)]++
		}
	}
	return codes
}

func (st *stage) wantRefused(round int, report merge.Report, want map[string]int) {
	st.t.Helper()
	if got := refused(report); !maps.Equal(got, want) {
		st.t.Errorf("round %d: refused %v, want %v", round, got, want)
	}
	for _, row := range report.Deltas {
		if row.Disposition != merge.Applied && row.Disposition != merge.Rejected && row.Disposition != merge.Conflicted {
			st.t.Errorf("round %d: %s %s: %s %s", round, row.Agent, row.TargetID, row.Disposition, row.Message)
		}
	}
}

// withFakeClock runs a test with a fake clock.
func withFakeClock(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		synctest.Test(t, test)
	}
}

// The built-in session shows every feature, whatever the agents are called.
func TestBuiltInSession(t *testing.T) {
	for name, names := range map[string][]string{
		"with the preset's names": nil,
		"with others":             {"Zoe", "Ada", "Mia"},
	} {
		t.Run(name, withFakeClock(func(t *testing.T) {
			st := newStage(t, rehearsal.BuiltIn(), "default-3-agent", names...)
			report := st.round(1)
			st.wantRefused(1, report, map[string]int{"INVALID_JSON": 1})
			st.wantIDs("H1 H2 H3", "P1 P2 P3", "T1 T2", "A1 A2 A3", "", "C1 C2")
			if st.repaired != 1 || len(report.Conflicts) != 0 {
				t.Errorf("%d repairs, conflicts %v", st.repaired, report.Conflicts)
			}

			report = st.round(2)
			st.wantRefused(2, report, map[string]int{"WRITE_SCOPE": 1})
			st.wantIDs("H1 H2 H3 H4", "P1 P2 P3 P4", "T3 T1 T2", "A1 A2 A3 A4 A5", "X1", "C1 C2 C3")
			if len(report.Conflicts) != 1 || report.Conflicts[0].Item != "A1" || report.Conflicts[0].Field != "status" {
				t.Errorf("conflicts %v", report.Conflicts)
			}
			if h1, _, _ := st.artifact.Find("H1"); !h1.Killed() || h1.Kill.Reason == "" {
				t.Error("H1 is not killed, or has no reason")
			}

			report = st.round(3)
			st.wantRefused(3, report, map[string]int{})
			st.wantIDs("H1 H2 H3 H4", "P1 P2 P3 P4", "T3 T4 T1 T2", "A1 A2 A3 A4 A5", "X1", "C1 C2 C3 C4")
			if len(report.Conflicts) != 0 {
				t.Errorf("conflicts %v", report.Conflicts)
			}
			st.wantClean()
			if report = st.round(4); len(report.Deltas) != 0 {
				t.Errorf("deltas in round 4: %v", report.Deltas)
			}
		}))
	}
}

// wantIDs checks the items of the sections after the research thread, in order.
func (st *stage) wantIDs(want ...string) {
	st.t.Helper()
	for i, section := range artifact.Sections()[1:] {
		var ids []string
		for _, it := range st.artifact.Items(section) {
			ids = append(ids, it.ID)
			if len(it.Unresolved()) > 0 {
				st.t.Errorf("%s has unresolved references: %v", it.ID, it.Unresolved())
			}
		}
		if got := strings.Join(ids, " "); got != want[i] {
			st.t.Errorf("%s: %s, want %s", section, got, want[i])
		}
	}
}

// wantClean checks that lint has no findings, and that no agent's label is left.
func (st *stage) wantClean() {
	st.t.Helper()
	text := string(st.artifact.Markdown())
	doc, err := artifact.Read([]byte(text))
	if err != nil {
		st.t.Fatal(err)
	}
	for _, f := range lint.Check(doc).Findings {
		st.t.Errorf("line %d: %s %s: %s", f.Line, f.ID, f.Item, f.Message)
	}
	for _, s := range artifact.Sections() {
		if n := len(st.artifact.Active(s)); n < max(1, s.Spec().Min) {
			st.t.Errorf("%s has %d active items", s, n)
		}
	}
	for _, label := range []string{"h_past", "h_place", "h_group", "h_clock"} {
		if strings.Contains(text, label) {
			st.t.Errorf("label %s was not resolved", label)
		}
	}
	if st.t.Failed() {
		st.t.Log(text)
	}
}

// The smaller preset has no designer, and still shows the repair, the kill, the
// anomaly and the conflict.
func TestBuiltInSession_TwoAgents(t *testing.T) {
	withFakeClock(func(t *testing.T) {
		st := newStage(t, rehearsal.BuiltIn(), "hypothesis-critique")
		st.wantRefused(1, st.round(1), map[string]int{"INVALID_JSON": 1})
		if report := st.round(2); len(report.Conflicts) != 1 || len(refused(report)) != 0 {
			t.Errorf("%v, %v", report.Conflicts, refused(report))
		}
		if report := st.round(3); len(report.Conflicts) != 0 || len(refused(report)) != 0 {
			t.Errorf("%v, %v", report.Conflicts, refused(report))
		}
		st.wantIDs("H1 H2 H3 H4", "P1 P2 P3 P4", "", "A1 A2 A3 A4", "X1", "C1 C2 C3 C4")
	})(t)
}

func TestBuiltInScriptMatchesExample(t *testing.T) {
	c := configured(t)
	if got := rehearsal.BuiltIn().Question(); got != c.Question || c.Via != config.ViaRehearsal {
		t.Errorf("%q, but brenner.yaml asks %q via %s", got, c.Question, c.Via)
	}
}
