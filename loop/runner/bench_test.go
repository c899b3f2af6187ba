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

	"brenner/loop"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// playMany runs a loop of so many sessions, sixteen at a time, on a real store. It
// gives the memory that is in use after a tenth of them and at the end.
func playMany(b *testing.B, sessions, rounds int) (early, late uint64) {
	b.Helper()
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), ".brenner"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := loopRunner(st, swift())
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
	w := work(sessions, rounds)
	w.Settings.Budget = 1_000_000
	s, err := r.Start(b.Context(), opened(w, loop.Limits{Concurrency: 16, Tokens: 1_000_000 * sessions}), nil)
	if err != nil || s.Count(loop.Finished) != sessions {
		b.Fatalf("%v, %d are done", err, s.Count(loop.Finished))
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

// BenchmarkThousandSessions reports the most memory that the process ever had, and
// what was in use after a hundred sessions and at the end.
func BenchmarkThousandSessions(b *testing.B) {
	var early, late uint64
	before := processor()
	for b.Loop() {
		early, late = playMany(b, 1000, 3)
	}
	b.ReportMetric(float64((processor()-before).Milliseconds())/float64(b.N*1000), "cpu-ms/session")
	b.ReportMetric(float64(early)/(1<<20), "MiB-after-100")
	b.ReportMetric(float64(late)/(1<<20), "MiB-after-1000")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*1000), "ms/session")
	if most, known := peak(); known {
		b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	}
}

// BenchmarkSession is what a session costs in a loop, with agents that take no time;
// BenchmarkOverhead is the loop's own part of it.
func BenchmarkSession(b *testing.B) {
	for _, rounds := range []int{1, 3} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			before := processor()
			playMany(b, b.N, rounds)
			b.ReportMetric(float64((processor()-before).Microseconds())/float64(b.N*1000), "cpu-ms/op")
		})
	}
}

// BenchmarkOverhead is what the loop itself adds to a session: two entries in its
// journal, and the machine. The sessions cost nothing here: there are none.
func BenchmarkOverhead(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), ".brenner"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := loopRunner(st, swift())
	r.Sessions = nothing
	before := processor()
	defer func() { b.ReportMetric(float64((processor()-before).Microseconds())/float64(b.N*1000), "cpu-ms/op") }()
	s, err := r.Start(b.Context(), opened(work(b.N, 1), loop.Limits{Concurrency: 16}), nil)
	if err != nil || s.Count(loop.Broken) != b.N {
		b.Fatalf("%v, %d ran", err, s.Count(loop.Broken))
	}
}

// processor is the time that the process has had of the processors: on a machine
// that others use too, it says more than a clock does.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is only known on Linux.
func peak() (bytes int, known bool) {
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
