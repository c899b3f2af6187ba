package govern_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"brenner/govern"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/postgres"
	"brenner/store/postgres/postgrestest"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// large returns a store with that many records of ten versions each, in a hundred modules, most
// with a link to the previous one.
func large(b *testing.B, st store.Store, records int) *govern.Records {
	b.Helper()
	began := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	now := began.AddDate(1, 0, 0)
	d := &govern.Records{
		Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: func() time.Time { now = now.Add(time.Second); return now },
		Rules: govern.Rules{Compression: 10, Unused: 30 * 24 * time.Hour, Authorities: []string{"Sydney"}},
	}
	// The brief comes first: later, compression would be due.
	if _, err := d.Put(b.Context(), sydney, draft("brief", record.ProjectBrief, "the question")); err != nil {
		b.Fatal(err)
	}
	if _, err := d.Promote(b.Context(), sydney, "brief", govern.PromoteOptions{Reason: "so"}); err != nil {
		b.Fatal(err)
	}
	const each, batch = 10, 1000
	for v := 1; v <= each; v++ {
		for from := 0; from < records; from += batch {
			var all store.Batch
			for i := from; i < min(from+batch, records); i++ {
				content := fmt.Appendf(nil, "version %d of record %d: a note of moderate length about a paper on cells and fate", v, i)
				r := record.Record{
					ID: fmt.Sprintf("note-%06d", i), Type: record.PaperNote, Version: v, Parent: v - 1, Status: record.Draft, Module: fmt.Sprintf("module-%02d", i%100),
					Summary: fmt.Sprintf("Record %d, version %d, says something about cells.", i, v), SummaryOf: store.Hash(content), SummaryBy: record.Given,
					Content: store.Hash(content), Change: "more", Creator: "BlueLake", At: began.Add(time.Duration(v*records+i) * time.Second), Tags: []string{fmt.Sprintf("tag-%d", i%1000)},
				}
				if i%100 > 0 && i >= 100 {
					r.Links = []record.Link{{Relation: record.Cites, ID: fmt.Sprintf("note-%06d", i-1), Version: v}}
				}
				all.Blobs, all.Records = append(all.Blobs, content), append(all.Records, r)
			}
			if err := st.Write(b.Context(), all); err != nil {
				b.Fatal(err)
			}
		}
	}
	return d
}

// project is a large project in one kind of store.
type project struct {
	kind    string
	records *govern.Records
}

// openFile returns a new store in a file.
func openFile(b *testing.B) *sqlite.Store {
	b.Helper()
	st, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	return st
}

// largeDatabase returns a large project on a PostgreSQL server of its own, which has removed dead rows and updated
// its statistics. By itself, it does so some minutes after so many writes.
func largeDatabase(b *testing.B, records int) *govern.Records {
	b.Helper()
	server := postgrestest.Start(b)
	b.Setenv("PGPASSWORD", server.Password)
	address, err := postgres.ParseAddress(server.Address("postgres") + "&project=bench")
	if err != nil {
		b.Fatal(err)
	}
	st, err := postgres.Open(b.Context(), address, postgres.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	d := large(b, st, records)
	for _, table := range []string{"records", "links", "tags", "tips", "heads", "blobs"} { // each has a minute
		postgrestest.Exec(b, server.Address("postgres"), "VACUUM ANALYZE brenner_bench."+table)
	}
	return d
}

// BenchmarkStore measures commands in projects of different sizes, in a file and, where a server is
// installed, in a database, by turns.
func BenchmarkStore(b *testing.B) {
	for _, records := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			all := []project{{"sqlite", large(b, openFile(b), records)}}
			if postgrestest.Installed() {
				all = append(all, project{"postgres", largeDatabase(b, records)})
			}
			measureReads(b, all, records)
			measurePuts(b, all, records)
		})
	}
}

// middleOf returns the record whose lineage and neighbours are measured.
func middleOf(records int) string { return fmt.Sprintf("note-%06d", records/2+50) }

