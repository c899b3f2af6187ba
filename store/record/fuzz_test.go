package record_test

import (
	"testing"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/store/record"
)

// A valid address round-trips.
func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"note-1", "note-1@v3", "note-1@3", "note-1@canonical", "note-1@latest", "@v1", "a@v0", "a@v01", "a@b@c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := record.ParseAddress(text)
		if err != nil {
			if fault.CodeOf(err) != record.BadRef || fault.HintOf(err) == "" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		again, err := record.ParseAddress(a.String())
		if err != nil || again != a || a.ID == "" {
			t.Errorf("%q: %+v, then %+v, %v", text, a, again, err)
		}
	})
}

// Extract returns a valid summary, or "", for any content.
func FuzzExtract(f *testing.F) {
	for _, text := range []string{"", "# Title\n\nA sentence. Another one.", "```\ncode\n```\n", "- a\n- b\n", "\x00\xff\u2028", "---\n***\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got := record.Extract(content)
		if !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
		if got != "" && record.CheckSummary(got) != nil {
			t.Errorf("%q: %v", got, record.CheckSummary(got))
		}
	})
}
