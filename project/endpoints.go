package project

import (
	"net/url"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// EndpointRefused is the code of a host that the configuration does not allow.
const EndpointRefused fault.Code = "ENDPOINT_REFUSED" // endpoints: in the configuration does not allow the host.

// checkHost refuses a host that endpoints: in the configuration does not allow, whatever names
// it: a flag, the environment, a file or a journal.
func (p *Project) checkHost(base string) error {
	allowed := p.Config.Endpoints
	u, err := url.Parse(base)
	switch {
	case base == "" || !allowed.LocalOnly && len(allowed.Hosts) == 0:
		return nil
	case err != nil || u.Hostname() == "":
		return &fault.Error{Code: EndpointRefused, Place: p.Config.Origin("endpoints.allowed").String(), Detail: "endpoints: cannot read the host of an address"}
	case allowed.LocalOnly && !isLoopback(base):
		return &fault.Error{
			Code: EndpointRefused, Place: p.Config.Origin("endpoints.local_only").String(), Detail: "endpoints.local_only refuses " + fault.Shown(u.Host),
			Hint: "use an endpoint on this machine, or remove endpoints.local_only",
		}
	case len(allowed.Hosts) > 0 && !slices.ContainsFunc(allowed.Hosts, func(host string) bool { return isHost(u, host) }):
		return &fault.Error{
			Code: EndpointRefused, Place: p.Config.Origin("endpoints.allowed").String(), Detail: "endpoints.allowed does not list " + fault.Shown(u.Host),
			Hint: "use one of " + strings.Join(allowed.Hosts, ", ") + ", or add the host to endpoints.allowed",
		}
	}
	return nil
}

// isHost reports whether an address is at a host, or at a host and port.
func isHost(u *url.URL, host string) bool {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	name := u.Hostname()
	if strings.Contains(name, ":") { // IPv6
		name = "[" + name + "]"
	}
	return strings.EqualFold(host, u.Hostname()) || strings.EqualFold(host, name) || strings.EqualFold(host, name+":"+port)
}
