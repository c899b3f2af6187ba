//go:build realclients

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/agent/program/programtest"
)

// mailClient is a program that joins by MCP: how it is configured and run. The model is the test's; the rest is
// the output of `mail connect`. HOME, PROJECT and MODEL stand for directories and the model's address.
type mailClient struct {
	kind  string
	name  string            // in the output
	file  string            // where the output belongs; empty if it is a command
	own   string            // the user's own settings, before the printed ones
	other map[string]string // more files
	env   []string
	argv  []string
}

var byMail = []mailClient{
	{
		kind: "codex-cli", name: "Codex CLI", file: "HOME/.codex/config.toml",
		env: []string{"DOUBLE_KEY=x"},
		argv: []string{
			"codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "-s", "read-only", "-m", "double-model", "-c", "model_provider=double",
			"-c", `model_providers.double={name="double",base_url="MODEL/v1",wire_api="responses",env_key="DOUBLE_KEY",request_max_retries=0,stream_max_retries=0}`,
			"-c", "approval_policy=never", "-c", "features.plugins=false", "-c", "features.apps=false", "-c", "features.shell_snapshot=false",
			"-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false", "-",
		},
	},
	{
		kind: "gemini-cli", name: "Gemini CLI", file: "PROJECT/.gemini/settings.json",
		other: map[string]string{"HOME/.gemini/settings.json": `{"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1},
			"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"security":{"auth":{"selectedType":"gemini-api-key"}}}`},
		env:  []string{"GEMINI_CLI_HOME=HOME", "GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=MODEL", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"},
		argv: []string{"gemini", "-m", "double-model", "--output-format", "json"},
	},
	{
		kind: "opencode", name: "opencode", file: "PROJECT/opencode.json",
		env:  []string{`OPENCODE_CONFIG_CONTENT={"autoupdate":false,"provider":{"double":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"MODEL/v1","apiKey":"x"},"models":{"double-model":{}}}}}`, "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		argv: []string{"opencode", "run", "--format", "json", "--title", "mail", "--model", "double/double-model"},
	},
	{
		kind: "qwen-code", name: "Qwen Code", file: "HOME/.qwen/settings.json",
		env:  []string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=MODEL/v1"},
		argv: []string{"qwen", "--auth-type", "openai", "--model", "double-model", "--output-format", "text"},
	},
	{
		kind: "continue", name: "Continue", file: "HOME/.continue/config.yaml",
		own: `name: mine
version: 1.0.0
schema: v1
models:
  - {name: m, provider: openai, model: double-model, apiBase: MODEL/v1, apiKey: x, roles: [chat], capabilities: [tool_use]}
`,
		argv: []string{"cn", "--print", "--auto", "--config", "HOME/.continue/config.yaml"},
	},
	{
		kind: "cline", name: "Cline, as a command that writes the token to",
		other: map[string]string{"HOME/.cline/data/settings/providers.json": `{"version":1,"lastUsedProvider":"openai-compatible","providers":{"openai-compatible":{
			"settings":{"provider":"openai-compatible","model":"double-model","baseUrl":"MODEL/v1"},"updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}}}`},
		env:  []string{"OPENAI_API_KEY=x", "CLINE_SESSION_BACKEND_MODE=local"},
		argv: []string{"cline", "--json", "--auto-approve", "true", "--provider", "openai-compatible", "--model", "double-model", "Read your mail."},
	},
}

// joinsByMail reports whether a program joins by MCP.
func joinsByMail(kind string) bool {
	return slices.ContainsFunc(byMail, func(c mailClient) bool { return c.kind == kind })
}

// corresponds runs the program with the output of `mail connect`, changed; it must read and answer its mail.
func (c *mailClient) corresponds(t *testing.T, change func(string) string) {
	t.Helper()
	p := newRealMail(t)
	p.corresponds(t, "BlueLake", func(model *programtest.Model, token string) (string, int) {
		home := t.TempDir()
		fill := strings.NewReplacer("HOME", home, "PROJECT", p.dir, "MODEL", model.URL).Replace
		text := fill(c.own) + change(p.configured(t, "BlueLake", c.name))
		env := p.environ(t, "HOME="+home, "MAIL_TOKEN="+token)
		if c.file != "" {
			put(t, fill(c.file), text)
		} else if out, errs, code := p.run(t, env, "", "sh", "-c", text); code != 0 {
			t.Errorf("%s: exit %d: %s%s", text, code, out, errs)
		}
		for name, text := range c.other {
			put(t, fill(name), fill(text))
		}
		for _, pair := range c.env {
			name, value, _ := strings.Cut(pair, "=") // whose name may contain HOME
			env = append(env, name+"="+fill(value))
		}
		argv := make([]string, len(c.argv))
		for i, arg := range c.argv {
			argv[i] = fill(arg)
		}
		put(t, filepath.Join(home, "question"), "Read your mail.")
		out, errs, code := p.runFile(t, env, filepath.Join(home, "question"), argv[0], argv[1:]...)
		return out + errs, code
	})
}

// The annotations of the tools are sufficient for codex to call them without asking.
func TestRealCodexApproval(t *testing.T) {
	t.Parallel()
	byMail[0].corresponds(t, func(s string) string {
		return strings.Replace(s, "default_tools_approval_mode = \"approve\"\n", "", 1)
	})
}
