package govern_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/finding"
	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/record"
)

func TestRefusalMessageUsesArticles(t *testing.T) {
	both(t, func(k *kit) {
		_, err := k.Put(k.ctx(), reader, draft("memo", record.IntegratedMemo, "it is so"))
		k.wantFault(err, policy.OutOfScope, "GreenValley may not write an integrated_memo as reader")
	})
}

func TestPinChecksTheRole(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms", record.ManuscriptSection, "secret"))
		pin := func(who govern.Actor, id string, inputs ...string) error {
			_, _, err := k.Pin(k.ctx(), who, govern.TaskDraft{ID: id, Task: "x", Inputs: inputs})
			return err
		}
		k.wantFault(pin(govern.Actor{Name: "Blue", Role: "nonsense"}, "t"), policy.OutOfScope)
		for i := range k.Access { // no built-in role may pin
			k.wantFault(pin(govern.Actor{Name: "Blue", Role: k.Access[i].Role}, "t"), policy.OutOfScope, "Blue may not pin a task_spec as "+k.Access[i].Role)
		}
		k.equal("recorded", k.status().Refused, 1+len(k.Access))
		k.Access = append(k.Access, policy.Access{Role: "planner", Read: []string{record.PaperNote}, Write: []string{record.TaskSpec}})
		planner := govern.Actor{Name: "Blue", Role: "planner"}
		k.wantFault(pin(planner, "t", "ms"), policy.OutOfScope, "may not read")
		if err := pin(planner, "t"); err != nil {
			k.Error(err)
		}
		k.wantFault(pin(govern.Actor{Name: "Red", Role: "planner"}, "t"), policy.OutOfScope)
		// The program's own task is pinned for a caller who may write its result.
		h, _ := helper("It says so.")
		k.put(draft("note", record.PaperNote, "a note"))
		if _, err := k.Consolidate(k.ctx(), govern.Actor{Name: "Blue", Role: policy.Integrator}, "fate", h); err != nil {
			k.Error(err)
		}
	})
}

func TestChecksRespectReadScope(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms-1", record.ManuscriptSection, "Assumes: the secret is out"))
		other := draft("ms-2", record.ManuscriptSection, "Assumes not: the secret is out")
		other.Module = "signal"
		k.put(other)
		for _, role := range []string{policy.Reader, policy.Integrator} {
			found, err := k.Check(k.ctx(), govern.Actor{Name: "Blue", Role: role}, finding.Names()...)
			if err != nil {
				k.Fatal(err)
			}
			for _, f := range found {
				if strings.Contains(f.String(), "secret") || strings.HasPrefix(f.Ref.ID, "ms-") {
					k.Errorf("%s: %s", role, f.String())
				}
			}
		}
		_, err := k.Check(k.ctx(), govern.Actor{Name: "Blue", Role: "nonsense"}, finding.Names()...)
		k.wantFault(err, govern.UnknownRole)
		// A person sees the quote; the review, which the integrator may read, does not have it.
		found, err := k.Check(k.ctx(), sydney, finding.Assumptions)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].String(), "the secret is out") {
			k.Fatalf("%v, %v", found, err)
		}
		put, err := k.Review(k.ctx(), sydney, finding.Assumptions, found)
		if err != nil {
			k.Fatal(err)
		}
		content, err := k.Content(k.ctx(), &put.Record)
		if err != nil || strings.Contains(string(content), "secret") || !strings.Contains(string(content), "see ms-1@v1 and ms-2@v1") {
			k.Errorf("%s, %v", content, err)
		}
	})
}

