// Package baseurl checks the URLs of endpoints. It makes no lookups and no requests.
package baseurl

import (
	"cmp"
	"net"
	"net/url"
	"strings"

	"brenner/internal/secret"
)

// The forms of URLs, for messages.
const (
	Hint    = "write it like http://localhost:11434/v1, without a user, a query or a fragment"
	WebHint = "write it like http://localhost:8080/path, without a user or a password"
)

// Parse reads the base URL of an endpoint, without query and fragment, as paths are appended. One with
// another URL in it is a list of them.
func Parse(s string) (*url.URL, bool) {
	u, ok := web(s)
	return u, ok && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && !strings.Contains(u.Path, "://")
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

// Normal returns an address as it is stored and compared: in lower case, without the default port and
// the last slash. Invalid addresses are returned unchanged.
func Normal(address string) string {
	u, ok := Parse(address)
	if !ok {
		return address
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return strings.TrimRight(u.String(), "/")
}

// Shown returns an address, even an invalid one, as it may be shown: without user and password, and
// without its fragment and the values of its query that look secret. Anything else is returned unchanged.
func Shown(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || strings.ContainsAny(address, " \t\r\n") {
		return address
	}
	end := strings.IndexAny(rest, "?#")
	if end < 0 {
		end = len(rest)
	}
	place := rest[:end]
	query, fragment, _ := strings.Cut(rest[end:], "#")
	if fragment != "" { // never sent, so it can only be a mistake
		fragment = "#" + hidden
	}
	if at := strings.LastIndexByte(place, '@'); at >= 0 { // an invalid password may contain a slash
		place = hidden + place[at:]
	}
	return scheme + "://" + place + shownQuery(query) + fragment
}

const hidden = "[secret]"

// shownQuery hides the secret values of a query.
func shownQuery(query string) string {
	const longest = 16 // longer values are hidden, whatever their name
	parts := strings.FieldsFunc(query, separates)
	for _, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if value == "" {
			name, value = "", part
		}
		if value != "" && (name != "" && secret.Header(name) || strings.Contains(strings.ToLower(name), "sig") || len(value) > longest) {
			query = strings.Replace(query, part, strings.TrimSuffix(part, value)+hidden, 1)
		}
	}
	return query
}

func separates(r rune) bool { return r == '?' || r == '&' || r == ';' }

// Loopback reports whether host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// IsLocal reports whether an address is on this machine.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && Loopback(u.Hostname())
}

// SameServer reports whether two addresses name the same scheme, host and port. The names of this machine are one host.
func SameServer(one, two string) bool {
	a, okA := Parse(one)
	b, okB := Parse(two)
	if !okA || !okB || a.Scheme != b.Scheme || port(a) != port(b) {
		return false
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) || Loopback(a.Hostname()) && Loopback(b.Hostname())
}

func port(u *url.URL) string {
	if u.Port() == "" && u.Scheme == "https" {
		return "443"
	}
	return cmp.Or(u.Port(), "80")
}
