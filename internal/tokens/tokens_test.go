package tokens

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCount(t *testing.T) {
	c := New()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello world", 2},
		{"Cells read a gradient.", 5},
		{"\ufffd", 1},
		{"\xff", 1},
		{"a\xff\xfeb", 3}, // one run of bad bytes is one replacement character
		{"<|endoftext|>", 7},
		{"<|endofprompt|>", 7},
		{strings.Repeat("a", 800), 100},
	} {
		if got := c.Count(tt.text); got != tt.want {
			t.Errorf("%.40q: got %d tokens, want %d", tt.text, got, tt.want)
		}
	}
}

func TestZeroCounterWorks(t *testing.T) {
	var c Counter
	if got := c.Count("hello world"); got != 2 {
		t.Errorf("got %d tokens", got)
	}
}

// broken is a tokenizer that fails.
type broken struct{}

func (broken) Count(string) (int, error) { return 0, errors.New("no") }

func TestFailureCountsBytes(t *testing.T) {
	failing, missing := New(), New()
	failing.once.Do(func() { failing.encoder = broken{} })
	missing.once.Do(func() {})
	for _, c := range []*Counter{failing, missing} {
		if got := c.Count("naïve\xff"); got != len("naïve\ufffd") {
			t.Errorf("got %d tokens", got)
		}
	}
}

func TestCountConcurrently(t *testing.T) {
	c := New()
	c.Warm()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := c.Count("hello world"); got != 2 {
				t.Errorf("got %d tokens", got)
			}
		})
	}
	c.Warm()
	all.Wait()
}

// TestStretches checks that no text is lost, and that no stretch has a long run of white
// space.
func TestStretches(t *testing.T) {
	for _, text := range []string{
		"", "a", "a b\nc", strings.Repeat(" \n", 200), strings.Repeat(" ", longestBlank),
		strings.Repeat(" ", longestBlank+1) + "x", "x" + strings.Repeat("\u3000\n", 1000) + "y" + strings.Repeat("\t", 600),
	} {
		var joined strings.Builder
		for s := range stretches(text) {
			joined.WriteString(s)
			run := 0
			for _, r := range s {
				if run++; !strings.ContainsRune(" \n\t\u3000", r) {
					run = 0
				}
				if run > longestBlank {
					t.Fatalf("%.20q: run too long", text)
				}
			}
		}
		if joined.String() != text {
			t.Errorf("%.20q: text lost", text)
		}
	}
	n := 0
	for range stretches(strings.Repeat("two words, ", 1000)) {
		n++
	}
	if n != 1 {
		t.Errorf("ordinary text split into %d", n)
	}
}

// hostile returns pieces that tokenizers have had trouble with.
func hostile() []string {
	return []string{
		"a", "A", " ", "\n", " \n", "\r\n", "\t\n", "\u00a0\n", "=", "'s", "中", "\u0301", "\ufffd", "🙂", "\x00", "\xff", "\xed\xa0\x80",
		"ʰA", "1", "a\n ", "\u2028 ", "<|endoftext|>", "/\n", "\u200d", "\x7f",
	}
}

// No character is skipped: text made of it would cost nothing.
func TestEveryCharacterCounts(t *testing.T) {
	c := New()
	for _, text := range []string{"\x7f", "\x7f\x7f", "a\x7fb"} {
		if n, least := c.Count(text), strings.Count(text, "\x7f"); n < least || n > len(text) {
			t.Errorf("got %d tokens for %q", n, text)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r += 1 + r/512 {
		if utf8.ValidRune(r) && c.Count(string(r)) == 0 {
			t.Errorf("got no token for %q", r)
		}
	}
}

func TestLaws(t *testing.T) {
	c := New()
	piece := rapid.OneOf(rapid.SampledFrom(hostile()), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "pieces"), ""), rapid.IntRange(1, 300).Draw(t, "times"))
		text = text[:min(len(text), 4000)]
		n := c.Count(text)
		if valid := strings.ToValidUTF8(text, "\ufffd"); n > len(valid) || (n == 0) != (text == "") {
			t.Fatalf("got %d tokens for %d bytes: %q", n, len(valid), text)
		}
	})
}

func FuzzCount(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text, 300)
	}
	c := New()
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, min(max(times, 1), 1000))
		if n := c.Count(text); n > len(text) && utf8.ValidString(text) {
			t.Fatalf("got %d tokens for %d bytes", n, len(text))
		}
	})
}
