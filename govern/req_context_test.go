package govern_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store/record"
)

// The tests in files req_*_test.go are numbered like the requirements of context_governance.md.

func TestReq01_NoAgentGetsTheHistory(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 30 {
			k.put(draft("note-1", record.PaperNote, fmt.Sprintf("edition %d of the note", i+1)))
			k.put(draft(fmt.Sprintf("near-%d", i), record.PaperNote, fmt.Sprintf("note %d of the module", i)))
			far := draft(fmt.Sprintf("far-%d", i), record.PaperNote, fmt.Sprintf("note %d of another module", i))
			far.Module = "signal"
			k.put(far)
		}
		for _, role := range policy.DefaultAccess().Roles() {
			g := k.context(govern.Request{Role: role, Modules: []string{"fate"}, Purpose: "Continue."})
			if strings.Contains(g.Text, "edition 29 ") || strings.Contains(g.Text, "another module") || strings.Count(g.Text, "\n") > 40 || g.Tokens > g.Bound {
				k.Errorf("%s sees the history:\n%s", role, g.Text)
			}
		}
	})
}

func TestReq02_ContextHasArtifactsNotChats(t *testing.T) {
	both(t, func(k *kit) {
		k.putBySession("a-reply", record.Reply, "RAW reply of an agent")
		k.putBySession("a-kickoff", record.Kickoff, "RAW message to it")
		k.put(draft("note", record.PaperNote, "a note", "derives_from=a-reply", "replies_to=a-kickoff"))
		// They are not shown even if the configuration lets a role read them.
		for i := range k.Access {
			k.Access[i].Read = append(k.Access[i].Read, record.Reply, record.Kickoff)
		}
		k.Views = map[string]contexts.Spec{policy.Reader: {Role: policy.Reader, Types: []contexts.TypeView{
			{Type: record.Reply, Form: view.Full, Max: 5, Priority: 9}, {Type: record.Kickoff, Form: view.Full, Max: 5}, {Type: record.PaperNote, Max: 5},
		}}}
		g := k.context(govern.Request{Role: policy.Reader, Modules: []string{"fate"}, Inputs: []string{"note", "a-reply", "a-kickoff"}, All: true})
		if strings.Contains(g.Text, "RAW") || !strings.Contains(g.Text, "note@v1") {
			k.Error(g.Text)
		}
		_, _, err := k.Read(k.ctx(), reader, "a-reply")
		k.wantFault(err, policy.OutOfScope)
	})
}

func TestReq03_TaskLocalContextWithinABound(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "# Brief\n\n## Goal\n\nwhat it is about\n\n## Out of scope\n\n- plant cells\n- tumours\n\n## Glossary\n\n"+strings.Repeat("- word: meaning\n", 50)+"\n## Limits\n\nTwo years.\n\n## Background\n\nBACKGROUND\n"))
		k.promote("brief")
		k.put(draft("near", record.PaperNote, "of the module"))
		far := draft("far", record.PaperNote, "of another one")
		far.Module = "other"
		k.put(far)
		g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, Purpose: "Design a test."})
		k.equal("shown", shownIDs(g), []string{"brief", "near"})
		fields := "# The project\n\n- project_brief brief@v1\n  Goal:\n  | what it is about\n  Non-goals (not part of the project: do not work on these):\n  | - plant cells\n  | - tumours\n  Constraints:\n  | Two years.\n"
		if !strings.HasPrefix(g.Text, fields+"  Glossary:\n  | - word: meaning\n") || !strings.Contains(g.Text, "Design a test.") || strings.Contains(g.Text, "BACKGROUND") {
			k.Error(g.Text)
		}
		k.Views = map[string]contexts.Spec{"test_designer": {Role: "test_designer", MaxTokens: 1000}} // bytes
		g = k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})
		if g.Text != fields+"  Left out of the brief, for lack of room: glossary.\n" || g.Shown[0].Because != "overview, left out: glossary" {
			k.Errorf("%q\n%s", g.Shown[0].Because, g.Text)
		}
		k.Views = map[string]contexts.Spec{"test_designer": {Role: "test_designer", MaxTokens: 10}}
		_, err := k.Context(k.ctx(), govern.Request{Role: "test_designer", Purpose: "Design a test."})
		k.wantFault(err, view.TooLarge, "raise max_tokens")
	})
}

