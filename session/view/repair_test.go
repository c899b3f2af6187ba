package view_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/session/view"
)

func repairInput(bound int, answer string, lines ...int) *view.RepairInput {
	in := &view.RepairInput{
		Role: "critic", Bound: bound, Call: 5000, Count: func(s string) int { return len(s) }, Opening: "the kickoff", Answer: answer,
		Head: "# REPAIR\n", Tail: "Send the blocks.\n", Lines: lines,
	}
	for _, line := range lines {
		in.Problems = append(in.Problems, fmt.Sprintf("- line %d: bad delta\n", line))
	}
	return in
}

func TestRepairShowsLinesAroundProblems(t *testing.T) {
	var long strings.Builder
	for i := range 200 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	for name, test := range map[string]struct {
		in           *view.RepairInput
		has, hasNot  []string
		problemsSeen int
	}{
		"all of it":     {repairInput(4000, long.String(), 100), []string{"line 1\n", "line 200\n"}, []string{"left out"}, 1},
		"around it":     {repairInput(400, long.String(), 100), []string{"line 100\n", "(89 lines of your answer are left out)", "line 110\n"}, []string{"line 1\n", "line 112\n"}, 1},
		"both places":   {repairInput(700, long.String(), 50, 150), []string{"line 50\n", "(79 lines of your answer are left out)", "line 150\n"}, nil, 2},
		"the first one": {repairInput(500, long.String(), 50, 150), []string{"line 50\n"}, []string{"line 150\n"}, 2},
		"nothing":       {repairInput(150, long.String(), 100), []string{"(your answer, of 1692 characters, is left out: it does not fit)"}, nil, 1},
		"a long line":   {repairInput(300, strings.Repeat("x", 9000), 1), []string{"is left out"}, nil, 1},
		"no such line":  {repairInput(300, long.String(), 0, 999), []string{"is left out"}, nil, 2},
	} {
		got, err := view.Repair(test.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, text := range test.has {
			if !strings.Contains(got.Answer, text) {
				t.Errorf("%s: %q is not in\n%s", name, text, got.Answer)
			}
		}
		for _, text := range test.hasNot {
			if strings.Contains(got.Answer, text) {
				t.Errorf("%s: %q is in\n%s", name, text, got.Answer)
			}
		}
		if n := strings.Count(got.Request, "bad delta"); n != test.problemsSeen {
			t.Errorf("%s: %d problems\n%s", name, n, got.Request)
		}
	}
	if _, err := view.Repair(repairInput(50, "x", 1)); err != nil {
		t.Errorf("the role's bound does not prevent a repair, but: %v", err)
	}
	whole := repairInput(4000, "x", 1)
	whole.Call = 40
	if _, err := view.Repair(whole); fault.CodeOf(err) != view.TooLarge {
		t.Error(err)
	}
}

// A second turn keeps to its own bound and the call's, and always has the number of problems.
func TestRepairLaws(t *testing.T) { rapid.Check(t, repairLaws) }

func FuzzRepairLaws(f *testing.F) { f.Fuzz(rapid.MakeFuzz(repairLaws)) }

func repairLaws(t *rapid.T) {
	line := rapid.StringN(0, 30, 60)
	in := repairInput(rapid.IntRange(-1, 900).Draw(t, "bound"), strings.Join(rapid.SliceOfN(line, 0, 80).Draw(t, "answer"), "\n"),
		rapid.SliceOfN(rapid.IntRange(-1, 90), 1, 8).Draw(t, "lines")...)
	in.Call, in.More = rapid.IntRange(-1, 1500).Draw(t, "call"), rapid.IntRange(0, 2).Draw(t, "more")
	if rapid.Bool().Draw(t, "words") {
		in.Count = func(text string) int { return len(strings.Fields(text)) }
	}
	got, err := view.Repair(in)
	if err != nil {
		if fault.CodeOf(err) != view.TooLarge {
			t.Fatal(err)
		}
		return
	}
	bound, call := in.Bound, in.Call
	if bound <= 0 {
		bound = view.DefaultMaxTokens
	}
	if call <= 0 {
		call = view.DefaultCallTokens
	}
	bound = max(bound, view.RepairRoom(in.Head, in.Tail, in.Count))
	tokens := in.Count(got.Answer) + in.Count(got.Request)
	if got.Tokens != tokens || tokens > bound || tokens+in.Count(in.Opening) > call {
		t.Fatalf("%d tokens, bounds %d and %d", tokens, bound, call)
	}
	shown := strings.Count(got.Request, "bad delta")
	if more := len(in.Problems) - shown + in.More; shown < 1 || more > 0 != strings.Contains(got.Request, fmt.Sprintf("… and %d more\n", more)) {
		t.Fatal(got.Request)
	}
	if again, err := view.Repair(in); err != nil || again != got {
		t.Fatal("not deterministic")
	}
}

func TestNudge(t *testing.T) {
	in := &view.NudgeInput{
		Role: "critic", Count: func(s string) int { return len(strings.Fields(s)) }, Subject: "KICKOFF: [RS-1] q\n# Obey", Question: "How do cells\n\n# decide?",
		Saw: []string{"H1", "H2", "T1"},
	}
	got, err := view.Nudge(in)
	want := "You have acknowledged the message \"KICKOFF: [RS-1] q ⏎ # Obey\" and not answered it yet. Please reply to that message; what you have is better than nothing.\n" +
		"\nIt is about: How do cells ⏎  ⏎ # decide?\n\nYou were shown H1, H2, T1.\n"
	if err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	in.Bound = 3
	if _, err := view.Nudge(in); fault.CodeOf(err) != view.TooLarge {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := *in
		in.Bound, in.Question = rapid.IntRange(-1, 500).Draw(t, "bound"), rapid.String().Draw(t, "question")
		in.Saw = rapid.SliceOfN(rapid.String(), 0, 400).Draw(t, "saw")
		bound := view.DefaultNudgeTokens
		if in.Bound > 0 {
			bound = min(bound, in.Bound)
		}
		text, err := view.Nudge(&in)
		if err == nil && in.Count(text) > bound {
			t.Fatalf("%d tokens of %d", in.Count(text), bound)
		}
		if err == nil && strings.Count(text, "\n") > 5 {
			t.Fatal(text)
		}
	})
}

// A second turn fits the room that is kept for it, however many and long its problems are.
func TestRepairFitsItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := repairInput(1, strings.Repeat("words ", rapid.IntRange(0, 5000).Draw(t, "answer")), rapid.SliceOfN(rapid.IntRange(1, 90), 1, 8).Draw(t, "lines")...)
		in.Count = func(s string) int { return (len(s) + 3) / 4 }
		in.Blocks, in.More = strings.Repeat("1, ", rapid.IntRange(0, 400).Draw(t, "blocks")), rapid.IntRange(0, 9999).Draw(t, "more")
		in.Problems[0] += strings.Repeat(rapid.SampledFrom([]string{"x", "ä", "细胞 ", "a word\n"}).Draw(t, "what"), rapid.IntRange(0, 3000).Draw(t, "long"))
		room := view.RepairRoom(in.Head, in.Tail, in.Count)
		in.Call = in.Count(in.Opening) + room
		got, err := view.Repair(in)
		if err != nil || got.Tokens > room || !strings.HasPrefix(got.Request, in.Head+"- line ") || !strings.HasSuffix(got.Request, in.Tail) {
			t.Fatalf("%v: %d of %d tokens:\n%s", err, got.Tokens, room, got.Request)
		}
	})
}
