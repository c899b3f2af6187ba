package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Sentences beside an EDIT of T1 that speak of another change in no known form: each has a row, which asks for something if it begins
// with an exclamation mark, and none if it begins with a minus.
const spokenLines = `
! KILL H2 | Delta 2: KILL H2 – no readout.
! KILL H2 | My second delta kills H2 (see below).
! KILL H2 | Take H2 off the slate.
! EDIT T2 | Mark T2 as failed.
! EDIT A1 | Let me also fix A1: the statement should say "holds for 2 h".
! EDIT H1 | Remove the anchor §12 from H1.
! EDIT T2 | - Reorder: T2 before T1.
! ADD | I added an anomaly on reversal.
! ADD | I also registered the reversal as an anomaly.
! ADD | I submit one EDIT and one ADD.
+ EDIT X1 | X1: addressed.
+ EDIT T2 | T2 status: failed
+ EDIT T2 | T2 also needs a potency check: release after 12 h.
+ EDIT H1 | - H1 → mechanism: receptor occupancy
+ EDIT H1 | - mechanism of H1: receptor occupancy
+ EDIT P1 | - P1, column H2: stays
+ EDIT T1 | - T1: likelihood ratio 3
+ EDIT H3 | The same edit applies to H3.
+ EDIT H3 | H3: ditto.
+ KILL H2 | - H2 ✗
+ KILL H2 | - ❌ H2 (no readout)
+ ADD | An anomaly should be added: cells revert after 6 h.
! ADD | New anomaly: cells revert after 6 h.
+ ADD | X9 (Reversal): cells revert after 6 h.
+ ADD | **H9 — Noise filter.** Cells average the gradient over time.
+ ADD | I propose H9: cells average the gradient over time.
+  | I make three changes:
- | H1: the claim is still weak.
- | Mechanism of H1: unclear.
- | T2: see above.
- | If T2 fails, mark H2 as killed.
- | RedSky added an anomaly on reversal.
- | Should we take H2 off the slate?
- | I make one change:
- | - ❌ H2: not supported by T1.
`

func TestSpokenChanges(t *testing.T) {
	const block = "```delta\n{\"operation\": \"EDIT\", \"section\": \"discriminative_tests\", \"target_id\": \"T1\", \"payload\": {\"potency_check\": \"Graft survives 24 h\"}}\n```\n"
	for line := range strings.Lines(strings.TrimSpace(spokenLines)) {
		head, sentence, _ := strings.Cut(strings.TrimSpace(line), "| ")
		meant, what, _ := strings.Cut(strings.TrimSpace(head), " ")
		r := judge(reply{text: "I add a control to T1.\n\n" + block + "\n" + sentence + "\n"}, delta.NewestReader)
		found := false
		for i := range r.read.Blocks {
			b := &r.read.Blocks[i]
			found = found || !b.OK && strings.TrimSpace(b.Delta.Operation+" "+b.Delta.Target) == what && b.Flagged(delta.FlagMentioned) == (meant == "+")
		}
		if found != (meant != "-") || !found && len(r.read.Blocks) != 1 || (len(r.defects) > 0) != (meant == "!") {
			t.Errorf("%s\n%s", line, r.rows())
		}
	}
}
