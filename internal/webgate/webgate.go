// Package webgate checks requests to servers that run beside a browser on the user's machine. Pages
// of other sites must not reach them, neither through a host name that they control nor through the
// browser's cookies.
package webgate

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"brenner/internal/baseurl"
)

// KnownHost reports whether a Host header names a loopback address or one of the names. In a DNS
// rebinding attack it names the attacker's host.
func KnownHost(host string, names []string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	return baseurl.Loopback(name) || slices.ContainsFunc(names, func(o string) bool { return strings.EqualFold(o, name) })
}

// SameOrigin reports whether a request has no Origin, or one of this very host and port. Other pages
// served from this machine do not count. A form on a page that sends no referrer has the origin null;
// then the browser says itself where the request comes from, in a header that no page can set.
func SameOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if origin == "null" && r.Header.Get("Sec-Fetch-Site") == "same-origin" {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// Refuse answers in plain text, which no client can mistake for a document of a protocol.
func Refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the client may be gone
}
