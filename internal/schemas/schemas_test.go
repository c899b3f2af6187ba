package schemas_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"brenner/internal/schemas"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Find(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if id := doc.(map[string]any)["$id"]; id != name {
		t.Errorf("%s calls itself %v", name, id)
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

func TestEverySchemaCompilesAndKnowsItsName(t *testing.T) {
	for _, name := range schemas.Names() {
		compile(t, name)
	}
}

func TestTheExampleFitsItsSchemas(t *testing.T) {
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
		// One delta of the example is wrong on purpose, but only in the merge's
		// eyes: its form is that of an EDIT, whose payload the schema leaves open.
		if wrong != 0 {
			t.Errorf("%s: %d of %d do not fit", file, wrong, len(docs))
		}
	}
}

func TestAnAddWithoutItsRequiredFieldDoesNotFit(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(
		`{"agent":"A","timestamp":"2025-12-30T12:00:00Z","operation":"ADD","section":"hypothesis_slate","payload":{"name":"n"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if compile(t, "brenner.delta/v1").Validate(doc) == nil {
		t.Error("it fits")
	}
}
