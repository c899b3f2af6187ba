package project

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"brenner/agent/openai"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/session/flow"
)

// EndpointRefused is the code of a host that the configuration does not allow.
const EndpointRefused fault.Code = "ENDPOINT_REFUSED" // endpoints: in the configuration does not allow the host.

// CheckHost refuses a host that endpoints: in the configuration does not allow, whatever names
// it: a flag, the environment, a file or a journal.
func (p *Project) CheckHost(base string) error {
	allowed := p.Config.Endpoints
	u, err := url.Parse(base)
	switch {
	case base == "" || !allowed.LocalOnly && len(allowed.Hosts) == 0:
		return nil
	case err != nil || u.Hostname() == "":
		return &fault.Error{Code: EndpointRefused, Place: p.Config.Origin("endpoints.allowed").String(), Detail: "endpoints: cannot read the host of an address"}
	case allowed.LocalOnly && !baseurl.IsLocal(base):
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
	case u.Scheme == "postgres":
		port = "5432"
	default:
		port = "80"
	}
	name := u.Hostname()
	if strings.Contains(name, ":") { // IPv6
		name = "[" + name + "]"
	}
	return strings.EqualFold(host, u.Hostname()) || strings.EqualFold(host, name) || strings.EqualFold(host, name+":"+port)
}

// Endpoint is an endpoint of a roster, with the ids of its models.
type Endpoint struct {
	Base  string
	Model config.Model // one of them: how to reach the endpoint
	IDs   []string
}

// Endpoints returns the distinct valid endpoints of parties; two keys for one address are two
// endpoints.
func (p *Project) Endpoints(parties []flow.Party) []Endpoint {
	var all []Endpoint
	for _, party := range parties {
		base := party.Endpoint()
		if party.Via != config.ViaOpenAI || !baseurl.Valid(base) {
			continue
		}
		model := p.asked(&party)
		_, key := p.keyOf(model)
		at := slices.IndexFunc(all, func(e Endpoint) bool {
			_, other := p.keyOf(e.Model)
			return e.Base == base && key == other
		})
		if at < 0 {
			at = len(all)
			all = append(all, Endpoint{Base: base, Model: model})
		}
		if id := party.ModelID; id != "" && !slices.Contains(all[at].IDs, id) {
			all[at].IDs = append(all[at].IDs, id)
		}
	}
	return all
}

// CheckEndpoint returns an error if a session may not use an endpoint.
func (p *Project) CheckEndpoint(e *Endpoint) error {
	return errors.Join(p.checkTrustOf(e.Model, p.KeyName(e), baseurl.Normal(e.Base), false, false), p.CheckHost(e.Base))
}

// KeyName returns the name of the variable with an endpoint's key.
func (p *Project) KeyName(e *Endpoint) string {
	name, _ := p.keyOf(e.Model)
	return name
}

// ListModels requests the list of an endpoint's models. It costs nothing.
func (p *Project) ListModels(ctx context.Context, e *Endpoint) (ids []string, status int, err error) {
	_, key := p.keyOf(e.Model)
	return openai.ListModels(ctx, e.Base, key)
}