func TestPeopleWithoutAuthorityHaveTheConfiguredRole(t *testing.T) {
	both(t, func(k *kit) {
		put := func(who govern.Actor, d govern.Draft) error {
			_, err := k.Put(k.ctx(), who, d)
			return err
		}
		if err := put(guest, draft("brief", record.ProjectBrief, "the question")); err != nil { // allowed by default
			k.Error(err)
		}
		k.promote("brief")
		k.Rules.People = policy.Contributor
		if err := put(guest, draft("note", record.PaperNote, "a note")); err != nil {
			k.Error(err)
		}
		k.wantFault(put(guest, draft("brief", record.ProjectBrief, "another question")), policy.OutOfScope, "as contributor", "store.people")
		k.wantFault(put(guest, draft("brief", record.PaperNote, "another question")), policy.OutOfScope)
		_, err := k.Consolidate(k.ctx(), guest, record.Project, nil)
		k.wantFault(err, policy.OutOfScope, "project_summary")
		_, _, err = k.Pin(k.ctx(), guest, govern.TaskDraft{ID: "t", Task: "x", Inputs: []string{"brief"}})
		k.wantFault(err, policy.OutOfScope, "Guest may not pin a task_spec as contributor", "store.people")
		k.equal("recorded", k.status().Refused, 4)
		h, _ := helper("The memo.")
		if _, err := k.Consolidate(k.ctx(), guest, "fate", h); err != nil { // a contributor may write memos
			k.Error(err)
		}
		k.Access = append(k.Access, policy.Access{Role: "lead", Write: []string{record.TaskSpec}})
		k.Rules.People = "lead"
		if _, _, err := k.Pin(k.ctx(), guest, govern.TaskDraft{ID: "t", Task: "x", Inputs: []string{"brief"}}); err != nil {
			k.Error(err)
		}
		if err := put(sydney, draft("brief", record.ProjectBrief, "another question")); err != nil {
			k.Error(err)
		}
	})
}

func TestRefusedAttemptsAreRecorded(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("ms", record.ManuscriptSection, "a text"))
		k.put(draft("note", record.PaperNote, "a note"))
		k.put(draft("result", record.AnalysisResult, "a result"))
		k.Rules.Unattended = []string{record.AnalysisResult}
		promote := func(who govern.Actor, id string) error {
			_, err := k.Promote(k.ctx(), who, id, govern.PromoteOptions{Reason: "so"})
			return err
		}
		k.wantFault(promote(reader, "ms"), policy.OutOfScope)
		k.wantFault(promote(reader, "result"), policy.OutOfScope)
		k.wantFault(promote(reader, "note"), policy.Blocked, "has no authority to promote it")
		_, err := k.DeprecateUnused(k.ctx(), reader)
		k.wantFault(err, policy.OutOfScope)
		_, err = k.Put(k.ctx(), reader, draft("ms", record.PaperNote, "mine now"))
		k.wantFault(err, policy.OutOfScope)
		k.equal("recorded", k.status().Refused, 5)
		if err := promote(designer, "result"); err != nil {
			k.Error(err)
		}
		// People without authority, closed gates, and what is still in use.
		k.wantFault(promote(guest, "note"), policy.Blocked)
		_, err = k.Retire(k.ctx(), guest, govern.DeprecateOptions{Address: "note", Reason: "no"})
		k.wantFault(err, policy.OutOfScope, "Guest has no authority to deprecate records")
		_, err = k.Retire(k.ctx(), guest, govern.DeprecateOptions{})
		k.wantFault(err, policy.OutOfScope)
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=note"))
		_, err = k.Retire(k.ctx(), sydney, govern.DeprecateOptions{Address: "note", Reason: "no"})
		k.wantFault(err, govern.StillUsed)
		_, err = k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{})
		k.wantFault(err, policy.Blocked)
		list, err := k.Refusals(k.ctx(), 5)
		var got []string
		for _, a := range list.Attempts {
			got = append(got, fmt.Sprint(a.By, " ", a.Action, " ", a.Type, " ", a.ID, ": ", strings.Join(a.Why, "; ")))
		}
		k.equal("newest", []any{got, list.All, err}, []any{[]string{
			"Sydney promote integrated_memo memo: no reason given", "Sydney deprecate paper_note note: used by memo@v1",
			"Guest deprecate record : Guest has no authority to deprecate records", "Guest deprecate paper_note note: Guest has no authority to deprecate records",
			"Guest promote paper_note note: Guest has no authority to promote it",
		}, 10, nil})
	})
}

