package project

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/mail"
)

// The files of mail in a project's state folder.
const (
	operatorFile = "mail-operator.token"
	tokensFile   = "mail-tokens.json"
)

// OperatorName is under whose name people and sessions write.
const OperatorName = "Operator"

// Mailbox is a project's way to its mail.
type Mailbox struct {
	Project *Project
	Client  *mail.Client
	Key     string // the project's
}

// MailboxOf returns the way to the mail of the project, at an address or that of the
// configuration. Nothing is sent yet.
func (p *Project) MailboxOf(base string) (*Mailbox, error) {
	address, err := p.mailAddress(base)
	if err != nil {
		return nil, err
	}
	keys, err := mail.OpenKeyring(filepath.Join(p.StateDir(), tokensFile))
	if err != nil {
		return nil, err
	}
	token, err := p.bearer(address)
	if err != nil {
		return nil, err
	}
	key, err := filepath.Abs(p.Config.Project.Dir)
	if err != nil {
		return nil, &fault.Error{Code: files.Unreadable, Place: p.Config.Project.Dir, Cause: err}
	}
	client, err := mail.New(mail.Options{URL: address, Token: token, Keys: keys, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return nil, err
	}
	return &Mailbox{Project: p, Client: client, Key: key}, nil
}

// Name gives the name that an agent has on the server, which may have given it another
// one than it asked for.
func (b *Mailbox) Name(asked string) string {
	return b.Client.Keys().Name(b.Client.URL(), b.Key, asked)
}

// Names returns the names that agents have on the server.
func (b *Mailbox) Names(asked []string) []string {
	all := make([]string, len(asked))
	for i, name := range asked {
		all[i] = b.Name(name)
	}
	return all
}

// mailAddress gives where the mail server is: what a flag says, or the
// configuration. A file that the user has not looked at cannot send the project's
// mail, or a token, to another machine.
func (p *Project) mailAddress(flag string) (string, error) {
	base := flag
	if base == "" {
		base = p.Config.Mail.BaseURL
	}
	address, err := mail.Address(base, p.Config.Mail.Path)
	if err != nil || isLoopback(address) {
		return address, err
	}
	m := &Models{Project: p}
	for _, key := range []string{"mail.base_url", "mail.path"} {
		if flag != "" && key == "mail.base_url" {
			continue
		}
		if err := m.MustTrust(p.Config.Origin(key), p.mailWish(base)); err != nil {
			return "", err
		}
	}
	return address, nil
}

// mailWish is what an address of a file comes to.
func (p *Project) mailWish(base string) string {
	return "send this project's mail, and the token of " + p.Config.Mail.TokenEnv + ", to " + base
}

// bearer finds the token for a server: its own if this process serves it, what the
// environment says, or for a server of this machine the one that `mail serve` made.
// That one goes nowhere else.
func (p *Project) bearer(address string) (string, error) {
	if token := p.served.token(address); token != "" {
		return token, nil
	}
	if token := p.variable(p.Config.Mail.TokenEnv); token != "" {
		err := (&Models{Project: p}).MustTrust(p.Config.Origin("mail.token_env"), "send the token of "+p.Config.Mail.TokenEnv+" to "+address)
		return token, err
	}
	if !isLoopback(address) {
		return "", nil
	}
	token, _, err := readToken(p)
	return token, err
}

// readToken reads the operator's token; false means that there is none.
func readToken(p *Project) (token string, there bool, err error) {
	path := filepath.Join(p.StateDir(), operatorFile)
	data, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return "", false, nil
	case err != nil:
		return "", false, &fault.Error{Code: files.Unreadable, Op: "read the mail server's token", Place: path, Detail: files.Reason(err)}
	}
	return strings.TrimSpace(string(data)), true, nil
}
