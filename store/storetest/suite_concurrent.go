package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

const (
	writers    = 16
	eachWrites = 3
)

// testOneWinner has many append to one stream: for each head one of them wins,
// the others read again, and in the end every entry is there once.
func testOneWinner(t *testing.T, s store.Store) {
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			for i := range eachWrites {
				if err := appendUntilWon(background(t), s, fmt.Sprintf("writer %d, entry %d", n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got := entries(t, s, "race", 0)
	if err := journal.Check("race", journal.Head{}, got); err != nil {
		t.Error(err)
	}
	kinds := map[string]int{}
	for _, e := range got {
		kinds[e.Kind]++
	}
	if len(got) != writers*eachWrites || len(kinds) != writers*eachWrites {
		t.Errorf("%d entries, %d different ones", len(got), len(kinds))
	}
}

func appendUntilWon(ctx context.Context, s store.Store, kind string) error {
	for {
		have, err := s.Entries(ctx, "race", 0)
		if err != nil {
			return err
		}
		head := journal.HeadOf(have)
		e, err := head.Next("race", Instant(head.Seq), kind, []byte(`{}`))
		if err != nil {
			return err
		}
		err = s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: "race", After: head, Entries: []journal.Entry{e}}}})
		if fault.CodeOf(err) != store.Moved {
			return err
		}
	}
}

// testReadersSeeWholeBatches reads while another writes: what is read is always
// a beginning of the stream that ends with a whole batch.
func testReadersSeeWholeBatches(t *testing.T, s store.Store) {
	const batches, size = 10, 5
	ctx := background(t)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(done)
		var head journal.Head
		for i := range batches {
			chain := Chain(t, "a", head, size)
			err := s.Write(ctx, store.Batch{
				Appends: []store.Append{{Stream: "a", After: head, Entries: chain}}, Records: []record.Record{Record("a", i+1)},
			})
			if err != nil {
				t.Error(err)
				return
			}
			head = journal.HeadOf(chain)
		}
	})
	for range 3 {
		all.Go(func() {
			for ended := false; !ended; {
				select {
				case <-done:
					ended = true
				default:
				}
				got, err := s.Entries(ctx, "a", 0)
				if err != nil || len(got)%size != 0 || journal.Check("a", journal.Head{}, got) != nil {
					t.Errorf("%d entries: %v", len(got), err)
					return
				}
			}
		})
	}
	all.Wait()
	same(t, batches*size, len(entries(t, s, "a", 0)))
}
