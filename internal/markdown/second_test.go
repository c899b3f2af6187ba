package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// shown formats the fences that the second version finds, with their marks and damage.
func shown(src string) string {
	var out []string
	for b := range Blocks([]byte(src), Second) {
		if b.Kind != Fenced {
			continue
		}
		line := fmt.Sprintf("%d %s %q", b.Line, strings.TrimSpace(string(b.Fence.Info)), strings.TrimSpace(src[b.Start:b.End]))
		for _, mark := range []struct {
			is   bool
			name string
		}{{!b.Closed, "open"}, {b.Quoted, "quoted"}, {b.Draft, "draft"}, {b.Doubtful, "doubtful"}, {b.Indented, "indented"}, {b.Shown, "shown"}} {
			if mark.is {
				line += " " + mark.name
			}
		}
		if b.Damage != "" {
			line += " (" + b.Damage + ")"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

const good = "```delta\n{2}\n```\n"

// scan is a text and what is found in it.
type scan struct{ name, src, want string }

func checkScans(t *testing.T, scans []scan) {
	t.Helper()
	for _, c := range scans {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(c.src); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestSecondOpening(t *testing.T) {
	checkScans(t, []scan{
		{"text before", "Here it is: ```delta\n{1}\n```\n" + good, "1 delta \"{1}\" (text before the opening fence)\n4 delta \"{2}\""},
		{"text before, not JSON", "use ```delta\nas the word\n", ""},
		{"text before, blank lines", "So: ```delta\n\n\n{1}\n```\n", `1 delta "{1}" (text before the opening fence)`},
		{"text before json", "So: ```json\n{1}\n```\n", `1 json "{1}" (text before the opening fence)`},
		{"inline", "use ```delta fences\n{1}\n", ""},
		{"emphasis", "**```delta**\n{1}\n**```**\n" + good, "1 delta \"{1}\" (emphasis around the opening fence; emphasis or an invisible character at the closing fence)\n4 delta \"{2}\""},
		{"invisible before", "\u200b```delta\n{1}\n```\n" + good, "1 delta \"{1}\" (an invisible character on the fence line)\n4 delta \"{2}\""},
		{"invisible inside", "```\u2060delta\n{1}\n```\n", `1 delta "{1}" (an invisible character on the fence line)`},
		{"invisible behind", "```delta\u200b\n{1}\n```\n", `1 delta "{1}" (an invisible character on the fence line)`},
		{"no-break space", "```\u00a0delta\n[1]\n```\n", `1 delta "[1]" (an invisible character on the fence line)`},
		{"heading", "### ```delta\n{1}\n```\n", `1 delta "{1}" (text before the opening fence)`},
		{"bullet", "• ```delta\n{1}\n```\n", `1 delta "{1}" (text before the opening fence)`},
		{"in a paragraph, indented", "words\n    ```delta\n    {1}\n    ```\n" + good, "2 delta \"{1}\" (the opening fence is indented too far)\n5 delta \"{2}\""},
		{"indented code", "    ```delta\n    {1}\n    ```\n" + good, "1 delta \"{1}\" indented\n4 delta \"{2}\""},
		{"indented code ends", "    ```delta\n    {1}\n" + good, "1 delta \"{1}\" open indented\n3 delta \"{2}\""},
		{"two marks", "``delta\n{1}\n``\n" + good, "1 delta \"{1}\" (the opening fence has other marks than three backticks or tildes)\n4 delta \"{2}\""},
		{"apostrophes", "'''delta\n{1}\n'''\n" + good, "1 delta \"{1}\" (the opening fence has other marks than three backticks or tildes)\n4 delta \"{2}\""},
		{"apostrophes glued", "'''delta\n{1}'''\n" + good, "1 delta \"{1}\" (the opening fence has other marks than three backticks or tildes; the closing fence is glued to the text)\n3 delta \"{2}\""},
		{"JSON on the line", "```delta {\"operation\":1}\n```\n" + good, "1 delta \"{\\\"operation\\\":1}\" (the JSON begins on the line of the fence)\n3 delta \"{2}\""},
		{"JSON begins on the line", "```delta {\n\"a\":1}\n```\n" + good, "1 delta \"{\\n\\\"a\\\":1}\" (the JSON begins on the line of the fence)\n4 delta \"{2}\""},
		{"all on one line", "```delta {\"a\":1}```\n" + good, "1 delta \"{\\\"a\\\":1}\" (the JSON begins on the line of the fence; the closing fence is glued to the text)\n2 delta \"{2}\""},
		{"attributes", "```delta {#x .y}\n{1}\n```\n", `1 delta {#x .y} "{1}"`},
		{"behind a tag", "<answer>\n```delta\n{1}\n```\n</answer>\n", `2 delta "{1}"`},
		{"a comment behind a tag", "<details>\n<!--\n```delta\n{1}\n```\n-->\n" + good, "7 delta \"{2}\""},
		{"a longer fence behind a tag", "<br>\n````\n```delta\n{1}\n```\n````\n" + good, "2  \"```delta\\n{1}\\n```\"\n7 delta \"{2}\""},
		{"tildes behind a tag", "</details>\n~~~markdown\n```delta\n{1}\n```\n~~~\n" + good, "2 markdown \"```delta\\n{1}\\n```\"\n7 delta \"{2}\""},
		{"pre behind a tag", "<summary>So</summary>\n<pre>\n```delta\n{1}\n```\n</pre>\n" + good, "7 delta \"{2}\""},
		{"text behind a tag", "<response>\n```text\nSo:\n```delta\n{1}\n```\n```\n" + good, "2 text \"So:\" open\n4 delta \"{1}\" doubtful\n8 delta \"{2}\""},
		{"indented behind a tag", "<deltas>\n    ```delta\n    {1}\n    ```\n</deltas>\n" + good, "2 delta \"{1}\" (the opening fence is indented too far)\n6 delta \"{2}\""},
		{"item without indentation", "1. ```delta\n{1}\n```\n" + good, "1 delta \"{1}\" (the block is not indented like its list item)\n4 delta \"{2}\""},
		{"item with its end not indented", "- ```delta\n  {1}\n```\n" + good, "1 delta \"{1}\" (the block is not indented like its list item)\n4 delta \"{2}\""},
		{"quotation without marks", "> ```delta\n{1}\n```\n" + good, "1 delta \"{1}\" quoted (the block is not indented like its list item)\n4 delta \"{2}\""},
		{"quotation", "> ```delta\n> {1}\n> ```\n" + good, "1 delta \"> {1}\" quoted\n4 delta \"{2}\""},
	})
}

func TestSecondClosing(t *testing.T) {
	const inner = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"text behind", "```delta\n{1}\n``` and so on\n" + good, "1 delta \"{1}\" (text behind the closing fence)\n4 delta \"{2}\""},
		{"glued", "```delta\n{1}```\n" + good, "1 delta \"{1}\" (the closing fence is glued to the text)\n3 delta \"{2}\""},
		{"glued with text", "```delta\n{1}``` Then more.\n" + good, "1 delta \"{1}\" (the closing fence is glued to the text)\n3 delta \"{2}\""},
		{"in a string", "```delta\n{\"a\":\"x }``` y\"}\n```\n", `1 delta "{\"a\":\"x }` + "```" + ` y\"}"`},
		{"fewer", "````delta\n{1}\n```\ntext\n" + good, "1 delta \"{1}\" (the closing fence has other marks than the opening one)\n5 delta \"{2}\""},
		{"fewer, but closed", "````delta\n{1}\n```\n````\n" + good, "1 delta \"{1}\\n```\"\n5 delta \"{2}\""},
		{"two", "```delta\n{1}\n``\n" + good, "1 delta \"{1}\" (the closing fence has other marks than the opening one)\n4 delta \"{2}\""},
		{"other", "```delta\n{1}\n~~~\n" + good, "1 delta \"{1}\" (the closing fence has other marks than the opening one)\n4 delta \"{2}\""},
		{"deep", "```delta\n{1}\n     ```\n" + good, "1 delta \"{1}\" (the closing fence is indented too far)\n4 delta \"{2}\""},
		{"missing", "```delta\n{1}\n\n" + good, "1 delta \"{1}\" open (the closing fence is missing: another delta block begins at line 4)\n4 delta \"{2}\""},
		{"missing with prose", "```delta\n{1}\n\n## Next\n\nwords\n" + good, "1 delta \"{1}\" open (the closing fence is missing)\n7 delta \"{2}\""},
		{"missing before a longer fence", "```delta\n{1}\n\nSo:\n````\n" + good + "````\n" + good, "1 delta \"{1}\" open (the closing fence is missing)\n5  \"```delta\\n{2}\\n```\"\n10 delta \"{2}\""},
		{"missing before json", "```delta\n{1}\n```json\n{3}\n```\n" + good, "1 delta \"{1}\" open (the closing fence is missing: another fence begins at line 3)\n3 json \"{3}\"\n6 delta \"{2}\""},
		{"missing before tildes", "```delta\n{1}\n~~~delta\n{3}\n~~~\n" + good, "1 delta \"{1}\" open (the closing fence is missing: another delta block begins at line 3)\n3 delta \"{3}\"\n6 delta \"{2}\""},
		{"glued to the next", "```delta\n{1}```delta\n{3}\n```\n" + good, "1 delta \"{1}\" open (the closing fence is missing: another fence begins at line 2)\n2 delta \"{3}\"\n5 delta \"{2}\""},
		{"missing in python", "```python\nx\n\n" + good, "1 python \"x\" open (the closing fence is missing: another delta block begins at line 4)\n4 delta \"{2}\""},
		{"missing before pre", "```delta\n{1}\n\n<pre>\n" + good + "</pre>\n" + good, "1 delta \"{1}\" open (the closing fence is missing)\n9 delta \"{2}\""},
		{"missing in python before a comment", "```python\nx\n<!--\n" + good + "-->\n" + good, "1 python \"x\" open (the closing fence is missing)\n8 delta \"{2}\""},
		{"missing at the end", "```delta\n{1}\n{3}\nThat is all.\n", "1 delta \"{1}\\n{3}\" open (the closing fence is missing)"},
		{"stray closing fence", "text\n```\nmore\n" + good + good, "2  \"more\" open (the closing fence is missing: another delta block begins at line 4)\n4 delta \"{2}\"\n7 delta \"{2}\""},
		{"wrapped", "```markdown\ntext\n" + good + "text\n" + good + "```\n" + good, "1 markdown \"text\" open\n3 delta \"{2}\" doubtful\n7 delta \"{2}\" doubtful\n11 delta \"{2}\""},
		{"longer", "````markdown\n" + good + "````\n" + good, "1 markdown \"```delta\\n{2}\\n```\"\n6 delta \"{2}\""},
		{"longer, never closed", "````markdown\n" + good, "1 markdown \"```delta\\n{2}\\n```\" open"},
		{"tildes", "~~~\n" + good + "~~~\n" + good, "1  \"```delta\\n{2}\\n```\"\n6 delta \"{2}\""},
		{"tildes, never closed", "~~~markdown\nx\n" + good, "1 markdown \"x\" open\n3 delta \"{2}\" doubtful"},
		{"two in longer json", "````json\n" + inner + "\n" + inner + "````\n" + good, "2 delta \"{1}\" doubtful\n6 delta \"{1}\" doubtful\n10 delta \"{2}\""},
		{"two in tildes of deltas", "~~~deltas\n" + inner + inner + "~~~\n" + good, "2 delta \"{1}\" doubtful\n5 delta \"{1}\" doubtful\n9 delta \"{2}\""},
		{"two in a longer delta", "````delta\n{3}\n```\n" + inner + "````\n" + good, "1 delta \"{3}\\n```\" open doubtful\n4 delta \"{1}\" doubtful\n8 delta \"{2}\""},
		{"stray tildes before an example", "~~~\nx\n````markdown\n" + good + "````\n" + good, "1  \"x\" open (the closing fence is missing)\n3 markdown \"```delta\\n{2}\\n```\"\n8 delta \"{2}\""},
		{"missing before a longer example", "```text\nx\n\n`````\n" + good + "`````\n" + good, "1 text \"x\"\n5 delta \"{2}\" doubtful\n9 delta \"{2}\""},
		{"missing before an example in tildes", "```text\nx\n\n~~~\n" + good + "~~~\n" + good, "1 text \"x\" open (the closing fence is missing)\n4  \"```delta\\n{2}\\n```\"\n9 delta \"{2}\""},
		{"closed by more marks", "```text\nx\n````\n" + good, "1 text \"x\"\n4 delta \"{2}\""},
		{"stray tildes", "~~~\nx\n" + good, "1  \"x\" open (the closing fence is missing: another delta block begins at line 3)\n3 delta \"{2}\""},
		{"colons around backticks", ":::delta\n```json\n{1}\n```\n:::\n" + good, "1 delta \"```json\\n{1}\\n```\"\n6 delta \"{2}\""},
		{"missing in tildes before a longer example", "~~~delta\n{2}\n\nSo:\n````\n" + inner + "````\n" + good, "1 delta \"{2}\" open (the closing fence is missing)\n5  \"```delta\\n{1}\\n```\"\n10 delta \"{2}\""},
		{"missing in colons before a longer example", ":::delta\n{2}\n\n````\n" + inner + "````\n" + good, "1 delta \"{2}\" open (the closing fence is missing: another fence begins at line 4)\n4  \"```delta\\n{1}\\n```\"\n9 delta \"{2}\""},
		{"cut before a longer example", "```delta\n{2\n\n`````\n" + inner + "`````\n" + good, "1 delta \"{2\"\n5 delta \"{1}\" doubtful\n9 delta \"{2}\""},
		{"cut before an example in tildes", "```delta\n{\"a\n\n~~~~text\n" + inner + "~~~~\n" + good, "1 delta \"{\\\"a\" open (the closing fence is missing: another fence begins at line 4)\n4 text \"```delta\\n{1}\\n```\"\n9 delta \"{2}\""},
		{"json before a longer example", "```json\n{2}\n\n`````\n" + inner + "`````\n" + good, "1 json \"{2}\"\n5 delta \"{1}\" doubtful\n9 delta \"{2}\""},
		{"closed by more marks, each", "```delta\n{1}\n````\n\n```delta\n{2}\n````\n", "1 delta \"{1}\"\n5 delta \"{2}\""},
		{"an odd number of longer lines", "````delta\n{2}\n\n````\n" + inner + "````\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" doubtful shown\n8  \"\" open (the closing fence is missing)\n9 delta \"{2}\""},
		{"a stray longer line before other code", "`````\nx\n<!--\n" + inner + "-->\n~~~~text\n" + inner + "~~~~\n" + good, "1  \"\" open (the closing fence is missing)\n8 text \"```delta\\n{1}\\n```\"\n13 delta \"{2}\""},
		{"closed by more marks before a fence", "```delta\n{2}\n`````\n" + inner + "`````\n" + good, "1 delta \"{2}\"\n4 delta \"{1}\" doubtful\n8 delta \"{2}\""},
		{"an odd number of tildes", "~~~\nx\n\n~~~\n" + inner + "~~~\n" + good, "1  \"x\"\n5 delta \"{1}\" doubtful shown\n8  \"\" open (the closing fence is missing: another delta block begins at line 9)\n9 delta \"{2}\""},
		{"a stray longer line", "````\n\n" + good + good, "1  \"\" open (the closing fence is missing)\n3 delta \"{2}\"\n6 delta \"{2}\""},
		{"a stray line of four tildes", "~~~~\n\n" + good, "1  \"\" open (the closing fence is missing)\n3 delta \"{2}\""},
		{"a stray line before tildes", good + "```\n\n~~~delta\n{1}\n~~~\n```python\nx\n```\n" + good, "1 delta \"{2}\"\n4  \"\" open\n6 delta \"{1}\" doubtful\n9 python \"x\"\n12 delta \"{2}\""},
		{"a stray line before json", good + "```\n\n```json\n{1}\n```\n", "1 delta \"{2}\"\n4  \"\" open (the closing fence is missing)\n6 json \"{1}\" open doubtful"},
		{"lesson", "```lesson\nhelpful: x\n``` done\n" + good, "1 lesson \"helpful: x\" (text behind the closing fence)\n4 delta \"{2}\""},
		{"colons, other word", ":::note\n" + good + ":::\n", "2 delta \"{2}\""},
	})
}

func TestReasoning(t *testing.T) {
	const draft = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"closed", "<think>\n" + draft + "</think>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"case and attributes", "<Thinking type=\"x\">\n" + draft + "</THINKING >\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"nested", "<think><reflection>\n" + draft + "</reflection>\n" + draft + "</think>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{1}\" draft\n10 delta \"{2}\""},
		{"unclosed", good + "<reasoning>\n" + draft, "1 delta \"{2}\"\n5 delta \"{1}\" draft"},
		{"lone closing tag", draft + "no.</think>\n" + good, "1 delta \"{1}\" draft\n5 delta \"{2}\""},
		{"on the fence line", "<think>```delta\n{1}\n```</think>```delta\n{2}\n```\n", "1 delta \"{1}\" draft (text behind the closing fence)\n3 delta \"{2}\""},
		{"in the middle of a line", "So <think>hm</think> this: ```delta\n{2}\n```\n", `1 delta "{2}" (text before the opening fence)`},
		{"open fence hides no tag", "<think>\n```delta\n{1}\nno.\n</think>\n" + good, "2 delta \"{1}\\nno.\" open draft (the closing fence is missing)\n6 delta \"{2}\""},
		{"open python fence hides no tag", "<think>\n```python\nx\n</think>\n```text\ny\n```\n" + good, "2 python \"x\" open draft (the closing fence is missing)\n5 text \"y\"\n8 delta \"{2}\""},
		{"open fence at the end", "<think>\n```\nx\n</think>\nwords\n", "2  \"x\" open draft (the closing fence is missing)"},
		{"tag before a resumed fence", "```delta\n{2}\n<think>\n" + draft + "</think>\n", "1 delta \"{2}\" open (the closing fence is missing)\n4 delta \"{1}\" draft"},
		{"after an open fence in indented code", "    ```delta\n    {2}\n<think>\n" + draft + "</think>\n", "1 delta \"{2}\" open indented\n4 delta \"{1}\" draft"},
		{"in code", "```xml\n<think>\n```\n" + good, "1 xml \"<think>\"\n4 delta \"{2}\""},
		{"in a code span", "Use `</think>` and ``<think>``.\n" + good, "2 delta \"{2}\""},
		{"in a quotation", "> </think>\n" + good, "2 delta \"{2}\""},
		{"in a comment", "text <!-- </think> -->\n<!--\n<think>\n-->\n" + good, "5 delta \"{2}\""},
		{"in bare JSON", good + "\n{\"operation\":\"ADD\",\"payload\":{\n\"claim\":\"closes with </think>\"}}\n", "1 delta \"{2}\""},
		{"in fenced JSON", good + "```delta\n{\"claim\":\"</think>\"}\n```\n", "1 delta \"{2}\"\n4 delta \"{\\\"claim\\\":\\\"</think>\\\"}\""},
		{"escaped", good + "the tag \\</think>\n", "1 delta \"{2}\""},
		{"empty element", good + "<think/>\n" + good, "1 delta \"{2}\"\n5 delta \"{2}\""},
		{"brackets", "[THINK]\n" + draft + "[/THINK]\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"a link", "[think](x) and [think]: y\n" + good, "2 delta \"{2}\""},
		{"channels", "<|channel|>analysis<|message|>hm\n" + draft + "<|end|><|start|>assistant<|channel|>final<|message|>\n" + good + "<|return|>", "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"final channel alone", "hm\n" + draft + "<|channel|>final<|message|>```delta\n{2}\n```\n", "2 delta \"{1}\" draft\n5 delta \"{2}\""},
		{"begin of thought", "<|begin_of_thought|>\n" + draft + "<|end_of_thought|>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"start thinking", "<|START_THINKING|>\n" + draft + "<|END_THINKING|>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"triangles", "◁think▷\n" + draft + "◁/think▷\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"namespace", "<seed:think>\n" + draft + "</seed:think>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"words without marks", "analysisWe need it.\n" + draft + "assistantfinal\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"another family inside", "<think>\n</analysis>\n" + draft + "</think>\n" + good, "3 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"open comment inside", "<think>\n<!-- hm\n</think>\n" + good, "4 delta \"{2}\""},
		{"in a patch", good + "m.txt\n<<<<<<< SEARCH\na\n=======\n</think>\n>>>>>>> REPLACE\n", "1 delta \"{2}\""},
		{"other tags", "<answer>\n\n" + good + "\n</answer>\n", "3 delta \"{2}\""},
	})
}

