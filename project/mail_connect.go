package project

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// ClientToken is the variable from which agent programs take their token.
const ClientToken = "MAIL_TOKEN" //nolint:gosec // the name of a variable, not a secret

// MailConnection is how an agent program reaches a mail server.
type MailConnection struct {
	Schema     string       `json:"schema"`
	Agent      string       `json:"agent"`
	URL        string       `json:"url"`
	ProjectKey string       `json:"project_key"`
	Clients    []MailClient `json:"clients"`
}

// MailClient is what a program's file has to hold. A file without a folder in
// front of it is the project's.
type MailClient struct {
	Program string `json:"program"`
	File    string `json:"file"`
	Text    string `json:"text"`
}

// Connect returns what agent programs need to reach the mail server as an agent.
func (b *Mailbox) Connect(agent string) *MailConnection {
	url := strings.TrimRight(b.Client.URL(), "/") // some clients would ask for it without, in any case
	filled := func(template string) string {
		return strings.NewReplacer("URL", url, "TOKEN", ClientToken).Replace(template)
	}
	return &MailConnection{
		Schema: "brenner.mail.connect/v1", Agent: agent, URL: url, ProjectKey: b.Key,
		Clients: []MailClient{
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

// path returns where a client's file is on this machine.
func (c *MailClient) path(p *Project) string {
	rest, ok := strings.CutPrefix(c.File, "~/.codex/")
	switch home := p.variable("CODEX_HOME"); {
	case ok && home != "":
		return filepath.Join(home, rest)
	case ok:
		return filepath.Join(p.variable("HOME"), ".codex", rest)
	}
	return filepath.Join(p.Config.Project.Dir, c.File)
}

// server finds in a client's file where the server "mail" is; false is none there.
func (c *MailClient) server(data []byte) (url string, there bool) {
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

// serverInTOML reads the one table that we print, line by line.
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
