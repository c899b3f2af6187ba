package tokens

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Remembered counts are exact.
func TestRememberedCountsAreExact(t *testing.T) {
	c := New()
	same := func(t rapid.TB, text string) {
		t.Helper()
		for range 2 { // counted, then remembered
			if got, want := c.Count(text), c.countWhole(text); got != want {
				t.Fatalf("got %d tokens, want %d: %q", got, want, text)
			}
		}
	}
	for _, file := range []string{"../../README.md", "../../docs/codes.md", "../../agent/rehearsal/cell-fate.yaml", "tokens.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(data))
		same(t, "> "+strings.ReplaceAll(string(data), "\n", "\n> "))
	}
	pieces := []string{
		"\n", "\n", "\n\n", "\r\n", "\r", " ", "  ", "\t", "\u00a0", "\u2028", "\u0085", "/", "//", ".", "...", "\"},", "{", "word", "Word", " word", "it's", "'S", "12345", "é", "漢字",
		"\U0001F600", "\xff", "> ", "- ", "###", "|---|", "`", "<|endoftext|>", "\ufeff", "\u0301",
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), ""))
	})
	rapid.Check(t, func(t *rapid.T) { same(t, rapid.String().Draw(t, "text")) })
}

func TestMemoryIsBounded(t *testing.T) {
	r := New()
	for i := range 3 * mostLines {
		r.Count("line " + strings.Repeat("x", i%40) + "\n" + string(rune('a'+i%26)) + strings.Repeat("y", i/1000) + "\n")
		if len(r.lines) > mostLines {
			t.Fatalf("got %d lines", len(r.lines))
		}
	}
	r.Count(strings.Repeat("long ", longestLine))
	for line := range r.lines {
		if len(line) > longestLine {
			t.Errorf("got a line of %d bytes", len(line))
		}
	}
}

func BenchmarkRemembered(b *testing.B) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		b.Fatal(err)
	}
	r := New()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r.Count(string(data))
	}
}
