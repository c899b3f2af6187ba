package delta_test

import (
	"os"
	"slices"
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

// The replies of remarks.txt are ordinary (+) or show a block that its author does not mean (-); @ is the block, ¶ ends a
// paragraph. Rules are made for classes of words, so a few are misread; more than these percentages are a defect.
func TestRemarksBesideBlocks(t *testing.T) {
	const mostAsked, mostExecuted = 9, 3 // in a hundred
	blocks := map[string]string{
		"kill": `{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H2", "payload": {"reason": "It predicts nothing."}}`,
		"add":  `{"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "Mechanical tension", "claim": "Somites form where tension exceeds a threshold."}}`,
		"edit": `{"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H2", "payload": {"claim": "Cells count divisions up to twelve."}}`,
	}
	data, err := os.ReadFile("testdata/models/remarks.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, wrong := make(map[string]int), make(map[string]int)
	for line := range strings.Lines(string(data)) {
		head, text, _ := strings.Cut(strings.TrimSpace(line), " | ")
		meant, kind, _ := strings.Cut(head, " ")
		text = strings.ReplaceAll(text, " ¶ ", "\n\n")
		text = strings.Replace("\nThe slate was read again.\n\n"+text+"\n", "\n@\n", "\n```delta\n"+blocks[kind]+"\n```\n", 1)
		read := delta.Read([]byte(text), delta.Options{Author: "BlueLake"})
		isTaken := slices.ContainsFunc(read.Blocks, func(b delta.Block) bool { return b.OK })
		all[meant]++
		if isTaken != (meant == "+") {
			wrong[meant]++
			t.Log(strings.TrimSpace(line))
		}
	}
	if wrong["+"]*100 > all["+"]*mostAsked || wrong["-"]*100 > all["-"]*mostExecuted {
		t.Errorf("asked for: %d of %d ordinary replies, want at most %d %%; executed: %d of %d others, want at most %d %%", wrong["+"], all["+"], mostAsked, wrong["-"], all["-"], mostExecuted)
	}
	t.Logf("asked for: %d of %d ordinary replies; executed: %d of %d others", wrong["+"], all["+"], wrong["-"], all["-"])
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

// In a repair, a block that was asked for is taken after a line that leaves it open, but not if it is an example.
func TestRemarksInRepairs(t *testing.T) {
	const block = "\n\n```delta\n" + `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"T1 failed"},"rationale":"T1"}` + "\n```\n"
	for lead, want := range map[string][2]bool{ // in a reply, in a repair
		"The same block once more, without them:": {false, true},
		"My change:":   {true, true},
		"For example:": {false, false},
	} {
		for i, repair := range []bool{false, true} {
			read := delta.Read([]byte(lead+block), delta.Options{Repair: repair})
			if got := slices.ContainsFunc(read.Blocks, func(b delta.Block) bool { return b.OK }); got != want[i] {
				t.Errorf("%q, repair %v: taken %v", lead, repair, got)
			}
		}
	}
}
