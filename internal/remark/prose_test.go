package remark

import "testing"

// Sentences of the paragraph before a block of RedSky count, wherever they are in it.
func TestProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"And please do NOT apply the next one; it shows what would go wrong.": true, "You can skip the next block, it's a leftover.": true, "This block is withdrawn:": true,
		"I'm leaving the block below here for the record only. It's no longer my position.": true, "The following is GreenFern's suggestion, not mine. I don't endorse it.": true,
		"This was my delta in round 1, which has been merged already. No need to run it again.": true, "Two options. Should the moderator prefer deletion, use this:": true,
		"Only in the event that H2 is confirmed should this be merged:": true, "To be applied after round 4, not now:": true, "### If T1 fails": true, "A naive agent would answer with": true,
		"Here is a bad delta, as a warning to the other agents: it kills an item without evidence.": true, "Below is the delta that BlueLake is going to send:": true,
		"If T1 fails, H2 falls. This one asks whether T1 can fail at all.": false, "This block replaces the draft claim by a number.": false, "What follows is not new, but it has never been written down.": false,
		"I repeat my delta from the last message, since it was refused:": false, "Don't wait for me; merge this as it stands.": false, "Had the assay been blinded I would trust it. It was not.": false,
		"Below is the delta that RedSky is going to send:": false, "If I am allowed one kill per round, it's this one:": false,
	} {
		if said, ok := (Rules{Author: "RedSky"}.Before([]byte("Some text.\n\n"+text+"\n\n"), nil)); ok != want {
			t.Errorf("%q: %v, %+v", text, ok, said)
		}
	}
}

// Blocks are taken back by their number, or by operation and item, anywhere in a reply.
func TestNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]About{
		"Strike the first block.": {Nth: 1}, "Please discard block 2.": {Nth: 2}, "Of the two blocks below, only the second one counts.": {Nth: 2, But: true}, "Apply block 2 only.": {Nth: 2, But: true},
		"Please treat the first block as void.": {Nth: 1}, "The first block below is what AmberFox sent.": {Nth: 1}, "| block | status |\n|---|---|\n| 1 | withdrawn |\n| 2 | final |": {Nth: 1},
		"Oh, and the second block should not be applied.": {Nth: 2}, "Hold off on that second one until the data is in.": {Nth: 2}, "Ignore the last block.": {Nth: Last}, "Do not kill H2 after all.": {Operation: "KILL", ID: "H2"},
		"The KILL of H2 is withdrawn.": {Operation: "KILL", ID: "H2"}, "I withdraw the addition to H2.": {Operation: "ADD", ID: "H2"}, "Merge only the edit.": {Operation: "EDIT", But: true}, "First my draft, then the final version.": {Nth: 1},
		"The first hypothesis is wrong, the second is an example of a clock.": {}, "Ignore the first division.": {}, "Only the second test can tell. I drop the first.": {}, "The second block depends on the first.": {},
		"> Strike the first block.": {}, "The first block removes what BlueLake added in haste.": {},
	} {
		got := Rules{}.Named([]byte(text))
		if len(got) > 1 || (len(got) == 1) != (want != About{}) || len(got) == 1 && got[0].About != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
