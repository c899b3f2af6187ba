package memo

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestJoinWhole(t *testing.T) {
	for want, in := range map[string][]string{
		"":                 nil,
		"One. Two. Three.": {"One.", "Two.", "Three."},
		"A first sentence. (and 2 other records)": {"A first sentence.", strings.Repeat("x", 30), strings.Repeat("y", 30)},
		"A first … (and 1 other record)":          {"A first sentence that is longer than all.", "Two."},
	} {
		most := 42
		if strings.Contains(want, "…") {
			most = 31
		}
		if got := joinWhole(in, most); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.StringN(1, 60, -1), 1, 20).Draw(t, "sentences")
		got := joinWhole(in, 100)
		if n := utf8.RuneCountInString(got); n > 100 {
			t.Fatalf("%d characters: %q", n, got)
		}
		if !strings.HasPrefix(got, string([]rune(in[0])[:min(59, utf8.RuneCountInString(in[0]))])) {
			t.Fatalf("%q does not begin with the first sentence", got)
		}
	})
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{"": ".", "One": "One.", "One. Two.": "One.", "Really? Yes. No.": "Really?", "At v1.2 it holds. More.": "At v1.2 it holds.", "(so)": "(so)"} {
		if got := firstSentence(asSentence(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
