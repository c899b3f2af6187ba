package sessioncmd

import (
	"strings"
	"testing"

	"brenner/project/tryout"
	"brenner/session/audit"
)

// A block that lost to a later one has no code.
func TestProblemsWithoutACode(t *testing.T) {
	row := &tryout.Row{Model: "m", Role: tryout.Unified, Problems: []tryout.Problem{
		{Kind: tryout.KindIdle, Written: audit.Written{Line: 4, Operation: "EDIT"}, Message: "a later value won"},
		{Kind: tryout.KindRefused, Code: "BAD", Message: "wrong"},
	}}
	got := tryProblems(row)
	for _, want := range []string{"  reply, line 4, EDIT: no effect: a later value won\n", "  reply: refused: BAD: wrong\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}
