package mailcmd

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
)

// ClientToken is the variable from which agent programs take their token.
const ClientToken = "MAIL_TOKEN" //nolint:gosec // the name of a variable, not a secret

func mailConnectCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "connect NAME", Short: "Print what Claude Code, Codex CLI, Gemini CLI and Cursor need to join as an agent", Args: ui.Exactly("name"),
		Long: `Prints the configuration with which an agent program reaches this project's mail. The token
itself is not in it: every program takes it from the variable ` + ClientToken + `. Where a file is
there already, what is printed has its place beside what it holds.`,
		Example: `  brenner mail connect BlueLake

Exit codes: 0 printed; 2 not a name, or the address is none.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := mail.CheckName(args[0]); err != nil {
				return err
			}
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			return a.Show(Connection(args[0], m.Client.URL(), m.Key))
		},
	}
	flags.Add(c)
	return c
}

// mailConnection is how an agent program reaches a mail server.
type mailConnection struct {
	Schema  string         `json:"schema"`
	Agent   string         `json:"agent"`
	URL     string         `json:"url"`
	Project string         `json:"project_key"`
	Config  []clientConfig `json:"clients"`
}

// clientConfig is what a program's file has to hold. A file without a folder in
// front of it is the project's.
type clientConfig struct {
	Program string `json:"program"`
	File    string `json:"file"`
	Text    string `json:"text"`
}

// Connection returns what agent programs need to reach a mail server as an agent.
func Connection(agent, url, project string) *mailConnection {
	url = strings.TrimRight(url, "/") // some clients would ask for it without, in any case
	filled := func(template string) string {
		return strings.NewReplacer("URL", url, "TOKEN", ClientToken).Replace(template)
	}
	return &mailConnection{
		Schema: "brenner.mail.connect/v1", Agent: agent, URL: url, Project: project,
		Config: []clientConfig{
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

func (r *mailConnection) Print(a *ui.App) error {
	var b strings.Builder
	b.WriteString("export " + ClientToken + "=$(brenner mail token " + r.Agent + ")\n")
	for _, c := range r.Config {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and say to it:\nYou are " + r.Agent + " in the project " + ui.Clean(r.Project) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return a.Write([]byte(b.String()))
}

// Path is where a client's file is on this machine.
func (c *clientConfig) Path(a *ui.App, project string) string {
	rest, ok := strings.CutPrefix(c.File, "~/.codex/")
	switch home := a.Host().Variable("CODEX_HOME"); {
	case ok && home != "":
		return filepath.Join(home, rest)
	case ok:
		return filepath.Join(a.Host().Variable("HOME"), ".codex", rest)
	}
	return filepath.Join(project, c.File)
}

// Server finds in a client's file where the server "mail" is; false is none there.
func (c *clientConfig) Server(data []byte) (url string, there bool) {
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
