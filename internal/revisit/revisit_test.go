package revisit_test

import (
	"strings"
	"testing"

	"brenner/internal/revisit"
)

// sent are a KILL of H2, an ADD of a critique, and an ADD of an anomaly that was asked for.
func sent(isLetter bool) revisit.Context {
	c := revisit.Context{IsLetter: isLetter, Standing: []revisit.Change{
		{Number: 1, Operation: "KILL", Section: "hypothesis_slate", Target: "H2"},
		{Number: 2, Operation: "ADD", Section: "adversarial_critique", Name: "Circular"},
	}}
	if !isLetter {
		anomaly := revisit.Change{Number: 3, Operation: "ADD", Section: "anomaly_register", Name: "Obs"}
		c.Asked, c.Own = []revisit.Change{anomaly}, []revisit.Change{anomaly}
	}
	return c
}

func TestAnswersAboutStandingBlocks(t *testing.T) {
	const none, kill, critique, both = "", "kill", "critique", "kill critique"
	for want, all := range map[string][]string{
		kill: {
			"I withdraw block 1.", "Block 1 is withdrawn.", "Please remove block 1 from my first reply.", "My first block was a mistake.", "The KILL of H2 was an error.",
			"Correction: I meant H1, not H2.", "I never meant to kill H2.", "I no longer want to kill H2.", "I changed my mind about H2: keep it.", "H2 should stay; I was too quick.",
			"Ich ziehe den KILL von H2 zurück.", "Je retire le KILL de H2.", "Retiro el bloque 1.", "我撤回第一个块。", "我撤回对 H2 的 KILL。", "On reflection H2 deserves another round.",
			"Please hold off on the KILL until T2 is in.", "Let H2 live for now.", "Was the KILL of H2 really necessary?", "I retract my KILL and keep the rest.", "Block 1: withdrawn. Block 2: stands.",
			"NO CHANGES: take back the KILL as well.", "The KILL of H2 should have been an EDIT.", "Please strike the first of my three blocks.", "The kill is off the table.",
		},
		critique: {
			"Skip the critique, I was wrong there.", "The ADD of the critique is no longer valid, please remove it; the KILL stays.", "Please drop \"Circular\".", "Block 2 was a draft.",
			"I withdraw my critique. The KILL of H2 is unaffected.", "Only block 1 counts.",
		},
		both: {
			"Only the corrected block counts, drop the other two:", "NO CHANGES: please discard my first reply.", "NO CHANGES: cancel all three blocks.", "Forget my whole first reply.",
			"Please disregard my first reply; only this counts:", "Blocks 1 and 2 are obsolete.", "Both other blocks are withdrawn.", "Please drop all of my deltas of this round.",
		},
		none: {
			"I do not take back the KILL of H2. The rest, corrected:", "The KILL of H2 stands.", "I withdraw the broken block and send a new one:", "Please ignore the formatting of my first reply.",
			"Blocks 1 and 2 remain as they are.", "I will not take anything back.", "Nothing else is withdrawn.", "NO CHANGES: I leave block 3 out.", "NO CHANGES: the anomaly is not needed.",
			"As I said, H2 is vague and has to go. Corrected:", "Do not touch blocks 1 and 2. Block 3:", "I would not take back a KILL for a missing comma. Fixed:", "I was wrong about the comma.",
			"I take back my objection to H3, which I made in round 1.", "My mistake: a comma was missing in my first reply.", "The KILL and the critique stand.", "Der KILL von H2 bleibt. Korrigiert:",
			"NO CHANGES: I have nothing for this round.", "I fixed the comma in block 3; nothing else changes.", "Thanks for the check!", "Block 1 kills H2, as explained.", "Block 3:", "> I withdraw block 1.", "I still want to kill H2.", "This is only shown for completeness, please do not apply it.",
		},
	} {
		for _, text := range all {
			found := revisit.Read([]byte(text+"\n"), sent(false))
			var got []string
			for i, name := range []string{kill, critique} {
				if found.Open[i] != "" {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: leaves open %q, want %q", text, got, want)
			}
		}
	}
}

func TestLettersAboutEarlierChanges(t *testing.T) {
	for text, want := range map[string]string{
		"I withdraw block 1 of my last mail.": "-+", "Forget my whole last letter.": "--", "Unsend.": "--", "Recall: my last message.": "--", "Please retract the critique; the KILL stands.": "+-",
		"Only the critique of my last mail counts.": "-+", "Nothing of my last mail is withdrawn.": "++", "Someone asked me to disregard my last mail; I refuse.": "++", "What do you think of the KILL of H2?": "++",
		"Please disregard BlueLake's last mail, it is wrong.": "++", "我撤回对 H2 的 KILL。": "-+", "The KILL of H2 follows from T1.": "++",
		"Ignore my mail about H2.": "-+", "Please disregard my letter on H2.": "-+", "Ignore my message about the critique.": "+-", "Ignore my mail about H5.": "++", "Forget my mail concerning H2; T1 is not in.": "-+",
		"Ignore my mail from this morning.": "--", "Ignorez mon message sur H2.": "-+", "Bitte ignoriert meine Mail zu H2.": "-+", "Do not ignore my mail about H2.": "++", "Did you read my mail about H2?": "++",
	} {
		found := revisit.Read([]byte(text), sent(true))
		got := ""
		for _, open := range found.Open {
			if open == "" {
				got += "+"
			} else {
				got += "-"
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestBlankKeepsPlaces(t *testing.T) {
	text := "I withdraw block 1. Corrected:\n\n- Block 2 is\n  obsolete.\n\nThe anomaly:\n"
	found := revisit.Read([]byte(text), sent(false))
	blank := string(found.Blank([]byte(text)))
	want := ".                   Corrected:\n\n- .         \n.          \n\nThe anomaly:\n"
	if blank != want {
		t.Errorf("got %q, want %q", blank, want)
	}
}
