package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

const (
	clockAdd = `{"operation": "ADD", "section": "hypothesis_slate", "payload": {"name": "Clock", "claim": "Cells count divisions."}}`
	fieldAdd = `{"operation": "ADD", "section": "assumption_ledger", "payload": {"name": "Field", "statement": "The field is small."}}`
	killOfH2 = `{"operation": "KILL", "section": "hypothesis_slate", "target_id": "H2", "payload": {"reason": "It predicts nothing."}}`
	editOfH1 = `{"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H1", "payload": {"claim": "Cells age slowly."}}`
)

// outcomes returns the operations of a reply's rows: small letters for refused ones.
func outcomes(text string, blocks ...string) string {
	reply := "The slate was read again.\n\n" + text + "\n\n"
	for _, b := range blocks {
		reply += "```delta\n" + b + "\n```\n\n"
	}
	var all []string
	for _, b := range delta.Read([]byte(reply), delta.Options{Author: "GreenField"}).Blocks {
		what := b.Delta.Operation + " " + b.Delta.Target
		if !b.OK {
			what = strings.ToLower(what)
		}
		all = append(all, strings.TrimSpace(what))
	}
	return strings.Join(all, ", ")
}

// A line with the operation and the item behind its section is given only by a block that has both.
func TestSectionLinesNeedTheirOwnBlock(t *testing.T) {
	for _, c := range []struct {
		text   string
		blocks []string
		want   string
	}{
		{"DELTA[hypothesis]: kill H2", []string{clockAdd}, "kill h2, ADD"},
		{"**DELTA[hypothesis]: kill H2**", []string{clockAdd}, "kill h2, ADD"},
		{"DELTA[hypothesis]: kill H3", []string{killOfH2}, "kill h3, KILL H2"},
		{"DELTA[hypothesis]: kill H2", []string{editOfH1}, "kill h2, EDIT H1"},
		{"DELTA[hypothesis]: kill H2\nDELTA[hypothesis]: kill H3", []string{clockAdd}, "kill h2, kill h3, ADD"},
		{"DELTA[hypothesis]: kill H2", []string{killOfH2}, "KILL H2"},
		{"DELTA[hypothesis]: add the clock", []string{clockAdd}, "ADD"},
		{"DELTA[hypothesis]: edit H1.claim", []string{editOfH1}, "EDIT H1"},
		{"DELTA[hypothesis]: Clock", []string{clockAdd}, "ADD"},
	} {
		if got := outcomes(c.text, c.blocks...); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// A line that names another author or a condition is about all blocks that follow it directly.
func TestLinesCoverAllBlocksThatFollow(t *testing.T) {
	for _, line := range []string{"On Tue, BlueLake wrote:", "RedSky sent this:", "If T1 fails, send:"} {
		if got, want := outcomes(line, killOfH2, clockAdd, fieldAdd), "kill h2, add, add"; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		own := "```delta\n" + killOfH2 + "\n```\n\nMy change:"
		if got, want := outcomes(line+"\n\n"+own, clockAdd), "kill h2, ADD"; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// The reason of a KILL has other names, too, and an example of the kickoff is one under each of them.
func TestReasonsOfKills(t *testing.T) {
	for _, name := range []string{"reason", "kill_reason", "explanation", "why"} {
		kill := strings.ReplaceAll(killOfH2, `"reason"`, `"`+name+`"`)
		read := delta.Read([]byte("```delta\n"+kill+"\n```\n"), delta.Options{})
		if len(read.Blocks) != 1 || read.Blocks[0].Delta.Payload.Text("reason") != "It predicts nothing." {
			t.Errorf("%s: %+v", name, read.Blocks)
		}
		example := "```delta\n" + killOfH2 + "\n```\n"
		read = delta.Read([]byte("```delta\n"+kill+"\n```\n"), delta.Options{Known: delta.ReadExamples([]string{example}, delta.NewestReader)})
		if len(read.Blocks) != 1 || read.Blocks[0].OK {
			t.Errorf("%s: the example is taken: %+v", name, read.Blocks)
		}
	}
}
