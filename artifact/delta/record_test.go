package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact/delta"
)

// records describes what became of the blocks of a reply with records: a line for each.
func records(text string, use delta.RecordUse) string {
	var b strings.Builder
	r := delta.Read([]byte(text), delta.Options{Records: use, NoChanges: true})
	for i := range r.Blocks {
		block := &r.Blocks[i]
		switch d := block.Record(); {
		case block.Skipped():
			fmt.Fprintf(&b, "%d shown: %s\n", block.Line, block.Flags[0].Name)
			continue
		case !block.OK:
			for _, p := range block.Problems {
				fmt.Fprintf(&b, "%d refused: %s %s\n", block.Line, p.Code, p.Message)
			}
			if d != nil {
				fmt.Fprintf(&b, "  record %q\n", d.ID)
			}
		case d == nil:
			fmt.Fprintf(&b, "%d delta: %s %s %s\n", block.Line, block.Delta.Operation, block.Delta.Section, block.Delta.Target)
		default:
			fmt.Fprintf(&b, "%d record: %s %q %q %q links %q tags %q", block.Line, d.Operation, d.ID, d.Type, d.Content, d.Links, d.Tags)
			for name, text := range map[string]string{"status": d.Status} {
				if text != "" {
					fmt.Fprintf(&b, " %s %q", name, text)
				}
			}
			b.WriteString("\n")
		}
		for _, f := range block.Flags {
			fmt.Fprintf(&b, "  %s: %s\n", f.Name, f.Text)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%d problem: %s %s\n", p.Line, p.Code, p.Message)
	}
	if r.NoChanges != nil {
		fmt.Fprintf(&b, "no changes: %s\n", r.NoChanges.Reason)
	}
	return b.String()
}

func fenced(json string) string { return "```delta\n" + json + "\n```\n" }

func TestRecords(t *testing.T) {
	const head = `{"operation": "ADD", "section": "project_records", "payload": {"id": "note-lewis", "type": "paper_note", `
	for name, c := range map[string]struct {
		text string
		use  delta.RecordUse
		want string
	}{
		"exact": {
			fenced(head + `"summary": "s", "content": "# Lewis\n\n  two  \n", "links": ["cites=lewis@v1"], "tags": ["rag"]}, "rationale": "why"}`), delta.OnlyRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"# Lewis\\n\\n  two  \\n\" links [\"cites=lewis@v1\"] tags [\"rag\"]\n",
		},
		"not known": {
			fenced(head + `"content": "c"}}`), delta.NoRecords,
			"1 refused: INVALID_SECTION there is no section \"project_records\"\n",
		},
		"beside deltas": {
			fenced(head+`"content": "c"}}`) + fenced(`{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H1"}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"c\" links [] tags []\n4 delta: KILL hypothesis_slate H1\n",
		},
		"a delta in a task": {
			fenced(`{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H1"}`), delta.OnlyRecords,
			"1 refused: INVALID_SECTION this task asks for records, not for changes of \"hypothesis_slate\"\n",
		},
		"no section in a task": {
			fenced(`{"operation": "ADD", "payload": {"id": "n", "type": "memo", "content": "c"}}`), delta.OnlyRecords,
			"1 record: ADD \"n\" \"memo\" \"c\" links [] tags []\n  normalised: section \"\" read as project_records\n",
		},
		"no payload": {
			fenced(`{"op": "add", "section": "record", "id": "n@v1", "kind": "memo", "content": "c", "tags": "a, b", "mood": "good"}`), delta.WithRecords,
			"1 record: ADD \"n\" \"memo\" \"c\" links [] tags [\"a\" \"b\"]\n" +
				"  normalised: \"op\" read as operation; section \"record\" read as project_records; operation \"add\" read as ADD; type put into the payload; " +
				"content put into the payload; tags put into the payload; tags: read as a, b; id \"n@v1\" read as n\n  ignored_keys: mood is ignored: a record has no such field\n",
		},
		"links of other forms": {
			fenced(head+`"content": "c", "links": {"cites": ["a@v1", "b@v2"], "supports": "c@v1"}}}`) +
				fenced(head+`"content": "c", "links": [{"relation": "cites", "address": "a@v1"}, "supports: b@v1"]}}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"c\" links [\"cites=a@v1\" \"cites=b@v2\" \"supports=c@v1\"] tags []\n  normalised: links: read as cites=a@v1, cites=b@v2, supports=c@v1\n" +
				"4 record: ADD \"note-lewis\" \"paper_note\" \"c\" links [\"cites=a@v1\" \"supports=b@v1\"] tags []\n  normalised: links: read as cites=a@v1, supports=b@v1\n",
		},
		"bad fields": {
			fenced(head + `"content": 7, "links": 3}}`), delta.WithRecords,
			"1 refused: INVALID_FIELD content should be a text\n1 refused: INVALID_FIELD links should be a list of texts\n  record \"note-lewis\"\n",
		},
		"missing": {
			fenced(`{"operation": "ADD", "section": "project_records", "payload": {"type": "memo", "content": "  "}}`), delta.WithRecords,
			"1 refused: MISSING_REQUIRED_FIELD id is missing\n1 refused: MISSING_REQUIRED_FIELD content is missing\n  record \"\"\n",
		},
		"operations of gates": {
			fenced(`{"operation": "PROMOTE", "section": "project_records", "target_id": "n@v1"}`) + fenced(`{"operation": "KILL", "section": "project_records", "target_id": "n@v1", "payload": {"reason": "wrong"}}`) +
				fenced(head+`"content": "c", "status": "Canonical"}}`), delta.WithRecords,
			"1 record: PROMOTE \"n@v1\" \"\" \"\" links [] tags []\n4 record: KILL \"n@v1\" \"\" \"\" links [] tags []\n" +
				"7 record: ADD \"note-lewis\" \"paper_note\" \"c\" links [] tags [] status \"canonical\"\n",
		},
		"operations that the store refuses": {
			fenced(`{"operation": "EDIT", "section": "project_records", "target_id": "n", "payload": {"content": "c"}}`) + fenced(`{"operation": "Pin", "section": "project_records", "target_id": "t", "payload": {}}`) +
				fenced(`{"operation": "CREATE", "section": "project_records", "payload": {"id": "n", "type": "memo", "content": "c"}}`), delta.WithRecords,
			"1 record: EDIT \"n\" \"\" \"c\" links [] tags []\n4 record: PIN \"t\" \"\" \"\" links [] tags []\n  normalised: operation \"Pin\" read as PIN\n" +
				"7 refused: INVALID_OPERATION \"CREATE\" is not an operation on records\n  record \"n\"\n",
		},
		"LaTeX": {
			fenced(head + `"content": "# L\n\n$\nabla f = \frac{\theta}{\beta}$, $\\rho$, $\nu_1$\nus\ttab\new"}}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"# L\\n\\n$\\\\nabla f = \\\\frac{\\\\theta}{\\\\beta}$, $\\\\rho$, $\\\\nu_1$\\nus\\ttab\\new\" links [] tags []\n" +
				"  repaired: 5 LaTeX commands in texts kept as written (the first at line 2, column 126)\n",
		},
		"raw line breaks": {
			fenced(head + "\"content\": \"# Lewis\n\n- one\n\ttwo\"}}"), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"# Lewis\\n\\n- one\\n\\ttwo\" links [] tags []\n  repaired: 4 raw control characters in texts escaped (the first at line 2, column 125)\n",
		},
		"an example in the content": {
			fenced(head + `"content": "So:\n\n` + "```delta" + `\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"x\"}}\n` + "```" + `\n"}}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"So:\\n\\n```delta\\n{\\\"operation\\\": \\\"ADD\\\", \\\"section\\\": \\\"hypothesis_slate\\\", \\\"payload\\\": {\\\"claim\\\": \\\"x\\\"}}\\n```\\n\" links [] tags []\n",
		},
		"an example in the content with raw line breaks": {
			fenced(head+"\"content\": \"So:\n\n```delta\n"+`{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"x\"}}`+"\n```\n\nThat is all.\"}}") +
				fenced(`{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H1"}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"So:\\n\\n```delta\\n{\\\"operation\\\": \\\"ADD\\\", \\\"section\\\": \\\"hypothesis_slate\\\", \\\"payload\\\": {\\\"claim\\\": \\\"x\\\"}}\\n```\\n\\nThat is all.\" links [] tags []\n" +
				"  repaired: 6 raw control characters in texts escaped (the first at line 2, column 121)\n10 delta: KILL hypothesis_slate H1\n",
		},
		"code in the content with raw line breaks": {
			fenced(head+"\"content\": \"So:\n\n```python\nx = 1\n```\n\n~~~\ny\n~~~\", \"links\": []}}") + "More.\n\n" + fenced(head+`"content": "d"}}`), delta.OnlyRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"So:\\n\\n```python\\nx = 1\\n```\\n\\n~~~\\ny\\n~~~\" links [] tags []\n  repaired: 8 raw control characters in texts escaped (the first at line 2, column 121)\n" +
				"14 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n",
		},
		"raw quotation marks": {
			fenced(head + `"content": "He calls it "attention", and says: "it is all"."}}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"He calls it \\\"attention\\\", and says: \\\"it is all\\\".\" links [] tags []\n" +
				"  repaired: 4 quotation marks in texts escaped (the first at line 2, column 130)\n",
		},
		"an example in the content with raw quotation marks": {
			fenced(head + "\"content\": \"So: {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"x\"}}\", \"tags\": []}}"), delta.WithRecords,
			"1 refused: INVALID_JSON a comma or a closing bracket should stand here (line 2, column 124)\n",
		},
		"a delta in the content with nothing escaped": {
			fenced(head+"\"content\": \"So:\n\n"+fenced(`{"operation": "ADD", "section": "hypothesis_slate", "payload": {"claim": "x"}}`)+"end\"}, \"rationale\": \"r\"}") +
				fenced(head+"\"content\": \"So:\n\n"+fenced(`{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H1"}`)+"end\"\n},\n\"rationale\": \"r\"\n}") +
				"One more.\n\n" + fenced(head+`"content": "d"}}`), delta.WithRecords,
			"1 refused: INVALID_JSON a comma or a closing bracket should stand here (line 5, column 3)\n5 refused: AMBIGUOUS_DELTA a delta that seems to be in a text of another one that cannot be read\n" +
				"  name_derived: no name was given; \"x\" is from the first words of claim\n" +
				"9 refused: INVALID_JSON a comma or a closing bracket should stand here (line 13, column 3)\n13 refused: AMBIGUOUS_DELTA a delta that seems to be in a text of another one that cannot be read\n" +
				"22 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n",
		},
		"a record that is cut off before another": {
			fenced(head+"\"content\": \"So:\n") + fenced(head+`"content": "d {"}}`), delta.WithRecords,
			"1 refused: INVALID_JSON a text begins here and never ends (line 2, column 117)\n5 record: ADD \"note-lewis\" \"paper_note\" \"d {\" links [] tags []\n",
		},
		"YAML, XML and no JSON": {
			"```yaml\noperation: ADD\nsection: project_records\npayload:\n  id: a2\n  type: memo\n  content: hello\n```\n\n" +
				"operation: ADD\nsection: project_records\npayload:\n  id: a3\n\n<delta><operation>ADD</operation><section>project_records</section><payload><id>a4</id></payload></delta>\n" +
				fenced(head+`"content": "d"}}`), delta.WithRecords,
			"3 refused: UNFENCED_DELTA a record that is not written as JSON\n11 refused: UNFENCED_DELTA a record that is not written as JSON\n" +
				"15 refused: UNFENCED_DELTA a record that is not written as JSON\n16 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n",
		},
		"a fence of records": {
			"```record\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"c\"}\n```\n", delta.WithRecords,
			"1 record: ADD \"n\" \"memo\" \"c\" links [] tags []\n  normalised: a fence with the word record read as a delta fence\n" +
				"  normalised: section \"\" read as project_records; no operation: read as ADD; type put into the payload; content put into the payload\n",
		},
		"only the fields of records": {
			"```json\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"c\"}\n```\n\nMore.\n\n```record\nid: m\ntype: memo\n---\n# M\n```\n\nAnd:\n\n```markdown\n---\nid: o\ntype: memo\n---\n# O\n```\n", delta.OnlyRecords,
			"2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json\n8 refused: UNFENCED_DELTA a record written as YAML, not as JSON\n18 refused: UNFENCED_DELTA a record written as front matter, not as JSON\n",
		},
		"an example of the fields": {
			"For example:\n\n```json\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"c\"}\n```\n\n" + fenced(head+`"content": "d"}}`), delta.OnlyRecords,
			"4 shown: example\n7 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n",
		},
		"orders in words": {
			"PROMOTE lewis@v1 — it is good\n\nKILL lewis — too vague\n\nKILL it.\n\nPromote ross@v2.\n\nAdd record note-z: about z\n\nAdd record note-lewis: see below\n\nADD record zed: a note\n\n### Delta 4: add record note-y\n\n### Record: note-x\n\n" + fenced(head+`"content": "d"}}`), delta.OnlyRecords,
			"1 refused: UNFENCED_DELTA a PROMOTE of lewis@v1 in words; nothing was done\n3 refused: UNFENCED_DELTA a KILL of lewis in words; nothing was done\n" +
				"7 refused: UNFENCED_DELTA a PROMOTE of ross@v2 in words; nothing was done\n9 refused: UNFENCED_DELTA a record is announced here, and the reply does not have it\n" +
				"13 refused: UNFENCED_DELTA a record is announced here, and the reply does not have it\n15 refused: UNFENCED_DELTA a record is announced here, and the reply does not have it\n" +
				"17 refused: UNFENCED_DELTA a record is announced here, and the reply does not have it\n19 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n",
		},
		"orders where records are not known": {
			"PROMOTE lewis@v1 — it is good\n\n```record\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"c\"}\n```\n", delta.NoRecords,
			"1 problem: NO_DELTAS the reply holds no delta\n",
		},
		"a search/replace block in a fence": {
			"```\nlewis@v1\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n\n```\n> quoted\n```\n", delta.WithRecords,
			"11 shown: nested\n11 problem: NO_DELTAS the reply holds no delta of its own, only quotations or examples: (line 11)\n",
		},
		"a list of paragraphs": {
			fenced(head + `"content": ["# Lewis", "One.", "Two."]}}`), delta.WithRecords,
			"1 record: ADD \"note-lewis\" \"paper_note\" \"# Lewis\\n\\nOne.\\n\\nTwo.\" links [] tags []\n  normalised: content: a list of texts read as one text\n",
		},
		"a form": {
			fenced(`{"operation": "ADD", "section": "project_records", "payload": {"id": "<id>", "type": "<type>", "content": "…"}}`), delta.WithRecords,
			"1 shown: example\n1 problem: NO_DELTAS the reply holds no delta of its own, only quotations or examples: ADD project_records (line 1)\n",
		},
		"a placeholder": {
			fenced(head + `"content": "..."}}`), delta.WithRecords,
			"1 refused: INVALID_FIELD the content is a placeholder\n  record \"note-lewis\"\n",
		},
		"in reasoning": {
			"<think>\n" + fenced(head+`"content": "c"}}`) + "</think>\nNO CHANGES: nothing new\n", delta.OnlyRecords,
			"2 shown: draft\nno changes: nothing new\n",
		},
		"no changes": {"NO CHANGES: the sources say nothing of it\n", delta.OnlyRecords, "no changes: the sources say nothing of it\n"},
		"a list": {
			fenced(`{"records": [` + head + `"content": "c"}}, ` + head + `"content": "d"}}]}`), delta.OnlyRecords,
			"2 record: ADD \"note-lewis\" \"paper_note\" \"c\" links [] tags []\n  normalised: taken out of the object around it (\"records\")\n" +
				"2 record: ADD \"note-lewis\" \"paper_note\" \"d\" links [] tags []\n  normalised: taken out of the object around it (\"records\")\n",
		},
		"no comma": {
			fenced(head + `"content": "# L\n\nx\n" "summary": "s"}}`), delta.OnlyRecords,
			"1 refused: INVALID_JSON a comma or a closing bracket should stand here (line 2, column 130)\n",
		},
		"no operation": {
			fenced(`{"id": "n", "type": "memo", "content": "So: {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"x\"}}"}`), delta.OnlyRecords,
			"1 refused: INVALID_OPERATION the delta has no operation\n  record \"n\"\n  normalised: section \"\" read as project_records; type put into the payload; content put into the payload\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, records(c.text, c.use)); d != "" {
				t.Errorf("%s\n-want +got:\n%s", c.text, d)
			}
		})
	}
}

func TestRecordWithoutOperationHasARow(t *testing.T) {
	const text = "```json\n{\"section\": \"project_records\", \"payload\": {\"id\": \"note\", \"type\": \"memo\", \"content\": \"C\"}}\n```\n"
	if got, want := records(text, delta.WithRecords), "2 refused: INVALID_OPERATION the delta has no operation"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
