package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
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

// Every schema that a command's output names is published.
func TestSchemasOfCommandsArePublished(t *testing.T) {
	named, found := regexp.MustCompile(`"(brenner\.[a-z.]+/v\d+)"`), 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, name := range named.FindAllSubmatch(code, -1) {
			found++
			if _, ok := schemas.Find(string(name[1])); !ok {
				t.Errorf("%s: no schema %s is published", path, name[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d schemas found: %v", found, err)
	}
}
