package patch

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// A block in the text of a delta or a record is not applied, whatever form that has.
func TestBlocksInTextsAreShown(t *testing.T) {
	const search = "memo.md\n<<<<<<< SEARCH\nold\n=======\nnew \"words\"\n>>>>>>> REPLACE\n"
	for name, text := range map[string]string{
		"a bare delta":          "Here:\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\n```\nBLOCK```\n\nend\"}}\n",
		"a bare record":         "Here:\n\n{\"operation\": \"ADD\", \"section\": \"project_records\", \"payload\": {\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\n```\nBLOCK```\n\nend\"}}\n",
		"without operation":     "Here:\n\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\n```\nBLOCK```\n\nend\"}\n",
		"without a fence":       "Here:\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\nBLOCK\nend\"}}\n",
		"a delta":               "```delta\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\n```\nBLOCK```\n\nend\"}}\n```\n",
		"front matter":          "---\nid: n\ntype: memo\n---\n# Note\n\nSee:\n\nBLOCK\nend\n",
		"front matter, a fence": "---\nid: n\ntype: memo\n---\n# Note\n\nSee:\n\n```\nBLOCK```\n\nend\n",
		"tags":                  "<record id=\"n\" type=\"memo\">\n# Note\n\nBLOCK\nend\n</record>\n",
		"tags, a fence":         "<record id=\"n\" type=\"memo\">\n# Note\n\n```\nBLOCK```\n\nend\n</record>\n",
	} {
		for _, block := range []string{search, strings.ReplaceAll(search, `"`, ""), specPatch, strings.ReplaceAll(specPatch, `"`, `\"`)} {
			for _, word := range []string{"", "json"} {
				reply := strings.ReplaceAll(strings.ReplaceAll(text, "```\nBLOCK", "```"+word+"\nBLOCK"), "BLOCK", block)
				if found := ReadBlocks([]byte(reply), delta.NewestReader, "spec", "spec@v1"); len(found.Blocks) != 0 {
					t.Errorf("%s: got %d blocks and %d shown, want none:\n%s", name, len(found.Blocks), len(found.Shown), reply)
				}
			}
		}
	}
}