// TestTags covers where tags count: beside damaged code, and not where they are only mentioned.
func TestTags(t *testing.T) {
	const draft = "```delta\n{1}\n```\n"
	const both, last = "1 delta \"{2}\"\n%d delta \"{2}\"", "1 delta \"{1}\" draft\n%d delta \"{2}\""
	const doubt, behind = "1 delta \"{2}\" doubtful shown\n5 delta \"{2}\"", "1 delta \"{2}\"\n5 delta \"{2}\" doubtful shown"
	checkScans(t, []scan{
		{"a lone tag behind JSON", "```delta\n{1}</think>\n```\n" + good, "1 delta \"{1}\" open draft (the closing fence is missing)\n4 delta \"{2}\""},
		{"a lone tag before a fence", "```delta\n{1}\n</think>" + good, "1 delta \"{1}\" open draft (the closing fence is missing)\n3 delta \"{2}\""},
		{"a lone tag in a longer fence without an end", draft + "````\nx\n</think>\n" + good, "1 delta \"{1}\" draft\n4  \"\" open draft (the closing fence is missing)\n7 delta \"{2}\""},
		{"a lone tag in a fence without an end", draft + "```text\nx\n</think>\n" + good + "```text\ny\n```\n", "1 delta \"{1}\" draft\n4 text \"x\" open draft (the closing fence is missing)\n7 delta \"{2}\"\n10 text \"y\""},
		{"a fence without an end in two thoughts", "<think>\n~~~\ny\n</think>\n" + good + "<think>\n~~~\ny\n</think>\n" + good, "2  \"y\" open draft (the closing fence is missing)\n5 delta \"{2}\"\n9  \"y\" open draft (the closing fence is missing)\n12 delta \"{2}\""},
		{"a lone tag in pre without an end", draft + "<pre>\nx\n</think>\n" + good, fmt.Sprintf(last, 7)},
		{"a lone tag in a comment without an end", draft + "<!-- x\n</think>\n" + good + "<!-- y -->\n", fmt.Sprintf(last, 6)},
		{"a lone tag behind a sentence", draft + "No.</think> Here:\n" + good, fmt.Sprintf(last, 5)},
		{"a tag in a comment without an end", "<think>\n" + draft + "use <!-- here\n</think>\n" + good + "<!-- y -->\n", "2 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"the last tag in code", "<think>\n```text\nx\n</think>\n```\n" + good, "2 text \"x\" open draft (the closing fence is missing)\n6 delta \"{2}\""},
		{"words without marks, after a line", "\nanalysisWe\n" + draft + "No.assistantfinal\n" + good, "3 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"words without marks, in a fence", "analysisWe\n" + draft + "```python\nx\nassistantfinal\n" + good, "2 delta \"{1}\" draft\n5 python \"x\" open draft (the closing fence is missing)\n8 delta \"{2}\""},
		{"words without marks, no end", "analysisWe\n" + draft, "2 delta \"{1}\" draft"},
		{"mentioned", good + "The <analysis> step was a List<Thought>, as [Reasoning] and <|channel|>final say.\n" + good, fmt.Sprintf(both, 5)},
		{"mentioned, and in JSON", "The <think> tag\n```delta\n{\"a\": \"x </think> y\"}\n```\n", "2 delta \"{\\\"a\\\": \\\"x </think> y\\\"}\""},
		{"words in a fence with an end", "Thinking...\n```\n{1}\n...done thinking.\n```\n" + good, "2  \"{1}\" open draft (the closing fence is missing)\n6 delta \"{2}\""},
		{"mentioned in a table", good + "| tag | n |\n|---|---|\n| <think> | 12 |\n" + good, fmt.Sprintf(both, 7)},
		{"a closing tag within a line", good + "ok </think> Sure! So:\n" + good, doubt},
		{"a closing tag behind words", good + "Ends with </think>\n" + good, doubt},
		{"a closing tag in an item", good + "1. </think> tokens\n" + good, doubt},
		{"a closing tag that begins a sentence", good + "[/THINK] occurs\n" + good, doubt},
		{"words without marks, mentioned", good + "assistantfinal is one\n" + good, doubt},
		{"an opening tag ends its line", good + "One more.<think>\n" + good, behind},
		{"an opening tag behind a word", good + "Let me <think>\n" + good, behind},
		{"an opening tag behind a sentence", good + "So. <think> Hm, no.\n" + good, behind},
		{"an opening tag in an item", good + "- <think> tokens: 12\n" + good, behind},
		{"an opening tag begins a sentence", good + "<thought> experiment\n" + good, behind},
		{"an opening tag with a hyphen", good + "<Reasoning>-type models\n" + good, behind},
		{"an opening tag with words", good + "<thinking hard about it>\n" + good, behind},
		{"an opening tag begins a text", good + "<think>Let me see.\n" + draft, "1 delta \"{2}\"\n5 delta \"{1}\" draft"},
		{"both mentioned", good + "The tag <think> is one.\n" + good + "A </think> ends it.\n" + good, "1 delta \"{2}\"\n5 delta \"{2}\" doubtful shown\n9 delta \"{2}\""},
		{"a closing tag in indented code", good + "\n        </think>\n\n" + good, "1 delta \"{2}\" doubtful shown\n7 delta \"{2}\""},
		{"a closing tag in verbatim HTML without an end", draft + "<pre><code>\nx</think>\n\n" + good, fmt.Sprintf(last, 7)},
		{"a closing tag mentioned", good + "Text before </think> is no data.\n" + good, doubt},
		{"quoted", good + "A stray \"</think>\" or “<think>” (</think>)\n" + good, fmt.Sprintf(both, 5)},
		{"emphasised", good + "**<reasoning>** is the tag\n" + good, fmt.Sprintf(both, 5)},
		{"in indented code", good + "\n    <think>\n    </think>\n\n" + good, fmt.Sprintf(both, 8)},
		{"mentioned, and closed in code", good + "The <think> tag\n" + good + "```html\n</think>\n```\n", "1 delta \"{2}\"\n5 delta \"{2}\" doubtful shown\n8 html \"</think>\" doubtful shown"},
		{"mentioned in reasoning", "<think>\nI use <think> tags.\n" + draft + "</think>\n" + good, "3 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"closed by another", "<think>\n" + draft + "</reasoning>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"labels", "[Reasoning]\nx\n\n[Deltas]\n" + good, "5 delta \"{2}\""},
		{"labels in a pair", "[reasoning]\n" + draft + "[/reasoning]\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"details", "<details type=\"reasoning\" done=\"true\">\n<details>\n</details>\n" + draft + "</details>\n" + good, "4 delta \"{1}\" draft\n8 delta \"{2}\""},
		{"details with a summary", "<details>\n<summary>💭 Thinking</summary>\n" + draft + "</details>\n" + good, "3 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"other details", "<details>\n<summary>Deltas</summary>\n" + good + "</details>\n", "3 delta \"{2}\""},
		{"longcat", "<longcat_think>\n" + draft + "</longcat_think>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"inner", "<|inner_prefix|>\n" + draft + "<|inner_suffix|>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"an answer in its place", "<think>\n" + draft + "<answer>\n" + good + "</answer>\n", "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"a tag without its last mark", "<think>\n" + draft + "</think\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"a scratchpad in brackets", good + "[scratchpad]\n```delta\n{1}\n[/scratchpad]\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" open draft (the closing fence is missing)\n8 delta \"{2}\""},
		{"channels behind an open fence", "```delta\n{1}\n<|end|><|start|>assistant<|channel|>final<|message|>" + good, "1 delta \"{1}\\n<|end|><|start|>assistant\" open draft (the closing fence is missing)\n3 delta \"{2}\""},
		{"unused", "<unused94>thought\n" + draft + "<unused95>\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"ollama", "Thinking...\n" + draft + "...done thinking.\n\n" + good, "2 delta \"{1}\" draft\n7 delta \"{2}\""},
		{"granite", "Here is my thought process:\n" + draft + "Here is my response:\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
	})
}

// TestComments covers comments that do not begin their line, or leave a list item.
func TestComments(t *testing.T) {
	const hidden = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"within a line", "text <!-- old:\n" + hidden + "-->\n" + good, "6 delta \"{2}\""},
		{"in an item", "- <!--\n" + hidden + "-->\n" + good, "6 delta \"{2}\""},
		{"in a heading", "## Changes <!--\n" + hidden + "--> more\n" + good, "6 delta \"{2}\""},
		{"in a table", "| a | <!-- |\n" + hidden + "--> |\n" + good, "6 delta \"{2}\""},
		{"indented", "    <!--\n" + hidden + "-->\n" + good, "6 delta \"{2}\""},
		{"behind a closing fence", "```delta\n{2}\n``` <!--\n" + hidden + "-->\n", "1 delta \"{2}\" (text behind the closing fence)"},
		{"a fence behind it", "<!-- x -->" + good, "1 delta \"{2}\""},
		{"its end in a quotation", "text <!-- old\n> x --> ```delta {1} ```\n" + good, "3 delta \"{2}\""},
		{"in code", "Write `<!--` first.\n" + good + "-->\n", "2 delta \"{2}\""},
		{"without an end", "text <!-- old\n" + good, "2 delta \"{2}\" doubtful shown"},
		{"without an end, in reasoning", "text <!-- old\n</think>\n" + good, "3 delta \"{2}\""},
	})
}

