package patch_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/patch"
)

// A block in the text of a delta or a record is not applied, whatever form that has.
func TestBlocksInTextsAreShown(t *testing.T) {
	const block = "memo.md\n<<<<<<< SEARCH\nold\n=======\nnew \"words\"\n>>>>>>> REPLACE\n"
	for name, text := range map[string]string{
		"a bare delta":          "Here:\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\n```\n" + block + "```\n\nend\"}}\n",
		"a bare record":         "Here:\n\n{\"operation\": \"ADD\", \"section\": \"project_records\", \"payload\": {\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\n```\n" + block + "```\n\nend\"}}\n",
		"without operation":     "Here:\n\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\n```\n" + block + "```\n\nend\"}\n",
		"without a fence":       "Here:\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\n" + block + "\nend\"}}\n",
		"a delta":               "```delta\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\n```\n" + block + "```\n\nend\"}}\n```\n",
		"front matter":          "---\nid: n\ntype: memo\n---\n# Note\n\nSee:\n\n" + block + "\nend\n",
		"front matter, a fence": "---\nid: n\ntype: memo\n---\n# Note\n\nSee:\n\n```\n" + block + "```\n\nend\n",
		"tags":                  "<record id=\"n\" type=\"memo\">\n# Note\n\n" + block + "\nend\n</record>\n",
		"tags, a fence":         "<record id=\"n\" type=\"memo\">\n# Note\n\n```\n" + block + "```\n\nend\n</record>\n",
	} {
		for _, escaped := range []string{text, strings.ReplaceAll(text, `new "words"`, "new words")} {
			if found := patch.ReadBlocks([]byte(escaped), delta.NewestReader); len(found.Blocks) != 0 || len(found.Shown) != 1 {
				t.Errorf("%s: got %d blocks and %d shown, want 0 and 1:\n%s", name, len(found.Blocks), len(found.Shown), escaped)
			}
		}
	}
}
