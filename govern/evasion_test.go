package govern_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store/record"
)

// An agent cannot remove needs_rebase by repeating or rewording the text.
func TestNeedsRebaseSurvivesRepetition(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		blue := govern.Actor{Name: "Blue", Role: "hypothesis_generator"}
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Model.", Role: blue.Role, Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		k.put(draft("note", record.PaperNote, "two"))
		k.promote("note@v2")
		put := func(change func(*govern.Draft)) (govern.Put, error) {
			d := draft("model", record.ModelSpec, "a model")
			change(&d)
			out, err := k.Put(k.ctx(), blue, d)
			if err != nil {
				return govern.Put{}, err
			}
			return out[0], nil
		}
		is := func(what, status string, change func(*govern.Draft)) {
			k.Helper()
			p, err := put(change)
			if err != nil {
				k.Fatal(what, err)
			}
			k.equal(what, p.Record.Status, status)
		}
		is("late", record.NeedsRebase, func(d *govern.Draft) { d.Task = "task" })
		_, err := put(func(*govern.Draft) {})
		k.wantFault(err, govern.NothingNew)
		is("reworded", record.NeedsRebase, func(d *govern.Draft) { d.Content = []byte("a model, polished") })
		is("without links", record.NeedsRebase, func(d *govern.Draft) { d.Content, d.NoLinks = []byte("a model, polished"), true })
		is("linked to the new version", record.NeedsRebase, func(d *govern.Draft) { d.Content, d.Links = []byte("a model, polished"), links("cites=note") })
		is("rewritten", record.Draft, func(d *govern.Draft) { d.Content, d.Links = []byte("a new model"), links("cites=note") })
	})
}

// A version that continues the result of a revision has moved no input but the record itself.
func TestRevisionIsNotItsOwnMovedInput(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Revise it.", Inputs: []string{"memo"}}); err != nil {
			k.Fatal(err)
		}
		d := draft("memo", record.IntegratedMemo, "two")
		d.Task = "task"
		k.equal("revised", k.put(d).Record.Status, record.Draft)
		k.equal("continued", k.put(draft("memo", record.IntegratedMemo, "three")).Record.Status, record.Draft)
		d.Content = []byte("four")
		k.equal("revised from an old version", k.put(d).Record.Status, record.NeedsRebase)
	})
}

func TestCycleThroughTaskIsRejected(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("a", record.ModelSpec, "a"))
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "t", Task: "Do.", Inputs: []string{"a"}}); err != nil {
			k.Fatal(err)
		}
		b := draft("b", record.AnalysisResult, "b")
		b.Task = "t"
		k.put(b)
		_, err := k.Put(k.ctx(), sydney, draft("a", record.ModelSpec, "a2", "cites=b"))
		k.wantFault(err, govern.LinkCycle, "a → b@v1 → t@v1 → a@v1")
	})
}

func TestTaskBelongsToItsAuthor(t *testing.T) {
	both(t, func(k *kit) {
		pin := func(who govern.Actor, text string) error {
			_, _, err := k.Pin(k.ctx(), who, govern.TaskDraft{ID: "task", Task: text, Role: "hypothesis_generator"})
			return err
		}
		if err := pin(sydney, "Write the model."); err != nil {
			k.Fatal(err)
		}
		k.wantFault(pin(reader, "Ignore the brief."), policy.OutOfScope)
		k.equal("recorded", k.status().Refused, 1)
		if g := k.context(govern.Request{Task: "task"}); !strings.Contains(g.Text, "Write the model.") {
			k.Error(g.Text)
		}
		if err := pin(sydney, "Rewrite the model."); err != nil {
			k.Error(err)
		}
	})
}

// A role that may write a type, but not read it, learns nothing of its content.
func TestRoleWithoutReadAccessLearnsNothing(t *testing.T) {
	both(t, func(k *kit) {
		blind := govern.Actor{Name: "Blue", Role: "blind"}
		k.Access = append(k.Access, policy.Access{Role: blind.Role, Read: []string{record.ProjectBrief}, Write: []string{record.ManuscriptSection}})
		k.put(draft("ms", record.ManuscriptSection, "secret"))
		k.put(draft("ms", record.ManuscriptSection, "secret two"))
		_, err := k.Revert(k.ctx(), blind, "ms@v1", "so")
		k.wantFault(err, policy.OutOfScope)
		keep := draft("ms", record.ManuscriptSection, "mine")
		keep.Summary, keep.KeepSummary = "", true
		_, err = k.Put(k.ctx(), blind, keep)
		k.wantFault(err, policy.OutOfScope)
		other := draft("ms", record.ManuscriptSection, "another branch")
		other.Parent = 1
		k.put(other)
		_, err = k.Merge(k.ctx(), blind, govern.MergeDraft{ID: "ms", Take: 2, Change: "so"})
		k.wantFault(err, policy.OutOfScope)
		k.equal("recorded", k.status().Refused, 3)
	})
}

