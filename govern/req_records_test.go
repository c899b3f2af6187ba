package govern_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

func TestReq04_TypedArtifacts(t *testing.T) {
	both(t, func(k *kit) {
		_, err := k.Put(k.ctx(), sydney, draft("x", record.TaskSpec, "?"))
		k.wantFault(err, govern.BadRecord, "a task_spec must name exact versions", "store pin")
		for _, kind := range k.Types.Names(func(t record.Type) bool { return !t.Raw && t.Name != record.TaskSpec }) { // raw types are written by sessions, task specs by Pin
			k.put(draft("a-"+kind, kind, "of type "+kind))
			k.equal("type", k.record("a-"+kind).Type, kind)
		}
		_, err = k.Put(k.ctx(), sydney, draft("x", "paper_notes", "?"))
		k.wantFault(err, record.UnknownType, "unknown type paper_notes", "did you mean paper_note?")
		_, err = k.Put(k.ctx(), sydney, draft("a-paper_note", record.ModelSpec, "?"))
		k.wantFault(err, govern.BadRecord, "it is a paper_note and cannot become a model_spec")
		k.Types = k.Types.With("field_trip")
		k.put(draft("trip", "field_trip", "a type of the project's own"))
	})
}

func TestReq05_AllFieldsAreRequired(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "what it says")
		d.Tags = []string{"embryo"}
		k.put(d)
		d.Content, d.Change = []byte("what it says now"), "one more word"
		k.put(d)
		r := k.record("note")
		if err := r.Check(); err != nil {
			k.Error(err)
		}
		k.equal("fields", []any{r.ID, r.Type, r.Version, r.Parent, r.Status, r.Module, r.Summary, r.Creator, r.Tags, r.Change, r.At.IsZero()},
			[]any{"note", record.PaperNote, 2, 1, record.Draft, "fate", "summary of what it says", "Sydney", "[embryo]", "one more word", false})
		content, err := k.Content(k.ctx(), &r)
		if err != nil || string(content) != "what it says now" {
			k.Errorf("%s, %v", content, err)
		}
		for want, spoil := range map[string]func(*govern.Draft){
			"its content is empty":      func(d *govern.Draft) { d.Content = []byte(" \n") },
			"is not valid UTF-8":        func(d *govern.Draft) { d.Content = []byte("\xff") },
			"its module is missing":     func(d *govern.Draft) { d.ID, d.Module = "new", "" },
			"id a@b: invalid character": func(d *govern.Draft) { d.ID = "a@b" },
			"a tag is empty":            func(d *govern.Draft) { d.Tags = []string{""} },
			"the summary has 500 characters, more than the maximum of 400": func(d *govern.Draft) { d.Summary = strings.Repeat("x", 500) },
			"more than one line":   func(d *govern.Draft) { d.Summary = "a\nb" },
			"identical to note@v2": func(*govern.Draft) {},
		} {
			bad := d
			spoil(&bad)
			if _, err := k.Put(k.ctx(), sydney, bad); err == nil || !strings.Contains(err.Error(), want) {
				k.Errorf("got %v, want it to contain %q", err, want)
			}
		}
		k.equal("nothing was written", k.record("note").Version, 2)
	})
}

func TestReq06_LinksAndLineage(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 3 {
			k.put(draft(fmt.Sprintf("note-%d", i), record.PaperNote, fmt.Sprint("note ", i)))
		}
		k.put(draft("result", record.AnalysisResult, "a result", "derives_from=note-0"))
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=note-1", "cites=note-2@v1", "summarises=result", "refutes=note-0"))
		l, err := k.Lineage(k.ctx(), "memo", true, false, 0)
		if err != nil {
			k.Fatal(err)
		}
		var got []string
		for _, n := range l.Nodes {
			got = append(got, fmt.Sprintf("%d %s", n.Depth, n.Ref))
		}
		k.equal("up", got, []string{"0 memo@v1", "1 note-0@v1", "1 note-1@v1", "1 note-2@v1", "1 result@v1"})
		if l, err = k.Lineage(k.ctx(), "note-0", false, false, 0); err != nil || len(l.Nodes) != 3 || len(l.Edges) != 3 {
			k.Errorf("%+v, %v", l, err)
		}
		for _, text := range []string{l.DOT(), l.Mermaid()} {
			if !strings.Contains(text, "derives_from") || !strings.Contains(text, "memo@v1") {
				k.Error(text)
			}
		}
		for want, d := range map[fault.Code]govern.Draft{
			govern.BadLink: draft("x", record.PaperNote, "x", "likes=note-1"),
		} {
			_, err := k.Put(k.ctx(), sydney, d)
			k.wantFault(err, want, "unknown relation likes")
		}
		_, err = k.Put(k.ctx(), sydney, draft("x", record.PaperNote, "x", "cites=nothing"))
		k.wantFault(err, govern.BadLink, "no such record: nothing")
		_, err = k.Put(k.ctx(), sydney, draft("x", record.PaperNote, "x", "cites=note-1@v7"))
		k.wantFault(err, govern.BadLink, "has no version 7")
	})
}

