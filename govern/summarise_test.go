package govern_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/finding"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store/record"
)

func TestSummariseFallsBackIfTheAgentCannotSeeTheText(t *testing.T) {
	both(t, func(k *kit) {
		stale := func(id, kind, text string) {
			k.put(draft(id, kind, "what it was"))
			d := draft(id, kind, text)
			d.Summary, d.KeepSummary = "", true
			k.put(d)
		}
		k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 2000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 5}}}}
		stale("hidden", record.ManuscriptSection, "A text that the integrator may not read.")
		stale("long", record.PaperNote, "It begins. "+strings.Repeat("And continues. ", 500))
		stale("short", record.PaperNote, "It is short.")
		for id, why := range map[string]string{"hidden": "may not read a manuscript_section", "long": "does not fit"} {
			h, ada := helper("Invented.")
			put, err := k.Summarise(k.ctx(), sydney, id, h)
			if err != nil {
				k.Fatal(err)
			}
			k.equal("asked", len(ada.calls), 0)
			k.equal("author", []string{put.Record.SummaryBy, put.Record.Creator}, []string{record.Extracted, "Sydney"})
			if strings.Contains(put.Record.Summary, "Invented") || !strings.Contains(put.Record.Change, why) {
				k.Errorf("%+v", put.Record)
			}
		}
		h, _ := helper("It says that it is short.")
		put, err := k.Summarise(k.ctx(), sydney, "short", h)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("author", []string{put.Record.SummaryBy, put.Record.Creator}, []string{record.Given, "Ada"})
		// The requester needs write access, too.
		_, err = k.Summarise(k.ctx(), writer, "short", h)
		k.wantFault(err, policy.OutOfScope)
		_, err = k.Consolidate(k.ctx(), reader, "fate", h)
		k.wantFault(err, policy.OutOfScope)
	})
}

func TestOverviewIsShownInFullForItsSummary(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("sum", record.ProjectSummary, "The exact text."))
		k.promote("sum")
		h, ada := helper("What it is about.")
		if _, err := k.Summarise(k.ctx(), sydney, "sum", h); err != nil {
			k.Fatal(err)
		}
		if len(ada.calls) != 1 || !strings.Contains(ada.calls[0].Turns[0].Text, "  | The exact text.") {
			k.Errorf("%+v", ada.calls)
		}
	})
}

func TestMemoLinksToShownRecords(t *testing.T) {
	both(t, func(k *kit) {
		k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 2000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 1}}}}
		for _, id := range []string{"a", "b", "c"} {
			k.put(draft(id, record.PaperNote, "note "+id))
		}
		big := draft("big", record.PaperNote, strings.Repeat("big ", 2000))
		big.Summary = strings.Repeat("s", 300)
		k.put(big)
		huge := draft("x", record.AnalysisResult, "x")
		k.put(huge)
		k.Access = policy.Accesses{{Role: policy.Integrator, Read: []string{record.PaperNote}, Write: []string{record.IntegratedMemo}}}
		h, ada := helper("The memo.")
		put, err := k.Consolidate(k.ctx(), sydney, "fate", h)
		if err != nil {
			k.Fatal(err)
		}
		var ids []string
		for _, l := range put.Record.Links {
			if l.Relation == record.Summarises {
				ids = append(ids, l.ID)
			}
		}
		k.equal("links", ids, []string{"a", "b", "big", "c"})
		if strings.Contains(ada.calls[0].Turns[0].Text, "x@v1") {
			k.Error(ada.calls[0].Turns[0].Text)
		}
		k.equal("creator", put.Record.Creator, "Ada")
		k.Access[0].Read = nil
		_, err = k.Consolidate(k.ctx(), sydney, "fate", h)
		k.wantFault(err, view.TooLarge, "none of them is in its context")
	})
}

func TestProjectSummaryCoversTheModuleProject(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "the question"))
		for i := range 10 {
			d := draft(fmt.Sprint("note-", i), record.PaperNote, fmt.Sprint("note ", i))
			d.Module = record.Project
			k.put(d)
		}
		_, err := k.Promote(k.ctx(), sydney, "brief", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "store consolidate --module project")
		put, err := k.Consolidate(k.ctx(), sydney, record.Project, nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("it covers the records of the module project", []any{put.Record.ID, len(put.Record.Links)}, []any{"project-summary", 10})
		k.promote("project-summary")
		k.equal("due", len(k.status().Due), 0)
		k.promote("brief")
	})
}

func TestRevertKeepsStaleSummaries(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		d := draft("note", record.PaperNote, "two")
		d.Summary, d.KeepSummary = "", true
		k.put(d)
		k.put(draft("note", record.PaperNote, "three"))
		put, err := k.Revert(k.ctx(), sydney, "note@v2", "two was right")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("still stale", []any{put.Record.StaleSummary(), put.Record.SummaryBy}, []any{true, record.Kept})
		_, err = k.Promote(k.ctx(), sydney, "note", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "its summary was written for different content")
	})
}

// meanwhile is an agent that calls do before it replies.
type meanwhile struct {
	*scripted
	do func()
}

func (m meanwhile) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	m.do()
	return m.scripted.Ask(ctx, c)
}

