package program

import (
	"bytes"
	"encoding/json"
	"strings"
)

// gemini is `gemini --output-format stream-json`, measured with 0.61.0: of its two
// forms of JSON the one that gives signs of life, and says on stdout what failed.
func gemini() kind {
	return kind{
		program: "gemini",
		install: "install it with `npm install -g @google/gemini-cli` (it needs node 20 or later), or give its path as command",
		login:   "run `gemini` once and log in, or set GEMINI_API_KEY",
		keys:    []string{"GEMINI_API_KEY"},
		tells:   true,
		home:    ".gemini", logins: []string{"oauth_creds.json", "google_accounts.json"},
		args: func(p *Program) []string { return []string{"-m", p.Model, "--output-format", "stream-json"} },
		environ: func(p *Program, at places) []string {
			env := []string{"GEMINI_CLI_HOME=" + at.home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"}
			name, value := p.key()
			switch {
			case name == "" && p.BaseURL != "":
				env = append(env, "GEMINI_API_KEY=none") // it asks nobody without one
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
		// Its exit code is the lower byte of the status: 400 is 144.
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
	way := "oauth-personal"
	if name, _ := p.key(); name != "" || p.BaseURL != "" {
		way = "gemini-api-key"
	}
	data, err := json.Marshal(object{
		// Its own tries wait up to half a minute each; ours know what to wait for.
		"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"security":  object{"auth": object{"selectedType": way}},
		"model":     object{"maxSessionTurns": p.Turns},
	})
	if err != nil {
		return nil // which cannot be, with these values
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

// readGemini: the answer is what was said after the last tool.
func readGemini(out, errs []byte) said {
	var s said
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
			// After a loop that it has stopped it says "success".
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

// lastError finds the JSON object {"error": …} at the end of stderr, which is where
// a failure is when it comes before anything was begun.
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
