package patch

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	got := Unified("a/f", "b/f", "1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
	want := `--- a/f
+++ b/f
@@ -2,8 +2,8 @@
 2
 3
 4
-5
+five
 6
 7
 8
-9
\ No newline at end of file
+9
`
	if got != want {
		t.Errorf("%s", got)
	}
	if Unified("a", "b", "x", "x") != "" {
		t.Error("equal texts have a diff")
	}
}

// Applying a unified diff line by line yields the other text.
func TestUnifiedDiffApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Canonical(lineText().Draw(t, "a")), Canonical(lineText().Draw(t, "b"))
		if got, err := applyUnified(a, Unified("a", "b", a, b)); err != nil || got != b {
			t.Fatalf("got %q, want %q: %v", got, b, err)
		}
	})
}

func applyUnified(a, diff string) (string, error) {
	var out strings.Builder
	lines, at := splitLines(a), 0
	diffLines := splitLines(diff)
	for i := 2; i < len(diffLines); i++ {
		l := diffLines[i]
		body := l[1:]
		if i+1 < len(diffLines) && diffLines[i+1][0] == '\\' {
			body = strings.TrimSuffix(body, "\n")
		}
		switch l[0] {
		case '@':
			var from, n int
			if _, err := fmt.Sscanf(l, "@@ -%d,%d", &from, &n); err != nil || n > 0 {
				from--
			}
			out.WriteString(strings.Join(lines[at:from], ""))
			at = from
		case ' ', '-':
			if lines[at] != body {
				return "", fmt.Errorf("line %d is %q, want %q", at+1, lines[at], body)
			}
			at++
			if l[0] == ' ' {
				out.WriteString(body)
			}
		case '+':
			out.WriteString(body)
		}
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String(), nil
}
