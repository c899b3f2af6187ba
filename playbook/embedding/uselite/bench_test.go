package uselite

import (
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSentence(b *testing.B) {
	e, err := load()
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"short":    "Use careful prompt engineering",
		"sentence": "Name the observation that would refute the claim before the test.",
		"lesson":   "When two hypotheses predict the same outcome, design a test that separates them before adding a third.",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.encode(text)
			}
			b.ReportMetric(float64(len(e.pieces.split(text))), "tokens")
		})
	}
}
