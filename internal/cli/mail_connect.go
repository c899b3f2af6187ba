package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/mail"
)

func (a *app) mailConnectCommand() *cobra.Command {
	var flags mailFlags
	c := &cobra.Command{
		Use: "connect NAME", Short: "Print what Claude Code, Codex CLI, Gemini CLI and Cursor need to join as an agent", Args: cobra.ExactArgs(1),
		Long: `Prints the configuration with which an agent program reaches this project's mail. The token
itself is not in it: every program takes it from the variable MAIL_TOKEN.`,
		Example: `  brenner mail connect BlueLake

Exit codes: 0 printed; 2 not a name, or the address is none.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := mail.CheckName(args[0]); err != nil {
				return err
			}
			m, err := a.mailbox(flags)
			if err != nil {
				return err
			}
			return a.show(connection(args[0], strings.TrimRight(m.client.URL(), "/"), m.key))
		},
	}
	flags.add(c)
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

type clientConfig struct {
	Program string `json:"program"`
	File    string `json:"file"`
	Text    string `json:"text"`
}

func connection(agent, url, project string) *mailConnection {
	quoted := func(template string) string { return strings.ReplaceAll(template, "URL", url) }
	return &mailConnection{
		Schema: "brenner.mail.connect/v1", Agent: agent, URL: url, Project: project,
		Config: []clientConfig{
			{"Claude Code", ".mcp.json", quoted(`{"mcpServers": {"mail": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${MAIL_TOKEN}"}}}}`)},
			{"Codex CLI", "~/.codex/config.toml", quoted(`[mcp_servers.mail]
url = "URL"
bearer_token_env_var = "MAIL_TOKEN"
default_tools_approval_mode = "approve"
required = true
tool_timeout_sec = 60`)},
			{"Gemini CLI", ".gemini/settings.json", quoted(`{"mcpServers": {"mail": {"httpUrl": "URL", "trust": true, "timeout": 60000, "headers": {"Authorization": "Bearer $MAIL_TOKEN"}}}}`)},
			{"Cursor", ".cursor/mcp.json", quoted(`{"mcpServers": {"mail": {"url": "URL", "headers": {"Authorization": "Bearer ${env:MAIL_TOKEN}"}}}}`)},
		},
	}
}

func (r *mailConnection) document() any { return r }

func (r *mailConnection) text(a *app) error {
	var b strings.Builder
	b.WriteString("export MAIL_TOKEN=$(brenner mail token " + r.Agent + ")\n")
	for _, c := range r.Config {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and say to it:\nYou are " + r.Agent + " in the project " + clean(r.Project) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return a.write([]byte(b.String()))
}