// TestTraces covers the lines of programs around what a model thinks, reads and answers.
func TestTraces(t *testing.T) {
	const other = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"thinking with a time", "[2026-11-17T05:00:02] thinking\n\n" + other + "[2026-11-17T05:00:10] codex\n" + good, "3 delta \"{1}\" doubtful shown\n7 delta \"{2}\""},
		{"a prompt with a time", "[2026-11-17T05:00:02] User instructions:\n" + other + "[2026-11-17T05:00:10] codex\n" + good, "2 delta \"{1}\" doubtful shown\n6 delta \"{2}\""},
		{"the output of a command", "exec bash -lc 'cat a.md' in x succeeded in 12ms:\n" + other + "codex\n" + good, "2 delta \"{1}\" doubtful shown\n6 delta \"{2}\""},
		{"thinking without a time", "thinking\n" + other + "codex\n" + good, "2 delta \"{1}\" draft\n6 delta \"{2}\""},
		{"the result of a tool", "⏺ Read(a.md)\n  ⎿  text\n\n" + other + "\n⏺ So:\n\n" + good, "4 delta \"{1}\" doubtful shown\n10 delta \"{2}\""},
		{"without an end", good + "  ⎿  text\n\n" + other, "1 delta \"{2}\"\n6 delta \"{1}\" doubtful shown"},
		{"a time in a note", "[2026-11-17T05:00:02] I add this:\n" + good, "2 delta \"{2}\""},
		{"a bullet of a program", "⏺ I add this:\n" + good, "2 delta \"{2}\""},
		{"a command in words", "The exec call succeeded in all cases.\n" + good, "2 delta \"{2}\""},
	})
}

