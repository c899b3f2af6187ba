//go:build realclients

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRealSDKs uses the mail server through the SDKs of MCP, with the newest protocol and with an
// earlier one. The scripts check results, which the SDKs validate, too.
func TestRealSDKs(t *testing.T) {
	t.Parallel()
	p := newRealMail(t)
	token := p.brenner(t, "mail", "token", "BlueLake")
	p.brenner(t, "mail", "token", "RedSky")
	scripts, err := filepath.Abs("testdata/realclients")
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(p.clients, "python", "bin", "python")
	for _, c := range []struct{ program, script string }{{python, "sdk.py"}, {python, "fast.py"}, {"node", "sdk.mjs"}} {
		for _, mode := range []string{"2026-07-28", "legacy"} {
			t.Run(c.script+" "+mode, func(t *testing.T) {
				env := p.environ(t, "URL="+p.base+"/mcp", "TOKEN="+token, "PROJECT="+p.dir, "MODE="+mode, "CLIENTS="+p.clients)
				out, errs, code := p.run(t, env, "", c.program, filepath.Join(scripts, c.script))
				if code != 0 || !strings.HasPrefix(out, "ok "+mode) {
					t.Errorf("exit %d, want 0 and ok: %s%s", code, out, errs)
				}
			})
		}
	}
}
