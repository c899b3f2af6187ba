package project

import (
	"strings"
	"testing"

	"brenner/config"
	"brenner/internal/fault"
)

// Settings of TLS without TLS are a mistake.
func TestEngineWithoutTLS(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]fault.Code{
		"TLS_CA=ca.pem": EngineTLS, "TLS_CERT=c.pem": EngineTLS, "TLS_KEY=k.pem": EngineTLS, "TLS_SERVER=name": EngineTLS, "TLS_SERVER=": "", "NAMESPACE=other": "",
	} {
		const prefix = "BRENNER_ENGINE_TEMPORAL_"
		p, err := Open(&Host{Environ: []string{"HOME=" + t.TempDir(), prefix + "ADDRESS=127.0.0.1:1", prefix + variable}, Now: onDay}, config.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Engine(); fault.CodeOf(err) != want || want != "" && !strings.Contains(err.Error(), "tls.enabled") {
			t.Errorf("%s: got %v, want %q", variable, err, want)
		}
	}
}
