package mailcmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
	"brenner/mail/server"
	"brenner/project"
)

func mailServeCommand(a *ui.App) *cobra.Command {
	var opt project.MailServer
	c := ui.InProject(&cobra.Command{
		Use: "serve", Short: "Run the project's mail server until Ctrl-C",
		Long: `Serves the project's mail (.brenner/mail.db) over HTTP, on this machine only unless --addr
says otherwise. The first start makes the operator's token (.brenner/mail-operator.token,
readable by its owner only) and prints it once. Killing the server loses nothing.`,
		Example: `  brenner mail serve
  brenner mail serve --addr 127.0.0.1:0

Exit codes: 0 ended by Ctrl-C; 1 the mailbox cannot be written; 2 the address cannot be
listened at; 4 others could reach it without a token.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return mailServe(c.Context(), a, &opt) },
	})
	f := c.Flags()
	f.StringVar(&opt.Addr, "addr", server.DefaultAddress, "where to listen; port 0 takes a free one")
	f.StringArrayVar(&opt.Hosts, "host", nil, "a name under which the server may be asked, beside localhost; repeatable")
	f.BoolVar(&opt.NoToken, "no-token", false, "hear everybody; only on this machine")
	return c
}

func mailServe(ctx context.Context, a *ui.App, opt *project.MailServer) (err error) {
	p, err := a.Open()
	if err != nil {
		return err
	}
	m, err := p.OpenMail(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Box.Close()) }()
	ctx, drain, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-drain:
			cancel()
		case <-ctx.Done():
		}
	}()
	serving := mailServing{Schema: "brenner.mail.serve/v1", URL: m.URL(), Project: p.Config.Project.Dir}
	if err := ui.Show(a, serving, nil, func(_ *ui.App, s mailServing) string { return s.URL + "\n" }); err != nil {
		return err
	}
	a.Say("brenner: mail of " + ui.Clean(p.Config.Project.Dir) + "; `brenner mail connect NAME` says how an agent joins; Ctrl-C ends\n")
	return m.Server.Serve(ctx, m.Listener)
}

// mailServing is where a server is.
type mailServing struct {
	Schema  string `json:"schema"`
	URL     string `json:"url"`
	Project string `json:"project"`
}

func mailTokenCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var r mail.Registration
	c := flags.Add(&cobra.Command{
		Use: "token NAME", Short: "Give an agent a new token, and the mailbox if it has none",
		Long: `Makes a token for an agent, in the place of the one it had, and prints it. The agent sends it
as its bearer token; with it, it can act for itself and read its own mail, nothing else.`,
		Example: `  export MAIL_TOKEN=$(brenner mail token BlueLake)

Exit codes: 0 done; 1 the mailbox cannot be written; 2 not a name.`,
		Args: ui.Exactly("name"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailToken, error) { return m.MakeToken(c.Context(), r) },
				func(_ *ui.App, t *project.MailToken) string { return t.Token + "\n" })
		},
	})
	c.Flags().StringVar(&r.Program, "program", "", "the program that the agent is")
	c.Flags().StringVar(&r.Model, "model", "", "the model that the agent is")
	return c
}

func mailConnectCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
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
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailConnection, error) { return m.Connect(args[0]), nil }, connectionText)
		},
	})
}

func connectionText(_ *ui.App, r *project.MailConnection) string {
	var b strings.Builder
	b.WriteString("export " + project.ClientToken + "=$(brenner mail token " + r.Agent + ")\n")
	for _, c := range r.Clients {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and say to it:\nYou are " + r.Agent + " in the project " + ui.Clean(r.ProjectKey) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return b.String()
}
