package mail

import (
	"context"
	"errors"
	"time"

	"brenner/internal/fault"
)

// proof says which argument of a call proves for which agent it is.
type proof struct {
	project, agent, argument string
	// inContract says that every server's tool takes the argument; others get it where
	// they say that they do.
	inContract bool
}

// callAs calls a tool for an agent, with its token if one is held. A token that the
// server refuses may be of a mailbox that is gone: then the call is made once more,
// with the token that another process has put in its place, or without any. A call
// that was refused was not done.
func (c *Client) callAs(ctx context.Context, p proof, tool string, arguments map[string]any, into any) error {
	return c.waitAs(ctx, 0, p, tool, arguments, into)
}

// waitAs is callAs for a call that the server may hold back for so long.
func (c *Client) waitAs(ctx context.Context, wait time.Duration, p proof, tool string, arguments map[string]any, into any) error {
	token := c.keys.Token(c.url, p.project, p.agent)
	if token == "" || !p.inContract && !c.takes(ctx, tool, p.argument) {
		return c.wait(ctx, wait, tool, arguments, into)
	}
	arguments[p.argument] = token
	refusal := c.wait(ctx, wait, tool, arguments, into)
	if !unproven(refusal) {
		return refusal
	}
	delete(arguments, p.argument)
	if newer := c.keys.newer(c.url, p.project, p.agent, token); newer != "" {
		arguments[p.argument] = newer
	}
	err := c.wait(ctx, wait, tool, arguments, into)
	if unproven(err) {
		return refusal // it was not the token
	}
	_ = c.keys.Drop(c.url, p.project, p.agent, token) // where the file cannot be written, it is refused again next time
	return err
}

// unproven tells whether a server did not believe who calls. What HTTP refuses is the
// bearer, whatever else a call brings.
func unproven(err error) bool {
	var said *Said
	code := fault.CodeOf(err)
	return (code == NotYours || code == NoAuth) && errors.As(err, &said)
}

// CheckKey asks a server whether it takes the token that is held for an agent. It
// changes nothing, on either side.
func (c *Client) CheckKey(ctx context.Context, project, agent string) error {
	h, err := c.Health(ctx)
	if err != nil {
		return err
	}
	token := c.keys.Token(c.url, project, agent)
	asking := &Client{url: c.url, token: c.token, keys: &Keyring{}, http: c.http, timeout: c.timeout, most: c.most}
	if h.Environment == embedded {
		asking.token, token = token, "" // to whom the operator's bearer is enough for everybody
	} else if err := asking.keys.Keep(c.url, project, agent, agent, token); err != nil {
		return err
	}
	_, err = asking.Inbox(ctx, InboxQuery{Project: project, Agent: agent, Limit: 1, NoBodies: true}, 0)
	if err == nil && token != "" && asking.keys.Token(c.url, project, agent) == "" {
		return &fault.Error{Code: NoAuth, Place: c.url, Detail: "the server does not take the token of " + fault.Shown(agent)}
	}
	return err
}

// embedded is what a server of ours calls its environment.
const embedded = "embedded"
