package remark

import (
	"regexp"
	"testing"
)

// The author of a patch takes it back behind it, whatever it calls it.
func TestBehindPatch(t *testing.T) {
	t.Parallel()
	newest := Rules{Oblique: true}
	for _, noun := range []string{"patch", "block", "delta", "edit", "diff", "record", "lesson", "proposal"} {
		for _, line := range []string{
			"I withdraw this N.", "I take this N back.", "Please ignore this N.", "Do not apply this N.", "I retract this N.", "Ignore the N above.", "Never mind the N.", "NO CHANGES: I withdraw this N.",
			"NO CHANGES — please ignore the N above.", "The N above is withdrawn.", "This N should not be applied.", "I won't send this N.", "On reflection, scrap the N.", "I no longer want this N.", "Disregard both Ns.",
			"It sharpens the claim.\n\nIt costs nothing.\n\nI withdraw the N above.", "It sharpens the claim.\n\nThe clock runs twice.\nIt costs nothing.\n\nPlease ignore the N above.", "It is cheap. It is new. It is right.\n\nIt is short.\n\nOne more thing. Never mind the N above.",
		} {
			line = withNoun(line, noun)
			for _, block := range []string{"", kill} {
				if said, ok := newest.Behind([]byte("\n```\n\n"+line+"\n"), []byte(block)); !ok || said.Line == "" {
					t.Errorf("%q does not count", line)
				}
			}
		}
		for _, line := range []string{
			"This N adds a test.", "The N above adds a test.", "It sharpens the claim.\n\nThe N above is short.", "It sharpens the claim.\n\nIt is cheap.\n\nThe N above keeps the numbers.",
			"It is cheap.\n\nIt is new.\n\n```delta\n{}\n```\n\nI withdraw the N above.",
		} {
			line = withNoun(line, noun)
			if said, ok := newest.Behind([]byte("\n```\n\n"+line+"\n"), nil); ok {
				t.Errorf("%q counts as %q", line, said.Line)
			}
		}
	}
}

var nounPlace = regexp.MustCompile(`\bN(s?)\b`)

func withNoun(line, noun string) string {
	return nounPlace.ReplaceAllStringFunc(line, func(place string) string {
		switch {
		case place == "N":
			return noun
		case noun == "patch":
			return noun + "es"
		}
		return noun + "s"
	})
}
