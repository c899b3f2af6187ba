package govern_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/store/memory"
	"brenner/store/record"
)

// due returns the ids of the records that the memo of a module does not cover.
func (k *kit) due(module string) []string {
	k.Helper()
	u, err := k.Due(k.ctx(), module)
	if err != nil {
		k.Fatal(err)
	}
	k.equal("count", u.Changed, len(u.Records))
	var ids []string
	for _, ref := range u.Records {
		ids = append(ids, ref.ID)
	}
	slices.Sort(ids)
	return ids
}

func TestMemoCoversOnlyLinkedRecords(t *testing.T) {
	both(t, func(k *kit) {
		for _, id := range []string{"a", "b", "c"} {
			k.put(draft(id, record.PaperNote, "note "+id))
		}
		k.equal("without a memo", k.due("fate"), []string{"a", "b", "c"})
		k.put(draft("memo", record.IntegratedMemo, "about a and b", "cites=a", "refutes=b", "replies_to=c"))
		k.equal("with a draft of a memo", k.due("fate"), []string{"a", "b", "c"})
		k.promote("memo")
		k.equal("c is not in the memo", k.due("fate"), []string{"c"})
		k.put(draft("a", record.PaperNote, "a, changed"))
		k.equal("a changed", k.due("fate"), []string{"a", "c"})
		k.promote("a@v1")
		k.equal("the canonical version of a is in the memo", k.due("fate"), []string{"c"})
		played := draft("played", record.PaperNote, "scripted")
		played.Tags = []string{record.Rehearsal}
		k.put(played)
		k.equal("rehearsals are not due", k.due("fate"), []string{"c"})
	})
}

// The records that are due are those whose standing version the memo does not link to, in
// whatever order they were put and promoted. After an extracted memo none is due.
func TestDueMatchesUncoveredRecords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := newKit(t, memory.New())
		k.Rules.Compression = 20
		memo := make(map[record.Ref]bool)
		for step := range rapid.IntRange(1, 15).Draw(rt, "steps") {
			id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "id")
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				k.put(draft(id, record.PaperNote, fmt.Sprint("text ", step)))
			case 2:
				if h, err := k.Head(k.ctx(), id); err == nil {
					k.promote(fmt.Sprintf("%s@v%d", id, h.Latest))
				}
			case 3:
				var linked []string
				memo = make(map[record.Ref]bool)
				heads, err := k.Store.Heads(k.ctx(), storeAll)
				if err != nil {
					rt.Fatal(err)
				}
				for i := range heads {
					if heads[i].Type == record.PaperNote && rapid.Bool().Draw(rt, "named") {
						linked, memo[heads[i].Standing()] = append(linked, "cites="+heads[i].Standing().String()), true
					}
				}
				d := draft("memo", record.IntegratedMemo, fmt.Sprint("memo ", step), linked...)
				d.NoLinks = len(linked) == 0
				k.put(d)
				k.promote("memo")
			}
		}
		heads, err := k.Store.Heads(k.ctx(), storeAll)
		if err != nil {
			rt.Fatal(err)
		}
		var want []string
		for i := range heads {
			if heads[i].Type == record.PaperNote && !memo[heads[i].Standing()] {
				want = append(want, heads[i].ID)
			}
		}
		if got := k.due("fate"); !slices.Equal(got, want) {
			rt.Fatalf("due: %v, want %v", got, want)
		}
		if len(heads) == 0 || len(heads) == 1 && heads[0].ID == "memo" {
			return
		}
		if _, err := k.Consolidate(k.ctx(), sydney, "fate", nil); err != nil {
			rt.Fatal(err)
		}
		id := "memo-fate"
		if slices.ContainsFunc(heads, func(h record.Head) bool { return h.ID == "memo" }) {
			id = "memo"
		}
		k.promote(id)
		if got := k.due("fate"); len(got) > 0 {
			rt.Fatalf("after a new memo %v is due", got)
		}
	})
}

func TestExtractedMemoCoversAllRecords(t *testing.T) {
	both(t, func(k *kit) {
		const many = 230
		k.many(many)
		put, err := k.Consolidate(k.ctx(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("covered, left out", []int{len(put.Record.Links), len(put.LeftOut)}, []int{many, 0})
		k.promote("memo-fate")
		k.equal("due", k.due("fate"), []string(nil))
	})
}

func TestAgentMemoContinuesWithUncoveredRecords(t *testing.T) {
	both(t, func(k *kit) {
		const many = 230
		k.many(many)
		k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 12000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 1}}}}
		taken, runs := 0, 0
		for left := many; left > 0; runs++ {
			h, ada := helper(fmt.Sprint("The memo, ", runs))
			put, err := k.Consolidate(k.ctx(), sydney, "fate", h)
			if err != nil {
				k.Fatal(err)
			}
			now := 0
			for _, l := range put.Record.Links {
				if l.Relation == record.Summarises {
					now++
				}
			}
			if now <= taken || now+len(put.LeftOut) != many {
				k.Fatalf("run %d: %d covered, %d left out, %d before", runs, now, len(put.LeftOut), taken)
			}
			content, err := k.Content(k.ctx(), &put.Record)
			if err != nil || strings.Contains(string(content), "Not taken up, for want of room: ") != (len(put.LeftOut) > 0) {
				k.Errorf("%s, %v", content, err)
			}
			if before := fmt.Sprintf("  | The memo, %d", runs-1); runs > 0 != strings.Contains(ada.calls[0].Turns[0].Text, before) {
				k.Errorf("run %d: %s", runs, ada.calls[0].Turns[0].Text)
			}
			k.promote("memo-fate")
			if len(put.LeftOut) >= 10 {
				k.equal("still due", k.status().Due[0].IsDue(), true)
			}
			taken, left = now, len(put.LeftOut)
		}
		if runs < 2 {
			k.Errorf("got %d runs, want at least 2", runs)
		}
		k.equal("due", k.due("fate"), []string(nil))
	})
}

func (k *kit) many(n int) {
	k.Helper()
	var drafts []govern.Draft
	for i := range n {
		drafts = append(drafts, draft(fmt.Sprintf("note-%03d", i), record.PaperNote, fmt.Sprint("note ", i)))
	}
	if _, err := k.Put(k.ctx(), sydney, drafts...); err != nil {
		k.Fatal(err)
	}
}
