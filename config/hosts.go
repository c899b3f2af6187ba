package config

import (
	"net/netip"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/pattern"
)

// The keys that restrict the hosts of requests. Layers cannot widen each other's restrictions.
const (
	allowedHosts = "endpoints.allowed"
	localOnly    = "endpoints.local_only"
)

const hostHint = `write hosts, or hosts with a port, such as localhost or "models.example:8443"; not URLs, patterns or networks`

var hostPort = pattern.New(`^([\pL\pN._-]+|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?$`)

func isHost(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil || hostPort.MatchString(s)
}

// narrow makes the session's restrictions of hosts those of both files.
func (g layerStack) narrow(found *fault.Bounded) {
	if only, _ := g.project[localOnly].value.(bool); only {
		delete(g.session, localOnly)
	}
	outer, restricted := g.project[allowedHosts]
	inner, ok := g.session[allowedHosts]
	if !restricted || !ok {
		return
	}
	allowed, _ := outer.value.([]string)
	own, _ := inner.value.([]string)
	both := slices.Concat(within(own, allowed), within(allowed, own))
	slices.SortStableFunc(both, func(a, b string) int { return strings.Compare(plainHost(a), plainHost(b)) })
	both = slices.CompactFunc(both, func(a, b string) bool { return plainHost(a) == plainHost(b) })
	if len(both) == 0 {
		found.Add(InvalidValue, inner.origin.String(), "a session's file can only remove hosts; "+outer.origin.String()+" allows "+strings.Join(allowed, ", "),
			"%s: %s allows none of these hosts", allowedHosts, outer.origin)
	}
	origin := inner.origin
	if len(within(own, allowed)) < len(own) {
		origin = outer.origin
	}
	g.session[allowedHosts] = setting{both, origin}
}

// within returns those hosts that a list has, with the same port or without one.
func within(hosts, list []string) []string {
	return slices.DeleteFunc(slices.Clone(hosts), func(h string) bool {
		return !slices.ContainsFunc(list, func(l string) bool {
			l, h := plainHost(l), plainHost(h)
			return l == h || strings.HasPrefix(h, l+":")
		})
	})
}

// plainHost returns a host as it is compared: in lower case, with brackets around IPv6.
func plainHost(s string) string {
	if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
		s = "[" + s + "]"
	}
	return strings.ToLower(s)
}
