package govern_test

import (
	"fmt"
	"testing"
	"time"

	"brenner/govern"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// BenchmarkExplain measures `context explain` where all records link to one. The time must grow
// linearly with the records.
func BenchmarkExplain(b *testing.B) {
	for _, records := range []int{4_000, 16_000} {
		b.Run(fmt.Sprintf("neighbours=%d", records), func(b *testing.B) {
			st, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = st.Close() })
			began := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
			var all store.Batch
			for i := range records + 1 {
				content := fmt.Appendf(nil, "what paper %d says", i)
				r := record.Record{
					ID: fmt.Sprintf("note-%06d", i), Type: record.PaperNote, Version: 1, Status: record.Draft, Module: "fate", Summary: fmt.Sprintf("Paper %d.", i),
					SummaryOf: store.Hash(content), SummaryBy: record.Given, Content: store.Hash(content), Creator: "BlueLake", At: began.Add(time.Duration(i) * time.Second),
				}
				if i > 0 {
					r.Links = []record.Link{{Relation: record.Cites, ID: "note-000000", Version: 1}}
				}
				all.Blobs, all.Records = append(all.Blobs, content), append(all.Records, r)
			}
			if err := st.Write(b.Context(), all); err != nil {
				b.Fatal(err)
			}
			d := &govern.Records{Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: time.Now}
			for b.Loop() {
				g, err := d.Context(b.Context(), govern.Request{Role: "test_designer", Modules: []string{"fate"}, Inputs: []string{"note-000000"}, Purpose: "Continue.", All: true})
				if err != nil || len(g.Shown)+len(g.LeftOut) < records {
					b.Fatal(g, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(records), "µs/record")
		})
	}
}