func (k *kit) tips(id string) []int {
	k.Helper()
	tips, err := k.Store.Tips(k.ctx(), id)
	if err != nil {
		k.Fatal(err)
	}
	return tips
}

// A new summary of the canonical version starts a branch if there is a later draft, which stays
// a tip.
func TestSummaryOfTheCanonicalVersionForks(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("spec", record.ModelSpec, "The first model.")
		d.Summary = "" // extracted
		k.put(d)
		k.promote("spec@v1")
		k.put(draft("spec", record.ModelSpec, "The second model: a week of work."))
		found, err := k.Check(k.ctx(), sydney, finding.Summaries)
		if err != nil || len(found) != 1 {
			k.Fatal(found, err)
		}
		h, ada := helper("What it is about.")
		put, err := k.Summarise(k.ctx(), sydney, found[0].Ref.String(), h)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("fork", []any{put.Record.Parent, put.Record.Status, put.Fork}, []any{1, record.Alternative, []int{2, 3}})
		k.equal("tips", k.tips("spec"), []int{2, 3})
		// It is not done twice, with or without an agent.
		_, err = k.Summarise(k.ctx(), sydney, found[0].Ref.String(), h)
		k.wantFault(err, govern.NothingNew, "spec@v3 has the same content and a current summary", "store promote spec@v3")
		_, err = k.Summarise(k.ctx(), sydney, found[0].Ref.String(), nil)
		k.wantFault(err, govern.NothingNew)
		k.equal("asked", len(ada.calls), 1)
	})
}

// An agent's summary continues the version with the extracted one, on the same branch.
func TestSummariseContinuesTheExtractedSummary(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("spec", record.ModelSpec, "one"))
		d := draft("spec", record.ModelSpec, "two")
		d.Summary, d.KeepSummary = "", true
		k.put(d)
		for i, h := range []*govern.Helper{nil, first(helper("<think>Short.</think>\nWhat it is about."))} {
			put, err := k.Summarise(k.ctx(), sydney, "spec@v2", h)
			if err != nil {
				k.Fatal(err)
			}
			k.equal("reasoning", strings.Contains(put.Record.Summary, "Short"), false)
			k.equal("continues", []any{put.Record.Parent, put.Fork}, []any{2 + i, []int(nil)})
		}
	})
}

func first[A, B any](a A, _ B) A { return a }

func TestReplyContinuesTheVersionItsAuthorSaw(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "one")
		d.Summary = ""
		k.put(d)
		h, ada := helper("What it says.")
		h.Agent = meanwhile{ada, func() { k.put(draft("note", record.PaperNote, "two")) }}
		put, err := k.Summarise(k.ctx(), sydney, "note", h)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("the summary", []any{put.Record.Parent, put.Record.Status, put.Fork}, []any{1, record.NeedsRebase, []int{2, 3}})
		k.equal("tips", k.tips("note"), []int{2, 3})

		signal := draft("signal", record.PaperNote, "of another module")
		signal.Module = "signal"
		k.put(signal)
		h.Agent = meanwhile{ada, func() {
			d := draft("memo-signal", record.IntegratedMemo, "the first memo, of a person")
			d.Module = "signal"
			k.put(d)
		}}
		if put, err = k.Consolidate(k.ctx(), sydney, "signal", h); err != nil {
			k.Fatal(err)
		}
		k.equal("a concurrent first memo", []any{put.Record.Parent, put.Record.Status, put.Fork}, []any{0, record.Alternative, []int{1, 2}})
		k.equal("tips", k.tips("memo-signal"), []int{1, 2})

		k.put(draft("memo-fate", record.IntegratedMemo, "what a person wrote", "cites=note"))
		h.Agent = meanwhile{ada, func() {
			k.put(draft("memo-fate", record.IntegratedMemo, "what a person wrote, and more", "cites=note"))
		}}
		if put, err = k.Consolidate(k.ctx(), sydney, "fate", h); err != nil {
			k.Fatal(err)
		}
		// The note needs a rebase, so what sums it up needs an update.
		k.equal("the memo", []any{put.Record.Parent, put.Record.Status, put.Fork}, []any{1, record.NeedsUpdate, []int{2, 3}})
		k.equal("tips", k.tips("memo-fate"), []int{2, 3})
	})
}

// Ids and modules of the maximum length still have valid derived ids.
func TestLongIDsAndModules(t *testing.T) {
	both(t, func(k *kit) {
		for _, n := range []int{90, 95, 96, 100} {
			d := draft(strings.Repeat("n", n), record.PaperNote, "what is known")
			d.Module = strings.Repeat("m", n)
			k.put(d)
			for _, h := range []*govern.Helper{nil, first(helper("The memo, or what it says."))} {
				put, err := k.Consolidate(k.ctx(), sydney, d.Module, h)
				if err != nil {
					k.Fatal(n, err)
				}
				k.equal("its module", put.Record.Module, d.Module)
			}
			if _, err := k.Summarise(k.ctx(), sydney, d.ID, first(helper("Another one."))); err != nil {
				k.Fatal(n, err)
			}
		}
	})
}