func TestLinkCyclesAreRejected(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("a", record.PaperNote, "a"))
		k.put(draft("b", record.PaperNote, "b", "cites=a"))
		k.put(draft("c", record.PaperNote, "c", "derives_from=b"))
		_, err := k.Put(k.ctx(), sydney, draft("a", record.PaperNote, "a2", "cites=c"))
		k.wantFault(err, govern.LinkCycle, "a → c@v1 → b@v1 → a@v1")
		_, err = k.Put(k.ctx(), sydney, draft("a", record.PaperNote, "a2", "cites=a@v1"))
		k.wantFault(err, govern.LinkCycle, "it cannot depend on itself")
		// Within one batch, too.
		_, err = k.Put(k.ctx(), sydney, draft("d", record.PaperNote, "d", "cites=a"), draft("a", record.PaperNote, "a2", "cites=d"))
		k.wantFault(err, govern.LinkCycle)
		// A reply may close a cycle, which a lineage follows once.
		k.put(draft("a", record.PaperNote, "a2", "replies_to=c"))
		l, err := k.Lineage(k.ctx(), "a", true, false, 0)
		if err != nil || len(l.Nodes) != 4 {
			k.Errorf("%+v, %v", l, err)
		}
	})
}

func TestReq11_SummariesArePresentAndCurrent(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "# A heading\n\nIt was shown that cells wait. Then they decide.\n")
		d.Summary = ""
		k.put(d)
		r := k.record("note")
		k.equal("extracted", []string{r.Summary, r.SummaryBy}, []string{"It was shown that cells wait. Then they decide.", record.Extracted})
		d.Content, d.KeepSummary = []byte("Quite another thing."), true
		k.put(d)
		if r = k.record("note"); !r.StaleSummary() || r.SummaryBy != record.Kept {
			k.Errorf("%+v", r)
		}
		k.equal("known", k.status().StaleSummaries, []string{"note@v2"})
		g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})
		if !strings.Contains(g.Text, "[this summary is of an earlier version]") {
			k.Error(g.Text)
		}
		_, err := k.Promote(k.ctx(), sydney, "note", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "its summary was written for different content")
		// Without an agent the summary is extracted; an agent writes a better one.
		if put, err := k.Summarise(k.ctx(), sydney, "note", nil); err != nil || put.Record.SummaryBy != record.Extracted || put.Record.StaleSummary() {
			k.Errorf("%+v, %v", put, err)
		}
		h, ada := helper("  It says\nquite another thing. ")
		put, err := k.Summarise(k.ctx(), sydney, "note", h)
		if err != nil || put.Record.Summary != "It says quite another thing." || put.Record.SummaryBy != record.Given {
			k.Errorf("%+v, %v", put, err)
		}
		if !strings.Contains(ada.calls[0].Turns[0].Text, "  | Quite another thing.") {
			k.Error(ada.calls[0].Turns[0].Text)
		}
		k.equal("none remaining", len(k.status().StaleSummaries), 0)
		k.promote("note")
		h.Agent = &scripted{text: strings.Repeat("too long ", 100)}
		_, err = k.Summarise(k.ctx(), sydney, "note", h)
		k.wantFault(err, record.BadSummary)
		_, err = k.Put(k.ctx(), sydney, govern.Draft{ID: "dots", Type: record.PaperNote, Module: "fate", Content: []byte("\x01\x02")})
		k.wantFault(err, record.BadSummary, "the summary is missing")
	})
}

