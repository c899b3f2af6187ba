package contexts_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store/record"
)

// Agents see summaries; full content is only for the reader of papers and the writer of the
// manuscript.
func TestBuiltInContextsShowSummaries(t *testing.T) {
	for _, access := range policy.DefaultAccess() {
		spec := contexts.Default(access)
		var types []string
		for i, v := range spec.Types {
			types = append(types, v.Type)
			full := access.Role == policy.Reader && v.Type == record.PaperNote || access.Role == policy.Writer && v.Type == record.ManuscriptSection
			if (v.Form == view.Full) != full || v.Max < 1 || v.Max > contexts.MaxOfKnowledge {
				t.Errorf("%s: %+v", access.Role, v)
			}
			if i > 0 && spec.Types[i-1].Priority <= v.Priority {
				t.Errorf("%s: the priority of %s is not below that of the type before it", access.Role, v.Type)
			}
		}
		if !slices.Equal(types, access.Read) || spec.Bound() != contexts.DefaultTokens {
			t.Errorf("%s: %+v", access.Role, spec)
		}
	}
}

// The bound is exact, to the token.
func TestContextBoundIsExact(t *testing.T) {
	in := anInput("test_designer")
	c, err := contexts.Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Spec.MaxTokens = c.Tokens
	if again, err := contexts.Assemble(in); err != nil || again.Text != c.Text {
		t.Errorf("%v\n%s", err, again.Text)
	}
	in.Spec.MaxTokens--
	if _, err := contexts.Assemble(in); fault.CodeOf(err) != view.TooLarge {
		t.Error(err)
	}
}

// Every context starts with an overview, or the reason why it is missing.
func TestContextStartsWithTheOverview(t *testing.T) {
	in := anInput("test_designer")
	brief := aRecord("brief", record.ProjectBrief, record.Project, 0)
	open := func() string {
		c, err := contexts.Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(c.Text, "\n\n# Your task")
		return text
	}
	if got := open(); got != "# The project\n\nIt has no canonical brief yet." {
		t.Error(got)
	}
	in.Overview = []contexts.Material{{Record: brief}}
	in.Spec.MaxTokens = 1000
	for _, c := range []struct{ by, change, content, want string }{
		{record.Given, "", "How?", "  Goal:\n  | How?"},
		{record.Given, "", "# Brief\n\nHow?\n\n## Scope\n\n- mice", "  The brief does not state a goal. The summary by its author:\n  | summary of brief\n  Scope:\n  | - mice"},
		{record.Given, contexts.AgentSummary + "Ada", "# Brief", "  The brief does not state a goal."},
		{record.Extracted, "", "# Brief\n\nHow?", "  The brief does not state a goal."},
		{record.Given, "", "Goal: " + strings.Repeat("g", 100) + "\nScope: s\nAudience: " + strings.Repeat("a", 400) + "\nGlossary: " + strings.Repeat("x", 200), "  Goal:\n  | " + strings.Repeat("g", 100) + "\n  Scope:\n  | s\n  Left out of the brief, for lack of room: glossary, audience."},
	} {
		in.Overview[0].Record.SummaryBy, in.Overview[0].Record.Change, in.Overview[0].Content = c.by, c.change, []byte(c.content)
		if got := open(); got != "# The project\n\n- project_brief brief@v1\n"+c.want {
			t.Errorf("%s\n\nwant\n%s", got, c.want)
		}
	}
	in.Access = slices.DeleteFunc(slices.Clone(in.Access), func(a policy.Access) bool { return a.Role == in.Spec.Role })
	if got := open(); got != "# The project\n\nIts brief is not for this role." {
		t.Error(got)
	}
}

// All inputs are shown as summaries before any is shown in full.
func TestLongInputDoesNotDisplaceOthers(t *testing.T) {
	in := anInput(policy.Reader)
	for _, id := range []string{"a", "b", "c"} {
		m := material(aRecord(id, record.PaperNote, "fate", 0), contexts.Pinned)
		m.Content = []byte(strings.Repeat("word ", 40))
		in.Materials = append(in.Materials, m)
	}
	full := 0
	for in.Spec.MaxTokens = 100; in.Spec.MaxTokens < 1000; in.Spec.MaxTokens++ { // bytes
		c, err := contexts.Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(strings.Join(shown(c), " "), "full"); n > 0 && len(c.Shown) < 3 {
			t.Fatalf("bound %d: %v", in.Spec.MaxTokens, shown(c))
		} else if n < full {
			t.Fatalf("bound %d: fewer in full than with a lower bound: %v", in.Spec.MaxTokens, shown(c))
		} else {
			full = n
		}
	}
	if full != 3 {
		t.Errorf("%d in full", full)
	}
}

// A research artifact is shown by as many of its items as fit, behind a bar.
func TestResearchArtifactInContext(t *testing.T) {
	var a artifact.Artifact
	for _, id := range []string{"H1", "H2"} {
		a.Sections[artifact.HypothesisSlate] = append(a.Sections[artifact.HypothesisSlate], &artifact.Item{
			ID: id, Fields: []artifact.Field{{Name: "claim", Value: artifact.Text("what " + id + " says")}},
		})
	}
	in := anInput("test_designer")
	m := material(aRecord("RS-20260101-cells", record.ResearchArtifact, "fate", 0), contexts.Apart)
	m.Artifact = &a
	in.Materials = []contexts.Material{m}
	c, err := contexts.Assemble(in)
	if err != nil || len(c.Shown) != 1 || c.Shown[0].Form != view.Sections {
		t.Fatalf("%+v, %v", c.Shown, err)
	}
	_, text, _ := strings.Cut(c.Text, "summary of RS-20260101-cells\n")
	if !strings.Contains(text, "claim: what H2 says\n") {
		t.Error(c.Text)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "  |") {
			t.Errorf("a line without a bar: %q", line)
		}
	}
	in.Spec.Types = []contexts.TypeView{{Type: record.ResearchArtifact, Form: view.Full, Max: 1}}
	if c, err = contexts.Assemble(in); err != nil || c.Shown[0].Form != view.Full || c.Shown[0].Cut {
		t.Errorf("%+v, %v", c.Shown, err)
	}
	in.Materials[0].Artifact = nil
	short, err := contexts.Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Materials[0].Artifact, in.Spec.MaxTokens = &a, short.Tokens+60 // not even the ids fit
	if c, err = contexts.Assemble(in); err != nil || len(c.Shown) != 1 || c.Shown[0].Form != view.Summary || !c.Shown[0].Cut {
		t.Errorf("%+v, %v", c.Shown, err)
	}
}
