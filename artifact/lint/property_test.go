package lint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
	"brenner/artifact/lint"
)

// anyValue draws a field value: valid, invalid or hostile.
func anyValue(t *rapid.T) any {
	words := rapid.SampledFrom([]string{
		"", " ", "x", "H1", "H9 vs H2", "§12", "§9-3", "§1-1000000000", "EV-001#E1", "inference", "[inference]",
		"Third Alternative", "scale check", "unchecked", "N/A", "indeterminate", "| a | b |", "# no heading\n```", "\x1b[31m", "ſ", "a\u2028b",
	})
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return rapid.Float64Range(-10, 10).Draw(t, "number")
	case 1:
		return rapid.Bool().Draw(t, "flag")
	case 2:
		return asAny(rapid.SliceOfN(words, 0, 3).Draw(t, "list"))
	case 3:
		m := map[string]any{}
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"H1", "H2", "H3", "H9", "T1", "cost", "x", "session", "item"}), 0, 4).Draw(t, "keys") {
			m[key] = words.Draw(t, "value")
		}
		return m
	case 4:
		return map[string]any{"$conflict": []any{
			map[string]any{"agent": words.Draw(t, "agent"), "delta_id": "d-1", "value": words.Draw(t, "value")},
			map[string]any{"agent": "RedCreek", "delta_id": "d-2", "value": words.Draw(t, "value")},
		}}
	default:
		return words.Draw(t, "text")
	}
}

func asAny(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// anyDocument draws documents: nearly complete ones, and random ones.
func anyDocument(tb testing.TB) *rapid.Generator[artifact.Document] {
	changed := rapid.Custom(func(t *rapid.T) *artifact.Document { return nearlyWhole(t, tb) }).Filter(func(d *artifact.Document) bool {
		return d != nil
	})
	return rapid.Custom(func(t *rapid.T) artifact.Document {
		if rapid.IntRange(0, 3).Draw(t, "wild") == 0 {
			return artifact.Document{Artifact: artifacttest.Any().Draw(t, "artifact")}
		}
		return *changed.Draw(t, "changed")
	})
}

// nearlyWhole draws the base with some changes, to exercise most rules. It is nil if the
// result is not an artifact, such as one with unresolved: true.
func nearlyWhole(t *rapid.T, tb testing.TB) *artifact.Document {
	d := newDraft(tb)
	ids := []string{"RT", "H1", "H2", "H3", "P1", "P2", "P3", "T1", "T2", "A1", "A2", "A3", "X1", "C1", "C2"}
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		id := rapid.SampledFrom(ids).Draw(t, "item")
		item, _, _ := d.find(id)
		if item == nil {
			continue
		}
		section, _ := artifact.SectionOfID(id)
		fields := []string{"unknown", "labels", "unresolved"}
		for _, f := range section.Spec().Fields {
			fields = append(fields, f.Name)
		}
		switch field := rapid.SampledFrom(fields).Draw(t, "field"); rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			delete(item, field)
		case 1:
			_ = d.kill(id, "kill", rapid.SampledFrom([]string{"", "why"}).Draw(t, "reason"))
		case 2:
			item["unresolved"] = asAny(rapid.SliceOfN(rapid.SampledFrom([]string{"predictions.H1", "conflicts_with.H1", "discriminates.H2", "x"}), 1, 2).Draw(t, "places"))
		default:
			item[field] = anyValue(t)
		}
	}
	data, err := json.Marshal(d.root)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := artifact.Read(data)
	if err != nil {
		return nil
	}
	return &doc
}

func TestCheckProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := anyDocument(t).Draw(rt, "document")
		before := string(doc.Artifact.JSON())
		first := lint.Check(doc)
		if diff := gocmp.Diff(first, lint.Check(doc)); diff != "" {
			rt.Fatalf("not idempotent:\n%s", diff)
		}
		if string(doc.Artifact.JSON()) != before {
			rt.Fatal("Check changed the artifact")
		}
		checkPrintable(rt, first)
	})
}

