package govern_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/govern"
	"brenner/govern/brief"
	"brenner/govern/finding"
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

// A text is revised after a review: the version that takes it up may name it, by its links and by
// its task, though the review is the result of a task about the earlier version.
func TestReviewsCloseNoCycle(t *testing.T) {
	both(t, func(k *kit) {
		pin := func(id, task string, inputs ...string) {
			if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: id, Task: task, Inputs: inputs}); err != nil {
				k.Fatal(err)
			}
		}
		made := func(d govern.Draft, task string) govern.Draft {
			d.Task = task
			return d
		}
		k.put(draft("memo", record.IntegratedMemo, "a memo"))
		k.put(draft("intro", record.ManuscriptSection, "an introduction", "cites=memo"))
		pin("check", "Review the introduction.", "intro", "memo")
		k.put(made(draft("review", record.Review, "a review", "refutes=intro"), "check"))
		pin("revise", "Revise the introduction.", "intro", "review", "memo")
		k.put(made(draft("intro", record.ManuscriptSection, "a better introduction", "cites=review"), "revise"))
		for _, id := range []string{"memo", "intro"} {
			if _, err := k.Promote(k.ctx(), sydney, id, govern.PromoteOptions{Reason: "checked"}); err != nil {
				k.Error(err)
			}
		}
		_, err := k.Put(k.ctx(), sydney, draft("memo", record.IntegratedMemo, "a memo of the introduction", "cites=intro"))
		k.wantFault(err, govern.LinkCycle, "memo → intro@v2 → revise@v1 → memo@v1")
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

		// The summary of a brief is its goal, without what follows under other headings.
		k.put(draft("brief", record.ProjectBrief, "# Goal\n\nHow do\ncells decide?\n\n## What we leave out\n\n- plants\n\n## Background\n\nLong.\n"))
		r = k.record("brief")
		k.equal("goal", []string{r.Summary, r.SummaryBy}, []string{"How do cells decide?", record.Given})
		_, err = k.Put(k.ctx(), sydney, draft("brief", record.ProjectBrief, "# Plan\n\nHow?\n"))
		k.wantFault(err, brief.Bad)
		k.promote("brief")
		g = k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})
		if !strings.Contains(g.Text, "  Goal:\n  | How do\n  | cells decide?\n  Non-goals (not part of the project: do not work on these):\n  | - plants\n") || strings.Contains(g.Text, "Long") {
			k.Error(g.Text)
		}
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
		k.wantFault(err, policy.Blocked, "it depends on note@v1, which is outdated")
		k.equal("a section on it", k.put(draft("ms", record.ManuscriptSection, "a text", "cites=memo@v3")).Record.Status, record.NeedsUpdate)
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

// Records of a key type that compete for one place are a fork, whatever their ids are.
func TestReq19_RivalsAreForks(t *testing.T) {
	both(t, func(k *kit) {
		forks := func() (out []string) {
			for _, f := range k.status().Forks {
				out = append(out, fmt.Sprint(f.ID, " ", f.Type, " ", f.Module, " ", f.Core, " ", f.Rivals))
			}
			return out
		}
		rivals := func(d govern.Draft) []record.Ref { return k.put(d).Rivals }
		elsewhere := draft("other", record.IntegratedMemo, "of another module")
		elsewhere.Module = "signal"
		k.put(elsewhere)
		k.equal("the first", rivals(draft("b", record.IntegratedMemo, "one")), "[]")
		k.put(draft("note-1", record.PaperNote, "one"))
		k.equal("notes do not compete", rivals(draft("note-2", record.PaperNote, "two")), "[]")
		k.equal("no fork", forks(), "[]")
		k.equal("the second", rivals(draft("a", record.IntegratedMemo, "two", "cites=note-1")), "[b@v1]")
		k.equal("drafts", forks(), "[a integrated_memo fate true [a@v1 b@v1]]")
		k.promote("b")
		k.equal("named after the holder", forks(), "[b integrated_memo fate true [a@v1 b@v1]]")
		k.equal("open", k.status().Current, false)
		// Merged, until the other one has a new version.
		_, err := k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "b", Others: []string{"other"}, Take: 1, Change: "x"})
		k.wantFault(err, govern.NoFork, "it is an integrated_memo of signal, not an integrated_memo of fate")
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "b", Others: []string{"b"}, Take: 1, Change: "x"})
		k.wantFault(err, govern.NoFork, "it is the same record")
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "b", Others: []string{"a"}, TakeFrom: "other", Change: "x"})
		k.wantFault(err, govern.NoFork, "other is not merged into b")
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "b", Others: []string{"a"}, TakeFrom: "a"})
		k.wantFault(err, govern.BadRecord, "the merge of b@v1, a@v1 needs a change note")
		put, err := k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "b", Others: []string{"a"}, TakeFrom: "a", Change: "a says it better"})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("merged", []any{put.Record.Parent, put.Record.Content == k.record("a").Content, put.Record.Links, put.Rivals},
			[]any{1, true, "[{supersedes a 1} {cites note-1 1}]", "[a@v1]"})
		k.equal("a draft decides nothing", forks(), "[b integrated_memo fate true [a@v1 b@v2]]")
		k.promote("b")
		k.equal("merged", forks(), "[]")
		k.put(draft("a", record.IntegratedMemo, "again"))
		k.equal("a new version of the other", forks(), "[b integrated_memo fate true [a@v2 b@v2]]")
		k.put(draft("b", record.IntegratedMemo, "one more", "supersedes=a"))
		k.promote("b")
		k.equal("superseded", forks(), "[]")
		// Displaced by a promotion.
		k.put(draft("d", record.IntegratedMemo, "three"))
		k.equal("a third", forks(), "[b integrated_memo fate true [b@v3 d@v1]]")
		if _, err := k.Promote(k.ctx(), sydney, "d", govern.PromoteOptions{Reason: "so", Replace: true}); err != nil {
			k.Fatal(err)
		}
		k.equal("displaced; a was set aside before", forks(), "[]")
		k.equal("set aside", k.record("a").Status, record.Alternative)
	})
}

