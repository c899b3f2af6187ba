package govern_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// replied stores a reply of a session and its kickoff, which showed versions in full.
func (k *kit) replied(thread, agent string, shown ...string) *govern.Writing {
	k.Helper()
	in := &govern.Writing{Source: record.Ref{ID: "reply/" + thread + "/" + agent, Version: 1}, Change: "the answer to a call", Module: "fate"}
	var cites []record.Link
	for _, s := range shown {
		address, form, _ := strings.Cut(s, " ")
		r := k.record(address)
		in.Inputs = append(in.Inputs, contexts.ShownRecord{Ref: r.Ref(), Type: r.Type, Content: r.Content, Form: view.Form(form)})
		if form == "" {
			in.Inputs[len(in.Inputs)-1].Form = view.Full
		}
		cites = append(cites, record.Link{Relation: record.Cites, ID: r.ID, Version: r.Version})
	}
	kickoff := "kickoff/" + thread + "/" + agent
	k.putBySession(kickoff, record.Kickoff, "the question to "+kickoff, cites...)
	k.putBySession(in.Source.ID, record.Reply, "the reply of "+kickoff, record.Link{Relation: record.RepliesTo, ID: kickoff, Version: 1})
	return in
}

func written(id, kind, text string, links ...string) delta.Draft {
	return delta.Draft{ID: id, Type: kind, Content: text, Links: links, Operation: delta.Add, Rationale: "because"}
}

func (k *kit) writeBy(who govern.Actor, in *govern.Writing, drafts ...delta.Draft) []govern.WriteOutcome {
	k.Helper()
	in.Drafts = drafts
	checked, err := k.CheckBy(k.ctx(), who, in)
	if err != nil {
		k.Fatal(err)
	}
	out, err := k.WriteBy(k.ctx(), who, in)
	if err != nil {
		k.Fatal(err)
	}
	for i := range out {
		k.equal("check of "+out[i].Name, []any{checked[i].Code, checked[i].Message, checked[i].Hint, checked[i].Mendable}, []any{out[i].Code, out[i].Message, out[i].Hint, out[i].Mendable})
	}
	return out
}

func (k *kit) refusals() []string {
	k.Helper()
	list, err := k.Refusals(k.ctx(), 0)
	if err != nil {
		k.Fatal(err)
	}
	var all []string
	for _, a := range slices.Backward(list.Attempts) {
		all = append(all, strings.Join([]string{a.By, a.Role, a.Action, a.Type, a.ID, a.Source}, " "))
	}
	return all
}

func TestRepliesPutRecords(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("lewis", record.PaperNote, "source"))
		k.put(draft("old", record.PaperNote, "old text"))
		in := k.replied("RS-1", reader.Name, "lewis", "old")
		in.Tags = []string{"t"}
		drafts := []delta.Draft{
			written("note", record.PaperNote, "# Note\n\nCells wait.", "cites=lewis"),
			written("more", record.PaperNote, "More.", "cites=lewis@v1", "derives_from=note"),
			written("old", "", "new text"),
		}
		for range 3 { // read again after a kill
			out := k.writeBy(reader, in, drafts...)
			k.equal("made", []any{out[0].Made.Ref(), out[1].Made.Ref(), out[2].Made.Ref()}, []any{"note@v1", "more@v1", "old@v2"})
		}
		note := k.record("note")
		k.equal("note", []any{note.Creator, note.Status, note.Module, note.Summary, note.SummaryBy, note.Change, note.Tags}, []any{reader.Name, record.Draft, "fate", "Cells wait.", record.Extracted, "because", []string{"t"}})
		k.equal("links", note.Links, []record.Link{{Relation: record.Cites, ID: "lewis", Version: 1}, {Relation: record.DerivesFrom, ID: in.Source.ID, Version: 1}})
		k.equal("links to one beside it", k.record("more").Links[1].Ref(), "note@v1")
		k.equal("versions", []int{k.record("note").Version, k.record("more").Version, k.record("old").Version, k.record("old").Parent}, []int{1, 1, 2, 1})
		k.equal("refusals", len(k.refusals()), 0)
		// What was shown counts for staleness.
		k.promote("lewis")
		k.put(draft("lewis", record.PaperNote, "source, corrected"))
		var stale []string
		for _, s := range k.promote("lewis").Stale {
			stale = append(stale, s.Ref.String())
		}
		slices.Sort(stale)
		k.equal("stale", stale, []string{"more@v1", "note@v1", "old@v2"})
	})
}