// TestTurns covers turns of others that a model invents.
func TestTurns(t *testing.T) {
	const other = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"chatml", good + "<|im_end|>\n<|im_start|>user\n" + other + "<|im_end|>\n<|im_start|>assistant\n" + good, "1 delta \"{2}\"\n6 delta \"{1}\" shown\n11 delta \"{2}\" doubtful shown"},
		{"no end", good + "<|start_header_id|>user<|end_header_id|>\n</think>\n" + other, "1 delta \"{2}\"\n6 delta \"{1}\" shown"},
		{"instructions", good + "</s>[INST] So:\n" + other + "[/INST]\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" shown\n9 delta \"{2}\" doubtful shown"},
		{"gemma", good + "<start_of_turn>user\n" + other, "1 delta \"{2}\"\n5 delta \"{1}\" shown"},
		{"headings", good + "### Human: so\n" + other + "### Assistant: yes\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" shown\n9 delta \"{2}\" doubtful shown"},
		{"harmony", good + "<|end|><|start|>user<|message|>\n" + other, "1 delta \"{2}\"\n5 delta \"{1}\" shown"},
		{"wide bars", good + "<｜end▁of▁sentence｜><｜User｜>\n" + other + "<｜Assistant｜>\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" shown\n9 delta \"{2}\" doubtful shown"},
		{"the end of a turn", good + "<|eot_id|>user\n\n" + other, "1 delta \"{2}\"\n6 delta \"{1}\" doubtful shown"},
		{"the end of a text", good + "</s>\n" + other, "1 delta \"{2}\"\n5 delta \"{1}\" doubtful shown"},
		{"names", good + "Human: do\n" + other + "Assistant: so\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" doubtful shown\n9 delta \"{2}\" doubtful shown"},
		{"a prompt before the answer", "<|im_start|>user\n" + other + "<|im_start|>assistant\n" + good, "2 delta \"{1}\" shown\n6 delta \"{2}\""},
		{"names before the answer", "User: do\n" + other + "Assistant: so\n" + good, "2 delta \"{1}\" doubtful shown\n6 delta \"{2}\""},
		{"short names", good + "<|end|>\n<|user|>\nmore\n<|assistant|>\n" + other, "1 delta \"{2}\"\n8 delta \"{1}\" doubtful shown"},
		{"instructions in words", good + "### Instruction:\n" + other + "### Response:\n" + good, "1 delta \"{2}\"\n5 delta \"{1}\" shown\n9 delta \"{2}\" doubtful shown"},
		{"mentioned", "It writes <|im_start|>user first.\n" + good, "2 delta \"{2}\""},
		{"an own turn", "<|im_start|>assistant\n" + good, "2 delta \"{2}\""},
	})
}

