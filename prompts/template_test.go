package prompts_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/merge"
	"brenner/prompts"
	"brenner/roster"
)

var update = flag.Bool("update", false, "add the hashes of new template versions to versions.txt")

// A version of a template has one text. To change a template, raise its version and run this test
// with -update, which only adds lines.
func TestVersionsAreFrozen(t *testing.T) {
	for _, tmpl := range prompts.Known() {
		pinned, ok := prompts.HashOf(tmpl.ID())
		switch {
		case !ok && *update:
			f, err := os.OpenFile("versions.txt", os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(tmpl.ID() + " " + tmpl.Hash() + "\n"); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		case !ok:
			t.Errorf("%s is not in versions.txt: run go test ./prompts -update", tmpl.ID())
		case pinned != tmpl.Hash():
			t.Errorf("the text of %s has changed: raise its version in template.go and run go test ./prompts -update", tmpl.ID())
		}
	}
}

func TestVersionsFile(t *testing.T) {
	data, err := os.ReadFile("versions.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(data)) {
		id, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if seen[id] || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" || !strings.Contains(id, "/") {
			t.Errorf("bad line: %q", line)
		}
		seen[id] = true
	}
	for _, id := range []string{"", "unified", "unified/0", "test_designer/", "test_designer/1 "} {
		if _, ok := prompts.HashOf(id); ok {
			t.Errorf("%q has a hash", id)
		}
	}
}

func TestEveryRoleHasTemplate(t *testing.T) {
	var names []string
	for _, role := range roster.AllRoles() {
		tmpl, ok := prompts.For(string(role), prompts.Latest)
		if !ok || tmpl.Name != string(role) {
			t.Errorf("%s: %v %q", role, ok, tmpl.Name)
		}
		names = append(names, tmpl.Name)
	}
	names = append(names, prompts.Unified(prompts.Latest).Name)
	for _, name := range names[:4:4] {
		names = append(names, name+"_short")
	}
	var all []string
	for _, tmpl := range prompts.All(prompts.Latest) {
		all = append(all, tmpl.Name)
	}
	if diff := cmp.Diff(names, all); diff != "" {
		t.Error(diff)
	}
	for _, role := range []string{"", "unified", "researcher", "Test_Designer", "test_designer_short"} {
		if _, ok := prompts.For(role, prompts.Latest); ok {
			t.Errorf("there is a template for the role %q", role)
		}
	}
	if got := prompts.Short(prompts.Unified(prompts.Latest).Hash()); len(got) != 16 || !strings.HasPrefix(prompts.Unified(prompts.Latest).Hash(), got) {
		t.Errorf("short hash %q", got)
	}
}

// TestPartsAreComplete checks that no marker is misspelt: such a part would be empty.
func TestPartsAreComplete(t *testing.T) {
	rights := prompts.Rights{Role: "test_designer", Roles: []string{"test_designer"}, Scopes: merge.DefaultScopes()}
	for _, tmpl := range prompts.All(prompts.Latest) {
		first, later, format := tmpl.Outputs(1, rights), tmpl.Outputs(2, rights), tmpl.Format(rights)
		if first == later || !strings.HasPrefix(first, "1. ") || !strings.HasPrefix(later, "1. ") {
			t.Errorf("%s: first and later rounds have the same outputs", tmpl.Name)
		}
		if tmpl.Outputs(0, rights) != first || tmpl.Outputs(7, rights) != later {
			t.Errorf("%s: rounds below 1 or above 2", tmpl.Name)
		}
		for name, text := range map[string]string{"prompt": tmpl.Prompt(), "outputs": first, "later": later, "format": format, "example": tmpl.Example()} {
			if len(text) < 400 || strings.Contains(text, "<!--") || strings.Contains(text, "{{") || strings.Contains(text, "}}.") {
				t.Errorf("%s: the %s is incomplete:\n%s", tmpl.Name, name, text)
			}
			if strings.Contains(text, "\n\n\n") || strings.Contains(text, " \n") || strings.Contains(text, "\r") {
				t.Errorf("%s: untidy lines in the %s", tmpl.Name, name)
			}
		}
		if !strings.HasPrefix(tmpl.Prompt(), "## Your Role: ") {
			t.Errorf("%s: the prompt has no heading", tmpl.Name)
		}
		if !strings.Contains(format, tmpl.Example()) {
			t.Errorf("%s: the format lacks the example", tmpl.Name)
		}
		least, most := 150, 260
		if isShort(tmpl) {
			least, most = 80, 130
		}
		if lines := strings.Count(tmpl.Text, "\n"); lines < least || lines > most {
			t.Errorf("%s has %d lines, want %d to %d", tmpl.Name, lines, least, most)
		}
	}
}

// TestEveryFieldIsExplained compares the explanations with the section table in both directions.
func TestEveryFieldIsExplained(t *testing.T) {
	format := prompts.Unified(prompts.Latest).Format(prompts.Rights{Unified: true})
	short := prompts.Unified(prompts.Latest).Shortened().Format(prompts.Rights{Unified: true})
	for _, s := range artifact.Sections() {
		spec := s.Spec()
		anchors := false
		references := false
		for _, f := range spec.Fields {
			switch {
			case f.Name == "anchors":
				anchors = true
			case f.Kind == artifact.KindReferences:
				references = true
			case prompts.Meaning(s, f.Name) == "":
				t.Errorf("%s.%s is not explained", s, f.Name)
			case !strings.Contains(format, "- `"+f.Name+"` ("):
				t.Errorf("%s.%s is not in the prompt", s, f.Name)
			case !hasField(short, spec.ID, f.Name):
				t.Errorf("%s.%s is not in the short prompt", s, f.Name)
			}
		}
		for _, name := range prompts.Explained(s) {
			if _, ok := spec.Field(name); !ok {
				t.Errorf("%s has no field %s", s, name)
			}
		}
		// The sentence about anchors and references in common.md.
		if anchors != (s != artifact.PredictionsTable) || references != (s != artifact.ResearchThread) {
			t.Errorf("common.md is wrong about anchors and references of %s", s)
		}
	}
}

// hasField reports whether a short prompt has a field in the line of its section.
func hasField(format, section, field string) bool {
	for line := range strings.Lines(format) {
		if fields, ok := strings.CutPrefix(line, "- `"+section+"`: "); ok {
			return slices.ContainsFunc(strings.FieldsFunc(fields, func(r rune) bool { return strings.ContainsRune(" ,*\n", r) }),
				func(word string) bool { return word == field })
		}
	}
	return false
}

func isShort(t prompts.Template) bool { return prompts.RoleOf(t.ID()) != t.Name }

// Version 2 has a form for a reply without changes. The line is not at the beginning of a line: a
// reply that repeats the prompt does not contain it.
func TestNoChangesInVersionTwo(t *testing.T) {
	for version, want := range map[int]bool{1: false, 2: true} {
		for _, tmpl := range prompts.All(version) {
			format := tmpl.Format(prompts.Rights{Unified: true})
			if got := strings.Contains(format, "`NO CHANGES: reason`"); got != want || strings.Contains(format, "\n`NO CHANGES") {
				t.Errorf("%s: NO CHANGES in the format: %t, want %t", tmpl.ID(), got, want)
			}
			if strings.Contains(tmpl.Text, "{{no") {
				t.Errorf("%s has a placeholder of a version", tmpl.ID())
			}
		}
	}
}
