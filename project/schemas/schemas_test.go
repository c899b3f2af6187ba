package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"brenner/agent/rehearsal"
	"brenner/project/schemas"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Find(name)
	if !ok {
		t.Fatalf("no schema %s", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if id := doc.(map[string]any)["$id"]; id != name {
		t.Errorf("%s: got $id %v", name, id)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema:"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema:" + name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func TestSchemasCompile(t *testing.T) {
	for _, name := range schemas.Names() {
		compile(t, name)
	}
}

func TestExampleMatchesSchemas(t *testing.T) {
	for file, name := range map[string]string{"base.json": "brenner.artifact/v1", "deltas.json": "brenner.delta/v1"} {
		data, err := os.ReadFile("../../examples/cell-fate/" + file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		schema := compile(t, name)
		docs, isList := doc.([]any)
		if !isList {
			docs = []any{doc}
		}
		wrong := 0
		for _, d := range docs {
			if schema.Validate(d) != nil {
				wrong++
			}
		}
		// One delta of the example is invalid, but only for the merge: it has the form of
		// an EDIT, whose payload the schema does not restrict.
		if wrong != 0 {
			t.Errorf("%s: %d of %d are invalid", file, wrong, len(docs))
		}
	}
}

func TestDeltaSchemaRequiresFields(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(
		`{"agent":"A","timestamp":"2025-12-30T12:00:00Z","operation":"ADD","section":"hypothesis_slate","payload":{"name":"n"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if compile(t, "brenner.delta/v1").Validate(doc) == nil {
		t.Error("the schema accepts it")
	}
}

// Rehearsals are YAML, validated like JSON.
func TestRehearsalSchema(t *testing.T) {
	schema := compile(t, "brenner.rehearsal/v1")
	text, err := os.ReadFile("../../agent/rehearsal/cell-fate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(fromYAML(t, string(text))); err != nil {
		t.Error(err)
	}
	const head = "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n- "
	for script, fits := range map[string]bool{
		"name: A\n  rounds: [{reply: x, repair: y, delay: 1.5s, usage: {input: 3}, cut: true}]":   true,
		"name: A\n  rounds: [{hang: true}, {fail: {code: AGENT_TIMEOUT, times: 0, after: 30ms}}]": true,
		"role: test_designer\n  rounds:":                          true,
		"role: tester":                                            false,
		"name: A\n  role: test_designer":                          false,
		"name: A\n  rounds: [{delay: 3s}]":                        false,
		"name: A\n  rounds: [{reply: x, delay: soon}]":            false,
		"name: A\n  rounds: [{reply: x, dealy: 3s}]":              false,
		"name: A\n  rounds: [{reply: x, fail: {code: NONSENSE}}]": false,
		"name: A\n  rounds: [{reply: x, usage: {input: -3}}]":     false,
	} {
		_, err := rehearsal.Parse([]byte(head + script + "\n"))
		if (err == nil) != fits {
			t.Errorf("the reader disagrees about %s: %v", script, err)
		}
		if err := schema.Validate(fromYAML(t, head+script)); (err == nil) != fits {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func fromYAML(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
