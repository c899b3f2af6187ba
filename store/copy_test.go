package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/record"
	"brenner/store/sqlite"
	"brenner/store/storetest"
)

// filled returns a store with blobs, streams and records whose branches depend on the order of marks and versions.
func filled(t *testing.T) *memory.Store { return filledWith(t, 600) }

// filledWith is filled with streams that differ by a number of entries.
func filledWith(t *testing.T, entries int) *memory.Store {
	t.Helper()
	st := memory.New()
	write := func(b store.Batch) {
		t.Helper()
		if err := st.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		name := fmt.Sprintf("session/%d", n)
		write(store.Batch{
			Blobs:   [][]byte{nil, []byte(name), make([]byte, 5000+n)},
			Appends: []store.Append{{Stream: name, Entries: storetest.Chain(t, name, journal.Head{}, 1+entries*n), Summary: name}},
		})
	}
	at := 0
	version := func(id string, v, parent int) {
		r := storetest.Record(id, v)
		at++
		r.Parent, r.At, r.Tags = parent, storetest.Instant(at), []string{"tag"}
		if v > 1 {
			r.Links = []record.Link{{Relation: record.Cites, ID: "other", Version: v}}
		}
		write(store.Batch{Blobs: [][]byte{[]byte(id)}, Records: []record.Record{r}})
	}
	mark := func(id string, v int, status string, was int) {
		at++
		write(store.Batch{Marks: []record.Mark{{ID: id, Version: v, Status: status, Was: was, By: "Sydney", Reason: "so", At: storetest.Instant(at)}}})
	}
	version("memo", 1, 0)
	mark("memo", 1, record.Deprecated, 0) // the only tip stays open
	version("memo", 2, 0)
	version("note", 1, 0)
	version("note", 2, 1)
	version("note", 3, 1)
	mark("note", 2, record.Canonical, 0)
	mark("note", 3, record.Deprecated, 0) // this one is closed
	version("note", 4, 2)
	mark("note", 4, record.Canonical, 2)
	version("last", 1, 0)
	return st
}

func onDisk(t *testing.T) store.Copyable {
	t.Helper()
	st, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// content is everything in a store.
func content(t *testing.T, st store.Copyable) []any {
	t.Helper()
	var all []any
	add := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	streams, err := st.Streams(t.Context(), "")
	add(streams, err)
	for _, s := range streams {
		add(st.Entries(t.Context(), s.Name, 0))
	}
	hashes, err := st.Hashes(t.Context(), "", 1000)
	add(hashes, err)
	for _, h := range hashes {
		data, err := st.Blob(t.Context(), h)
		add(string(data), err)
	}
	add(st.Records(t.Context(), store.Query{}))
	add(st.Records(t.Context(), store.Query{Initial: true}))
	add(st.Marks(t.Context(), ""))
	heads, err := st.Heads(t.Context(), store.HeadQuery{})
	add(heads, err)
	for _, h := range heads {
		add(st.Tips(t.Context(), h.ID))
	}
	return all
}

func TestCopyIsTheSame(t *testing.T) {
	t.Parallel()
	from := filled(t)
	there, back := onDisk(t), memory.New()
	for _, step := range []struct{ from, to store.Copyable }{{from, there}, {there, back}} {
		var last store.Copied
		done, err := store.Copy(t.Context(), step.from, step.to, func(c store.Copied) { last = c })
		if err != nil {
			t.Fatal(err)
		}
		want := store.Copied{Blobs: 10, Streams: 3, Entries: 1803, Records: 7, Marks: 4, New: 1824}
		if *done != want || last != want {
			t.Errorf("copied %+v, last reported %+v, want %+v", *done, last, want)
		}
		if diff := cmp.Diff(content(t, step.from), content(t, step.to)); diff != "" {
			t.Errorf("-source +copy\n%s", diff)
		}
	}
	again, err := store.Copy(t.Context(), from, there, nil)
	if err != nil || again.New != 0 {
		t.Errorf("a second copy writes %+v, %v", again, err)
	}
}

// breaking is a store whose writes fail after a number of them.
type breaking struct {
	store.Copyable
	left int
}

var errBroken = errors.New("killed")

func (b *breaking) Write(ctx context.Context, batch store.Batch) error {
	if b.left == 0 {
		return errBroken
	}
	b.left--
	return b.Copyable.Write(ctx, batch)
}

func TestCopyContinues(t *testing.T) {
	t.Parallel()
	from := filled(t)
	want := content(t, from)
	for n := 0; ; n++ {
		to := memory.New()
		_, err := store.Copy(t.Context(), from, &breaking{to, n}, nil)
		if err == nil {
			if n < 5 {
				t.Errorf("a copy takes only %d writes", n)
			}
			return
		}
		if !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		if _, err := store.Copy(t.Context(), from, to, nil); err != nil {
			t.Fatalf("after %d writes: %v", n, err)
		}
		if diff := cmp.Diff(want, content(t, to)); diff != "" {
			t.Fatalf("after %d writes: -source +copy\n%s", n, diff)
		}
	}
}

func TestCopyRefusesOtherContent(t *testing.T) {
	t.Parallel()
	mark := record.Mark{ID: "x", Version: 1, Status: record.Deprecated, By: "Sydney", Reason: "so", At: storetest.Instant(1)}
	unlike, err := journal.Head{}.Next("session/1", storetest.Instant(9), "unlike", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]store.Batch{
		"another stream": {Appends: []store.Append{{Stream: "loop/x", Entries: storetest.Chain(t, "loop/x", journal.Head{}, 1)}}},
		"more entries":   {Appends: []store.Append{{Stream: "session/0", Entries: storetest.Chain(t, "session/0", journal.Head{}, 2)}}},
		"other entries":  {Appends: []store.Append{{Stream: "session/1", Entries: []journal.Entry{unlike}}}},
		"another record": {Records: []record.Record{storetest.Record("x", 1)}},
		"another mark":   {Records: []record.Record{storetest.Record("x", 1)}, Marks: []record.Mark{mark}},
		"another blob":   {Blobs: [][]byte{[]byte("something else")}},
	} {
		from, to := filled(t), memory.New()
		if err := to.Write(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		_, err := store.Copy(t.Context(), from, to, nil)
		if fault.CodeOf(err) != store.Differs {
			t.Errorf("%s: got %v", name, err)
		}
		if streams, err := to.Streams(t.Context(), "session/2"); len(streams) > 0 || err != nil {
			t.Errorf("%s: something was copied: %v, %v", name, streams, err)
		}
	}
}
