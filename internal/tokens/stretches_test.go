package tokens

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The tokenizer gets only short runs, whose memory is bounded.
func TestStretchesAreShort(t *testing.T) {
	for _, piece := range []string{"a", "é", "漢", "-", "7", " ", "\u0301", "\u2028"} {
		text, longest := strings.Repeat(piece, 1<<20/len(piece)), 0
		var b strings.Builder
		for stretch := range stretches(text) {
			longest = max(longest, utf8.RuneCountInString(stretch))
			b.WriteString(stretch)
		}
		if b.String() != text || longest > longestText {
			t.Errorf("%q: got %d characters", piece, longest)
		}
	}
	c := New()
	if got, want := c.Count(strings.Repeat("a", 1<<20)), 1<<20/8; got < want || got > want+want/100 {
		t.Errorf("got %d tokens, want about %d", got, want)
	}
}

// Splitting between lines does not change the count.
func TestSplittingLinesIsExact(t *testing.T) {
	c := New()
	e := c.load()
	same := func(t *testing.T, text string) {
		t.Helper()
		if got, want := c.Count(text), count(e, text); got != want {
			t.Errorf("got %d tokens, want %d", got, want)
		}
	}
	for _, file := range []string{"../../docs/commands.md", "../../docs/codes.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, strings.Repeat(string(data), 3*longestText/len(data)))
	}
	pieces := []string{"\n", "\n\n", "\r\n", " ", "\t", "/", "//x", "...", "word", " it's", "12345", "漢字", "- ", "```"}
	parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30)
	for seed := range 12 { // long texts take long to count
		part := strings.Join(parts.Example(seed), "") + "x"
		if strings.Count(part, "\n") <= longestBlank/2 {
			same(t, strings.Repeat("line of text\n", longestText/13)+strings.Repeat(part, 20))
		}
	}
}
