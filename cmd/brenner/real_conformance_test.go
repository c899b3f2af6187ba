//go:build realclients

package main

import (
	"bytes"
	"encoding/json"
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
// failures, for all protocols and for what the newest one requires.
func TestRealConformance(t *testing.T) {
	t.Parallel()
	p := newRealMail(t)
	token, err := os.ReadFile(filepath.Join(p.dir, ".brenner", "mail-operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := p.tokenProxy(t, strings.TrimSpace(string(token)))
	suite := func(args ...string) (string, int) {
		out, errs, code := p.run(t, p.environ(t), "", "conformance", append([]string{"server", "--url", proxy}, args...)...)
		return out + errs, code
	}
	for _, c := range []struct {
		baseline string
		args     []string
		// The generic scenarios must not be in the list.
		generic []string
	}{
		{
			"conformance-baseline.yml", nil,
			[]string{"server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"},
		},
		{
			"conformance-2026-07-28.yml",
			[]string{"--requirements", "2026-07-28"},
			[]string{"tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching", "http-header-validation", "dns-rebinding-protection"},
		},
	} {
		baseline, err := filepath.Abs("../../mail/server/testdata/" + c.baseline)
		if err != nil {
			t.Fatal(err)
		}
		results := t.TempDir()
		out, code := suite(append(c.args, "--expected-failures", baseline, "-o", results)...)
		if code != 0 || !strings.Contains(out, "Baseline check passed") {
			t.Errorf("%v: exit %d: %s", c.args, code, out)
		}
		for _, scenario := range c.generic {
			if !strings.Contains(out, "✓ "+scenario+": ") {
				t.Errorf("%v: %s did not pass: %s", c.args, scenario, out)
			}
		}
		checkStateless(t, results)
	}
	// A list that names a passing scenario is an error.
	stale := filepath.Join(t.TempDir(), "stale.yml")
	put(t, stale, "server:\n  - ping\n")
	if out, code := suite("--scenario", "ping", "--expected-failures", stale, "-o", t.TempDir()); code == 0 {
		t.Errorf("a stale entry was accepted: %s", out)
	}
}

// checkStateless checks that the scenario of protocols without sessions, which has tests that need tools
// of a made-up server, failed in nothing else.
func checkStateless(t *testing.T, results string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "server-server-stateless-*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct {
			ID, Status, ErrorMessage string
			Details                  struct{ Untestable bool }
		}
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Status == "FAILURE" && !c.Details.Untestable {
				t.Errorf("%s: %s", c.ID, c.ErrorMessage)
			}
		}
	}
}
