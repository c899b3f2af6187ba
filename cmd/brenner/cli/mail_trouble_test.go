package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"brenner/mail"
	"brenner/mail/mailtest"
)

// freePort returns an unused address.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed immediately
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// withMailServer calls do while `mail serve` runs at an address.
func withMailServer(t *testing.T, env []string, dir, at string, do func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		if code, errs := brenner(ctx, env, w, "mail", "serve", "--addr", at, "-C", dir); code != 0 {
			t.Errorf("exit %d: %s", code, errs)
		}
		_ = w.Close()
	})
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Error(err)
	}
	do()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	cancel()
	done.Wait()
}

// A recreated mailbox does not know the tokens kept by the project, but accepts the
// operator.
func TestRecreatedMailboxAcceptsOperator(t *testing.T) {
	dir, at := t.TempDir(), freePort(t)
	env := []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=http://" + at}
	run := func(args ...string) string { t.Helper(); return mustRun(t, env, append(args, "-C", dir)...) }
	withMailServer(t, env, dir, at, func() {
		run("mail", "send", "--to", "Operator", "--subject", "INFO: one", "text")
		run("mail", "token", "BlueLake")
		if got := run("doctor"); !strings.Contains(got, "accepted for BlueLake, Operator") {
			t.Error(got)
		}
	})
	files, err := filepath.Glob(filepath.Join(dir, ".brenner", "mail.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	withMailServer(t, env, dir, at, func() {
		if got := run("doctor"); !strings.Contains(got, "no longer accepted for BlueLake\n") {
			t.Error(got)
		}
		for range 2 {
			run("mail", "send", "--to", "Operator", "--subject", "INFO: two", "text")
		}
		if got := run("mail", "inbox"); strings.Count(got, "INFO: two") != 2 {
			t.Error(got)
		}
	})
}

// If a server renames agents, the new names are used for sending and reading.
func TestMailServerThatRenamesAgents(t *testing.T) {
	dir := t.TempDir()
	key, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := mailtest.New(t, mailtest.Quirks{Rename: func(string) string { return "SilverFox" }, Tokens: true, Plain: true, Errors: "text"})
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	env := []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=" + d.URL}
	run := func(args ...string) string { t.Helper(); return mustRun(t, env, append(args, "-C", key)...) }
	if got := run("mail", "send", "--to", "SilverFox", "--subject", "INFO: one", "--thread", "TH-1", "--ack", "text"); !strings.Contains(got, "SilverFox") {
		t.Error(got)
	}
	run("mail", "send", "--to", "Operator", "--subject", "INFO: two", "--thread", "TH-1", "text")
	if got := run("mail", "inbox"); strings.Count(got, "INFO: ") != 2 {
		t.Error(got)
	}
	run("mail", "ack", "1")
	if got := run("mail", "thread", "TH-1"); strings.Count(got, "INFO: ") != 2 {
		t.Error(got)
	}
}

// The token file is private, even if it existed with wider permissions.
func TestTokenFileIsMadePrivate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".brenner", "mail-operator.token")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil { //nolint:gosec // deliberately too wide
		t.Fatal(err)
	}
	serveMail(t, []string{"HOME=" + t.TempDir()}, dir)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// A session with --serve-mail uses its own server at the address of the environment.
func TestSessionServesItsMail(t *testing.T) {
	dir := t.TempDir()
	start := []string{"session", "start", "-C", dir, "--via", "mail", "--to", "BlueLake", "--role", "hypothesis_generator", "--question", "Why?", "--rounds", "1", "--timeout", "1s", "--serve-mail", "--thread-id", "RS-20261115-why", "--if-exists", "resume"}
	at := func(base string) []string {
		return []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=" + base, mail.EnvToken + "=another's", mail.EnvPath + "=/post/", "BRENNER_RETRY_ATTEMPTS=1"}
	}
	for base, want := range map[string]string{
		"https://127.0.0.1:9": "serves http, but the session would use https", "http://0.0.0.0:9": "serves this machine only", "http://127.0.0.1:0": "port 0 means any free port",
	} {
		if code, errs := brenner(t.Context(), at(base), io.Discard, start...); code != 2 || !strings.Contains(errs, want) || !strings.Contains(errs, "hint: ") {
			t.Errorf("%s: exit %d: %s", base, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".brenner")); err == nil {
		t.Error("something was written before the address was checked")
	}
	environ := at("http://" + freePort(t))
	for range 2 { // the second run resumes the session
		code, errs := brenner(t.Context(), environ, io.Discard, start...)
		if !strings.Contains(errs, "/post/ while the session runs") || !strings.Contains(errs, "BlueLake") || code != 1 {
			t.Errorf("exit %d: %s", code, errs)
		}
		// Another process would not have connections to the stopped server.
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}
	serve := "run `brenner mail serve --addr " + strings.TrimPrefix(environ[1], mail.EnvBaseURL+"=http://") + "`, or pass "
	for want, args := range map[string][]string{
		serve + "--serve-mail or --mail-url URL\n": {"session", "resume", "RS-20261115-why"}, serve + "--url URL\n": {"session", "publish", "RS-20261115-why"},
		"--mail-url: empty value": {"session", "resume", "RS-20261115-why", "--mail-url", ""},
	} {
		if code, errs := brenner(t.Context(), environ[:1], io.Discard, append(args, "-C", dir)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, want %q: %s", args, code, want, errs)
		}
	}
}

// The doctor notices a server that refuses only new agents, and registers none itself.
func TestDoctorNoticesRefusedRegistrations(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	var refuse atomic.Bool
	server, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(server)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || refuse.Load() && strings.Contains(string(body), `"register_agent"`) {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	dir, env := t.TempDir(), []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=" + front.URL}
	doctor := []string{"doctor", "-C", dir, "--to", "BlueLake", "--role", "hypothesis_generator", "--via", "mail", "--question", "Why?"}
	for range 2 {
		mustRun(t, env, doctor...)
	}
	refuse.Store(true)
	var out strings.Builder
	if code, errs := brenner(t.Context(), env, &out, doctor...); code != 1 || !strings.Contains(out.String(), "the server refuses them: ") {
		t.Errorf("exit %d: %s%s", code, out.String(), errs)
	}
	if got := mustRun(t, env, "mail", "agents", "-C", dir); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "Operator ") {
		t.Errorf("the doctor registered %s", got)
	}
}
