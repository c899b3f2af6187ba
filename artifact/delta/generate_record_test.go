package delta_test

import (
	"fmt"
	"strings"
	"sync"

	"brenner/artifact/delta"
)

// shownTarget is the target of the change that the contents of records show.
const shownTarget = "H77"

// newRecord returns a record of the project. Its content may show a change, which is never executed.
func (g *composer) newRecord() change {
	g.tokens++
	token := fmt.Sprintf("zq%02dw", g.tokens)
	c := change{op: "ADD", section: delta.RecordSection, token: token, field: "content", text: g.words(token)}
	if g.IntN(4) == 0 {
		c.text = token + " shows ```delta {operation: KILL, section: hypothesis_slate, target_id: " + shownTarget + "} ``` as an example"
	}
	c.more = []pair{{"id", "note-" + token}, {"type", "memo"}, {"links", []string{"cites=lewis@v1"}}}
	return c
}

// exampleRecord is the example of a kickoff that asks for records.
var exampleRecord = change{
	op: "ADD", section: delta.RecordSection, token: "zqe4w", field: "content", text: "zqe4w was counted once", more: []pair{{"id", "note-count"}, {"type", "memo"}},
}

// exampleChange returns one of the examples of the kickoff.
func (g *composer) exampleChange() change {
	if g.records && g.IntN(2) == 0 {
		return exampleRecord
	}
	return exampleChanges[g.IntN(len(exampleChanges))]
}

var recordExamples = sync.OnceValue(func() delta.Known {
	return examples().With(delta.ReadExamples([]string{"```delta\n" + exact.write(exampleRecord.object(0), 0) + "\n```"}, delta.NewestReader))
})

// recordForms returns neighbours with records in forms that models write instead of deltas.
func recordForms() []form {
	var all []form
	for _, f := range [][2]string{
		{"a record as YAML", "```yaml\nid: ID\ntype: memo\nsummary: a note\ncontent: |\n  TEXT\n```"},
		{"a record as YAML in a list", "```yaml\nrecords:\n  - id: ID\n    type: memo\n    content: TEXT\n```"},
		{"a record as TOML", "```toml\n[[records]]\nid = \"ID\"\ntype = \"memo\"\ncontent = \"\"\"\nTEXT\n\"\"\"\n```"},
		{"a record in tags", "<record id=\"ID\" type=\"memo\">\nTEXT\n</record>"},
		{"a record in tags of fields", "<record>\n<id>ID</id>\n<type>memo</type>\n<content>TEXT</content>\n</record>"},
		{"a record in XML", "```xml\n<record id=\"ID\" type=\"memo\">\n<content>TEXT</content>\n</record>\n```"},
		{"a record in a row of a table", "| id | type | content |\n|---|---|---|\n| ID | memo | TEXT |"},
		{"a record in a table", "| field | value |\n|---|---|\n| id | ID |\n| type | memo |\n| content | TEXT |"},
		{"a record in a list", "- **id:** ID\n- **type:** memo\n- **content:** TEXT"},
		{"a record without operation", "```json\n{\"id\": \"ID\", \"type\": \"memo\", \"content\": \"TEXT\"}\n```"},
		{"a record without operation and fence", "{\"id\": \"ID\", \"type\": \"memo\", \"content\": \"TEXT\"}"},
		{"a list of records", "```json\n{\"records\": [{\"id\": \"ID\", \"type\": \"memo\", \"content\": \"TEXT\"}]}\n```"},
		{"a list of records by section", "```delta\n{\"project_records\": [{\"id\": \"ID\", \"type\": \"memo\", \"content\": \"TEXT\"}]}\n```"},
		{"a record as a call", "<tool_call>\n{\"name\": \"put\", \"arguments\": {\"id\": \"ID\", \"type\": \"memo\", \"content\": \"TEXT\"}}\n</tool_call>"},
	} {
		all = append(all, form{f[0], func(g *composer, _ doc) doc {
			if !g.records {
				return text("There is no record.")
			}
			c := g.newRecord()
			c.text = g.words(c.token)
			d := text(strings.NewReplacer("ID", "note-"+c.token, "TEXT", c.text).Replace(f[1]))
			d.plants = []plant{{change: c, want: accounted, to: len(d.lines), whole: true, thin: true, lone: true}}
			if strings.HasPrefix(f[1], "<") {
				d = d.scoped(0, len(d.lines)-1)
			}
			return d
		}})
	}
	return all
}

// inText returns a neighbour with a change of which a text shows another one, with nothing escaped.
func inText(name, open, end string, record bool) form {
	return form{name, func(g *composer, _ doc) doc {
		outer := g.newChange(len(sections))
		if record && g.records {
			outer = g.newRecord()
		}
		outer.text = "TEXT"
		inner := g.good(g.anyChange())
		shown := "see:\n\n" + strings.Join(inner.lines, "\n") + "\n\n" + outer.token + " ends"
		d := text(open + strings.Replace(exact.write(outer.object(0), 0), "TEXT", shown, 1) + end)
		for i := range d.lines {
			d = d.scoped(i) // without one of them the block in it may be one of its own
		}
		d.plants = []plant{
			{change: outer, want: accounted, to: len(d.lines), thin: true},
			{change: inner.plants[0].change, want: never, from: 2, to: len(d.lines) - 2, lone: true},
		}
		return d
	}}
}
