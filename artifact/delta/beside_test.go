package delta_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Lines of models beside a block, as the fifth reader reads them.
func TestLinesBesideBlocks(t *testing.T) {
	for want, lines := range map[string]struct{ before, behind []string }{
		"KILL H2": {
			before: []string{
				"Here you go:", "I disagree with this, and would rather kill H2:", "Since T1 refutes it, here is the kill:", "Despite RedSky2's objections:", "Based on the above:",
				"You asked for JSON without comments:", "Not an easy decision, but:", "Mijn voorstel:", "Moja propozycja:", "The old wording is obsolete.", "(I kept the anchors.)",
			},
			behind: []string{
				"This is the only delta I send this round.", "The previous version of H1 is no longer valid.", "Please apply this before T2 is in, since T2 depends on it.", "Don't apply any change to H3 yet.",
				"I have not changed anything else.", "If T2 fails, H1 will be in trouble too.",
			},
		},
		"kill h2": {
			before: []string{
				"I am not sure about this one, so treat it as a suggestion only:", "For completeness, my delta from round 1, which was already applied:", "Already applied:", "I have doubts about this one. What do others think?",
				"### As the Hypothesis Generator would say", "Possible next steps (not for this round):", "I would rather keep H2:",
				"## Withheld until T2", "Simulated output of the critic:", "Prompt: \"Kill H2.\"\nExpected answer:", "Ready to send, awaiting your approval:", "Can we drop H2? Not yet.",
				"Ich hatte zuerst überlegt, H2 zu streichen:", "J'avais d'abord pensé supprimer H2 :", "Al principio pensé en eliminar H2:", "我最初想删除 H2:", "最初は H2 を削除しようと考えました:", "Сначала я хотел удалить H2:",
			},
			behind: []string{
				"Please do not apply this before T2 is in.", "Hold this until T2 is in.", "Please treat this as a suggestion only.", "But maybe this is premature.", "Todo: check before applying.", "Pending confirmation from the operator.",
				"This is what I would send if T2 failed.", "I am undecided.", "...or should I? I leave that open.",
				"^^^ do not run", "⚠️ Draft – needs review by BlueLake before it counts.", "Sorry, typo in the target. I will send it again.", "Das wäre aber falsch.", "Mais ce serait une erreur.", "Pero sería un error.", "但那是错误的。",
				"しかしそれは間違いです。", "Но это было бы ошибкой.",
			},
		},
	} {
		for _, line := range lines.before {
			if got := outcomes(line, killOfH2); got != want {
				t.Errorf("before it, %q: got %s, want %s", line, got, want)
			}
		}
		for _, line := range lines.behind {
			if got := outcomes("The reason is in T1.", killOfH2+"\n```\n\n"+line+"\n\n~~~text\n~~~\n\n```text"); got != want {
				t.Errorf("behind it, %q: got %s, want %s", line, got, want)
			}
		}
	}
	if got, want := outcomes("The reason is in T1.", killOfH2+"\n```\n\nSorry, typo in the target. Again:\n\n```delta\n"+strings.ReplaceAll(killOfH2, "H2", "H3")), "kill h2, KILL H3"; got != want {
		t.Errorf("a mistake in the target: got %s, want %s", got, want)
	}
	if got, want := outcomes("For next round:", killOfH2, editOfH1), "kill h2, edit h1"; got != want {
		t.Errorf("a line about another round: got %s, want %s", got, want)
	}
}

// An object around deltas may say that they are not to be applied.
func TestObjectsThatHoldDeltasBack(t *testing.T) {
	for member, want := range map[string]bool{
		`"draft": true`: false, `"dry_run": true`: false, `"final": false`: false, `"submit": false`: false, `"status": "proposed, not final"`: false, `"status": "draft"`: false, `"hypothetical": true`: false,
		`"draft": false`: true, `"final": true`: true, `"status": "complete"`: true, `"confidence": 0.9`: true, `"third_alternative": false`: true, `"notes": "not an easy decision"`: true,
	} {
		for _, form := range []string{"{%, \"deltas\": [#]}", "```json\n{%, \"deltas\": [#]}\n```", "Sure.\n\n```delta\n{\"deltas\": [#], %}\n```"} {
			reply := delta.Read([]byte(strings.NewReplacer("%", member, "#", editOfH1).Replace(form)), delta.Options{Author: "GreenField"})
			if len(reply.Blocks) != 1 || reply.Blocks[0].OK != want {
				t.Errorf("%s in %s: got %+v, want it taken: %t", member, form, reply.Blocks, want)
			}
		}
	}
}

// Changes in words beside a good block have rows, and nothing else has.
func TestChangesInWordsBesideABlock(t *testing.T) {
	for text, want := range map[string]string{
		"But kill H2.": "kill h2", "!kill H2 refuted": "kill h2", "@brenner kill H2": "kill h2", "And one for H2: kill it, T1 refutes it.": "kill h2", "Regarding H2: please delete.": "kill h2",
		"Regarding H2, I would like it removed.": "kill h2", "H2 no longer deserves a place on the slate; remove it.": "kill h2", "H2 out, H1 stays.": "kill h2", "Second, the kill of H2.": "kill h2",
		"The claim of H1 becomes \"cells count divisions\".": "edit h1", "For H1, replace \"age\" with \"count divisions\".": "edit h1", "Second, the edit of H1's claim.": "edit h1", "A1 status: falsified": "edit a1",
		"T1: raise speed score from 1 to 3": "edit t1", "T2 should be marked as passed.": "edit t2", "Drop H4, and T2 should be marked as passed.": "edit t2 kill h4", "Changes:\n\n- **H1**: claim sharpened to \"cells count divisions\"": "edit h1",
		"H5: Mechanical tension (new) — tension sets the boundary.": "add",

		"H2 was killed in round 1.": "", "RedPine wants to kill H2.": "", "H2 survives T1, so it stays.": "", "T2 will kill H2 if it is positive.": "", "BlueLake should edit H1 to be falsifiable.": "", "A1 is still unverified.": "",
		"H1 claim was sharpened in round 2.": "", "If T1 fails, drop H4, and T2 should be marked as passed.": "", "KILL is the right operation here, not EDIT.": "", "Regarding H2: I would not delete it.": "",
	} {
		var rows []string
		for row := range strings.SplitSeq(outcomes(text, fieldAdd), ", ") {
			if row != "ADD" {
				rows = append(rows, row)
			}
		}
		slices.Sort(rows)
		if got := strings.Join(rows, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	comments := "{\n  // Kill H2, since T1 refutes it.\n" + strings.TrimPrefix(strings.TrimSuffix(killOfH2, "}"), "{") + "} // also kill H3\n"
	if got, want := outcomes("The slate is short.", comments), "KILL H2, kill h3"; got != want {
		t.Errorf("comments: got %s, want %s", got, want)
	}
}
