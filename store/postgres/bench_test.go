package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/sqlite"
	"brenner/store/storetest"
)

// BenchmarkAppend measures writes of one entry and a blob of 2 kB, each writer to a stream of its
// own, in both stores by turns.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 4, 16, 64} {
		for _, kind := range []string{"postgres", "sqlite"} {
			b.Run(fmt.Sprintf("writers=%d/%s", writers, kind), func(b *testing.B) {
				appendAll(b, openKind(b, kind), writers)
			})
		}
	}
}

func openKind(b *testing.B, kind string) store.Store {
	b.Helper()
	if kind == "postgres" {
		return openAt(b, postgrestest.Address(b), Options{})
	}
	s, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func appendAll(b *testing.B, s store.Store, writers int) {
	ctx := context.WithoutCancel(b.Context())
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	for w := range writers {
		all.Go(func() {
			stream := fmt.Sprint("s", w)
			var head journal.Head
			blob := make([]byte, 2048)
			for i := range blob {
				blob[i] = byte(i * (w + 1))
			}
			for left.Add(-1) >= 0 {
				binary.LittleEndian.PutUint64(blob, uint64(head.Seq*1000+w)) //nolint:gosec // a number of its own
				entries := storetest.Chain(b, stream, head, 1)
				if err := s.Write(ctx, store.Batch{Blobs: [][]byte{blob}, Appends: []store.Append{{Stream: stream, After: head, Entries: entries}}}); err != nil {
					b.Error(err)
					return
				}
				head = journal.HeadOf(entries)
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}
