package cli

import (
	"context"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

type mailServeOptions struct {
	project string
	mailServer
}

// mailServer says where and how to serve mail.
type mailServer struct {
	addr    string
	hosts   []string // names under which it may be asked, beside localhost
	noToken bool     // hear everyone
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
	cfg, err := a.open(opt.project, "", nil)
	if err != nil {
		return err
	}
	m, err := cfg.openMail(ctx, &opt.mailServer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.box.Close()) }()
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
	if err := a.show(&mailServing{Schema: "brenner.mail.serve/v1", URL: m.url(), Project: cfg.Project.Dir}); err != nil {
		return err
	}
	a.say("brenner: mail of " + clean(cfg.Project.Dir) + "; `brenner mail connect NAME` says how an agent joins; Ctrl-C ends\n")
	return m.server.Serve(ctx, m.listener)
}

// openedMail is a mail server that is ready to serve.
type openedMail struct {
	listener net.Listener
	box      *box.Box
	server   *server.Server
	path     string
	token    string // the operator's; empty hears everybody
}

func (m *openedMail) url() string { return "http://" + m.listener.Addr().String() + m.path }

// openMail takes the address, opens the mailbox and finds the token.
func (p *Project) openMail(ctx context.Context, opt *mailServer) (_ *openedMail, err error) {
	m := &openedMail{path: "/" + strings.TrimLeft(p.Mail.Path, "/")}
	if m.listener, err = server.Listen(ctx, opt.addr, !opt.noToken); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = m.listener.Close() // the error that matters is the one that is given
			if m.box != nil {
				_ = m.box.Close()
			}
		}
	}()
	if m.box, err = box.Open(ctx, storeDir(p), box.Options{Now: p.Now}); err != nil {
		return nil, err
	}
	if !opt.noToken {
		if m.token, err = p.operatorToken(); err != nil {
			return nil, err
		}
	}
	m.server, err = server.New(server.Options{Box: m.box, Operator: m.token, Hosts: opt.hosts, Path: m.path, Version: release})
	return m, err
}

// mailBeside serves the project's mail while a session runs, where that looks for
// it. The function that it gives ends the server.
func (p *Project) mailBeside(ctx context.Context) (end func(), err error) {
	address, err := p.mailAddress("")
	if err != nil {
		return nil, err
	}
	at, err := servedAt(address)
	if err != nil {
		return nil, err
	}
	opened, err := p.openMail(ctx, &mailServer{addr: at})
	if err != nil {
		return nil, err
	}
	p.Served[address] = opened.token
	p.notify("mail is served at " + opened.url() + " while the session runs; `brenner mail connect NAME` says how an agent joins")
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- opened.server.Serve(ctx, opened.listener) }()
	return func() {
		cancel()
		if err := errors.Join(<-ended, opened.box.Close()); err != nil {
			p.Log.Warn().Err(err).Msg("the mail server did not end well; what was sent is kept")
		}
	}, nil
}

// servedAt gives where to listen so that a session finds its mail at an address, if a
// server of this process can be there at all.
func servedAt(address string) (string, error) {
	wrong := func(why string) error {
		return &fault.Error{
			Code: mail.Invalid, Op: "serve mail beside the session", Place: address, Detail: why,
			Hint: "leave " + mail.EnvBaseURL + " and mail.base_url unset, or name a port of this machine, such as " + mail.DefaultBaseURL,
		}
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", wrong(err.Error())
	case u.Scheme != "http":
		return "", wrong("--serve-mail serves http, and the session would ask by " + u.Scheme)
	case !isLoopback(address):
		return "", wrong("--serve-mail serves this machine only, and the session would ask " + u.Hostname())
	case u.Port() == "0":
		return "", wrong("port 0 is any port, and the session could not know which")
	case u.Port() == "":
		return net.JoinHostPort(u.Hostname(), "80"), nil
	}
	return u.Host, nil
}

// mailServing is where a server is.
type mailServing struct {
	Schema  string `json:"schema"`
	URL     string `json:"url"`
	Project string `json:"project"`
}

func (r *mailServing) document() any { return r }

func (r *mailServing) text(a *app) error { return a.write([]byte(r.URL + "\n")) }

// operatorToken reads the operator's token, or makes it and says it once.
func (p *Project) operatorToken() (string, error) {
	token, there, err := readToken(p)
	if err != nil || there && token != "" {
		return token, err
	}
	token = server.NewToken()
	path := filepath.Join(storeDir(p), operatorFile)
	// A file that is there may be readable by others: it is replaced, not filled.
	if err := files.Write(path, []byte(token+"\n")); err != nil {
		return "", &fault.Error{Code: CannotWrite, Op: "keep the mail server's token", Place: path, Detail: reason(err)}
	}
	p.notify("the operator's token, kept in " + path + " and not printed again: " + token)
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
		Args: exactly("name"),
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
	if !isLoopback(m.client.URL()) {
		return &fault.Error{
			Code: mail.Invalid, Place: m.client.URL(), Detail: "the mailboxes of that server are not here",
			Hint: "run this where the server runs; a server of this project is on this machine",
		}
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
	if err := m.client.Keys().Keep(m.client.URL(), m.key, made.Name, made.Name, token); err != nil {
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
