package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Lines above a KILL of H2 (^) or behind it (v): those with + say nothing against it, those with - leave it open.
const clearedLines = `
+ ^ As requested, a single JSON object in a fence:
+ ^ I agree with RedSky's suggestion, so here is the kill:
+ ^ This is speculative, but testable:
+ ^ Minor:
+ ^ Kindly consider the following delta:
+ ^ Besides that:
+ ^ I do not do this lightly.
+ ^ RedSky and GreenPeak support this.
+ ^ In round 1 I proposed this conditionally; the condition is now met.
+ ^ **Attack:** there is no readout. RedSky was asked for one. **Verdict: KILL.**
- ^ As requested, an example of a delta:
- ^ Optional:
- ^ This is speculative:
- ^ RedSky proposed this:
- ^ **Attack:** there is no readout. **Verdict: EDIT.** This is what RedSky sent:
- ^ Minor draft:
+ v In the next round I plan to add a test for this.
+ v RedSky: please attack this.
+ v With this, RedSky's C2 no longer applies.
+ v Wolpert later retracted this claim (§9).
+ v I quote §14: "the counter model is obsolete".
+ v Can H1 be saved? I think so.
+ v I would withdraw this KILL if someone names a readout.
+ v I would rather wait for T2 before I go further.
+ v Please ignore the numbering above; the order does not matter.
- v In the next round I plan to submit this.
- v I would rather wait for T2 before I send this.
- v Please ignore the block above.
- v Should this be merged? Not yet.
- v I withdraw this (§9).
- v With this, RedSky's C2 no longer applies. But I withdraw it.
`

func TestClearedLines(t *testing.T) {
	const block = "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H2\", \"payload\": {\"reason\": \"no readout\"}}\n```\n"
	for line := range strings.Lines(strings.TrimSpace(clearedLines)) {
		meant, said := line[0] == '+', strings.TrimSpace(line[4:])
		text := "I read the critiques with care.\n\n" + said + "\n\n" + block
		if line[2] == 'v' {
			text = "H2 has no readout.\n\n" + block + "\n" + said + "\n"
		}
		if r := judge(reply{text: text}, delta.NewestReader); r.read.Blocks[0].OK != meant || meant && len(r.defects) > 0 {
			t.Errorf("%s\n%s", line, r.rows())
		}
	}
}

func TestNoChangesInPlainFence(t *testing.T) {
	for text, want := range map[string]bool{"```\nNO CHANGES: the slate stands.\n```\n": true, "Else I would write:\n\n```\nNO CHANGES: the slate stands.\n```\n": false} {
		if read := delta.Read([]byte(text), delta.Options{NoChanges: true}); (read.NoChanges != nil) != want {
			t.Errorf("%q: %+v", text, read)
		}
	}
}
