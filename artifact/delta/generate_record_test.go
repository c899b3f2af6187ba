package delta_test

import (
	"fmt"
	"sync"

	"brenner/artifact/delta"
)

// newRecord returns a record of the project. Its content may show a change, which is never executed.
func (g *composer) newRecord() change {
	g.tokens++
	token := fmt.Sprintf("zq%02dw", g.tokens)
	c := change{op: "ADD", section: delta.RecordSection, token: token, field: "content", text: g.words(token)}
	if g.IntN(4) == 0 {
		c.text = token + " shows ```delta {operation: KILL, section: hypothesis_slate, target_id: H1} ``` as an example"
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