func TestRefusedRecordsOfReplies(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("lewis", record.PaperNote, "source"))
		k.put(draft("memo", record.IntegratedMemo, "memo"))
		k.put(draft("brief", record.ProjectBrief, "# B\n\n## Goal\n\nWhy?\n"))
		k.put(draft("hidden", record.PaperNote, "hidden"))
		k.put(draft("short", record.PaperNote, "short"))
		in := k.replied("RS-1", reader.Name, "lewis", "brief", "short summary")
		with := func(d delta.Draft, change func(*delta.Draft)) delta.Draft { change(&d); return d }
		cases := []struct {
			draft    delta.Draft
			code     fault.Code
			logged   string
			mendable bool
			texts    string
		}{
			{written("m", record.IntegratedMemo, "x"), policy.OutOfScope, "write integrated_memo m", true, "the role may write: paper_note"},
			{written("brief", "", "# B\n\n## Goal\n\nHow?\n"), policy.OutOfScope, "write project_brief brief", true, ""},
			{written("memo", record.PaperNote, "x"), policy.OutOfScope, "write integrated_memo memo", true, "choose another id"},
			{written("hidden", record.PaperNote, "x"), govern.BadID, "", true, "another record has the id"},
			{written("short", record.PaperNote, "x"), govern.BadID, "", true, "shown in full"},
			{written("a1", record.PaperNote, "x", "cites=hidden@v1"), policy.OutOfScope, "link paper_note a1", true, "cites=hidden@v1"},
			{written("a2", record.PaperNote, "x", "cites=nosuch"), policy.OutOfScope, "link paper_note a2", true, "cites=nosuch"},
			{written("a3", record.PaperNote, "x", "cites=lewis@v2"), policy.OutOfScope, "link paper_note a3", true, ""},
			{written("a4", record.PaperNote, "x", "cites=later"), "", "", false, ""},
			{written("c1", record.PaperNote, "x", "cites=c2"), govern.LinkCycle, "", true, "it would depend on itself: c1 → c2 → c1"},
			{written("c2", record.PaperNote, "x", "cites=c1"), govern.LinkCycle, "", true, "it would depend on itself: c2 → c1 → c2"},
			{written("later", record.PaperNote, "later"), "", "", false, ""},
			{written("later", record.PaperNote, "twice"), govern.BadID, "", true, "two records"},
			{written("a5", record.PaperNote, "x", "likes=lewis"), govern.BadLink, "", true, "use one of"},
			{written("a6", record.PaperNote, "x", "lewis"), govern.BadLink, "", true, "RELATION=ADDRESS"},
			{written("a7", record.PaperNote, "x", "cites=a7"), govern.LinkCycle, "", true, "it would depend on itself: a7 → a7"},
			{written("a8", record.TaskSpec, "x"), policy.OutOfScope, "write task_spec a8", true, ""},
			{written("a9", record.Reply, "x"), policy.OutOfScope, "write reply a9", true, ""},
			{written("b1", "papernote", "x"), record.UnknownType, "", true, "paper_note"},
			{written("b2", "", "x"), govern.BadRecord, "", true, "set the key type"},
			{written("RS-20260202-bb", record.PaperNote, "x"), govern.BadID, "", true, "RS-"},
			{written("b 3", record.PaperNote, "x"), govern.BadID, "", true, "letters"},
			{written("", record.PaperNote, "x"), govern.BadID, "", true, "missing"},
			{written("b4", record.PaperNote, " \n"), govern.BadRecord, "", true, "empty"},
			{with(written("b5", record.PaperNote, "x"), func(d *delta.Draft) { d.Module = "gene" }), policy.OutOfScope, "write paper_note b5", true, "omit the key module"},
			{with(written("b6", record.PaperNote, "x"), func(d *delta.Draft) { d.Status = record.Canonical }), policy.OutOfScope, "promote paper_note b6", true, "omit the status"},
			{with(written("b7", record.PaperNote, "x"), func(d *delta.Draft) { d.Status = record.Deprecated }), policy.OutOfScope, "deprecate paper_note b7", true, ""},
			{with(written("lewis", "", ""), func(d *delta.Draft) { d.Operation = delta.Kill }), policy.OutOfScope, "kill paper_note lewis", false, ""},
			{with(written("lewis", "", ""), func(d *delta.Draft) { d.Operation = delta.Promote }), policy.OutOfScope, "promote paper_note lewis", false, ""},
			{with(written("lewis", "", ""), func(d *delta.Draft) { d.Operation = delta.Deprecate }), policy.OutOfScope, "deprecate paper_note lewis", false, ""},
			{with(written("lewis", "", ""), func(d *delta.Draft) { d.Operation = delta.Edit }), policy.OutOfScope, "edit paper_note lewis", true, "search/replace"},
			{with(written("b8", record.PaperNote, "x"), func(d *delta.Draft) { d.Summary = strings.Repeat("x", 5000) }), record.BadSummary, "", true, ""},
			{written("lewis", record.IntegratedMemo, "x"), policy.OutOfScope, "write integrated_memo lewis", true, ""},
		}
		var drafts []delta.Draft
		for _, c := range cases {
			drafts = append(drafts, c.draft)
		}
		var want []string
		for round := range 2 { // a resumed run logs nothing twice
			out := k.writeBy(reader, in, drafts...)
			for i, c := range cases {
				o := out[i]
				if o.Code != c.code || o.Mendable != c.mendable || (o.Made == nil) != (c.code != "") || !strings.Contains(o.Message+" "+o.Hint, c.texts) || strings.Contains(o.Hint, "--") || strings.Contains(o.Hint, "`brenner") {
					k.Errorf("%d: %+v, want %s", i, o, c.code)
				}
				if c.logged != "" && round == 0 {
					want = append(want, reader.Name+" reader "+c.logged+" "+in.Source.String())
				}
			}
			k.equal("log", strings.Join(k.refusals(), "\n"), strings.Join(want, "\n"))
		}
		// The rest of the reply is put.
		k.equal("later", k.record("later").Version, 1)
		heads, err := k.Store.Heads(k.ctx(), storeAll)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("records", len(heads), 5+2+2)
		// Another reply with the same mistake is another attempt.
		k.writeBy(reader, k.replied("RS-2", reader.Name), written("m", record.IntegratedMemo, "x"))
		k.equal("another", len(k.refusals()), len(want)+1)
		// A check logs nothing, and needs no stored reply.
		in = &govern.Writing{Drafts: []delta.Draft{written("m", record.IntegratedMemo, "x")}}
		if out, err := k.CheckBy(k.ctx(), reader, in); err != nil || out[0].Code != policy.OutOfScope {
			k.Error(out, err)
		}
		k.equal("checked", len(k.refusals()), len(want)+1)
		_, err = k.WriteBy(k.ctx(), reader, in)
		k.wantFault(err, store.NoRecord)
	})
}

