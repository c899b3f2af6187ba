package project

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/clients"
	"brenner/mail/server"
	"brenner/prompts"
	"brenner/roster"
)

// tokensFile is the file of agents' tokens in a project's state directory.
const tokensFile = "mail-tokens.json"

// OperatorName is the mailbox name of the operator and of sessions.
const OperatorName = "Operator"

// Mailbox is a client of a project's mail.
type Mailbox struct {
	Project *Project
	Client  *mail.Client
	Key     string // the project's
}

// MailboxOf returns a client of the project's mail, at the given address or the configured
// one. Nothing is sent yet. The flags, for errors, name another server.
func (p *Project) MailboxOf(base string, flags ...string) (*Mailbox, error) {
	address, err := p.mailAddress(base)
	if err != nil {
		return nil, err
	}
	return p.mailboxAt(address, flags...)
}

// mailboxAt returns a client of the mail at an address, with such flags.
func (p *Project) mailboxAt(address string, flags ...string) (*Mailbox, error) {
	if err := p.CheckHost(address); err != nil {
		return nil, err
	}
	keys, err := mail.OpenKeyring(filepath.Join(p.StateDir(), tokensFile))
	if err != nil {
		return nil, err
	}
	token, own, err := p.bearer(address)
	if err != nil {
		return nil, err
	}
	key, err := filepath.Abs(p.Config.Project.Dir)
	if err != nil {
		return nil, &fault.Error{Code: files.Unreadable, Place: p.Config.Project.Dir, Cause: err}
	}
	o := mail.Options{URL: address, Flags: flags, Token: token, OwnOnly: own, Keys: keys, HTTP: &http.Client{Transport: http.DefaultTransport}}
	if call := p.Config.Timeouts.Call; call > 0 {
		o.Settle = min(call/4, mail.DefaultTimeout) //nolint:mnd // most of it is for the reply
	}
	client, err := mail.New(o)
	if err != nil {
		return nil, err
	}
	return &Mailbox{Project: p, Client: client, Key: key}, nil
}

