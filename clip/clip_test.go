package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"brenner/clip"
)

func TestText(t *testing.T) {
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
		if got := clip.Text(c.text, c.most); got != c.want {
			t.Errorf("%q in %d: %q, not %q", c.text, c.most, got, c.want)
		}
	}
}

func TestTextIsShortAndABeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "most")
		got := clip.Text(text, most)
		kept, clipped := strings.CutSuffix(got, "…")
		switch {
		case utf8.RuneCountInString(text) <= most && got != text:
			t.Fatalf("%q needs no clipping, and is %q", text, got)
		case utf8.RuneCountInString(text) > most && (!clipped || utf8.RuneCountInString(got) > most || !strings.HasPrefix(text, kept)):
			t.Fatalf("%q in %d is %q", text, most, got)
		}
	})
}
