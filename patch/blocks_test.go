package patch

import (
	"strings"
	"testing"

	"brenner/artifact/delta"

	"pgregory.net/rapid"
)

const blockReply = "I change two lines.\n\n**notes/memo.md**\n```\n<<<<<<< SEARCH\nbeta\n=======\nBETA\nand more\n>>>>>>> REPLACE\n```\n\n" +
	"<<<<<<< SEARCH\ngamma\n=======\n>>>>>>> REPLACE\n\n`other.txt`:\n\n<<<<<< SEARCH\nx\n=======\n=======\n>>>>>>>> REPLACE\n"

func TestReadBlocks(t *testing.T) {
	found := ReadBlocks([]byte(blockReply), delta.NewestReader)
	blocks, problems := found.Blocks, found.Problems
	want := []Block{
		{Path: "notes/memo.md", Line: 5, Search: "beta\n", Replace: "BETA\nand more\n"},
		{Path: "notes/memo.md", Line: 13, Search: "gamma\n"},
		{Path: "other.txt", Line: 20, Search: "x\n", Replace: "=======\n"},
	}
	if len(problems) > 0 || len(blocks) != 3 {
		t.Fatalf("blocks %v, problems %v", blocks, problems)
	}
	for i := range want {
		if blocks[i] != want[i] {
			t.Errorf("got %+v, want %+v", blocks[i], want[i])
		}
	}
	base := text(t, "alpha\r\nbeta\r\ngamma")
	p, r := Convert("notes/memo.md", base, blocks[:2])
	if !r.OK() {
		t.Fatal(r.Err())
	}
	out, r := p.Apply(base)
	if !r.OK() || string(out.Bytes()) != "alpha\r\nBETA\r\nand more\r\n" {
		t.Errorf("%q %v", out.Bytes(), r.Err())
	}
}

func TestIncompleteBlocks(t *testing.T) {
	for reply, want := range map[string]string{
		"no blocks":                            "no search/replace block",
		"<<<<<<< SEARCH\na\n":                  "ends within",
		"<<<<<<< SEARCH\na\n=======\nb\n":      "ends within",
		"<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n": "without a line",
		"<<<<<<< SEARCH\na\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n":          "another block begins at line 3",
		"<<<<<<< SEARCH\na\n=======\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n": "another block begins at line 4",
	} {
		problems := ReadBlocks([]byte(reply), delta.NewestReader).Problems
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%q: %v, want %q", reply, problems, want)
		}
	}
}

func TestConvertRefusesBlocks(t *testing.T) {
	base := text(t, "alpha\nbeta  two\nbeta\nbeta\ngamma\n")
	block := func(search, replace string) Block { return Block{Line: 1, Search: search, Replace: replace} }
	for _, c := range []struct {
		name   string
		blocks []Block
		codes  string
		want   string
	}{
		{"missing", []Block{block("delta\n", "")}, "ANCHOR_NOT_FOUND", "are not in the text"},
		{"part of a line", []Block{block("alph\n", "")}, "ANCHOR_NOT_FOUND", "line 1 contains it only as a part"},
		{"other spaces", []Block{block("beta two\n", "")}, "ANCHOR_NOT_FOUND", "2 spaces"},
		{"blank", []Block{block("\n", "x\n")}, "EMPTY_ANCHOR", ""},
		{"overlap", []Block{block("alpha\nbeta  two\n", ""), block("beta  two\n", "")}, "OVERLAP", "both change line 2"},
		{"nothing", []Block{block("alpha\n", "alpha\n")}, "NO_OPS", ""},
	} {
		_, r := Convert("", base, c.blocks)
		if codes(r.Problems) != c.codes || !strings.Contains(r.Err().Error(), c.want) {
			t.Errorf("%s: %v", c.name, r.Err())
		}
	}
	p, r := Convert("", base, []Block{block("beta\n", "B\n")})
	if out, _ := p.Apply(base); codes(r.Warnings) != "AMBIGUOUS_ANCHOR" || out.Canonical() != "alpha\nbeta  two\nB\nbeta\ngamma\n" {
		t.Errorf("%v", r)
	}
	empty := text(t, "")
	p, r = Convert("", empty, []Block{block("", "new\n")})
	if out, _ := p.Apply(empty); !r.OK() || out.Canonical() != "new\n" {
		t.Errorf("%v", r)
	}
}

