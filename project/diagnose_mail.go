package project

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/roster"
)

// checkMail asks the mail server how it is, where an agent of the roster is reached
// through it or its address is configured. It sends no mail, and makes nothing.
func checkMail(ctx context.Context, p *Project, r roster.Roster) []Check {
	var by []string
	for _, e := range r.Entries {
		if p.Config.Reach(e.Model).Via == config.ViaMail {
			by = append(by, e.Agent)
		}
	}
	if len(by) == 0 && p.Config.Origin("mail.base_url").Level == roster.Default {
		return nil
	}
	box, err := p.MailboxOf("")
	if err != nil {
		return brokenBy("mail server", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	d := checkServer(ctx, box)
	if d[len(d)-1].Status != CheckBroken {
		d = append(d, checkTools(ctx, box), checkAgents(ctx, box, by))
		d = append(d, checkKeys(ctx, box)...)
	}
	return append(d, checkClients(ctx, box, by)...)
}

// checkServer says whether the server can be reached, and takes the token.
func checkServer(ctx context.Context, b *Mailbox) []Check {
	at := "mail server " + b.Client.URL()
	var d []Check
	if u, err := url.Parse(b.Client.URL()); err == nil && u.Scheme == "http" && !isLoopback(b.Client.URL()) {
		d = append(d, note(at, "the token and all mail go over the network for everybody to read", "use https, or a server on this machine"))
	}
	h, err := b.Client.Health(ctx)
	switch code := fault.CodeOf(err); {
	case err == nil && h.Ready():
		return append(d, fine(at, strings.TrimSpace("answers, takes the token; "+h.Status+" "+h.Version)))
	case err == nil:
		return append(d, broken(at, "it answers, and says that it is "+fault.Shown(h.Status), "look at the server"))
	case code == mail.Unreachable:
		return append(d, broken(at, "nobody answers there", "start it with `brenner mail serve`, or say where it is with "+mail.EnvBaseURL+" or mail.base_url in "+config.FileName))
	case code == mail.NoAuth:
		return append(d, broken(at, "it does not take the token", "set "+b.Project.Config.Mail.TokenEnv+" to the server's token; for a `brenner mail serve` of this project leave it unset"))
	}
	return append(d, brokenBy(at, err)...)
}

// needed are the tools without which no session can be held by mail.
func needed() []string {
	return []string{"ensure_project", "register_agent", "send_message", "fetch_inbox"}
}

// checkTools says whether the server has the tools that a session needs.
func checkTools(ctx context.Context, b *Mailbox) Check {
	const what = "mail tools"
	all, err := b.Client.Tools(ctx)
	if err != nil {
		f := fault.Distinct(err)[0]
		return note(what, "it does not list its tools: "+f.Error(), "a session by mail may work all the same")
	}
	missing := slices.DeleteFunc(needed(), func(name string) bool { return slices.Contains(all, name) })
	if len(missing) > 0 {
		return broken(what, "it has no "+strings.Join(missing, ", "), "is this an Agent Mail server? `brenner mail serve` is one")
	}
	return fine(what, fmt.Sprintf("%d, those that a session needs among them", len(all)))
}

// checkAgents says which agents have a mailbox, and which of the roster have none.
func checkAgents(ctx context.Context, b *Mailbox, by []string) Check {
	const what = "mailboxes"
	all, err := b.Client.Agents(ctx, b.Key)
	if code := fault.CodeOf(err); code == mail.NotFound || code == mail.Refused {
		all, err = nil, nil // the project is made by whoever first needs it
	}
	if err != nil {
		return brokenBy(what, err)[0]
	}
	var names []string
	for _, agent := range all {
		names = append(names, agent.Name)
	}
	without := slices.DeleteFunc(slices.Clone(by), func(name string) bool {
		return slices.ContainsFunc(names, func(o string) bool { return strings.EqualFold(o, name) })
	})
	found := cmp.Or(text.Some(names), "the project has none yet")
	if len(without) > 0 {
		return note(what, found+"; none for "+strings.Join(without, ", "), "`"+text.CommandToCopy("brenner mail connect", "NAME", without[0])+"` says how it joins")
	}
	return fine(what, found)
}

// checkKeys says whether the server still takes the agents' tokens that are held here.
func checkKeys(ctx context.Context, b *Mailbox) []Check {
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
		return []Check{fine(what, "the server takes those of "+text.Some(held))}
	}
	return []Check{note(what, "the server does not take those of "+text.Some(refused)+" any more",
		"its mailboxes were made anew: `"+text.CommandToCopy("brenner mail token", "NAME", refused[0])+"` gives a new one; where the operator's token does, nothing need be done")}
}

// checkClients checks what `mail connect` would tell the programs that agents are:
// their names, the token's variable, and the files that are there already.
func checkClients(ctx context.Context, box *Mailbox, by []string) []Check {
	var d []Check
	for _, name := range by {
		if err := mail.CheckName(name); err != nil {
			d = append(d, broken("agent "+name, "it cannot have a mailbox: "+fault.Distinct(err)[0].Error(), fault.HintOf(err)))
		}
	}
	if c := checkClientToken(ctx, box, by); c.What != "" {
		d = append(d, c)
	}
	said := box.Connect("")
	for _, c := range said.Clients {
		data, err := os.ReadFile(c.path(box.Project))
		if err != nil {
			continue // whoever does not use the program has no such file
		}
		at, there := c.server(data)
		what := "joining with " + c.Program
		switch {
		case !there:
		case strings.TrimRight(at, "/") == said.URL:
			d = append(d, fine(what, c.File+" names this server"))
		default:
			d = append(d, broken(what, c.File+" names another server: "+at, "write what `brenner mail connect NAME` prints into it"))
		}
	}
	return d
}

// checkClientToken says whose token the variable of the programs holds here.
func checkClientToken(ctx context.Context, box *Mailbox, by []string) Check {
	const fix = "export " + ClientToken + "=$(brenner mail token NAME), where the agent's program is started"
	token := box.Project.variable(ClientToken)
	if token == "" {
		return note(ClientToken, "not set here; the programs of agents need it", fix)
	}
	client, err := mail.New(mail.Options{URL: box.Client.URL(), Token: token, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return Check{}
	}
	for _, name := range by {
		_, err = client.Inbox(ctx, mail.InboxQuery{Project: box.Key, Agent: name, Limit: 1, NoBodies: true}, 0)
		if err == nil {
			return fine(ClientToken, "lets "+name+" read its mail")
		}
	}
	if len(by) == 0 {
		_, err = client.Health(ctx)
	}
	switch fault.CodeOf(err) {
	case "":
		return fine(ClientToken, "the server takes it")
	case mail.NoAuth:
		return broken(ClientToken, "the server does not take it", fix)
	case mail.NotYours, mail.NotFound:
		return note(ClientToken, "of nobody who is reached via mail here", fix)
	}
	return Check{} // what is wrong with the server was said
}