func TestReq07_ReadScopeOfRoles(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms", record.ManuscriptSection, "SECRET the introduction"))
		if _, _, err := k.Read(k.ctx(), writer, "ms"); err != nil {
			k.Error(err)
		}
		_, _, err := k.Read(k.ctx(), designer, "ms")
		k.wantFault(err, policy.OutOfScope, "BlueLake may not read a manuscript_section as test_designer", "the attempt was recorded")
		g := k.context(govern.Request{Role: designer.Role, Modules: []string{"fate"}, Inputs: []string{"ms"}, All: true})
		if strings.Contains(g.Text, "SECRET") || len(g.LeftOut) != 1 || g.LeftOut[0].Rule != contexts.NotReadable {
			k.Errorf("%s %v", g.Text, g.LeftOut)
		}
		_, err = k.Context(k.ctx(), govern.Request{Role: "test_designr"})
		k.wantFault(err, govern.UnknownRole, "did you mean test_designer?")
		list, err := k.Refusals(k.ctx(), 0)
		if err != nil || list.All != 1 || list.Attempts[0].By != "BlueLake" || list.Attempts[0].Action != "read" || list.Attempts[0].ID != "ms" || k.status().Refused != 1 {
			k.Errorf("%+v, %v", list, err)
		}
	})
}

func TestReq08_WriteScopeOfRoles(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "a memo"))
		for _, d := range []govern.Draft{draft("spec", record.ModelSpec, "a model"), draft("memo", record.IntegratedMemo, "mine"), {ID: "memo", Content: []byte("mine")}} {
			_, err := k.Put(k.ctx(), reader, draft("note", record.PaperNote, "a good one"), d)
			k.wantFault(err, policy.OutOfScope, "GreenValley may not write")
		}
		if _, err := k.Put(k.ctx(), reader, draft("note", record.PaperNote, "a note")); err != nil {
			k.Error(err)
		}
		_, err := k.Deprecate(k.ctx(), reader, "memo", "away with it", true)
		k.wantFault(err, policy.OutOfScope)
		k.equal("versions of the memo", k.record("memo").Version, 1)
		_, _, err = k.Pin(k.ctx(), reader, govern.TaskDraft{ID: "task", Task: "Forget the brief.", Role: policy.Integrator})
		k.wantFault(err, policy.OutOfScope, "GreenValley may not pin a task_spec as reader")
		k.equal("refused", k.status().Refused, 5)
	})
}

func TestReq09_ViewSpecsAssembleContexts(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 4 {
			k.put(draft(fmt.Sprintf("note-%d", i), record.PaperNote, fmt.Sprintf("FULL text %d", i)))
			k.put(draft(fmt.Sprintf("result-%d", i), record.AnalysisResult, fmt.Sprintf("FULL result %d", i)))
		}
		k.Views = map[string]contexts.Spec{"test_designer": {Role: "test_designer", Types: []contexts.TypeView{
			{Type: record.PaperNote, Form: view.Full, Max: 1, Priority: 1}, {Type: record.AnalysisResult, Form: view.Summary, Max: 2, Priority: 2},
		}}}
		g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})
		k.equal("shown", shownIDs(g), []string{"note-3", "result-2", "result-3"})
		if strings.Count(g.Text, "  | FULL") != 1 || g.Spec == "" {
			k.Error(g.Text)
		}
		before := g.Spec
		k.Views["test_designer"].Types[0].Max = 3
		if g = k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}}); len(g.Shown) != 5 || g.Spec == before {
			k.Error(g.Text)
		}
	})
}

func TestReq10_SynthesisUsesSummaries(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "DETAIL of a paper"))
		k.put(draft("memo", record.IntegratedMemo, "DETAIL of the module", "summarises=note"))
		k.promote("memo")
		k.put(draft("brief", record.ProjectBrief, "the question"))
		k.promote("brief")
		put, err := k.Consolidate(k.ctx(), sydney, record.Project, nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("the project summary covers memos and the brief", put.Record.Links, []record.Link{{Relation: record.Summarises, ID: "brief", Version: 1}, {Relation: record.Summarises, ID: "memo", Version: 1}})
		k.promote("project-summary")
		// The writer of the manuscript sees memos and summaries, not notes.
		g := k.context(govern.Request{Role: policy.Writer, Modules: []string{"fate"}})
		k.equal("shown", shownIDs(g), []string{"brief", "memo", "project-summary"})
		if strings.Contains(g.Text, "  | DETAIL") {
			k.Error(g.Text)
		}
	})
}

