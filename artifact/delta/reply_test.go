package delta

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/artifact/delta/fieldform"
	"brenner/internal/fault"
)

const (
	good     = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"}}`
	goodEdit = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"D"}}`
	goodKill = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"R"}}`
)

func fencedDelta(json string) string { return "```delta\n" + json + "\n```\n" }

// outcome formats a block in one line: flags, codes and the delta's content.
func outcome(b *Block) string {
	var words []string
	for _, f := range b.Flags {
		words = append(words, f.Name)
	}
	for _, p := range b.Problems {
		words = append(words, string(p.Code))
	}
	if b.OK {
		words = append(words, "ok", b.Delta.Operation)
	}
	return strings.Join(words, " ")
}

func outcomes(r Reply) string {
	var all []string
	for i := range r.Blocks {
		all = append(all, outcome(&r.Blocks[i]))
	}
	for _, p := range r.Problems {
		all = append(all, "reply "+string(p.Code))
	}
	return strings.Join(all, " | ")
}

// TestReadAgentReplies covers the table of merge_semantics §8, row by row, in both
// modes.
func TestReadAgentReplies(t *testing.T) {
	hypothesis := func(payload string) string {
		return fencedDelta(`{"operation":"ADD","section":"hypothesis_slate","payload":` + payload + `}`)
	}
	for _, c := range []struct{ name, text, lenient, strict string }{
		// fences
		{"fence", fencedDelta(good), "ok ADD", "ok ADD"},
		{"tildes", "~~~delta\n" + good + "\n~~~", "ok ADD", "ok ADD"},
		{"attributes and case", "  ````Delta {#a}\n" + good + "\n  `````", "ok ADD", "ok ADD"},
		{"crlf", "```delta\r\n" + good + "\r\n```\r\n", "ok ADD", "ok ADD"},
		{"no closing fence", "```delta\n" + good, "truncated ok ADD", "truncated ok ADD"},
		{"no closing fence, and words", "```delta\n" + good + "\n\nThat is all.", "repaired truncated ok ADD", "repaired truncated UNFENCED_DELTA"},
		{"cut off", "```delta\n" + good[:40], "truncated INVALID_JSON", "truncated INVALID_JSON"},
		{"empty", "```delta\n\n```\n", "INVALID_JSON", "INVALID_JSON"},
		// blocks and lists of deltas
		{"colons", ":::delta\n" + good + "\n:::\n", "ok ADD", "ok ADD"},
		{"colons around a fence", ":::delta\n```json\n" + good + "\n```\n:::\n", "ok ADD", "ok ADD"},
		{"list", fencedDelta("[" + good + "," + goodEdit + "]"), "ok ADD | ok EDIT", "ok ADD | ok EDIT"},
		{"list with a stranger", fencedDelta("[" + good + ", 7]"), "ok ADD | INVALID_JSON", "ok ADD | INVALID_JSON"},
		{"list cut off", "```delta\n[" + good + "," + goodEdit[:30], "truncated ok ADD | truncated INVALID_JSON", "truncated INVALID_JSON"},
		{"empty list", fencedDelta("[]"), "reply NO_DELTAS", "reply NO_DELTAS"},
		{"one after the other", fencedDelta(good + "\n" + goodEdit), "repaired ok ADD | repaired ok EDIT", "INVALID_JSON"},
		{"wrapped", fencedDelta(`{"deltas":[` + good + "," + goodKill + `]}`), "normalised ok ADD | normalised ok KILL", "INVALID_OPERATION"},
		// repairs
		{"trailing comma", fencedDelta(good[:len(good)-1] + ",}"), "repaired ok ADD", "INVALID_JSON"},
		{"comment", fencedDelta("// mine\n" + good), "repaired ok ADD", "INVALID_JSON"},
		{"single quotes", fencedDelta(strings.ReplaceAll(good, `"`, "'")), "repaired ok ADD", "INVALID_JSON"},
		{"words behind", fencedDelta(good + "\nas discussed"), "repaired ok ADD", "INVALID_JSON"},
		{"brace too many", fencedDelta(good + "}"), "repaired ok ADD", "INVALID_JSON"},
		{"half a delta behind", fencedDelta(good + `{"operation":`), "repaired ok ADD | repaired INVALID_JSON", "INVALID_JSON"},
		// outside a fence
		{"json fence", "```json\n" + good + "\n```\n", "unfenced ok ADD", "unfenced UNFENCED_DELTA"},
		{"no word", "```\n" + goodEdit + "\n```\n", "unfenced ok EDIT", "unfenced UNFENCED_DELTA"},
		{"json fence kills", "```json\n" + goodKill + "\n```\n", "unfenced UNFENCED_DELTA", "unfenced UNFENCED_DELTA"},
		{"json fence with a list", "```json\n[" + good + "," + goodKill + "]\n```\n", "unfenced ok ADD | unfenced UNFENCED_DELTA", "unfenced UNFENCED_DELTA | unfenced UNFENCED_DELTA"},
		{"json that is no delta", "```json\n{\"operation\": 1, \"x\": 2}\n```\n", "reply NO_DELTAS", "reply NO_DELTAS"},
		{"bare", "I propose " + good + " here.", "unfenced ok ADD", "unfenced UNFENCED_DELTA"},
		{"bare over lines", "So:\n\n{\n  \"operation\": \"ADD\",\n\n  \"section\": \"hypothesis_slate\",\n  \"payload\": {\"name\": \"N\", \"claim\": \"C\"},\n}\n", "unfenced repaired ok ADD", "unfenced repaired UNFENCED_DELTA"},
		{"bare kill", "I propose " + strings.Replace(goodKill, "KILL", "kill", 1), "unfenced normalised UNFENCED_DELTA", "unfenced UNFENCED_DELTA INVALID_OPERATION"},
		{"bare, cut off", "I propose " + good[:60], "unfenced truncated INVALID_JSON", "unfenced truncated UNFENCED_DELTA"},
		{"bare in a line of code", "```delta " + good + "```", "repaired ok ADD", "repaired UNFENCED_DELTA"},
		{"in details", "<details>\n```delta\n" + good + "\n```\n</details>\n", "ok ADD", "ok ADD"},
		// words
		{"operation in lower case", fencedDelta(strings.Replace(good, "ADD", "add", 1)), "normalised ok ADD", "INVALID_OPERATION"},
		{"section by another name", fencedDelta(strings.Replace(good, "hypothesis_slate", "Hypotheses", 1)), "normalised ok ADD", "INVALID_SECTION"},
		{"target on an ADD", fencedDelta(strings.Replace(good, `"section"`, `"target_id":"H9","section"`, 1)), "normalised ok ADD", "INVALID_FIELD"},
		{"ref on an ADD", fencedDelta(strings.Replace(good, `"section"`, `"ref":"H9","section"`, 1)), "ok ADD", "ok ADD"},
		{"keys by other names", fencedDelta(`{"op":"EDIT","section":"hypothesis_slate","targetId":"H1","payload":{"claim":"D"}}`), "normalised ok EDIT", "INVALID_FIELD INVALID_FIELD INVALID_OPERATION"},
		// fields
		{"statement for claim", hypothesis(`{"name":"N","statement":"C"}`), "normalised ok ADD", "INVALID_FIELD MISSING_REQUIRED_FIELD"},
		{"claim and statement", hypothesis(`{"name":"N","claim":"C","statement":"S"}`), "ok ADD", "ok ADD"},
		{"text for a list", hypothesis(`{"name":"N","claim":"C","anchors":"§1"}`), "normalised ok ADD", "INVALID_FIELD"},
		{"fields beside the operation", fencedDelta(`{"operation":"ADD","section":"hypothesis_slate","name":"N","claim":"C"}`), "normalised ok ADD", "INVALID_FIELD MISSING_REQUIRED_FIELD"},
		{"no name", hypothesis(`{"claim":"C"}`), "name_derived ok ADD", "name_derived ok ADD"},
		// rejected
		{"not JSON", fencedDelta("ADD a hypothesis"), "INVALID_JSON", "INVALID_JSON"},
		{"unknown operation", fencedDelta(strings.Replace(good, "ADD", "UPDATE", 1)), "INVALID_OPERATION", "INVALID_OPERATION"},
		{"no operation", fencedDelta(`{"section":"hypothesis_slate","payload":{"name":"N","claim":"C"}}`), "INVALID_OPERATION", "INVALID_OPERATION"},
		{"unknown section", fencedDelta(strings.Replace(good, "hypothesis_slate", "conclusions", 1)), "INVALID_SECTION", "INVALID_SECTION"},
		{"required field missing", hypothesis(`{"name":"N"}`), "MISSING_REQUIRED_FIELD", "MISSING_REQUIRED_FIELD"},
		{"required field blank", hypothesis(`{"name":"N","claim":" "}`), "MISSING_REQUIRED_FIELD", "MISSING_REQUIRED_FIELD"},
		{"required field of another kind", hypothesis(`{"name":"N","claim":7}`), "INVALID_FIELD", "INVALID_FIELD"},
		{"empty EDIT", fencedDelta(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{}}`), "MISSING_REQUIRED_FIELD", "MISSING_REQUIRED_FIELD"},
		{"payload is a text", fencedDelta(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":"x"}`), "INVALID_FIELD MISSING_REQUIRED_FIELD", "INVALID_FIELD MISSING_REQUIRED_FIELD"},
		{"duplicate key", hypothesis(`{"claim":"C","claim":"D"}`), "DUPLICATE_KEY", "DUPLICATE_KEY"},
		{"the others go on", fencedDelta("no") + fencedDelta(good), "INVALID_JSON | ok ADD", "INVALID_JSON | ok ADD"},
		// no delta at all
		{"empty reply", "", "reply NO_DELTAS", "reply NO_DELTAS"},
		{"nothing to say", "I agree with everything.", "reply NO_DELTAS", "reply NO_DELTAS"},
		{"heading", "## Deltas\n\nI would add a hypothesis.", "reply PROSE_ONLY", "reply PROSE_ONLY"},
		{"operation in prose", "1. **ADD** hypothesis: cells count", "PROSE_ONLY", "PROSE_ONLY"},
		{"numbered", "Delta 1: cells count\n", "PROSE_ONLY", "PROSE_ONLY"},
		{"only words", "Delta cells secrete somatostatin. Add salt.", "reply NO_DELTAS", "reply NO_DELTAS"},
		// only shown
		{"quoted", "> " + strings.ReplaceAll(fencedDelta(goodKill), "\n", "\n> ") + "\n", "quoted | reply NO_DELTAS", "quoted | reply NO_DELTAS"},
		{"bare in a quote", "> " + good + "\nand lazily " + good, "quoted | quoted | reply NO_DELTAS", "quoted | quoted | reply NO_DELTAS"},
		{"nested", "````md\n" + fencedDelta(goodKill) + "````\n", "nested | reply NO_DELTAS", "nested | reply NO_DELTAS"},
		{"nested in a plain fence", "~~~\n" + fencedDelta(good) + "~~~\n", "nested | reply NO_DELTAS", "nested | reply NO_DELTAS"},
		{"comment", "<!--\n" + fencedDelta(goodKill) + "-->\n", "commented | reply NO_DELTAS", "commented | reply NO_DELTAS"},
		{"comment in a line", "So <!-- " + good + " --> it is", "commented | reply NO_DELTAS", "commented | reply NO_DELTAS"},
		{"indented code", "So:\n\n    " + good + "\n", "unfenced UNFENCED_DELTA", "unfenced UNFENCED_DELTA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, version := range Readers() {
				lenient, strict := c.lenient, c.strict
				if frozen, ok := byFirstReader[c.name]; ok && version == FirstReader {
					lenient, strict = frozen[0], frozen[1]
				}
				if got := outcomes(Read([]byte(c.text), Options{Reader: version})); got != lenient {
					t.Errorf("%s, lenient: got %s, want %s", version, got, lenient)
				}
				if got := outcomes(Read([]byte(c.text), Options{Reader: version, Strict: true})); got != strict {
					t.Errorf("%s, strict: got %s, want %s", version, got, strict)
				}
			}
		})
	}
}

