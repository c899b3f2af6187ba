package brief

import (
	"strings"
	"testing"
)

// FuzzParse checks that each line belongs to one field, keeps its words, and that a heading for
// non-goals at the margin is never text of the goal.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		Example, "a\n\n- Goal: b\n  - c\n> # d\n", "Goal\n---\n", "**Goal\n**", "1. Goal\n2. **Scope**\n", "<!--\n# Goal\n", "```\n# Goal", "Goal: a\n---\n\tb", "# \n#\n: a\n- \n*:*\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff")), "\n")
		out := read(text).out
		if len(out) != len(lines) {
			t.Fatalf("%d lines became %d", len(lines), len(out))
		}
		for i, l := range out {
			if l.field < Rest || l.field >= fieldCount || !strings.Contains(lines[i], l.text) {
				t.Fatalf("line %q became %v %q", lines[i], l.field, l.text)
			}
			if !l.starts && l.text != "" && strings.TrimSpace(l.text) != strings.TrimSpace(lines[i]) {
				t.Fatalf("words were lost: %q became %q", lines[i], l.text)
			}
		}
		with := read("# Goal\n\nA\n\n## Non-goals\n\n" + text).out
		for _, l := range with[:5] {
			if l.field == Goal && strings.Contains(l.text, "Non-goals") {
				t.Fatalf("non-goals in the goal: %q", l.text)
			}
		}
		if b := Parse("# Goal\n\nA\n\n## Non-goals\n\nplants\n\n## Other\n\n" + text); !strings.Contains(b.Text(NonGoals), "plants") || !strings.HasPrefix(b.Text(Goal), "A") {
			t.Fatalf("goal %q, non-goals %q", b.Text(Goal), b.Text(NonGoals))
		}
	})
}