func TestReq12_CompressionBeforeDecisions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("spec", record.ModelSpec, "a model"))
		for i := range 9 {
			k.put(draft(fmt.Sprintf("note-%d", i), record.PaperNote, fmt.Sprint("note ", i)))
		}
		k.promote("spec") // nine others are below the limit
		k.put(draft("note-9", record.PaperNote, "note 9"))
		k.put(draft("ms", record.ManuscriptSection, "a text", "cites=spec"))
		_, err := k.Promote(k.ctx(), sydney, "ms", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "compression of the module fate is due", "store consolidate --module fate")
		k.equal("due", len(k.status().Due), 1)
		k.put(draft("memo-fate", record.IntegratedMemo, "a memo that names nothing"))
		k.promote("memo-fate")
		k.equal("due after a memo without links", len(k.status().Due), 1)
		put, err := k.Consolidate(k.ctx(), sydney, "fate", nil)
		if err != nil || put.Record.ID != "memo-fate" || put.Record.SummaryBy != record.Extracted || len(put.Record.Links) != 11 {
			k.Fatalf("%+v, %v", put, err)
		}
		content, err := k.Content(k.ctx(), &put.Record)
		if err != nil || !strings.Contains(string(content), "without a model") || !strings.Contains(string(content), "note-9@v1") {
			k.Errorf("%s, %v", content, err)
		}
		_, err = k.Promote(k.ctx(), sydney, "ms", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked) // a draft of a memo does not count
		k.promote("memo-fate")
		k.promote("ms")
		k.equal("due", len(k.status().Due), 0)
	})
}

func TestReq13_NothingIsOverwritten(t *testing.T) {
	both(t, func(k *kit) {
		for i := range 5 {
			k.put(draft("memo", record.IntegratedMemo, fmt.Sprint("edition ", i+1)))
		}
		for i := range 5 {
			r := k.record(fmt.Sprintf("memo@v%d", i+1))
			content, err := k.Content(k.ctx(), &r)
			if err != nil || string(content) != fmt.Sprint("edition ", i+1) || r.Parent != i {
				k.Errorf("%s, %v", content, err)
			}
		}
		put, err := k.Revert(k.ctx(), sydney, "memo@v2", "the third was wrong")
		if err != nil || put.Record.Version != 6 || put.Record.Parent != 5 || put.Record.Change != "back to v2: the third was wrong" {
			k.Fatalf("%+v, %v", put, err)
		}
		k.equal("content", put.Record.Content, k.record("memo@v2").Content)
		_, err = k.Revert(k.ctx(), sydney, "memo@v6", "")
		k.wantFault(err, govern.NothingNew)
	})
}

func TestReq14_OneCanonicalVersion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.put(draft("memo", record.IntegratedMemo, "two"))
		k.promote("memo@v1")
		k.promote("memo@v2")
		h, err := k.Head(k.ctx(), "memo")
		k.equal("canonical", []any{h.Canonical, err}, []any{2, nil})
		k.equal("the replaced version is marked", k.record("memo@v1").Status, record.Deprecated)
		// A key type has one holder for each module; another type has any number.
		k.put(draft("memo-2", record.IntegratedMemo, "another"))
		_, err = k.Promote(k.ctx(), sydney, "memo-2", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "memo is the canonical integrated_memo of fate", "--replace")
		p, err := k.Promote(k.ctx(), sydney, "memo-2", govern.PromoteOptions{Reason: "so", Replace: true})
		if err != nil || p.Replaced != "memo" {
			k.Errorf("%+v, %v", p, err)
		}
		k.equal("the old one", k.record("memo@v2").Status, record.Alternative)
		elsewhere := draft("memo-3", record.IntegratedMemo, "of another module")
		elsewhere.Module = "signal"
		k.put(elsewhere)
		k.promote("memo-3")
		for _, id := range []string{"note-1", "note-2"} {
			k.put(draft(id, record.PaperNote, id))
			k.promote(id)
		}
		heads, err := k.Store.Heads(k.ctx(), store.HeadQuery{Canonical: true})
		k.equal("canonical ones", []any{len(heads), err}, []any{4, nil})
		_, _, err = k.Find(k.ctx(), "memo@canonical")
		k.wantFault(err, govern.NoCanonical, "has no canonical version")
		k.equal("by alias", k.record("memo-2@canonical").Version, 1)
	})
}

