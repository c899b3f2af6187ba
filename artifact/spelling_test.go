package artifact_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
)

func TestSpelled(t *testing.T) {
	for id, spellings := range map[string][]string{
		"H2": {
			"H2", "h2", " H2 ", "H 2", "h-2", "H_2", "H02", "H2.", "H2:", "H2\n", "H2\u00a0", "H2\u200b", "\ufeffH2", "Ｈ２", "H₂", "`H2`", "**H2**",
			"**H2**: Two", "_H2_", "(H2)", "[H2]", "<H2>", "'H2'", `"H2"`, "“H2”", "#H2", "RS-20251230-x#H2", "RS-20251230-x@v0#H2", "H2: Two", "H2 (Two)",
			"H2 — Two", "H2@v3", "hypothesis H2", "Hypothesis 2", "hypothesis: `H2`", strings.Repeat(" ", 200) + "H2", "Н2", "Η2", "H2: " + strings.Repeat("x", 500),
		},
		"P1": {"P1.H2", "p1.h2", "`P1.H2`"},
		"RT": {"rt", "RT"},
		"":   {"", "H2b", "H2'", "H2*", "H2+", "H2-new", "H2.1", "H", "2", "#2", "H0", "T-cell", "new", "HH2", "Two", "C3PO", "H99999999999"},
	} {
		for _, text := range spellings {
			if got, maybe := artifact.Spelled(text); got != id || len(maybe) > 0 {
				t.Errorf("%q is read as %q, perhaps %v, want %q", text, got, maybe, id)
			}
		}
	}
	for text, want := range map[string][]string{
		"H2 revised": {"H2"}, "new H2": {"H2"}, "H2/H3": {"H2", "H3"}, "hypothesis_slate.H2": {"H2"}, "Two (H2)": {"H2"}, "h 2 revised": {"H2"}, "sharper than `H2`": {"H2"},
	} {
		if sure, maybe := artifact.Spelled(text); sure != "" || !slices.Equal(maybe, want) {
			t.Errorf("%q is read as %q, perhaps %v, want perhaps %v", text, sure, maybe, want)
		}
	}
}

func TestFoldName(t *testing.T) {
	for _, name := range []string{"Two  ways", "two ways", "**Two ways**", "“Two ways.”", "two\u00a0ways\u200b"} {
		if got := artifact.FoldName(name); got != "two ways" {
			t.Errorf("%q is folded to %q", name, got)
		}
	}
}
