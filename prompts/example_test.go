package prompts_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/merge"
	"brenner/prompts"
	"brenner/roster"
)

func base(t *testing.T) artifact.Artifact {
	t.Helper()
	data, err := os.ReadFile("testdata/base.json")
	if err != nil {
		t.Fatal(err)
	}
	a, err := artifact.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mergeExample merges a template's example under strict scopes, and checks that every delta is
// applied unchanged.
func mergeExample(t *testing.T, onto artifact.Artifact, tmpl prompts.Template, round int) artifact.Artifact {
	t.Helper()
	reply := delta.Read([]byte(tmpl.Example()), delta.Options{Strict: true})
	if n := len(reply.Blocks); len(reply.Problems) > 0 || isShort(tmpl) && n != 1 || !isShort(tmpl) && n < 4 {
		t.Fatalf("%s: %d blocks, %v", tmpl.Name, n, reply.Problems)
	}
	for _, b := range reply.Blocks {
		if !b.OK || len(b.Flags) > 0 || len(b.Delta.Ignored) > 0 || b.Delta.Rationale == "" {
			t.Errorf("%s, line %d: %v %v, ignored %v", tmpl.Name, b.Line, b.Problems, b.Flags, b.Delta.Ignored)
		}
	}
	role := prompts.RoleOf(tmpl.ID())
	rules := merge.Rules{Scopes: merge.DefaultScopes(), Unified: role == prompts.UnifiedName}
	rules.Scopes.Strict = true
	for _, role := range roster.AllRoles() {
		rules.Agents = append(rules.Agents, roster.Entry{Agent: string(role), Role: role})
	}
	author := role
	if rules.Unified {
		author = rules.Agents[0].Agent
	}
	batch := reply.Stamped(delta.Envelope{
		Agent: author, At: time.Date(2026, 1, 10, 9+round, 0, 0, 0, time.UTC),
		MessageID: tmpl.ID(), Message: round, Shown: onto.Metadata.Version,
	})
	merged, report := merge.Merge(onto, batch, rules)
	for _, row := range report.Deltas {
		if row.Disposition != merge.Applied {
			t.Errorf("%s: %s %s %s: %s", tmpl.Name, row.TargetID, row.Disposition, row.Code, row.Message)
		}
		for _, f := range row.Fields {
			if f.Outcome != merge.FieldApplied {
				t.Errorf("%s: %s.%s %s: %s", tmpl.Name, row.TargetID, f.Field, f.Outcome, f.Message)
			}
		}
	}
	for _, w := range report.Warnings {
		incomplete := w.Code == merge.BelowMinimum || w.Code == merge.NoScaleCheck && isShort(tmpl) // it has one delta
		if !incomplete && w.Code != merge.NoProvenance {
			t.Errorf("%s: %s %s", tmpl.Name, w.Code, w.Message)
		}
	}
	checkNewItems(t, tmpl, &onto, &merged)
	return merged
}

// checkNewItems checks that lint has no findings about the items that an example adds.
func checkNewItems(t *testing.T, tmpl prompts.Template, before, after *artifact.Artifact) {
	t.Helper()
	for _, f := range lint.Check(artifact.Document{Artifact: *after}).Findings {
		_, _, isItem := after.Find(f.Item)
		_, _, wasThere := before.Find(f.Item)
		incomplete := f.ID == "WH-101" || f.ID == "EP-003" || f.ID == "IP-001" // others' work
		if isItem && !wasThere && !incomplete {
			t.Errorf("%s: %s %s: %s", tmpl.Name, f.Item, f.ID, f.Message)
		}
	}
}

// TestExamplesAreApplied merges the examples of the three roles in order, each into the result of
// the previous one.
func TestExamplesAreApplied(t *testing.T) {
	a := base(t)
	for i, role := range roster.AllRoles() {
		tmpl, _ := prompts.For(string(role), prompts.Latest)
		a = mergeExample(t, a, tmpl, i+1)
	}
	text := string(a.Markdown())
	for _, want := range []string{
		"### H3: Third Alternative: a night of rising, not of dying",
		"### ~~H2: Oxygen~~ [KILLED]",
		"### H4: Third Alternative: the first count, not the first deaths",
		"### T1: Age of the bodies (Score: 11/12)",
		"bodies of all ages, most of them older than two days",
		"almost no bodies",
		"**Conflicts with**:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the artifact lacks %q", want)
		}
	}
	for _, label := range []string{"h_rise", "h_count"} {
		if strings.Contains(text, label) {
			t.Errorf("the label %s was not resolved:\n%s", label, text)
		}
	}
}

// TestShortExamplesAreApplied does the same with the short templates.
func TestShortExamplesAreApplied(t *testing.T) {
	a := base(t)
	for i, role := range roster.AllRoles() {
		tmpl, _ := prompts.For(string(role), prompts.Latest)
		a = mergeExample(t, a, tmpl.Shortened(), i+1)
	}
	for _, id := range []string{"H3", "T1", "C1"} {
		if _, _, ok := a.Find(id); !ok {
			t.Errorf("the artifact lacks %s", id)
		}
	}
	mergeExample(t, base(t), prompts.Unified(prompts.Latest).Shortened(), 1)
}

func TestUnifiedExampleIsApplied(t *testing.T) {
	a := mergeExample(t, base(t), prompts.Unified(prompts.Latest), 1)
	if text := string(a.Markdown()); strings.Contains(text, "h_rise") || !strings.Contains(text, "H1 vs H3, H2 vs H3") {
		t.Errorf("labels were not resolved:\n%s", text)
	}
}

// TestPromptsContainNoDelta reads prompts as replies: the examples are nested, and nothing else
// looks like a delta.
func TestPromptsContainNoDelta(t *testing.T) {
	for _, tmpl := range prompts.All(prompts.Latest) {
		rights := allRoles(prompts.RoleOf(tmpl.ID()), false)
		for _, text := range []string{tmpl.Prompt(), tmpl.Outputs(1, rights), tmpl.Outputs(2, rights), tmpl.Format(rights)} {
			for _, b := range delta.Read([]byte(text), delta.Options{}).Blocks {
				if !b.Skipped() {
					t.Errorf("%s: line %d is read as a delta: %v %v", tmpl.Name, b.Line, b.Delta.Operation, b.Problems)
				}
			}
		}
	}
}
