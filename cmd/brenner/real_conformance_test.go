//go:build realclients

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tokenProxy returns the URL of a proxy to the mail server that adds a token, which the
// conformance suite cannot send. Host and Origin are unchanged.
func (p *realMail) tokenProxy(t *testing.T, token string) string {
	t.Helper()
	to, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
		// Read the entire request first, and use one connection per request: an early
		// response, or the end of an idle connection, would truncate another response.
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			return // the suite has exited
		}
		r.Out.Body, r.Out.ContentLength = http.NoBody, int64(len(body))
		if len(body) > 0 {
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		}
	}, Transport: &http.Transport{DisableKeepAlives: true}})
	t.Cleanup(proxy.Close)
	return proxy.URL + "/mcp"
}

// TestRealConformance checks that the MCP conformance suite reports exactly the expected
// failures.
func TestRealConformance(t *testing.T) {
	p := newRealMail(t)
	baseline, err := filepath.Abs("../../mail/server/testdata/conformance-baseline.yml")
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(p.dir, ".brenner", "mail-operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := p.tokenProxy(t, strings.TrimSpace(string(token)))
	suite := func(args ...string) (string, int) {
		out, errs, code := p.run(t, p.environ(t), "", "conformance", append([]string{"server", "--url", proxy}, args...)...)
		return out + errs, code
	}
	out, code := suite("--expected-failures", baseline, "-o", t.TempDir())
	if code != 0 || !strings.Contains(out, "Baseline check passed") {
		t.Errorf("exit %d: %s", code, out)
	}
	// The generic scenarios must not be in the list.
	for _, scenario := range []string{"server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} {
		if out, code := suite("--scenario", scenario, "-o", t.TempDir()); code != 0 {
			t.Errorf("%s: exit %d: %s", scenario, code, out)
		}
	}
	// A list that names a passing scenario is an error.
	stale := filepath.Join(t.TempDir(), "stale.yml")
	text, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	put(t, stale, string(text)+"  - ping\n")
	if out, code := suite("--expected-failures", stale, "-o", t.TempDir()); code == 0 {
		t.Errorf("a stale entry was accepted: %s", out)
	}
}
