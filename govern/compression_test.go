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

// due gives the ids of what the memo of a module does not take up.
func (k *kit) due(module string) []string {
	k.Helper()
	u, err := k.Due(k.Context1(), module)
	if err != nil {
		k.Fatal(err)
	}
	k.is("count", u.Changed, len(u.Records))
	var ids []string
	for _, ref := range u.Records {
		ids = append(ids, ref.ID)
	}
	slices.Sort(ids)
	return ids
}

func TestAMemoCompressesOnlyWhatItNames(t *testing.T) {
	both(t, func(k *kit) {
		for _, id := range []string{"a", "b", "c"} {
			k.put(draft(id, record.PaperNote, "note "+id))
		}
		k.is("without a memo", k.due("fate"), []string{"a", "b", "c"})
		k.put(draft("memo", record.IntegratedMemo, "about a and b", "cites=a", "refutes=b", "replies_to=c"))
		k.is("a draft is no memo", k.due("fate"), []string{"a", "b", "c"})
		k.promote("memo")
		k.is("c is older than the memo, and not in it", k.due("fate"), []string{"c"})
		k.put(draft("a", record.PaperNote, "a says more"))
		k.is("a changed", k.due("fate"), []string{"a", "c"})
		k.promote("a@v1")
		k.is("and what stands is what the memo took up", k.due("fate"), []string{"c"})
		played := draft("played", record.PaperNote, "nobody thought of this")
		played.Tags = []string{record.Rehearsal}
		k.put(played)
		k.is("no memo takes up a rehearsal", k.due("fate"), []string{"c"})
	})
}

// What is due is what stands in a module and its memo does not rest on, whatever
// order things were put and promoted in; and a new memo by the program leaves nothing.
func TestDueIsWhatTheMemoLeavesOut(t *testing.T) {
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
				if h, err := k.Head(k.Context1(), id); err == nil {
					k.promote(fmt.Sprintf("%s@v%d", id, h.Latest))
				}
			case 3:
				var linked []string
				memo = make(map[record.Ref]bool)
				heads, err := k.Store.Heads(k.Context1(), storeAll)
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
		heads, err := k.Store.Heads(k.Context1(), storeAll)
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
		if _, err := k.Consolidate(k.Context1(), sydney, "fate", nil); err != nil {
			rt.Fatal(err)
		}
		id := "memo-fate"
		if slices.ContainsFunc(heads, func(h record.Head) bool { return h.ID == "memo" }) {
			id = "memo"
		}
		k.promote(id)
		if got := k.due("fate"); len(got) > 0 {
			rt.Fatalf("behind a new memo %v is due", got)
		}
	})
}

func TestAMemoOfTheProgramTakesUpAll(t *testing.T) {
	both(t, func(k *kit) {
		const many = 230
		k.many(many)
		put, err := k.Consolidate(k.Context1(), sydney, "fate", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.is("taken up, left out", []int{len(put.Record.Links), len(put.LeftOut)}, []int{many, 0})
		k.promote("memo-fate")
		k.is("due", k.due("fate"), []string(nil))
	})
}

func TestAMemoOfAnAgentSaysWhatItLeftOutAndGoesOn(t *testing.T) {
	both(t, func(k *kit) {
		const many = 230
		k.many(many)
		k.Views = map[string]contexts.Spec{policy.Integrator: {Role: policy.Integrator, MaxTokens: 12000, Types: []contexts.TypeView{{Type: record.PaperNote, Max: 1}}}}
		taken, runs := 0, 0
		for left := many; left > 0; runs++ {
			h, ada := helper(fmt.Sprint("The memo, ", runs))
			put, err := k.Consolidate(k.Context1(), sydney, "fate", h)
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
				k.Fatalf("run %d: %d taken up, %d left out, %d before", runs, now, len(put.LeftOut), taken)
			}
			content, err := k.Content(k.Context1(), &put.Record)
			if err != nil || strings.Contains(string(content), "Not taken up, for want of room: ") != (len(put.LeftOut) > 0) {
				k.Errorf("%s, %v", content, err)
			}
			if before := fmt.Sprintf("  | The memo, %d", runs-1); runs > 0 != strings.Contains(ada.calls[0].Turns[0].Text, before) {
				k.Errorf("run %d: %s", runs, ada.calls[0].Turns[0].Text)
			}
			k.promote("memo-fate")
			if len(put.LeftOut) >= 10 {
				k.is("still due", k.status().Due[0].IsDue(), true)
			}
			taken, left = now, len(put.LeftOut)
		}
		if runs < 2 {
			k.Errorf("all of it fitted in %d runs", runs)
		}
		k.is("due", k.due("fate"), []string(nil))
	})
}

func (k *kit) many(n int) {
	k.Helper()
	var drafts []govern.Draft
	for i := range n {
		drafts = append(drafts, draft(fmt.Sprintf("note-%03d", i), record.PaperNote, fmt.Sprint("note ", i)))
	}
	if _, err := k.Put(k.Context1(), sydney, drafts...); err != nil {
		k.Fatal(err)
	}
}
