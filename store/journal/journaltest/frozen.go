// Package journaltest checks that journaled types do not change. It is for tests only.
package journaltest

import (
	"encoding"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/journaled.golden")

const golden = "testdata/journaled.golden"

const frozen = `Stored structs are frozen: journals and exports of earlier versions must still verify.
Never remove, rename, move or retype a key. Add a new one at the end of its struct, with omitempty
or omitzero, so that it changes nothing for sessions and loops opened without it. If that is what
you did: go test . -update, and read the diff. See docs/decisions/0058.`

// Frozen compares the JSON keys of structs, also nested ones, with the package's golden file:
// order, options and Go types. Every type that the package decodes from a journal must be passed.
func Frozen(t *testing.T, values ...any) {
	t.Helper()
	d := &description{seen: make(map[reflect.Type]bool)}
	for _, v := range values {
		d.structure(reflect.TypeOf(v))
	}
	for _, name := range decoded(t) {
		if !strings.Contains("\n"+d.String(), "."+name+"\n") {
			t.Errorf("%s is decoded from a journal: pass it to Frozen", name)
		}
	}
	if *update {
		if before, err := os.ReadFile(golden); err == nil {
			if wrong := violations(string(before), d.String()); len(wrong) > 0 {
				t.Fatalf("%s is not rewritten:\n%s\n%s", golden, strings.Join(wrong, "\n"), frozen)
			}
		}
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(d.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), d.String()); diff != "" {
		t.Errorf("%s differs (-file +program):\n%s\n%s", golden, diff, frozen)
	}
}

// violations returns the incompatible changes from an old description to a new one.
func violations(before, after string) []string {
	var wrong []string
	now := structs(after)
	for name, keys := range structs(before) {
		rest := now[name]
		for _, key := range keys {
			if len(rest) == 0 || rest[0] != key {
				wrong = append(wrong, name+": key removed, moved or changed:"+key)
				rest = nil
				break
			}
			rest = rest[1:]
		}
		for _, key := range rest {
			if !strings.Contains(key, "omitempty") && !strings.Contains(key, "omitzero") {
				wrong = append(wrong, name+": new key without omitempty or omitzero:"+key)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

func structs(description string) map[string][]string {
	all, name := make(map[string][]string), ""
	for line := range strings.Lines(description) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") {
			all[name] = append(all[name], line)
			continue
		}
		name = line
		all[name] = nil
	}
	return all
}

// decoded returns the types that the sources of the package under test decode from journal entries.
func decoded(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`\b[dD]ecode\[(\w\w+)\]\(`).FindAllSubmatch(source, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}

type description struct {
	strings.Builder
	seen map[reflect.Type]bool
}

// structure describes a struct, then the nested ones.
func (d *description) structure(s reflect.Type) {
	if d.seen[s] {
		return
	}
	d.seen[s] = true
	_, _ = fmt.Fprintf(d, "%s\n", s)
	var inner []reflect.Type
	for i := range s.NumField() {
		f := s.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if !tagged {
			tag = f.Name
			if f.Anonymous {
				tag = ",embed"
			}
		}
		_, _ = fmt.Fprintf(d, "\t%s %s\n", tag, typeName(f.Type))
		inner = append(inner, structsIn(f.Type)...)
	}
	for _, one := range inner {
		d.structure(one)
	}
}

// typeName returns a type's name, with its underlying type if it is a named one.
func typeName(t reflect.Type) string {
	if t.Name() == "" || t.PkgPath() == "" || t.Kind() == reflect.Struct {
		return t.String()
	}
	return t.String() + " (" + t.Kind().String() + ")"
}

// structsIn returns the structs inside a type whose fields are part of its JSON.
func structsIn(t reflect.Type) []reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return structsIn(t.Elem())
	case reflect.Struct:
		if !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			return []reflect.Type{t}
		}
	}
	return nil
}
