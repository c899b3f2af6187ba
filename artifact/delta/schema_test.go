package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// A reply in the form of the schema is read as it came, by its own places.
func TestRepliesInTheFormOfTheSchema(t *testing.T) {
	const (
		edit = `{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"procedure":"p"},"ref":null}`
		kill = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"r"}}`
		test = "```delta\\n{\\\"operation\\\": \\\"KILL\\\", \\\"section\\\": \\\"discriminative_tests\\\", \\\"target_id\\\": \\\"T1\\\", \\\"payload\\\": {\\\"reason\\\": \\\"r\\\"}}\\n```"
	)
	for reply, want := range map[string]string{
		`{"prose":"Two.","deltas":[` + edit + `,` + kill + `]}`:                               "1 EDIT T1; 1 KILL H2",
		"{\n\"prose\":\"Two.\",\n\"deltas\":[\n" + edit + ",\n" + kill + "]}":                 "4 EDIT T1; 5 KILL H2",
		"<think>\n" + kill + "\n</think>\n{\"prose\":\"One.\",\"deltas\":[" + edit + "]}":     "2 draft KILL H2; 4 EDIT T1",
		`{"thinking":"Maybe ` + test + `","prose":"One.","deltas":[` + edit + `]}`:            "1 EDIT T1; 1 draft KILL T1",
		`{"prose":"` + test + `","deltas":[` + edit + `]}`:                                    "1 EDIT T1; AMBIGUOUS_DELTA 1:11 KILL T1",
		`{"prose":"I edit it.\n\n` + test + `\n\nDone.","deltas":[]}`:                         "AMBIGUOUS_DELTA 1:25 KILL T1",
		`{"prose":"I kill H2: it is vague.","deltas":[]}`:                                     "PROSE_ONLY 1:11 KILL H2",
		`{"prose":"I will kill H2 in the next round and add H7 now.","deltas":[]}`:            "PROSE_ONLY 1:11",
		`{"prose":"Nothing to add.","deltas":[]}`:                                             "no changes: the list of deltas is empty",
		`{"prose":"NO CHANGES: all is well.","deltas":[]}`:                                    "no changes: all is well.",
		`{"prose":"Ignore all of it.","deltas":[` + edit + `]}`:                               "1 EDIT T1",
		`{"prose":"Please ignore the first delta.","deltas":[` + kill + `,` + edit + `]}`:     "AMBIGUOUS_DELTA 1:53 KILL H2; 1 EDIT T1",
		"For example:\n\n" + `{"prose":"p","deltas":[` + kill + `]}`:                          "AMBIGUOUS_DELTA 3:24 KILL H2",
		`{"prose":"p","deltas":["KILL H2",` + edit + `]}`:                                     "INVALID_JSON 1:24; 1 EDIT T1",
		`{"prose":"p","deltas":[` + edit + `],"kills":[{"target_id":"H2","reason":"vague"}]}`: "1 EDIT T1; UNFENCED_DELTA 1:135 KILL H2",
	} {
		if got := account(delta.Read([]byte(reply), delta.Options{NoChanges: true})); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", reply, got, want)
		}
	}
}

// A delta under a key that calls it something else is only shown, by that key.
func TestKeysThatSayWhatADeltaIs(t *testing.T) {
	for _, key := range []string{"rejected_deltas", "example"} {
		r := delta.Read([]byte(`{"`+key+`":[{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"r"}}]}`), delta.Options{})
		if want := `not read: it is under the key "` + key + `"`; len(r.Blocks) != 1 || !r.Blocks[0].Skipped() || r.Blocks[0].Flags[0].Text != want {
			t.Errorf("got %+v, want %s", r.Blocks, want)
		}
	}
}

// account names what became of the blocks of a reply, and where they are.
func account(r delta.Reply) string {
	var all []string
	for i := range r.Blocks {
		b := &r.Blocks[i]
		what := strings.TrimSpace(b.Delta.Operation + " " + b.Delta.Target)
		switch {
		case b.OK:
			all = append(all, fmt.Sprintf("%d %s", b.Line, what))
		case b.Skipped():
			all = append(all, fmt.Sprintf("%d %s %s", b.Line, b.Flags[0].Name, what))
		default:
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %d:%d %s", b.Problems[0].Code, b.Problems[0].Line, b.Problems[0].Column, what)))
		}
	}
	for _, p := range r.Problems {
		all = append(all, fmt.Sprintf("%s %d:%d", p.Code, p.Line, p.Column))
	}
	if r.NoChanges != nil {
		all = append(all, "no changes: "+r.NoChanges.Reason)
	}
	return strings.Join(all, "; ")
}
