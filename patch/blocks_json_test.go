package patch

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// specPatch is the example of the specification, for another file.
const specPatch = `{
  "protocol_id": "anchor_diff_v2.1",
  "target": {
    "path": "spec@v1",
    "base_checksum_sha256": "4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996"
  },
  "op_groups": [
    {
      "anchor": {
        "text": "alpha\n",
        "match_mode": "exact"
      },
      "targets": [
        {
          "op": "replace_block",
          "match_index": 1,
          "old_block": "beta",
          "new_block": "BETA"
        }
      ]
    }
  ],
  "meta": {
    "notes": "Valfri beskrivning av patchen."
  }
}
`

func inFence(word, text string) string { return "```" + word + "\n" + text + "```\n" }

func TestPatchesInReplies(t *testing.T) {
	quoted := "> " + strings.ReplaceAll(strings.TrimSuffix(inFence("json", specPatch), "\n"), "\n", "\n> ") + "\n"
	for name, c := range map[string]struct {
		reply   string
		applied int
		shown   string // why not
	}{
		"json":                    {reply: "My change:\n\n" + inFence("json", specPatch), applied: 1},
		"patch":                   {reply: inFence("patch", specPatch), applied: 1},
		"anchor_diff":             {reply: inFence("anchor_diff", specPatch), applied: 1},
		"the protocol":            {reply: inFence("anchor_diff_v2.1", specPatch), applied: 1},
		"no word":                 {reply: inFence("", specPatch), applied: 1},
		"tildes":                  {reply: strings.ReplaceAll(inFence("json", specPatch), "```", "~~~"), applied: 1},
		"open at the end":         {reply: "```json\n" + specPatch, applied: 1},
		"in a list":               {reply: "- change:\n\n  " + strings.ReplaceAll(inFence("json", specPatch), "\n", "\n  "), applied: 1},
		"with CRLF":               {reply: strings.ReplaceAll(inFence("json", specPatch), "\n", "\r\n"), applied: 1},
		"broken JSON":             {reply: inFence("json", strings.Replace(specPatch, "],", "]", 1)), applied: 1},
		"a unified diff":          {reply: inFence("patch", "--- a\n+++ b\n"), applied: 1},
		"another protocol":        {reply: inFence("json", strings.Replace(specPatch, "v2.1", "v3.0", 1)), applied: 1},
		"beside a block":          {reply: inFence("json", specPatch) + "spec\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", applied: 2},
		"reasoning":               {reply: "<think>\n" + inFence("json", specPatch) + "</think>\nNothing.\n", shown: "it is in reasoning"},
		"quoted":                  {reply: quoted, shown: inQuote},
		"a longer fence":          {reply: "`" + strings.Replace(inFence("json", specPatch), "\n```", "\n````", 1), shown: "it is in a longer fence, as examples do"},
		"inside another fence":    {reply: "````markdown\n" + inFence("json", specPatch) + "````\n", shown: "it is inside another fence"},
		"an example":              {reply: "For example:\n\n" + inFence("json", specPatch), shown: "the line before it calls it something else than a change: For example"},
		"the word of an example":  {reply: inFence("json example", specPatch), shown: "the words of its fence say that it is an example or not proposed"},
		"taken back":              {reply: inFence("json", specPatch) + "\nOn reflection, ignore the block above.\n", shown: "the line behind it withdraws it: On reflection, ignore the block above."},
		"between tags":            {reply: "<example>\n" + inFence("json", specPatch) + "</example>\n", shown: "it is behind a tag of an example or a quotation"},
		"a comment":               {reply: "<!--\n" + inFence("json", specPatch) + "-->\n", shown: "it is in an HTML comment or in verbatim HTML"},
		"another word":            {reply: inFence("python", specPatch), shown: "its fence has another word than json, patch or anchor_diff"},
		"no fence":                {reply: "I send this: " + specPatch, shown: "it is not in a fence"},
		"indented":                {reply: "Text.\n\n    " + strings.ReplaceAll(specPatch, "\n", "\n    "), shown: "it is indented, as examples are"},
		"the text of a block":     {reply: "notes.md\n<<<<<<< SEARCH\na\n=======\n" + inFence("json", specPatch) + ">>>>>>> REPLACE\n", applied: 1},
		"a delta about the form":  {reply: inFence("json", `{"operation": "ADD", "section": "anomaly_register", "payload": {"name": "protocol_id: anchor_diff_v2.1"}}`+"\n")},
		"a broken delta about it": {reply: inFence("json", `{"operation": "ADD", "section": "anomaly_register", "payload": {"name": "protocol_id: anchor_diff_v2.1"`+"\n")},
		"the text of a record": {
			reply: "```delta\n{\"operation\": \"ADD\", \"section\": \"project_records\", \"payload\": {\"id\": \"n\", \"type\": \"paper_note\", \"content\": \"# How to patch\n\n" + inFence("json", specPatch) +
				"\nThat is all.\"}}\n```\n",
		},
		"other JSON":              {reply: inFence("json", `{"a": 1}`+"\n")},
		"search in a patch fence": {reply: inFence("patch", "spec\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), applied: 1},
	} {
		found := ReadBlocks([]byte(c.reply), delta.NewestReader, "spec", "spec@v1")
		if len(found.Blocks) != c.applied || (c.shown != "") != (len(found.Shown) == 1) {
			t.Errorf("%s: got %d blocks, shown %v, want %d and %q", name, len(found.Blocks), found.Shown, c.applied, c.shown)
			continue
		}
		if c.shown != "" && !strings.HasSuffix(found.Shown[0].Message, ": "+c.shown) {
			t.Errorf("%s: got %q, want %q", name, found.Shown[0].Message, c.shown)
		}
		for _, older := range []delta.Reader{delta.FirstReader, delta.SecondReader} {
			for _, b := range ReadBlocks([]byte(c.reply), older, "spec").Blocks {
				if b.JSON != "" {
					t.Errorf("%s: %s reads a patch", name, older)
				}
			}
		}
	}
}

// TestPatchesInRecordsAreText checks that a patch in the content of a record is never applied, however its fences end.
func TestPatchesInRecordsAreText(t *testing.T) {
	const head = "{\"operation\": \"ADD\", \"section\": \"project_records\", \"payload\": {\"id\": \"n\", \"type\": \"paper_note\", \"content\": \"# How to patch\n\n"
	for _, word := range []string{"delta", "json", "", "patch"} {
		for _, tail := range []string{"\nThat is all.\"}}\n```\n", "\"}}\n```\n", "\nThat is all.\"}}\n"} {
			reply := "My note:\n\n```" + word + "\n" + head + inFence("json", specPatch) + tail
			if found := ReadBlocks([]byte(reply), delta.NewestReader, "spec", "spec@v1"); len(found.Blocks) > 0 {
				t.Errorf("fence %q, tail %q: got %+v, want no patch", word, tail, found.Blocks)
			}
		}
	}
}

func TestConvertPatchesOfReplies(t *testing.T) {
	base := text(t, "alpha\nbeta\ngamma\n")
	block := Block{Line: 9, Search: "gamma\n", Replace: "GAMMA\n"}
	edited := func(pairs ...string) Block {
		return Block{Line: 4, JSON: strings.NewReplacer(pairs...).Replace(specPatch)}
	}
	for name, c := range map[string]struct {
		blocks []Block
		want   string // the result, or else
		codes  string
		says   string
	}{
		"alone":           {blocks: []Block{edited()}, want: "alpha\nBETA\ngamma\n"},
		"with a block":    {blocks: []Block{edited(), block}, want: "alpha\nBETA\nGAMMA\n"},
		"two":             {blocks: []Block{edited(), edited("alpha", "beta", `"beta"`, `"gamma"`, "BETA", "G")}, want: "alpha\nBETA\nG\n"},
		"overlap":         {blocks: []Block{edited(), edited()}, codes: "OVERLAP", says: "lines 4 and 4 of the reply both change line 2"},
		"wrong hash":      {blocks: []Block{edited("4fdb", "0000")}, codes: "BASE_MISMATCH", says: "the hash of the text that was shown is 4fdbc441"},
		"no hash":         {blocks: []Block{edited("4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996", "<64 hex>")}, codes: "BAD_HASH_FORMAT", says: "the hash of the text that was shown is 4fdbc441"},
		"protocol":        {blocks: []Block{edited("v2.1", "v3.0")}, codes: "BAD_PROTOCOL", says: "the anchor_diff_v2.1 patch at line 4 of the reply: protocol_id: the protocol is anchor_diff_v3.0"},
		"no JSON":         {blocks: []Block{edited("],", "]")}, codes: "INVALID_JSON", says: "at line 4 of the reply"},
		"anchor":          {blocks: []Block{edited("alpha", "omega")}, codes: "ANCHOR_NOT_FOUND", says: "operation 1, op_groups[0].anchor.text"},
		"nothing":         {blocks: []Block{edited("BETA", "beta")}, codes: "NO_OPS", says: "it leaves the text as it is"},
		"one of two":      {blocks: []Block{edited("alpha", "omega"), block}, codes: "ANCHOR_NOT_FOUND"},
		"result":          {blocks: []Block{edited(`"meta": {`, `"result_sha256": "`+strings.Repeat("0", 64)+`", "meta": {`)}, codes: "RESULT_MISMATCH", says: "leave result_sha256 out"},
		"the entire text": {blocks: []Block{edited("replace_block", "replace_entire_file", `"new_block"`, `"new_content"`)}, want: "BETA"},
	} {
		p, r := Convert("spec", base, c.blocks)
		if codes(r.Problems) != c.codes || c.says != "" && !strings.Contains(r.Problems[0].Message+" "+r.Problems[0].Hint, c.says) {
			t.Errorf("%s: got %v, want %s %q", name, r.Err(), c.codes, c.says)
			continue
		}
		if c.codes != "" {
			continue
		}
		if out, r := p.Apply(base); !r.OK() || out.Canonical() != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, out.Canonical(), r.Err(), c.want)
		}
	}
}
