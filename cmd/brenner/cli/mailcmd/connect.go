package mailcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
	"brenner/project"
)

func mailConnectCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "connect NAME", Short: "Print what Claude Code, Codex CLI, Gemini CLI and Cursor need to join as an agent", Args: ui.Exactly("name"),
		Long: `Prints the configuration with which an agent program reaches this project's mail. The token
itself is not in it: every program takes it from the variable ` + project.ClientToken + `. Where a file is
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
			return a.Show(connectionView{m.Connect(args[0])})
		},
	}
	flags.Add(c)
	return c
}

// connectionView is how an agent program reaches a mail server.
type connectionView struct{ *project.MailConnection }

func (r connectionView) Print(a *ui.App) error {
	var b strings.Builder
	b.WriteString("export " + project.ClientToken + "=$(brenner mail token " + r.Agent + ")\n")
	for _, c := range r.Clients {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and say to it:\nYou are " + r.Agent + " in the project " + ui.Clean(r.ProjectKey) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return a.Write([]byte(b.String()))
}
