package govern_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store/record"
)

// slate returns a research artifact with some hypotheses.
func slate(t *testing.T, hypotheses int) string {
	t.Helper()
	var items []string
	for i := range hypotheses {
		items = append(items, fmt.Sprintf(`{"id":"H%d","name":"Gradient %d","claim":"Claim %d: a gradient tells cells where they are."}`, i+1, i+1, i+1))
	}
	text := `{"metadata":{"session_id":"RS-20260101-cells","version":1},"sections":{"research_thread":{"id":"RT","statement":"How do cells decide?"},"hypothesis_slate":[` + strings.Join(items, ",") + `]}}`
	a, err := artifact.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(a.JSON())
}

func TestResearchArtifactIsShownBySections(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "a note"))
		k.putBySession("RS-20260101-cells", record.ResearchArtifact, slate(k.T, 30))
		show := func(bound int) *govern.AssembledContext {
			k.Helper()
			k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: bound, Types: []contexts.TypeView{
				{Type: record.ResearchArtifact, Max: 3, Priority: 2}, {Type: record.PaperNote, Max: 3, Priority: 1},
			}}}
			return k.context(govern.Request{Role: policy.Integrator, Modules: []string{"fate"}})
		}
		form := func(g *govern.AssembledContext) (f view.Form) {
			for _, s := range g.Shown {
				if s.Type == record.ResearchArtifact {
					f = s.Form
				}
			}
			return f
		}
		// Without room the summary; with more room the ids and what fits; then all.
		last := -1
		for _, bound := range []int{400, 1500, 3000, 20_000} {
			g := show(bound)
			k.equal(fmt.Sprint("within the bound, ", bound), g.Tokens <= bound, true)
			k.equal("all records are shown before any is shown at length", shownIDs(g), []string{"RS-20260101-cells", "note"})
			claims := strings.Count(g.Text, "Claim ")
			if claims <= last && claims < 30 {
				k.Errorf("%d claims within %d tokens, but %d within fewer", claims, bound, last)
			}
			last = claims
			k.equal("deterministic", show(bound).Text, g.Text)
			if first, sections := strings.Index(g.Text, "- RS-20260101-cells@v1 ("), strings.Index(g.Text, "  | ### Hypothesis Slate"); first < 0 || sections >= 0 && sections < first {
				k.Errorf("the summary is not first:\n%s", g.Text)
			}
			want := view.Sections
			if bound == 400 {
				want = view.Summary
			}
			k.equal(fmt.Sprint("form, ", bound), form(g), want)
		}
		if last != 30 {
			k.Errorf("%d claims of 30", last)
		}
		// As the input of a task it is shown in full, or its form is another one.
		full := func(bound int) view.Form {
			k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: bound}}
			return form(k.context(govern.Request{Role: policy.Integrator, Inputs: []string{"RS-20260101-cells"}, Full: true}))
		}
		k.equal("full", []view.Form{full(20_000), full(2000)}, []view.Form{view.Full, view.Sections})
	})
}
