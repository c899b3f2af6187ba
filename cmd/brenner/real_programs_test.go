//go:build realclients

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"brenner/agent/program/programtest"
)

// byMail are the programs that join by MCP besides codex and gemini: how each is configured and run.
// The model is the test's; the rest is the output of `mail connect`.
var byMail = []struct {
	kind, name, file string
	own              string // the user's own settings, merged with the printed ones
	env              []string
	argv             []string
}{
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
		own:  `{"name": "mine", "version": "1.0.0", "schema": "v1", "models": [{"name": "m", "provider": "openai", "model": "double-model", "apiBase": "MODEL/v1", "apiKey": "x", "roles": ["chat"], "capabilities": ["tool_use"]}]}`,
		argv: []string{"cn", "--print", "--auto", "--config", "HOME/.continue/config.yaml"},
	},
	{
		kind: "cline", name: "Cline, as a command that writes the token to",
		env:  []string{"OPENAI_API_KEY=x", "CLINE_SESSION_BACKEND_MODE=local"},
		argv: []string{"cline", "--json", "--auto-approve", "true", "--provider", "openai-compatible", "--model", "double-model", "Read your mail."},
	},
}

// TestRealProgramsByMail runs each program with the output of `mail connect`.
func TestRealProgramsByMail(t *testing.T) {
	for _, c := range byMail {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			p := newRealMail(t)
			p.corresponds(t, "BlueLake", func(model *programtest.Model, token string) (string, int) {
				home := t.TempDir()
				fill := strings.NewReplacer("HOME", home, "PROJECT", p.dir, "MODEL", model.URL)
				text := p.configured(t, "BlueLake", c.name)
				if c.own != "" { // YAML, in which a flow mapping cannot be followed by a block
					text = strings.TrimSuffix(fill.Replace(c.own), "}") + ", " + strings.Replace(strings.Replace(text, "mcpServers:\n  - ", `"mcpServers": [`, 1), "\n", "]}\n", 1)
				}
				env := p.environ(t, "HOME="+home, "MAIL_TOKEN="+token)
				if c.file != "" {
					put(t, fill.Replace(c.file), text)
				} else { // a command
					if out, errs, code := p.run(t, env, "", "sh", "-c", text); code != 0 {
						t.Errorf("%s: exit %d: %s%s", text, code, out, errs)
					}
					put(t, filepath.Join(home, ".cline/data/settings/providers.json"), fill.Replace(`{"version":1,"lastUsedProvider":"openai-compatible","providers":{"openai-compatible":{
						"settings":{"provider":"openai-compatible","model":"double-model","baseUrl":"MODEL/v1"},"updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}}}`))
				}
				for _, pair := range c.env {
					env = append(env, fill.Replace(pair))
				}
				argv := make([]string, len(c.argv))
				for i, arg := range c.argv {
					argv[i] = fill.Replace(arg)
				}
				put(t, filepath.Join(home, "question"), "Read your mail.")
				out, errs, code := p.runFile(t, env, filepath.Join(home, "question"), argv[0], argv[1:]...)
				return out + errs, code
			})
		})
	}
}