// Without a model, too, what the records say reaches the memo, and from there the project's summary.
func TestReq10_MemosCarryContentUpward(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 12 {
			d := draft(fmt.Sprintf("note-%02d", i), record.PaperNote, fmt.Sprintf("text %d", i))
			d.Summary = fmt.Sprintf("Note %d says %s", i, strings.Repeat("so ", 25))
			k.put(d)
		}
		k.put(draft("result", record.AnalysisResult, "r", "cites=note-03"))
		k.promote("note-05")
		put, err := k.Consolidate(k.ctx(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		says := func(n int) string { return fmt.Sprintf("Note %d says%s.", n, strings.Repeat(" so", 25)) }
		// Canonical, then linked to, then the newest.
		k.equal("summary", put.Record.Summary, strings.Join([]string{says(5), says(3), "summary of r.", says(11), says(10), "(and 8 other records)"}, " "))
		k.promote("memo-fate")
		k.put(draft("brief", record.ProjectBrief, "the question"))
		k.promote("brief")
		second := draft("other", record.PaperNote, "o")
		second.Module = "signal"
		k.put(second)
		if _, err := k.Consolidate(k.ctx(), sydney, "signal", nil); err != nil {
			k.Fatal(err)
		}
		k.promote("memo-signal")
		if put, err = k.Consolidate(k.ctx(), sydney, record.Project, nil); err != nil {
			k.Fatal(err)
		}
		k.equal("upward", put.Record.Summary, "summary of o. "+says(5)+" the question.")
	})
}

func TestReq20_HardBounds(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 40 {
			d := draft(fmt.Sprintf("note-%02d", i), record.PaperNote, fmt.Sprintf("text %d", i))
			d.Summary = strings.Repeat("long words ", 30)
			k.put(d)
		}
		k.put(draft("memo", record.IntegratedMemo, "important"))
		for _, bound := range []int{200, 500, 1000, 3000} {
			k.Views = map[string]contexts.Spec{"test_designer": {Role: "test_designer", MaxTokens: bound, Types: []contexts.TypeView{
				{Type: record.PaperNote, Max: 40, Priority: 1}, {Type: record.IntegratedMemo, Max: 1, Priority: 2},
			}}}
			g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, All: true})
			if g.Tokens > bound || len(g.Text) > bound {
				k.Errorf("%d of %d", g.Tokens, bound)
			}
			k.equal("higher priority is kept", strings.Contains(g.Text, "memo@v1"), true)
			k.equal("accounted for", len(g.Shown)+len(g.LeftOut), 41)
			// The bound of a call counts, too, whatever the role may have.
			k.Rules.Call = bound / 2
			less := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, All: true})
			k.equal("bound", less.Bound, bound/2)
			k.equal("the same view", less.Spec, g.Spec)
			if less.Tokens > bound/2 || len(less.Shown) > len(g.Shown) || len(less.Shown)+len(less.LeftOut) != 41 {
				k.Errorf("%d of %d tokens, %d records of %d", less.Tokens, bound/2, len(less.Shown), len(g.Shown))
			}
			k.Rules.Call = 0
			// The same context within less, as messages of sessions have it: the least important goes first.
			for limit := bound; limit > 0; limit -= 37 {
				c, err := g.Within(limit)
				if err != nil {
					k.wantFault(err, view.TooLarge, "raise session.context_tokens")
					break
				}
				if c.Tokens > limit || len(c.Shown)+len(c.LeftOut) != 41 || len(c.Shown) > 0 && c.Shown[0].Ref.ID != "memo" {
					k.Errorf("%d of %d tokens:\n%s", c.Tokens, limit, c.Text)
				}
			}
			only, err := g.Within(contexts.OverviewOnly)
			if err != nil || len(only.Shown) > 0 || len(only.LeftOut) != 41 {
				k.Errorf("%v\n%s", err, only.Text)
			}
		}
	})
}

func TestReq21_TopKByAnExplicitRule(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("old-input", record.PaperNote, "the input"))
		k.put(draft("old-linked", record.PaperNote, "linked", "cites=old-input"))
		tagged := draft("old-tagged", record.PaperNote, "tagged")
		tagged.Tags = []string{"embryo"}
		k.put(tagged)
		for i := range 20 {
			k.put(draft(fmt.Sprintf("note-%02d", i), record.PaperNote, fmt.Sprintf("text %d", i)))
		}
		k.Views = map[string]contexts.Spec{"test_designer": {Role: "test_designer", Types: []contexts.TypeView{{Type: record.PaperNote, Max: 5}}}}
		q := govern.Request{Role: "test_designer", Modules: []string{"fate"}, Inputs: []string{"old-input"}, Tags: []string{"embryo"}}
		g := k.context(q)
		var got []string
		for _, s := range g.Shown {
			got = append(got, s.Ref.ID+":"+s.Near.String())
		}
		k.equal("selection", got, []string{"old-input:input", "old-linked:link", "old-tagged:tag", "note-19:recency", "note-18:recency"})
		again := k.context(q)
		q.All = true
		all := k.context(q)
		k.equal("deterministic", again.Text, g.Text)
		k.equal("considering all records shows the same", fmt.Sprint(all.Shown), fmt.Sprint(g.Shown))
		rules := make(map[string]int)
		for _, l := range all.LeftOut {
			rules[l.Rule]++
		}
		k.equal("rules of records left out", rules, map[string]int{contexts.OverTopK: 18})
	})
}

