package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

const shownKill = "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H1\"}\n```"

// A record in another form has a row with that form, beside a good one.
func TestRecordsInOtherForms(t *testing.T) {
	const good = "\n\n```delta\n{\"operation\":\"ADD\",\"section\":\"project_records\",\"payload\":{\"id\":\"good\",\"type\":\"memo\",\"content\":\"c\"}}\n```\n"
	const both = "task and session"
	for name, c := range map[string]struct{ text, row, where string }{
		"YAML":                       {"```yaml\nid: n\ntype: memo\nsummary: s\ncontent: |\n  # Hello\n```", "2 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"YAML, the second of two":    {"```yaml\nrecords:\n  - id: n\n    type: memo\n    content: a\n  - id: m\n    type: memo\n    content: b\n```", "6 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"YAML without a word":        {"```\nid: n\ntype: memo\nsummary: s\ncontent: hello\n```", "2 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"YAML without a fence":       {"id: n\ntype: memo\nsummary: s\ncontent: hello", "1 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"bold keys":                  {"**id:** n\n**type:** memo\n**content:** hello", "1 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"a list":                     {"- id: n\n- type: memo\n- content: hello", "1 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"TOML":                       {"```toml\n[[records]]\nid = \"n\"\ntype = \"memo\"\ncontent = \"\"\"\nhello\n\"\"\"\n```", "3 refused: UNFENCED_DELTA a record written as TOML, not as JSON", both},
		"tags":                       {"<record id=\"n\" type=\"memo\">\n# Hello\n</record>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"tags of fields":             {"<record>\n<id>n</id>\n<type>memo</type>\n<content># Hello</content>\n</record>", "2 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"tags around JSON":           {"<record id=\"n\" type=\"memo\">\n{\"content\":\"c\"}\n</record>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"XML":                        {"```xml\n<record id=\"n\" type=\"memo\">\n<content>c</content>\n</record>\n```", "2 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"front matter in a fence":    {"```markdown\n---\nid: n\ntype: memo\n---\n# Hello\n```", "3 refused: UNFENCED_DELTA a record written as front matter, not as JSON", both},
		"a row of a table":           {"| id | type | content |\n|---|---|---|\n| n | memo | hello |", "3 refused: UNFENCED_DELTA a record written as a table, not as JSON", both},
		"a table of fields":          {"| field | value |\n|---|---|\n| id | n |\n| type | memo |\n| content | hello |", "3 refused: UNFENCED_DELTA a record written as a table, not as JSON", both},
		"a list of JSON":             {"```json\n[{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"},{\"id\":\"m\",\"type\":\"memo\",\"content\":\"b\"}]\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"bare JSON":                  {"{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}", "1 refused: UNFENCED_DELTA a record without operation and section, outside a fence", both},
		"only a payload":             {"```json\n{\"payload\":{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"other names":                {"```json\n{\"record_id\":\"n\",\"kind\":\"memo\",\"body\":\"a\"}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"a name as the id":           {"```json\n{\"name\":\"n\",\"kind\":\"paper_note\",\"title\":\"A title\",\"text\":\"a\"}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"JSON that cannot be read":   {"```json\n{\"id\":\"n\",\"type\":\"memo\",\"content\":\"c\"q\"1\"}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"a call":                     {"<tool_call>\n{\"name\":\"put\",\"arguments\":{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}}\n</tool_call>", "2 refused: UNFENCED_DELTA a record without operation and section, outside a fence", both},
		"a call with a text":         {"<tool_call>\n{\"name\":\"put\",\"arguments\":\"{\\\"id\\\":\\\"n\\\",\\\"type\\\":\\\"memo\\\",\\\"content\\\":\\\"a\\\"}\"}\n</tool_call>", "2 refused: UNFENCED_DELTA a record without operation and section, outside a fence", both},
		"a call in a fence":          {"```tool_call\n{\"function\":\"put\",\"arguments\":{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word tool_call", both},
		"typographic quotes":         {"```json\n{“id”: “n”, “type”: “memo”, “content”: “c”}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", both},
		"INI":                        {"```ini\n[record n]\nid=n\ntype=memo\ncontent=c\n```", "3 refused: UNFENCED_DELTA a record written as TOML, not as JSON", both},
		"a call in parameters":       {"<invoke name=\"put\">\n<parameter name=\"id\">n</parameter>\n<parameter name=\"type\">memo</parameter>\n<parameter name=\"content\">c</parameter>\n</invoke>", "2 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"a call of a function":       {"put_record(id=\"n\", type=\"memo\", content=\"c\")", "1 refused: UNFENCED_DELTA a record written as a function call, not as JSON", both},
		"a call in code":             {"```python\nput_record(id=\"n\", type=\"paper_note\", content=\"c\")\n```", "2 refused: UNFENCED_DELTA a record written as a function call, not as JSON", both},
		"a call of several lines":    {"```python\nawait store.put_record(\n    type=\"paper_note\",\n    id=\"n\",\n    content=\"\"\"\nc\n\"\"\",\n)\n```", "4 refused: UNFENCED_DELTA a record written as a function call, not as JSON", both},
		"a call without names":       {"```py\nput_record(\"n\", \"paper_note\", \"c\")\n```", "2 refused: UNFENCED_DELTA a record written as a function call, not as JSON", both},
		"a call of a type":           {"```ts\nputPaperNote({id: \"n\", content: \"c\"})\n```", "2 refused: UNFENCED_DELTA a record written as a function call, not as JSON", both},
		"a tag of a type":            {"<paper_note id=\"n\">\n# Hello\n</paper_note>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"a tag on a line":            {"<paper_note id=\"n\">Hello</paper_note>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"a tag of a type in XML":     {"```xml\n<paper_note id=\"n\" type=\"paper_note\">\n# Hello\n</paper_note>\n```", "2 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"attributes":                 {"<article data-id=\"n\" data-type=\"paper_note\">\n# Hello\n</article>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", both},
		"a tag of another type":      {"<protein_card id=\"n\">\n# Hello\n</protein_card>", "1 refused: UNFENCED_DELTA a record written as tags, not as JSON", "task"},
		"a fence of a type":          {"```paper_note n\n# Hello\n```", "1 refused: UNFENCED_DELTA a record written as the text of a fence with the word paper_note, not as JSON", both},
		"a fence of a type, YAML":    {"```paper_note\nid: n\nsummary: s\n```", "2 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"a fence of a type, no id":   {"```paper_note\n# Hello\n```", "1 refused: UNFENCED_DELTA a record written as the text of a fence with the word paper_note, not as JSON", "task"},
		"a fence of a file":          {"```markdown n.md\n# Hello\n```", "1 refused: UNFENCED_DELTA a record written as the text of a fence with the word markdown, not as JSON", "task"},
		"names in words":             {"Record ID: n\nRecord type: memo\n\nContent:\n\nhello", "1 refused: UNFENCED_DELTA a record written as YAML, not as JSON", both},
		"no type":                    {"```json\n{\"id\":\"n\",\"content\":\"a\"}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", "task"},
		"an id as a key":             {"```json\n{\"n\":{\"type\":\"memo\",\"content\":\"a\"}}\n```", "2 refused: UNFENCED_DELTA a record without operation and section in a fence with the word json", "task"},
		"records":                    {"```json\n{\"records\":[{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}]}\n```", "2 record: ADD \"n\" \"memo\" \"a\"", both},
		"project_records":            {"```delta\n{\"project_records\":[{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}]}\n```", "2 record: ADD \"n\" \"memo\" \"a\"", both},
		"record":                     {"```json\n{\"record\":{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}}\n```", "2 record: ADD \"n\" \"memo\" \"a\"", both},
		"records and something else": {"```json\n{\"records\":[{\"id\":\"n\",\"type\":\"memo\",\"content\":\"a\"}, {\"id\":\"m\"}]}\n```", "2 refused: INVALID_FIELD an element of a list of records that is not a record", both},
		"a delta in a call":          {"<tool_call>\n{\"name\":\"x\",\"arguments\":{\"operation\":\"KILL\",\"section\":\"hypothesis_slate\",\"target_id\":\"H2\"}}\n</tool_call>", "2 refused: UNFENCED_DELTA a KILL outside a delta fence", both},
		"a delta in a call by name":  {"<tool_call>\n{\"name\":\"add_hypothesis\",\"arguments\":{\"name\":\"x\",\"claim\":\"y\"}}\n</tool_call>", "2 refused: PROSE_ONLY", both},
	} {
		for _, use := range []delta.RecordUse{delta.OnlyRecords, delta.WithRecords} {
			if use == delta.WithRecords && c.where != both {
				continue
			}
			got := records(c.text+good, use)
			if !strings.Contains("\n"+got, "\n"+c.row) || !strings.Contains(got, `record: ADD "good"`) {
				t.Errorf("%s: got\n%swant a row %s", name, got, c.row)
			}
		}
	}
}

// Data and examples that are not records have no row.
func TestNoRecordsInOtherForms(t *testing.T) {
	for name, text := range map[string]string{
		"data":          "```json\n{\"records\": [{\"species\": \"E. coli\", \"n\": 3}]}\n```",
		"a call":        "```python\nprint(id=\"n\", type=\"memo\", content=\"c\")\nget_record(id=\"n\", type=\"memo\")\n\ndef put_record(id=\"n\", type=\"memo\", content=\"c\"):\n    pass\n```",
		"elements":      "<section id=\"intro\">\n\nText.\n\n</section>\n\n<a id=\"note\"></a> a <input id=\"x\" type=\"text\"> and <my_tag id=\"n\">",
		"a review":      "```review\nA good paper.\n```",
		"names":         "```json\n[{\"name\": \"x\", \"type\": \"float\", \"text\": \"a column\"}, {\"name\": \"Ann Lee\", \"kind\": \"review\", \"text\": \"c\"}]\n```",
		"an item":       "```json\n{\"id\": \"H2\", \"type\": \"hypothesis\", \"content\": \"a claim\"}\n```",
		"code":          "```python\nm = {\"id\": \"x\", \"type\": \"memo\", \"content\": \"y\"}\n```",
		"a form":        "```json\n{\"id\": \"<id>\", \"type\": \"<type>\", \"content\": \"…\"}\n```",
		"an example":    "For example:\n\n```yaml\nid: n\ntype: memo\ncontent: c\n```",
		"a quotation":   "> id: n\n> type: memo\n> content: c",
		"a draft":       "<think>\nid: n\ntype: memo\ncontent: c\n</think>",
		"words":         "The id: it is a matter of type: and of content.",
		"a table":       "| id | verdict |\n|---|---|\n| H1 | keep |",
		"front matter":  "---\ntitle: Reply\ntype: letter\n---\n\nI have nothing to add.",
		"HTML":          "<details>\n<summary>My id: x</summary>\n\ntype: none\n</details>",
		"the good once": "- **id:** good\n- **type:** memo\n- **content:** see below",
	} {
		got := records(text+"\n\n"+fenced(`{"operation": "ADD", "section": "project_records", "payload": {"id": "good", "type": "memo", "content": "c"}}`), delta.WithRecords)
		if strings.Count(got, "refused") != 0 || !strings.Contains(got, `record: ADD "good"`) {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// A whole reply in another fence has a row for each block, which says so, unless a block outside is the same.
func TestRecordsInAnotherFence(t *testing.T) {
	record := func(id string) string {
		return fenced(`{"operation": "ADD", "section": "project_records", "payload": {"id": "` + id + `", "type": "memo", "content": "c"}}`)
	}
	const row = " refused: AMBIGUOUS_DELTA a block inside another fence, as examples are\n"
	for name, c := range map[string]struct{ text, want string }{
		"a whole reply":  {"````markdown\nHere it is.\n\n" + record("n") + "````\n", "5" + row + "  record \"n\"\n"},
		"with a change":  {"````markdown\n" + record("n") + "\n" + shownKill + "\n````\n", "3" + row + "  record \"n\"\n7" + row},
		"only a change":  {"````markdown\n" + shownKill + "\n````\n\n" + record("m"), "3 shown: nested\n7 record: ADD \"m\" \"memo\" \"c\" links [] tags []\n"},
		"the same again": {"````markdown\n" + record("n") + "````\n\n" + record("n"), "3 shown: nested\n7 record: ADD \"n\" \"memo\" \"c\" links [] tags []\n"},
		"an example":     {"For example:\n\n````markdown\n" + record("n") + "````\n\n" + record("m"), "5 shown: nested\n9 record: ADD \"m\" \"memo\" \"c\" links [] tags []\n"},
	} {
		if got := records(c.text, delta.WithRecords); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, c.want)
		}
	}
}

// A record in another form that its author calls an example is only shown.
func TestExamplesOfRecordsAreShown(t *testing.T) {
	const record = "```json\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"c\"}\n```\n\n"
	for text, want := range map[string]string{
		"For example:\n\n" + record + "NO CHANGES: nothing new\n":                   "4 shown: example\nno changes: nothing new\n",
		"For example:\n\n" + strings.Replace(record, "json", "", 1) + shownKill:     "4 shown: example\n7 delta: KILL hypothesis_slate H1\n",
		strings.Replace(record, "json", "json example", 1) + "NO CHANGES: none new": "2 shown: example\nno changes: none new\n",
	} {
		if got := records(text, delta.WithRecords); got != want {
			t.Errorf("%s\ngot\n%swant\n%s", text, got, want)
		}
	}
}

// A delta that is shown in the text of another one, or of a record in any form, is not executed, and has a row.
func TestDeltasInTexts(t *testing.T) {
	for name, text := range map[string]string{
		"a bare delta":            "Here:\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\nSHOWN\n\nend\"}}",
		"a bare record":           "Here:\n\n{\"operation\": \"ADD\", \"section\": \"project_records\", \"payload\": {\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\nSHOWN\n\nend\"}}",
		"without operation":       "Here:\n\n{\"id\": \"n\", \"type\": \"memo\", \"content\": \"See:\n\nSHOWN\n\nend\"}",
		"two of them":             "{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"SHOWN\nend\"}}\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"\nSHOWN\nend\"}}",
		"a delta":                 "```delta\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\nSHOWN\n\nend\"}}\n```",
		"a fence of JSON":         "```json\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\nSHOWN\n\nend\"}}\n```",
		"behind one that is open": "```delta\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"c\"}}\n\n{\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"See:\n\nSHOWN\n\nend\"}}",
		"front matter":            "---\nid: n\ntype: memo\n---\n# Text\n\nSee:\n\nSHOWN\n\nend",
		"tags":                    "<record id=\"n\" type=\"memo\">\n# Text\n\nSHOWN\n\nend\n</record>",
		"YAML":                    "id: n\ntype: memo\ncontent: |\n  # Text\n\n  SHOWN\n\n  end",
	} {
		shown := shownKill
		if name == "YAML" {
			shown = strings.ReplaceAll(shown, "\n", "\n  ")
		}
		for _, add := range []bool{false, true} {
			if add {
				shown = strings.Replace(shown, `"KILL", "section": "hypothesis_slate", "target_id": "H1"`, `"ADD", "section": "hypothesis_slate", "payload": {"claim": "y"}`, 1)
			}
			text := strings.ReplaceAll(text, "SHOWN", shown) + "\n"
			got := records(text, delta.WithRecords)
			if strings.Contains(got, "delta: KILL") || strings.Contains(got, "delta: ADD") && name != "behind one that is open" || strings.Count(got, "delta: ") > 1 || !strings.Contains(got, "AMBIGUOUS_DELTA") {
				t.Errorf("%s: got\n%s for\n%s", name, got, text)
			}
		}
	}
	// With its quotation marks escaped, the text is read whole.
	text := "Here:\n\n" + `{"operation": "ADD", "section": "hypothesis_slate", "payload": {"claim": "See:` + "\n\n" + strings.ReplaceAll(shownKill, `"`, `\"`) + "\n\nend\"}}\n"
	read := delta.Read([]byte(text), delta.Options{})
	if len(read.Blocks) != 1 || !read.Blocks[0].OK || !strings.Contains(read.Blocks[0].Delta.Payload.Text("claim"), shownKill) {
		t.Errorf("got %+v", read.Blocks)
	}
}

func TestForgedKeysOfRecordsAreFlagged(t *testing.T) {
	got := records(fenced(`{"operation": "ADD", "section": "project_records", "canonical": true, "payload": {"id": "n", "type": "memo", "content": "c", "author": "Ann", "version": 3, "mood": "good"}}`), delta.WithRecords)
	for _, want := range []string{"canonical is ignored: an agent does not set it", "author is ignored: an agent does not set it", "version is ignored: an agent does not set it", "mood is ignored: a record has no such field"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The name of a tool is not the id of the record in its call.
func TestCallsWithoutAnID(t *testing.T) {
	for _, name := range []string{"name", "function"} {
		text := "```tool_call\n{\"" + name + "\":\"put\",\"arguments\":{\"type\":\"memo\",\"content\":\"a\"}}\n```"
		reply := delta.Read([]byte(text), delta.Options{Records: delta.OnlyRecords, Reader: delta.ThirdReader})
		if len(reply.Blocks) != 1 || reply.Blocks[0].OK || len(reply.Blocks[0].Delta.Labels) > 0 {
			t.Errorf("%s: got %+v, want one refused record without an id", text, reply.Blocks)
		}
	}
}
