package kickoff_test

import (
	"strings"
	"testing"

	"brenner/kickoff"
	"brenner/merge/settle"
	"brenner/patch"
)

// A request asks for changes of texts in their own form, and for deltas only if one is to be corrected.
func TestCorrectTexts(t *testing.T) {
	refused := settle.Defect{Line: 3, Section: settle.TextPatch, Target: "memo@v1", Code: "ANCHOR_NOT_FOUND", Message: "no", Hint: "quote it"}
	shown := settle.Defect{Line: 3, Section: settle.TextPatch, Code: patch.BlockShown, Final: true, Message: "the " + patch.Protocol + " patch at line 3 is not applied", Hint: "send it again"}
	block := settle.Defect{Line: 3, Section: settle.TextPatch, Code: patch.BlockShown, Final: true, Message: "the block at line 3 is not applied", Hint: "send it again"}
	broken := settle.Defect{Block: 1, Line: 9, Code: "INVALID_JSON", Message: "no", Hint: "close it"}
	for name, c := range map[string]struct {
		defects            []settle.Defect
		delta, json, again bool
	}{
		"a delta":             {[]settle.Defect{broken}, true, false, false},
		"a change of a text":  {[]settle.Defect{refused}, false, true, true},
		"a patch shown":       {[]settle.Defect{shown}, false, true, false},
		"a block shown":       {[]settle.Defect{block}, true, false, false},
		"a delta and a patch": {[]settle.Defect{broken, refused, shown}, true, true, true},
		"nothing":             {nil, true, false, false},
	} {
		for _, r := range []kickoff.Request{kickoff.Correct("RS-1", 0, c.defects), kickoff.CorrectTask("RS-1", 0, c.defects)} {
			has := func(words string) bool { return strings.Contains(r.Tail, words) }
			if has("the word delta") != c.delta || has("the word json") != c.json || has("send all changes of it again") != c.again {
				t.Errorf("%s: %s", name, r.Tail)
			}
		}
	}
}
