package program

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
)

// gemini is `gemini --output-format stream-json`. Of its two
// JSON formats, this one shows signs of life and reports errors on stdout.
func gemini() kind {
	return kind{
		program:  "gemini",
		tested:   "0.61.0",
		install:  "install it with `npm install -g @google/gemini-cli` (it needs node 20 or later), or set command to its path",
		login:    "run `gemini` once and log in, or set GEMINI_API_KEY",
		keys:     []string{"GEMINI_API_KEY"},
		marksEnd: true,
		home:     ".gemini", logins: []string{"oauth_creds.json", "google_accounts.json"},
		args: func(p *Program) []string { return []string{"-m", p.Model, "--output-format", "stream-json"} },
		environ: func(p *Program, at runDirs) []string {
			env := []string{"GEMINI_CLI_HOME=" + at.home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"}
			name, value := p.key()
			switch {
			case name == "" && p.BaseURL != "":
				env = append(env, "GEMINI_API_KEY=none") // it does not start without a key
			case name != "" && name != "GEMINI_API_KEY":
				env = append(env, "GEMINI_API_KEY="+value)
			}
			if p.BaseURL != "" {
				env = append(env, "GOOGLE_GEMINI_BASE_URL="+p.BaseURL)
			}
			return env
		},
		files: geminiFiles,
		read:  readGemini,
		turn: func(line []byte) bool {
			var e geminiEvent
			return json.Unmarshal(line, &e) == nil && e.Type == "tool_use"
		},
		exits: map[int]exit{41: exitNoLogin, 53: exitTurns},
		// Its exit code is the low byte of the HTTP status: 144 is 400.
		http: func(code int) int {
			if code >= 144 && code <= 255 {
				return code + 256
			}
			return 0
		},
	}
}

func geminiFiles(p *Program) map[string]string {
	type object = map[string]any
	auth := "oauth-personal"
	if name, _ := p.key(); name != "" || p.BaseURL != "" {
		auth = "gemini-api-key"
	}
	data, err := json.Marshal(object{
		// Its own retries wait up to half a minute each; ours honour Retry-After.
		"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"security":  object{"auth": object{"selectedType": auth}},
		"model":     object{"maxSessionTurns": p.Turns},
	})
	if err != nil {
		return nil // cannot happen with these values
	}
	return map[string]string{".gemini/settings.json": string(data)}
}

type geminiEvent struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content string          `json:"content"`
	Delta   bool            `json:"delta"`
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Error   *geminiError    `json:"error"`
	Stats   json.RawMessage `json:"stats"`
}

type geminiError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// readGemini takes the text after the last tool as the reply.
func readGemini(out, errs []byte) output {
	var s output
	var text strings.Builder
	for _, e := range events[geminiEvent](out) {
		switch e.Type {
		case "init":
			s.model = e.Model
		case "message":
			if e.Role != "assistant" {
				continue
			}
			if !e.Delta {
				text.Reset()
			}
			text.WriteString(e.Content)
		case "tool_use", "tool_result":
			text.Reset()
		case "error":
			s.trouble = e.Message
			s.turns = s.turns || strings.Contains(strings.ToLower(e.Message), "loop detected")
		case "result":
			// It reports "success" even after it stopped a loop.
			s.final = e.Status == "success" && e.Error == nil && !s.turns
			if e.Error != nil {
				s.trouble = e.Error.Message
			}
			s.usage = reported(e.Stats, "output_tokens", "input_tokens")
		}
	}
	s.text = text.String()
	if s.final {
		s.trouble = ""
	} else if s.trouble == "" {
		s.trouble = lastError(errs)
	}
	return s
}

// lastError finds the JSON object {"error": …} at the end of stderr, where gemini
// reports failures before the start.
func lastError(errs []byte) string {
	errs = bytes.TrimSpace(tail(errs))
	for end := len(errs); end > 0; {
		begin := bytes.LastIndex(errs[:end], []byte("\n{"))
		var e struct {
			Error geminiError `json:"error"`
		}
		if json.Unmarshal(errs[begin+1:], &e) == nil && e.Error.Message != "" {
			return e.Error.Message
		}
		end = begin
	}
	return ""
}

// codex is `codex exec --json`. The disabled features would
// contact other hosts, run a login shell, or wait for a network forever.
func codex() kind {
	return kind{
		program:   "codex",
		tested:    "0.166.0",
		install:   "install it with `npm install -g @openai/codex`, or set command to its path",
		login:     "run `codex login` once, or set CODEX_API_KEY or OPENAI_API_KEY",
		keys:      []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
		interrupt: true,
		marksEnd:  true,
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

// quoted quotes a string for both TOML and JSON.
func quoted(s string) string { return strconv.Quote(s) }

func codexEnviron(p *Program, at runDirs) []string {
	env := []string{"CODEX_HOME=" + filepath.Join(at.home, ".codex")}
	// Its built-in provider reads only this variable.
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

// readCodex parses codex events. Error events may have been recovered from: only a
// failed turn is a failure, and only a completed one a reply.
func readCodex(out, _ []byte) output {
	var s output
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