func TestRehearsalsDoNotCountAsEvidence(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "real"))
		for _, id := range []string{"rehearsed-1", "rehearsed-2", "rehearsed-3", "rehearsed-4", "rehearsed-5", "rehearsed-6"} {
			d := draft(id, record.PaperNote, "rehearsed "+id)
			d.Tags = []string{"rehearsal"}
			k.put(d)
		}
		k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 4000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 2}}}}
		g := k.context(govern.Request{Role: policy.Integrator, Modules: []string{"fate"}})
		k.equal("shown", shownIDs(g), []string{"note"})
		put, err := k.Consolidate(k.ctx(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("covered", put.Record.Links, []record.Link{{Relation: record.Summarises, ID: "note", Version: 1}})
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=rehearsed-1"))
		_, err = k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on rehearsed-1@v1, which comes from a rehearsal")
	})
}

func TestDependentsOfRehearsalsDoNotCountAsEvidence(t *testing.T) {
	both(t, func(k *kit) {
		rehearsed := draft("rehearsed", record.PaperNote, "rehearsed")
		rehearsed.Tags = []string{record.Rehearsal}
		k.put(rehearsed)
		k.put(draft("a", record.PaperNote, "depends on a rehearsal", "cites=rehearsed"))
		k.put(draft("b", record.PaperNote, "depends on a", "derives_from=a"))
		k.put(draft("real", record.PaperNote, "real", "supersedes=b"))
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=real", "cites=b"))
		_, err := k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on rehearsed@v1, through b@v1, which comes from a rehearsal")
		g := k.context(govern.Request{Role: policy.Integrator, Modules: []string{"fate"}, Inputs: []string{"b"}})
		k.equal("shown", shownIDs(g), []string{"real"})
		k.equal("due", k.due("fate"), []string{"real"})
		put, err := k.Consolidate(k.ctx(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("covered", put.Record.Links, []record.Link{{Relation: record.Summarises, ID: "real", Version: 1}})
		k.promote("memo-fate")
		// Without the link it can be promoted.
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=real"))
		if _, err := k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "so", Replace: true}); err != nil {
			k.Error(err)
		}
	})
}

// In random stores, including cycles that Put would reject, a version can be promoted if and
// only if no rehearsal can be reached from it.
func TestRehearsalTaintIsTransitive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t, memory.New())
		n := rapid.IntRange(2, 9).Draw(rt, "records")
		dependsOn := make([][]int, n)
		rehearsed := make([]bool, n)
		var level []int
		var all store.Batch
		for i := range n {
			r := record.Record{
				ID: fmt.Sprint("note-", i), Type: record.PaperNote, Version: 1, Status: record.Draft, Module: "fate", Summary: "s", SummaryOf: store.Hash(nil), SummaryBy: record.Given,
				Content: store.Hash(nil), Creator: "Sydney", At: k.Now(),
			}
			if rehearsed[i] = rapid.IntRange(0, 3).Draw(rt, "rehearsed") == 0; rehearsed[i] {
				r.Tags = []string{record.Rehearsal}
			}
			for range rapid.IntRange(0, 2).Draw(rt, "links") {
				// No record links to the one in question: its own replies would count.
				to, relation := rapid.IntRange(1, n-1).Draw(rt, "to"), rapid.SampledFrom(record.Relations()).Draw(rt, "relation")
				r.Links = append(r.Links, record.Link{Relation: relation, ID: fmt.Sprint("note-", to), Version: 1})
				// For the record itself only dependencies count; further up replies do, too.
				if record.Depends(relation) && i == 0 {
					level = append(level, to)
				}
				if record.Depends(relation) || relation == record.RepliesTo {
					dependsOn[i] = append(dependsOn[i], to)
				}
			}
			all.Records = append(all.Records, r)
		}
		all.Blobs = [][]byte{nil}
		if err := k.Store.Write(k.ctx(), all); err != nil {
			rt.Fatal(err)
		}
		reached := make([]bool, n)
		for len(level) > 0 {
			i := level[0]
			level = level[1:]
			if !reached[i] {
				reached[i] = true
				level = append(level, dependsOn[i]...)
			}
		}
		want := rehearsed[0]
		for i := range n {
			want = want || reached[i] && rehearsed[i]
		}
		// It may rest on what it supersedes, and be stale.
		_, err := k.Promote(k.ctx(), sydney, "note-0", govern.PromoteOptions{Reason: "so", Stale: true})
		if got := err != nil; got != want {
			rt.Fatalf("refused %v, want %v: %v", got, want, err)
		}
	})
}