func TestReq15_ChangeNotes(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("memo", record.IntegratedMemo, "one\ntwo\nthree")
		d.Change = ""
		k.put(d)
		d.Content = []byte("one\n2\nthree")
		_, err := k.Put(k.ctx(), sydney, d)
		k.wantFault(err, govern.BadRecord, "a new version of an integrated_memo needs a change note", "what changed, and why")
		d.Change = "two is a number"
		k.put(d)
		d.Content, d.Change, d.Summary = []byte("one\n2\nthree\nfour"), "four was missing", "another summary"
		k.put(d)
		diff, err := k.Diff(k.ctx(), "memo@v1", "memo@v3")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("change notes", diff.Changes, []govern.Change{{Version: 2, Creator: "Sydney", Text: "two is a number"}, {Version: 3, Creator: "Sydney", Text: "four was missing"}})
		k.equal("fields", diff.Fields, []govern.FieldChange{{Field: "summary", From: "summary of one two three", To: "another summary"}})
		k.equal("lines", diff.Lines, []string{" one", "-two", "+2", " three", "+four"})
	})
}

func TestReq16_TasksPinTheirInputs(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		put, task, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Write the memo.", Role: policy.Integrator, Inputs: []string{"note"}})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("inputs", task.Inputs, []govern.Input{{ID: "note", Version: 1, Type: record.PaperNote, Stood: 1, Status: record.Draft}})
		k.equal("links", put.Record.Links, []record.Link{{Relation: record.DerivesFrom, ID: "note", Version: 1}})
		_, _, moved, err := k.Task(k.ctx(), "task")
		k.equal("moved", []any{moved, err}, []any{[]govern.Moved(nil), nil})
		k.put(draft("note", record.PaperNote, "two"))
		_, _, moved, err = k.Task(k.ctx(), "task")
		k.equal("moved", []any{moved, err}, []any{[]govern.Moved{{Input: task.Inputs[0], Now: 2}}, nil})
		_, _, _, err = k.Task(k.ctx(), "note")
		k.wantFault(err, govern.NotATask)
		_, _, err = k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "t", Task: " "})
		k.wantFault(err, govern.BadRecord)
		_, _, err = k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "t", Task: "x", Role: "poet"})
		k.wantFault(err, govern.UnknownRole)
	})
}

func TestReq17_ResultsOfOldInputsAreFlagged(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		pin := func(id string) {
			if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: id, Task: "Write.", Inputs: []string{"note"}}); err != nil {
				k.Fatal(err)
			}
		}
		pin("task-1")
		d := draft("memo", record.IntegratedMemo, "a memo")
		d.Task = "task-1"
		k.equal("in time", k.put(d).Record.Status, record.Draft)
		pin("task-2")
		k.put(draft("note", record.PaperNote, "two"))
		d.Task, d.Content = "task-2", []byte("made while a draft came")
		k.equal("a draft beside a canonical version moves nothing", k.put(d).Record.Status, record.Draft)
		k.promote("note@v2")
		d.Content = []byte("made from what was")
		put := k.put(d)
		k.equal("too late", put.Record.Status, record.NeedsRebase)
		k.equal("why", put.Moved, []govern.Moved{{Input: govern.Input{ID: "note", Version: 1, Type: record.PaperNote, Stood: 1, Canonical: true, Status: record.Canonical}, Now: 2}})
		k.equal("listed", len(k.status().NeedsRebase), 1)
		_, err := k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it was made from inputs that have changed since")
		k.put(draft("memo", record.IntegratedMemo, "made from the current version", "cites=note"))
		k.equal("listed", len(k.status().NeedsRebase), 0)
		k.promote("memo")
	})
}

