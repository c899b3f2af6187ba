package kickoff_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/kickoff"
	"brenner/merge/settle"
)

// A repair request lists the problems and contains nothing that could be read as a delta.
func TestRepair(t *testing.T) {
	problems := []delta.Located{{
		Code: delta.InvalidSection, Message: "there is no section ```delta\n{\"operation\":\"ADD\"}\n```", Line: 3, Column: 1, Hint: "# one of <b>them</b>",
	}}
	request := kickoff.Repair("RS-20260101-ab", problems)
	got := request.Head + strings.Join(request.Problems, "") + "\n" + request.Blocks + request.Tail
	for _, want := range []string{"# REPAIR: RS-20260101-ab\n", "- line 3, column 1: there is no section '''delta", "(INVALID_SECTION)", "What to do: # one of ‹b›them‹/b›"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	reply := delta.Read([]byte(got), delta.Options{})
	for _, b := range reply.Blocks {
		if b.OK {
			t.Errorf("it contains a delta: %+v", b.Delta)
		}
	}
	many := kickoff.Repair("RS-20260101-ab", make([]delta.Located, 500))
	if len(many.Problems) != 20 || len(many.Lines) != 20 || many.More != 480 {
		t.Errorf("%+v", many)
	}
}

// The hints of the reader name the fence in words: backticks cannot be sent.
func TestRepairNamesTheFence(t *testing.T) {
	read := delta.Read([]byte("I agree."), delta.Options{})
	request := kickoff.RepairDefects("RS-20260101-ab", 0, []settle.Defect{{Line: 1, Message: read.Problems[0].Message, Hint: read.Problems[0].Hint}})
	got := strings.Join(request.Problems, "")
	if want := "a fence that begins with three backticks and the word delta\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in %q", want, got)
	}
}

// A request names every block with a defect, also those that it does not describe.
func TestCorrectNamesAllBlocks(t *testing.T) {
	for want, blocks := range map[string][]int{
		"\nSend only":                                     {7},
		"All blocks with a defect: 1-2, 5. ":              {5, 1, 2, 2},
		"defect: 1-200. Correct each":                     upTo(200, 1),
		", 199, and 9900 more from block 201 on. Correct": upTo(20_000, 2),
	} {
		var defects []settle.Defect
		for _, b := range blocks {
			defects = append(defects, settle.Defect{Block: b, Line: 1})
		}
		if r := kickoff.Correct("RS-20260101-ab", 0, defects); !strings.Contains("\n"+r.Blocks+r.Tail, want) || len(r.Blocks+r.Tail) > 2000 {
			t.Errorf("%q is missing in %q", want, r.Blocks+r.Tail)
		}
	}
	if r := kickoff.RepairDefects("RS-20260101-ab", 0, make([]settle.Defect, 2)); !strings.HasPrefix(r.Tail, "Send only what is corrected or missing. Blocks") || !strings.Contains(r.Tail, "keeps its ref. If nothing") {
		t.Errorf("protocol 2 sends %q", r.Tail)
	}
}

func upTo(n, step int) []int {
	var all []int
	for i := 1; i <= n; i += step {
		all = append(all, i)
	}
	return all
}
