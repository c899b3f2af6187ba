package program

import (
	"encoding/json"
	"path/filepath"
	"strconv"
)

// codex is `codex exec --json`, measured with 0.166.0. What is switched off would
// call outside names, run a login shell, or wait for a network for ever.
func codex() kind {
	return kind{
		program:   "codex",
		install:   "install it with `npm install -g @openai/codex`, or give its path as command",
		login:     "run `codex login` once, or set CODEX_API_KEY or OPENAI_API_KEY",
		keys:      []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
		interrupt: true,
		tells:     true,
		home:      ".codex", homeEnv: "CODEX_HOME", logins: []string{"auth.json"},
		args:    codexArgs,
		environ: codexEnviron,
		files:   func(*Program) map[string]string { return nil },
		read:    readCodex,
		turn:    codexTurn,
		exits:   map[int]exit{2: exitUsage},
	}
}

func codexArgs(p *Program) []string {
	args := []string{"exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "-s", "read-only"}
	if p.Model != "" {
		args = append(args, "-m", p.Model)
	}
	set := func(s string) { args = append(args, "-c", s) }
	if p.BaseURL != "" {
		provider := `name="brenner",base_url=` + quoted(p.BaseURL) + `,wire_api="responses"`
		if name, _ := p.key(); name != "" {
			provider += ",env_key=" + quoted(name)
		}
		set("model_provider=brenner")
		set("model_providers.brenner={" + provider + ",request_max_retries=1,stream_max_retries=1,stream_idle_timeout_ms=120000}")
	}
	for _, s := range []string{
		"approval_policy=never", "features.plugins=false", "features.apps=false", "features.shell_snapshot=false",
		"features.unbounded_connection_retries=false", "analytics.enabled=false", "check_for_update_on_startup=false",
	} {
		set(s)
	}
	return append(args, "-")
}

// quoted gives a text as TOML and JSON both write it.
func quoted(s string) string { return strconv.Quote(s) }

func codexEnviron(p *Program, at places) []string {
	env := []string{"CODEX_HOME=" + filepath.Join(at.home, ".codex")}
	// Its own provider takes a key under this name only.
	if name, value := p.key(); name != "" && p.BaseURL == "" && name != "CODEX_API_KEY" {
		env = append(env, "CODEX_API_KEY="+value)
	}
	return env
}

type codexEvent struct {
	Type string `json:"type"`
	Item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Usage   json.RawMessage `json:"usage"`
	Message string          `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
}

// readCodex: items and events that are errors tell of trouble that may have been
// overcome. Only a turn that failed is a failure, and only one that was completed
// an answer.
func readCodex(out, _ []byte) said {
	var s said
	for _, e := range events[codexEvent](out) {
		switch e.Type {
		case "item.completed":
			if e.Item.Type == "agent_message" {
				s.text = e.Item.Text
			}
		case "turn.completed":
			s.final, s.trouble = true, ""
			s.usage = reported(e.Usage, "output_tokens", "input_tokens")
		case "turn.failed":
			s.final, s.trouble = false, e.Error.Message
		case "error":
			s.trouble = e.Message
		}
	}
	return s
}

func codexTurn(line []byte) bool {
	var e codexEvent
	if json.Unmarshal(line, &e) != nil || e.Type != "item.completed" {
		return false
	}
	switch e.Item.Type {
	case "agent_message", "reasoning", "error", "todo_list", "plan":
		return false
	}
	return true
}
