// Package clients is how agents' programs are configured to reach a mail server.
package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
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
			{"Cursor", ".cursor/mcp.json", filled(`{"mcpServers": {"mail": {"url": "URL", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}}`)},
		},
	}
}

// path returns the path of a client's file on this machine.
func (c *Client) path(dir string, variable func(string) string) string {
	rest, ok := strings.CutPrefix(c.File, "~/.codex/")
	switch home := variable("CODEX_HOME"); {
	case ok && home != "":
		return filepath.Join(home, rest)
	case ok:
		return filepath.Join(variable("HOME"), ".codex", rest)
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
	if strings.HasSuffix(c.File, ".toml") {
		return serverInTOML(string(data))
	}
	var doc struct {
		Servers map[string]struct {
			URL  string `json:"url"`
			HTTP string `json:"httpUrl"`
		} `json:"mcpServers"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return "", false
	}
	s, there := doc.Servers["mail"]
	if s.HTTP != "" {
		return s.HTTP, there
	}
	return s.URL, there
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
