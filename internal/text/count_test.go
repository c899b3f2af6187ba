package text_test

import (
	"testing"

	"brenner/internal/text"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", -1: "-1 files"} {
		if got := text.Count(n, "file"); got != want {
			t.Errorf("Count(%d): got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 replies", 1: "1 reply", 12: "12 replies"} {
		if got := text.Plural(n, "reply", "replies"); got != want {
			t.Errorf("Plural(%d): got %q, want %q", n, got, want)
		}
	}
}