func TestReq18_NoSilentPromotion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.equal("status", k.record("note").Status, record.Draft)
		for want, try := range map[string]func() error{
			"no reason given": func() error {
				_, err := k.Promote(k.ctx(), sydney, "note", govern.PromoteOptions{})
				return err
			},
			"Guest has no authority to promote it": func() error {
				_, err := k.Promote(k.ctx(), guest, "note", govern.PromoteOptions{Reason: "so"})
				return err
			},
			"Sydney has no authority to promote it": func() error { // an agent with a person's name has no authority
				_, err := k.Promote(k.ctx(), govern.Actor{Name: "Sydney", Role: policy.Reader}, "note", govern.PromoteOptions{Reason: "so"})
				return err
			},
		} {
			k.wantFault(try(), policy.Blocked, want)
		}
		played := draft("played", record.PaperNote, "by scripted agents")
		played.Tags = []string{"rehearsal"}
		k.put(played)
		_, err := k.Promote(k.ctx(), sydney, "played", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "rehearsal")
		k.promote("note")
		marks, err := k.Store.Marks(k.ctx(), "note")
		if err != nil || len(marks) != 1 || marks[0].By != "Sydney" || marks[0].Reason != "it holds" {
			k.Errorf("%v, %v", marks, err)
		}
		// Unattended promotion is off by default.
		k.Rules.Unattended = []string{record.AnalysisResult}
		k.put(draft("result", record.AnalysisResult, "r"))
		if _, err := k.Promote(k.ctx(), govern.Actor{Name: "Robot", Role: "test_designer"}, "result", govern.PromoteOptions{Reason: "by rule"}); err != nil {
			k.Error(err)
		}
	})
}

// Of two concurrent promotions one succeeds, and the other returns an error.
func TestConcurrentPromotions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.put(draft("memo", record.IntegratedMemo, "two"))
		for _, id := range []string{"left", "right"} {
			k.put(draft(id, record.ModelSpec, id))
		}
		for _, pair := range [][2]string{{"memo@v1", "memo@v2"}, {"left", "right"}} {
			ctx := context.WithoutCancel(k.ctx())
			// Both have read before either writes.
			gate := &barrierStore{Store: k.Store, gate: &barrier{waiting: 2, both: make(chan struct{})}}
			var all sync.WaitGroup
			errs := make([]error, 2)
			for i, address := range pair {
				all.Go(func() {
					records := k.withStore(gate)
					_, errs[i] = records.Promote(ctx, sydney, address, govern.PromoteOptions{Reason: "so"})
				})
			}
			all.Wait()
			lost := errs[0]
			if lost == nil {
				lost = errs[1]
			}
			if (errs[0] == nil) == (errs[1] == nil) {
				k.Errorf("%v", errs)
			}
			if code := fault.CodeOf(lost); code != store.CanonMoved && code != policy.Blocked || fault.HintOf(lost) == "" {
				k.Error(lost)
			}
		}
	})
}

func TestReq19_ForksAreListedAndMerged(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "n"))
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.put(draft("memo", record.IntegratedMemo, "two", "cites=note"))
		other := draft("memo", record.IntegratedMemo, "other")
		other.Parent = 1 // an old parent
		put := k.put(other)
		k.equal("status", put.Record.Status, record.Alternative)
		k.equal("fork", put.Fork, []int{2, 3})
		k.equal("listed", k.status().Forks, []govern.Fork{{ID: "memo", Type: record.IntegratedMemo, Module: "fate", Core: true, Tips: []int{2, 3}}})
		_, err := k.Put(k.ctx(), sydney, govern.Draft{ID: "memo", Parent: 9, Content: []byte("x"), Change: "x"})
		k.wantFault(err, store.NoRecord, "has no version 9", "the latest is v3")
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Content: []byte("both")})
		k.wantFault(err, govern.BadRecord, "the merge of v2, v3 needs a change note")
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Take: 1, Change: "x"})
		k.wantFault(err, govern.NoFork, "the tips are v2, v3")
		put, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Content: []byte("both"), Change: "both are right", Summary: "s"})
		if err != nil || put.Record.Parent != 2 || put.Record.Status != record.Draft {
			k.Fatalf("%+v, %v", put, err)
		}
		k.equal("links", put.Record.Links, []record.Link{{Relation: record.Cites, ID: "note", Version: 1}, {Relation: record.Supersedes, ID: "memo", Version: 3}})
		k.equal("forks", len(k.status().Forks), 0)
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Take: 4, Change: "x"})
		k.wantFault(err, govern.NoFork, "only one branch")
		// Taking one tip unchanged ends a fork, too, and so does deprecating one.
		other.Parent, other.Content = 2, []byte("third branch")
		k.put(other)
		if put, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "memo", Take: 4, Change: "the third branch is wrong"}); err != nil || put.Record.Content != k.record("memo@v4").Content {
			k.Errorf("%+v, %v", put, err)
		}
		other.Content = []byte("fourth branch")
		k.put(other)
		if _, err := k.Deprecate(k.ctx(), sydney, "memo@v7", "a dead end", false); err != nil {
			k.Error(err)
		}
		k.equal("forks", len(k.status().Forks), 0)
	})
}

