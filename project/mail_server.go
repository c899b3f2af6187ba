package project

import (
	"context"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

// MailServer says where and how to serve mail.
type MailServer struct {
	Addr    string
	Hosts   []string // names under which it may be asked, beside localhost
	NoToken bool     // hear everyone
}

// OpenMailServer is a mail server that is ready to serve.
type OpenMailServer struct {
	Listener net.Listener
	Box      *box.Box
	Server   *server.Server
	path     string
	token    string // the operator's; empty hears everyone
}

// URL returns the address of the server.
func (m *OpenMailServer) URL() string { return "http://" + m.Listener.Addr().String() + m.path }

// OpenMail takes the address, opens the mailbox and finds the token.
func (p *Project) OpenMail(ctx context.Context, opt *MailServer) (_ *OpenMailServer, err error) {
	m := &OpenMailServer{path: "/" + strings.TrimLeft(p.Config.Mail.Path, "/")}
	if m.Listener, err = server.Listen(ctx, opt.Addr, !opt.NoToken); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = m.Listener.Close() // the error that matters is the one that is given
			if m.Box != nil {
				_ = m.Box.Close()
			}
		}
	}()
	if m.Box, err = box.Open(ctx, p.StateDir(), box.Options{Now: p.Now}); err != nil {
		return nil, err
	}
	if !opt.NoToken {
		if m.token, err = p.operatorToken(); err != nil {
			return nil, err
		}
	}
	m.Server, err = server.New(server.Options{Box: m.Box, Operator: m.token, Hosts: opt.Hosts, Path: m.path, Version: release})
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
	opened, err := p.OpenMail(ctx, &MailServer{Addr: at})
	if err != nil {
		return nil, err
	}
	p.served.set(address, opened.token)
	p.notify("mail is served at " + opened.URL() + " while the session runs; `brenner mail connect NAME` says how an agent joins")
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- opened.Server.Serve(ctx, opened.Listener) }()
	return func() {
		cancel()
		p.served.set(address, "")
		if err := errors.Join(<-ended, opened.Box.Close()); err != nil {
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

// operatorToken reads the operator's token, or makes it and says it once.
func (p *Project) operatorToken() (string, error) {
	token, there, err := readToken(p)
	if err != nil || there && token != "" {
		return token, err
	}
	token = server.NewToken()
	path := filepath.Join(p.StateDir(), operatorFile)
	// A file that is there may be readable by others: it is replaced, not filled.
	if err := files.Write(path, []byte(token+"\n")); err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "keep the mail server's token", Place: path, Detail: files.Reason(err)}
	}
	p.notify("the operator's token, kept in " + path + " and not printed again: " + token)
	return token, nil
}
