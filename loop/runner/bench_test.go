//go:build unix

package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/loop/runner/looptest"

	"brenner/loop"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// runMany runs a loop of many sessions, sixteen at a time, on a real store. It returns the
// memory in use after a tenth of them and at the end.
func runMany(b *testing.B, sessions, rounds int) (early, late uint64) {
	b.Helper()
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), ".brenner"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := loopRunner(st, looptest.FastScript())
	settled := 0
	r.Observe = func(e *journal.Entry, _ *loop.State) {
		if e.Kind != loop.KindSettled {
			return
		}
		settled++
		switch settled {
		case max(1, sessions/10):
			early = inUse()
		case sessions:
			late = inUse()
		}
	}
	w := looptest.Work(sessions, rounds)
	w.Settings.Budget = 1_000_000
	s, err := r.Start(b.Context(), looptest.NewOpened(w, loop.Limits{Concurrency: 16, Tokens: 1_000_000 * sessions}), nil)
	if err != nil || s.Count(loop.Finished) != sessions {
		b.Fatalf("error %v, %d done", err, s.Count(loop.Finished))
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return early, late
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkThousandSessions reports the peak memory of the process, and the memory in use
// after a hundred sessions and at the end.
func BenchmarkThousandSessions(b *testing.B) {
	var early, late uint64
	before := cpuTime()
	for b.Loop() {
		early, late = runMany(b, 1000, 3)
	}
	b.ReportMetric(float64((cpuTime()-before).Milliseconds())/float64(b.N*1000), "cpu-ms/session")
	b.ReportMetric(float64(early)/(1<<20), "MiB-after-100")
	b.ReportMetric(float64(late)/(1<<20), "MiB-after-1000")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*1000), "ms/session")
	if most, known := peakMemory(); known {
		b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	}
}

// BenchmarkSession measures a session in a loop, with agents that take no time.
// BenchmarkOverhead measures the loop's own part of it.
func BenchmarkSession(b *testing.B) {
	for _, rounds := range []int{1, 3} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			before := cpuTime()
			runMany(b, b.N, rounds)
			b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N*1000), "cpu-ms/op")
		})
	}
}

// BenchmarkOverhead measures what the loop itself adds to a session: two journal entries and
// the state machine. The sessions fail immediately.
func BenchmarkOverhead(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), ".brenner"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := loopRunner(st, looptest.FastScript())
	r.Sessions = failingSession
	before := cpuTime()
	defer func() { b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N*1000), "cpu-ms/op") }()
	s, err := r.Start(b.Context(), looptest.NewOpened(looptest.Work(b.N, 1), loop.Limits{Concurrency: 16}), nil)
	if err != nil || s.Count(loop.Broken) != b.N {
		b.Fatalf("error %v, %d ran", err, s.Count(loop.Broken))
	}
}

// cpuTime returns the CPU time of the process, which varies less than wall time on a shared
// machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory returns the peak memory of the process; only known on Linux.
func peakMemory() (bytes int, known bool) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	kb := 0
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(rest, &kb)
		}
	}
	return kb << 10, true
}
