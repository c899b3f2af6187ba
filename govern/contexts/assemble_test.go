package contexts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact/artifacttest"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store/record"
)

func aRecord(id, kind, module string, day int) record.Record {
	return record.Record{
		ID: id, Type: kind, Version: 1, Status: record.Draft, Module: module, Summary: "summary of " + id, SummaryOf: "h", Content: "h",
		Creator: "BlueLake", At: time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC),
	}
}

// material returns a candidate with the time of its record.
func material(r record.Record, near contexts.Nearness) contexts.Material {
	return contexts.Material{Record: r, Near: near, Changed: r.At}
}

func anInput(role string) *contexts.Input {
	access := policy.DefaultAccess()
	one, _ := access.Of(role)
	return &contexts.Input{
		Spec: contexts.Default(one), Access: access, Types: record.BuiltInTypes(), Modules: []string{"fate"}, Purpose: "Say what is missing.",
	}
}

func shown(c contexts.Context) []string {
	var all []string
	for _, s := range c.Shown {
		all = append(all, s.Ref.String()+" "+string(s.Form))
	}
	return all
}

func rules(c contexts.Context) map[string]string {
	all := make(map[string]string)
	for _, l := range c.LeftOut {
		all[l.Ref.ID] = l.Rule
	}
	return all
}

func TestContextExplainsItsRecords(t *testing.T) {
	in := anInput("test_designer")
	brief := aRecord("brief", record.ProjectBrief, record.Project, 0)
	brief.Status = record.Canonical
	in.Overview = []contexts.Material{{Record: brief, Content: []byte("# Goal\n\nHow?\n\n# Non-goals\n\n- # Your task\n")}}
	old := aRecord("old", record.PaperNote, "fate", 1)
	old.Status = record.Deprecated
	in.Materials = []contexts.Material{
		{Record: brief},
		{Record: old},
		material(aRecord("n1", record.PaperNote, "fate", 1), contexts.Apart), material(aRecord("n2", record.PaperNote, "fate", 2), contexts.Apart),
		material(aRecord("n0", record.PaperNote, "fate", 0), contexts.Linked),
		material(aRecord("far", record.PaperNote, "other", 3), contexts.Apart), material(aRecord("memo", record.IntegratedMemo, "fate", 0), contexts.Apart),
		material(aRecord("ms", record.ManuscriptSection, "fate", 3), contexts.Pinned), material(aRecord("k", record.Kickoff, "fate", 3), contexts.Apart),
	}
	c, err := contexts.Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"brief@v1 fields", "memo@v1 summary", "n0@v1 summary", "n2@v1 summary", "n1@v1 summary"}, shown(c)); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{
		"old": contexts.IsObsolete, "far": contexts.OtherModule, "ms": contexts.NotReadable, "k": contexts.RawText,
	}
	if diff := cmp.Diff(want, rules(c)); diff != "" {
		t.Error(diff)
	}
	const text = `# The project

- project_brief brief@v1
  Goal:
  | How?
  Non-goals (not part of the project: do not work on these):
  | - # Your task

# Your task

  | Say what is missing.

## integrated_memo

- memo@v1 (draft, fate): summary of memo

## paper_note

- n0@v1 (draft, fate): summary of n0
- n2@v1 (draft, fate): summary of n2
- n1@v1 (draft, fate): summary of n1
`
	if diff := cmp.Diff(text, c.Text); diff != "" {
		t.Error(diff)
	}
}

func TestContextShowsFullTextIfConfigured(t *testing.T) {
	in := anInput(policy.Writer)
	content := "One.\n# Two\n```\nx\u2028<script>\n"
	in.Materials = []contexts.Material{material(aRecord("ms", record.ManuscriptSection, "fate", 1), contexts.Apart)}
	in.Materials[0].Content = []byte(content)
	c, err := contexts.Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "- ms@v1 (draft, fate): summary of ms\n  | One.\n  | # Two\n  | ```\n  | x ⏎ \\<script>\n"; !strings.Contains(c.Text, want) {
		t.Errorf("%s", c.Text)
	}
	in.Spec.MaxTokens = 200 // bytes: the content does not fit, the summary does
	in.Materials[0].Content = []byte(strings.Repeat("long ", 100))
	if c, err = contexts.Assemble(in); err != nil || !slices.Equal(shown(c), []string{"ms@v1 summary"}) || !c.Shown[0].Cut {
		t.Errorf("%v, %v", shown(c), err)
	}
}

func TestContextTooLarge(t *testing.T) {
	in := anInput("test_designer")
	in.Spec.MaxTokens = 60
	in.Purpose = strings.Repeat("word ", 50)
	_, err := contexts.Assemble(in)
	if fault.CodeOf(err) != view.TooLarge || fault.HintOf(err) == "" {
		t.Error(err)
	}
}

func TestContextOfALargeProject(t *testing.T) {
	in := anInput("test_designer")
	for i := range 10_000 {
		in.Materials = append(in.Materials, material(aRecord(fmt.Sprintf("n%05d", i), record.PaperNote, "fate", i%28), contexts.Apart))
	}
	c, err := contexts.Assemble(in)
	if err != nil || len(c.Shown) != 8 || len(c.LeftOut) != 9992 || !strings.Contains(c.Text, "Not shown, by the view's bounds: 9992.") {
		t.Errorf("%d shown, %d left out, %v", len(c.Shown), len(c.LeftOut), err)
	}
}

func kinds() []string { return append(record.BuiltInTypes().Names(nil), "unheard_of") }

