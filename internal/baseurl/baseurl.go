// Package baseurl says what is the address of an endpoint, and what is not.
//
// It looks nothing up and asks nobody.
package baseurl

import (
	"net"
	"net/url"
	"strings"
)

// How addresses are written.
const (
	Hint    = "write it like http://localhost:11434/v1, without a user, a query or a fragment"
	WebHint = "write it like http://localhost:8080/path, without a user or a password"
)

// Parse reads the address of an endpoint. Paths are put behind it, so that one with a
// query or a fragment is none.
func Parse(s string) (*url.URL, bool) {
	u, ok := web(s)
	return u, ok && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// Valid tells whether an address is that of an endpoint.
func Valid(s string) bool {
	_, ok := Parse(s)
	return ok
}

// IsWeb tells whether something can be sent to an address just as it is written.
func IsWeb(s string) bool {
	_, ok := web(s)
	return ok
}

// web refuses an address with a password in it: addresses are shown, and files of
// projects are shared.
func web(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	return u, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// Loopback tells whether a host is this machine, seen from itself.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