func TestReq24_AlignmentWithTheBrief(t *testing.T) {
	both(t, func(k *kit) {
		found := func() []govern.Finding {
			all, err := k.Check(k.ctx(), sydney, govern.CheckAlignment)
			if err != nil {
				k.Fatal(err)
			}
			return all
		}
		k.equal("without a brief", len(found()), 1)
		k.put(draft("old", record.ModelSpec, "before there was a brief"))
		k.put(draft("brief", record.ProjectBrief, "# Brief\n\nHow do cells decide?\n\n## Out of scope\n\n- plant cells\n- Clinical use\n"))
		k.promote("brief")
		k.put(draft("memo", record.IntegratedMemo, "This is about clinical   use of it."))
		all := found()
		if len(all) != 2 || !strings.Contains(all[0].String(), `"Clinical use"`) || all[1].Ref.ID != "old" {
			k.Errorf("%v", all)
		}
		put, err := k.Review(k.ctx(), sydney, govern.CheckAlignment, all, nil)
		if err != nil || put.Record.Type != record.Review || len(put.Record.Links) != 3 {
			k.Errorf("%+v, %v", put, err)
		}
		if again, err := k.Review(k.ctx(), sydney, govern.CheckAlignment, all, nil); err != nil || again != nil {
			k.Error("the same review was put twice", err)
		}
		// With a critic, the review has its text, too.
		h, ada := helper("- memo@v1 contradicts the goal.")
		put, err = k.Review(k.ctx(), sydney, govern.CheckAlignment, all, h)
		if err != nil || put.Record.Creator != "Ada" {
			k.Fatal(err)
		}
		content, err := k.Content(k.ctx(), &put.Record)
		if err != nil || !strings.Contains(string(content), "memo@v1 contradicts the goal") || len(ada.calls) != 1 {
			k.Errorf("%s, %v; asked %d times, want once", content, err, len(ada.calls))
		}
		if calls, err := k.Calls(k.ctx()); err != nil || len(calls) == 0 || calls[len(calls)-1].Role != policy.Critic {
			k.Errorf("%v: the last of the calls %+v is not the critic's", err, calls)
		}
	})
}

func TestReq25_ConflictingAssumptions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "Text.\n\n- Assumes: cells are equal.\n"))
		other := draft("spec", record.ModelSpec, "Assumes not: Cells are equal\nAssumes: time is short")
		other.Module = "signal"
		k.put(other)
		k.put(draft("a-1", record.Assumption, "Diffusion is fast.\nStatus: verified"))
		third := draft("a-2", record.Assumption, "diffusion is fast\nstatus: falsified")
		third.Module = "signal"
		k.put(third)
		all, err := k.Check(k.ctx(), sydney, govern.CheckAssumptions)
		if err != nil || len(all) != 2 {
			k.Fatalf("%v, %v", all, err)
		}
		k.equal("what", []string{all[0].Text(), all[1].Text()}, []string{
			`fate (verified) and signal (falsified) disagree about "diffusion is fast"`, `fate (assumed) and signal (assumed not) disagree about "cells are equal"`,
		})
		put, err := k.Review(k.ctx(), sydney, govern.CheckAssumptions, all, nil)
		if err != nil || put.Record.ID != "review-assumptions" {
			k.Errorf("%+v, %v", put, err)
		}
	})
}