// refuses reports whether the server runs and does not accept a token.
func (b *Mailbox) refuses(ctx context.Context, token string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	client, err := mail.New(mail.Options{URL: b.Client.URL(), Token: token, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err == nil {
		_, err = client.Health(ctx)
	}
	return fault.CodeOf(err) == mail.NoAuth
}

// Name returns the name of an agent on the server, which may differ from the requested one.
func (b *Mailbox) Name(asked string) string {
	return b.Client.Keys().Name(b.Client.URL(), b.Key, asked)
}

// CheckOwn returns an error if an agent belongs to another project: to register it would take its name from that project.
func (b *Mailbox) CheckOwn(ctx context.Context, asked string) error {
	err := b.Client.CheckProject(ctx, b.Key, b.Name(asked))
	if fault.CodeOf(err) != mail.OtherProject {
		return nil
	}
	return err
}

// Names returns the names of agents on the server.
func (b *Mailbox) Names(asked []string) []string {
	all := make([]string, len(asked))
	for i, name := range asked {
		all[i] = b.Name(name)
	}
	return all
}

// mailAddress returns the address of the mail server: from the flag, or the configuration.
// An untrusted file cannot send the project's mail, or a token, to another machine.
func (p *Project) mailAddress(flag string) (string, error) {
	base := cmp.Or(flag, p.Config.Mail.BaseURL)
	address, err := mail.Address(base, p.Config.Mail.Path)
	if err != nil || baseurl.IsLocal(address) {
		return address, err
	}
	for _, key := range []string{"mail.base_url", "mail.path"} {
		if flag != "" && key == "mail.base_url" {
			continue
		}
		if err := p.mustTrust(p.Config.Origin(key), p.mailAction(base)); err != nil {
			return "", err
		}
	}
	return address, nil
}

// mailAction describes, for trust, a configured mail server.
func (p *Project) mailAction(base string) string {
	return "send this project's mail, and the token of " + p.Config.Mail.TokenEnv + ", to " + baseurl.Shown(base)
}

// bearer returns the token for a server: this process's own, the one in the environment, or
// on this machine the one that `mail serve` made, which is sent nowhere else: own says so.
func (p *Project) bearer(address string) (token string, own bool, err error) {
	if token := p.served.token(address); token != "" {
		return token, false, nil
	}
	token = p.Variable(p.Config.Mail.TokenEnv)
	if owner := p.tokenOwner(); token != "" && owner != "" && !baseurl.SameServer(owner, address) {
		p.Log.Warn().Str("hint", "if it is for that server, set "+mail.EnvBaseURL+" to its address").
			Msgf("the token of %s is for %s; not sent to %s", p.Config.Mail.TokenEnv, baseurl.Shown(owner), baseurl.Shown(address))
		token = ""
	}
	if token != "" {
		err := p.mustTrust(p.Config.Origin("mail.token_env"), "send the token of "+p.Config.Mail.TokenEnv+" to "+address)
		return token, false, err
	}
	if !baseurl.IsLocal(address) {
		return "", false, nil
	}
	token, err = p.mailGuard().Operator()
	return token, true, err
}

// tokenOwner returns the mail server that the environment or a file names, to which the token in the environment belongs, or "".
func (p *Project) tokenOwner() string {
	if from := p.Config.Origin("mail.base_url"); from.Level != roster.Default && from.Level != roster.Flags {
		return p.Config.Mail.BaseURL
	}
	return p.Variable(mail.EnvBaseURL)
}

// ProgramToken returns the token for agents' programs in the environment, or "".
func (b *Mailbox) ProgramToken() string { return b.Project.Variable(clients.Token) }

// Connect returns what agent programs need to reach the mail server as an agent.
func (b *Mailbox) Connect(agent string) *clients.Connection {
	return clients.Connect(b.Client.URL(), b.Key, agent)
}

// ServerOf returns the address of the server "mail" in the file of an agent program, if there is one.
func (b *Mailbox) ServerOf(c *clients.Client) (url string, there bool) {
	return c.Server(b.Project.Config.Project.Dir, b.Project.Variable)
}

// MailServer configures a mail server.
type MailServer struct {
	Addr    string
	Hosts   []string // accepted host names, besides localhost
	NoToken bool     // accept requests without a token
	Renew   bool     // make a new operator's token
}

// OpenMailServer is a mail server that is ready to serve.
type OpenMailServer struct {
	Listener net.Listener
	Box      *box.Box
	Server   *server.Server
	path     string
	token    string // the operator's; empty accepts all requests
}

// URL returns the address of the server.
func (m *OpenMailServer) URL() string { return "http://" + m.Listener.Addr().String() + m.path }

// OpenMail listens on the address, opens the mailboxes and finds the token.
func (p *Project) OpenMail(ctx context.Context, opt *MailServer) (_ *OpenMailServer, err error) {
	m := &OpenMailServer{path: "/" + strings.TrimLeft(p.Config.Mail.Path, "/")}
	if m.Listener, err = server.Listen(ctx, opt.Addr, !opt.NoToken); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = m.Listener.Close() // the first error is returned
			if m.Box != nil {
				_ = m.Box.Close()
			}
		}
	}()
	p.sweepFiles()
	if m.Box, err = p.openBox(ctx); err != nil {
		return nil, err
	}
	var key server.Key
	if opt.NoToken {
		key, _ = p.mailGuard().Key() // needed only by later servers
	} else if m.token, key, err = p.serverTokens(ctx, m.Box, opt.Renew); err != nil {
		return nil, err
	}
	m.Server, err = server.New(server.Options{
		Box: m.Box, Operator: m.token, Key: key, Hosts: opt.Hosts, Path: m.path, Version: release,
		Format: prompts.Unified(prompts.Latest).Shortened().Format(prompts.Rights{Unified: true}),
	})
	return m, err
}

// openBox opens the project's mailboxes, and creates them if necessary.
func (p *Project) openBox(ctx context.Context) (*box.Box, error) {
	if os.MkdirAll(p.StateDir(), 0o755) == nil { // else opening says what is wrong
		p.ignoreState()
	}
	return box.Open(ctx, p.StateDir(), box.Options{Now: p.Now})
}

// serveMail serves the project's mail while a session runs, at the address where the
// session expects it. The returned function stops the server.
func (p *Project) serveMail(ctx context.Context, address string) (end func(), err error) {
	at, err := mail.ListenAddress(address)
	if err != nil {
		return nil, err
	}
	opened, err := p.OpenMail(ctx, &MailServer{Addr: at})
	if err != nil {
		return nil, err
	}
	p.served.set(address, opened.token)
	p.notify("mail is served at " + opened.URL() + " while the session runs; `brenner mail connect NAME` shows how an agent joins")
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- opened.Server.Serve(ctx, opened.Listener) }()
	return func() {
		cancel()
		p.served.set(address, "")
		if err := errors.Join(<-ended, opened.Box.Close()); err != nil {
			p.Log.Warn().Err(err).Msg("the mail server failed while stopping; sent mail is stored")
		}
	}, nil
}
