package delta

import (
	"strings"
	"testing"
	"time"

	"brenner/artifact"
)

// payloadOf returns the payload of a delta as JSON, without rejected fields.
func payloadOf(d *Delta) string {
	var fields []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			fields = append(fields, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	return string(artifact.Canonical(artifact.MapOf(fields...)))
}

// Mere form is normalised; everything else stays as written, for the merge to judge.
func TestNormalisePayloads(t *testing.T) {
	for _, c := range []struct{ operation, section, payload, want string }{
		// a string for a list, a list for a string
		{"EDIT", "hypothesis_slate", `{"anchors":"§1"}`, `{"anchors":["§1"]}`},
		{"EDIT", "hypothesis_slate", `{"anchors":" "}`, `{"anchors":" "}`},
		{"EDIT", "hypothesis_slate", `{"mechanism":["one","two"]}`, `{"mechanism":"one\ntwo"}`},
		{"EDIT", "hypothesis_slate", `{"mechanism":["one",2]}`, `{"mechanism":["one",2]}`},
		{"EDIT", "hypothesis_slate", `{"mechanism":[]}`, `{"mechanism":[]}`},
		{"EDIT", "discriminative_tests", `{"discriminates":["H1","H2"]}`, `{"discriminates":"H1 vs H2"}`},
		{"EDIT", "discriminative_tests", `{"discriminates":["H1 vs H2","H1 vs H3"]}`, `{"discriminates":"H1 vs H2, H1 vs H3"}`},
		{"EDIT", "hypothesis_slate", `{"references":{"session":"RS-1","item":"H1","relation":"extends"}}`, `{"references":[{"item":"H1","relation":"extends","session":"RS-1"}]}`},
		// yes and no, statuses in capitals, quoted numbers
		{"EDIT", "hypothesis_slate", `{"third_alternative":"true"}`, `{"third_alternative":true}`},
		{"EDIT", "hypothesis_slate", `{"third_alternative":"perhaps"}`, `{"third_alternative":"perhaps"}`},
		{"EDIT", "assumption_ledger", `{"status":" Verified"}`, `{"status":"verified"}`},
		{"EDIT", "assumption_ledger", `{"status":"Proven"}`, `{"status":"Proven"}`},
		{"EDIT", "discriminative_tests", `{"score":{"cost":"2","speed":"fast","ambiguity":"12"}}`, `{"score":{"ambiguity":"12","cost":2,"speed":"fast"}}`},
		{"EDIT", "predictions_table", `{"predictions":{"H1":3,"H2":true}}`, `{"predictions":{"H1":"3","H2":"true"}}`},
		// other names of fields that are absent and accept the value
		{"EDIT", "anomaly_register", `{"anomaly":"o","contradicts":["H1"]}`, `{"conflicts_with":["H1"],"observation":"o"}`},
		{"EDIT", "anomaly_register", `{"anomaly":"o","observation":"p"}`, `{"anomaly":"o","observation":"p"}`},
		{"EDIT", "anomaly_register", `{"anomaly":{"a":1}}`, `{"anomaly":{"a":1}}`},
		{"EDIT", "hypothesis_slate", `{"Third Alternative":true,"whyNot":"x"}`, `{"third_alternative":true,"whyNot":"x"}`},
		{"KILL", "hypothesis_slate", `{"why":"w"}`, `{"reason":"w"}`},
		{"KILL", "hypothesis_slate", `{"why":"w","reason":"r"}`, `{"reason":"r","why":"w"}`},
	} {
		text := fencedDelta(`{"operation":"` + c.operation + `","section":"` + c.section + `","target_id":"Z1","payload":` + c.payload + `}`)
		r := Read([]byte(text), Options{})
		if len(r.Blocks) != 1 || !r.Blocks[0].OK {
			t.Errorf("%s: got %s", c.payload, outcomes(r))
			continue
		}
		b := &r.Blocks[0]
		if got := payloadOf(&b.Delta); got != c.want {
			t.Errorf("%s: got %s, want %s", c.payload, got, c.want)
		}
		if changed := strings.Contains(outcome(b), FlagNormalised); changed != (c.want != canonical(t, c.payload)) {
			t.Errorf("%s: got %s", c.payload, outcome(b))
		}
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	v, err := artifact.ParseValue([]byte(text), artifact.MaxDepth)
	if err != nil {
		t.Fatal(err)
	}
	return string(artifact.Canonical(v))
}

// The author and time of a delta come from the envelope, never from the text, and are not
// the name of the new item.
func TestAuthorAndTimeComeFromEnvelope(t *testing.T) {
	text := fencedDelta(`{"delta_id":"d-mine","agent":"Judge","timestamp":"2099-01-01T00:00:00Z","operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"}}`)
	at := time.Date(2025, 12, 30, 12, 0, 0, 0, time.UTC)
	r := Read([]byte(text), Options{})
	all := r.Stamped(Envelope{Agent: "Blue", At: at, MessageID: "m", Message: 3, Shown: 2})
	if len(all) != 1 {
		t.Fatal(outcomes(r))
	}
	d := all[0]
	if d.Agent != "Blue" || !d.At.Equal(at) || d.ID == "d-mine" || len(d.Labels) > 0 || len(d.Ignored) > 0 || *d.Place != (Place{Message: 3, Block: 1, Shown: 2}) {
		t.Errorf("%+v", d)
	}
	if r.Blocks[0].Written != "d-mine" {
		t.Errorf("%+v", r.Blocks[0])
	}
}

// Keys of a delta are strings; a label may have any of three names.
func TestDeltaKeys(t *testing.T) {
	r := Read([]byte(fencedDelta(`{"operation":"ADD","section":7,"payload":{"name":"N","claim":"C"}}`)), Options{})
	if got := outcomes(r); got != "INVALID_FIELD INVALID_SECTION" {
		t.Error(got)
	}
	const body = `"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"`
	for _, text := range []string{`{"ref":"L",` + body + `}}`, `{"id":"L",` + body + `}}`, `{"target_id":"L",` + body + `}}`, `{` + body + `,"ref":"L"}}`, `{` + body + `,"id":"L"}}`} {
		all, err := ReadFile([]byte(text))
		if err != nil || len(all) != 1 || strings.Join(all[0].Labels, " ") != "L" || all[0].Target != "" {
			t.Errorf("%s: got %+v, %v", text, all, err)
		}
	}
}
