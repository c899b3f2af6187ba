package delta_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

func TestReadFileFormats(t *testing.T) {
	one := `{"delta_id":"d1","agent":"A","operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"c"},"timestamp":"2025-12-30T12:00:00Z"}`
	for name, text := range map[string]string{
		"array": "[" + one + "]", "object": one, "lines": one + "\n" + one + "\n", "spaced": "\n\n " + one + "  ",
	} {
		deltas, err := delta.ReadFile([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d := deltas[0]
		if d.ID != "d1" || d.Agent != "A" || d.Target != "H1" || d.Payload.Text("claim") != "c" || d.At.IsZero() || d.Problem != nil {
			t.Errorf("%s: got %+v", name, d)
		}
	}
}

func TestReadFileRejectsInvalidJSON(t *testing.T) {
	for text, want := range map[string]fault.Code{
		``:                          artifact.InvalidJSON,
		"  \n":                      artifact.InvalidJSON,
		`[`:                         artifact.InvalidJSON,
		`[1,]`:                      artifact.InvalidJSON,
		`[] []`:                     artifact.InvalidJSON,
		`{"agent":"a","agent":"b"}`: artifact.DuplicateKey,
		`{"payload":{"a":1,"a":2}}`: artifact.DuplicateKey,
		`{"confidence":{"a":1,"a":2},"agent":"x"}`: artifact.DuplicateKey,
		"{\"agent\":\"\xff\"}":                     artifact.InvalidJSON,
	} {
		if _, err := delta.ReadFile([]byte(text)); fault.CodeOf(err) != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestReadFileReportsEveryRow(t *testing.T) {
	deltas, err := delta.ReadFile([]byte(`[42, "x", null, {"agent":5}, {"payload":[]}, {"payload":null,"target_id":null}]`))
	if err != nil || len(deltas) != 6 {
		t.Fatalf("got %d rows, %v", len(deltas), err)
	}
	for i, want := range []fault.Code{
		artifact.InvalidJSON, artifact.InvalidJSON, artifact.InvalidJSON, delta.InvalidField, delta.InvalidField, "",
	} {
		got := fault.Code("")
		if deltas[i].Problem != nil {
			got = deltas[i].Problem.Code
		}
		if got != want {
			t.Errorf("row %d: got %q, want %q", i+1, got, want)
		}
	}
}

func TestReadFileKeepsFieldProblems(t *testing.T) {
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	text := `{"operation":"EDIT","payload":{"big":9007199254740993,"ok":9007199254740992,"huge":1e400,"null":null,
		"forged":{"x":{"$conflict":[]}},"deep":` + deep + `,"fine":{"a":[null]}}}`
	deltas, err := delta.ReadFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range deltas[0].Payload {
		good := f.Name == "ok" || f.Name == "fine"
		if (f.Bad == "") != good || (f.Value != nil) != good {
			t.Errorf("%s: got %+v", f.Name, f)
		}
	}
}

func TestAddLabels(t *testing.T) {
	deltas, err := delta.ReadFile([]byte(`[
		{"operation":"ADD","ref":"new","target_id":"H4","id":"H4","payload":{"id":"H5","ref":"new","claim":"c"}},
		{"operation":"EDIT","target_id":"H4","payload":{"id":"H5","claim":"c"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(deltas[0].Labels, " "); got != "H4 H5 new" || deltas[0].Target != "" || len(deltas[0].Payload) != 1 {
		t.Errorf("%s: got %+v", got, deltas[0])
	}
	if len(deltas[1].Labels) != 0 || deltas[1].Target != "H4" || len(deltas[1].Payload) != 2 {
		t.Errorf("%+v", deltas[1])
	}
}

func TestContentIgnoresForm(t *testing.T) {
	read := func(text string) delta.Delta {
		deltas, err := delta.ReadFile([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return deltas[0]
	}
	a := read(`{"delta_id":"d1","agent":"A","timestamp":"2025-12-30T13:00:00+01:00","operation":"ADD","payload":{"b":1,"a":2}}`)
	b := read(`{"payload":{"a":2,"b":1.0},"operation":"ADD","timestamp":"2025-12-30t12:00:00z","agent":"A","delta_id":"d2"}`)
	c := read(`{"payload":{"a":2,"b":1},"operation":"ADD","timestamp":"2025-12-30T12:00:00Z","agent":"B"}`)
	if a.Hash() != b.Hash() {
		t.Errorf("equal deltas have different content:\n%s\n%s", a.Content(), b.Content())
	}
	if a.Hash() == c.Hash() {
		t.Error("different authors have the same hash")
	}
	if _, err := artifact.ParseValue(a.Content(), artifact.MaxDepth); err != nil {
		t.Errorf("the content is not valid JSON: %v", err)
	}
}

// TestLines checks the line of each row of a file.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		array := rapid.Bool().Draw(t, "array")
		space := rapid.StringMatching(`[ \t\n]{0,4}`)
		var b strings.Builder
		b.WriteString(space.Draw(t, "head"))
		if array {
			b.WriteString("[")
		}
		var want []int
		for i := range rapid.IntRange(1, 6).Draw(t, "rows") {
			if i > 0 && array {
				b.WriteString(space.Draw(t, "before the comma") + ",")
			}
			b.WriteString("\n" + space.Draw(t, "gap"))
			want = append(want, 1+strings.Count(b.String(), "\n"))
			b.WriteString(rapid.SampledFrom([]string{`{}`, "{\n\"agent\":\"a,\\n\"}", `7`, "\"[\""}).Draw(t, "row"))
		}
		if array {
			b.WriteString(space.Draw(t, "tail") + "]")
		}
		deltas, err := delta.ReadFile([]byte(b.String()))
		if got := delta.Lines([]byte(b.String())); err != nil || len(deltas) != len(want) || !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v (%v)", b.String(), got, want, err)
		}
	})
}
