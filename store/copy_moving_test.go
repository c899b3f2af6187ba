package store_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/record"
	"brenner/store/storetest"
)

// moving is a store to which another process writes before its n-th read.
type moving struct {
	store.Copyable
	left  int
	write func()
}

func (m *moving) read() {
	if m.left--; m.left == 0 {
		m.write()
	}
}

func (m *moving) Blob(ctx context.Context, hash string) ([]byte, error) {
	m.read()
	return m.Copyable.Blob(ctx, hash)
}

func (m *moving) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	m.read()
	return m.Copyable.Entries(ctx, stream, after)
}

func (m *moving) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	m.read()
	return m.Copyable.Streams(ctx, prefix)
}

func (m *moving) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	m.read()
	return m.Copyable.Records(ctx, q)
}

func (m *moving) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	m.read()
	return m.Copyable.Heads(ctx, q)
}

func (m *moving) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	m.read()
	return m.Copyable.Marks(ctx, id)
}

func (m *moving) Hashes(ctx context.Context, after string, limit int) ([]string, error) {
	m.read()
	return m.Copyable.Hashes(ctx, after, limit)
}

// A copy is the source at one moment, or fails: whenever and whatever another process writes to it. After a
// failure, the same command continues.
func TestCopyOfAStoreInUse(t *testing.T) {
	t.Parallel()
	head := journal.HeadOf(storetest.Chain(t, "session/0", journal.Head{}, 1)) // as filled
	grown := store.Append{Stream: "session/0", After: head, Entries: storetest.Chain(t, "session/0", head, 1)}
	begun := store.Append{Stream: "session/9", Entries: storetest.Chain(t, "session/9", journal.Head{}, 1)}
	again := storetest.Record("last", 2)
	again.Parent, again.At = 1, storetest.Instant(99)
	mark := record.Mark{ID: "last", Version: 1, Status: record.Canonical, By: "Sydney", Reason: "so", At: storetest.Instant(99)}
	for name, b := range map[string]store.Batch{
		"an entry":               {Appends: []store.Append{grown}},
		"a blob and an entry":    {Blobs: [][]byte{[]byte("new")}, Appends: []store.Append{grown}},
		"a new stream":           {Blobs: [][]byte{[]byte("new")}, Appends: []store.Append{begun}},
		"a version":              {Blobs: [][]byte{[]byte("new")}, Records: []record.Record{again}},
		"a mark":                 {Marks: []record.Mark{mark}},
		"an entry and a version": {Blobs: [][]byte{[]byte("new")}, Appends: []store.Append{grown}, Records: []record.Record{again}},
		"an entry and a mark":    {Appends: []store.Append{grown}, Marks: []record.Mark{mark}},
	} {
		refused, copied := 0, 0
		for n := 1; ; n++ {
			from, to := filledWith(t, 1), memory.New()
			before := content(t, from)
			source := &moving{from, n, func() {
				if err := from.Write(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}}
			_, err := store.Copy(t.Context(), source, to, nil)
			if source.left > 0 { // it needs no n reads
				break
			}
			if fault.CodeOf(err) == store.Differs {
				refused++
				_, err := store.Copy(t.Context(), from, to, nil)
				if diff := cmp.Diff(content(t, from), content(t, to)); err != nil || diff != "" {
					t.Fatalf("%s before read %d, copied again: %v, -source +copy\n%s", name, n, err, diff)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s before read %d: %v", name, n, err)
			}
			copied++
			if is := content(t, to); !cmp.Equal(before, is) && !cmp.Equal(content(t, from), is) {
				t.Errorf("%s before read %d: the copy is neither the source before nor after", name, n)
			}
		}
		if refused == 0 || copied == 0 {
			t.Errorf("%s: %d copies refused, %d made", name, refused, copied)
		}
	}
}
