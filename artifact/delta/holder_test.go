package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// What stands beside an operation under other names than those of the format: what is certain is taken, what is open is asked.
func TestFieldsBesideOperations(t *testing.T) {
	const h1, p1 = `"operation":"EDIT","section":"hypothesis_slate","target_id":"H1",`, `"operation":"EDIT","section":"predictions_table","target_id":"P1",`
	const newH, newP = `"operation":"ADD","section":"hypothesis_slate",`, `"operation":"ADD","section":"predictions_table",`
	for body, want := range map[string]string{
		h1 + `"changes":{"mechanism":"m"}`:                                   "EDIT H1 mechanism=m",
		h1 + `"updates":{"mechanism":"m"},"status":"final"`:                  "EDIT H1 mechanism=m",
		h1 + `"field":"mechanism","value":"m"`:                               "EDIT H1 mechanism=m",
		h1 + `"field":"mechanism","payload":{"value":"m"}`:                   "EDIT H1 mechanism=m",
		h1 + `"field":"claim","old_value":"b","new_value":"c"`:               "EDIT H1 claim=c",
		h1 + `"from":{"claim":"b"},"to":{"claim":"c"}`:                       "EDIT H1 claim=c",
		h1 + `"changes":[{"field":"claim","to":"c"}]`:                        "EDIT H1 claim=c",
		newH + `"hypothesis":{"name":"Relay","claim":"c"}`:                   "ADD claim=c name=Relay",
		`"op":"KILL","id":"H2","reason":"r"`:                                 "KILL H2 reason=r",
		`"operation":"EDIT","target_id":"H1","payload":{"claim":"c"}`:        "EDIT H1 claim=c",
		p1 + `"payload":{"predictions":{"Way 0":"a","the way 1":"b"}}`:       "EDIT P1 predictions=[{H1 a} {H2 b}]",
		p1 + `"payload":{"Way 0":"a","Way 1":"b"}`:                           "EDIT P1 predictions=[{H1 a} {H2 b}]",
		newP + `"payload":{"condition":"d","predictions":{"Way 0":"a"}}`:     "ADD condition=d predictions=[{H1 a}]",
		newP + `"payload":{"condition":"Relay","predictions":{"Relay":"a"}}`: "ADD condition=Relay predictions=[{Relay a}]", // it may be the name of a new one
		newP + `"payload":{"condition":"way 0","predictions":{"way 0":"a"}}`: "ADD condition=way 0 predictions=[{way 0 a}]", // or a label
		h1 + `"changes":{"mechanism":"m"},"payload":{"claim":"c"}`:           "asked",
		h1 + `"changes":"the mechanism is m"`:                                "asked",
		h1 + `"field":"colour","value":"red"`:                                "asked",
		h1 + `"field":"claim"`:                                               "asked",
		`"operation":"ADD","payload":{"name":"Relay","claim":"c"}`:           "asked",
		newP + `"payload":{"condition":"d","predictions":{"Wave":"a"}}`:      "asked",
	} {
		text := "```delta\n{" + body + "}\n```\n"
		reply := delta.Read([]byte(text), delta.Options{Base: base()})
		got, b := "asked", &reply.Blocks[0]
		if b.OK {
			got = strings.TrimSpace(b.Delta.Operation + " " + b.Delta.Target)
			for _, f := range b.Delta.Payload {
				got += fmt.Sprintf(" %s=%v", f.Name, f.Value)
			}
		}
		if len(reply.Blocks) != 1 || got != want {
			t.Errorf("%s: got %q, want %q: %+v", body, got, want, b.Problems)
		}
		if strict := delta.Read([]byte(text), delta.Options{Strict: true, Base: base()}); strict.Blocks[0].OK && len(b.Flags) > 0 {
			t.Errorf("%s: taken although it is not exact", body)
		}
	}
}

// An item that an object has without a value is to be killed, and asked for.
func TestItemsWithoutValues(t *testing.T) {
	const block = "```delta\n" + `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"c"}}` + "\n```\n\n"
	for text, want := range map[string]int{"{\"hypothesis_slate\":{\"H2\":null}}": 2, "{\"H2\":null}": 2, "{\"predictions\":{\"H2\":null}}": 1, "{\"H2\":\"null\"}": 1} {
		reply := delta.Read([]byte(block+"```json\n"+text+"\n```\n"), delta.Options{})
		if len(reply.Blocks) != want || want == 2 && (reply.Blocks[1].Delta.Target != "H2" || reply.Blocks[1].Delta.Operation != delta.Kill || reply.Blocks[1].OK) {
			t.Errorf("%s: got %+v", text, reply.Blocks)
		}
	}
}
