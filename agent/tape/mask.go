package tape

import (
	"net/http"
	"strings"

	"brenner/internal/secret"
)

// A shorter value is a word that local servers want as a key. To hide it would
// hide words in questions, and make one recording two.
const (
	shortestSent  = 16
	shortestGiven = 8
)

// mask hides secrets, in all the ways in which they may be written.
type mask struct{ secrets secret.Finder }

func maskFor(r *http.Request, given []string) mask {
	var all []string
	take := func(one string, shortest int) {
		if len(one) >= shortest {
			all = append(all, one)
		}
	}
	for _, s := range given {
		take(s, shortestGiven)
	}
	for name, values := range r.Header {
		if !secret.Header(name) {
			continue
		}
		for _, v := range values {
			take(v, shortestSent)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer …"
				take(token, shortestSent)
			}
		}
	}
	return mask{secret.New(all, 1)}
}

// over gives a text with stars for secrets, as many as there were bytes, so that a
// text that comes in pieces has them where it had them.
func (m mask) over(text []byte) []byte { return []byte(m.text(string(text))) }

func (m mask) text(s string) string {
	return m.secrets.Replace(s, func(n int) string { return strings.Repeat("*", n) })
}

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
