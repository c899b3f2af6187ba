package yaml_test

import (
	"strings"
	"testing"

	"brenner/internal/yaml"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]struct {
		line   int
		detail string
	}{
		"a: 1\nb: [2, 3]\n":      {},
		"":                       {},
		"# only a comment\n":     {},
		"a: 1\n---\nb: 2\n":      {2, "a second document"},
		"a: &x 1\n":              {1, "the anchor &x"},
		"a: 1\nb: *x\n":          {2, "invalid YAML"},
		"a: !!binary x\n":        {1, "the tag !!binary"},
		"a: 1\nb: \xff\n":        {2, "not UTF-8"},
		"a: 1\n\x00\n":           {2, "control characters"},
		"a: 1\nb:\n - c\n  d: 1": {4, "invalid YAML"},
	} {
		root, p := yaml.Read([]byte(text))
		switch {
		case want.detail == "" && p != nil:
			t.Errorf("%q: got %+v", text, p)
		case want.detail != "" && (p == nil || p.Line != want.line || !strings.Contains(p.Detail, want.detail) || p.Hint == "" || root != nil):
			t.Errorf("%q: got %+v", text, p)
		}
	}
}

// FuzzRead checks that no file crashes Read or yields neither a document nor a problem.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a: [1, {b: c}]\n"))
	f.Add([]byte("a: &x {b: *x}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, p := yaml.Read(data)
		if p != nil && (root != nil || p.Line < 1 || p.Detail == "") {
			t.Errorf("%+v", p)
		}
	})
}
