package tape

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A shorter value is a word that local servers want as a key. To hide it would
// hide words in questions, and make one recording two.
const (
	shortestSent  = 16
	shortestGiven = 8
)

// mask hides secrets, in all the ways in which they may be written.
type mask [][]byte

func maskFor(r *http.Request, given []string) mask {
	var m mask
	for _, s := range given {
		m = m.with(s, shortestGiven)
	}
	for name, values := range r.Header {
		if !isSecret(name) {
			continue
		}
		for _, v := range values {
			m = m.with(v, shortestSent)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer …"
				m = m.with(token, shortestSent)
			}
		}
	}
	slices.SortFunc(m, func(a, b []byte) int { return len(b) - len(a) })
	return m
}

func (m mask) with(secret string, shortest int) mask {
	if len(secret) < shortest {
		return m
	}
	m = append(m, []byte(secret), []byte(url.QueryEscape(secret)), []byte(url.PathEscape(secret)))
	if quoted, err := json.Marshal(secret); err == nil {
		m = append(m, quoted[1:len(quoted)-1])
	}
	return m
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
	out := text
	for _, secret := range m {
		for from := 0; ; {
			at := bytes.Index(out[from:], secret)
			if at < 0 {
				break
			}
			if from == 0 && &out[0] == &text[0] {
				out = bytes.Clone(text)
			}
			from += at
			copy(out[from:], bytes.Repeat([]byte("*"), len(secret)))
			from += len(secret)
		}
	}
	return out
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
