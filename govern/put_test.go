package govern_test

import (
	"context"
	"testing"
	"time"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

func TestNewVersionsInheritLinks(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		if _, _, err := k.Pin(k.ctx(), sydney, govern.TaskDraft{ID: "task", Task: "Write.", Inputs: []string{"note"}}); err != nil {
			k.Fatal(err)
		}
		d := draft("memo", record.IntegratedMemo, "a memo", "cites=note")
		d.Task = "task"
		k.put(d)
		kept := []record.Link{{Relation: record.Cites, ID: "note", Version: 1}, {Relation: record.DerivesFrom, ID: "task", Version: 1}}
		k.equal("inherited", k.put(draft("memo", record.IntegratedMemo, "reworded")).Record.Links, kept)
		d = draft("memo", record.IntegratedMemo, "without links")
		d.NoLinks = true
		k.equal("none", len(k.put(d).Record.Links), 0)
	})
}

func TestPutDefaultSkipsAbandonedBranches(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("memo", record.IntegratedMemo, "one"))
		k.promote("memo")
		k.put(draft("memo", record.IntegratedMemo, "two"))
		k.promote("memo@v2")
		other := draft("memo", record.IntegratedMemo, "three")
		other.Parent = 1
		k.equal("a fork", k.put(other).Record.Status, record.Alternative)
		put := k.put(draft("memo", record.IntegratedMemo, "four"))
		k.equal("continues the canonical version", []any{put.Record.Parent, put.Record.Status}, []any{2, record.Draft})
		if _, err := k.Deprecate(k.ctx(), sydney, "memo@v4", "a dead end", false); err != nil {
			k.Fatal(err)
		}
		k.equal("continues the canonical version again", k.put(draft("memo", record.IntegratedMemo, "five")).Record.Parent, 2)
		// Without a canonical version, --parent is required.
		k.put(draft("note", record.PaperNote, "one"))
		k.put(draft("note", record.PaperNote, "two"))
		third := draft("note", record.PaperNote, "three")
		third.Parent = 1
		k.put(third)
		_, err := k.Put(k.ctx(), sydney, draft("note", record.PaperNote, "four"))
		k.wantFault(err, govern.BadRecord, "unmerged branches: v2, v3", "--parent")
	})
}

func TestBatchMayHaveSeveralVersionsOfARecord(t *testing.T) {
	both(t, func(k *kit) {
		put, err := k.Put(k.ctx(), sydney, draft("note", record.PaperNote, "one"), govern.Draft{ID: "note", Content: []byte("two")})
		if err != nil {
			k.Fatal(err)
		}
		k.equal("versions", []int{put[1].Record.Version, put[1].Record.Parent}, []int{2, 1})
	})
}

func TestConcurrentPutsFork(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		// Another version is put between the read and the write.
		meanwhile := &interposedStore{Store: k.Store, do: func() { k.put(draft("note", record.PaperNote, "two")) }}
		late := k.withStore(meanwhile)
		put, err := late.Put(k.ctx(), sydney, draft("note", record.PaperNote, "three"))
		if err != nil {
			k.Fatal(err)
		}
		k.equal("fork", []any{put[0].Record.Parent, put[0].Fork, put[0].Record.Status}, []any{1, []int{2, 3}, record.Alternative})
		meanwhile = &interposedStore{Store: k.Store, do: func() { k.put(draft("new", record.PaperNote, "theirs")) }}
		late.Store = meanwhile
		_, err = late.Put(k.ctx(), sydney, draft("new", record.PaperNote, "ours"))
		if fault.CodeOf(err) != store.Conflict {
			k.Error(err)
		}
	})
}

// interposedStore is a store in which another write happens just before the first one.
type interposedStore struct {
	store.Store
	do func()
}

func (s *interposedStore) Write(ctx context.Context, b store.Batch) error {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.Store.Write(ctx, b)
}

// A batch is processed in order, so a fork within it is always found.
func TestForkWithinABatch(t *testing.T) {
	for range 20 { // would reveal random map order
		k := newKit(t, opentest.New(t))
		text := func(parent int, text string) govern.Draft {
			d := draft("memo", record.IntegratedMemo, text)
			d.Parent = parent
			return d
		}
		for _, d := range []govern.Draft{text(0, "one"), text(1, "two"), text(1, "three")} {
			k.put(d)
		}
		put, err := k.Put(k.ctx(), sydney, text(3, "four"), text(4, "five"), text(4, "six"))
		if err != nil {
			t.Fatal(err)
		}
		k.equal("the last", []any{put[2].Fork, put[2].Record.Status}, []any{[]int{2, 5, 6}, record.Alternative})
		k.equal("tips", k.tips("memo"), []int{2, 5, 6})
	}
}

func TestReadDraftsSaysWhatIsWrong(t *testing.T) {
	for line, want := range map[string]string{
		`{`:                             "not valid JSON: it ends too early",
		`hello`:                         "not valid JSON at column 1",
		`{"id":"a"} {"id":"b"}`:         "not valid JSON at column 12",
		`["a"]`:                         "expected an object in braces",
		`{"id":"a","id":"b"}`:           "the key id is there twice",
		`{"id":"a","typ":"x"}`:          "unknown key typ",
		`{"id":"a","content":5}`:        "content: expected a text",
		`{"id":"a","parent":"v2"}`:      "parent: expected the number of a version, such as 2",
		`{"id":"a","parent":1.5}`:       "parent: expected the number of a version, such as 2",
		`{"id":"a","links":[1]}`:        `links: expected a list of texts, such as ["cites=note-1"]`,
		`{"id":"a","tags":"x"}`:         "tags: expected a list of texts",
		`{"id":"a","no_links":"yes"}`:   "no_links: expected true or false",
		`{"id":"a","content":"\ud800"}`: "not valid JSON at column 22",
		`{"type":"paper_note"}`:         "its id is missing",
	} {
		_, err := govern.ReadDrafts("all.jsonl", []byte("\n"+line))
		if want = "read drafts: all.jsonl, line 2: " + want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

func TestDryRunHasTheReasonOfTheMark(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "a note"))
		k.clock.skip(31 * 24 * time.Hour)
		would, err := k.Retire(k.ctx(), sydney, govern.DeprecateOptions{Dry: true})
		if err != nil {
			k.Fatal(err)
		}
		done, err := k.Retire(k.ctx(), sydney, govern.DeprecateOptions{})
		if err != nil || len(would.Marks) != 1 || len(done.Marks) != 1 {
			k.Fatalf("%+v, %+v, %v", would, done, err)
		}
		k.equal("reason", would.Marks[0].Reason, done.Marks[0].Reason)
		k.equal("reason", done.Marks[0].Reason, "no current version has linked to it for 720h0m0s")
	})
}
