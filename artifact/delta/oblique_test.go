package delta_test

import (
	"os"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// The sentences of oblique.txt beside a good block: those with - say that it is not meant as a change, and it is asked
// for; beside those with + it is taken, and they have no row.
func TestObliqueRemarks(t *testing.T) {
	data, err := os.ReadFile("testdata/models/oblique.txt")
	if err != nil {
		t.Fatal(err)
	}
	const block = "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H2\", \"payload\": {\"reason\": \"It predicts nothing.\"}}\n```\n"
	for line := range strings.Lines(string(data)) {
		head, sentence, _ := strings.Cut(strings.TrimSpace(line), " | ")
		meant, place, _ := strings.Cut(head, " ")
		text := "The slate was read again.\n\n" + sentence + "\n\n" + block
		if place == "behind" {
			text = "The slate was read again.\n\n" + block + "\n" + sentence + "\n"
		}
		r := judge(reply{text: text}, delta.NewestReader)
		isTaken := len(r.read.Blocks) > 0 && r.read.Blocks[0].OK
		if isTaken != (meant == "+") || isTaken && len(r.read.Blocks) > 1 || !isTaken && len(r.defects) == 0 {
			t.Errorf("%s\n%s", line, r.rows())
		}
	}
}

// A line that leads to a block sets that one aside, also if it speaks against the block above.
func TestLeadIsAboutTheBlockBelow(t *testing.T) {
	const block = "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H2\", \"payload\": {\"reason\": \"It predicts nothing.\"}}\n```\n"
	text := "It could have been done sooner.\n\n" + strings.Replace(block, "H2", "H1", 1) + "\nIt would be premature to apply this:\n\n" + block
	r := judge(reply{text: text}, delta.NewestReader)
	if len(r.read.Blocks) != 2 || r.read.Blocks[1].OK || len(r.defects) == 0 {
		t.Errorf("the second block is taken:\n%s", r.rows())
	}
}
