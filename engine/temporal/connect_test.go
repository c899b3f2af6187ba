package temporal

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/project"
)

// A connection that is closed is tried again. A wrong certificate is for a person.
func TestConnectErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fault.Code{
		`connection error: desc = "error reading server preface: EOF"`:                                                                project.EngineUnreachable,
		`connection error: desc = "error reading server preface: read tcp 127.0.0.1:4->127.0.0.1:5: read: connection reset by peer"`:  project.EngineUnreachable,
		`connection error: desc = "transport: authentication handshake failed: EOF"`:                                                  project.EngineUnreachable,
		`connection error: desc = "transport: authentication handshake failed: context deadline exceeded"`:                            project.EngineUnreachable,
		`connection error: desc = "transport: authentication handshake failed: tls: first record does not look like a TLS handshake"`: project.EngineTLS,
		`connection error: desc = "error reading server preface: remote error: tls: certificate required"`:                            project.EngineTLS,
		`connection error: desc = "transport: authentication handshake failed: x509: certificate signed by unknown authority"`:        project.EngineTLS,
	} {
		for _, e := range []*project.Engine{{Engine: config.Engine{Address: "a:1"}}, {Engine: config.Engine{Address: "a:1"}, TLS: &tls.Config{}}} {
			err := connectError(t.Context(), e, errors.New(text))
			if got := fault.CodeOf(err); got != want || !strings.Contains(fault.HintOf(err), "TLS") || e.TLS != nil && !strings.Contains(fault.HintOf(err), "certificate") {
				t.Errorf("%s: got %s, %q; want %s", text, got, fault.HintOf(err), want)
			}
		}
	}
}
