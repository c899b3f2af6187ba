//go:build unix

package keeper_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// many is the number of bullets in a large playbook.
const many = 100_000

// large returns a store with a large playbook.
func large(b *testing.B) *sqlite.Store {
	b.Helper()
	st, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	lines := make([]playbook.Line, many)
	for n := range lines {
		lines[n] = playbook.Line{
			Number: n + 1, ID: fmt.Sprintf("pb-%05d", n+1), Helpful: 1,
			Text: fmt.Sprintf("Lesson %d: when two hypotheses predict the same outcome, design a test that tells them apart first", n),
		}
	}
	rules := playbook.DefaultRules()
	rules.Match = 2 // comparing all with all would take long
	k, err := keeper.Open(b.Context(), keeper.Options{Store: st, Rules: rules, Embedder: &stub{length: 512}})
	if err != nil {
		b.Fatal(err)
	}
	if out, err := k.Import(b.Context(), playbook.Act{Actor: "bench", At: time.Unix(1, 0)}, lines, playbook.Into{Domain: "general"}, nil); err != nil || len(out) != many {
		b.Fatal(len(out), err)
	}
	return st
}

func open(tb testing.TB, st store.Store) *keeper.Keeper {
	tb.Helper()
	k, err := keeper.Open(tb.Context(), keeper.Options{Store: st, Rules: playbook.DefaultRules(), Embedder: &stub{length: 512}})
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// BenchmarkLarge works on 100 000 bullets.
func BenchmarkLarge(b *testing.B) {
	st := large(b)
	runtime.GC()
	debug.FreeOSMemory()
	k := open(b, st)
	b.Run("count", func(b *testing.B) {
		defer reportCPU(b)()
		n := 0
		for b.Loop() {
			n++
			id := fmt.Sprintf("pb-%05d", n%many+1)
			_, err := k.Do(b.Context(), playbook.Act{Actor: "bench", Reason: "bench"}, func(d *playbook.Draft) error {
				_, err := d.Credit(id, playbook.Helpful)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	want := func(x *playbook.Bullet) bool { return x.Domain == "general" }
	search := func(b *testing.B) {
		if got, err := k.Similar(b.Context(), "another lesson about tests", 10, want); err != nil || len(got) == 0 {
			b.Fatal(got, err)
		}
	}
	search(b) // the first search fills the index
	b.Run("search", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			search(b)
		}
		b.ReportMetric(resident(b), "MiB")
	})
	b.Run("open", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			open(b, st)
		}
	})
}

// resident returns the memory of this process in MiB.
func resident(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // not on Linux
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(n) / 1024
		}
	}
	return 0
}

// reportCPU reports the CPU time of this process, which varies less than wall time on a
// shared machine.
func reportCPU(b *testing.B) func() {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op") }
}

// BenchmarkVerify replays a journal of a million entries, from the disk.
func BenchmarkVerify(b *testing.B) {
	const entries, bullets = 1_000_000, 1_000
	st, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	book, head, at := &playbook.Book{}, journal.Head{}, time.Unix(1, 0)
	for head.Seq < entries {
		var batch []journal.Entry
		from := head
		for len(batch) < 20_000 {
			d := book.Draft(playbook.DefaultRules(), playbook.Act{Actor: "bench", Session: fmt.Sprintf("RS-20260101-%d", head.Seq), Reason: "bench", At: at})
			if book.Len() < bullets {
				i := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: fmt.Sprintf("Lesson %d of a playbook with a long history", book.Len()), Person: true}
				_, err = d.Learn(i, nil, playbook.Embedding{})
			} else {
				_, err = d.Credit(book.At(head.Seq%bullets).ID, playbook.Helpful)
			}
			if err != nil {
				b.Fatal(err)
			}
			chained, err := chain(head, d.Entries())
			if err != nil {
				b.Fatal(err)
			}
			for i := range chained {
				e, err := playbook.Read(&chained[i])
				if err == nil {
					err = book.Apply(&e)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			batch, head = append(batch, chained...), journal.HeadOf(chained)
		}
		if err := st.Write(b.Context(), store.Batch{Appends: []store.Append{{Stream: playbook.Stream, After: from, Entries: batch}}}); err != nil {
			b.Fatal(err)
		}
	}
	defer reportCPU(b)()
	for b.Loop() {
		if r, err := keeper.Verify(b.Context(), st, head.Hash); err != nil || r.Entries != head.Seq || r.Head != head.Hash {
			b.Fatal(r, err)
		}
	}
}

// chain converts the entries of a draft to journal entries.
func chain(after journal.Head, entries []playbook.Entry) ([]journal.Entry, error) {
	out := make([]journal.Entry, 0, len(entries))
	for i := range entries {
		body, err := journal.Encode(&entries[i].Body)
		if err != nil {
			return nil, err
		}
		e, err := after.Next(playbook.Stream, entries[i].At, string(entries[i].Op), body)
		if err != nil {
			return nil, err
		}
		out, after = append(out, e), e.Head()
	}
	return out, nil
}
