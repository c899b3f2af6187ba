package text_test

import (
	"strings"
	"testing"

	"brenner/internal/text"
)

func TestNearest(t *testing.T) {
	words := []string{"priority", "base", "deltas", "adversarial_critic", "hypothesis_generator", "test_designer", "to"}
	for word, want := range map[string]string{
		"prioritty":           "priority",
		"piroirty":            "priority",
		"Priority":            "priority",
		"bsae":                "base",
		"HypothesisGenerator": "hypothesis_generator",
		"critic":              "adversarial_critic",
		"designer":            "test_designer",
		"ot":                  "to",
		"researcher":          "",
		"":                    "",
		"  ":                  "",
	} {
		got, ok := text.Nearest(word, words)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got, ok := text.Nearest("same", []string{"same"}); ok {
		t.Errorf("the word itself: got %q", got)
	}
	if _, ok := text.Nearest(strings.Repeat("x", 1<<20), []string{strings.Repeat("x", 1<<20) + "y"}); ok {
		t.Error("compared a word of a million letters")
	}
}