// The result of a task derives from it, rests on its inputs, and needs a rebase if they have moved.
func TestRecordsOfTasks(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("n1", record.PaperNote, "one"))
		k.put(draft("n2", record.PaperNote, "two"))
		integrator := govern.Actor{Name: "Ada", Role: policy.Integrator}
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Integrate.", Role: policy.Integrator, Module: "fate", Inputs: []string{"n1", "n2"}}); err != nil {
			k.Fatal(err)
		}
		in := k.replied("RS-1", integrator.Name, "n1", "n2")
		in.Task, in.Module = "task@v1", ""
		out := k.writeBy(integrator, in, written("memo", record.IntegratedMemo, "memo", "cites=n1", "derives_from=task"))
		memo := out[0].Made
		var got []string
		for _, l := range memo.Links {
			got = append(got, l.Relation+"="+l.Ref().String())
		}
		k.equal("links", got, []string{"cites=n1@v1", "derives_from=task@v1", "derives_from=" + in.Source.String(), "derives_from=n2@v1"})
		k.equal("module", memo.Module, "fate")
		k.equal("status", memo.Status, record.Draft)
		k.promote("memo")
		// A later answer to the same task, whose inputs have moved.
		k.promote("n1")
		k.put(draft("n1", record.PaperNote, "one, corrected"))
		k.promote("n1")
		in = k.replied("RS-2", integrator.Name, "n1@v1", "n2")
		in.Task = "task@v1"
		out = k.writeBy(integrator, in, written("memo-2", record.IntegratedMemo, "memo", "cites=n1@v1"))
		k.equal("moved", out[0].Made.Status, record.NeedsRebase)
		// A version that was replaced while the agent wrote becomes a branch that needs a rebase.
		in = k.replied("RS-3", integrator.Name, "memo@v1")
		k.put(draft("memo", record.IntegratedMemo, "by a person"))
		out = k.writeBy(integrator, in, written("memo", "", "by an agent"))
		k.equal("behind", fmt.Sprintln(out[0].Made.Ref(), out[0].Made.Parent, out[0].Made.Status), "memo@v3 1 needs_rebase\n")
	})
}

