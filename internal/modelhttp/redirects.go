// Package modelhttp is what all clients of an endpoint with models have in common:
// where a request may be sent on to, what a refusal says, and what may be shown of it.
//
// It promises: the key goes to the host that it was meant for, and stands in nothing
// that is shown. It must not know what is asked, or where keys come from.
package modelhttp

import (
	"net/http"
	"strings"
)

// mostRedirects is how often a request is sent on.
const mostRedirects = 5

// SameHost is a client's CheckRedirect. It lets a request be sent on only as it is, and
// to the host that it was meant for: it carries the key.
func SameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	home := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && req.Method == first.Method
	if home && len(via) < mostRedirects {
		return nil
	}
	return &Redirected{To: req.URL.Scheme + "://" + req.URL.Host + req.URL.Path, Loop: home}
}

// Redirected is a request that was to be sent on, and was not.
type Redirected struct {
	To   string // without query and fragment: they are whatever the other side made them
	Loop bool   // it was sent on to the same host again and again
}

func (r *Redirected) Error() string { return "it was to be sent on to " + r.To }

// Base gives the address as a base_url, which has no last part of the path.
func (r *Redirected) Base() string {
	base := strings.TrimRight(r.To, "/")
	for _, last := range []string{"/chat/completions", "/responses", "/embeddings"} {
		base = strings.TrimSuffix(base, last)
	}
	return base
}
