// Package clients is how agents' programs are configured to reach a mail server.
package clients

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Token is the variable with the token for agents' programs.
const Token = "MAIL_TOKEN" //nolint:gosec // the name of a variable, not a secret

// Connection is how agent programs reach a mail server.
type Connection struct {
	Schema     string   `json:"schema"`
	Agent      string   `json:"agent"`
	URL        string   `json:"url"`
	ProjectKey string   `json:"project_key"`
	Clients    []Client `json:"clients"`
}

// Client is the configuration of an agent program. A relative File is in the project's
// directory.
type Client struct {
	Program string `json:"program"`
	File    string `json:"file"`
	Text    string `json:"text"`
}

// Connect returns what agent programs need to reach the mail server as an agent.
func Connect(server, project, agent string) *Connection {
	url := strings.TrimRight(server, "/") // some clients drop the slash anyway
	filled := func(template string) string {
		return strings.NewReplacer("URL", url, "TOKEN", Token).Replace(template)
	}
	return &Connection{
		Schema: "brenner.mail.connect/v1", Agent: agent, URL: url, ProjectKey: project,
		Clients: []Client{
			{"Claude Code", ".mcp.json", filled(`{"mcpServers": {"mail": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}`)},
			{"Claude Code, to call the tools unasked", ".claude/settings.json", `{"enabledMcpjsonServers": ["mail"], "permissions": {"allow": ["mcp__mail"]}}`},
			{"Codex CLI", "~/.codex/config.toml", filled(`[mcp_servers.mail]
url = "URL"
bearer_token_env_var = "TOKEN"
default_tools_approval_mode = "approve"
required = true
tool_timeout_sec = 60`)},
			{"Gemini CLI", ".gemini/settings.json", filled(`{"mcpServers": {"mail": {"httpUrl": "URL", "trust": true, "timeout": 60000, "headers": {"Authorization": "Bearer $TOKEN"}}}}`)},
			{"opencode", "opencode.json", filled(`{"mcp": {"mail": {"type": "remote", "url": "URL", "oauth": false, "headers": {"Authorization": "Bearer {env:TOKEN}"}}}}`)},
			{"Qwen Code", "~/.qwen/settings.json", filled(`{"mcpServers": {"mail": {"httpUrl": "URL", "trust": true, "timeout": 60000, "headers": {"Authorization": "Bearer $TOKEN"}}}}`)},
			{"Continue", "~/.continue/config.yaml", filled(`mcpServers:
  - {name: mail, type: streamable-http, url: "URL", requestOptions: {headers: {Authorization: "Bearer ${{ secrets.TOKEN }}"}}}`)},
			// It reads no variables, so that its file must contain the token.
			{"Cline, as a command that writes the token to", "~/.cline/data/settings/cline_mcp_settings.json", filled(`cline mcp add mail URL --transport http --header "Authorization: Bearer $TOKEN" --yes`)},
			{"Cursor", ".cursor/mcp.json", filled(`{"mcpServers": {"mail": {"url": "URL", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}}`)},
		},
	}
}

// path returns the path of a client's file on this machine.
func (c *Client) path(dir string, variable func(string) string) string {
	if rest, ok := strings.CutPrefix(c.File, "~/.codex/"); ok && variable("CODEX_HOME") != "" {
		return filepath.Join(variable("CODEX_HOME"), rest)
	}
	if rest, ok := strings.CutPrefix(c.File, "~/"); ok {
		return filepath.Join(variable("HOME"), rest)
	}
	return filepath.Join(dir, c.File)
}

// Server returns the address of the server "mail" in the client's file; false means none, also for
// a program that is not in use.
func (c *Client) Server(dir string, variable func(string) string) (url string, there bool) {
	data, err := os.ReadFile(c.path(dir, variable))
	if err != nil {
		return "", false
	}
	switch filepath.Ext(c.File) {
	case ".toml":
		return serverInTOML(string(data))
	case ".yaml":
		found := regexp.MustCompile(`(?s)\bname: *"?mail\b.*?\burl: *"?([^\s"',}]+)`).FindSubmatch(data)
		if found == nil {
			return "", false
		}
		return string(found[1]), true
	}
	type server struct {
		URL  string `json:"url"`
		HTTP string `json:"httpUrl"`
		By   struct {
			URL string `json:"url"`
		} `json:"transport"`
	}
	var doc struct {
		Servers  map[string]server `json:"mcpServers"`
		OpenCode map[string]server `json:"mcp"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return "", false
	}
	s, there := doc.Servers["mail"]
	if !there {
		s, there = doc.OpenCode["mail"]
	}
	return cmp.Or(s.HTTP, s.URL, s.By.URL), there
}

// serverInTOML reads the one table that Connect prints, line by line.
func serverInTOML(text string) (url string, there bool) {
	_, table, there := strings.Cut("\n"+text, "\n[mcp_servers.mail]")
	for line := range strings.Lines(table) {
		name, value, ok := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "["):
			return "", there
		case ok && strings.TrimSpace(name) == "url":
			return strings.Trim(strings.TrimSpace(value), `"'`), there
		}
	}
	return "", there
}
