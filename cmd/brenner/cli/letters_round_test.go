package cli_test

import (
	"strings"
	"testing"
)

// A reply by mail is settled with the letters that its author sent after it: it may be taken back or corrected.
func TestRepliesByMailAreTakenBack(t *testing.T) {
	kill := delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"No."}}`)
	assay := func(procedure string) string {
		return delta(`{"operation":"ADD","section":"discriminative_tests","target_id":"T1","payload":{"name":"Assay","procedure":"` + procedure + `","expected_outcomes":{"H1":"a"}}}`)
	}
	b := newMailProject(t, "BlueLake", "PurpleMountain", "GreenValley")
	end := b.start(0, "--preset", "default-3-agent", "--rounds", "2", "--question", "Why?", "--thread-id", mailThread)
	blue, purple, green := b.agents["BlueLake"], b.agents["PurpleMountain"], b.agents["GreenValley"]
	for a, body := range map[*mcpAgent]string{blue: hypothesis("dust"), purple: "NO CHANGES: nothing yet", green: "NO CHANGES: nothing yet"} {
		id, _ := a.next("KICKOFF: ")
		a.reply(id, body)
	}
	for _, m := range []struct {
		from   *mcpAgent
		bodies []string
	}{
		{green, []string{kill + hypothesis("fog"), "Please disregard my last mail, I was wrong about H1."}},
		{purple, []string{assay("The old one."), assay("The new one.")}},
		{blue, []string{"NO CHANGES: nothing new"}},
	} {
		id, _ := m.from.next("KICKOFF: [round 2]")
		m.from.reply(id, m.bodies[0])
		for _, body := range m.bodies[1:] {
			m.from.write(mailThread, "my last mail", body)
		}
	}
	out := end()
	contains(t, out, "AMBIGUOUS_DELTA", `a later letter of its author takes it back: "Please disregard my last mail, I was wrong about H1"`, "CORRECTS_ITEM", "contributed, 1 applied, version 3")
	if strings.Contains(out, "session compile") {
		t.Errorf("letters were not read: %s", out)
	}
	show := b.mustRun("session", "show", mailThread)
	if strings.Contains(show, "KILLED") || strings.Contains(show, "It is fog.") || strings.Contains(show, "The old one.") || !strings.Contains(show, "The new one.") || strings.Contains(show, "T2") {
		t.Errorf("%.4000s", show)
	}
	contains(t, b.mustRun("session", "status", mailThread), "takes it back", "CORRECTS_ITEM")
	contains(t, b.mustRun("blame", mailThread, "T1"), "PurpleMountain, in message ")
	if out := b.wantExit(2, "session", "compile", mailThread); !strings.Contains(out, "has no unmerged messages") {
		t.Errorf("%.2000s", out)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
	b.mustRun("session", "replay", mailThread, "--without", "GreenValley")
	file := b.dir + "/export.jsonl"
	b.mustRun("session", "export", mailThread, "--out", file)
	b.mustRun("verify", file)
}
