package delta

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ordinaryReplies returns texts of about a megabyte as models write them. Each but the last has a delta.
func ordinaryReplies() []struct{ name, text string } {
	const block = "```delta\n" + `{"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H2", "payload": {"claim": "Cells keep count"}, "rationale": "clearer"}` + "\n```\n\n"
	const prose = "The counter hypothesis still stands, because the second experiment did not separate the two.\n" +
		"What is missing is a test in which the inherited state is removed; see the discussion of H2 above.\n\n"
	const list = "- **H1**: the cells keep count of their divisions\n  - evidence: the clock runs on without the nucleus\n" +
		"  - against: `mitosis` stops it\n1. Remove the nucleus.\n2. Measure the delay (in minutes).\n\n"
	const table = "| H | claim | verdict |\n|---|---|---|\n| H1 | counter | stands |\n| H2 | clock | weakened by T3 |\n\n"
	const code = "```python\nfor cell in cells:\n    cell.divide()\n    print({\"count\": cell.count})\n```\n\n"
	fill := func(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }
	return []struct{ name, text string }{
		{"prose", fill(prose) + block},
		{"lists", fill(list) + block},
		{"tables", fill(table) + block},
		{"code", fill(code) + block},
		{"mixed", fill("## What follows\n\n" + prose + list + table + code + block)},
		{"reasoning", "<think>\n" + fill(prose+list) + "</think>\n\n" + block},
		{"no_delta", fill(prose + list)},
	}
}

func BenchmarkReadOrdinary(b *testing.B) {
	for _, o := range ordinaryReplies() {
		b.Run(o.name, func(b *testing.B) {
			text := []byte(o.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Read(text, Options{})
			}
		})
	}
}

// BenchmarkReadReplies reads whole replies of models, one after the other.
func BenchmarkReadReplies(b *testing.B) {
	files, err := filepath.Glob("testdata/models/*.md")
	if err != nil || len(files) == 0 {
		b.Fatalf("no replies: %v", err)
	}
	var replies [][]byte
	size := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		replies = append(replies, text)
		size += len(text)
	}
	for _, version := range []Reader{FirstReader, NewestReader} {
		b.Run(string(version), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, text := range replies {
					Read(text, Options{Reader: version, Author: "BlueLake"})
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(replies)), "µs/reply")
		})
	}
}
