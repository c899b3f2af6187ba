package tape

import (
	"bytes"
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// A shorter value is a word that local servers want as a key. To hide it would
// hide words in questions, and make one recording two.
const (
	shortestSent  = 16
	shortestGiven = 8
)

// mask hides secrets, in all the ways in which they may be written; nil hides
// nothing.
type mask struct{ secrets *regexp.Regexp }

func maskFor(r *http.Request, given []string) mask {
	var all []string
	take := func(secret string, shortest int) {
		if len(secret) >= shortest {
			all = append(all, secret)
		}
	}
	for _, s := range given {
		take(s, shortestGiven)
	}
	for name, values := range r.Header {
		if !isSecret(name) {
			continue
		}
		for _, v := range values {
			take(v, shortestSent)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer …"
				take(token, shortestSent)
			}
		}
	}
	if len(all) == 0 {
		return mask{}
	}
	// The longest first, so that no part of one is left over when a shorter one was
	// found in it.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	all = slices.Compact(all)
	for i, s := range all {
		all[i] = spelled(s)
	}
	return mask{regexp.MustCompile(strings.Join(all, "|"))}
}

// isSecret tells whether the value of a header should be known to nobody.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	if name == "idempotency-key" {
		return false
	}
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// over gives a text with stars for secrets, as many as there were bytes, so that a
// text that comes in pieces has them where it had them.
func (m mask) over(text []byte) []byte {
	if m.secrets == nil {
		return text
	}
	return m.secrets.ReplaceAllFunc(text, func(secret []byte) []byte { return bytes.Repeat([]byte("*"), len(secret)) })
}

func (m mask) text(s string) string { return string(m.over([]byte(s))) }

// harmless gives the headers of a response that say something about its body, or
// about when to come back.
func harmless(h http.Header, m mask) map[string]string {
	kept := map[string]string{}
	for name := range h {
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, "x-ratelimit-"), lower == "content-type", lower == "date", lower == "location",
			lower == "retry-after", lower == "retry-after-ms", lower == "x-request-id":
			kept[name] = m.text(h.Get(name))
		}
	}
	return kept
}
