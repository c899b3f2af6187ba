// Package baseurl checks the URLs of endpoints. It makes no lookups and no requests.
package baseurl

import (
	"net"
	"net/url"
	"strings"
)

// The forms of URLs, for messages.
const (
	Hint    = "write it like http://localhost:11434/v1, without a user, a query or a fragment"
	WebHint = "write it like http://localhost:8080/path, without a user or a password"
)

// Parse reads the base URL of an endpoint, without query and fragment, as paths are appended.
func Parse(s string) (*url.URL, bool) {
	u, ok := web(s)
	return u, ok && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// Valid reports whether s is the base URL of an endpoint.
func Valid(s string) bool {
	_, ok := Parse(s)
	return ok
}

// IsWeb reports whether a request can be sent to the URL unchanged.
func IsWeb(s string) bool {
	_, ok := web(s)
	return ok
}

// web rejects a URL with a password: URLs are shown, and project files are shared.
func web(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	return u, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// Loopback reports whether host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
