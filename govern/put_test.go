package govern_test

import (
	"context"
	"testing"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/record"
)

func TestNewVersionsKeepTheirLinks(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		if _, _, err := k.Pin(k.Context1(), sydney, govern.TaskDraft{ID: "task", Task: "Write.", Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		d := draft("memo", record.IntegratedMemo, "a memo", "cites=note")
		d.Task = "task"
		k.put(d)
		kept := []record.Link{{Relation: record.Cites, ID: "note", Version: 1}, {Relation: record.DerivesFrom, ID: "task", Version: 1}}
		k.is("kept", k.put(draft("memo", record.IntegratedMemo, "better words")).Record.Links, kept)
		d = draft("memo", record.IntegratedMemo, "quite free")
		d.NoLinks = true
		k.is("none", len(k.put(d).Record.Links), 0)
	})
}

func TestAPutDoesNotGoOnFromARejectedWay(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.promote("memo")
		k.put(draft("memo", record.IntegratedMemo, "two"))
		k.promote("memo@v2")
		other := draft("memo", record.IntegratedMemo, "three")
		other.Parent = 1
		k.is("a fork", k.put(other).Record.Status, record.Alternative)
		put := k.put(draft("memo", record.IntegratedMemo, "four"))
		k.is("goes on from what stands", []any{put.Record.Parent, put.Record.Status}, []any{2, record.Draft})
		if _, err := k.Deprecate(k.Context1(), sydney, "memo@v4", "a dead end", false); err != nil {
			k.Fatal(err)
		}
		k.is("likewise", k.put(draft("memo", record.IntegratedMemo, "five")).Record.Parent, 2)
		// Where nobody has decided, it has to be said.
		k.put(draft("note", record.PaperNote, "one"))
		k.put(draft("note", record.PaperNote, "two"))
		third := draft("note", record.PaperNote, "three")
		third.Parent = 1
		k.put(third)
		_, err := k.Put(k.Context1(), sydney, draft("note", record.PaperNote, "four"))
		k.wantFault(err, govern.BadRecord, "unmerged branches: v2, v3", "--parent")
	})
}

func TestABatchMayHaveSeveralVersionsOfARecord(t *testing.T) {
	both(t, func(k *kit) {
		put, err := k.Put(k.Context1(), sydney, draft("note", record.PaperNote, "one"), govern.Draft{ID: "note", Content: []byte("two")})
		if err != nil {
			k.Fatal(err)
		}
		k.is("versions", []int{put[1].Record.Version, put[1].Record.Parent}, []int{2, 1})
	})
}

func TestPutsAtOnceAreAFork(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		// Another one comes between what was seen and what is written.
		meanwhile := &between{Store: k.Store, do: func() { k.put(draft("note", record.PaperNote, "two")) }}
		late := k.through(meanwhile)
		put, err := late.Put(k.Context1(), sydney, draft("note", record.PaperNote, "three"))
		if err != nil {
			k.Fatal(err)
		}
		k.is("fork", []any{put[0].Record.Parent, put[0].Fork, put[0].Record.Status}, []any{1, []int{2, 3}, record.Alternative})
		meanwhile = &between{Store: k.Store, do: func() { k.put(draft("new", record.PaperNote, "theirs")) }}
		late.Store = meanwhile
		_, err = late.Put(k.Context1(), sydney, draft("new", record.PaperNote, "ours"))
		if fault.CodeOf(err) != store.Conflict {
			k.Error(err)
		}
	})
}

// between is a store in which somebody else writes just before the first write.
type between struct {
	store.Store
	do func()
}

func (s *between) Write(ctx context.Context, b store.Batch) error {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Write(ctx, b)
}

// What is put at once is looked at in its order: a fork among it is seen every time.
func TestAForkAmongWhatIsPutAtOnce(t *testing.T) {
	for range 20 { // the order of a map would show
		k := newKit(t, memory.New())
		text := func(parent int, text string) govern.Draft {
			d := draft("memo", record.IntegratedMemo, text)
			d.Parent = parent
			return d
		}
		for _, d := range []govern.Draft{text(0, "one"), text(1, "two"), text(1, "three")} {
			k.put(d)
		}
		put, err := k.Put(k.Context1(), sydney, text(3, "four"), text(4, "five"), text(4, "six"))
		if err != nil {
			t.Fatal(err)
		}
		k.is("the last", []any{put[2].Fork, put[2].Record.Status}, []any{[]int{2, 5, 6}, record.Alternative})
		k.is("what is open", k.tips("memo"), []int{2, 5, 6})
	}
}
