package revisit_test

import (
	"strings"
	"testing"

	"brenner/internal/revisit"
)

// A reply with a KILL of H2, an EDIT of H1 and an ADD of an anomaly: what a text behind them leaves open.
func TestRepliesAboutTheirOwnBlocks(t *testing.T) {
	const none, kill, edit, add, first2, last2, ends, all = "", "kill", "edit", "add", "kill edit", "edit add", "kill add", "kill edit add"
	for want, texts := range map[string][]string{
		kill: {
			// by number
			"I withdraw delta 1.", "Scratch #1.", "Delta 1 only applies if T2 is negative.", "Delta 1 is only a suggestion to RedSky.", "Delta 1 comes from RedSky, 2 and 3 are mine.", "Not sure about delta 1; better leave it out for now.",
			"(1) is conditional on T2; treat it as provisional.", "Correction to delta 1: target is H4, not H2.", "In delta 1, replace H2 by H4.", "Delta 1 should wait until T2 has been run.", "If T2 fails, apply the first delta.", "Operator: skip 1.", "I pull delta 1.", "Delta 1 is contingent on T2.", "P.S. Make that H4 in delta 1.",
			"The first is premature. Please apply only the other two.", "Please apply only 2 and 3.", "Apply only the EDIT and the ADD.", "Deltas to apply: 2 and 3", "1: draft; 2: final; 3: final", "1 is RedSky's, 2 and 3 are mine.",
			"- [ ] 1\n- [x] 2\n- [x] 3", "| Delta | Apply? |\n|---|---|\n| 1 | no |\n| 2 | yes |\n| 3 | yes |", "| # | Status |\n|---|---|\n| KILL H2 | withdrawn |\n| EDIT H1 | final |",
			// by what it does
			"KILL H2: withdrawn.", "KILL: parked. EDIT: go.", "The KILL is postponed.", "Only proceed with the KILL once RedSky has answered.", "So, apply the EDIT now and park the KILL.", "Note to self: remove the KILL before sending.", "As for the KILL: not yet.", "Please vote on the KILL before applying it.", "The KILL of H2 does not stand.", "So no KILL.", "I leave the KILL of H2 to RedSky.", "- [ ] KILL H2\n- [x] EDIT H1",
			// by its item
			"Typo above: H2 should read H4.", "I am no longer convinced that H2 must go.", "I have changed my mind about H2.", "Forget what I said about H2.", "H2: keep (KILL withdrawn).", "I kill H2 if T2 fails.", "I leave the decision on H2 to RedSky.",
		},
		edit:   {"I withdraw the change to H1.", "The new mechanism for H1 is wrong; do not use it.", "In delta 2, \"2 h\" should be \"4 h\".", "The EDIT of H1 is a draft.", "The second block is RedSky's."},
		add:    {"I withdraw the anomaly.", "Erratum: in the third delta the observation should say 12 h instead of 6 h.", "The last is for discussion only."},
		first2: {"Only the last delta counts.", "Only the ADD is meant."},
		last2:  {"Please apply only the KILL."},
		ends:   {"I withdraw the first one and the third one.", "I withdraw both the KILL and the ADD.", "Deltas 1 and 3 are withdrawn."},
		none: {
			"Delta 1 kills H2, delta 2 sharpens H1.", "The KILL of H2 stands even if T1 fails.", "I do not withdraw the KILL.", "The KILL of H2 does not touch T1.", "Delta 1 removes H2, which T1 has refuted.", "This edit withdraws the claim that divisions are counted.",
			"The anomaly is not explained by H1.", "H2 has no readout and should be withdrawn.", "RedSky asked for the KILL.", "Only H1 remains after E3.", "The KILL applies only to H2.", "If RedSky finds a readout, the KILL can be reverted.", "The KILL might look premature, but three rounds are enough.", "I submit one KILL, one EDIT and one ADD.", "No further changes from me.", "If H1 holds, T1 shows it.", "Should the KILL wait?", "The first is the control, the second the graft.",
			"> I withdraw delta 1.", "```\nI withdraw delta 1.\n```", "In round 1 I withdrew my KILL.", "1: Gradient; 2: Timer", "| Item | Status |\n|---|---|\n| 1 | no |", "H1 and H2 are alternatives.", "No single test is enough; see delta 2.",
		},
		all: {
			"I hereby retract this entire message.", "Sorry, wrong thread. Disregard.", "Let's not change anything this round.", "On balance: no changes from me.", "Nothing here is binding yet.", "This was a rehearsal; the real message follows.",
			"I offer both for a vote.",
		},
	} {
		for _, text := range texts {
			found := revisit.ReadOwn(revisit.Reply{Text: []byte(text + "\n"), Author: "BlueLake", IsStrict: true, Changes: []revisit.Change{
				{Number: 1, Operation: "KILL", Section: "hypothesis_slate", Target: "H2"},
				{Number: 2, Operation: "EDIT", Section: "hypothesis_slate", Target: "H1"},
				{Number: 3, Operation: "ADD", Section: "anomaly_register", Name: "Reversal"},
			}})
			var got []string
			for i, name := range []string{kill, edit, add} {
				if found[i] != "" {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: leaves open %q, want %q", text, got, want)
			}
		}
	}
}

// lineOf returns the line of a change in a text, from 1.
func lineOf(text, operation string) int {
	above, _, _ := strings.Cut(text, `{"operation": "`+operation)
	return strings.Count(above, "\n") + 1
}

// What stands directly beside a block is about that block, without a name.
func TestRepliesBesideTheirOwnBlocks(t *testing.T) {
	const kill, edit = "```delta\n{\"operation\": \"KILL\"}\n```\n", "```delta\n{\"operation\": \"EDIT\"}\n```\n"
	held := func(text string) string {
		changes := []revisit.Change{
			{Number: 1, Line: lineOf(text, "KILL"), Operation: "KILL", Section: "hypothesis_slate", Target: "H2"},
			{Number: 2, Line: lineOf(text, "EDIT"), Operation: "EDIT", Section: "hypothesis_slate", Target: "H1"},
		}
		found := revisit.ReadOwn(revisit.Reply{Text: []byte(text), Author: "BlueLake", IsStrict: true, Changes: changes})
		return strings.TrimSpace(map[bool]string{true: "kill "}[found[0] != ""] + map[bool]string{true: "edit"}[found[1] != ""])
	}
	for line, want := range map[string]string{
		"That seems premature.": "kill", "I'd hold this until T2 has been run.": "kill", "This is a placeholder until T2 is run.": "kill", "This takes effect only if T2 fails.": "kill", "[not submitted]": "", "← draft, ignore": "kill",
		"Posted by RedSky.": "kill", "Author: RedSky": "kill", "End of RedSky's message.": "kill", "Please consider this a draft.": "kill", "To be confirmed by GreenPeak.": "kill", "That was my first idea, but I dropped it.": "kill",
		"Operator: please decide whether this should go in.": "kill", "If GreenPeak objects, drop this.": "kill", "Only the next delta counts.": "kill", "That's what I would do if T2 failed.": "kill",
		"Backup plan if T2 fails:": "edit", "In the event that T2 fails:": "edit", "RedSky's position, as a delta:": "edit", "My round-1 delta was:": "edit", "An ill-formed delta, e.g.:": "edit", "Steelman of RedSky's position:": "edit",
		"*Draft – do not merge*": "edit", "❌": "edit", "Rather than": "edit",
		"This is the whole point.": "", "That leaves H1.": "", "This settles it.": "", "It follows from E3.": "", "Posted by BlueLake.": "", "End of message.": "", "I agree with RedSky's argument, so I also sharpen H1:": "",
		"If H2 is killed, H1 has to explain the timing:": "", "A test that decides if cells count:": "", "My earlier version was refused; corrected:": "", "Next:": "", "The KILL above leaves a gap, which the next delta fills.": "",
		"H4 is vague. I leave that for the next round.": "",
	} {
		if got := held(kill + "\n" + line + "\n\n" + edit); got != want {
			t.Errorf("%q between two blocks: leaves open %q, want %q", line, got, want)
		}
	}
	for text, want := range map[string]string{
		"## If T2 fails\n\n" + kill + "\n## Now\n\n" + edit:                                     "kill",
		"## Delta 1 — RedSky\n\n" + kill + "\n## Delta 2 — BlueLake\n\n" + edit:                 "kill",
		"## What I changed my mind about\n\nH2.\n\n" + kill + "\n## Delta\n\n" + edit:           "kill",
		"## KILL of H2\n\n" + kill + "\n## EDIT of H1\n\n" + edit:                               "",
		"Block 1 is only an example of the format.\n\n" + kill + "\n" + edit:                    "kill",
		"I show two variants; only the second is meant to be applied.\n\n" + kill + "\n" + edit: "kill",
	} {
		if got := held(text); got != want {
			t.Errorf("%q: leaves open %q, want %q", text, got, want)
		}
	}
}

// Of alternatives of one kind, none is taken.
func TestAlternatives(t *testing.T) {
	changes := []revisit.Change{{Number: 1, Operation: "ADD", Section: "hypothesis_slate", Name: "Noise"}, {Number: 2, Index: 1, Operation: "ADD", Section: "hypothesis_slate", Name: "Drift"}, {Number: 3, Index: 2, Operation: "KILL", Section: "hypothesis_slate", Target: "H2"}}
	for text, want := range map[string]bool{
		"I propose one of the following:": true, "These are mutually exclusive; apply at most one.": true, "Pick one.": true, "These two are alternatives.": true, "Whichever the group prefers.": true,
		"H1 and H2 are alternatives.": false, "These are not alternatives.": false, "Both are new.": false,
	} {
		found := revisit.ReadOwn(revisit.Reply{Text: []byte(text + "\n"), Author: "BlueLake", IsStrict: true, Changes: changes})
		if found[0] != "" != want || found[1] != "" != want || found[2] != "" {
			t.Errorf("%q: got %q", text, found)
		}
	}
}