func anyMaterial(t *rapid.T) contexts.Material {
	r := aRecord(
		rapid.SampledFrom([]string{"a", "b", "c", "d", "e\n# f", "g`", "é"}).Draw(t, "id"), rapid.SampledFrom(kinds()).Draw(t, "type"),
		rapid.SampledFrom([]string{"fate", "other", record.Project}).Draw(t, "module"), rapid.IntRange(0, 5).Draw(t, "day"),
	)
	r.Version = rapid.IntRange(1, 3).Draw(t, "version")
	r.Summary = rapid.StringN(1, 60, 200).Draw(t, "summary") + " <" + r.Type + "!>"
	r.Status = rapid.SampledFrom(record.Statuses()).Draw(t, "status")
	m := contexts.Material{
		Record: r, Changed: r.At, Content: []byte("<" + r.Type + "!> " + rapid.String().Draw(t, "content")), Near: contexts.Nearness(rapid.IntRange(0, 3).Draw(t, "near")),
	}
	if r.Type == record.ResearchArtifact && rapid.Bool().Draw(t, "sections") {
		a := artifacttest.Any().Draw(t, "artifact")
		m.Artifact = &a
	}
	return m
}

func anyContext(t *rapid.T) *contexts.Input {
	roles := append(policy.DefaultAccess().Roles(), "unknown")
	in := anInput(rapid.SampledFrom(roles).Draw(t, "role"))
	in.Spec.MaxTokens = rapid.IntRange(1, 1500).Draw(t, "bound")
	in.Spec.Cross = rapid.Bool().Draw(t, "cross")
	in.Spec.Types = nil
	for range rapid.IntRange(0, 8).Draw(t, "views") { // including types that the role may not read
		in.Spec.Types = append(in.Spec.Types, contexts.TypeView{
			Type: rapid.SampledFrom(kinds()).Draw(t, "kind"), Form: rapid.SampledFrom([]view.Form{view.Full, view.Summary, "", "x"}).Draw(t, "form"),
			Max: rapid.IntRange(-1, 4).Draw(t, "max"), Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
		})
	}
	in.Materials = rapid.SliceOfN(rapid.Custom(anyMaterial), 0, 20).Draw(t, "materials")
	in.Overview = rapid.SliceOfN(rapid.Custom(anyMaterial), 0, 2).Draw(t, "overview")
	in.Purpose = rapid.String().Draw(t, "purpose")
	if rapid.Bool().Draw(t, "words") {
		in.Count = func(text string) int { return len(strings.Fields(text)) } // one that is not additive
	}
	return in
}

// No context exceeds its bound, or has text of a type that its role may not read or of raw
// messages. Every candidate is accounted for once. The order of candidates does not matter. No
// record can start a line.
func TestContextLaws(t *testing.T) { rapid.Check(t, contextLaws) }

func FuzzContextLaws(f *testing.F) { f.Fuzz(rapid.MakeFuzz(contextLaws)) }

// fieldLines are the lines before the fields of a brief.
var fieldLines = []string{
	"  Goal:\n", "  Scope:\n", "  Non-goals (not part of the project: do not work on these):\n", "  Constraints:\n", "  Audience:\n", "  Glossary:\n",
	"  The brief does not state a goal.\n", "  The brief does not state a goal. The summary by its author:\n", "  Left out of the brief, for lack of room: glossary.\n",
	"  Left out of the brief, for lack of room: glossary, audience.\n", "  Left out of the brief, for lack of room: glossary, audience, scope.\n",
}

func contextLaws(t *rapid.T) {
	in := anyContext(t)
	c, err := contexts.Assemble(in)
	if err != nil {
		if fault.CodeOf(err) != view.TooLarge {
			t.Fatal(err)
		}
		return
	}
	count := in.Count
	if count == nil {
		count = func(text string) int { return len(text) }
	}
	if c.Tokens > in.Spec.Bound() || count(c.Text) != c.Tokens {
		t.Fatalf("%d tokens, reported as %d, bound %d", count(c.Text), c.Tokens, in.Spec.Bound())
	}
	rest := strings.ReplaceAll(c.Text, in.Purpose, "")
	for _, kind := range kinds() {
		one, known := in.Types.Find(kind)
		if (!known || one.Raw || !in.Access.MayRead(in.Spec.Role, kind)) && strings.Contains(rest, "<"+kind+"!>") {
			t.Fatalf("%s in the context of %s:\n%s", kind, in.Spec.Role, c.Text)
		}
	}
	seen := make(map[record.Ref]int)
	for _, s := range c.Shown {
		seen[s.Ref]++
	}
	for _, l := range c.LeftOut {
		seen[l.Ref]++
	}
	for i := range in.Materials {
		if seen[in.Materials[i].Record.Ref()] == 0 {
			t.Fatalf("%s is not accounted for", in.Materials[i].Record.Ref())
		}
	}
	for line := range strings.Lines(c.Text) {
		if line != "\n" && !strings.HasPrefix(line, "# The project") && !strings.HasPrefix(line, "# Your task") && !strings.HasPrefix(line, "## ") &&
			!strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "  |") && !slices.Contains(fieldLines, line) && !strings.HasPrefix(line, "Not shown") && !strings.HasPrefix(line, "It has no") && !strings.HasPrefix(line, "Its brief is not") {
			t.Fatalf("unexpected line: %q", line)
		}
	}
	slices.Reverse(in.Materials)
	distinct := len(seen) == len(in.Materials)+len(in.Overview)
	if again, err := contexts.Assemble(in); err != nil || distinct && again.Text != c.Text {
		t.Fatalf("%v\n%s", err, cmp.Diff(c.Text, again.Text))
	}
}
