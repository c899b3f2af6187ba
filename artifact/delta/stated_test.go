package delta_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Sentences beside an EDIT of T1 that say what becomes of another item: each has a row, which asks for something if it begins with
// an exclamation mark, and none if it begins with a minus.
const statedLines = `
! KILL H2 | And H2? Off with its head.
! KILL H2 | Time to say goodbye to the second hypothesis.
! KILL H2 | I'd also put H2 to rest.
+ KILL H2 | My vote on H2 is KILL.
+ KILL H2 | H2 no longer belongs on the slate.
+ KILL H2 | There's no room left for H2.
+ KILL H2 | H2 has run its course.
+ KILL H2 | H2 does not stay.
+ KILL H2 | I consider H2 falsified by T1.
+ KILL H2 | My suggestion would be to retire H2 in exchange.
+ KILL H2 | - H2¶+ H9: Relay
+ KILL H2 | Streichen wir H2 gleich mit.
+ KILL H2 | H2 kann weg.
! EDIT C2 | Close C2 as resolved.
! EDIT A2 | A2 only holds in epithelia, so narrow it accordingly.
! EDIT X2 | X2 is a critique rather than an anomaly; move it.
! EDIT T2 | Score T2 at 8.
! EDIT P2 | Please fill the H2 cell of P2 with "follows donor".
! EDIT A2 | Add to A2: "in epithelia".
! EDIT T2 | For T2, use thymidine in place of aphidicolin.
! EDIT H3 | Do the same to H3.
! EDIT RT | I also propose to rephrase the question itself: "How do cells know?"
+ EDIT A2 | The second assumption ought to be narrowed to epithelia.
+ EDIT H2 | H2 is absorbed by H1.
+ EDIT H2 | H2 would be better named "Tension".
+ EDIT X1 | X1 has been explained.
+ EDIT X1 | By the way, or rather X1 should be demoted.
+ EDIT A2 | I would mark A2 as refuted, unless someone has counter-evidence.
+ EDIT T2 | For T2 I would swap aphidicolin for thymidine.
+ EDIT A2 | A2 is too broad. The statement should read "Division is uniform within an epithelium".
+ EDIT H3 | The name of H3 is confusing. I'd settle on "Neighbours" everywhere.
+ EDIT P2 | P2, cell H2, becomes "follows donor".
+ EDIT A2 | A2 += "in epithelia"
+ EDIT H3 | H3 gets the same treatment.
! ADD | Please log as an anomaly that some cells revert after 6 h.
! ADD | New anomaly to log: some cells revert after 6 h.
+ ADD | A further assumption, which we should write down, is that receptors are not saturated.
+ ADD | The ledger needs an entry on temperature.
+ ADD | This should also go into the assumptions.
+ EDIT T2 | As to T2, aphidicolin should give way to thymidine.
+ EDIT C2 | Consider C2 answered.
+ KILL H2 | With the grafts in hand, H2 may be struck off the list.
+ KILL H2 | It is high time that H2 left the slate.
+ KILL H2 | Kindly see to it that H2 is deleted.
+ KILL H2 | As to H2, I ask that it be removed.
+ EDIT A2 | My second change concerns A2, which I now regard as false.
+ EDIT A2 | A2 deserves the qualifier "in epithelia".
+ EDIT A2 | A2's number is off by ten: it should be 10.
+ EDIT P2 | Under P2, the entry for H2 should be "late by one cycle".
+ EDIT H3 | H3 and H2 say the same, so they should be one entry.
+ ADD | Also worth recording as an anomaly: twins diverge after 8 h.
+ ADD | The anomaly register is missing the reversal seen after 6 h.
+ ADD | Let me also table a new critique: transplantation stresses cells.
+ KILL H2 | Je propose aussi d'abandonner H2.
- | T2 is to be run first. Both should be scored blind.
- | If H2 were right, T2 should show a delay. It would be premature to drop it.
- | H2 may be combined with H1 later.
- | T2 should be read with care, since grafted cells may lose receptors.
- | RedSky wants H2 off the slate.
- | If T1 fails, H2 goes.
- | H2 predicts that fates are fixed and should be tested.
- | T2 should be run at three ages.
- | I would not remove H2.
- | I'd give H2 about 20 %.
- | Should H2 be closed?
- | T2: add the inhibitor at 24 h, remove it at 30 h.
- | We resolve X1 by the new claim of H1.
- | I would note that H2 is still alive.
- | A test of H2 should be possible.
- | Man könnte H2 streichen.
- | The second hypothesis is fine.
`

func TestStatedChanges(t *testing.T) {
	const block = "```delta\n{\"operation\": \"EDIT\", \"section\": \"discriminative_tests\", \"target_id\": \"T1\", \"payload\": {\"potency_check\": \"Graft survives 24 h\"}}\n```\n"
	for line := range strings.Lines(strings.TrimSpace(statedLines)) {
		head, sentence, _ := strings.Cut(strings.TrimSpace(line), "| ")
		meant, what, _ := strings.Cut(strings.TrimSpace(head), " ")
		read := delta.Read([]byte("I add a control to T1.\n\n"+block+"\n"+strings.ReplaceAll(sentence, "¶", "\n")+"\n"), delta.Options{Author: "BlueLake", Base: base()})
		found := slices.IndexFunc(read.Blocks, func(b delta.Block) bool {
			return !b.OK && strings.TrimSpace(b.Delta.Operation+" "+b.Delta.Target) == what
		})
		switch {
		case !slices.ContainsFunc(read.Blocks, func(b delta.Block) bool { return b.OK }):
			t.Errorf("the block is not taken: %s", line)
		case meant == "-" && len(read.Blocks) > 1:
			t.Errorf("a row for %s%+v", line, read.Blocks)
		case meant != "-" && found < 0:
			t.Errorf("no row for %s%+v", line, read.Blocks)
		case meant != "-" && read.Blocks[found].Flagged(delta.FlagMentioned) != (meant == "+"):
			t.Errorf("asked or not: %s", line)
		}
	}
}