// Records that only supersede each other are all listed.
func TestReq19_CirclesOfSupersededRecords(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("a", record.ModelSpec, "a one"))
		k.put(draft("b", record.ModelSpec, "b one"))
		k.put(draft("a", record.ModelSpec, "a two"))
		k.put(draft("b", record.ModelSpec, "b two", "supersedes=a@v2"))
		branch := draft("a", record.ModelSpec, "a three", "supersedes=b@v2")
		branch.Parent = 1
		k.put(branch)
		k.equal("the branch, and both records", len(k.status().Forks), 2)
		if _, err := k.Deprecate(k.ctx(), sydney, "a@v3", "a dead end", false); err != nil {
			k.Fatal(err)
		}
		k.equal("both", k.status().Forks[0].Rivals, "[a@v2 b@v2]")
	})
}

func TestReq24_AlignmentWithTheBrief(t *testing.T) {
	both(t, func(k *kit) {
		found := func() []finding.Finding {
			all, err := k.Check(k.ctx(), sydney, finding.Alignment)
			if err != nil {
				k.Fatal(err)
			}
			return all
		}
		k.equal("without a brief", len(found()), 1)
		k.put(draft("old", record.ModelSpec, "before there was a brief"))
		k.put(draft("brief", record.ProjectBrief, "# Goal\n\nHow do cells decide?\n\n## Out of scope\n\n- plant cells\n- Clinical use\n"))
		k.promote("brief")
		k.put(draft("memo", record.IntegratedMemo, "This is about clinical   use of it."))
		all := found()
		if len(all) != 2 || !strings.Contains(all[0].String(), `"Clinical use"`) || all[1].Ref.ID != "old" {
			k.Errorf("%v", all)
		}
		put, err := k.Review(k.ctx(), sydney, finding.Alignment, all)
		if err != nil || put.Record.Type != record.Review || len(put.Record.Links) != 3 {
			k.Errorf("%+v, %v", put, err)
		}
		if again, err := k.Review(k.ctx(), sydney, finding.Alignment, all); err != nil || again != nil {
			k.Error("the same review was put twice", err)
		}
		// With a critic, its findings count, too, and the review has them.
		h, ada := helper("```finding\nrecords: memo@v1, brief@v1\nwrong: It contradicts the goal.\nwords: use of it\nfix: Cut it.\n```")
		res := k.runChecks(h, finding.Alignment)
		last := res.Findings[len(res.Findings)-1]
		k.equal("the critic's", fmt.Sprintf("%+v", last), `{Check:alignment Ref:memo@v1 Other:brief@v1 Detail:It contradicts the goal. ("use of it") Fix:Cut it. Quote:use of it By:Ada Records:[memo@v1 brief@v1]}`)
		k.equal("all", []int{len(res.Findings), len(ada.calls)}, []int{3, 1})
		if text := k.content(res.Review); !strings.Contains(text, "- alignment: memo@v1, brief@v1: It contradicts the goal. (\"use of it\")\n  Fix: Cut it.\n") {
			k.Error(text)
		}
		if text := ada.calls[0].Turns[0].Text; !strings.Contains(text, "Compare the core records below with the brief") || !strings.Contains(text, "Clinical use") {
			k.Error(text)
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
		all, err := k.Check(k.ctx(), sydney, finding.Assumptions)
		if err != nil || len(all) != 2 {
			k.Fatalf("%v, %v", all, err)
		}
		k.equal("what", []string{all[0].Text(), all[1].Text()}, []string{
			`fate (verified) and signal (falsified) disagree about "diffusion is fast"`, `fate (assumed) and signal (assumed not) disagree about "cells are equal"`,
		})
		// Statements that are equal but for a negation contradict each other, unless one of them is held to be false.
		for id, text := range map[string]string{
			"n-1": "The fate is stable.", "n-2": "The fate isn't stable.", "n-3": "The signal decays.\nStatus: falsified", "n-4": "The signal does not decay.\nStatus: verified",
			"n-5": "It is not only local.", "n-6": "It is only local.", "n-7": "The light is on.",
		} {
			k.put(draft(id, record.Assumption, text))
		}
		// Two statements of one record against another are one contradiction.
		k.put(draft("n-8", record.PaperNote, "Assumes: the light is not on.\nAssumes: the light isn't on."))
		if all, err = k.Check(k.ctx(), sydney, finding.Assumptions); err != nil || len(all) != 4 {
			k.Fatalf("%v, %v", all, err)
		}
		k.equal("a negation", all[2].String(), `assumptions: n-1@v1: fate and fate contradict each other about "The fate is stable. / The fate isn't stable."`)
		put, err := k.Review(k.ctx(), sydney, finding.Assumptions, all)
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
		k.equal("stale", got, []string{"memo@v1 because of note@v1", "result@v1 because of task@v1", "ms@v1 because of memo@v1"})
		k.equal("statuses", []string{k.record("memo").Status, k.record("ms").Status, k.record("result").Status, k.record("answer").Status, k.record("task").Status},
			[]string{record.NeedsUpdate, record.NeedsUpdate, record.NeedsUpdate, record.Draft, record.Draft})
		k.equal("still canonical", k.record("memo@canonical").Version, 1)
		s := k.status()
		if len(s.NeedsUpdate) != 3 || s.Current || !s.NeedsUpdate[0].Canonical || s.NeedsUpdate[0].Reason != "it rests on note@v1, which is not current" {
			k.Errorf("%+v", s.NeedsUpdate)
		}
		// What is put on it is stale, through a version that is not the latest, too.
		k.put(draft("ms", record.ManuscriptSection, "on the old memo", "cites=memo@v1"))
		k.equal("status", k.record("ms").Status, record.NeedsUpdate)
		_, err := k.Promote(k.ctx(), sydney, "ms", govern.PromoteOptions{Reason: "so"})
		k.wantFault(err, policy.Blocked, "it depends on memo@v1, which rests on note@v1, which is outdated")
		// A version that rests on current ones fixes it. A person may also promote a stale version
		// as it is: it stays listed.
		k.put(draft("memo", record.IntegratedMemo, "a new memo", "cites=note"))
		k.promote("memo")
		k.promoteStale("result")
		k.put(draft("ms", record.ManuscriptSection, "a new text", "derives_from=memo"))
		k.promote("ms")
		k.equal("remaining", k.status().NeedsUpdate, []govern.Outdated{{
			Ref: record.Ref{ID: "result", Version: 1}, Type: record.AnalysisResult, Module: "fate", Canonical: true, Reason: "promoted although it depends on note@v1, which is outdated",
		}})
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
		// A review is no use of what it names, nor is a question to a critic about it.
		h, ada := helper("```finding\nrecords: unused@v1\nwrong: It says nothing.\n```")
		k.equal("review", k.runChecks(h, finding.Unused, finding.Duplicates).Review, "review-unused-duplicates@v1")
		k.equal("asked", len(ada.calls), 1)
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
		all, err := k.Check(k.ctx(), sydney, finding.Names()...)
		if err != nil {
			k.Fatal(err)
		}
		kinds := make(map[string]int)
		for _, f := range all {
			kinds[f.Check]++
		}
		k.equal("found", kinds, map[string]int{finding.Alignment: 1, finding.Unused: 2, finding.Duplicates: 1})
		// A review is no use of what it is about.
		before := len(all)
		put, err := k.Review(k.ctx(), sydney, "consolidation", all)
		if err != nil || put == nil {
			k.Error(err)
		}
		if all, err = k.Check(k.ctx(), sydney, finding.Names()...); err != nil || len(all) != before {
			k.Errorf("%v, %v", all, err)
		}
		// Near copies are proposed, and exact ones deprecated.
		k.Embed = func(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }
		k.put(draft("note-3", record.PaperNote, "This is the same text, twice"))
		res, err := k.RunChecks(k.ctx(), sydney, govern.CheckRun{
			Name: "tidy", Checks: []string{finding.Duplicates}, Tidy: true,
		})
		if err != nil || len(res.Findings) != 2 {
			k.Fatalf("%+v, %v", res, err)
		}
		k.equal("near", res.Findings[1].Detail, "a near copy of note-1@v1 (similarity 1.00)")
		k.equal("deprecated", res.Deprecated, []string{"note-2@v1"})
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
		k.equal("no problem", k.status().Brief == nil, true)
		// The brief keeps its place until another version is promoted, and opens every context.
		k.put(draft("brief", record.ProjectBrief, "Goal: why?\n"))
		k.equal("holder", k.status().Spine[0].Holder, "brief@v1")
		opens := func(want string) {
			k.Helper()
			if g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}}); !strings.HasPrefix(g.Text, "# The project\n\n- project_brief "+want) {
				k.Error(g.Text)
			}
		}
		opens("brief@v1\n  Goal:\n  | b\n- project_summary sum@v1: ")
		k.promote("brief@v2")
		k.equal("holder", k.status().Spine[0].Holder, "brief@v2")
		opens("brief@v2\n  Goal:\n  | why?\n- project_summary sum@v1: ")
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

// What an agent of a session put leads over its task, reply and kickoff to all that it was shown, with
// the role, model and call of its author.
func TestReq31_RecordsOfReplies(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "n"))
		k.put(draft("brief", record.ProjectBrief, "# B\n\n## Goal\n\nWhy?\n"))
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Read.", Role: policy.Reader, Module: "fate", Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		in := k.replied("RS-1", reader.Name, "note", "brief summary")
		in.Task = "task@v1"
		k.ReplyAuthor = func(_ context.Context, reply record.Ref) (govern.Author, error) {
			k.equal("reply", reply, in.Source)
			return govern.Author{Role: "reader", Asked: "llama3", Call: "RS-1/ask"}, nil
		}
		k.writeBy(reader, in, written("mine", record.PaperNote, "text"))
		l, err := k.Lineage(k.ctx(), "mine", true, false, 0)
		if err != nil {
			k.Fatal(err)
		}
		var got []string
		for _, n := range l.Nodes {
			got = append(got, n.Ref.String()+" by "+n.Author())
		}
		k.equal("chain", strings.Join(got, "\n"), strings.Join([]string{
			"mine@v1 by GreenValley, as reader (llama3)", "note@v1 by Sydney", "reply/RS-1/GreenValley@v1 by BlueLake, as reader (llama3)", "task@v1 by Sydney",
			"kickoff/RS-1/GreenValley@v1 by BlueLake", "brief@v1 by Sydney",
		}, "\n"))
		k.equal("call", l.Nodes[0].Call, "RS-1/ask")
	})
}

