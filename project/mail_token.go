package project

import (
	"context"
	"strconv"

	"brenner/internal/trust"
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
