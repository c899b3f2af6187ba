package mailcmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
	"brenner/mail/server"
	"brenner/project"
)

type mailServeOptions struct {
	project string
	project.MailServer
}

func mailServeCommand(a *ui.App) *cobra.Command {
	var opt mailServeOptions
	c := &cobra.Command{
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
	}
	ui.AddProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVar(&opt.Addr, "addr", server.DefaultAddress, "where to listen; port 0 takes a free one")
	f.StringArrayVar(&opt.Hosts, "host", nil, "a name under which the server may be asked, beside localhost; repeatable")
	f.BoolVar(&opt.NoToken, "no-token", false, "hear everybody; only on this machine")
	return c
}

func mailServe(ctx context.Context, a *ui.App, opt *mailServeOptions) (err error) {
	p, err := a.Open(opt.project, "", nil)
	if err != nil {
		return err
	}
	m, err := p.OpenMail(ctx, &opt.MailServer)
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
	if err := a.Show(&mailServing{Schema: "brenner.mail.serve/v1", URL: m.URL(), Project: p.Config.Project.Dir}); err != nil {
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

func (r *mailServing) Print(a *ui.App) error { return a.Write([]byte(r.URL + "\n")) }

func mailTokenCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var program, model string
	c := &cobra.Command{
		Use: "token NAME", Short: "Give an agent a new token, and the mailbox if it has none",
		Long: `Makes a token for an agent, in the place of the one it had, and prints it. The agent sends it
as its bearer token; with it, it can act for itself and read its own mail, nothing else.`,
		Example: `  export MAIL_TOKEN=$(brenner mail token BlueLake)

Exit codes: 0 done; 1 the mailbox cannot be written; 2 not a name.`,
		Args: ui.Exactly("name"),
		RunE: func(c *cobra.Command, args []string) error {
			return makeToken(c.Context(), a, flags, mail.Registration{Name: args[0], Program: program, Model: model})
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&program, "program", "", "the program that the agent is")
	c.Flags().StringVar(&model, "model", "", "the model that the agent is")
	return c
}

func makeToken(ctx context.Context, a *ui.App, flags MailFlags, r mail.Registration) error {
	m, err := mailbox(a, flags)
	if err != nil {
		return err
	}
	t, err := m.MakeToken(ctx, r)
	if err != nil {
		return err
	}
	return a.Show(tokenView{t})
}

// tokenView is a token that was made.
type tokenView struct{ *project.MailToken }

func (r tokenView) Print(a *ui.App) error { return a.Write([]byte(r.Token + "\n")) }