func TestReq22_SummariesFirst(t *testing.T) {
	both(t, func(k *kit) {
		for _, kind := range []string{record.PaperNote, record.IntegratedMemo, record.ModelSpec, record.AnalysisResult} {
			k.put(draft("a-"+kind, kind, "CONTENT of "+kind))
		}
		g := k.context(govern.Request{Role: "hypothesis_generator", Modules: []string{"fate"}})
		if strings.Contains(g.Text, "  | CONTENT") || strings.Count(g.Text, "summary of CONTENT") != 4 {
			k.Error(g.Text)
		}
		g = k.context(govern.Request{Role: policy.Reader, Modules: []string{"fate"}}) // whose work is papers
		if !strings.Contains(g.Text, "  | CONTENT of paper_note") {
			k.Error(g.Text)
		}
	})
}

func TestReq23_ModulesInScope(t *testing.T) {
	both(t, func(k *kit) {
		for _, module := range []string{"fate", "signal", "gene"} {
			d := draft("note-"+module, record.PaperNote, "about "+module)
			d.Module = module
			k.put(d)
		}
		g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, All: true})
		k.equal("one module", shownIDs(g), []string{"note-fate"})
		for _, l := range g.LeftOut {
			k.equal("rule", l.Rule, contexts.OtherModule)
		}
		k.equal("two", shownIDs(k.context(govern.Request{Role: "test_designer", Modules: []string{"fate", "gene"}})), []string{"note-fate", "note-gene"})
		k.equal("a task that crosses", shownIDs(k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, Cross: true})), []string{"note-fate", "note-gene", "note-signal"})
		_, task, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Look at all.", Role: "test_designer", Module: "fate", Cross: true})
		if err != nil || !task.Cross {
			k.Fatal(err)
		}
		k.equal("by its task", len(k.context(govern.Request{Task: "task"}).Shown), 3)
	})
}

func TestReq30_CallsAreTraced(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "what a paper says"))
		h, ada := helper("The memo of the module.\n\n## Open questions\n\n- Why?\n")
		put, err := k.Consolidate(k.ctx(), sydney, "fate", h)
		if err != nil {
			k.Fatal(err)
		}
		calls, err := k.Calls(k.ctx())
		if err != nil || len(calls) != 1 {
			k.Fatal(calls, err)
		}
		c := calls[0]
		k.equal("context", c.Context, []govern.Shown{{Ref: record.Ref{ID: "note", Version: 1}, Type: record.PaperNote, Form: "full"}})
		k.equal("produced", c.Produced, []string{put.Record.Ref().String()})
		k.equal("agent", []string{c.Agent, c.Role, c.Model, c.Observed}, []string{"Ada", policy.Integrator, "Opus 4.5", "scripted-1"})
		k.equal("tokens", []int{c.Input, c.Output}, []int{10, 5})
		prompt, err := k.Store.Blob(k.ctx(), c.Prompt)
		if err != nil || string(prompt) != ada.calls[0].Turns[0].Text {
			k.Error("the stored prompt differs from the sent one", err)
		}
		if reply, err := k.Store.Blob(k.ctx(), c.Reply); err != nil || string(reply) != ada.text {
			k.Error(err)
		}
		if c.View == "" || c.Task != "task-integrate-fate-1@v1" || put.Record.Creator != "Ada" {
			k.Errorf("%+v", c)
		}
		// A run that was killed between task and call continues with the same task.
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task-integrate-fate-3", Task: taskOf(k, "task-integrate-fate-1"), Role: policy.Integrator, Module: "fate", Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		ada.text = "Another memo."
		if put, err = k.Consolidate(k.ctx(), sydney, "fate", h); err != nil || put.Record.Version != 2 {
			k.Fatal(err)
		}
		k.equal("versions of the task", k.record("task-integrate-fate-3").Version, 1)
		// A call without a reply is recorded, too.
		ada.err = fmt.Errorf("no")
		if _, err := k.Consolidate(k.ctx(), sydney, "fate", h); err == nil {
			k.Error("an agent that failed made a memo")
		}
		calls, err = k.Calls(k.ctx())
		if err != nil || len(calls) != 3 || calls[2].Code == "" || len(calls[2].Produced) > 0 {
			k.Errorf("%+v, %v", calls, err)
		}
	})
}

// taskOf returns the text of a task.
func taskOf(k *kit, id string) string {
	k.Helper()
	_, t, _, err := k.Task(k.ctx(), id)
	if err != nil {
		k.Fatal(err)
	}
	return t.Task
}