// byFirstReader are the outcomes of TestReadAgentReplies that the second reader changed.
var byFirstReader = map[string][2]string{
	"comment in a line":           {"reply NO_DELTAS", "reply NO_DELTAS"},
	"no closing fence, and words": {"truncated repaired ok ADD", "truncated INVALID_JSON"},
	"bare in a line of code":      {"unfenced ok ADD", "unfenced UNFENCED_DELTA"},
	"in details":                  {"unfenced ok ADD", "unfenced UNFENCED_DELTA"},
	"operation in prose":          {"reply PROSE_ONLY", "reply PROSE_ONLY"},
	"numbered":                    {"reply PROSE_ONLY", "reply PROSE_ONLY"},
	"bare in a quote":             {"reply NO_DELTAS", "reply NO_DELTAS"},
	"indented code":               {"reply NO_DELTAS", "reply NO_DELTAS"},
}

func TestReadPlacesProblems(t *testing.T) {
	text := "Words.\n\n" +
		"```delta\n{\"operation\": \"ADD\",\n \"section\": \"conclusions\",\n \"payload\": {}}\n```\n" + // 3
		"- item\n\n  ```delta\n  {\"operation\": \"ADD\", \"section\": \"tests\", \"payload\": {\n    procedure: 'x', }}\n  ```\n" + // 10
		"```delta\n[" + good + ",\n {\"operation\": \"ADD\", \"operation\": \"EDIT\"}]\n```\n" + // 14
		"```delta\n{\"operation\": \"ADD\" \"section\"}\n```\n" // 18
	type place struct {
		block, line, column int
		code                fault.Code
	}
	var got []place
	for _, b := range Read([]byte(text), Options{}).Blocks {
		for _, p := range b.Problems {
			got = append(got, place{b.Line, p.Line, p.Column, p.Code})
			if p.Hint == "" || p.Message == "" {
				t.Errorf("%s without a message", p.Code)
			}
		}
	}
	want := []place{
		{3, 5, 2, InvalidSection},
		{10, 11, 44, MissingRequiredField},
		{16, 16, 23, "DUPLICATE_KEY"},
		{18, 19, 21, "INVALID_JSON"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadSkipsExamples(t *testing.T) {
	example := fencedDelta(`{"operation":"KILL", "section":"hypothesis_slate", "target_id":"H2", "payload":{"reason":"an example"}}`)
	copied := fencedDelta("{\"payload\": {\"reason\": \"an example\",}, 'target_id': \"H2\",\n \"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"agent\": \"Me\"}")
	for _, given := range []string{example, strings.Trim(strings.TrimSpace(example), "`delt\n")} {
		opt := Options{Examples: []string{given}}
		if got := outcomes(Read([]byte(example+copied+fencedDelta(good)), opt)); got != "example | example | ok ADD" {
			t.Errorf("example %q: got %s", given, got)
		}
		if got := outcomes(Read([]byte("As you say: "+given), opt)); got != "example | reply NO_DELTAS" && given != example {
			t.Errorf("bare example: got %s", got)
		}
	}
}

func TestReadLimits(t *testing.T) {
	if got := outcomes(Read([]byte(fencedDelta(good)), Options{MaxBytes: 20})); got != "reply MESSAGE_TOO_LARGE" {
		t.Error(got)
	}
	three := []byte(strings.Repeat(fencedDelta(good), 3))
	if got := outcomes(Read(three, Options{MaxBlocks: 2})); got != "reply MESSAGE_TOO_LARGE" {
		t.Error(got)
	}
	if got := outcomes(Read(three, Options{MaxBlocks: 3})); got != "ok ADD | ok ADD | ok ADD" {
		t.Error(got)
	}
	list := []byte(fencedDelta("[" + strings.Repeat("1,", 200) + "1]"))
	if got := outcomes(Read(list, Options{MaxBlocks: 100})); got != "reply MESSAGE_TOO_LARGE" {
		t.Error(got)
	}
}

func TestStampedUsesEnvelope(t *testing.T) {
	text := fencedDelta(`{"delta_id":"d-mine","agent":"Somebody","timestamp":"2001-01-01T00:00:00Z",`+good[1:]) +
		fencedDelta(`{"operation":"ADD","section":"hypothesis_slate","ref":"H7","payload":{"name":"no claim"}}`) +
		"> " + strings.ReplaceAll(fencedDelta(goodKill), "\n", "\n> ")
	reply := Read([]byte(text), Options{})
	env := Envelope{
		Agent: "BlueLake", At: time.Date(2025, 12, 30, 12, 0, 0, 5, time.UTC), MessageID: "m-7", Message: 3, Shown: 2,
	}
	deltas := reply.Stamped(env)
	if len(deltas) != 2 || reply.Blocks[0].Written != "d-mine" {
		t.Fatalf("got %d deltas, written %q", len(deltas), reply.Blocks[0].Written)
	}
	for i, d := range deltas {
		if d.Agent != "BlueLake" || d.Timestamp != "2025-12-30T12:00:00.000000005Z" || !d.At.Equal(env.At) ||
			*d.Place != (Place{Message: 3, Block: i + 1, Shown: 2}) || !strings.HasPrefix(d.ID, "d-") || d.ID == "d-mine" {
			t.Errorf("%d: got %+v", i, d)
		}
	}
	bad := deltas[1]
	if bad.Problem == nil || bad.Problem.Code != MissingRequiredField || !strings.Contains(bad.Problem.Message, "line 5") {
		t.Errorf("%+v", bad.Problem)
	}
	if !slices.Equal(bad.Labels, []string{"H7"}) || bad.Operation != Add {
		t.Errorf("a rejected ADD lost its label: %+v", bad)
	}
	again := reply.Stamped(env)
	env.MessageID = "m-8"
	other := reply.Stamped(env)
	if again[0].ID != deltas[0].ID || other[0].ID == deltas[0].ID {
		t.Error("ids must be derived from message, position and content")
	}
}

func TestReadMapsFieldsOfEverySection(t *testing.T) {
	for _, c := range []struct{ section, payload, want string }{
		{"Thread", `{"question":"Q","background":"B"}`, "statement=Q context=B"},
		{"H", `{"hypothesis":"C","title":"N","tags":"x"}`, `claim=C name=N labels=["x"]`},
		{"hypothesis", `{"Claim":"C","name":"N","isThirdAlternative":"yes"}`, "claim=C name=N third_alternative=true"},
		{"predictions", `{"scenario":"S","outcomes":{"H1":1,"H2":true}}`, `condition=S predictions={"H1":"1","H2":"true"}`},
		{"2. Predictions Table", `{"description":"S","predictions":{"H1":"a"}}`, `condition=S predictions={"H1":"a"}`},
		{
			"tests", `{"design":["one","two"],"outcomes":{"H1":"a"},"name":"N","discriminates":["H1","H2"],"score":{"cost":"2"}}`,
			"procedure=one\ntwo expected_outcomes={\"H1\":\"a\"} name=N discriminates=H1 vs H2 score={\"cost\":2}",
		},
		{"assumptions", `{"assumption":"S","name":"N","status":"Unchecked"}`, "statement=S name=N status=unchecked"},
		{"anomalies", `{"anomaly":"O","name":"N","conflicts_with":"H1"}`, `observation=O name=N conflicts_with=["H1"]`},
		{"critique", `{"description":"A","name":"N","status":"open"}`, "attack=A name=N current_status=open"},
	} {
		op := `"ADD"`
		if c.section == "Thread" {
			op = `"EDIT"`
		}
		text := fencedDelta(`{"operation":` + op + `,"section":"` + c.section + `","payload":` + c.payload + `}`)
		b := Read([]byte(text), Options{}).Blocks[0]
		if !b.OK || !b.Flagged(FlagNormalised) {
			t.Errorf("%s: got %s, %v", c.section, outcome(&b), b.Problems)
			continue
		}
		var got []string
		for _, w := range strings.Split(c.want, " ") {
			name, _, ok := strings.Cut(w, "=")
			if !ok {
				continue
			}
			f, _ := b.Delta.Payload.Get(name)
			got = append(got, fmt.Sprintf("%s=%s", name, shown(f)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", c.section, strings.Join(got, " "), c.want)
		}
	}
}

func TestReadKeepsCells(t *testing.T) {
	text := fencedDelta(`{"operation":"EDIT","section":"predictions_table","target_id":"P2.H1","payload":{"prediction":"x"}}`)
	b := Read([]byte(text), Options{}).Blocks[0]
	if !b.OK || b.Delta.Payload.Text("prediction") != "x" || len(b.Flags) > 0 {
		t.Errorf("%+v", b)
	}
}

func TestNamesAreFirstWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Cells count", "Cells count"},
		{"Cells count their divisions. Then they stop.", "Cells count their divisions"},
		{"H4: one two three four five six seven eight nine", "one two three four five six seven eight"},
		{"a\nb", "a b"},
		{strings.Repeat("x", 100), strings.Repeat("x", 60)},
		{"  ", ""},
	} {
		if got := fieldform.NameFrom(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
