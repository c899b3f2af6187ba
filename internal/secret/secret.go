// Package secret finds keys in responses: some servers repeat the key that they refuse, in any
// escaping. The package is pure. It must not know where keys come from, or how the text is used.
package secret

import (
	"cmp"
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Finder finds secrets in every escaped form, and in Base64 and hexadecimal. A list of escaped
// forms is not enough, because a server may escape any subset of a key's letters. It is
// hand-written because a regular expression takes seconds on a long response. The zero value
// finds nothing.
type Finder struct {
	secrets []string
	encoded []string  // in Base64 and hexadecimal
	begins  [256]bool // bytes with which one of them can begin
}

// shortestEncoded is the length of the shortest secret that is also searched in encoded form. The
// encoded form of a shorter one may be part of an ordinary word or number.
const shortestEncoded = 8

// New returns a Finder for the secrets of at least shortest bytes. They are sorted by descending
// length, so that finding a short one leaves no part of a longer one.
func New(given []string, shortest int) Finder {
	var f Finder
	for _, s := range given {
		if s == "" || len(s) < shortest {
			continue
		}
		f.secrets = append(f.secrets, s)
		if len(s) >= shortestEncoded {
			f.encoded = append(f.encoded, encodings(s)...)
		}
	}
	for _, list := range []*[]string{&f.secrets, &f.encoded} {
		slices.SortFunc(*list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
		*list = slices.Compact(*list)
		for _, s := range *list {
			f.begins[s[0]] = true
		}
	}
	if !f.Empty() {
		for _, c := range []byte(`\%&+`) {
			f.begins[c] = true
		}
	}
	return f
}

// Empty reports whether there is nothing to find.
func (s *Finder) Empty() bool { return len(s.secrets) == 0 }

// In reports whether text contains a secret.
func (s *Finder) In(text string) bool {
	for i := range len(text) {
		if s.begins[text[i]] && s.at(text, i) > 0 {
			return true
		}
	}
	return false
}

// Replace replaces secrets in text. by gets the number of their bytes.
func (s *Finder) Replace(text string, by func(n int) string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if !s.begins[text[i]] {
			continue
		}
		if end := s.at(text, i); end > 0 {
			b.WriteString(text[done:i])
			b.WriteString(by(end - i))
			i, done = end-1, end
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// at returns the end of a secret that begins at i, or -1.
func (s *Finder) at(text string, i int) int {
	first := text[i]
	if first == '\\' && i > 0 && text[i-1] == '\\' { // then it would begin at the first backslash
		return -1
	}
	escape := first == '\\' || first == '%' || first == '&' || first == '+'
	for _, secret := range s.secrets {
		if first != secret[0] && !escape {
			continue
		}
		if left, ok := cut(text[i:], secret); ok {
			return len(text) - len(left)
		}
	}
	for _, code := range s.encoded {
		if first != code[0] && !escape {
			continue
		}
		if left, ok := cutEncoded(text[i:], code); ok {
			return len(text) - len(left)
		}
	}
	return -1
}

func cut(text, secret string) (string, bool) {
	if left, ok := strings.CutPrefix(text, secret); ok {
		return left, true
	}
	for _, r := range secret {
		var ok bool
		if text, ok = cutLetter(text, r); !ok {
			return "", false
		}
	}
	return text, true
}

// cutLetter removes one letter, which may be escaped as in JSON, URLs or HTML, even repeatedly.
func cutLetter(text string, r rune) (string, bool) {
	if text == "" {
		return "", false
	}
	switch text[0] {
	case '\\':
		bare := strings.TrimLeft(text, `\`)
		if left, ok := cutUnits(text, r); ok || r == '\\' {
			if !ok {
				left = bare
			}
			return left, true
		}
		return strings.CutPrefix(bare, string(r))
	case '%':
		if left, ok := cutPercent(text, r); ok {
			return left, true
		}
	case '&':
		if left, ok := cutEntity(text, r); ok {
			return left, true
		}
	case '+':
		if r == ' ' {
			return text[1:], true
		}
	}
	return strings.CutPrefix(text, string(r))
}

// cutUnits removes "\u0073", or a surrogate pair.
func cutUnits(text string, r rune) (string, bool) {
	for _, unit := range utf16.Encode([]rune{r}) {
		bare := strings.TrimLeft(text, `\`)
		if len(bare) == len(text) || len(bare) < 5 || bare[0] != 'u' {
			return "", false
		}
		if n, err := strconv.ParseUint(bare[1:5], 16, 16); err != nil || n != uint64(unit) {
			return "", false
		}
		text = bare[5:]
	}
	return text, true
}

// cutPercent removes "%73", or "%2573" if escaped twice.
func cutPercent(text string, r rune) (string, bool) {
	for _, c := range []byte(string(r)) {
		rest, ok := strings.CutPrefix(text, "%")
		for ok {
			if len(rest) < 2 {
				return "", false
			}
			if n, err := strconv.ParseUint(rest[:2], 16, 8); err == nil && byte(n) == c {
				break
			}
			rest, ok = strings.CutPrefix(rest, "25")
		}
		if !ok {
			return "", false
		}
		text = rest[2:]
	}
	return text, true
}

// cutEntity removes "&#115;", "&#x73;" or "&amp;".
func cutEntity(text string, r rune) (string, bool) {
	const longest = 16
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 || html.UnescapeString(text[:end+1]) != string(r) {
		return "", false
	}
	return text[end+1:], true
}

// MostPerLetter is the length in bytes of a letter's longest usual escape, even escaped twice.
const MostPerLetter = 12

// InHeader returns the secrets in the value of a header: none, unless its name suggests it.
func InHeader(name, value string) []string {
	if !Header(name) {
		return nil // its value may be an ordinary word
	}
	all := []string{value}
	scheme, token, ok := strings.Cut(value, " ") // "Bearer …"
	if !ok {
		return all
	}
	all = append(all, token)
	if user, err := base64.StdEncoding.DecodeString(token); err == nil && strings.EqualFold(scheme, "basic") {
		_, password, _ := strings.Cut(string(user), ":")
		all = append(all, password)
	}
	return all
}

// Header reports whether the value of a header is secret.
func Header(name string) bool {
	name = strings.ToLower(name)
	if name == "idempotency-key" {
		return false
	}
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "password"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