func measureReads(b *testing.B, all []project, records int) {
	middle := middleOf(records)
	q := govern.Request{Role: "test_designer", Modules: []string{"module-07"}, Tags: []string{"tag-7"}, Inputs: []string{middle}, Purpose: "Continue."}
	byTurns(b, "view", all, func(d *govern.Records) (bool, error) {
		g, err := d.Context(b.Context(), q)
		return err == nil && len(g.Shown) == 9, err
	})
	byTurns(b, "status", all, func(d *govern.Records) (bool, error) {
		s, err := d.Status(b.Context())
		return err == nil && s.Records == records+1, err
	})
	byTurns(b, "lineage10", all, func(d *govern.Records) (bool, error) {
		l, err := d.Lineage(b.Context(), middle, true, false, 10)
		return err == nil && len(l.Nodes) == 11, err
	})
}

func measurePuts(b *testing.B, all []project, records int) {
	n := 0
	for _, count := range []int{1, 100} {
		name := "put"
		if count > 1 {
			name = fmt.Sprint(name, count)
		}
		byTurns(b, name, all, func(d *govern.Records) (bool, error) {
			drafts := make([]govern.Draft, count)
			for i := range drafts {
				n++
				drafts[i] = draft(fmt.Sprintf("new-%d", n), record.PaperNote, fmt.Sprint("new ", n), "cites="+middleOf(records))
			}
			_, err := d.Put(b.Context(), sydney, drafts...)
			return true, err
		})
	}
}

// byTurns measures one command in all projects by turns. It reports the median of its times in each
// project in milliseconds, and the median of the ratios to the first project's times.
func byTurns(b *testing.B, name string, all []project, do func(*govern.Records) (asExpected bool, err error)) {
	b.Run(name, func(b *testing.B) {
		times, ratios := make([][]float64, len(all)), make([][]float64, len(all))
		for b.Loop() {
			for i := range all {
				began := time.Now()
				if ok, err := do(all[i].records); !ok || err != nil {
					b.Fatal(all[i].kind, ok, err)
				}
				took := time.Since(began).Seconds() * 1000
				times[i] = append(times[i], took)
				ratios[i] = append(ratios[i], took/times[0][len(times[0])-1])
			}
		}
		b.ReportMetric(0, "ns/op") // of all projects together
		for i := range all {
			b.ReportMetric(median(times[i]), all[i].kind+"-ms")
			if i > 0 {
				b.ReportMetric(median(ratios[i]), all[i].kind+"/"+all[0].kind)
			}
		}
	})
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkRounds puts a thousand versions of one record, and reports the growth of the file for
// early and late ones.
func BenchmarkRounds(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		st, err := sqlite.Open(b.Context(), dir, sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		d := &govern.Records{Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: func() time.Time { now = now.Add(time.Second); return now }}
		var sizes []int64
		for i := range 1000 {
			if _, err := d.Put(b.Context(), sydney, round(i)); err != nil {
				b.Fatal(err)
			}
			if i%100 < 99 {
				continue
			}
			// Closing moves the WAL into the file, whose size is measured.
			if err := st.Close(); err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, size(b, dir))
			if st, err = sqlite.Open(b.Context(), dir, sqlite.Options{}); err != nil {
				b.Fatal(err)
			}
			d.Store = st
		}
		b.ReportMetric(float64(sizes[1]-sizes[0])/100, "bytes/round(early)")
		b.ReportMetric(float64(sizes[9]-sizes[8])/100, "bytes/round(late)")
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func round(i int) govern.Draft {
	d := draft("memo", record.IntegratedMemo, fmt.Sprintf("round %d\n%01024d", i, i))
	d.Summary = fmt.Sprint("the state after round ", i)
	return d
}

// size returns the size of the store's file, without the WAL.
func size(b *testing.B, dir string) int64 {
	b.Helper()
	info, err := os.Stat(filepath.Join(dir, sqlite.FileName))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