// Versions made by the patches in a reply derive from it, and a refused one is logged once.
func TestPatchesDeriveFromTheirReply(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		k.put(draft("spec", record.ModelSpec, one))
		in := k.replied("RS-1", reader.Name, "note", "spec")
		reply := &govern.Reply{Text: []byte(block("note", "beta\n", "BETA\n") + block("spec", "beta\n", "BETA\n")), Shown: []record.Ref{{ID: "note", Version: 1}, {ID: "spec", Version: 1}}, Source: in.Source, Change: "c"}
		for range 2 {
			out, err := k.PatchBy(k.ctx(), reader, reply)
			if err != nil || len(out) != 2 || out[0].Made == nil || out[1].Made != nil {
				k.Fatalf("%+v, %v", out, err)
			}
			k.equal("made", out[0].Made.Ref(), "note@v2")
		}
		k.equal("links", k.record("note@v2").Links, []record.Link{{Relation: record.DerivesFrom, ID: in.Source.ID, Version: 1}})
		k.equal("log", k.refusals(), []string{reader.Name + " reader read model_spec spec " + in.Source.String()})
	})
}

// What an agent made in a round of a session is not outdated because the session went on, but because of
// what the version rests on that the round showed.
func TestLaterRoundsDoNotOutdateRecords(t *testing.T) {
	both(t, func(k *kit) {
		const thread = "RS-20260202-bb"
		link := func(relation, id string, version int) record.Link {
			return record.Link{Relation: relation, ID: id, Version: version}
		}
		k.put(draft("lewis", record.PaperNote, "source"))
		k.promote("lewis")
		k.putBySession("kickoff/"+thread+"/Other", record.Kickoff, "k1", link(record.Cites, "lewis", 1))
		k.putBySession("reply/"+thread+"/Other", record.Reply, "r1", link(record.RepliesTo, "kickoff/"+thread+"/Other", 1))
		k.putBySession(thread, record.ResearchArtifact, "a1", link(record.DerivesFrom, "reply/"+thread+"/Other", 1))
		k.putBySession("kickoff/"+thread+"/"+reader.Name, record.Kickoff, "k2", link(record.DerivesFrom, thread, 1))
		k.putBySession("reply/"+thread+"/"+reader.Name, record.Reply, "r2", link(record.RepliesTo, "kickoff/"+thread+"/"+reader.Name, 1))
		in := &govern.Writing{Source: record.Ref{ID: "reply/" + thread + "/" + reader.Name, Version: 1}, Module: "fate"}
		k.writeBy(reader, in, written("note", record.PaperNote, "x"))
		last := k.record(thread)
		last.Version, last.Parent, last.Change, last.Links = 2, 1, "round 2", []record.Link{link(record.DerivesFrom, in.Source.ID, 1)}
		if err := k.Store.Write(k.ctx(), store.Batch{Records: []record.Record{last}}); err != nil {
			k.Fatal(err)
		}
		before := k.Vouched
		k.Vouched = func(ctx context.Context, ref record.Ref) (bool, error) {
			if ref == last.Ref() {
				return true, nil
			}
			return before(ctx, ref)
		}
		k.equal("by the promotion of a later version", len(k.promote(thread+"@v2").Stale), 0)
		k.equal("promoted", k.promote("note").Record.Status, record.Canonical)
		k.put(draft("lewis", record.PaperNote, "source, corrected"))
		var stale []string
		for _, s := range k.promote("lewis").Stale {
			stale = append(stale, s.Ref.String())
		}
		slices.Sort(stale)
		k.equal("by what the session was shown", stale, []string{thread + "@v2", "note@v1"})
	})
}