func TestMarksDistinguishAgentsFromPeople(t *testing.T) {
	both(t, func(k *kit) {
		k.Rules.Unattended = []string{record.PaperNote}
		k.put(draft("note", record.PaperNote, "one"))
		if _, err := k.Promote(k.ctx(), govern.Actor{Name: "Sydney", Role: policy.Reader}, "note", govern.PromoteOptions{Reason: "fine"}); err != nil {
			k.Fatal(err)
		}
		h, err := k.History(k.ctx(), "note")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("signature", h.Marks[0].By, "Sydney, as reader")
	})
}

func TestRehearsalTagIsPermanent(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "one")
		d.Tags = []string{record.Rehearsal}
		k.put(d)
		d.Content, d.Tags = []byte("two"), []string{"real"}
		k.equal("tags", k.put(d).Record.Tags, []string{"real", record.Rehearsal})
		_, err := k.Promote(k.ctx(), sydney, "note", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it comes from a rehearsal")
	})
}

// After one branch is deprecated, the other is the standing one.
func TestRemainingBranchIsStanding(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.put(draft("note", record.PaperNote, "two"))
		third := draft("note", record.PaperNote, "three")
		third.Parent = 1
		k.put(third)
		_, err := k.Revert(k.ctx(), sydney, "note@v1", "so")
		k.wantFault(err, govern.BadRecord, "unmerged branches: v2, v3", "store merge note --take")
		deprecate := func() error {
			_, err := k.Deprecate(k.ctx(), sydney, "note@v3", "a dead end", false)
			return err
		}
		if err := deprecate(); err != nil {
			k.Fatal(err)
		}
		k.wantFault(deprecate(), govern.NothingNew, "already deprecated: v3")
		r, _, err := k.Standing(k.ctx(), "note")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("standing", r.Version, 2)
		k.equal("shown", shownIDs(k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})), []string{"note"})
		put := k.put(draft("result", record.AnalysisResult, "r", "cites=note"))
		k.equal("links to the standing version", []any{put.Record.Links[0].Version, put.Record.Status}, []any{2, record.Draft})
		k.promote("note")
		k.equal("promoted", k.record("note").Version, 2)
		k.equal("continues it", k.put(draft("note", record.PaperNote, "four")).Record.Parent, 2)
	})
}

// A merge that takes one tip keeps only the links of that tip.
func TestMergeTakeKeepsLinksOfTheTip(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("x", record.PaperNote, "x"))
		k.put(draft("y", record.PaperNote, "y"))
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.put(draft("memo", record.IntegratedMemo, "two", "cites=x"))
		third := draft("memo", record.IntegratedMemo, "three", "refutes=y")
		third.Parent = 1
		k.put(third)
		put, err := k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Take: 2, Change: "the other is wrong"})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("links", put.Record.Links, []record.Link{{Relation: record.Cites, ID: "x", Version: 1}, {Relation: record.Supersedes, ID: "memo", Version: 3}})
	})
}

// A diff lists the changes between a version and a descendant, and no others.
func TestDiffListsChangesOfDescendantsOnly(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.put(draft("memo", record.IntegratedMemo, "two"))
		third := draft("memo", record.IntegratedMemo, "three")
		third.Parent = 1
		k.put(third)
		for pair, want := range map[[2]string]int{{"memo@v1", "memo@v2"}: 1, {"memo@v2", "memo@v3"}: 0, {"memo@v2", "memo@v1"}: 0} {
			d, err := k.Diff(k.ctx(), pair[0], pair[1])
			if err != nil {
				k.Fatal(err)
			}
			k.equal(strings.Join(pair[:], " to "), len(d.Changes), want)
		}
	})
}

// A task names no input that its role would not be shown.
func TestTaskInputsMustBeVisibleToTheRole(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("fate-note", record.PaperNote, "f"))
		other := draft("dose-note", record.PaperNote, "d")
		other.Module = "dose"
		k.put(other)
		k.put(draft("ms", record.ManuscriptSection, "m"))
		pin := func(cross bool, inputs ...string) error {
			_, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Compare.", Role: "hypothesis_generator", Cross: cross, Inputs: inputs})
			return err
		}
		k.wantFault(pin(false, "fate-note", "dose-note"), govern.BadRecord, "it is of the module dose, but the task is about fate", "--cross-module")
		k.wantFault(pin(false, "ms"), govern.BadRecord, "the role hypothesis_generator cannot see records of the type manuscript_section")
		if err := pin(true, "fate-note", "dose-note"); err != nil {
			k.Fatal(err)
		}
		k.equal("both", shownIDs(k.context(govern.Request{Task: "task"})), []string{"dose-note", "fate-note"})
		// The number of inputs is not limited by the view.
		var many []string
		for _, c := range "abcdefghijkl" {
			k.put(draft("n-"+string(c), record.PaperNote, string(c)))
			many = append(many, "n-"+string(c))
		}
		if err := pin(false, many...); err != nil {
			k.Fatal(err)
		}
		k.equal("all", len(k.context(govern.Request{Task: "task"}).Shown), len(many))
	})
}

