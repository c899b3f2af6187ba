package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startServe runs `brenner serve` and returns the process and the address that it prints.
func startServe(t *testing.T, dir, listen string) (*exec.Cmd, string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "brenner", "serve", "--listen", listen)
	c.Dir, c.Env = dir, append(os.Environ(), "HOME="+filepath.Dir(dir), "BRENNER_TRUST_FILE=")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	return c, strings.TrimSpace(line)
}

// The address admits one browser. After a kill and a restart on the same port, its cookie is still
// valid. An interrupt ends the server with 0.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(address string, want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != want {
			t.Errorf("%s: got %d, %v; want %d: %.300s", address, got.StatusCode, err, want, body)
		}
	}
	first, address := startServe(t, dir, "127.0.0.1:0")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	home := "http://" + u.Host + "/"
	get(home, http.StatusUnauthorized)
	get(address, http.StatusOK)
	get(home, http.StatusOK)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	browser.CloseIdleConnections()
	second, _ := startServe(t, dir, u.Host)
	get(home, http.StatusOK)
	if err := second.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("interrupted: %v, want exit code 0", err)
	}
}

// A session that a form starts runs in a process of its own, and continues after the server was killed.
func TestServeStartsSessions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	server, address := startServe(t, dir, "127.0.0.1:0")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	post := func(thread string) (int, string) {
		form := url.Values{"do": {"start"}, "question": {"Why; echo $HOME?"}, "preset": {"default-3-agent"}, "rounds": {"1"}, "rehearsal": {"1"}, "thread": {thread}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+u.Host+"/start", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		got, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, string(body)
	}
	enter, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := browser.Do(enter); err != nil || r.Body.Close() != nil {
		t.Fatal(err)
	}
	const thread = "RS-20261115-started"
	for range 2 { // the second time, it exists
		if status, body := post(thread); status != http.StatusOK || !strings.Contains(body, "Why; echo $HOME?") {
			t.Fatalf("got %d, want the page of the session: %s", status, body)
		}
	}
	if status, body := post("../../etc/passwd"); status != http.StatusNotFound {
		t.Errorf("a path as an id: got %d, want 404: %s", status, body)
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // it was killed
	watch := exec.CommandContext(t.Context(), "brenner", "session", "watch", thread)
	watch.Dir = dir
	if out, err := watch.CombinedOutput(); err != nil || !strings.Contains(string(out), "version 2") {
		t.Errorf("the session after the kill: %v\n%s", err, out)
	}
}
