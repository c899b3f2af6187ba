package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// TestPatchesAreNotDeltas checks that nothing in the text of an anchor patch is read as a delta.
func TestPatchesAreNotDeltas(t *testing.T) {
	const add = `{"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "A", "claim": "b", "mechanism": "c"}}`
	patchOf := func(text string) string {
		return "{\"protocol_id\": \"anchor_diff_v2.1\", \"target\": {\"path\": \"spec\", \"base_checksum_sha256\": \"00\"},\n" +
			"\"op_groups\": [{\"anchor\": {\"text\": \"a\"}, \"targets\": [{\"op\": \"replace_block\", \"old_block\": \"x\", \"new_block\": \"" + text + "\"}]}]}\n"
	}
	quoted := strings.ReplaceAll(add, `"`, `\"`)
	for _, text := range []string{"plain", quoted, "KILL H1", "```delta\\n" + quoted + "\\n```"} {
		for _, word := range []string{"json", "patch", "", "anchor_diff", "delta"} {
			reply := "```" + word + "\n" + patchOf(text) + "```\n\n```delta\n" + add + "\n```\n"
			r := delta.Read([]byte(reply), delta.Options{Records: delta.WithRecords})
			accepted, refused := 0, 0
			for i := range r.Blocks {
				if r.Blocks[i].OK {
					accepted++
				} else {
					refused++
				}
			}
			want := 0
			if word == "delta" {
				want = 1 // that is a row
			}
			if accepted != 1 || refused != want {
				t.Errorf("fence %q with %q: %d accepted and %d refused, want 1 and %d", word, text, accepted, refused, want)
			}
		}
		if r := delta.Read([]byte("I change it: "+patchOf(text)), delta.Options{}); len(r.Blocks) > 0 && r.Blocks[0].OK {
			t.Errorf("a delta in the text of a patch in prose: %+v", r.Blocks[0])
		}
	}
}
