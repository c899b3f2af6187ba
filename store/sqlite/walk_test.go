package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// Walk visits the same entries as Entries returns, page by page, in any store.
func TestWalk(t *testing.T) {
	disk, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	const many = 25_000 // more than two pages
	entries := make([]journal.Entry, 0, many)
	blobs := make([][]byte, 1200)
	hashes := make([]string, len(blobs))
	for n := range many {
		e, err := journal.HeadOf(entries).Next("s", time.Unix(int64(n), 0), "k", fmt.Appendf(nil, `{"n":%d}`, n))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	for n := range blobs {
		blobs[n] = fmt.Appendf(nil, "blob %d", n)
		hashes[len(blobs)-1-n] = store.Hash(blobs[n])
	}
	hashes[7] = hashes[3] // duplicates are allowed
	for name, st := range map[string]store.Store{"sqlite": disk, "memory": memory.New()} {
		t.Run(name, func(t *testing.T) {
			if err := st.Write(t.Context(), store.Batch{Blobs: blobs, Appends: []store.Append{{Stream: "s", Entries: entries}}}); err != nil {
				t.Fatal(err)
			}
			for _, after := range []int{0, 1, 9_999, 10_000, many - 1, many, many + 5} {
				next := after
				err := store.Walk(t.Context(), st, "s", after, func(l *journal.Line) error {
					e, err := l.Entry("s")
					if err != nil {
						return err
					}
					if e.Hash != entries[next].Hash || string(e.Body) != string(entries[next].Body) || !e.At.Equal(entries[next].At) {
						return fmt.Errorf("entry %d differs", next)
					}
					next++
					return nil
				})
				if err != nil || next != max(after, many) {
					t.Errorf("after %d: ended at %d, %v", after, next, err)
				}
			}
			stop := errors.New("enough")
			if err := store.Walk(t.Context(), st, "s", 0, func(*journal.Line) error { return stop }); !errors.Is(err, stop) {
				t.Error(err)
			}
			seen := 0
			err := store.Blobs(t.Context(), st, hashes, func(n int, data []byte) error {
				if n != seen || store.Hash(data) != hashes[n] {
					return fmt.Errorf("blob %d differs", n)
				}
				seen++
				return nil
			})
			if err != nil || seen != len(hashes) {
				t.Error(seen, err)
			}
			if err := store.Blobs(t.Context(), st, []string{hashes[0], "missing"}, func(int, []byte) error { return nil }); fault.CodeOf(err) != store.NoBlob {
				t.Error(err)
			}
			if err := store.Blobs(t.Context(), st, hashes, func(int, []byte) error { return stop }); !errors.Is(err, stop) {
				t.Error(err)
			}
		})
	}
}
