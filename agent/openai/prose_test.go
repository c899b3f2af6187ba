package openai

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Of a structured reply only the deltas of its list are taken. One in the prose is asked for.
func TestDeltaInProse(t *testing.T) {
	const kill = "```delta\\n{\\\"operation\\\": \\\"KILL\\\", \\\"section\\\": \\\"discriminative_tests\\\", \\\"target_id\\\": \\\"T1\\\", \\\"payload\\\": {\\\"reason\\\": \\\"r\\\"}}\\n```"
	for _, prose := range []string{"Edit below. " + kill + " was my first idea.", "My first idea:\\n\\n" + kill, kill, "I edit it.\\n\\n" + kill + "\\n\\nDone."} {
		text := markdown(`{"prose": "`+prose+`", "deltas": [{"operation": "EDIT", "section": "discriminative_tests", "target_id": "T1", "payload": {"procedure": "p"}}]}`, false)
		r := delta.Read([]byte(text), delta.Options{NoChanges: true})
		var fates []string
		for i := range r.Blocks {
			fate := r.Blocks[i].Delta.Operation + " taken"
			if !r.Blocks[i].OK {
				fate = r.Blocks[i].Delta.Operation + " " + string(r.Blocks[i].Problems[0].Code)
			}
			fates = append(fates, fate)
		}
		if got, want := strings.Join(fates, ", "), "EDIT taken, KILL AMBIGUOUS_DELTA"; got != want {
			t.Errorf("%s\ngot %s, want %s", text, got, want)
		}
	}
}
