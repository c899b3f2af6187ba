package revisit_test

import (
	"strings"
	"testing"

	"brenner/internal/revisit"
)

// Text without blanks or without characters is read in parts, and nothing of it is lost.
func TestLongSentences(t *testing.T) {
	for _, unit := range []string{"\x80", "界", "<operation>KILL</operation>", "a", "Block 1 is final. "} {
		text := strings.Repeat(unit, 4000/len(unit))
		changes := []revisit.Change{{Number: 1, Operation: "EDIT", Section: "hypothesis_slate", Target: "H1"}}
		if open := revisit.ReadOwn(revisit.Reply{Text: []byte(text + "\n"), IsStrict: true, Changes: changes}); open[0] != "" {
			t.Errorf("%q: leaves the change open: %.80q", unit, open[0])
		}
	}
	text := strings.Repeat("界", 300) + " I withdraw delta 1."
	if open := revisit.ReadOwn(revisit.Reply{Text: []byte(text), IsStrict: true, Changes: []revisit.Change{{Number: 1, Operation: "EDIT"}}}); open[0] == "" {
		t.Error("what follows a long word is lost")
	}
}
