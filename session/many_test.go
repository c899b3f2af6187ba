package session_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"brenner/store/opentest"
	"brenner/store/postgres"
	"brenner/store/postgres/postgrestest"
	"brenner/store/sqlite"
)

// runMany runs sessions in one process, sixteen at a time, on one real store.
func runMany(tb testing.TB, dir string, sessions int) {
	tb.Helper()
	st, err := opentest.Open(tb.Context(), filepath.Join(dir, ".brenner"))
	if err != nil {
		tb.Fatal(err)
	}
	runManyOn(tb, st, sessions)
}

func runManyOn(tb testing.TB, st opentest.Store, sessions int) {
	tb.Helper()
	script := builtInScript()
	var g errgroup.Group
	g.SetLimit(16)
	for n := range sessions {
		g.Go(func() error {
			b := brief(3)
			b.Thread = fmt.Sprintf("RS-20261115-many-%04d", n)
			_, err := runner(st, &actors{script: script}).Start(tb.Context(), b)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		tb.Fatal(err)
	}
	if err := st.Close(); err != nil {
		tb.Fatal(err)
	}
}

func TestManySessionsLeakNoGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	runMany(t, t.TempDir(), 32)
}

// BenchmarkStart runs a session of three rounds with agents that answer immediately. It measures
// the program itself, including the disk.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		runMany(b, b.TempDir(), 1)
	}
}

// BenchmarkHundredSessions runs a hundred rehearsals, sixteen at a time, in each kind of store by turns.
func BenchmarkHundredSessions(b *testing.B) {
	server := postgrestest.Start(b)
	b.Setenv("PGPASSWORD", server.Password)
	database := func(b *testing.B) (opentest.Store, error) {
		b.Helper()
		at, err := postgres.ParseAddress(server.Address("postgres") + "&project=b" + strings.ToLower(rand.Text()))
		if err != nil {
			return nil, err
		}
		return postgres.Open(b.Context(), at, postgres.Options{})
	}
	file := func(b *testing.B) (opentest.Store, error) {
		b.Helper()
		return sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	}
	for range 3 {
		for name, open := range map[string]func(*testing.B) (opentest.Store, error){"postgres": database, "sqlite": file} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					st, err := open(b)
					if err != nil {
						b.Fatal(err)
					}
					runManyOn(b, st, 100)
				}
			})
		}
	}
}

// BenchmarkThousandSessions reports the peak memory of the process.
func BenchmarkThousandSessions(b *testing.B) {
	for b.Loop() {
		runMany(b, b.TempDir(), 1000)
	}
	if most, known := peak(); known {
		b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	}
}

// peak returns the peak memory of the process, which is known only on Linux.
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
