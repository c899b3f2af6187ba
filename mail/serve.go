package mail

import (
	"net"
	"net/url"
	"strings"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// ListenAddress returns where a server of this machine listens so that clients find it at an address.
func ListenAddress(address string) (string, error) {
	wrong := func(why string) error {
		return &fault.Error{
			Code: Invalid, Op: "serve mail during the session", Place: baseurl.Shown(address), Detail: why,
			Hint: "leave " + EnvBaseURL + " and mail.base_url unset, or name a port of this machine, such as " + DefaultBaseURL,
		}
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", wrong(err.Error())
	case u.Scheme != "http":
		return "", wrong("--serve-mail serves http, but the session would use " + u.Scheme)
	case !baseurl.IsLocal(address):
		return "", wrong("--serve-mail serves this machine only, but the session would use " + u.Hostname())
	case u.Port() == "0":
		return "", wrong("port 0 means any free port, but the session needs a fixed one")
	case u.Port() == "":
		return net.JoinHostPort(u.Hostname(), "80"), nil
	}
	return u.Host, nil
}

// HowToServe says how to start the server of an address, or which flags help otherwise.
func HowToServe(address string, flags ...string) string {
	at, err := ListenAddress(address)
	how := "start the server at " + baseurl.Shown(address)
	switch {
	case err == nil && "http://"+at == DefaultBaseURL:
		how = "run `brenner mail serve`"
	case err == nil:
		how = "run `" + text.CommandToCopy("brenner mail serve --addr", "HOST:PORT", at) + "`"
	}
	if len(flags) > 0 {
		how += ", or pass " + strings.Join(flags, " or ")
	}
	return how
}