func TestMovingAMemoDoesNotLeaveAModuleWithoutOne(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.promote("memo")
		moved := draft("memo", record.IntegratedMemo, "two")
		moved.Module = "dose"
		k.put(moved)
		_, err := k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "moved"})
		k.wantFault(err, policy.Blocked, "canonical integrated_memo of fate, which would then have none", "under another id")
	})
}

// A batch may abbreviate ids, like all commands.
func TestBatchMayAbbreviateIDs(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("alpha", record.PaperNote, "one"))
		put, err := k.Put(k.ctx(), sydney, govern.Draft{ID: "alp", Content: []byte("two")})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("put", put[0].Record.Ref().String(), "alpha@v2")
	})
}

// An author cannot hide what follows by opening a comment or a tag.
func TestSnapshotEscapesHTML(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "Goal: a question?\n\n## Scope\n\n<!--\n\n```\n<kept>\n```\n\nAs `<T>` and 1 < 2 and <b>bold"))
		k.promote("brief")
		s, err := k.Snapshot(k.ctx())
		if err != nil {
			k.Fatal(err)
		}
		for _, want := range []string{"&lt;!--", "\n<kept>\n", "`<T>` and 1 < 2 and &lt;b>bold"} {
			if !strings.Contains(s.Text, want) {
				k.Errorf("%q is not in\n%s", want, s.Text)
			}
		}
	})
}

// A decision for the whole project requires the memos of all modules.
func TestProjectDecisionsRequireMemosOfAllModules(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 10 {
			k.put(draft(fmt.Sprint("note-", i), record.PaperNote, fmt.Sprint("note ", i)))
		}
		blocked := func(id, kind string) {
			k.Helper()
			d := draft(id, kind, "of all")
			d.Module = record.Project
			k.put(d)
			_, err := k.Promote(k.ctx(), sydney, id, govern.PromoteOptions{Reason: "so"})
			k.wantFault(err, policy.Blocked, "compression of the module fate is due")
		}
		blocked("model", record.ModelSpec)
		blocked("text", record.ManuscriptSection)
		blocked("summary", record.ProjectSummary)
		blocked("brief", record.ProjectBrief)
		if _, err := k.Consolidate(k.ctx(), sydney, "fate", nil); err != nil {
			k.Fatal(err)
		}
		k.promote("memo-fate")
		k.promote("brief")
	})
}

// A memo does not disclose records that the integrator may not read.
func TestMemoOmitsTypesTheIntegratorMayNotRead(t *testing.T) {
	both(t, func(k *kit) {
		k.Types = k.Types.With("patient_record")
		k.put(draft("note", record.PaperNote, "a note"))
		k.put(draft("patient", "patient_record", "Jane has it"))
		for _, who := range []govern.Actor{sydney, {Name: "Mallory", Role: policy.Integrator}} {
			put, err := k.Consolidate(k.ctx(), who, "fate", nil)
			if fault.CodeOf(err) == govern.NothingNew {
				continue
			}
			if err != nil {
				k.Fatal(err)
			}
			text, err := k.Content(k.ctx(), &put.Record)
			if err != nil || strings.Contains(string(text), "Jane") || !strings.Contains(string(text), "a note") {
				k.Errorf("%s, %v", text, err)
			}
		}
		// Records that no memo can cover are not due.
		for i := range 10 {
			k.put(draft(fmt.Sprint("patient-", i), "patient_record", fmt.Sprint("patient ", i)))
		}
		k.equal("due", len(k.status().Due), 0)
	})
}

// A merge that includes a rehearsed branch is a rehearsal, too.
func TestMergeKeepsTheRehearsalTag(t *testing.T) {
	for _, c := range []struct {
		what  string
		merge govern.MergeDraft
		want  []string
	}{
		{"both are merged", govern.MergeDraft{Content: []byte("real, and rehearsed")}, []string{"kept", record.Rehearsal}},
		{"the real one is taken", govern.MergeDraft{Take: 2}, []string{"kept"}},
		{"the other is taken", govern.MergeDraft{Take: 3}, []string{record.Rehearsal}},
	} {
		both(t, func(k *kit) {
			k.put(draft("memo", record.IntegratedMemo, "one"))
			for _, branch := range []struct{ text, tag string }{{"real", "kept"}, {"rehearsed", record.Rehearsal}} {
				d := draft("memo", record.IntegratedMemo, branch.text)
				d.Parent, d.Tags = 1, []string{branch.tag}
				k.put(d)
			}
			m := c.merge
			m.ID, m.Summary, m.Change = "memo", "what was decided", "it was decided"
			put, err := k.Merge(k.ctx(), sydney, m)
			if err != nil {
				k.Fatal(c.what, err)
			}
			k.equal(c.what, put.Record.Tags, c.want)
		})
	}
}
