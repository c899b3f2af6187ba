package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
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

// A key is found in Base64 and hexadecimal, whatever stands beside it.
func TestReplaceEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ -~]{8,80}`).Draw(t, "key")
		f := secret.New([]string{key}, 4)
		before, after := rapid.StringN(0, 9, -1).Draw(t, "before"), rapid.StringN(0, 9, -1).Draw(t, "after")
		all := []byte(before + key + after)
		encodings := map[string]func([]byte) string{
			"standard": base64.StdEncoding.EncodeToString, "URL": base64.URLEncoding.EncodeToString,
			"raw": base64.RawStdEncoding.EncodeToString, "hexadecimal": hex.EncodeToString,
			"HEXADECIMAL": func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) },
			"wrapped":     func(b []byte) string { return wrap(base64.StdEncoding.EncodeToString(b), "\n") },
			"in JSON":     func(b []byte) string { return wrap(base64.StdEncoding.EncodeToString(b), `\n`) },
			"in a query":  func(b []byte) string { return url.QueryEscape(base64.StdEncoding.EncodeToString(b)) },
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(encodings))).Draw(t, "encoding")
		text := encodings[name](all)
		got := f.Replace(text, func(int) string { return "!" })
		if !f.In(text) || !strings.Contains(got, "!") || len(got) > 2*(len(before)+len(after))+20 {
			t.Errorf("%s: %s: got %s", name, text, got)
		}
	})
}

// wrap inserts a line break after every 20 letters.
func wrap(text, end string) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(text), 20) {
		b.WriteString(string(line) + end)
	}
	return b.String()
}

// The encoded form of a short key, or of a part of a key, is an ordinary word.
func TestReplaceKeepsOtherEncodings(t *testing.T) {
	short := "ollama"
	f := secret.New([]string{short, "sk-0123456789abcdef"}, 4)
	for _, text := range []string{
		base64.StdEncoding.EncodeToString([]byte(short)), hex.EncodeToString([]byte(short)),
		base64.StdEncoding.EncodeToString([]byte("sk-0123456789")), hex.EncodeToString([]byte("k-0123456789abcdef")),
	} {
		if f.In(text) {
			t.Errorf("found in %s", text)
		}
	}
}

func TestInHeader(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("me:pass:word"))
	for _, tt := range []struct{ name, value, want string }{
		{"X-Team", "Bearer one", ""},
		{"X-Api-Key", "one", "one"},
		{"Authorization", "Bearer one", "Bearer one|one"},
		{"Authorization", "Basic " + basic, "Basic " + basic + "|" + basic + "|pass:word"},
	} {
		if got := strings.Join(secret.InHeader(tt.name, tt.value), "|"); got != tt.want {
			t.Errorf("%s: got %s", tt.value, got)
		}
	}
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
	f.Add("sk-0123456789", "c2stMDEyMzQ1Njc4OQ==")
	f.Fuzz(func(t *testing.T, key, text string) {
		all := secret.New([]string{key}, 1)
		if code := hex.EncodeToString([]byte(key)); len(key) >= 8 && !all.In(text+code) {
			t.Errorf("%q is not found in hexadecimal after %q", key, text)
		}
		got := all.Replace(text, func(int) string { return "" })
		if len(got) > len(text) || key != "" && !strings.ContainsAny(key, "\\%&+") && strings.Contains(text, key) && !all.In(text) {
			t.Errorf("%q in %q: got %q", key, text, got)
		}
	})
}