func TestReq26_DependentsOfOldVersionsAreStale(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		k.put(draft("memo", record.IntegratedMemo, "a memo", "cites=note"))
		k.promote("memo")
		k.put(draft("ms", record.ManuscriptSection, "a text", "derives_from=memo"))
		k.put(draft("answer", record.PaperNote, "an answer to the note", "replies_to=note"))
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Analyse.", Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		d := draft("result", record.AnalysisResult, "made from the task")
		d.Task = "task"
		k.put(d)
		k.put(draft("note", record.PaperNote, "two"))
		k.equal("a draft changes nothing", len(k.status().NeedsUpdate), 0)
		p := k.promote("note@v2")
		var got []string
		for _, s := range p.Stale {
			got = append(got, s.Ref.String()+" because of "+s.Because)
		}
		k.equal("stale", got, []string{"memo@v1 because of note@v1", "ms@v1 because of memo@v1", "result@v1 because of task@v1"})
		k.equal("statuses", []string{k.record("memo").Status, k.record("ms").Status, k.record("result").Status, k.record("answer").Status, k.record("task").Status},
			[]string{record.NeedsUpdate, record.NeedsUpdate, record.NeedsUpdate, record.Draft, record.Draft})
		k.equal("still canonical", k.record("memo@canonical").Version, 1)
		s := k.status()
		if len(s.NeedsUpdate) != 3 || s.Current || !s.NeedsUpdate[0].Canonical || s.NeedsUpdate[0].Reason != "it rests on note@v1, which is not current" {
			k.Errorf("%+v", s.NeedsUpdate)
		}
		// A new version fixes it, or a person confirms that it is still valid.
		k.put(draft("memo", record.IntegratedMemo, "a new memo", "cites=note"))
		k.promote("memo")
		k.promote("result")
		k.put(draft("ms", record.ManuscriptSection, "a new text", "derives_from=memo"))
		k.equal("remaining", len(k.status().NeedsUpdate), 0)
	})
}

func TestReq27_UnusedRecordsAreDeprecated(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("used", record.PaperNote, "used"))
		k.put(draft("unused", record.PaperNote, "unused"))
		k.put(draft("promoted", record.PaperNote, "promoted"))
		k.promote("promoted")
		k.put(draft("memo", record.IntegratedMemo, "memo", "cites=used"))
		k.promote("memo")
		unused, err := k.Unused(k.ctx())
		k.equal("too early", []any{len(unused), err}, []any{0, nil})
		k.clock.skip(31 * 24 * time.Hour)
		_, err = k.DeprecateUnused(k.ctx(), guest)
		k.wantFault(err, policy.OutOfScope)
		marks, err := k.DeprecateUnused(k.ctx(), sydney)
		if err != nil || len(marks) != 1 || marks[0].ID != "unused" {
			k.Fatalf("%v, %v", marks, err)
		}
		g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, All: true})
		if strings.Contains(g.Text, "unused@v1") {
			k.Error(g.Text)
		}
		if r, _, err := k.Read(k.ctx(), sydney, "unused"); err != nil || r.Status != record.Deprecated {
			k.Errorf("it can no longer be read: %v", err)
		}
		_, err = k.Deprecate(k.ctx(), guest, "promoted", "no", true)
		k.wantFault(err, policy.OutOfScope, "Guest has no authority to deprecate records")
		_, err = k.Deprecate(k.ctx(), sydney, "used", "no", false)
		k.wantFault(err, govern.StillUsed, "used by memo@v1", "--anyway")
		_, err = k.Deprecate(k.ctx(), sydney, "memo", "no", true)
		k.wantFault(err, govern.StillUsed, "it is the canonical integrated_memo of fate")
		_, err = k.Deprecate(k.ctx(), sydney, "used", " ", true)
		k.wantFault(err, govern.BadRecord, "no reason given")
		if _, err := k.Deprecate(k.ctx(), sydney, "used", "no", true); err != nil {
			k.Error(err)
		}
	})
}