func TestShown(t *testing.T) {
	const example = "```delta\n{1}\n```\n"
	checkScans(t, []scan{
		{"example", "<example>\n" + example + "</example>\n" + good, "2 delta \"{1}\" shown\n6 delta \"{2}\""},
		{"attributes", "<quote author=\"A\">\n\n" + example + "\n</quote>\n" + good, "3 delta \"{1}\" shown\n8 delta \"{2}\""},
		{"nested", "<examples>\n<example>\n" + example + "</example>\n" + example + "</examples>\n" + good, "3 delta \"{1}\" shown\n7 delta \"{1}\" shown\n11 delta \"{2}\""},
		{"fence without an end", "<sample>\n```delta\n{1}\n</sample>\n" + good, "2 delta \"{1}\" open shown (the closing fence is missing)\n5 delta \"{2}\""},
		{"not closed", good + "<example>\n" + example, "1 delta \"{2}\"\n5 delta \"{1}\" doubtful shown"},
		{"not closed, after a byte order mark", "\ufeff<example>\n" + good, "2 delta \"{2}\" doubtful shown"},
		{"not closed, within a line", "the <example> above\n" + good, "2 delta \"{2}\""},
		{"not opened", example + "</example>\n" + good, "1 delta \"{1}\" doubtful shown\n5 delta \"{2}\""},
		{"not opened, within a line", good + "the </example> above\n" + good, "1 delta \"{2}\"\n5 delta \"{2}\""},
		{"brackets", "[quote=A]\n" + example + "[/quote]\n[quote] of it\n" + good, "2 delta \"{1}\" shown\n7 delta \"{2}\""},
		{"brackets, not closed", "[quote]\n" + good, "2 delta \"{2}\" doubtful shown"},
		{"a link", "[example](x)\n" + good + "[end](/example)\n", "2 delta \"{2}\""},
		{"in reasoning", "<think>\n<example>\n</think>\n" + good + "</example>\n", "4 delta \"{2}\" shown"},
	})
}

