package openai

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"brenner/agent"
	"brenner/fault"
)

// mostRedirects is how often a request is sent on.
const mostRedirects = 5

// sameHost lets a request be sent on only as it is, and to the host that it was
// meant for: it carries the key.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	home := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host
	if home && req.Method == first.Method && len(via) < mostRedirects {
		return nil
	}
	return &redirected{
		to:   req.URL.Scheme + "://" + req.URL.Host + req.URL.Path,
		loop: home && req.Method == first.Method,
	}
}

// redirected is a request that was to be sent on, and was not.
type redirected struct {
	to   string
	loop bool // it was sent on to the same host again and again
}

func (r *redirected) Error() string { return "it was to be sent on to " + r.to }

// sentOn says what to do about a request that was to be sent on.
func (x *exchange) sentOn(away *redirected) *agent.Failure {
	if away.loop {
		return &agent.Failure{
			Code: agent.Refused, Detail: x.host + " sends the request on and on, and never answers it",
			Hint: "look at the settings of the server, or of the proxy before it; " + askDoctor,
		}
	}
	// The address has the last part of the path in it, which a base_url has not.
	base := strings.TrimRight(away.to, "/")
	for _, last := range []string{"/chat/completions", "/responses"} {
		base = strings.TrimSuffix(base, last)
	}
	return &agent.Failure{
		Code: agent.Refused, Detail: x.host + " wants the request sent elsewhere, and with it the key",
		Hint: "if that address is right, make it the base_url: " + fault.Shown(x.hide.text(base)),
	}
}

// unqueried takes the query and the fragment out of the address that an error of
// the client names: after a redirect they are whatever the other side made them.
func unqueried(err error) error {
	var at *url.Error
	if !errors.As(err, &at) {
		return err
	}
	own := *at
	if i := strings.IndexAny(own.URL, "?#"); i >= 0 {
		own.URL = own.URL[:i]
	}
	return &own
}
