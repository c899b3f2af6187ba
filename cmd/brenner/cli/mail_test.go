package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
)

// brenner runs one command line.
func brenner(ctx context.Context, env []string, out io.Writer, args ...string) (int, string) {
	var errs bytes.Buffer
	code := cli.Run(ctx, args, ui.Streams{
		In: strings.NewReader(""), Out: out, Err: &errs, Environ: env, Now: time.Now, Interrupts: &ui.Interrupts{},
		Pause: func(context.Context, time.Duration) {}, // tests do not wait
	})
	return code, errs.String()
}

// mustRun runs a command that must succeed and returns its output.
func mustRun(t *testing.T, env []string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	code, errs := brenner(t.Context(), env, &out, args...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s%s", args, code, out.String(), errs)
	}
	return out.String()
}

// serveMail runs `mail serve` until the end of the test and returns its URL.
func serveMail(t *testing.T, env []string, dir string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		if code, errs := brenner(ctx, env, w, "mail", "serve", "--addr", "127.0.0.1:0", "-C", dir); code != 0 {
			t.Errorf("exit %d: %s", code, errs)
		}
		_ = w.Close()
	})
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		cancel()
		done.Wait()
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimSpace(line), "/mcp/")
}

// Servers of a new project that start together have the same operator's token.
func TestMailServersStartedTogether(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir()}
	urls := make([]string, 6)
	var started sync.WaitGroup
	for i := range urls {
		started.Go(func() { urls[i] = serveMail(t, env, dir) })
	}
	started.Wait()
	for _, url := range urls {
		mustRun(t, env, "mail", "health", "--url", url, "-C", dir)
	}
}

func TestMailCommands(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir()}
	env = append(env, mail.EnvBaseURL+"="+serveMail(t, env, dir))
	if got := mustRun(t, env, "mail", "health", "-C", dir); !strings.Contains(got, "ready") {
		t.Error(got)
	}
	token := strings.TrimSpace(mustRun(t, env, "mail", "token", "BlueLake", "-C", dir))
	if got := mustRun(t, env, "mail", "send", "--to", "BlueLake", "--subject", "QUESTION: H2", "--thread", "TH-1", "--ack", "What would refute it?", "-C", dir); !strings.Contains(got, "QUESTION: H2") {
		t.Error(got)
	}
	if got := mustRun(t, env, "mail", "inbox", "BlueLake", "-C", dir); !strings.Contains(got, "Operator") {
		t.Error(got)
	}
	mustRun(t, env, "mail", "ack", "1", "--as", "BlueLake", "-C", dir)
	if got := mustRun(t, env, "mail", "thread", "TH-1", "--json", "-C", dir); !strings.Contains(got, `"ack_ts":"2`) {
		t.Error(got)
	}
	if got := mustRun(t, env, "mail", "agents", "-C", dir); !strings.Contains(got, "BlueLake") {
		t.Error(got)
	}
	got := mustRun(t, env, "mail", "connect", "BlueLake", "-C", dir)
	if strings.Contains(got, token) || !strings.Contains(got, "bearer_token_env_var") {
		t.Error(got)
	}
	info, err := os.Stat(filepath.Join(dir, ".brenner", "mail-operator.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for line, want := range map[string]int{
		"mail thread a/../b": 2, "mail send x": 2, "mail inbox Unknown": 2, "mail health --url http://127.0.0.1:1": 75, "mail serve --addr 0.0.0.0:0 --no-token": 4,
	} {
		if code, errs := brenner(t.Context(), env, io.Discard, append(strings.Fields(line), "-C", dir)...); code != want || !strings.Contains(errs, "brenner: ") {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	stranger := append([]string{mail.EnvToken + "=unknown"}, env...)
	if code, errs := brenner(t.Context(), stranger, io.Discard, "mail", "health", "-C", dir); code != 4 {
		t.Errorf("exit %d: %s", code, errs)
	}
}
