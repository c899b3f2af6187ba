package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/mail/clients"
	"brenner/project"
	"brenner/roster"
	"brenner/session/flow"
)

// mailTimeout is how long the doctor waits for the mail server.
const mailTimeout = 4 * time.Second

// checkMail checks the mail server if an agent of the roster is reached through it or its
// address is configured. It sends no mail, and creates only the operator's mailbox, as a session does.
func checkMail(ctx context.Context, p *project.Project, parties []flow.Party) []Check {
	var by []string
	for _, party := range parties {
		if party.Via == config.ViaMail {
			by = append(by, party.Name)
		}
	}
	if len(by) == 0 && p.Config.Origin("mail.base_url").Level == roster.Default {
		return nil
	}
	box, err := p.MailboxOf("")
	if err != nil {
		return brokenBy("mail server", err)
	}
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	d := checkServer(ctx, box)
	if d[len(d)-1].Status != Broken {
		d = append(d, checkTools(ctx, box), checkWrite(ctx, box), checkAgents(ctx, box, by))
		d = append(d, checkKeys(ctx, box)...)
	}
	return append(d, checkClients(ctx, box, by)...)
}

// checkServer reports whether the server can be reached and accepts the token.
func checkServer(ctx context.Context, b *project.Mailbox) []Check {
	at := "mail server " + b.Client.URL()
	var d []Check
	if u, err := url.Parse(b.Client.URL()); err == nil && u.Scheme == "http" && !baseurl.Loopback(u.Hostname()) {
		d = append(d, note(at, "the token and all mail are sent unencrypted", "use https, or a server on this machine"))
	}
	h, err := b.Client.Health(ctx)
	switch code := fault.CodeOf(err); {
	case err == nil && h.Ready():
		accepts := "needs no token; "
		if b.Client.SendsToken() {
			accepts = "accepts the token; "
		}
		return append(d, fine(at, strings.TrimSpace("responds, "+accepts+h.Status+" "+h.Version)))
	case err == nil:
		return append(d, broken(at, "unhealthy: it reports "+fault.Shown(h.Status), "check the server's log"))
	case code == mail.Unreachable && !mail.Responded(err):
		return append(d, broken(at, "no response", mail.HowToServe(b.Client.URL())+", or set its address with "+mail.EnvBaseURL+" or mail.base_url in "+config.FileName))
	case code == mail.NoAuth:
		what := "token rejected"
		if !b.Client.SendsToken() {
			what = "requires a token"
		}
		return append(d, broken(at, what, "set "+b.Project.Config.Mail.TokenEnv+" to the server's token; leave it unset for this project's own `brenner mail serve`"))
	}
	return append(d, brokenBy(at, err)...)
}

// requiredTools returns the tools that a session by mail requires.
func requiredTools() []string {
	return []string{"ensure_project", "register_agent", "send_message", "fetch_inbox"}
}

// checkTools reports whether the server has the tools that a session requires.
func checkTools(ctx context.Context, b *project.Mailbox) Check {
	const what = "mail tools"
	all, err := b.Client.Tools(ctx)
	if err != nil {
		f := fault.Distinct(err)[0]
		return note(what, "cannot list its tools: "+f.Error(), "a session by mail may still work")
	}
	missing := slices.DeleteFunc(requiredTools(), func(name string) bool { return slices.Contains(all, name) })
	if len(missing) > 0 {
		return broken(what, "missing: "+strings.Join(missing, ", "), "is this an Agent Mail server? `brenner mail serve` is one")
	}
	if !slices.Contains(all, "acknowledge_message") {
		return note(what, fmt.Sprintf("%d, but not acknowledge_message: agents cannot acknowledge mail", len(all)), "if it is mcp-mail, start it with MCP_TOOLS_MODE=extended")
	}
	return fine(what, fmt.Sprintf("%d, including all that a session needs", len(all)))
}

// checkWrite tries to write as a session does, before a session does.
func checkWrite(ctx context.Context, b *project.Mailbox) Check {
	const what = "mail writes"
	err := b.TryWrite(ctx)
	if fault.CodeOf(err) == mail.NoAuth {
		return broken(what, "the server refuses them: "+fault.Distinct(err)[0].Error(), fault.HintOf(err))
	}
	if err != nil {
		return brokenBy(what, err)[0]
	}
	return fine(what, "accepted")
}