func TestReq28_Consolidation(t *testing.T) {
	both(t, func(k *kit) {
		for _, id := range []string{"note-1", "note-2"} {
			d := draft(id, record.PaperNote, "the same text")
			d.Summary = "by " + id
			k.put(d)
		}
		k.clock.skip(31 * 24 * time.Hour)
		all, err := k.Check(k.ctx(), sydney, govern.Checks()...)
		if err != nil {
			k.Fatal(err)
		}
		kinds := make(map[string]int)
		for _, f := range all {
			kinds[f.Check]++
		}
		k.equal("found", kinds, map[string]int{govern.CheckAlignment: 1, govern.CheckUnused: 2, govern.CheckDuplicates: 1})
		put, err := k.Review(k.ctx(), sydney, "consolidation", all, nil)
		if err != nil || put == nil {
			k.Error(err)
		}
		h, _ := helper("The memo.")
		if put, err := k.Consolidate(k.ctx(), sydney, "fate", h); err != nil || put.Record.Status != record.Draft || len(put.Record.Links) != 3 {
			k.Errorf("%+v, %v", put, err)
		}
		_, err = k.Consolidate(k.ctx(), sydney, "nowhere", nil)
		k.wantFault(err, govern.NothingGiven)
		_, err = k.Check(k.ctx(), sydney, "spelling")
		k.wantFault(err, govern.NothingGiven, "no such check: spelling")
	})
}

func TestReq29_TheSpine(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "n"))
		missing := func() (n int) {
			for _, s := range k.status().Spine {
				if s.Holder == "" {
					n++
				}
			}
			return n
		}
		k.equal("missing holders", missing(), 3)
		k.put(draft("brief", record.ProjectBrief, "b"))
		k.put(draft("sum", record.ProjectSummary, "s", "summarises=brief"))
		k.put(draft("memo", record.IntegratedMemo, "m", "cites=note"))
		for _, id := range []string{"brief", "sum", "memo"} {
			k.promote(id)
		}
		k.equal("spine", k.status().Spine, []govern.SpineEntry{
			{Type: record.ProjectBrief, Module: record.Project, Holder: "brief@v1", Status: record.Canonical},
			{Type: record.ProjectSummary, Module: record.Project, Holder: "sum@v1", Status: record.Canonical},
			{Type: record.IntegratedMemo, Module: "fate", Holder: "memo@v1", Status: record.Canonical},
		})
	})
}

func TestReq31_ChainOfReasoning(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "n"))
		h, _ := helper("The memo of the module.")
		memo, err := k.Consolidate(k.ctx(), sydney, "fate", h)
		if err != nil {
			k.Fatal(err)
		}
		ms := draft("ms", record.ManuscriptSection, "text", "derives_from="+memo.Record.ID)
		if _, err := k.Put(k.ctx(), writer, ms); err != nil {
			k.Fatal(err)
		}
		l, err := k.Lineage(k.ctx(), "ms", true, false, 0)
		if err != nil {
			k.Fatal(err)
		}
		var got []string
		for _, n := range l.Nodes {
			got = append(got, n.Ref.ID+" by "+n.Creator)
		}
		k.equal("chain", got, []string{"ms by RedSky", "memo-fate by Ada", "note by Sydney", "task-integrate-fate-1 by Sydney"})
		if l, err = k.Lineage(k.ctx(), "ms", true, false, 1); err != nil || len(l.Nodes) != 2 || !l.Cut {
			k.Errorf("%+v, %v", l, err)
		}
	})
}

func TestReq32_Snapshot(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "# Brief\n\nHow do cells decide?\n"))
		k.put(draft("note", record.PaperNote, "n"))
		k.put(draft("spec", record.ModelSpec, "m"))
		k.put(draft("memo", record.IntegratedMemo, "What is known.\n\n## Open questions\n\n- Why so late?\n- Who tells them?\n", "cites=note"))
		for _, id := range []string{"brief", "note", "spec", "memo"} {
			k.promote(id)
		}
		k.put(draft("draft", record.PaperNote, "DRAFT of something"))
		k.put(draft("note", record.PaperNote, "DRAFT two"))
		s, err := k.Snapshot(k.ctx())
		if err != nil {
			k.Fatal(err)
		}
		for _, text := range []string{"How do cells decide?", "summary of n (paper_note, note@v1)", "summary of m (model of fate, spec@v1)", "### fate", "- Why so late? (memo@v1)", "no canonical project summary"} {
			if !strings.Contains(s.Text, text) {
				k.Errorf("%q is not in\n%s", text, s.Text)
			}
		}
		if strings.Contains(s.Text, "DRAFT") || len(s.From) != 4 {
			k.Error(s.Text)
		}
		k.promote("note@v2")
		if s, err = k.Snapshot(k.ctx()); err != nil || !strings.Contains(s.Text, "memo@v1 is canonical and needs_update") {
			k.Errorf("%s, %v", s.Text, err)
		}
	})
}
