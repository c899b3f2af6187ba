package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"brenner/project/schemas"
)

// fits checks JSON against a published schema.
func fits(t *testing.T, name, text string) {
	t.Helper()
	published, _ := schemas.Find(name)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %.600s", err, text)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema:"+name, schema); err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("schema:" + name).Validate(doc); err != nil {
		t.Errorf("%v", err)
	}
}