// A block about any lines of a text converts to a patch that changes only these.
func TestConvertChangesOnlyTheQuotedLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Canonical(lineText().Draw(t, "base"))
		base, _ := NewText([]byte(s))
		lines := splitLines(s)
		if len(lines) == 0 {
			return
		}
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
		search := withEnd(strings.Join(lines[from:to], ""))
		if blank(search) {
			return
		}
		p, r := Convert("", base, []Block{{Search: search, Replace: "NEW\n"}})
		if !r.OK() {
			t.Fatalf("%q: %v", search, r.Err())
		}
		out, r := p.Apply(base)
		want := strings.Replace("\n"+s+"\n", "\n"+search, "\nNEW\n", 1)
		if want = strings.TrimSuffix(want, "\n")[1:]; !r.OK() || out.Canonical() != want {
			t.Fatalf("got %q, want %q: %v", out.Canonical(), want, r.Err())
		}
	})
}

// Blocks that are drafts, quotations or examples are not applied, and each is named.
func TestShownBlocks(t *testing.T) {
	block := func(search string) string {
		return "old.md\n<<<<<<< SEARCH\n" + search + "\n=======\nx\n>>>>>>> REPLACE\n"
	}
	shown, own := block("shown"), block("own")
	glued := func(tag string) string { return strings.TrimSuffix(shown, "\n") + tag + "\n" + own }
	indent := func(mark string) string { return mark + strings.ReplaceAll(shown, "\n", "\n"+mark) }
	for name, c := range map[string]struct{ reply, why string }{
		"comment":           {"<!--\n" + shown + "-->\n\n" + own, "comment"},
		"comment in line":   {"Text <!--\n" + shown + "-->\n\n" + own, "comment"},
		"pre":               {"<pre>\n" + shown + "</pre>\n\n" + own, "verbatim"},
		"longer fence":      {"````markdown\n" + shown + "````\n\n" + own, "longer fence"},
		"tildes":            {"~~~~\n" + shown + "~~~~\n\n" + own, "longer fence"},
		"fence in a fence":  {"~~~\n```\n" + shown + "```\n~~~\n\n" + own, "another fence"},
		"equal fences":      {"```markdown\nThus:\n```\n" + shown + "```\n```\n\n" + own, "another fence"},
		"word":              {"```example\n" + shown + "```\n" + own, "example"},
		"rejected":          {"```diff (rejected)\n" + shown + "```\n" + own, "words of its fence"},
		"blockquote":        {"<blockquote>\n" + shown + "</blockquote>\n\n" + own, "quotation"},
		"quote":             {indent("> ") + "\n\n" + own, "block quote"},
		"indented":          {"Thus:\n\n" + indent("    ") + "\n\n" + own, "indented"},
		"reasoning":         {"<think>" + shown + "</think>" + own, "reasoning"},
		"half a block":      {"<think>\nold.md\n<<<<<<< SEARCH\nshown\n=======\n</think>\n\n" + own, "reasoning"},
		"after a closing":   {shown + "</think>\n" + own, "reasoning"},
		"glued closing":     {glued("</think>"), "reasoning"},
		"glued brackets":    {"[THINK]\n" + glued("[/THINK]"), "reasoning"},
		"glued channel":     {"<|channel|>analysis<|message|>" + glued("<|end|><|start|>assistant<|channel|>final<|message|>"), "reasoning"},
		"channel":           {"<|channel|>analysis<|message|>\n" + shown + "<|end|><|start|>assistant<|channel|>final<|message|>\n" + own, "reasoning"},
		"unclosed":          {own + "<think>\n" + shown, "reasoning"},
		"called an example": {"Example of the format:\n\n" + shown + "\nNow mine.\n\n" + own, "calls it something else"},
		"in a fence":        {"Do not apply this:\n\n```\n" + shown + "```\n\nNow mine.\n\n" + own, "calls it something else"},
		"withdrawn":         {shown + "\nI withdraw it.\n\nNow mine.\n\n" + own, "withdraws it"},
	} {
		found := ReadBlocks([]byte(c.reply), delta.NewestReader)
		if len(found.Problems) > 0 || len(found.Blocks) != 1 || found.Blocks[0].Search != "own\n" || found.Blocks[0].Path != "old.md" {
			t.Errorf("%s: %+v", name, found)
		}
		if len(found.Shown) != 1 || !strings.Contains(found.Shown[0].Message, c.why) || found.Shown[0].Code != BlockShown {
			t.Errorf("%s: shown %+v, want %q", name, found.Shown, c.why)
		}
		if first := ReadBlocks([]byte(c.reply), delta.FirstReader); len(first.Shown) > 0 {
			t.Errorf("%s: the first reader shows %+v", name, first.Shown)
		}
	}
	for name, reply := range map[string]string{
		"fence":               "```\n" + own + "```\n",
		"word":                "```diff\n" + own + "```\n",
		"list":                "- I change this:\n\n" + own,
		"after a quotation":   "> quoted\n" + own,
		"fences in the text":  "````\n<<<<<<< SEARCH\n```\n=======\n~~~\n>>>>>>> REPLACE\n````\n",
		"comment in the text": "<<<<<<< SEARCH\n<!--\n=======\n<think>\n>>>>>>> REPLACE\n\n" + own,
		"open fence":          "```\n" + own,
		"names of records":    strings.ReplaceAll(own+"\n"+own+"\n```\n"+own+"```\n\n"+own, "old.md", "wolpert@v1"),
	} {
		if found := ReadBlocks([]byte(reply), delta.NewestReader); len(found.Problems) > 0 || len(found.Shown) > 0 || len(found.Blocks) == 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
	// The example of the kickoff is no attempt.
	example := "    spec@v1\n    <<<<<<< SEARCH\n    " + ExampleSearch + "    =======\n    y\n    >>>>>>> REPLACE\n\n"
	if found := ReadBlocks([]byte(example+own), delta.NewestReader); len(found.Shown) > 0 || len(found.Blocks) != 1 {
		t.Errorf("%+v", found)
	}
}

// What is written in a delta or a record is its text, also if its line breaks are not escaped.
func TestBlocksInRecordsAreShown(t *testing.T) {
	const block = "lewis@v1\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
	const head = `{"operation": "ADD", "section": "project_records", "payload": {"id": "a1", "type": "paper_note", "content": "# B` + "\n\n"
	const tail = `"}, "rationale": "r"}` + "\n"
	for name, text := range map[string]string{
		"record":           "```delta\n" + head + block + tail + "```\n",
		"fence in it":      "```delta\n" + head + "```\n" + block + "```\n" + tail + "```\n",
		"behind its fence": "```delta\n" + head + "```\ncode\n```\n\n" + block + tail + "```\n",
		"JSON fence":       "```json\n" + head + block + tail + "```\n",
		"other JSON":       "```\n{\"id\": \"a1\", \"type\": \"note\", \"content\": \"\n" + block + "\"}\n```\n",
		"bare":             head + block + tail,
		"unreadable":       "```delta\n" + head + block + "\"\" x \"}\n```\n",
		"hypothesis":       "```delta\n" + strings.ReplaceAll(head, "project_records", "hypothesis_slate") + block + tail + "```\n",
	} {
		found := ReadBlocks([]byte(text), delta.NewestReader, "lewis@v1")
		if len(found.Blocks) != 0 || len(found.Shown) != 1 {
			t.Errorf("%s: blocks %v, shown %v, problems %v", name, found.Blocks, found.Shown, found.Problems)
		}
		found = ReadBlocks([]byte(text+"\nAnd my change:\n\n"+block), delta.NewestReader, "lewis@v1")
		if len(found.Blocks) != 1 || found.Blocks[0].Path != "lewis@v1" || len(found.Shown) != 1 {
			t.Errorf("%s, and one behind: blocks %v, shown %v, problems %v", name, found.Blocks, found.Shown, found.Problems)
		}
	}
}
