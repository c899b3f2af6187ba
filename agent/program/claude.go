package program

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// claude is `claude -p`, from its documented contract alone. Its last line is the
// same in both forms of JSON; this one gives signs of life before it.
func claude() kind {
	return kind{
		program: "claude",
		install: "install it with `npm install -g @anthropic-ai/claude-code` (it needs node 22 or later), or give its path as command",
		login:   "run `claude` once and log in, or set ANTHROPIC_API_KEY",
		keys:    []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		tells:   true,
		home:    ".claude", homeEnv: "CLAUDE_CONFIG_DIR", logins: []string{".credentials.json"},
		args: func(p *Program) []string {
			args := []string{"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--max-turns", strconv.Itoa(p.Turns)}
			if p.Model != "" {
				args = append(args, "--model", p.Model)
			}
			return args
		},
		environ: func(p *Program, at places) []string {
			env := []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(at.home, ".claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
			if name, value := p.key(); name != "" && !strings.HasPrefix(name, "ANTHROPIC_") {
				env = append(env, "ANTHROPIC_API_KEY="+value)
			}
			if p.BaseURL != "" {
				env = append(env, "ANTHROPIC_BASE_URL="+p.BaseURL)
			}
			return env
		},
		files: func(*Program) map[string]string { return nil },
		read:  readClaude,
		turn: func(line []byte) bool {
			var e claudeEvent
			return json.Unmarshal(line, &e) == nil && e.Type == "assistant" &&
				slices.ContainsFunc(e.Message.Content, func(c claudeContent) bool { return c.Type == "tool_use" })
		},
	}
}

type claudeContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type claudeEvent struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`
	Message struct {
		Model   string          `json:"model"`
		Content []claudeContent `json:"content"`
	} `json:"message"`
	Usage      json.RawMessage            `json:"usage"`
	ModelUsage map[string]json.RawMessage `json:"modelUsage"`
}

func readClaude(out, _ []byte) said {
	var s said
	all := events[claudeEvent](out)
	if len(all) == 0 { // one object over several lines
		var e claudeEvent
		if json.Unmarshal(out, &e) == nil {
			all = append(all, e)
		}
	}
	for i := range all {
		switch e := &all[i]; e.Type {
		case "assistant":
			s.model = e.Message.Model
			for _, c := range e.Message.Content {
				if c.Type == "text" {
					s.text = c.Text
				}
			}
		case "result":
			s.final = e.Subtype == "success" && !e.IsError
			s.turns = e.Subtype == "error_max_turns"
			if s.final {
				s.text = e.Result
			} else {
				s.trouble = strings.TrimSpace(e.Subtype + " " + e.Result)
			}
			s.usage = reported(e.Usage, "output_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
			if names := slices.Sorted(maps.Keys(e.ModelUsage)); s.model == "" && len(names) == 1 {
				s.model = names[0]
			}
		}
	}
	return s
}
