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
	got := request.Head + strings.Join(request.Problems, "") + request.Tail
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
