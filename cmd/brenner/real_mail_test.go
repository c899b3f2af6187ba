//go:build realclients

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"brenner/agent/program/programtest"
)

// realMail is a project with a mail server and real clients.
type realMail struct {
	*mailServer
	clients string // directory in which scripts/real-clients.sh installed them
	dir     string
	home    string // of its one user, who made the server's token
}

func newRealMail(t *testing.T) *realMail {
	t.Helper()
	p := &realMail{clients: os.Getenv("BRENNER_REAL_CLIENTS"), dir: t.TempDir(), home: t.TempDir()}
	if p.clients == "" {
		t.Fatal("BRENNER_REAL_CLIENTS must be the directory in which scripts/real-clients.sh installed the programs")
	}
	var err error
	if p.mailServer, err = startMail(p.dir, p.environ(t), "--addr", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// environ returns an environment without access to the network outside loopback.
func (p *realMail) environ(t *testing.T, more ...string) []string {
	t.Helper()
	bin, err := exec.LookPath("brenner")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		// Includes a newer node: Debian's is too old for some clients.
		"PATH=" + strings.Join([]string{filepath.Dir(bin), filepath.Join(p.clients, "bin"), filepath.Join(p.clients, "node_modules", ".bin"), "/usr/local/bin:/usr/bin:/bin"}, ":"),
		"HOME=" + p.home, "TMPDIR=" + t.TempDir(), "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1", "GORACE=atexit_sleep_ms=0",
	}
	if p.mailServer != nil {
		env = append(env, "AGENT_MAIL_BASE_URL="+p.base)
	}
	return append(env, more...)
}

// run runs a program in the project's directory and returns its output and exit code.
func (p *realMail) run(t *testing.T, env []string, input, name string, args ...string) (out, errs string, code int) {
	t.Helper()
	return p.start(t, env, strings.NewReader(input), name, args...)
}

// runFile is run with a file as standard input.
func (p *realMail) runFile(t *testing.T, env []string, file, name string, args ...string) (out, errs string, code int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read-only
	return p.start(t, env, f, name, args...)
}

func (p *realMail) start(t *testing.T, env []string, input io.Reader, name string, args ...string) (out, errs string, code int) {
	t.Helper()
	path := name
	for _, pair := range env { // look up the program in this environment's PATH
		if dirs, ok := strings.CutPrefix(pair, "PATH="); ok {
			for _, dir := range filepath.SplitList(dirs) {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil && path == name {
					path = filepath.Join(dir, name)
				}
			}
		}
	}
	c := exec.Command(path, args...)
	var stdout, stderr strings.Builder
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = p.dir, env, input, &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// brenner runs a brenner command that must succeed.
func (p *realMail) brenner(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := p.run(t, p.environ(t), "", "brenner", args...)
	if code != 0 {
		t.Fatalf("brenner %q: exit %d: %s%s", args, code, out, errs)
	}
	return strings.TrimSpace(out)
}

// configured returns the configuration file that `mail connect` prints for a program.
func (p *realMail) configured(t *testing.T, agent, program string) string {
	t.Helper()
	_, rest, ok := strings.Cut(p.brenner(t, "mail", "connect", agent), "\n# "+program+": ")
	_, text, ok2 := strings.Cut(rest, "\n")
	text, _, ok3 := strings.Cut(text, "\n\n# ")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("nothing for %s: %q", program, rest)
	}
	return text + "\n"
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRealInspector checks the server with the MCP inspector.
func TestRealInspector(t *testing.T) {
	t.Parallel()
	p := newRealMail(t)
	token := p.brenner(t, "mail", "token", "BlueLake")
	p.brenner(t, "mail", "token", "RedSky")
	inspect := func(method string, args ...string) (string, int) {
		args = append([]string{"--cli", p.base + "/mcp", "--format", "json", "-q", "--stored-auth-only", "--method", method}, args...)
		out, errs, code := p.run(t, p.environ(t), "", "mcp-inspector", args...)
		return out + errs, code
	}
	authorized := []string{"--header", "Authorization: Bearer " + token}
	message, err := json.Marshal(map[string]any{"project_key": p.dir, "sender_name": "BlueLake", "to": []string{"RedSky"}, "subject": "INFO: inspected", "body_md": "all is well", "thread_id": "TH-1"})
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(message), `"sender_name":"BlueLake"`, `"sender_name":"RedSky"`, 1)
	for _, c := range []struct {
		method string
		args   []string
		code   int
		want   string
	}{
		{"tools/list", nil, 3, "auth_required"},
		{"tools/list", append([]string{"--strict"}, authorized...), 0, `"name":"reply_message"`},
		{"tools/list", append([]string{"--strict", "--protocol-era", "modern"}, authorized...), 0, `"name":"reply_message"`},
		{"resources/templates/list", authorized, 0, "resource://thread/{thread_id}"},
		{"resources/list", append([]string{"--protocol-era", "modern"}, authorized...), 0, "resource://inbox/BlueLake"},
		{"resources/read", append([]string{"--protocol-era", "modern", "--uri", "resource://inbox/BlueLake?project=" + p.dir}, authorized...), 0, "count"},
		{"resources/read", append([]string{"--uri", "resource://inbox/BlueLake?project=" + p.dir}, authorized...), 0, "count"},
		{"prompts/list", append([]string{"--protocol-era", "modern"}, authorized...), 0, "work-by-mail"},
		{"tools/call", append([]string{"--protocol-era", "modern", "--tool-name", "fetch_inbox", "--tool-args-json", `{"agent_nam":"BlueLake"}`}, authorized...), 5, "did you mean agent_name?"},
		{"tools/call", append([]string{"--tool-name", "send_message", "--tool-args-json", string(message)}, authorized...), 0, `"count":1`},
		{"tools/call", append([]string{"--tool-name", "send_message", "--tool-args-json", forged}, authorized...), 5, "MAIL_NOT_YOURS"},
		{"resources/read", append([]string{"--uri", "resource://inbox/RedSky?project=" + p.dir}, authorized...), 1, "MAIL_NOT_YOURS"},
	} {
		if out, code := inspect(c.method, c.args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s %q: exit %d, want %d: %.2000s", c.method, c.args, code, c.code, out)
		}
	}
	if got := p.brenner(t, "mail", "thread", "TH-1", "--json"); strings.Count(got, `"subject":"INFO: inspected"`) != 1 {
		t.Error(got)
	}
}

// idOf matches a message id in the result of a tool.
var idOf = regexp.MustCompile(`\\*"(?:message_)?id\\*":(\d+)`)

// newCorrespondent returns a model that reads its mail, acknowledges the first message
// and replies to it.
func newCorrespondent(t *testing.T, p *realMail, agent string) *programtest.Model {
	return programtest.NewModel(t, func(q programtest.Question) programtest.Answer {
		a := programtest.Answer{Server: "mail", Args: map[string]any{"project_key": p.dir}}
		id := ""
		if found := idOf.FindStringSubmatch(q.Result); found != nil {
			id = found[1]
		}
		switch q.Tools {
		case 0:
			a.Tool, a.Args["name"], a.Args["program"], a.Args["model"] = "register_agent", agent, "a real one", "double-model"
		case 1:
			a.Tool, a.Args["agent_name"] = "fetch_inbox", agent
		case 2:
			a.Tool, a.Args["agent_name"], a.Args["message_id"] = "acknowledge_message", agent, json.Number(id)
		case 3:
			a.Tool, a.Args["sender_name"], a.Args["message_id"], a.Args["body_md"] = "reply_message", agent, json.Number(id), "By "+agent+": it would be refuted by noise."
		default:
			return programtest.Answer{Text: "DONE: " + q.Result}
		}
		return a
	})
}

// corresponds runs a real program whose model processes its mail, and checks the mailbox.
func (p *realMail) corresponds(t *testing.T, agent string, run func(model *programtest.Model, token string) (string, int)) {
	t.Helper()
	token := p.brenner(t, "mail", "token", agent)
	p.brenner(t, "mail", "send", "--to", agent, "--subject", "KICKOFF: H2", "--thread", "TH-1", "--ack", "What would refute it?")
	model := newCorrespondent(t, p, agent)
	out, code := run(model, token)
	if code != 0 || !strings.Contains(out, "DONE") {
		t.Errorf("exit %d: %.3000s", code, out)
	}
	if asked := model.Questions(); len(asked) > 0 {
		t.Logf("the tools offered are %q", asked[0].Offered)
	}
	var doc struct {
		Messages []struct {
			From, Subject string
			Body          string   `json:"body_md"`
			To            []string `json:"to"`
			Receipts      []struct {
				Agent string
				Acked string `json:"ack_ts"`
			}
		}
	}
	got := p.brenner(t, "mail", "thread", "TH-1", "--json")
	if err := json.Unmarshal([]byte(got), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Messages) != 2 || doc.Messages[1].From != agent || doc.Messages[1].Subject != "Re: KICKOFF: H2" || !strings.Contains(doc.Messages[1].Body, "refuted by noise") {
		t.Fatalf("%s\n%.3000s", got, out)
	}
	if r := doc.Messages[0].Receipts; len(r) != 1 || r[0].Acked == "" {
		t.Errorf("%s", got)
	}
	if n := len(model.Questions()); n != 5 {
		t.Errorf("the model was asked %d times: %s", n, out)
	}
}
