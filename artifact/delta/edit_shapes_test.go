package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact/delta"
)

// Shapes in which models write the payload of an EDIT: what is certain is taken, and what is open is asked.
func TestShapesOfEdits(t *testing.T) {
	for _, c := range []struct{ target, payload, want string }{
		{"H1", `{"changes":{"mechanism":"m"}}`, "mechanism=m"},
		{"H1", `{"set":{"Mechanism":"m","claim":"c"}}`, "claim=c mechanism=m"},
		{"H1", `{"id":"H1","fields":{"claim":"c"}}`, "claim=c"},
		{"H1", `{"H1":{"claim":"c"}}`, "claim=c"},
		{"H1", `{"hypothesis":{"claim":"c"}}`, "claim=c"},
		{"T1", `{"test":{"procedure":"p"}}`, "procedure=p"},
		{"A1", `{"test":"t"}`, "test=t"},
		{"H1", `{"old":{"claim":"b"},"new":{"claim":"c"}}`, "claim=c"},
		{"H1", `{"before":{"claim":"b"},"after":{"claim":"c"}}`, "claim=c"},
		{"H1", `{"updates":{"H1":{"claim":"c"}}}`, "claim=c"},
		{"H1", `{"field":"mechanism","value":"m"}`, "mechanism=m"},
		{"H1", `{"field":"H1.claim","old_value":"b","new_value":"c"}`, "claim=c"},
		{"H1", `{"changes":[{"field":"claim","new":"c"},{"field":"mechanism","old":"l","new":"m"}]}`, "claim=c mechanism=m"},
		{"H1", `{"claim":{"from":"b","to":"c"}}`, "claim=c"},
		{"H1", `{"claim":{"current":"b","proposed":"c"},"mechanism":"m"}`, "claim=c mechanism=m"},
		{"T1", `{"score":{"speed":{"from":1,"to":3}}}`, "score=[{speed 3}]"},
		{"P1", `{"predictions":{"H1":{"old":"x","new":"y"},"H2":"unchanged"}}`, "predictions=[{H1 y} {H2 unchanged}]"},
		{"P1", `{"H1":"x","H2":"y"}`, "predictions=[{H1 x} {H2 y}]"},
		{"P1.H2", `{"prediction":"unchanged"}`, "prediction=unchanged"},
		{"H1", `{"mechanism_old":"l","mechanism_new":"m"}`, "mechanism=m"},
		{"H1", `{"old_claim":"b","claim":"c"}`, "claim=c"},
		{"H1", `{"updated_claim":"c"}`, "claim=c"},
		{"H1", `{"append_to_anchors":["§4"]}`, "anchors=[§4]"},
		{"H1", `{"mechanism":"(unchanged)","claim":"c"}`, "claim=c"},
		{"H1", `{"mechanism":"Same as before.","name":"no change","claim":"c"}`, "claim=c"},
		{"H1", `{"claim":"The same cells are unchanged"}`, "claim=The same cells are unchanged"},
		{"T1", `{"status":"failed"}`, "status=failed"},
		{"X1", `{"status":"resolved"}`, "status=resolved"},
		{"A1", `{"status":"falsified"}`, "status=falsified"},
		{"C1", `{"current_status":"withdrawn"}`, "current_status=withdrawn"},
		{"H1", `{"confidence":"low","claim":"c"}`, "claim=c confidence=low"},
		{"H1", `{"status":"promising"}`, "status=promising"},
		{"H1", `{"changes":"two words"}`, "changes=two words"},
		{"H1", `{"previous_estimate":"x"}`, "previous_estimate=x"},
		{"X1", `{"observation":{"early":"a","late":"b"}}`, "observation=early: a\nlate: b"},
		{"T1", `{"last_run":{"before":"a","after":"b"}}`, "last_run=[{after b} {before a}]"},

		{"H1", `{"changes":{"mechanism":"m"},"claim":"c"}`, "asked"},
		{"H1", `{"append_to_mechanism":"m"}`, "asked"},
		{"H1", `{"new_claim":"c","claim":"b"}`, "asked"},
		{"H1", `{"mechanism":"... and m"}`, "asked"},
		{"H1", `{"mechanism":"[existing text] plus m"}`, "asked"},
		{"H1", `{"mechanism":"(unchanged)"}`, "asked"},
		{"H1", `{"claim":{"from":"b"}}`, "asked"},
		{"H1", `{"status":"killed"}`, "asked"},
		{"H1", `{"status":"dead","claim":"c"}`, "asked"},
		{"T1", `{"status":"removed"}`, "asked"},
		{"C1", `{"status":"Killed."}`, "asked"},
		{"H1", `{"killed":true}`, "asked"},
		{"H1", `{"active":false}`, "asked"},
		{"H1", `{"action":"kill"}`, "asked"},
		{"P1", `{"H1":"x","predictions":{"H2":"y"}}`, "asked"},
	} {
		section := map[byte]string{'H': "hypothesis_slate", 'P': "predictions_table", 'T': "discriminative_tests", 'A': "assumption_ledger", 'X': "anomaly_register", 'C': "adversarial_critique"}[c.target[0]]
		text := "```delta\n" + fmt.Sprintf(`{"operation":"EDIT","section":%q,"target_id":%q,"payload":%s}`, section, c.target, c.payload) + "\n```\n"
		reply := delta.Read([]byte(text), delta.Options{})
		got := "asked"
		if b := &reply.Blocks[0]; b.OK {
			var fields []string
			for _, f := range b.Delta.Payload {
				if f.Name != "id" { // the merge leaves it out
					fields = append(fields, fmt.Sprintf("%s=%v", f.Name, f.Value))
				}
			}
			got = strings.Join(fields, " ")
		}
		if len(reply.Blocks) != 1 || got != c.want {
			t.Errorf("%s %s: got %q, want %q: %+v", c.target, c.payload, got, c.want, reply.Blocks[0].Problems)
		}
		if strict := delta.Read([]byte(text), delta.Options{Strict: true}); strict.Blocks[0].OK && len(reply.Blocks[0].Flags) > 0 {
			t.Errorf("%s %s: taken although it is not exact", c.target, c.payload)
		}
		if older := delta.Read([]byte(text), delta.Options{Reader: delta.FifthReader}); c.want == "asked" && !strings.Contains(c.payload, `"from"`) && !older.Blocks[0].OK {
			t.Errorf("%s %s: refused by the fifth reader", c.target, c.payload)
		}
	}
}

// A short LaTeX command beside others is no line break.
func TestShortLatexCommands(t *testing.T) {
	for text, want := range map[string]string{
		`\\beta`: `\beta`, `\beta, \nu`: `\beta, \nu`, `\nu and \lambda`: `\nu and \lambda`, `a \ne b, \sim c`: `a \ne b, \sim c`, `so:\nu is \lambda`: "so:\nu is \\lambda", `one \nu two`: "one \nu two", `\lambda is \now`: "\\lambda is \now",
	} {
		reply := delta.Read([]byte("```delta\n"+`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"x `+text+`"}}`+"\n```\n"), delta.Options{})
		if got := strings.TrimPrefix(reply.Blocks[0].Delta.Payload.Text("claim"), "x "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
