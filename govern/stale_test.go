package govern_test

import (
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/store/opentest"
	"brenner/store/record"
)

func TestSessionResultsBecomeStale(t *testing.T) {
	k := newKit(t, opentest.New(t))
	k.put(draft("note", record.PaperNote, "one"))
	k.promote("note")
	k.putBySession("S-kickoff", record.Kickoff, "S-kickoff", record.Link{Relation: record.Cites, ID: "note", Version: 1})
	k.putBySession("S-reply", record.Reply, "S-reply", record.Link{Relation: record.RepliesTo, ID: "S-kickoff", Version: 1})
	k.putBySession("S", record.ResearchArtifact, "S", record.Link{Relation: record.DerivesFrom, ID: "S-reply", Version: 1})
	k.put(draft("answer", record.PaperNote, "an answer", "replies_to=note"))
	k.put(draft("note", record.PaperNote, "two"))
	p := k.promote("note@v2")
	k.equal("stale", p.Stale, []govern.Stale{{Ref: record.Ref{ID: "S", Version: 1}, Type: record.ResearchArtifact, Module: "fate", Because: "S-reply@v1"}})
	k.equal("messages are not marked", []string{k.record("S-kickoff").Status, k.record("S-reply").Status, k.record("answer").Status}, []string{record.Draft, record.Draft, record.Draft})
}

func TestPutWithOutdatedDependencyNeedsUpdate(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		k.put(draft("note", record.PaperNote, "two"))
		k.equal("beside a draft", k.put(draft("early", record.AnalysisResult, "early", "cites=note@v1")).Record.Status, record.Draft)
		k.equal("ahead of a decision", k.put(draft("ahead", record.AnalysisResult, "ahead", "cites=note@v2")).Record.Status, record.Draft)
		k.promote("note@v2")
		put := k.put(draft("late", record.AnalysisResult, "late", "cites=note@v1"))
		k.equal("status", put.Record.Status, record.NeedsUpdate)
		if len(put.Moved) != 1 || put.Moved[0].Now != 2 {
			k.Errorf("%+v", put.Moved)
		}
		listed := k.status().NeedsUpdate
		k.equal("listed", []any{len(listed), listed[1].Ref.ID, listed[1].Reason}, []any{2, "late", "it depends on note@v1, which is outdated"})
		// Only a person may promote it as it is, and says so.
		k.Rules.Unattended = []string{record.AnalysisResult}
		_, err := k.Promote(k.ctx(), guest, "late", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on note@v1, which is outdated")
		_, err = k.Promote(k.ctx(), guest, "early", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on note@v1, which is outdated")
		_, err = k.Promote(k.ctx(), guest, "late", govern.PromoteOptions{Reason: "so", Stale: true})
		k.wantFault(err, policy.Blocked, "it depends on note@v1, which is outdated", "only the operator and the authorities of brenner.yaml may promote a stale version")
		_, err = k.Promote(k.ctx(), sydney, "late", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on note@v1, which is outdated", "or promote this one as it is with --stale -m REASON")
		p := k.promoteStale("late")
		k.equal("promoted as it is", []any{p.Record.Status, p.Despite}, []any{record.NeedsUpdate, []string{"note@v1, which is outdated"}})
		k.equal("still listed", k.status().NeedsUpdate[1].Reason, "promoted although it depends on note@v1, which is outdated")
		k.equal("canonical", k.record("late@canonical").Status, record.NeedsUpdate)
	})
}

func TestDeprecationMakesDependentsStale(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("z", record.PaperNote, "z"))
		k.promote("z")
		k.put(draft("memo", record.IntegratedMemo, "memo", "cites=z"))
		k.promote("memo")
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Write.", Inputs: []string{"z"}}); err != nil {
			k.Fatal(err)
		}
		if _, err := k.Deprecate(k.ctx(), sydney, "z", "withdrawn", true); err != nil {
			k.Fatal(err)
		}
		k.equal("dependent", k.record("memo").Status, record.NeedsUpdate)
		_, _, moved, err := k.Task(k.ctx(), "task")
		k.equal("task with it as input", []any{len(moved), err}, []any{1, nil})
		k.equal("later dependent", k.put(draft("late", record.AnalysisResult, "late", "cites=z@v1")).Record.Status, record.NeedsUpdate)
	})
}

func TestReplacedInputsHaveMoved(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.promote("memo")
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Write.", Inputs: []string{"memo"}}); err != nil {
			k.Fatal(err)
		}
		k.put(draft("other", record.IntegratedMemo, "another"))
		if _, err := k.Promote(k.ctx(), sydney, "other", govern.PromoteOptions{Reason: "better", Replace: true}); err != nil {
			k.Fatal(err)
		}
		_, _, moved, err := k.Task(k.ctx(), "task")
		k.equal("moved", []any{len(moved), err}, []any{1, nil})
		d := draft("result", record.AnalysisResult, "made from the task")
		d.Task = "task"
		k.equal("result of the task", k.put(d).Record.Status, record.NeedsRebase)
		k.equal("later dependent", k.put(draft("citing", record.AnalysisResult, "citing", "cites=memo")).Record.Status, record.NeedsUpdate)
	})
}

// The status lists every stale version that is standing or a tip, even if a later branch of its
// record was abandoned.
func TestStatusListsRelevantVersions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		for _, text := range []string{"first", "second", "third"} {
			d := draft("memo", record.IntegratedMemo, text, "cites=note")
			if text != "first" {
				d.Parent = 1
			}
			k.put(d)
		}
		if _, err := k.Deprecate(k.ctx(), sydney, "memo@v3", "a dead end", false); err != nil {
			k.Fatal(err)
		}
		for _, text := range []string{"left", "right"} {
			d := draft("ms", record.ManuscriptSection, text, "derives_from=note")
			if text == "right" {
				d.NoLinks, d.Links, d.Parent = true, nil, 0
			}
			k.put(d)
		}
		d := draft("ms", record.ManuscriptSection, "middle", "derives_from=note")
		d.Parent = 1
		k.put(d) // v3, beside v2
		d.Parent, d.Content = 1, []byte("more")
		k.put(d) // v4
		k.put(draft("note", record.PaperNote, "two"))
		k.promote("note@v2")
		var got []string
		for _, o := range k.status().NeedsUpdate {
			got = append(got, o.Ref.String())
		}
		k.equal("listed", got, []string{"memo@v2", "ms@v3", "ms@v4"})
	})
}