// An artifact has the same findings in JSON and in Markdown.
func TestJSONAndMarkdownAgree(t *testing.T) {
	// A malformed file has no equivalent in the other format.
	wellFormed := anyDocument(t).Filter(func(d artifact.Document) bool { return len(d.Problems) == 0 })
	rapid.Check(t, func(rt *rapid.T) {
		doc := wellFormed.Draw(rt, "document")
		text, _ := doc.Artifact.MarkdownLines()
		fromText, err := artifact.Read(text)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := gocmp.Diff(lint.Check(doc), lint.Check(fromText)); diff != "" {
			rt.Fatalf("JSON and Markdown disagree:\n%s\n%s", diff, text)
		}
	})
}

type failer interface{ Fatalf(string, ...any) }

func checkPrintable(t failer, r lint.Result) {
	for _, f := range r.Findings {
		if f.Line < 1 || f.Message == "" || f.Fix == "" {
			t.Fatalf("incomplete: %+v", f)
		}
		if strings.ContainsFunc(f.Message+f.Fix, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("not printable: %q %q", f.Message, f.Fix)
		}
		if len(f.Message) > 4000 || len(f.Fix) > 4000 {
			t.Fatalf("too long: %d, %d", len(f.Message), len(f.Fix))
		}
	}
}

// Findings about hostile names are safe to print.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"\x7f", "\x1b[2J", "a\nb", "\u202egnp.exe", strings.Repeat("long", 1000), "\ufeff"} {
		d := newDraft(t)
		for _, id := range []string{"RT", "H2", "P1", "T1", "X1"} {
			item, _, _ := d.find(id)
			if err := set(item, name, "conflict", ""); err != nil {
				t.Fatal(err)
			}
			item["unresolved"] = []any{"predictions." + name}
		}
		p1, _, _ := d.find("P1")
		p1["predictions"] = map[string]any{name: "x", "H1": name, "H2": name}
		x1, _, _ := d.find("X1")
		x1["status"], x1["conflicts_with"], x1["killed"], x1["killed_by"] = name, []any{name}, true, name
		h3, _, _ := d.find("H3")
		h3["id"], h3["anchors"], h3["name"] = "H"+name, []any{name}, name
		metadata := object(d.root["metadata"])
		metadata["session_id"], metadata["status"], metadata["created_at"], metadata["version"] = name, name, name, name
		data, err := json.Marshal(d.root)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := artifact.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		result := lint.Check(doc)
		checkPrintable(t, result)
		if len(result.Findings) < 10 {
			t.Errorf("%q: got %v", name, names(result))
		}
	}
}

func FuzzCheck(f *testing.F) {
	base := newDraft(f)
	data, err := json.Marshal(base.root)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"metadata":{},"sections":{}}`))
	f.Add([]byte("# Brenner Protocol Artifact: x\n\n## 1. Research Thread\n"))
	for _, sc := range readScenarios(f)[:40] {
		doc := sc.document(f)
		f.Add(doc.Artifact.JSON())
	}
	if doc, err := artifact.Read(data); err == nil {
		text, _ := doc.Artifact.MarkdownLines()
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := artifact.Read(data)
		if err != nil {
			return
		}
		if err := lint.Unreadable(doc); err != nil && err.Error() == "" {
			t.Fatal("empty error text")
		}
		checkPrintable(t, lint.Check(doc))
	})
}

// many returns an artifact with n items; item returns the JSON of item i of a section.
func many(t testing.TB, n int, item func(prefix string, i int) string) artifact.Document {
	t.Helper()
	d := newDraft(t)
	data, err := json.Marshal(d.root["metadata"])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"metadata":%s,"sections":{"research_thread":{"statement":"s","context":"c","why_it_matters":"w","anchors":["§1"]}`, data)
	for _, s := range artifact.Sections()[1:] {
		fmt.Fprintf(&b, `,"%s":[`, s)
		for i := 1; i <= n/6; i++ {
			if i > 1 {
				b.WriteByte(',')
			}
			b.WriteString(item(s.Spec().Prefix, i))
		}
		b.WriteByte(']')
	}
	b.WriteString("}}")
	doc, err := artifact.Read([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
