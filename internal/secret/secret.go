// Package secret keeps keys out of what comes back from those who were given them:
// some repeat the key that they refuse, and in any spelling.
//
// The package is pure. It must not know where keys come from, or what is done with
// a text.
package secret

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Finder finds secrets in all the ways in which they may be written. A list of
// spellings would not do: whoever answers may escape any letter of a key, and leave
// the others. It is written by hand because a regular expression takes seconds for a
// long answer. The zero value finds nothing.
type Finder []string

// New takes the secrets that are long enough to be some, the longest first,
// so that no part of one is left over when a shorter one was found in it.
func New(given []string, shortest int) Finder {
	all := slices.DeleteFunc(slices.Clone(given), func(s string) bool { return s == "" || len(s) < shortest })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

// In tells whether a text holds one.
func (s Finder) In(text string) bool {
	for i := range len(text) {
		if s.at(text, i) > 0 {
			return true
		}
	}
	return false
}

// Replace gives a text with something else for secrets; it is told how many bytes
// they had.
func (s Finder) Replace(text string, by func(n int) string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if end := s.at(text, i); end > 0 {
			b.WriteString(text[done:i] + by(end-i))
			i, done = end-1, end
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// at gives the end of a secret that begins here; -1 where none does.
func (s Finder) at(text string, i int) int {
	first := text[i]
	for _, secret := range s {
		switch {
		case first == '\\' && i > 0 && text[i-1] == '\\': // then it would have begun there
			continue
		case first != secret[0] && first != '\\' && first != '%' && first != '&' && first != '+':
			continue
		}
		if left, ok := cut(text[i:], secret); ok {
			return len(text) - len(left)
		}
	}
	return -1
}

// cut takes a secret off the beginning of a text.
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

// cutLetter takes off one letter, which may be plain, or escaped as in JSON, in an
// address or on a page, and more than once.
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

// cutUnits takes off "\u0073", or two of them where a letter has two.
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

// cutPercent takes off "%73", or "%2573" where it was escaped twice.
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

// cutEntity takes off "&#115;", "&#x73;" or "&amp;".
func cutEntity(text string, r rune) (string, bool) {
	const longest = 16
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 || html.UnescapeString(text[:end+1]) != string(r) {
		return "", false
	}
	return text[end+1:], true
}

// MostPerLetter is how many bytes a letter has in the longest of the usual
// spellings, with room for one that was escaped twice.
const MostPerLetter = 12

// Header tells whether the value of a header should be known to nobody.
func Header(name string) bool {
	name = strings.ToLower(name)
	if name == "idempotency-key" {
		return false
	}
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "password"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
