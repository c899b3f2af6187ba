package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/secret"
)

// Every letter of a key may be escaped differently; the text around it is unchanged.
func TestReplaceAnyEscape(t *testing.T) {
	const key = "sk-key/0123+456 789é"
	f := secret.New([]string{key, "sk-key", ""}, 4)
	ways := []string{"%c", `\%c`, `\u%04x`, `\u%04X`, `\\u%04x`, "&#%d;", "&#x%x;"}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, r := range key {
			_, _ = fmt.Fprintf(&b, rapid.SampledFrom(ways).Draw(t, "way"), r)
		}
		text := `one "` + b.String() + `" two`
		got := f.Replace(text, func(n int) string {
			if n != b.Len() {
				t.Errorf("got %d bytes, want %d", n, b.Len())
			}
			return "[secret]"
		})
		if got != `one "[secret]" two` || !f.In(text) {
			t.Errorf("%s: got %s", text, got)
		}
	})
}

func TestReplaceKeepsOtherText(t *testing.T) {
	f := secret.New([]string{"abc", "0123456789abcdef"}, 4)
	for _, text := range []string{"", "abc", "0123456789abcde", "%30", `\u0030`, "&#48;", `\`, "%", "&"} {
		if got := f.Replace(text, func(int) string { return "!" }); got != text || f.In(text) {
			t.Errorf("%q: got %q", text, got)
		}
	}
	var none secret.Finder
	if none.In("anything") || none.Replace("x", nil) != "x" {
		t.Error("the zero value found something")
	}
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "X-Api-Key": true, "Cookie": true, "X-Team": false, "Idempotency-Key": false,
	} {
		if secret.Header(name) != want {
			t.Errorf("%s: got %v", name, !want)
		}
	}
}

// FuzzReplace checks that no text makes Replace fail or slow.
func FuzzReplace(f *testing.F) {
	f.Add("sk-0123", `a \u0073k-0123 b`)
	f.Add(`\\`, `\\\\\\\\`)
	f.Fuzz(func(t *testing.T, key, text string) {
		all := secret.New([]string{key}, 1)
		got := all.Replace(text, func(int) string { return "" })
		if len(got) > len(text) || key != "" && !strings.ContainsAny(key, "\\%&+") && strings.Contains(text, key) && !all.In(text) {
			t.Errorf("%q in %q: got %q", key, text, got)
		}
	})
}
