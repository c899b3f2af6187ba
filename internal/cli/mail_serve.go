package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/fault"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

type mailServeOptions struct {
	project, addr string
	hosts         []string
	noToken       bool
}

func (a *app) mailServeCommand() *cobra.Command {
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
		RunE: func(c *cobra.Command, _ []string) error { return a.mailServe(c.Context(), &opt) },
	}
	addProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVar(&opt.addr, "addr", server.DefaultAddress, "where to listen; port 0 takes a free one")
	f.StringArrayVar(&opt.hosts, "host", nil, "a name under which the server may be asked, beside localhost; repeatable")
	f.BoolVar(&opt.noToken, "no-token", false, "hear everybody; only on this machine")
	return c
}

func (a *app) mailServe(ctx context.Context, opt *mailServeOptions) (err error) {
	cfg, err := a.loadConfig(opt.project, "", nil)
	if err != nil {
		return err
	}
	l, err := server.Listen(ctx, opt.addr, !opt.noToken)
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // the server has closed it already
	b, err := box.Open(ctx, storeDir(cfg), box.Options{Now: a.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var token string
	if !opt.noToken {
		if token, err = a.operatorToken(cfg); err != nil {
			return err
		}
	}
	s, err := server.New(server.Options{Box: b, Operator: token, Hosts: opt.hosts, Version: release})
	if err != nil {
		return err
	}
	ctx, drain, done := a.Interrupts.gently(ctx, func() {})
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
	if err := a.write([]byte("http://" + l.Addr().String() + mail.DefaultPath + "\n")); err != nil {
		return err
	}
	a.say("brenner: mail of " + clean(cfg.Project.Dir) + "; `brenner mail connect NAME` says how an agent joins; Ctrl-C ends\n")
	return s.Serve(ctx, l)
}

// operatorToken reads the operator's token, or makes it and says it once.
func (a *app) operatorToken(cfg *config.Config) (string, error) {
	token, there, err := readToken(cfg)
	if err != nil || there && token != "" {
		return token, err
	}
	token = server.NewToken()
	path := filepath.Join(storeDir(cfg), operatorFile)
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", &fault.Error{Code: CannotWrite, Op: "keep the mail server's token", Place: path, Detail: reason(err)}
	}
	a.say("brenner: the operator's token, kept in " + clean(path) + " and not printed again: " + token + "\n")
	return token, nil
}

func (a *app) mailTokenCommand() *cobra.Command {
	var flags mailFlags
	var program, model string
	c := &cobra.Command{
		Use: "token NAME", Short: "Give an agent a new token, and the mailbox if it has none",
		Long: `Makes a token for an agent, in the place of the one it had, and prints it. The agent sends it
as its bearer token; with it, it can act for itself and read its own mail, nothing else.`,
		Example: `  export MAIL_TOKEN=$(brenner mail token BlueLake)

Exit codes: 0 done; 1 the mailbox cannot be written; 2 not a name.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.mailToken(c.Context(), flags, mail.Registration{Name: args[0], Program: program, Model: model})
		},
	}
	flags.add(c)
	c.Flags().StringVar(&program, "program", "", "the program that the agent is")
	c.Flags().StringVar(&model, "model", "", "the model that the agent is")
	return c
}

func (a *app) mailToken(ctx context.Context, flags mailFlags, r mail.Registration) (err error) {
	m, err := a.mailbox(flags)
	if err != nil {
		return err
	}
	b, err := box.Open(ctx, storeDir(m.config), box.Options{Now: a.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if _, err := b.EnsureProject(ctx, m.key); err != nil {
		return err
	}
	token := server.NewToken()
	r.Project, r.TokenHash, r.Renew = m.key, server.Hash(token), true
	made, err := b.Register(ctx, r)
	if err != nil {
		return err
	}
	if err := m.client.Keys().Keep(m.client.URL(), m.key, made.Name, token); err != nil {
		return err
	}
	return a.show(&mailToken{Schema: "brenner.mail.token/v1", Agent: made.Name, Token: token})
}

// mailToken is a token that was made.
type mailToken struct {
	Schema string `json:"schema"`
	Agent  string `json:"agent"`
	Token  string `json:"token"`
}

func (r *mailToken) document() any { return r }

func (r *mailToken) text(a *app) error { return a.write([]byte(r.Token + "\n")) }
