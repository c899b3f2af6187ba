package patch

import (
	"fmt"
	"strings"
)

// Unified gives the difference between two canonical texts as a unified diff with
// three lines around each change; "" where there is none.
func Unified(nameA, nameB, a, b string) string {
	const around = 3
	linesA, linesB := splitLines(a), splitLines(b)
	hunks := compareLines(linesA, linesB)
	if len(hunks) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].a0-hunks[j-1].a1 <= 2*around {
			j++
		}
		lead := min(around, hunks[i].a0)
		trail := min(around, len(linesA)-hunks[j-1].a1)
		a0, b0 := hunks[i].a0-lead, hunks[i].b0-lead
		a1, b1 := hunks[j-1].a1+trail, hunks[j-1].b1+trail
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", extent(a0, a1), extent(b0, b1))
		at := a0
		for _, h := range hunks[i:j] {
			writeLines(&out, ' ', linesA[at:h.a0])
			writeLines(&out, '-', linesA[h.a0:h.a1])
			writeLines(&out, '+', linesB[h.b0:h.b1])
			at = h.a1
		}
		writeLines(&out, ' ', linesA[at:a1])
		i = j
	}
	return out.String()
}

func extent(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(sign)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
