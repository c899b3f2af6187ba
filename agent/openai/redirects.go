package openai

import (
	"errors"
	"net/url"
	"strings"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
)

// sentOn says what to do about a request that was to be sent on.
func (x *exchange) sentOn(away *modelhttp.Redirected) *agent.Failure {
	if away.Loop {
		return &agent.Failure{
			Code: agent.Refused, Detail: x.host + " sends the request on and on, and never answers it",
			Hint: "look at the settings of the server, or of the proxy before it; " + askDoctor,
		}
	}
	return &agent.Failure{
		Code: agent.Refused, Detail: x.host + " wants the request sent elsewhere, and with it the key",
		Hint: "if that address is right, make it the base_url: " + fault.Shown(x.hide.Text(away.Base())),
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
