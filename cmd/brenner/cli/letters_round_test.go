package cli_test

import (
	"os"
	"path/filepath"
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
	contains(t, out, "AMBIGUOUS_DELTA", `a later letter of its author takes it back or leaves it open: "Please disregard my last mail, I was wrong about H1."`, "CORRECTS_ITEM", "contributed, 1 applied, version 3")
	if strings.Contains(out, "session compile") {
		t.Errorf("letters were not read: %s", out)
	}
	show := b.mustRun("session", "show", mailThread)
	if strings.Contains(show, "KILLED") || strings.Contains(show, "It is fog.") || strings.Contains(show, "The old one.") || !strings.Contains(show, "The new one.") || strings.Contains(show, "### T2") {
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

// A letter of an authority is merged as its changes by hand are; those of others and of the operator have rows. What a compilation
// printed, and messages that were not read, are in the status.
func TestStatusKeepsTheAccountOfLetters(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky", "Sydney", "Mallory")
	if err := os.WriteFile(filepath.Join(b.dir, "brenner.yaml"), []byte("authorities: [Sydney]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kill := func(why string) string {
		return delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"` + why + `"}}`)
	}
	who := lateThread(b, "")
	b.letter("BlueLake", "mine", hypothesis("dust"))
	b.letter("RedSky", "a draft", "<think>\n"+hypothesis("ice")+"</think>\n\nI agree.")
	b.letter("RedSky", "thoughts", "I find this hard.")
	b.letter("Mallory", "me, too", kill("A stranger."))
	b.mustRun("mail", "send", "--to", "BlueLake", "--subject", "NOTE", "--thread", mailThread, "Please hurry.\n\n"+kill("The operator."))
	first := b.wantExit(3, append([]string{"session", "compile", mailThread}, who...)...)
	want := []string{
		"KILL hypothesis_slate H1: UNKNOWN_AGENT Mallory is neither in the roster nor an authority",
		"KILL hypothesis_slate H1: OPERATOR_MESSAGE a message of the operator is not read; `brenner session apply` makes changes by hand",
		"draft", "NO_DELTAS",
	}
	contains(t, first, want...)
	contains(t, b.mustRun("session", "status", mailThread), want...)
	asked := b.mustRun("session", "status", mailThread, "--json")
	fits(t, "brenner.session/v1", asked)
	contains(t, asked, `"UNKNOWN_AGENT"`, `"OPERATOR_MESSAGE"`, `"draft"`, `"NO_DELTAS"`)

	b.mustRun("session", "publish", mailThread)
	b.letter("BlueLake", "mine", delta(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"It is soot."}}`))
	b.letter("Sydney", "my view", delta(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"It is rain."}}`))
	contains(t, b.mustRun("session", "status", mailThread), "Sydney    my view   not read yet: brenner session compile reads it", "brenner session compile "+mailThread)
	contains(t, b.mustRun("session", "compile", mailThread), "contributed, 1 applied, version 3\n", "contributed, 1 applied, version 4\n")
	show := b.mustRun("session", "show", mailThread)
	if !strings.Contains(show, "It is rain.") || strings.Contains(show, "CONFLICT") || strings.Contains(show, "[KILLED]") {
		t.Errorf("%.4000s", show)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
}

// The summary of a session names the letters that it did not read.
func TestSummaryNamesUnreadLetters(t *testing.T) {
	b := newMailProject(t, "BlueLake", "RedSky")
	end := b.start(0, "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic",
		"--rounds", "1", "--quorum", "1", "--question", "Why?", "--thread-id", mailThread)
	blue, red := b.agents["BlueLake"], b.agents["RedSky"]
	kickoff, _ := red.next("KICKOFF: ")
	id, _ := blue.next("KICKOFF: ")
	blue.call("send_message", map[string]any{"sender_name": "BlueLake", "to": []string{"RedSky"}, "subject": "INFO: fog", "body_md": "What about fog?", "thread_id": mailThread})
	question, _ := red.next("INFO: fog")
	red.reply(question, hypothesis("fog"))
	red.reply(kickoff, "NO CHANGES: the slate needs nothing from me.")
	blue.reply(id, hypothesis("dust"))
	contains(t, end(), "Re: INFO: fog", "not read yet: brenner session compile reads it", "brenner session compile "+mailThread)
}
