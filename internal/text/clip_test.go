package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"brenner/internal/text"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"ab cd", 4, "ab…"},
		{"abcd", 1, "…"},
		{"a\xffbcd", 3, "a\xff…"},
	} {
		if got := text.Clip(c.text, c.most); got != c.want {
			t.Errorf("Clip(%q, %d): got %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestClipKeepsPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "most")
		got := text.Clip(s, most)
		kept, clipped := strings.CutSuffix(got, "…")
		switch {
		case utf8.RuneCountInString(s) <= most && got != s:
			t.Fatalf("%q fits, got %q", s, got)
		case utf8.RuneCountInString(s) > most && (!clipped || utf8.RuneCountInString(got) > most || !strings.HasPrefix(s, kept)):
			t.Fatalf("Clip(%q, %d): got %q", s, most, got)
		}
	})
}
