package project

import (
	"context"
	"errors"
	"strconv"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/mail"
	"brenner/mail/access"
	"brenner/mail/box"
	"brenner/mail/server"
)

// mailGuard returns what knows which tokens of the project's mail this user has made.
func (p *Project) mailGuard() *access.Guard {
	return &access.Guard{Dir: p.StateDir(), Environ: p.Environ, Now: p.Now}
}

// serverTokens returns the operator's token for a server and the key of agents' tokens. If there is no
// token, or a new one is wanted, it makes one and shows it once, and removes agents' tokens that this user
// did not make.
func (p *Project) serverTokens(ctx context.Context, b *box.Box, renew bool) (string, server.Key, error) {
	guard := p.mailGuard()
	unlock, err := guard.Lock()
	if err != nil {
		return "", nil, err
	}
	defer unlock() //nolint:errcheck // nothing was written to the lock's file
	token, err := guard.Operator()
	if err != nil && !renew {
		return "", nil, err
	}
	key, err := guard.Key()
	if err != nil {
		return "", nil, err
	}
	foreign, err := guard.Foreign(ctx, b, key, token)
	if err != nil {
		return "", nil, err
	}
	done, hint := "ignored", "`brenner mail serve --new-token` removes them; `brenner mail token NAME` makes a new one"
	if renew || token == "" {
		done, hint = "removed", "`brenner mail token NAME` makes a new one"
		if err := b.ReplaceTokens(ctx, foreign, func(string) string { return "" }); err != nil {
			return "", nil, err
		}
		if token, err = guard.MakeOperator(); err != nil {
			return "", nil, err
		}
		p.notify("the operator's token, kept in " + guard.File() + " and not printed again: " + token)
	}
	if len(foreign) > 0 {
		p.Log.Warn().Str("code", string(trust.Untrusted)).Str("hint", hint).
			Msg("agents' tokens that you did not make were " + done + ": " + strconv.Itoa(len(foreign)) + "; the mailbox may have come with the project")
	}
	return token, key, nil
}

// MailToken is a new token.
type MailToken struct {
	Schema string `json:"schema"`
	Agent  string `json:"agent"`
	Token  string `json:"token"`
}

// MakeToken makes a new token for an agent, and its mailbox if necessary.
func (b *Mailbox) MakeToken(ctx context.Context, r mail.Registration) (_ *MailToken, err error) {
	if !baseurl.IsLocal(b.Client.URL()) {
		return nil, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "the mailboxes of that server are not on this machine",
			Hint: "run this command where the server runs",
		}
	}
	if b.Client.Foreign(ctx) {
		return nil, &fault.Error{
			Code: mail.Invalid, Place: b.Client.URL(), Detail: "not this project's `brenner mail serve`: another server cannot know a token that is made here",
			Hint: "agents use the token of that server, if it has one; or start `brenner mail serve` at another address",
		}
	}
	key, err := b.Project.mailGuard().Key()
	if err != nil {
		return nil, err
	}
	opened, err := b.Project.openBox(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if _, err := opened.EnsureProject(ctx, b.Key); err != nil {
		return nil, err
	}
	token := server.NewToken()
	r.Project, r.TokenHash, r.Renew = b.Key, key.Sign(server.Hash(token)), true
	made, err := opened.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := b.Client.Keys().Keep(b.Client.URL(), b.Key, made.Name, made.Name, token); err != nil {
		return nil, err
	}
	if b.refuses(ctx, token) {
		b.Project.Log.Warn().Str("hint", "restart `brenner mail serve`, which may be of an earlier version or have another key; or it serves another project").Msg("the server at " + b.Client.URL() + " refuses the new token")
	}
	return &MailToken{Schema: "brenner.mail.token/v1", Agent: made.Name, Token: token}, nil
}
