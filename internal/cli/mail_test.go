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

	"brenner/internal/cli"
	"brenner/mail"
)

// brenner runs one command line.
func brenner(ctx context.Context, env []string, out io.Writer, args ...string) (int, string) {
	var errs bytes.Buffer
	code := cli.Run(ctx, args, cli.Streams{
		In: strings.NewReader(""), Out: out, Err: &errs, Environ: env, Now: time.Now, Interrupts: &cli.Interrupts{},
	})
	return code, errs.String()
}

// says runs a command that must work, and gives what it printed.
func says(t *testing.T, env []string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	code, errs := brenner(t.Context(), env, &out, args...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s%s", args, code, out.String(), errs)
	}
	return out.String()
}

// serving runs `mail serve` and gives its address; it ends with the test.
func serving(t *testing.T, env []string, dir string) string {
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

func TestMailFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir()}
	env = append(env, mail.EnvBaseURL+"="+serving(t, env, dir))
	if got := says(t, env, "mail", "health", "-C", dir); !strings.Contains(got, "ready") {
		t.Error(got)
	}
	token := strings.TrimSpace(says(t, env, "mail", "token", "BlueLake", "-C", dir))
	if got := says(t, env, "mail", "send", "--to", "BlueLake", "--subject", "QUESTION: H2", "--thread", "TH-1", "--ack", "What would refute it?", "-C", dir); !strings.Contains(got, "QUESTION: H2") {
		t.Error(got)
	}
	if got := says(t, env, "mail", "inbox", "BlueLake", "-C", dir); !strings.Contains(got, "Operator") {
		t.Error(got)
	}
	says(t, env, "mail", "ack", "1", "--as", "BlueLake", "-C", dir)
	if got := says(t, env, "mail", "thread", "TH-1", "--json", "-C", dir); !strings.Contains(got, `"ack_ts":"2`) {
		t.Error(got)
	}
	if got := says(t, env, "mail", "agents", "-C", dir); !strings.Contains(got, "BlueLake") {
		t.Error(got)
	}
	got := says(t, env, "mail", "connect", "BlueLake", "-C", dir)
	if strings.Contains(got, token) || !strings.Contains(got, "bearer_token_env_var") {
		t.Error(got)
	}
	info, err := os.Stat(filepath.Join(dir, ".brenner", "mail-operator.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for line, want := range map[string]int{
		"mail thread a/../b": 2, "mail send x": 2, "mail inbox Nobody": 2, "mail health --url http://127.0.0.1:1": 75, "mail serve --addr 0.0.0.0:0 --no-token": 4,
	} {
		if code, errs := brenner(t.Context(), env, io.Discard, append(strings.Fields(line), "-C", dir)...); code != want || !strings.Contains(errs, "brenner: ") {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	stranger := append([]string{mail.EnvToken + "=nobody's"}, env...)
	if code, errs := brenner(t.Context(), stranger, io.Discard, "mail", "health", "-C", dir); code != 4 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestASessionByMail(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir()}
	base := serving(t, env, dir)
	env = append(env, mail.EnvBaseURL+"="+base)
	ctx, cancel := context.WithCancel(t.Context())
	var agents sync.WaitGroup
	for _, name := range []string{"BlueLake", "RedSky"} {
		token := strings.TrimSpace(says(t, env, "mail", "token", name, "-C", dir))
		agents.Go(func() { answer(ctx, t, base+"/mcp/", token, dir, name) })
	}
	t.Cleanup(agents.Wait)
	t.Cleanup(cancel)
	var out bytes.Buffer
	code, errs := brenner(t.Context(), env, &out, "session", "start", "-C", dir, "--via", "mail", "--rounds", "1", "--question", "How do cells know where they are?",
		"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic", "--thread-id", "RS-20260101-by-mail", "--json")
	if code != 0 || !strings.Contains(out.String(), "Position is read from a gradient") && !strings.Contains(out.String(), `"version":1`) {
		t.Errorf("exit %d: %s%s", code, out.String(), errs)
	}
	if got := says(t, env, "session", "show", "RS-20260101-by-mail", "-C", dir); !strings.Contains(got, "Position is read from a gradient") {
		t.Error(got)
	}
	cancel() // COMPILED wants no answer
	agents.Wait()
	for range 2 {
		if got := says(t, env, "session", "publish", "RS-20260101-by-mail", "-C", dir); !strings.Contains(got, "COMPILED: v2") {
			t.Error(got)
		}
	}
	if got := says(t, env, "mail", "thread", "RS-20260101-by-mail", "--json", "-C", dir); strings.Count(got, `"subject":"COMPILED`) != 1 || !strings.Contains(got, `"phase":"compiled"`) {
		t.Error(got)
	}
}

// answer is an agent: it reads, acknowledges and replies.
func answer(ctx context.Context, t *testing.T, url, token, dir, name string) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := mail.New(mail.Options{URL: url, Token: token, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Error(err)
		return
	}
	seen := mail.ID("0")
	for ctx.Err() == nil {
		all, err := c.Inbox(ctx, mail.InboxQuery{Project: dir, Agent: name, After: seen}, 10*time.Second)
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return
		}
		for _, m := range all {
			seen = m.ID
			if err := c.Acknowledge(ctx, dir, name, m.ID); err != nil {
				t.Error(err)
			}
			if _, err := c.Reply(ctx, dir, name, m.ID, replies()[name]); err != nil {
				t.Error(err)
			}
		}
	}
}

func replies() map[string]string {
	return map[string]string{
		"BlueLake": "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Gradient","claim":"Position is read from a gradient.","mechanism":"Threshold reading"}}` + "\n```\n",
		"RedSky":   "```delta\n" + `{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Noise","attack":"A gradient is too noisy to be read.","evidence":"none yet"}}` + "\n```\n",
	}
}