// checkAgents lists the mailboxes, and the agents of the roster without one.
func checkAgents(ctx context.Context, b *project.Mailbox, by []string) Check {
	const what = "mailboxes"
	all, err := b.Client.Agents(ctx, b.Key)
	if code := fault.CodeOf(err); code == mail.NotFound || code == mail.Refused {
		all, err = nil, nil // the first user of the project creates it
	}
	if err != nil {
		return brokenBy(what, err)[0]
	}
	if err := b.Client.CheckProject(ctx, b.Key, b.Names(by)...); fault.CodeOf(err) == mail.OtherProject {
		return brokenBy(what, err)[0]
	}
	var names []string
	for _, agent := range all {
		names = append(names, agent.Name)
	}
	without := slices.DeleteFunc(slices.Clone(by), func(name string) bool {
		return slices.ContainsFunc(names, func(o string) bool { return strings.EqualFold(o, name) })
	})
	found := cmp.Or(text.Some(names), "none yet")
	if len(without) > 0 {
		return note(what, found+"; none for "+strings.Join(without, ", "), "`"+text.CommandToCopy("brenner mail connect", "NAME", without[0])+"` shows how it joins")
	}
	return fine(what, found)
}

const restart = "restart `brenner mail serve` if it is of an earlier version or has another key"

// checkKeys reports whether the server still accepts the stored agent tokens.
func checkKeys(ctx context.Context, b *project.Mailbox) []Check {
	held := b.Client.Keys().Agents(b.Client.URL(), b.Key)
	if len(held) == 0 {
		return nil
	}
	const what = "agents' tokens"
	var refused []string
	for _, name := range held {
		switch err := b.Client.CheckKey(ctx, b.Key, name); fault.CodeOf(err) {
		case mail.NoAuth, mail.NotYours, mail.NotFound:
			refused = append(refused, name)
		default:
			if err != nil {
				return brokenBy(what, err)
			}
		}
	}
	if len(refused) == 0 {
		return []Check{fine(what, "accepted for "+text.Some(held))}
	}
	return []Check{note(what, "no longer accepted for "+text.Some(refused),
		restart+"; if the mailboxes were recreated, `"+text.CommandToCopy("brenner mail token", "NAME", refused[0])+"` makes a new token; the operator's token still works")}
}

// checkClients checks the setup of the agents' programs: their names, the token's variable,
// and existing configuration files.
func checkClients(ctx context.Context, box *project.Mailbox, by []string) []Check {
	var d []Check
	for _, name := range by {
		if err := mail.CheckName(name); err != nil {
			d = append(d, broken("agent "+name, "cannot have a mailbox: "+fault.Distinct(err)[0].Error(), fault.HintOf(err)))
		}
	}
	if c := checkClientToken(ctx, box, by); c.What != "" {
		d = append(d, c)
	}
	said := box.Connect("")
	for _, c := range said.Clients {
		at, there := box.ServerOf(&c)
		what := "setup of " + c.Program
		switch {
		case !there:
		case strings.TrimRight(at, "/") == said.URL:
			d = append(d, fine(what, c.File+" points to this server"))
		default:
			d = append(d, broken(what, c.File+" points to another server: "+at, "add the output of `brenner mail connect NAME` to it"))
		}
	}
	return d
}

// checkClientToken reports whose token the programs' variable holds.
func checkClientToken(ctx context.Context, box *project.Mailbox, by []string) Check {
	fix := "export " + clients.Token + "=$(brenner mail token NAME), where you start the agent's program"
	token := box.ProgramToken()
	if _, err := box.Client.Health(ctx); mail.Responded(err) {
		return Check{} // reported for the server
	}
	if box.Client.Foreign(ctx) {
		if token == "" && !box.Client.SendsToken() {
			return Check{} // none is needed
		}
		fix = "set it to the token of that server, where you start the agent's program"
	}
	if token == "" {
		return note(clients.Token, "not set; agents' programs need it", fix)
	}
	client, err := mail.New(mail.Options{URL: box.Client.URL(), Token: token, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return Check{}
	}
	for _, name := range by {
		_, err = client.Inbox(ctx, mail.InboxQuery{Project: box.Key, Agent: name, Limit: 1, NoBodies: true}, 0)
		if err == nil {
			return fine(clients.Token, "token of "+name)
		}
	}
	if len(by) == 0 {
		_, err = client.Health(ctx)
	}
	switch fault.CodeOf(err) {
	case "":
		return fine(clients.Token, "accepted by the server")
	case mail.NoAuth:
		keys, hint := box.Client.Keys(), fix
		if slices.ContainsFunc(keys.Agents(box.Client.URL(), box.Key), func(name string) bool { return keys.Token(box.Client.URL(), box.Key, name) == token }) {
			hint = restart + "; else " + fix // a new token would be rejected, too
		}
		return broken(clients.Token, "rejected by the server", hint)
	case mail.NotYours, mail.NotFound:
		return note(clients.Token, "not the token of an agent reached via mail", fix)
	}
	return Check{} // the server's fault is reported elsewhere
}