func TestReq32_Snapshot(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "# Brief\n\n## Goal\n\nHow do cells decide?\n\n## In scope\n\n- mice\n\n## Exclusions\n\n- plants\n\n## Open questions\n\nHow long\ndoes it take?\n"))
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
		for _, text := range []string{
			"## Question and scope\n\n### Goal\n\nHow do cells decide?\n\n### Scope\n\n- mice\n\n### Non-goals\n\n- plants\n\nSource: brief@v1\n", "- How long does it take? (brief@v1)", "summary of n (paper_note, note@v1)", "summary of m (model of fate, spec@v1)", "### fate", "- Why so late? (memo@v1)", "no canonical project summary",
		} {
			if !strings.Contains(s.Text, text) {
				k.Errorf("%q is not in\n%s", text, s.Text)
			}
		}
		if strings.Contains(s.Text, "DRAFT") || len(s.From) != 4 {
			k.Error(s.Text)
		}
		k.put(draft("second", record.IntegratedMemo, "What drafts say.", "cites=draft", "cites=note@v1"))
		if _, err := k.Promote(k.ctx(), sydney, "second", govern.PromoteOptions{Reason: "so", Replace: true}); err != nil {
			k.Fatal(err)
		}
		if s, err = k.Snapshot(k.ctx()); err != nil || !strings.Contains(s.Text, "Source: second@v1, rests on draft@v1 (draft)\n") {
			k.Errorf("%s, %v", s.Text, err)
		}
		// What rests on it in turn names it, too; a source that an author wrote is a quotation.
		k.put(draft("whole", record.ProjectSummary, "All.\n\nSource: brief@v1\n", "summarises=second"))
		k.promote("whole")
		if s, err = k.Snapshot(k.ctx()); err != nil || !strings.Contains(s.Text, "All.\n\n> Source: brief@v1\n\nSource: whole@v1, rests on draft@v1 (draft)\n") {
			k.Errorf("%s, %v", s.Text, err)
		}
		if _, err := k.Promote(k.ctx(), sydney, "memo", govern.PromoteOptions{Reason: "so", Replace: true}); err != nil {
			k.Fatal(err)
		}
		k.promote("note@v2")
		if s, err = k.Snapshot(k.ctx()); err != nil || !strings.Contains(s.Text, "memo@v1 is canonical and needs_update") {
			k.Errorf("%s, %v", s.Text, err)
		}
	})
}