// TestWraps covers tags whose names say nothing known.
func TestWraps(t *testing.T) {
	const inner = "```delta\n{1}\n```\n"
	for _, c := range []struct{ name, open, end, mark string }{
		{"an unknown name", "<planning>", "</planning>", " doubtful shown"},
		{"in brackets", "[plan]", "[/plan]", " doubtful shown"},
		{"colons", ":::plan", ":::", " doubtful shown"},
		{"bars", "<|plan|>", "<|end_plan|>", " doubtful shown"},
		{"a name of reasoning with bars", "<|startofthink|>", "<|endofthink|>", " draft"},
		{"a name that sets aside", "<sample_output>", "</sample_output>", " doubtful shown"},
		{"an attribute that names an author", "<message from=\"A\">", "</message>", " doubtful shown"},
		{"a summary that sets aside", "<details><summary>Rejected draft</summary>\n", "</details>", " doubtful shown"},
		{"struck", "~~", "~~", " doubtful shown"},
		{"code", "<code>", "</code>", " doubtful shown"},
		{"a comment of MDX", "{/*", "*/}", " shown"},
		{"a comment in a link", "[//]: # (", ")", " shown"},
		{"CDATA within a line", "x <![CDATA[", "]]>", " shown"},
		{"in quotation marks", "\"<planning>\"", "\"</planning>\"", ""},
		{"an answer", "<final_answer>", "</final_answer>", ""},
		{"layout", "<div class=\"x\">", "</div>", ""},
		{"a call", "<|tool_call_begin|>", "<|tool_call_end|>", ""},
		{"an empty tag", "<plan/>", "<plan/>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.Count(c.open, "\n") + 2
			want := fmt.Sprintf("%d delta \"{1}\"%s\n%d delta \"{2}\"", lines, c.mark, lines+4)
			if got := shown(c.open + "\n" + inner + c.end + "\n" + good); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	checkScans(t, []scan{
		{"before a fence", "<pre>```delta\n{1}\n```</pre>\n" + good, "1 delta \"{1}\" doubtful shown (text before the opening fence; text behind the closing fence)\n4 delta \"{2}\""},
		{"before a fence, not closed", "<samp>```delta\n{1}\n```\n", "1 delta \"{1}\" doubtful shown (text before the opening fence)"},
		{"not closed", good + "<planning>\n" + inner, "1 delta \"{2}\"\n5 delta \"{1}\" doubtful shown"},
		{"not closed, within a line", good + "the <planning> step\n" + good, "1 delta \"{2}\"\n5 delta \"{2}\""},
		{"not opened", good + "</items1>\n" + good, "1 delta \"{2}\"\n5 delta \"{2}\""},
		{"a plan that is not opened", inner + "</planning>\n" + good, "1 delta \"{1}\" doubtful shown\n5 delta \"{2}\""},
		{"an earlier version", "<details>\n<summary>An earlier version, not to be applied</summary>\n\n" + inner + "</details>\n" + good, "4 delta \"{1}\" doubtful shown\n8 delta \"{2}\""},
		{"nested", "<a1>\n<b1>\n</a1>\n" + good, "4 delta \"{2}\""},
		{"in brackets, its end in a fence", "[plan]\n" + inner + "```\n[/plan]\n```\n" + good, "2 delta \"{1}\" doubtful shown\n5  \"[/plan]\" doubtful shown\n8 delta \"{2}\" doubtful shown"},
		{"a title in brackets", "[plan]\n" + inner, "2 delta \"{1}\" doubtful shown"},
		{"a title of reasoning", "[Thinking]\n" + inner, "2 delta \"{1}\" doubtful shown"},
		{"titles in brackets", "[plan]\n" + inner + "[thoughts]\n" + inner + "[Answer]\n" + good, "2 delta \"{1}\" doubtful shown\n6 delta \"{1}\" doubtful shown\n10 delta \"{2}\""},
		{"another title in brackets", "[analysis]\nx\n" + good, "3 delta \"{2}\""},
	})
}

func TestWithoutReasoning(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a\nb\n", "a\nb\n"},
		{"<think>x</think>\n\nb\n", "b\n"},
		{"a <think>x</think> b", "a  b"},
		{"x</think>\nb", "b"},
		{"a\n<think>x", "a\n"},
		{"`<think>` is a tag", "`<think>` is a tag"},
		{"<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>b", "b"},
	} {
		if lines := bytes.Count(BlankReasoning([]byte(c.src)), []byte("\n")); lines != strings.Count(c.src, "\n") {
			t.Errorf("%q: %d lines", c.src, lines)
		}
		if got := string(WithoutReasoning([]byte(c.src))); got != c.want {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
}

// A tag that closes reasoning counts anywhere in a fence that is cut there.
func TestSecondCutInReasoning(t *testing.T) {
	const harmony = "<|end|><|start|>assistant<|channel|>final<|message|>"
	pairs := [][2]string{
		{"<think>\n", "</think>"},
		{"<thinking>\n", "</thinking>"},
		{"[THINK]\n", "[/THINK]"},
		{"◁think▷\n", "◁/think▷"},
		{"<seed:think>\n", "</seed:think>"},
		{"<|START_THINKING|>\n", "<|END_THINKING|>"},
		{"<|channel|>analysis<|message|>", harmony},
		{"<|channel|>analysis<|message|>", "\n" + harmony},
	}
	cuts := []string{"```delta\n{\"a\": 1}", "```delta\n{\"a\": \"cut", "```delta\n{\"a\":", "```delta\n{\"a\": 1}...", "```python\nx = 1", "```delta\n{\"a\": 1}\n```", "```json\n[{\"a\": \"x\"}"}
	for _, pair := range pairs {
		for _, cut := range cuts {
			for _, behind := range []string{"\n\nSo:\n\n", "", "\n", ".\n"} {
				if behind == ".\n" && strings.HasSuffix(pair[1], harmony) {
					continue
				}
				src := pair[0] + "Maybe:\n\n" + cut + pair[1] + behind + good
				blocks := 0
				for b := range Blocks([]byte(src), Second) {
					if b.Kind != Fenced {
						continue
					}
					if blocks++; b.Own() != (strings.TrimSpace(src[b.Start:b.End]) == "{2}") {
						t.Errorf("got\n%s\nfor\n%s", shown(src), src)
					}
				}
				if blocks != 2 {
					t.Errorf("%d fences:\n%s\nfor\n%s", blocks, shown(src), src)
				}
			}
		}
	}
}

// A closing tag that nothing has opened counts behind the JSON of a fence without an end.
func TestSecondLoneBehindJSON(t *testing.T) {
	for _, c := range []string{"</think>", "</think>.", "...</think>", " </think> So:", "[/THINK]", "<|channel|>final<|message|>", "assistantfinal"} {
		for _, behind := range []string{"\n\n", "\n"} {
			src := "analysisWe may:\n\n```delta\n{1}" + c + behind + good
			if got := shown(src); !strings.Contains(got, "3 delta \"{1}") || strings.Count(got, "draft") != 1 || !strings.HasSuffix(got, "delta \"{2}\"") {
				t.Errorf("%q: got\n%s", c+behind, got)
			}
		}
	}
	const mentioned = "```delta\n{\"a\": \"the tag </think> ends it\", \"b\": \"</think>\"}\n```\n" + good
	if got := shown(mentioned); strings.Contains(got, "draft") || strings.Contains(got, "doubtful") {
		t.Errorf("mentioned: got\n%s", got)
	}
}

// Names in place of tags, whose marks are lost, set reasoning aside.
func TestSecondBareNames(t *testing.T) {
	const draft = "Maybe:\n\n```delta\n{1}\n```\n\n"
	checkScans(t, []scan{
		{"thought", "thought\n" + draft + good, "4 delta \"{1}\" doubtful shown\n8 delta \"{2}\" doubtful shown"},
		{"analysis and final", "analysis\n" + draft + "final\n" + good, "4 delta \"{1}\" draft\n9 delta \"{2}\""},
		{"thinking and answer", "\nthinking\n" + draft + "Answer:\n" + good, "5 delta \"{1}\" draft\n10 delta \"{2}\""},
		{"a cut fence", "thought\nSo:\n```delta\n{1\nfinal\n" + good, "3 delta \"{1\" open draft (the closing fence is missing)\n6 delta \"{2}\""},
		{"a turn of the model", "<start_of_turn>model\nthought\n" + draft + "response\n" + good, "5 delta \"{1}\" draft\n10 delta \"{2}\""},
		{"a call beside the answer", "<|start|>assistant<|channel|>analysis<|message|>\n" + draft + "<|end|><|start|>assistant<|channel|>commentary to=functions.delta<|message|>\n" + good + "<|call|><|start|>assistant<|channel|>final<|message|>\n" + good, "4 delta \"{1}\" draft\n9 delta \"{2}\"\n13 delta \"{2}\""},
		{"turns with names", "<|im_start|>think\n" + draft + "<|im_start|>answer\n" + good, "4 delta \"{1}\" draft\n9 delta \"{2}\""},
		{"a closing tag", "thought\n" + draft + "</think>\n" + good, "4 delta \"{1}\" draft\n9 delta \"{2}\""},
		{"a heading", "Analysis\n\n" + draft + good, "5 delta \"{1}\"\n9 delta \"{2}\""},
		{"a sentence", "thought about it.\n" + good, "2 delta \"{2}\""},
		{"behind a patch", "<think>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE</think>\n" + good, "7 delta \"{2}\""},
		{"behind a patch, alone", draft + "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE</think>" + good, "3 delta \"{1}\" draft\n11 delta \"{2}\""},
		{"in a patch", "<<<<<<< SEARCH\na\n=======\n</think>\n>>>>>>> REPLACE\n" + good, "6 delta \"{2}\""},
		{"CDATA", "<think><![CDATA[\n" + draft + "]]></think>\n" + good, "9 delta \"{2}\""},
		{"CDATA on one line", "<think><![CDATA[ maybe ]]></think>\n" + good, "2 delta \"{2}\""},
	})
}
